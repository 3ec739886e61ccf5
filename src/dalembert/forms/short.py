"""The formulas of a derivation in few operations: the same equations, matrices and reactions, as a person writes them.

Angles meet (sin(α + β)), terms are collected and factored, squares completed, the constraints used where they shorten,
and what several equations share gets a name. So equations hold where the constraints do: on the motion. The rows of
M q̈ = f + Aᵀλ are only arranged, and hold everywhere.

Each part is written when it is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

import symengine as se

from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import is_negative, operations, shortest, total, width
from dalembert.algebra.writing.cutting import WIDEST
from dalembert.algebra.writing.given_names import with_given_names
from dalembert.algebra.writing.shared_parts import UNNAMED, in_order, put
from dalembert.algebra.writing.signs import aligned, facing, settled
from dalembert.forms.base import Form, Matrix, Written
from dalembert.forms.naming import length, with_names, with_old_names, with_shared_factors
from dalembert.forms.narrowing import narrowed
from dalembert.forms.pen import MAX_TOTAL, Pen
from dalembert.forms.prepared import MAX_UNKNOWNS, Scene
from dalembert.forms.raw import Raw
from dalembert.forms.reacting import Reacting
from dalembert.forms.sheet import GAIN, better, forces, long, needed
from dalembert.forms.spatial_scene import conditions_by_bodies, spatial_scene
from dalembert.forms.steps import steps_of
from dalembert.language.building import CONSTANTS, Expr
from dalembert.language.calculus import ZERO
from dalembert.language.functions import FUNCTIONS

_REPEATED = 40  # operations of reactions, above which they use the names of equations,
_ONCE = 1000  # and above which λ is written once if that makes them much shorter; a formula reads better else
_MUCH = 0.9  # of the operations that equations must have with more names than they need
_READ = 60  # operations of a function of momenta that one still reads rather than one of velocities too


class Short:
    """What `Raw` has, in few operations."""

    def __init__(self, raw: Raw, form: Form, scene: Scene):
        self._raw, self._form, self._scene = raw, form, scene

    # --- equations and matrices --------------------------------------------------------------------------------------

    @cached_property
    def expressions(self) -> list[Expr]:
        """The equations."""
        return list(map(facing, self._equations[0]))

    @cached_property
    def _matrices(self) -> dict[str, Matrix]:
        """The matrices by name, in few operations."""
        raw, functions = self._raw.entries, self._form.functions
        pen = self._pen(e for name, rows in raw.items() if name not in functions for row in rows for e in row)
        found = {}
        for name, rows in raw.items():
            own = Pen(self._scene, [e for row in rows for e in row]) if name in functions else pen
            found[name] = [[own.value(entry) for entry in row] for row in rows]
        for name, terms in self._parts.items():
            *moving, still = [[term] for term in terms]
            ways = [[*moving, still], [[term for part in moving for term in part], still]]
            sums = [[se.Add(*part) for part in way if part] for way in ways]
            apart = shortest(se.Add(*[Pen(self._scene, [part]).value(part) for part in way]) for way in sums)
            whole = found.get(name, [[apart]])[0][0]
            is_mixed = any(symbol.name.endswith("'") for symbol in whole.free_symbols)  # of velocities and momenta
            if operations(apart) <= max(operations(whole), _READ * is_mixed):  # energies read better than their sum
                found[name] = [[apart]]
        return found

    @property
    def _parts(self) -> Mapping[str, list[Expr]]:
        try:
            return self._form.parts(self._scene)
        except TooLarge:
            return {}

    @cached_property
    def entries(self) -> dict[str, Matrix]:
        """The matrices by name, in named steps where those are better, with the names that the model defines."""
        return {name: [list(map(settled, row)) for row in rows] for name, rows in self._entries[0].items()}

    @cached_property
    def _entries(self) -> tuple[dict[str, Matrix], dict[str, Expr]]:
        """The matrices, and what the model defines of the names in them."""
        found = self._unnamed
        if not self._scene.definitions:
            return found, {}
        written, names = self._kept([e for rows in found.values() for row in rows for e in row], self._equations[1])
        each = iter(written)
        return {name: [[next(each) for _ in row] for row in rows] for name, rows in found.items()}, names

    @cached_property
    def _unnamed(self) -> dict[str, Matrix]:
        found = dict(self._matrices)
        for name, other in self._steps.matrices.items():
            mine, steps = ([e for row in some for e in row] for some in (found.get(name, []), other))
            if name not in found or better(mine, steps, needed(steps, self._steps.names)):
                found[name] = [[Pen(self._scene, [e]).value(e) for e in row] for row in other]
        return found

    @cached_property
    def _equations(self) -> tuple[list[Expr], dict[str, Expr]]:
        """The equations, and what names in them stand for, cut where they are too wide for a line."""
        equations, names = self._uncut
        return narrowed(self._scene, equations, names, self._taken(equations))

    @cached_property
    def _uncut(self) -> tuple[list[Expr], dict[str, Expr]]:
        """The equations, and what names in them stand for; rows of blocks read best as they are."""
        if self._form.plain:
            by_bodies = spatial_scene(self._scene) is not None
            rows = [] if by_bodies else self._rows()
            if by_bodies or max(map(width, rows), default=0) > WIDEST:
                rows = [self._line(e) for e in self._steps.equations] or rows or self._rows()
            written, given = self._kept(rows)
            return written, in_order({**needed(written, self._steps.names), **given})
        if given := self._named_already:
            equations = self._line_by_line()
            lines = [*equations, *given.values()]
            written, names = with_names(lines, self._wanted, self._taken(lines), self._scene.system.parameters)
            named = dict(zip(given, written[len(equations) :], strict=True))
            found = with_old_names(written[: len(equations)], named, names)
            return min(found, (self._otherwise() if self._scene.added else None) or found, key=length)
        equations, steps = self._stepwise(self._combined())
        equations, given = self._kept(equations)
        taken = self._taken(equations) | steps.keys()
        written, names = with_names(equations, self._wanted, taken, self._scene.system.parameters)
        found = written, in_order({**steps, **given, **names})
        if total(equations) <= UNNAMED or ((steps or long(equations)) and not self._scene.added):
            return found
        ways = [found, self._otherwise()]
        if not given and not long(equations):
            most = length(found)
            pen, constant = self._pen_of_all, self._scene.system.parameters
            more = (
                [] if pen.long else with_shared_factors(pen.field.writer, self._combined, self._wanted, taken, constant)
            )
            ways += [way for way in more if len(way[1]) <= len(found[1]) or length(way) <= _MUCH * most]
        return min(filter(None, ways), key=length)

    def _otherwise(self) -> tuple[list[Expr], dict[str, Expr]] | None:
        try:
            other = self._form.otherwise(self._scene)
        except TooLarge:
            return None
        if other is None:
            return None
        return [self._pen([e]).equation(e, self._wanted) for e in other.equations], dict(other.names)

    @cached_property
    def _named_already(self) -> dict[str, Expr]:
        """The names in equations that were too long for the algebra, and are in steps from the beginning."""
        return needed(self._raw.expressions, self._raw.abbreviation_expressions)

    def _line_by_line(self) -> list[Expr]:
        """Write equations that are in steps already."""
        raw = self._raw
        if raw.products:
            return [self._pen(e for pair in pairs for e in pair).product(pairs, self._wanted) for pairs in raw.products]
        return [self._pen([expr]).equation(expr, self._wanted) for expr in raw.expressions]

    def _kept(self, formulas: Sequence[Expr], paid: Collection[str] = ()) -> tuple[list[Expr], dict[str, Expr]]:
        """Keep the names that the model defines, where they make formulas shorter."""
        if total(formulas) > MAX_TOTAL:
            return list(formulas), {}
        return with_given_names(formulas, self._scene.definitions, paid)

    def _stepwise(self, equations: list[Expr]) -> tuple[list[Expr], dict[str, Expr]]:
        """Write long equations in named steps, if that makes them shorter."""
        if not long(equations) or not (found := self._steps.equations):
            return equations, {}
        written = [self._pen([expr]).equation(expr, self._wanted) for expr in found]
        steps = needed(written, self._steps.names)
        return (written, steps) if better(equations, written, steps) else (equations, {})

    @cached_property
    def _steps(self) -> Written:
        """Equations and matrices in named steps; nothing where there are none, or where they are not needed."""
        raw, none = self._raw, Written([])
        shown = [*raw.expressions, *(e for rows in raw.entries.values() for row in rows for e in row)]
        unknowns = len(self._scene.blocks.q) + self._scene.rank
        if unknowns > MAX_UNKNOWNS or not long(shown) or (self._named_already and not self._form.plain):
            return none
        try:
            return self._form.in_steps(self._scene, self._matrices) or none
        except TooLarge:
            return none

    def _rows(self) -> list[Expr]:
        """Write each row of the blocks by itself."""
        rows = self._raw.expressions
        if total(rows) > MAX_TOTAL:
            return rows
        return [Pen(self._scene, [row]).equation(row, self._wanted) for row in rows]

    def _line(self, row: Expr) -> Expr:
        """Write a row of blocks in which names stand."""
        if operations(row) > _READ:
            return row
        found = Pen(self._scene, [row]).equation(row, self._wanted)
        inner = spatial_scene(self._scene)
        faster = [alpha for turn in inner.turns for alpha in turn.alpha] if inner else []
        if not any(is_negative(found.diff(alpha)) for alpha in faster):
            return found
        return se.Add(*[-term for term in (found.args if found.is_Add else (found,))])

    @property
    def _wanted(self) -> list[Expr]:
        """What equations are solved for: that of a state for its rate, in every form."""
        scene = self._scene
        states = [se.Symbol(f"{q.name}''") for q in scene.blocks.q[scene.system.mechanical :]]
        return [*self._form.solved_for(scene), *states]

    def _combined(self) -> list[Expr]:
        """Write equations that are made of several rows."""
        raw, pen = self._raw, self._pen_of_all
        if raw.products:
            return [pen.product(pairs, self._wanted) for pairs in raw.products]
        return [pen.equation(expr, self._wanted) for expr in raw.expressions]

    @cached_property
    def _pen_of_all(self) -> Pen:
        raw = self._raw
        return self._pen(raw.expressions, (e for pairs in raw.products for pair in pairs for e in pair))

    # --- reactions ---------------------------------------------------------------------------------------------------

    @cached_property
    def reaction_expressions(self) -> dict[str, list[Expr]]:
        """The reactions by constraint."""
        return {name: list(map(settled, row)) for name, row in self._reactions.by_constraint.items()}

    @cached_property
    def multiplier_expressions(self) -> dict[str, Expr]:
        """λ by constraint."""
        return {name: settled(value) for name, value in self._reactions.multipliers.items()}

    @cached_property
    def total_expressions(self) -> list[Expr]:
        """The total reaction."""
        return list(map(settled, self._reactions.together))

    @cached_property
    def _reactions(self) -> Reacting:
        """The reactions, with the names that stand in the equations; or λ once, where that makes them much shorter."""
        found = self._same_reactions
        if total(found.each) <= _REPEATED or found.names or not found.multipliers:
            return found
        written, known = found.all, {}
        for name, value in self._equations[1].items():
            after = [put(aligned(expr), value, se.Symbol(name)) for expr in written]
            if total(map(settled, after)) < total(map(settled, written)):
                written, known[name] = after, value
        each = iter(written)
        rows = {name: [next(each) for _ in row] for name, row in found.by_constraint.items()}
        multipliers = {name: next(each) for name in found.multipliers}
        named = Reacting(rows, multipliers, list(each), needed(written, self._equations[1]))
        if total(named.each) <= _ONCE:
            return named
        other = self._reacting_by_name(found.multipliers)
        once = total((*other.each, *other.names.values())) + len(other.names)
        return other if once <= GAIN * total(named.each) else named

    @cached_property
    def _same_reactions(self) -> Reacting:
        """The reactions, as they are without the names of equations."""
        return self._named(self._react())

    def _named(self, found: Reacting) -> Reacting:
        """Keep the names that the model defines."""
        written, names = self._kept(found.all)
        each = iter(written)
        return Reacting(
            {name: [next(each) for _ in row] for name, row in found.by_constraint.items()},
            {name: next(each) for name in found.multipliers},
            [next(each) for _ in found.together],
            {**found.names, **names},
        )

    def _react(self) -> Reacting:
        raw, followed = self._raw, self._scene.system.followed
        if needed([*raw.total_expressions, *raw.multiplier_expressions.values()], raw.abbreviation_expressions):
            return self._reacting_in_steps()
        residuals = Form.vanishing(self._form, self._scene)
        acting = (entry for row in raw.reaction_expressions.values() for entry in row)
        apart = {name: expr for name, expr in raw.multiplier_expressions.items() if name in followed}  # have names
        given = {name: expr for name, expr in raw.multiplier_expressions.items() if name not in apart}
        pen = Pen(self._scene, [*given.values(), *raw.total_expressions, *acting], residuals=residuals)
        multipliers = {name: pen.value(expr) for name, expr in given.items()}
        if long(multipliers.values()):  # then what is made of them is so too
            other = self._reacting_in_steps()
            values = list(other.multipliers.values())
            if better(list(multipliers.values()), values, needed(values, other.names)):
                return other
        rows = {name: [pen.value(entry) for entry in row] for name, row in raw.reaction_expressions.items()}
        multipliers |= apart
        found = Reacting(rows, multipliers, [pen.value(entry) for entry in raw.total_expressions])
        if not long(found.each):
            return found
        for other in (self._reacting_by_name(multipliers), self._reacting_in_steps()):
            if better(found.each, other.each, other.names):
                return other
        return found

    def _reacting_by_name(self, multipliers: dict[str, Expr]) -> Reacting:
        """Write each reaction as Aᵢᵀλᵢ, with λᵢ by its name: one formula for all that it acts on."""
        scene, b = self._scene, self._scene.blocks
        constraints = [c.name for c in scene.system.constraints]
        names = {name: scene.fresh("lambda", name) for name in multipliers}
        acting = {name: [b.A.get((constraints.index(name), j), ZERO) * names[name] for j in range(len(b.q))]
                  for name in multipliers}  # fmt: skip
        together = [se.Add(*column) for column in zip(*acting.values(), strict=True)]
        if len(multipliers) < len(scene.kept):  # the others share their loads: what acts in all is not made of these
            together = list(self._raw.total_expressions)
        pen = Pen(
            scene,
            [*(e for row in acting.values() for e in row), *together],
            residuals=Form.vanishing(self._form, scene),
        )
        return Reacting(
            {name: [pen.value(e) for e in row] for name, row in acting.items()},
            multipliers,
            [pen.value(e) for e in together],
            {names[name].name: value for name, value in multipliers.items()},
        )

    def _reacting_in_steps(self) -> Reacting:
        self._equations  # noqa: B018  # whose steps come first, whatever is asked for first
        steps, constraints = steps_of(self._scene), self._scene.system.constraints
        place = {constraints[i].name: k for k, i in enumerate(self._scene.kept)}
        names = list(self._raw.reaction_expressions)
        lam = {name: steps.multipliers[place[name]] for name in names}
        found = Reacting(
            {name: steps.reaction(place[name]) for name in names},
            {name: steps.names.get(str(symbol), symbol) for name, symbol in lam.items()},
            steps.total if self._raw.total_expressions else [],
        )
        found.names |= needed(found.all, steps.names)
        return found

    @property
    def known_names(self) -> dict[str, Expr]:
        """What names stand for in what was written so far; nothing is written for it."""
        steps = self._scene.written.get("steps")
        own = self.__dict__.get("_steps")  # if it was needed: what is asked for has no names of it otherwise
        given = {**self._scene.definitions, **self._raw.abbreviation_expressions, **self._kinematic}
        known = {**given, **(steps.names if steps else {}), **(own.names if own else {})}
        reacting = self.__dict__.get("_same_reactions")
        found = in_order({**known, **(reacting.names if reacting else {}), **self._equations[1]})
        return {name: settled(value) for name, value in found.items()}

    @cached_property
    def abbreviation_expressions(self) -> dict[str, Expr]:
        """What names stand for, in equations and in reactions."""
        raw, names = self._raw, dict(self._equations[1])
        defined = bool(self._scene.definitions)
        acting = total(e for row in raw.reaction_expressions.values() for e in row)
        if defined or raw.abbreviation_expressions or acting > _REPEATED:
            names = {**self._reactions.names, **names}
        if defined:
            names = {**self._entries[1], **names}
        if self._steps.matrices:
            used = [e for rows in self.entries.values() for row in rows for e in row]
            names = {**needed(used, self._steps.names), **names}
        used = [e for rows in raw.entries.values() for row in rows for e in row]
        found = in_order({**self._kinematic, **needed(used, raw.abbreviation_expressions), **names})
        return {name: settled(value) for name, value in found.items()}

    @property
    def _kinematic(self) -> dict[str, Expr]:
        """What is named of bodies in the constraints as they are shown."""
        inner = spatial_scene(self._scene)
        known = {symbol.name: value for symbol, value in inner.known.items()} if inner else {}
        return needed(conditions_by_bodies(self._scene).values(), known)

    # --- what all need -----------------------------------------------------------------------------------------------

    def _pen(self, *groups: Iterable[Expr]) -> Pen:
        form, scene = self._form, self._scene
        return Pen(scene, [e for group in groups for e in group], form.symbols(scene), form.vanishing(scene))

    def _taken(self, equations: Sequence[Expr]) -> set[str]:
        taken = {
            *self._scene.names,
            *self._raw.abbreviation_expressions,
            *self._raw.entries,
            *FUNCTIONS,
            *CONSTANTS,
            *forces(self._scene)[1],
        }
        return taken | {symbol.name for expr in equations for symbol in expr.free_symbols}
