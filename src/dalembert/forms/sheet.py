"""Results in named steps, where one formula would fill a page: what a sheet of them consists of.

A person who solves for multipliers writes down the coefficients first, then each multiplier; accelerations and
reactions follow in a line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

import symengine as se

from dalembert.algebra.writing.collapsing import collapsed
from dalembert.algebra.writing.cost import operations, total, width
from dalembert.algebra.writing.cutting import cut
from dalembert.algebra.writing.ledger import TRIVIAL, WIDE, Ledger
from dalembert.algebra.writing.numerals import numerals
from dalembert.algebra.writing.shared_parts import in_order, shared_parts
from dalembert.forms.pen import Pen
from dalembert.forms.prepared import Rows, Scene
from dalembert.forms.pulls import Pull, with_pulls
from dalembert.language.building import CONSTANTS, Expr
from dalembert.language.functions import FUNCTIONS

LONG = 60  # operations of a formula, above which it is written in steps with all of its kind
_TOGETHER = 180  # of all of a kind, above which it is so too
_FORCE = 20  # operations of a force that gets a name,
_ALONE = 40  # or of one in an equation that is a row of its own, as there are no constraints
_LINE = 40  # operations of a line that may be shortened
GAIN = 0.6  # of the operations that they must have at most, names included


def needed(formulas: Iterable[Expr], names: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return of some names those that formulas use, and those that these use."""
    found: dict[str, Expr] = {}
    open_names = {s.name for expr in formulas for s in expr.free_symbols} & names.keys()
    while open_names:
        found |= {name: names[name] for name in open_names}
        open_names = {s.name for name in open_names for s in names[name].free_symbols} & names.keys() - found.keys()
    return {name: names[name] for name in names if name in found}


def long(formulas: Iterable[Expr]) -> bool:
    """Tell whether one of some formulas is long, or all together are."""
    lengths = [operations(formula) for formula in formulas]
    return max(lengths, default=0) > LONG or sum(lengths) > _TOGETHER


def better(formulas: list[Expr], steps: list[Expr], names: dict[str, Expr]) -> bool:
    """Tell whether steps are to be shown in place of formulas."""
    return long(formulas) and total((*steps, *names.values())) + len(names) <= GAIN * total(formulas)


def tidied(scene: Scene, line: Expr) -> Expr:
    """Write a line in few operations; one of names alone, or one that is long, is only put in decimals."""
    return Pen(scene, [line] if operations(line) <= _LINE and line.atoms(se.sin, se.cos) else []).value(line)


def forces(scene: Scene) -> tuple[list[Expr], dict[str, Expr]]:
    """Return f with names f_<coordinate> for its long entries, and what these and their parts stand for; found once."""
    if "forces" not in scene.memory:
        pulls = with_pulls(scene, scene.blocks.f, _FORCE)
        long = [i for i, f in enumerate(pulls.f) if operations(f) > _FORCE]
        given = [pulls.f[i] for i in long]
        # what is short alone may share less: a spring is one and the same in all that it acts on
        ways = [list(map(collapsed, given)), [Pen(scene, [f]).value(f) for f in given]]
        symbols = [scene.fresh("f", scene.blocks.q[i].name) for i in long]
        taken = {*scene.names, *FUNCTIONS, *CONSTANTS, *(s.name for s in (*scene.inputs, *symbols)), *pulls.names}
        written, names = min(
            (shared_parts(way, taken, scene.system.parameters) for way in ways),
            key=lambda found: total((*found[0], *found[1].values())) + len(found[1]),
        )
        found, names = list(pulls.f), {**pulls.names, **names}
        for i, symbol, line in zip(long, symbols, written, strict=True):
            if operations(line) > (TRIVIAL if scene.rank else _ALONE):
                found[i], names[symbol.name] = symbol, line
            else:
                found[i] = line
        scene.memory["forces"], scene.memory["pulls"] = (found, in_order(names)), pulls.of
    return scene.memory["forces"]


def pulls_of(scene: Scene) -> dict[str, Pull]:
    """Return what in f acts between two points, as far as it has names there, by the names of elements."""
    forces(scene)
    return scene.memory["pulls"]


def put_down(scene: Scene, names: dict[str, Expr], name: str, line: Expr) -> Expr:
    """Put a line down by a name, or one like it that is free; what is too wide for a line is put down before it."""

    line = cut(line, lambda part: put_down(scene, names, numbered(name, names), part))
    symbol = scene.free_name(name, names)
    names[symbol.name] = line
    return symbol


def numbered(name: str, taken: Collection[str]) -> str:
    """Return a name with the first number that is free."""
    return next(found for k in count(1) if (found := f"{name}_{k}") not in taken)


