"""Whether a candidate for a first integral is one: as a formula where that can be told, else at other states."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import symengine as se

from dalembert.algebra.rational import Field, TooLarge
from dalembert.arrays import Array
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.survey.integral_search import ENERGY, ZERO_RATE, IntegralPart, IntegralSearch
from dalembert.survey.sampled_states import SampledStates

_SAME = 1e-8  # of its values, up to which an integral follows from others


@dataclass
class IntegralChecks:
    """Judges candidates one after the other. known: the values of those that hold, the constants first.

    numbers, sizes, moved: what was worked out before, by factor, part and coordinate.
    """

    search: IntegralSearch
    known: list[Array] = field(default_factory=list)
    numbers: dict[Expr, float] = field(default_factory=dict)
    sizes: dict[int, Array] = field(default_factory=dict)
    moved: dict[int, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known = [np.ones(len(self.search.others))]

    def follows(self, factors: dict[int, Expr]) -> bool:
        """Tell whether an integral follows from others where the constraints hold, or has no finite value.

        It may be a combination of others, also with what integrable constraints keep constant; zero is one of none. It
        is measured beside its parts: a direction that vanishes on the constraints gives an integral that does.
        """
        numbers = {k: self._number(factor) for k, factor in factors.items()}
        here = sum(number * self._columns[k] for k, number in numbers.items())
        if not np.all(np.isfinite(here)):
            return True
        size = sum(abs(number) * self._size(k) for k, number in numbers.items())
        basis = np.array([kept * one for kept in self._kept for one in self.known]).T
        basis = basis / np.linalg.norm(basis, axis=0)
        left = here - basis @ np.linalg.lstsq(basis, here, rcond=None)[0]
        return bool(np.linalg.norm(left) <= _SAME * np.linalg.norm(size))

    def _number(self, factor: Expr) -> float:
        """Return the value of a factor, which is made of parameters."""
        if factor not in self.numbers:
            values = {se.Symbol(name): se.RealDouble(value) for name, value in self.search.others.values.items()}
            self.numbers[factor] = float(factor.xreplace(values))
        return self.numbers[factor]

    @cached_property
    def _columns(self) -> Array:
        """The parts at the states, one row for each."""
        return self.search.others.at([column.expression for column in self.search.columns])

    def _size(self, k: int) -> Array:
        """Return how large a part is at the states, also where constraints hold φ at zero."""
        if k not in self.sizes:
            search, others, column = self.search, self.search.others, self.search.columns[k]
            scale, *slopes = np.abs(others.at([column.part, *(column.part.diff(q) for q in search.b.q)]))
            units = np.where(others.numeric.units > 0, others.numeric.units, 1.0)
            scale = scale + sum(slope * unit for slope, unit in zip(slopes, units, strict=True))
            self.sizes[k] = scale * self._size_by_v(column)
        return self.sizes[k]

    def _size_by_v(self, column: IntegralPart) -> Array:
        """Return how large what moves is: a momentum, the energy or a position."""
        search, others, i = self.search, self.search.others, column.coordinate
        if i not in self.moved or i is None:
            moved = column.expression if i is None else search.momenta[i]
            by_v = (np.abs(others.at(search.slopes(moved)[1])) * others.pace.T).sum(axis=0)
            if i is None:
                return by_v
            self.moved[i] = by_v
        return self.moved[i]

    @cached_property
    def _kept(self) -> list[Array]:
        """One, and the sums of coordinates whose rates the constraints make zero, as s − r φ where s' = r φ'."""
        others = self.search.others
        units = np.linalg.norm(others.pace, axis=0)
        _, sizes, ways = np.linalg.svd(others.v / units)
        constant = ways[len(sizes) :].tolist() + [way for way, size in zip(ways, sizes, strict=False) if size <= _SAME]
        found = [others.q @ (np.array(way) / units) for way in constant]
        return [np.ones(len(others)), *(one for one in found if np.linalg.norm(one))]

    def is_motion(self, factors: dict[int, Expr]) -> bool:
        """Tell whether a direction leaves the kinetic energy as it is, or is one that constraints allow.

        Others have integrals as well, as φ'cos θ + x θ'/r of a disk that rolls upright, where φ' and θ' are constant.
        """
        b, direction = self.search.b, self.search.direction(factors)
        if any(self.search.columns[k].cost == ENERGY for k in factors):
            return True
        T = se.Add(*[entry * b.v[i] * b.v[j] for (i, j), entry in b.M.items()]) / 2
        by_q, by_v, _ = self.search.slopes(T)
        turned = [[x.diff(q) * v for q, v in zip(b.q, b.v, strict=True)] for x in direction.values()]
        terms = [x * by_q[i] for i, x in direction.items()]
        terms += [term * by_v[i] for i, part in zip(direction, turned, strict=True) for term in part]
        rows: list[list[Expr]] = [[] for _ in b.c]
        for (i, j), entry in b.A.items():
            rows[i] += [entry * direction[j]] if j in direction else []
        return self._vanishing(terms) or (bool(rows) and all(map(self._vanishing, rows)))

    def _vanishing(self, terms: list[Expr]) -> bool:
        values = self.search.others.at(terms, free=True)
        return bool(np.all(np.abs(values.sum(axis=0)) <= _SAME * np.abs(values).sum(axis=0)))

    def only_uniform(self, factors: dict[int, Expr], general: bool, workless: bool) -> bool:
        """Tell whether an integral only says that coordinates go on uniformly, as x φ' − φ x' of a free body.

        So does x y' − y x', but it is the momentum of a rotation; that one is allowed by the constraints, and has no
        factors but ±1 before the coordinates in its direction, for all values of the parameters.
        """
        b, columns = self.search.b, [self.search.columns[k] for k in factors]
        uniform = [q for q, rests in zip(b.q, self._unaccelerated, strict=True) if rests]
        if any(column.part not in uniform or b.q[column.coordinate or 0] not in uniform for column in columns):
            return False
        return not (general and workless) or any(abs(factor) != 1 for factor in factors.values())

    @cached_property
    def _unaccelerated(self) -> Array:
        others = self.search.others
        return others.small(others.a, others.push)

    def accept(self, factors: dict[int, Expr]) -> None:
        """Take note of an integral, from which others may follow."""
        self.known.append(self.search.others.at([self.search.expression(factors)])[0])

    def holds(self, factors: dict[int, Expr]) -> bool | None:
        """Tell whether it holds for all values of the parameters (True), for these alone (False), or not (None)."""
        expression = self.search.expression(factors)
        rate, size = self.search.rates(self.search.others, [expression])
        if not np.all(np.abs(rate) <= ZERO_RATE * size + 1e-300):
            return None
        rests = self._rests(factors)
        if rests is not None:
            values = {se.Symbol(name): se.RealDouble(value) for name, value in self.search.states.values.items()}
            if all(map(_vanishes, rests)):
                return True
            if not self.search.system.constraints and not all(
                _vanishes(rest.xreplace(values), unknown=True) for rest in rests
            ):
                return None
        return self._in_general(expression)

    def _in_general(self, expression: Expr) -> bool:
        """Tell whether it holds for other values of the parameters too, as far as numbers can tell."""
        if len(self._elsewhere) < 10:
            return False
        rate, size = self.search.rates(self._elsewhere, [expression])
        return bool(np.all(np.abs(rate) <= ZERO_RATE * size + 1e-300))

    @cached_property
    def _elsewhere(self) -> SampledStates:
        """States with other values of the parameters."""
        random, known = np.random.default_rng(8), self.search.states.values
        values = {name: (value or 1.0) * random.uniform(0.8, 1.25) for name, value in known.items()}
        return SampledStates(self.search.system, 40, values)

    def _rests(self, factors: dict[int, Expr]) -> list[Expr] | None:
        """Return what must vanish as formulas: dI/dt without reactions, and what these do along it; None without T."""
        system, b = self.search.system, self.search.b
        if system.kinetic is None or any(c.level == "acceleration" for c in system.constraints):
            return None
        force = [system.forces.get(q.name, ZERO) for q in b.q[: self.search.count]]
        rest, works = [], {}
        L = system.kinetic - (ZERO if system.potential is None else system.potential)
        by_q, _, by_t = self.search.slopes(L)
        for k, factor in factors.items():
            column = self.search.columns[k]
            if column.cost == ENERGY:
                rest += [factor * se.Add(*map(se.Mul, force, b.v[: self.search.count]), -by_t)]
                for (i, j), entry in b.A.items():
                    works.setdefault(i, []).append(factor * entry * b.v[j])
                for i in works:
                    works[i].append(-factor * (b.psi[i] or ZERO))  # A v = ψ where ψ is homogeneous in v: no work
            elif column.coordinate is None:
                rest.append(factor * se.Symbol(f"{column.expression.name}'"))
            else:
                i, part = column.coordinate, column.part
                turning = [part.diff(q) * v for q, v in zip(b.q, b.v, strict=True)]
                rest.append(factor * (part * (by_q[i] + force[i]) + se.Add(*turning) * self.search.momenta[i]))
                for (row, j), entry in b.A.items():
                    if j == i:
                        works.setdefault(row, []).append(factor * entry * part)
        return [se.Add(*rest), *(se.Add(*terms) for terms in works.values())]


def _vanishes(expr: Expr, unknown: bool = False) -> bool:
    """Tell whether a formula is zero, with its decimals as they were written; `unknown` if it is too long to tell."""
    try:
        field = Field([expr])
        with field.bounded():
            return field.is_zero(field.read(expr))
    except TooLarge:
        return unknown
