"""One stage of the search for what is hidden in programmes: the equations with the rows that are known so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.algebra.rational import TooLarge
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, pilot_numeric_of
from dalembert.blocks.symbolic import Blocks
from dalembert.errors import ModelError, Problem, quoted
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.language.printing import to_text
from dalembert.model.constraint import Constraint
from dalembert.model.quantity import multiplier, multipliers_in
from dalembert.survey.configurations import Configuration, places_of
from dalembert.survey.hidden import TimedFormulas, independent_columns, rank_of
from dalembert.survey.plain_formulas import PlainFormulas
from dalembert.survey.redundancy import redundancies_of

if TYPE_CHECKING:
    from dalembert.survey.servo import ServoSearch

_VANISHES = 1e-9  # part of its terms up to which a condition holds
_SHOWN = 120  # characters of a condition in a message


@dataclass(frozen=True)
class ServoRow:
    """One condition: as a constraint, the derivatives of programmes in its second one, and N by coordinate."""

    constraint: Constraint
    orders: Mapping[str, int]
    push: Mapping[int, Expr] = field(default_factory=dict)


class ServoStage:
    """The equations with the rows that are known so far, at the pilot's places."""

    def __init__(self, search: ServoSearch):
        self.search, self.system = search, search.made()
        self.numeric: Numeric = pilot_numeric_of(self.system)
        self.places: list[Configuration] = places_of(self.system)
        self.blocks = with_known(self.system.blocks, search.known)
        self.n, self.passive = len(self.blocks.q), len(search.system.constraints)
        lost = {one.name for one in redundancies_of(self.system)}
        passive = self.system.constraints[: self.passive]
        self.held = [i for i, one in enumerate(passive) if one.name not in lost]  # A, without what repeats others

    def refuse_shared(self, names: Mapping[str, Any]) -> None:
        """Refuse rows that repeat others."""
        rows = {row.constraint.name for row in self.search.rows}
        for one in redundancies_of(self.system):
            group = [one.name, *one.others]
            if (mine := [name for name in group if name in rows]) and (others := [n for n in group if n != mine[0]]):
                first = mine[0].partition(".")[0] if mine[0] not in names else mine[0]
                levels = {self.system.constraint(name).level for name in group}
                text = f"programme `{first}` asks for what {quoted(others)} {_hold(others)} already"
                advice = "so that no control could change it; take one of them away"
                if {
                    "position",
                    "velocity",
                } <= levels:  # their rates depend on each other, and what follows of it is more
                    text = f"programme `{first}` and {quoted(others)} tie positions to velocities of the path"
                    advice = "what follows of that is not solved; lead another point, or write a condition on positions"
                raise ModelError(Problem(f"{text}, {advice}", key=("programme", first)))

    # --- K -----------------------------------------------------------------------------------------------------------

    @cached_property
    def E(self) -> dict[tuple[int, int], Expr]:
        """∂ρ/∂u by (coordinate, control)."""
        symbols = [multiplier(name) for name in self.search.acting]
        calculus, found = Calculus(symbols), {}
        for i, force in self.blocks.rho.items():
            lifted = calculus.lift(force)
            for k, symbol in enumerate(symbols):
                if (slope := calculus.lower(calculus.diff(lifted, symbol))) != 0:
                    found[i, k] = se.expand(slope) if multipliers_in(slope) else slope
        for (_, k), slope in found.items():
            if multipliers_in(slope):
                control = self.search.controls[k]
                text = f"control `{control}` holds a programme, but the forces are not linear in it"
                raise ModelError(Problem(f"{text}; let it act by `acts`", key=("controls", control)))
        return found

    def rubs(self) -> list[str]:
        """Return the multipliers besides those of programmes on which forces depend."""
        own = {*self.search.acting, *(row.constraint.name for row in self.search.rows)}
        return sorted(multipliers_in(*self.blocks.rho.values()) - own)

    @cached_property
    def matrices(self) -> list[Array]:
        """K at each place, with the active rows for B."""
        E, active = self.numeric.program(self.E.values()), [self.passive + k for k in self.search.active]
        found = []
        for place in self.places:
            values = self.numeric.all(place.t, place.q, place.v)
            M, A = values.M.toarray(), values.A.toarray()
            acting = np.zeros((self.n, len(self.search.acting)))
            for (i, k), entry in zip(self.E, self.numeric.evaluate(E, place.t, place.q, place.v), strict=True):
                acting[i, k] = entry
            top = np.hstack([M, -A[self.held].T, -acting])
            below = A[[*self.held, *active]]
            found.append(np.vstack([top, np.hstack([below, np.zeros((len(below), top.shape[1] - self.n))])]))
        return [K for K in found if np.all(np.isfinite(K))]

    def holds_itself(self) -> bool:
        """Tell whether the accelerations follow where the controls are known: else inertia is missing."""
        own = self.n + len(self.held)
        return not self.matrices or max(rank_of(K[:own, :own]) for K in self.matrices) == own

    def without_control(self) -> list[int]:
        """Return the rows of K, of the active ones, that follow from the others: u stands in none of these."""
        if not self.matrices:
            text = "the equations are not finite where programmes are looked at"
            raise ModelError(Problem(f"{text} (a division by zero?)", key=("programme",)))
        kept, found = list(range(self.n + len(self.held))), []
        if not self.search.several:
            self._refuse_idle()
        for row in range(len(kept), len(self.matrices[0])):
            if max(rank_of(K[[*kept, row]]) for K in self.matrices) > len(kept):
                kept.append(row)
            else:
                found.append(row)
        return found

    def _refuse_idle(self) -> None:
        """Refuse controls that do the same, or only press on constraints."""
        columns = list(range(self.n, self.n + len(self.held)))
        for k, control in enumerate(self.search.controls):
            columns.append(self.n + len(self.held) + k)
            if max(rank_of(K[: self.n][:, columns]) for K in self.matrices) < len(columns):
                text = f"control `{control}` does nothing that constraints and the controls above it do not"
                advice = "it holds no programme. Let it act elsewhere, or give it a law"
                raise ModelError(Problem(f"{text}: {advice}", key=("controls", control)))

    # --- what is hidden ----------------------------------------------------------------------------------------------

    def find(self, free: list[int]) -> None:
        """Find the conditions that are hidden, and put each in the place of a row."""
        self._refuse_rubbing()
        try:
            try:
                found = self._found(free)
            except TooLarge:
                if self.search.plain:
                    raise
                self.search.plain = True  # formulas that nobody reads need not be multiplied out
                del self.formulas
                found = self._found(free)
        except TooLarge:
            text = "what is hidden in the programmes is too large a formula to be differentiated"
            raise ModelError(Problem(text, key=("programme",))) from None
        first = self.n + len(self.held)
        found.sort(key=lambda one: not one[2].free_symbols.isdisjoint(self.blocks.v))  # first what holds positions
        for row, w, expr, push in found:
            place = row - first
            orders: dict[str, int] = {}
            for k in w:
                if k >= first:
                    for name, order in self.search.rows[self.search.active[k - first]].orders.items():
                        orders[name] = max(orders.get(name, 0), order)
            self._add(place, expr, orders, push)

    def _found(self, free: list[int]) -> list[tuple[int, dict[int, Any], Expr, dict[int, Expr]]]:
        """Return the free rows with their w, the conditions, and the forces along which these can be held."""
        with self.formulas.field.bounded():
            vectors = self._null_vectors(free)
            conditions = [self.formulas.vanishing(self.formulas.sum(w, self.right)) for w in vectors]
            pushes = [self._push(w) for w in vectors]
        return list(zip(free, vectors, conditions, pushes, strict=True))

    def _refuse_rubbing(self) -> None:
        if rubs := self.rubs():
            text = f"what the programmes ask for depends on forces that follow the reaction of {quoted(rubs)}"
            raise ModelError(Problem(f"{text}: these are not differentiated", key=("programme",)))

    @cached_property
    def inputs(self) -> list[Expr]:
        """The symbols that have values at places."""
        b = self.blocks
        return [b.t, *b.q, *b.v, *b.parameters]

    @property
    def moving(self) -> tuple[Expr, ...]:
        """Those that move."""
        return *self.blocks.q, *self.blocks.v

    @cached_property
    def points(self) -> Array:
        """Their values, (inputs, places)."""
        return np.array([[p.t, *p.q, *p.v, *self.numeric.parameters] for p in self.places]).T

    @cached_property
    def formulas(self) -> TimedFormulas | PlainFormulas:
        """The formulas of K and of the right side."""
        b = self.blocks
        return self._formulas([*b.M.values(), *b.f, *b.A.values(), *b.c, *self.E.values()])

    def _formulas(self, expressions: Sequence[Expr]) -> TimedFormulas | PlainFormulas:
        if self.search.plain:
            return PlainFormulas(self.inputs, self.points, self.blocks.v)
        return TimedFormulas(self.inputs, self.points, self.moving, expressions)

    @cached_property
    def columns(self) -> list[dict[int, Expr]]:
        """The columns of K, as {row: entry}."""
        b, first = self.blocks, self.n + len(self.held)
        below = {i: self.n + k for k, i in enumerate(self.held)}
        below |= {self.passive + row: first + k for k, row in enumerate(self.search.active)}
        found: list[dict[int, Expr]] = [{} for _ in range(first + len(self.search.acting))]
        for (i, j), entry in b.M.items():
            found[j][i] = entry
        for (i, j), entry in b.A.items():
            if i in below:
                found[j][below[i]] = entry
            if i in self.held:
                found[below[i]][j] = -entry
        for (i, k), entry in self.E.items():
            found[first + k][i] = -entry
        return found

    @cached_property
    def right(self) -> dict[int, Expr]:
        """The right side of K, [f; c; b]."""
        rows = [*self.held, *(self.passive + k for k in self.search.active)]
        return dict(enumerate([*self.blocks.f, *(self.blocks.c[i] for i in rows)]))

    def _null_vectors(self, free: list[int]) -> list[dict[int, Any]]:
        """Return the w with wᵀK = 0, without denominators, one for each free row."""
        best = max(self.matrices, key=rank_of)
        rows = [self.columns[j] for j in independent_columns(best)]
        try:
            return self.formulas.null_vectors(rows, free)
        except ZeroDivisionError:
            text = "what is hidden in the programmes is not the same everywhere"
            raise ModelError(Problem(f"{text}, so that nothing can be said of it", key=("programme",))) from None

    def _push(self, w: Mapping[int, Any]) -> dict[int, Expr]:
        """Return M w_M."""
        columns = [{i: entry for (i, j), entry in self.blocks.M.items() if j == column} for column in range(self.n)]
        totals = {j: self.formulas.sum(w, column) for j, column in enumerate(columns)}
        field = self.formulas.field
        return {j: self.formulas.write(total) for j, total in totals.items() if not field.is_zero(total)}

    def _add(self, place: int, expr: Expr, orders: Mapping[str, int], push: Mapping[int, Expr]) -> None:
        """Put a hidden condition in the place of a row; it must not follow from those that are there."""
        search, programme = self.search, self.search.rows[self.search.active[place]].constraint.name.partition(".")[0]
        number = sum(row.constraint.name.startswith(f"{programme}.") for row in search.rows)
        name = f"{programme}.hidden" if not number else f"{programme}.hidden_{number + 1}"
        read = self._moving(name, expr.xreplace(search.known), programme)
        if read.level == "velocity" and self._follows(read, position=False):
            read = self._moving(name, self._at_any_velocity(expr, programme), programme)
        if read.level == "acceleration":
            raise AssertionError("no acceleration stands in f, c and b")
        if read.level == "position" and self._follows(read, position=True):
            self._refuse_path(read.expression, programme)
        if self._follows(read, position=False):
            text = f"what is hidden in programme `{programme}`, {_short(read.expression)} = 0, is tied to velocities"
            raise ModelError(Problem(f"{text} in a way that is not solved", key=("programme", programme)))
        more = 2 if read.level == "position" else 1
        search.add(ServoRow(read, {n: order + more for n, order in orders.items()}, push))
        search.active[place] = len(search.rows) - 1

    def _moving(self, name: str, expr: Expr, programme: str) -> Constraint:
        """Read a condition; refuse one on nothing that moves."""
        names = set(self.system.coordinates)
        if not any(symbol.name.rstrip("'") in names for symbol in expr.free_symbols):
            self._refuse_path(expr, programme)
        return self.search.condition(name, expr, ("programme", programme))

    def _refuse_path(self, expr: Expr, programme: str) -> None:
        """Refuse a programme without a control: its conditions are none on what moves."""
        values = self.numeric.program([expr])
        size = self.numeric.program([se.Add(*map(abs, expr.args)) if expr.is_Add else abs(expr)])
        off = [self.numeric.evaluate(values, p.t, p.q, p.v)[0] for p in self.places]
        terms = [self.numeric.evaluate(size, p.t, p.q, p.v)[0] for p in self.places]
        if all(abs(x) <= _VANISHES * s for x, s in zip(off, terms, strict=True)):
            text = f"programme `{programme}` holds by the others, so that the controls are not determined"
            advice = "Take it away with a control, or give a control a law"
        else:
            text = f"no control can hold programme `{programme}`: it asks the path for {_short(expr)} = 0"
            advice = "Correct the path, or let a control act elsewhere"
        raise ModelError(Problem(f"{text}. {advice}", key=("programme", programme)))

    def _follows(self, read: Constraint, position: bool) -> bool:
        """Tell whether the row of a condition depends on those of the others, of positions or of all."""
        known = [row.constraint for row in self.search.rows[len(self.system.constraints) - self.passive :]]
        others = [i for i, c in enumerate(self.system.constraints) if not position or c.level == "position"]
        new = [c for c in (*known, read) if not position or c.level == "position"]
        slopes = [self._slopes(c) for c in new]
        for p, place in enumerate(self.places):
            A = self.numeric.all(place.t, place.q, place.v).A.toarray()[others]
            below = np.vstack([A, *[slope[p] for slope in slopes[:-1]]])
            if rank_of(np.vstack([below, slopes[-1][p]])) > rank_of(below):
                return False
        return True

    def _slopes(self, condition: Constraint) -> list[Array]:
        """Return the row of A of a condition at each place."""
        b = self.blocks
        symbols = {"position": b.q, "velocity": b.v}[condition.level]
        calculus = Calculus(symbols)
        lifted = calculus.lift(condition.expression)
        used = [j for j, symbol in enumerate(symbols) if symbol in calculus.depends(lifted)]
        program = self.numeric.program([calculus.lower(calculus.diff(lifted, symbols[j])) for j in used])
        found = []
        for place in self.places:
            row = np.zeros(self.n)
            row[used] = self.numeric.evaluate(program, place.t, place.q, place.v)
            found.append(row)
        return found

    def _at_any_velocity(self, expr: Expr, programme: str) -> Expr:
        """Put the velocities that conditions ask for into one that depends on no others."""
        made = self.search.made()
        b, lost = made.blocks, {one.name for one in redundancies_of(self.system)}
        rates = enumerate(zip(made.constraints, b.psi, strict=True))
        known = [i for i, (one, psi) in rates if psi is not None and one.name not in lost]
        rows = [{j: entry for (i, j), entry in b.A.items() if i == k} for k in known]
        still = dict.fromkeys(b.v, ZERO)
        if any(entry.free_symbols & still.keys() for row in rows for entry in row.values()):
            text = f"what is hidden in programme `{programme}` depends on velocities in a way that is not solved"
            raise ModelError(Problem(text, key=("programme", programme)))
        offsets = [-(b.psi[i] or ZERO).xreplace(still) for i in known]
        formulas = self._formulas([*(e for row in rows for e in row.values()), *offsets, expr])
        field = formulas.field
        try:
            with field.bounded():
                found = formulas.reduced(rows, offsets)
                values = dict.fromkeys(b.v, field.zero)
                values |= {b.v[k]: value for k, value in zip(found.pivots, found.right, strict=True)}
                found = formulas.vanishing(field.substitute(formulas.read(expr), values))
                return found.xreplace(self.search.known)
        except TooLarge:
            if not self.search.plain:
                self.search.plain = True
                return self._at_any_velocity(expr, programme)
            text = f"what is hidden in programme `{programme}` is too large a formula to be differentiated"
            raise ModelError(Problem(text, key=("programme", programme))) from None

    def states(self) -> int:
        """Count what of positions and velocities all conditions leave free."""
        levels = [constraint.level for constraint in self.system.constraints]
        A = [self.numeric.all(p.t, p.q, p.v).A.toarray() for p in self.places]
        of_q = [i for i, level in enumerate(levels) if level == "position"]
        of_v = [i for i, level in enumerate(levels) if level != "acceleration"]
        fixed = (max((rank_of(a[which]) for a in A), default=0) for which in (of_q, of_v))
        return self.system.mechanical + self.n - sum(fixed)


def with_known(blocks: Blocks, known: Mapping[Expr, Expr]) -> Blocks:
    """Return the blocks with what is known by the time alone put in, which keeps formulas short."""
    if not known:
        return blocks

    def several(given: Iterable[Expr | None]) -> tuple:
        return tuple(None if expr is None else expr.xreplace(known) for expr in given)

    entries = {name: dict(zip(part, several(part.values()), strict=True)) for name, part in
               (("M", blocks.M), ("A", blocks.A), ("rho", blocks.rho))}  # fmt: skip
    return replace(blocks, f=several(blocks.f), c=several(blocks.c), psi=several(blocks.psi), **entries)


def _hold(names: Sequence[str]) -> str:
    return "holds" if len(names) == 1 else "hold"


def _short(expr: Expr) -> str:
    text = to_text(expr)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