def ledger_of(scene: Scene, names: dict[str, Expr], pen: Pen | None = None) -> tuple[Rows, Ledger]:
    """Return the blocks on a tape, and what writes results on it line by line, with names that are put down."""
    long, given = forces(scene)
    names |= given
    rows, loads = scene.recorded(long)
    written = {name: numerals(pen.value(entry) if pen else entry) for name, entry in loads.items()}
    taken = {*scene.names, *FUNCTIONS, *CONSTANTS, *names, *written, *(s.name for s in scene.inputs)}
    known: dict[Expr, Expr] = {}
    for name, entry in written.items():
        if width(entry) > WIDE:  # what it repeats gets a name, by which others know it too
            (written[name],), parts = shared_parts([entry.xreplace(known)], taken, scene.system.parameters)
            names |= parts
            taken |= parts.keys()
            known |= {value: se.Symbol(part) for part, value in parts.items()}

    def named(name: str, value: Expr) -> Expr:
        line = tidied(scene, value)
        if operations(line) < TRIVIAL:  # 2*0.5*sin(phi), which needs no name; what is divided by 0.36 is to show it
            return numerals(line)
        if names.get(name) == line:  # as in another result that is shown beside this one
            return se.Symbol(name)
        return put_down(scene, names, name, line)

    return rows, Ledger(rows.arithmetic, written, named)


@dataclass
class NamedSteps(ABC):
    """λ and what follows from it, by the names of its steps; all in t, q, v and parameters.

    names: what they stand for, in the order in which one computes. TooLarge is raised where this is not the way.
    """

    scene: Scene
    names: dict[str, Expr] = field(default_factory=dict)

    @cached_property
    @abstractmethod
    def multipliers(self) -> list[Expr]:
        """λ of each independent condition: its name, or what it is equal to if that needs none."""

    @cached_property
    @abstractmethod
    def needed(self) -> list[Expr]:
        """The right sides b = c − A M⁻¹f."""

    @cached_property
    @abstractmethod
    def solved(self) -> tuple[list[Expr], list[list[Expr]]]:
        """M⁻¹f, and M⁻¹Aᵀ column by column."""

    @property
    def matrices(self) -> dict[str, list[list[Expr]]]:
        """N = M⁻¹AᵀW⁻¹ and P = E − N A, where they can be read."""
        return {}

    @property
    def accelerations(self) -> list[Expr]:
        """q̈ = M⁻¹f + M⁻¹Aᵀλ."""
        free, Y = self.solved
        moved = zip(*Y, strict=True) if Y else [()] * len(free)
        return [self.tidy(a + dot(self.multipliers, column)) for a, column in zip(free, moved, strict=True)]

    def reaction(self, k: int) -> list[Expr]:
        """Return Aᵀλ of one independent condition."""
        return [self.tidy(entry * self.multipliers[k]) for entry in self.named_rows[k]]

    @cached_property
    def total(self) -> list[Expr]:
        """Aᵀλ of all."""
        if not self.rows:  # nothing is held
            return [se.Integer(0)] * len(self.scene.blocks.q)
        return [self.tidy(dot(self.multipliers, column)) for column in zip(*self.named_rows, strict=True)]

    @cached_property
    def pen(self) -> Pen:
        """What writes the blocks, long forces by their names, shortened by the constraints."""
        b = self.scene.blocks
        residuals = [residual for residual in (*b.g, *b.psi) if residual is not None]
        return Pen(self.scene, [*b.M.values(), *self.forces, *b.A.values(), *b.c], residuals=residuals)

    @cached_property
    def forces(self) -> list[Expr]:
        """f with names for its long entries."""
        found, names = forces(self.scene)
        self.names |= names
        return found

    @cached_property
    def rows(self) -> list[list[Expr]]:
        """The independent rows of A."""
        b = self.scene.blocks
        return [[self.pen.value(b.A.get((i, j), se.Integer(0))) for j in range(len(b.q))] for i in self.scene.kept]

    @cached_property
    def named_rows(self) -> list[list[Expr]]:
        """The independent rows of A, with names for entries that would fill a line."""
        scene, found = self.scene, []
        for i, row in zip(scene.kept, self.rows, strict=True):
            condition = scene.names_of_conditions[i].replace(".", "_")
            names = [f"A_{condition}_{q.name}" for q in scene.blocks.q]
            found.append([self.named(x, e) if width(e) > WIDE else e for x, e in zip(names, row, strict=True)])
        return found

    @property
    def names_of_multipliers(self) -> list[str]:
        """What λ is called, condition by condition; where forces depend on it, what it is equal to."""
        scene, followed = self.scene, self.scene.system.followed
        names = (scene.system.constraints[i].name for i in scene.kept)
        return [scene.fresh("Lambda" if name in followed else "lambda", name).name for name in names]

    def named(self, name: str, value: Expr) -> Expr:
        """Give a value a name, unless it needs none."""
        if operations(value) <= TRIVIAL:
            return numerals(value)
        wish = self.scene.free_name(name)
        return wish if self.names.get(wish.name) == value else put_down(self.scene, self.names, name, value)

    def tidy(self, expr: Expr) -> Expr:
        """Write a line in which names stand."""
        return Pen(self.scene, [expr] if TRIVIAL < operations(expr) <= _LINE else []).value(expr)


def dot(x: Sequence[Expr], y: Sequence[Expr]) -> Expr:
    """Return the sum of products."""
    return se.Add(*[a * b for a, b in zip(x, y, strict=True)])
