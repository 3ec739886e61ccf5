"""A system prepared for derivation: its blocks over formulas, arrays or floats, and the points of its pilot."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.elimination import factorise, reduce_rows
from dalembert.algebra.gramschmidt import Scalar, Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import Field
from dalembert.algebra.tape import Tape
from dalembert.algebra.writing.numerals import figures
from dalembert.arrays import Array
from dalembert.blocks.law_numbers import balanced
from dalembert.blocks.numeric import Numeric, Values, pilot_numeric_of, pilot_parameters
from dalembert.blocks.symbolic import Blocks
from dalembert.errors import DerivationError
from dalembert.forms.augment import held
from dalembert.forms.tidy import plain, tidy, with_numbers, with_numerals
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.model.facts import START, fact
from dalembert.model.quantity import multiplier
from dalembert.model.system import System
from dalembert.survey.configurations import Configuration, assemble, beginning, places_of
from dalembert.survey.redundancy import Redundancy, redundancies_of

MAX_UNKNOWNS = 60  # coordinates and multipliers; beyond this no formulas are attempted


@dataclass(frozen=True)
class Rows:
    """The blocks over one arithmetic: rows of M and A as sparse vectors, f and c as lists; A has independent rows.

    `added` are the rows of A that make up for what M lacks, with the powers of ten that are their ρ.
    """

    arithmetic: Any
    M: list[Vector]
    f: list[Scalar]
    A: list[Vector]
    c: list[Scalar]
    added: Mapping[int, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.f)

    def definite(self) -> Rows:
        """Return the same equations with M + Σ ρᵢ AᵢᵀAᵢ and f + Σ ρᵢ Aᵢᵀcᵢ, for forms that need an inverse of M."""
        M, f = [dict(row) for row in self.M], list(self.f)
        for i, power in self.added.items():
            rho = power_of_ten(power, self.arithmetic)
            for j, a in self.A[i].items():
                weighted = rho * a
                f[j] = f[j] + weighted * self.c[i]
                for k, other in self.A[i].items():
                    M[j][k] = M[j][k] + weighted * other if k in M[j] else weighted * other
        return replace(self, M=M, f=f, added={})

    def saddle(self) -> list[Vector]:
        """Return the rows of [[M, Aᵀ], [A, 0]]."""
        rows = [dict(row) for row in self.M] + [dict(row) for row in self.A]
        for i, row in enumerate(self.A):
            for j, value in row.items():
                rows[j][self.n + i] = value
        return rows


def power_of_ten(power: int, arithmetic: Any) -> Scalar:
    """Return 10ᵏ in any arithmetic."""
    one = arithmetic.one
    ten = one + one + one + one + one + one + one + one + one + one
    size = one
    for _ in range(abs(power)):
        size = size * ten
    return size if power >= 0 else one / size


class OnceForAll(cached_property):
    """What is found once for a scene and its pages."""

    def __get__(self, scene: Any, owner: Any = None) -> Any:
        whole = None if scene is None else scene.whole
        return super().__get__(scene, owner) if whole is None else getattr(whole, str(self.attrname))


class Scene:
    """What every derivation starts from. `kept` are the constraints that are not redundant, by index.

    whole: the scene of which this is a page.
    """

    whole: Scene | None = None

    def __init__(self, system: System):
        self.system = system
        small = len(system.coordinates) + len(system.constraints) <= MAX_UNKNOWNS
        self.numeric = pilot_numeric_of(system)
        self.start = beginning(system)
        self.places = places_of(system)
        self.redundancies: list[Redundancy] = redundancies_of(system)
        redundant = {redundancy.name for redundancy in self.redundancies}
        self.kept = [i for i, c in enumerate(system.constraints) if c.name not in redundant]
        self.rank = len(self.kept)
        blocks = self.with_reactions(system.blocks)
        self.given = tidy(blocks) if small else blocks  # with the numbers that they have
        self.blocks = with_numerals(self.given) if small else self.given
        self.memory: dict[str, Any] = {}  # what is found once for all forms
        self.written: dict[str, Any] = {}  # what one form writes down, by names that it gives on the way

    def page(self) -> Scene:
        """Return the same scene for one form to write on: what it finds written depends on no other form."""
        found = copy(self)
        found.whole, found.written = self, {}
        return found

    # --- multipliers in forces ---------------------------------------------------------------------------------------

    @cached_property
    def followed(self) -> dict[Expr, Expr]:
        """The multipliers in forces, as blocks have them and as formulas do: like parameters, until they are solved."""
        names = (self.system.constraints[i].name for i in self.kept)
        return {multiplier(name): self.fresh("lambda", name) for name in names if name in self.system.followed}

    def named(self, expr: Expr) -> Expr:
        """Return an expression of the system with the multipliers as formulas have them.

        Redundant constraints carry nothing: of what they share with others, only all together stands in forces.
        """
        unloaded = {multiplier(name): ZERO for name in self.system.followed} if self.system.followed else {}
        return expr.xreplace({**unloaded, **self.followed}) if unloaded else expr

    def with_reactions(self, blocks: Blocks) -> Blocks:
        """Return blocks with f + ρ in place of f."""
        if not blocks.rho:
            return blocks
        f = tuple(se.Add(f, self.named(blocks.rho.get(i, ZERO))) for i, f in enumerate(blocks.f))
        return replace(blocks, f=f, rho={})

    # --- names -------------------------------------------------------------------------------------------------------

    def fresh(self, kind: str, name: str) -> Expr:
        """Return a symbol for the output, such as lambda_<constraint>, that no name of the system is equal to."""
        known = self._multipliers.get(name) if kind == "lambda" else None
        return known or self.free_name(f"{kind}_{name.replace('.', '_')}")

    @cached_property
    def _multipliers(self) -> dict[str, Expr]:
        """The symbols of the multipliers, each another one: of A.x and A_x too; controls are called as they are."""
        found: dict[str, Expr] = {}
        controls = {programme: name for name, programme in self.system.holding.items()}
        for constraint in self.system.constraints:
            taken = {symbol.name for symbol in found.values()}
            own = f"lambda_{constraint.name.replace('.', '_')}"
            found[constraint.name] = self.free_name(controls.get(constraint.name, own), taken)
        return found

    def free_name(self, name: str, taken: Collection[str] = ()) -> Expr:
        """Return a symbol of a name, lengthened until nothing else is called so in the system; a letter is numbered.

        What has a number gets another letter: e1 and e_1 would be one and the same on paper.
        """
        letter, _, number = name.partition("_")
        others = (f"{other}_{number}" for other in "hsz") if letter == "e" and number.isdigit() else ()
        longer = (f"{name}_{k}" if len(name) == 1 else f"{name}{'_' * k}" for k in count(1))
        alike = {_on_paper(known) for known in self.names}

        def is_free(found: str) -> bool:
            another = found.endswith("_") or _on_paper(found) not in alike
            return another and found not in self.names and found not in taken

        return se.Symbol(next(filter(is_free, chain([name], others, longer))))

    @cached_property
    def names(self) -> frozenset[str]:
        """All that has a name in formulas of the system."""
        system = self.system
        return frozenset((*system.parameters, *system.coordinates, *system.states, *system.calls, *system.definitions))

    @OnceForAll
    def definitions(self) -> dict[str, Expr]:
        """What the model defines, as formulas have it."""
        system = self.system
        return {name: figures(plain(system.meant(value.expr))) for name, value in system.definitions.items()}

    # --- the pilot's points ------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[Expr]:
        """The symbols whose values make a point: t, q, v, parameters, and multipliers in forces."""
        b = self.blocks
        return [b.t, *b.q, *b.v, *b.parameters, *self.followed.values()]

    @OnceForAll
    def points(self) -> Array:
        """Values of the inputs at admissible states: with the user's parameters, and with others near them.

        A choice must hold for the user's values; a formula is zero only if it is so for others as well.
        """
        places = (*self._beginning, *self.places)
        columns = [[*self.point(self.numeric, place), *self._followed_values(place)] for place in places]
        random = np.random.default_rng(6)
        base = pilot_parameters(self.system)
        for place in self.places:
            values = {name: (value or 1.0) * random.uniform(0.8, 1.25) for name, value in base.items()}
            numeric = Numeric(self.system, values)
            found = assemble(numeric, place, self.kept)  # redundant rows may not hold for other values
            if found is not None and numeric.all(found.t, found.q, found.v).finite():
                some = random.uniform(0.5, 1.5, len(self.followed))  # any ones, so that nothing but identities holds
                columns.append([*self.point(numeric, found), *some])
        return np.array(columns).T

    def _followed_values(self, place: Configuration) -> list[float]:
        """Return the values of the multipliers in forces at a place; any ones, where there is not one solution."""
        found = balanced(self.numeric, place.t, place.q, place.v) if self.followed else None
        if found is None or len(found.solutions) != 1 or len(found.law.rows) != len(self.followed):
            return [1.0] * len(self.followed)
        return list(found.solutions[0])

    @property
    def _beginning(self) -> list[Configuration]:
        """The initial state, if choices can be made that hold there as well: where a swing hangs, y is no coordinate.

        At a singular one nothing can be chosen.
        """
        b, places = self.blocks, (self.start, *self.places)
        columns = [[*self.point(self.numeric, place), *self._followed_values(place)] for place in places]
        values = Program(self.inputs, [*b.M.values(), *b.f, *b.A.values(), *b.c]).arrays(list(np.array(columns).T))
        rows = self._arranged(Numbers, list(values))
        try:
            reduce_rows(rows.A, rows.c, Numbers, Pilot())
            factorise(rows.saddle(), Numbers, Pilot())
        except ZeroDivisionError:
            return []
        return [self.start] if all(np.all(np.isfinite(value)) for value in values) else []

    @staticmethod
    def point(numeric: Numeric, place: Configuration) -> list[float]:
        """Return the values of the inputs at a place."""
        return [place.t, *place.q, *place.v, *numeric.parameters]

    @OnceForAll
    def added(self) -> dict[int, int]:
        """The rows of A that make up for what M lacks, by their places among those kept, with the powers of ten ρ."""
        try:
            if np.any(factorise(self._arrays.saddle(), Numbers, Pilot()).negative() != self.rank):
                raise ZeroDivisionError  # M is positive definite on the null space of A exactly if there are s
            places = (self.numeric.all(place.t, place.q, place.v) for place in self.places)
            return held([replace(values, A=values.A[self.kept]) for values in places])
        except ZeroDivisionError:
            raise DerivationError(
                "the accelerations are not determined: the mass matrix must be positive semidefinite, and definite "
                "for all motions that the constraints allow; `check` names the coordinates that lack inertia"
            ) from None

    # --- the blocks over each arithmetic -----------------------------------------------------------------------------

    @property
    def arrays(self) -> Rows:
        """The blocks at the pilot's points."""
        return replace(self._arrays, added=self.added)

    @OnceForAll
    def _arrays(self) -> Rows:
        b = self.blocks
        values = Program(self.inputs, [*b.M.values(), *b.f, *b.A.values(), *b.c]).arrays(list(self.points))
        return self._arranged(Numbers, list(values))

    @OnceForAll
    def field(self) -> Field:
        """The field of the formulas that can arise from the blocks."""
        b = self.blocks
        residuals = [r for r in (*b.g, *b.psi) if r is not None]
        field = Field([*b.M.values(), *b.f, *b.A.values(), *b.c, *residuals])
        field.set_points(self.inputs, self.points)
        return field

    @OnceForAll
    def formulas(self) -> Rows:
        """The blocks as formulas."""
        b = self.blocks
        entries = [self.field.read(entry) for entry in (*b.M.values(), *b.f, *b.A.values(), *b.c)]
        return self.rows(self.field, entries)

    def counted(self) -> Rows:
        """The blocks as unknown inputs of a tape: what is done with them is counted before any formula is expanded."""
        return self.recorded()[0]

    def recorded(self, forces: Sequence[Expr] = ()) -> tuple[Rows, dict[str, Expr]]:
        """Return the blocks as inputs of a tape, and in their order what these stand for, by their names.

        forces: what stands in the place of f. Names are M_<coordinate>_<coordinate>, f_<coordinate>,
        A_<constraint>_<coordinate> and c_<constraint>; equal entries are one input, and what is 0 or ±1 none.
        """
        b, tape = self.blocks, Tape(rounds=False)
        q, constraints = [symbol.name for symbol in b.q], self.names_of_conditions
        named = [(self.name_of_inertia(*sorted(place)), entry) for place, entry in b.M.items()]
        named += [(f"f_{name}", entry) for name, entry in zip(q, forces or b.f, strict=True)]
        named += [(f"A_{constraints[i]}_{q[j]}", entry) for (i, j), entry in b.A.items()]
        named += [(f"c_{name}", entry) for name, entry in zip(constraints, b.c, strict=True)]
        nodes: dict[Expr, Any] = {se.Integer(k): float(k) for k in (-1, 0, 1)}
        found: dict[str, Expr] = {}
        for name, entry in named:
            if entry not in nodes:
                nodes[entry] = -nodes[-entry] if -entry in nodes else tape.load("block", len(found))
                if -entry not in nodes:
                    found[self.free_name(name.replace(".", "_"), found).name] = entry
        return self.rows(tape, [nodes[entry] for _, entry in named]), found

    @property
    def names_of_conditions(self) -> list[str]:
        """What the rows of A are called."""
        return [constraint.name for constraint in self.system.constraints]

    def name_of_inertia(self, i: int, j: int) -> str:
        """Return what an entry of M is called."""
        return f"M_{self.blocks.q[i].name}_{self.blocks.q[j].name}"

    def floats(self, values: Values) -> Rows:
        """The blocks as floats at a state."""
        M, A = values.M.tocoo(), values.A.tocoo()
        empty = [{} for _ in values.f], [{} for _ in self.kept]
        rows = Rows(Numbers, empty[0], list(values.f), empty[1], [values.c[i] for i in self.kept], self.added)
        place = {row: k for k, row in enumerate(self.kept)}
        for i, j, value in zip(*M.coords, M.data, strict=True):
            rows.M[i][int(j)] = value
        for i, j, value in zip(*A.coords, A.data, strict=True):
            if i in place:
                rows.A[place[i]][int(j)] = value
        return rows

    def rows(self, arithmetic: Any, entries: list[Scalar]) -> Rows:
        """Arrange the entries of M, f, A, c, in this order, over any arithmetic."""
        return replace(self._arranged(arithmetic, entries), added=self.added)

    def _arranged(self, arithmetic: Any, entries: list[Scalar]) -> Rows:
        b: Blocks = self.blocks
        rest = iter(entries)
        M: list[Vector] = [{} for _ in b.f]
        for i, j in b.M:
            M[i][j] = next(rest)
        f = [next(rest) for _ in b.f]
        A: list[Vector] = [{} for _ in b.c]
        for i, j in b.A:
            A[i][j] = next(rest)
        c = [next(rest) for _ in b.c]
        return Rows(arithmetic, M, f, [A[i] for i in self.kept], [c[i] for i in self.kept])


@fact(START)
def scene_of(system: System) -> Scene:
    """Return the scene of a system, its blocks from the kinetic energy in few operations."""
    from dalembert.forms.kinetic import shortened

    scene = Scene(system)
    if len(system.coordinates) + len(system.constraints) <= MAX_UNKNOWNS:
        scene.blocks = with_numerals(tidy(scene.with_reactions(shortened(scene))))
        scene.given = with_numbers(scene.blocks)
    return scene


def _on_paper(name: str) -> str:
    """Return a name without the lines in front of its numbers, which are indices with them or without."""
    return re.sub(r"_(?=\d)", "", name)
