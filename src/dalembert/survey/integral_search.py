"""Candidates for first integrals: all relations between the rates of their parts, at many admissible states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.language.building import Expr
from dalembert.language.calculus import ONE, Calculus
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.survey.integral_factors import factors_near
from dalembert.survey.integral_pairs import pairs_of
from dalembert.survey.sampled_states import SampledStates

if TYPE_CHECKING:
    from dalembert.model.system import System

_MOST = 300  # parts of directions that are looked at together: then fewer kinds of them
_OTHERS = 40  # states at which candidates are tried
_WAVES = 4  # angles whose sines and cosines are looked at where those of all are too many
_DEPENDENT = 1e-9  # of its length that a column keeps beside others on which it depends
ZERO_RATE = 3e-11  # of its terms, up to which a rate is rounding
_SMALL = 1e-7  # part of the largest that a factor times what it multiplies must be to be one
_NOTHING = 1e-14  # of a row: entries as sin φ where constraints hold φ = 0
ENERGY, POSITION = 4, 3  # what the dearest parts cost


@dataclass(frozen=True)
class IntegralPart:
    """A part of an integral: φ p of one coordinate, a coordinate in h, or the energy; the dearest come first."""

    cost: int
    expression: Expr
    coordinate: int | None = None
    part: Expr = ONE


class IntegralSearch:
    """The parts of integrals, and what relations there are between their rates; `others` are states to try them at.

    narrowed: whether some of the directions were left out, as there are too many.
    """

    narrowed = False

    def __init__(self, system: System):
        self.system, self.b = system, system.blocks
        self.count = system.mechanical
        b = self.b
        self.calculus = Calculus([*b.q, *b.v, b.t])
        self.momenta = [self._momentum(i) for i in range(self.count)]
        self.others = SampledStates(system, max(_OTHERS, 3 * self.count + 10), seed=17)
        self.columns = sorted(self._columns(), key=lambda column: -column.cost)
        self.states = SampledStates(system, 3 * len(self.columns) // 2 + 20)

    def _momentum(self, i: int) -> Expr:
        b = self.b
        if self.system.kinetic is None:
            return se.Add(*[entry * b.v[j] for (k, j), entry in b.M.items() if k == i])
        calculus = self.calculus
        return calculus.lower(calculus.diff(calculus.lift(self.system.kinetic), b.v[i]))

    def _columns(self) -> list[IntegralPart]:
        """Return the parts that are looked at, fewer kinds of them where there are many coordinates."""
        b, n = self.b, self.count
        moving = [i for i in range(n) if self.momenta[i] != 0]
        held = self.others.small(self.others.v, self.others.pace)  # its values are numbers, also as a factor
        still = {q for q, is_held in zip(b.q, held, strict=True) if is_held}
        angles = [angle for angle in self._angles() if not angle.free_symbols <= still]
        turning = {symbol for angle in angles for symbol in angle.free_symbols} | still
        if isinstance(self.system, Mechanism):  # which knows them, also those without sines
            turning |= {q for q in b.q if self.system.measured.get(q.name) == "angle"}
        factors = [j for j, q in enumerate(b.q[:n]) if q not in turning]
        near, self.narrowed = pairs_of(self.system, moving, factors, _MOST - len(moving))
        parts: list[tuple[int, int, Expr]] = [(0, i, ONE) for i in moving] + [(1, i, b.q[j]) for i, j in near]
        rigid = isinstance(self.system, Mechanism) and not any(c.level == "velocity" for c in self.system.constraints)
        for some in (angles, angles[:_WAVES], []):
            waves = [wave(angle) for angle in some for wave in (se.cos, se.sin)]
            if len(parts) + len(moving) * len(waves) <= _MOST:
                parts += [(2, i, wave) for wave in waves for i in moving]
                self.narrowed |= len(some) < len(angles) and not rigid  # what is rigid is only shifted and turned
                break
        found = [IntegralPart(cost, part * self.momenta[i], i, part) for cost, i, part in parts]
        found += [IntegralPart(POSITION, q) for q in self._free_positions()]
        return found if b.energy is None else [*found, IntegralPart(ENERGY, b.energy)]

    @cached_property
    def freedom(self) -> int:
        """The ways in which the system can move."""
        return len(self.b.q) - self.others.rank

    def _angles(self) -> list[Expr]:
        """Return what sines and cosines are of, as far as that are coordinates."""
        b = self.b
        found: dict[Expr, None] = {}
        for expr in (*b.M.values(), *b.f, *b.A.values()):
            for wave in expr.atoms(se.sin, se.cos):
                inside = wave.args[0]
                if inside.free_symbols <= set(b.q[: self.count]) and -inside not in found:
                    found[inside] = None
        return sorted(found, key=lambda inside: (len(inside.free_symbols), str(inside)))

    def _free_positions(self) -> list[Expr]:
        """Return coordinates whose velocities constraints do not tie together: what ties them is no integral."""
        states = self.others
        sizes = np.linalg.norm(states.pace, axis=0)
        sizes = np.where(sizes > 0, sizes, 1.0)  # where nothing can move there is none
        kept: list[int] = []
        for j in range(self.count) if len(states) else ():
            V = (states.v / sizes)[:, [*kept, j]]
            if np.linalg.matrix_rank(V, tol=1e-8) == V.shape[1]:
                kept.append(j)
        return [self.b.q[j] for j in kept]

    # --- rates -------------------------------------------------------------------------------------------------------

    def slopes(self, expr: Expr) -> tuple[list[Expr], list[Expr], Expr]:
        """Return the derivatives by q, by v and by t."""
        b, calculus = self.b, self.calculus
        lifted = calculus.lift(expr)
        by = [calculus.lower(calculus.diff(lifted, x)) for x in (*b.q, *b.v, b.t)]
        return by[: len(b.q)], by[len(b.q) : -1], by[-1]

    def rates(self, states: SampledStates, expressions: Sequence[Expr]) -> tuple[Array, Array]:
        """Return dI/dt along the equations of motion, and the sizes of its terms; by state and expression."""
        slopes = [self.slopes(expr) for expr in expressions]
        flat = states.at([e for by_q, by_v, by_t in slopes for e in (*by_q, *by_v, by_t)])
        n = len(self.b.q)
        parts = flat.reshape(len(expressions), 2 * n + 1, len(states))
        ones = np.ones((1, len(states)))
        terms = parts * np.vstack([states.v.T, states.a.T, ones])
        sizes = np.abs(parts) * np.vstack([states.pace.T, states.push.T, ones])
        return terms.sum(axis=1).T, sizes.sum(axis=1).T

    def _rates_of_columns(self, states: SampledStates) -> tuple[Array, Array]:
        """Return the same of the parts: of φ p by φ ṗ and φ̇ p, so that momenta are differentiated once."""
        whole = [column.expression for column in self.columns if column.coordinate is None]
        own, parts = [column for column in self.columns if column.coordinate is not None], {}
        for column in own:
            parts.setdefault(column.part)
        order = {part: k for k, part in enumerate(parts)}
        p, phi = states.at(self.momenta).T, states.at(list(parts)).T
        (p_rate, p_size), (phi_rate, phi_size) = self.rates(states, self.momenta), self.rates(states, list(parts))
        rates, sizes = self.rates(states, whole)
        where = [(column.coordinate or 0, order[column.part]) for column in own]
        i, k = (np.array(side, dtype=int) for side in zip(*where, strict=True)) if where else ([], [])
        made = phi[:, k] * p_rate[:, i] + phi_rate[:, k] * p[:, i]
        size = np.abs(phi[:, k]) * p_size[:, i] + phi_size[:, k] * np.abs(p[:, i])
        first = len(whole)  # the dearest: the energy, and positions
        return np.hstack([rates, made])[:, : first + len(own)], np.hstack([sizes, size])

    # --- relations ---------------------------------------------------------------------------------------------------

    def candidates(self, workless: bool) -> Iterator[list[dict[int, Expr]]]:
        """Return sets of factors that may give an integral, each in one or more ways.

        workless: only those whose directions holonomic constraints allow. Others hold because of what reactions are:
        where nothing acts, each of two geared wheels keeps its momentum, but what one writes is that of both.
        """
        R, S = self._rates
        if len(R) <= len(self.columns):
            return
        if workless:
            W, size = self._work_of_columns(self.states)
            R, S = np.vstack([R, W]), np.vstack([S, size])
        yield from self._relations(R, S)

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        """The rates of the parts and their sizes at all states where they have a value."""
        R, S = self._rates_of_columns(self.states)
        good = np.all(np.isfinite(R), axis=1)
        return _in_proportion(R[good], S[good])

    def _work_of_columns(self, states: SampledStates) -> tuple[Array, Array]:
        """Return A ξ of the parts, for the energy A v, by rows of holonomic constraints; and the sizes."""
        b = self.b
        A = {key: entry for key, entry in b.A.items() if b.g[key[0]] is not None}
        W, S = np.zeros((2, len(b.c), len(states), len(self.columns)))
        parts = states.at([column.part for column in self.columns])
        for (row, j), entry in zip(A, states.at(list(A.values())), strict=True):
            for k, column in enumerate(self.columns):
                if column.coordinate == j:
                    W[row, :, k] += entry * parts[k]
                    S[row, :, k] += np.abs(entry * parts[k])
                elif column.cost == ENERGY:
                    W[row, :, k] += entry * states.v[:, j]
                    S[row, :, k] += np.abs(entry) * states.pace[:, j]
        W, S = W.reshape(-1, len(self.columns)), S.reshape(-1, len(self.columns))
        finite = np.all(np.isfinite(W), axis=1)
        W, S = _in_proportion(W[finite], S[finite])
        there = S > _NOTHING
        return np.where(there, W, 0.0), np.where(there, S, 0.0)

    def _relations(self, R: Array, S: Array) -> Iterator[list[dict[int, Expr]]]:
        """Solve for the factors: every column that depends on dearer ones gives a relation.

        So does one without any rate, as where nothing acts, or of a constant: what follows from others is told later.
        """
        lengths = np.linalg.norm(S, axis=0)
        lengths = np.where(lengths > 0, lengths, 1.0)
        R = R / lengths
        size, kept = len(self.columns), []
        whole, T = np.zeros((len(R), size), order="F"), np.zeros((size, size))
        for k in range(size):
            column, own, count = R[:, k], np.linalg.norm(R[:, k]), len(kept)
            Q = whole[:, :count]
            along = Q.T @ column
            rest = column - Q @ along
            again = Q.T @ rest
            along, rest = along + again, rest - Q @ again
            if own <= ZERO_RATE or np.linalg.norm(rest) <= _DEPENDENT * own:
                known = own > ZERO_RATE and kept
                factors = np.linalg.solve(T[:count, :count], along) if known else np.zeros(count)
                found = {k: 1.0} | {c: -float(x) for c, x in zip(kept, factors, strict=True)}
                found = {c: x * lengths[k] / lengths[c] for c, x in found.items()}
                if choices := self._exact(found):
                    yield choices
                continue
            T[:count, count], T[count, count] = along, np.linalg.norm(rest)
            whole[:, count], kept = rest / T[count, count], [*kept, k]

    def _exact(self, factors: dict[int, float]) -> list[dict[int, Expr]]:
        """Return factors as numbers that a person writes, or parameters in simple products; or nothing."""
        terms = np.array([x * self._values[k] for k, x in factors.items()])
        weights = dict(zip(factors, np.abs(terms).max(axis=1), strict=True))
        largest = max(weights.values())
        factors = {k: x for k, x in factors.items() if weights[k] > _SMALL * largest}
        if all(self.columns[k].cost == POSITION for k in factors):
            return []
        energy = [k for k in factors if self.columns[k].cost == ENERGY]
        lead = energy[0] if energy else max(factors, key=lambda k: (-self.columns[k].cost, k))
        known: list[list[Expr]] = []
        for k, x in factors.items():
            near = [ONE] if k == lead else factors_near(x / factors[lead], self.states.values, self._constants_for(k))
            if not near:
                return []
            known.append(near)
        ways = [[options[min(way, len(options) - 1)] for options in known] for way in range(max(map(len, known)))]
        return [dict(zip(factors, way, strict=True)) for way in ways]

    @cached_property
    def _values(self) -> Array:
        """The parts at the states, one row for each."""
        return np.nan_to_num(self.states.at([column.expression for column in self.columns]))

    @cached_property
    def _constants(self) -> list[dict[Expr, float]]:
        """Constant forces by coordinate, with their values."""
        values = {se.Symbol(name): se.RealDouble(value) for name, value in self.states.values.items()}
        found = []
        for f in self.b.f:
            terms = [term for term in self.calculus.terms(f) if term.free_symbols]  # others may be long: not expanded
            alone = [se.expand(term) for term in terms if term.free_symbols <= values.keys()]
            constant = {part for term in alone for part in (term.args if term.is_Add else (term,)) if part.free_symbols}
            found.append({term: float(term.xreplace(values)) for term in sorted(constant, key=str)})
        return found

    def _constants_for(self, k: int) -> dict[Expr, float]:
        """Return constant forces, of a position those that act along it first."""
        column, found = self.columns[k], {}
        places = [i for i, q in enumerate(self.b.q) if column.cost == POSITION and q == column.expression]
        for i in [*places, *range(len(self._constants))]:
            found |= {term: value for term, value in self._constants[i].items() if term not in found}
        return found

    def expression(self, factors: dict[int, Expr]) -> Expr:
        """Return the sum of parts with factors."""
        return se.Add(*[factor * self.columns[k].expression for k, factor in factors.items()])

    def direction(self, factors: dict[int, Expr]) -> dict[int, Expr]:
        """Return ξ by coordinate."""
        parts: dict[int, list[Expr]] = {}
        for k, factor in factors.items():
            if (i := self.columns[k].coordinate) is not None:
                parts.setdefault(i, []).append(factor * self.columns[k].part)
        return {i: se.Add(*terms) for i, terms in sorted(parts.items())}


def _in_proportion(R: Array, S: Array) -> tuple[Array, Array]:
    """Return rates and their sizes beside the largest of their rows; rows in which there is none as they are."""
    scale = S.max(axis=1, initial=0.0)[:, None]
    scale = np.where(scale > 0, scale, 1.0)
    return R / scale, S / scale
