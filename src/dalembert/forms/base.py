"""What a form of the equations of motion is, and how to add one.

A form arranges the blocks M, f, A, c so that accelerations and reactions can be read off. To add one:

1. Write a file with a subclass of `Form`: `name`, `title`, and `solve(rows, pilot)`, the algorithm, once, over the
   scalars of `rows` (floats, arrays of pilot points, formulas): only + − × ÷, and every choice through `pilot.decide`.
   It returns a `Solution` with q̈, r and the matrices of the form.
2. Write `equations(scene, solution)`: the differential equations of the form as expressions that vanish.
3. Say what it needs: `inverse` if it solves with M, `refuse(scene)` if it does not accept every system.
4. `register` it, in a file of its name, which stands in `FORM_NAMES` of `model/settings.py`, or outside the package. It
   can then be derived, moved and exported; the contract tests run it against every other form.

Where more is to be written than what `solve` gives, as notes on where it holds, override `write`. What a lecturer
writes on the board between the blocks and the result is `steps`.

The rows of A that arrive are independent; redundant ones have been taken out, which changes neither q̈ nor r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import symengine as se

from dalembert.algebra.elimination import Factors, factorise
from dalembert.algebra.gramschmidt import Scalar, Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import TooLarge
from dalembert.document.nodes import Section
from dalembert.errors import DerivationError
from dalembert.forms.prepared import Rows, Scene
from dalembert.language.building import Expr
from dalembert.language.printing import to_text

if TYPE_CHECKING:
    from dalembert.forms.board import Board
    from dalembert.model.system import System

MAX_OPERATIONS = 3_000  # on the shared graph; beyond this formulas are not attempted


@dataclass
class Solution:
    """What a form computes: q̈, r = M q̈ − f, λ of the independent rows, and its own matrices (lists of rows)."""

    acceleration: list[Scalar]
    reaction: list[Scalar]
    multipliers: list[Scalar] | None = None
    matrices: dict[str, list[list[Scalar]]] = field(default_factory=dict)
    independent: tuple[int, ...] = ()  # coordinates, for forms that choose some


Matrix = list[list[Expr]]


@dataclass(frozen=True)
class Written:
    """A form as it is written down: equations that vanish, matrices by their names, and what else must be known.

    products: where equations are sums of products, the factors of each term, so that they can be written one by one.
    names: what names in them stand for, each made of those before it.
    """

    equations: list[Expr]
    matrices: dict[str, Matrix] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    products: list[list[tuple[Expr, Expr]]] = field(default_factory=list)
    names: Mapping[str, Expr] = field(default_factory=dict)


class Form(ABC):
    """A form of the equations of motion.

    letters: how its matrices are written in LaTeX, where that differs from their names. inverse: whether it needs that
    of M, for which constraints make up where M has none. beside: what stands beside q in its state, velocities v,
    momenta p or quasi-velocities u; conversion: the kernel that makes that of v, if it is something else.
    moves: whether motions can be computed in it. chooses: whether it computes with some of the coordinates, which may
    have to be chosen again on the way. solved: whether what solves it is part of what is written. plain: whether it
    consists of the blocks themselves, which can be written however many there are. asked_for: whether other forms ask
    for its solution. shared: whether the solver that all kernels share computes it, and gives λ out in place of r.
    functions: matrices that are functions to be differentiated, so that constraints must not be put
    into them. paper: where it was published, and printed: how matrices are called there.
    """

    name: str
    title: str
    letters: Mapping[str, str] = MappingProxyType({})
    inverse: bool = False
    beside: str = "v"
    conversion: str = ""
    moves: bool = True
    chooses: bool = False
    solved: bool = True
    plain: bool = False
    asked_for: bool = False
    shared: bool = False
    functions: tuple[str, ...] = ()
    paper: str = ""
    printed: Mapping[str, str] = MappingProxyType({})

    def __init__(self, coordinates: str | Sequence[str] | None = None):
        """Take the coordinates that the user chose, in a form that works with some of them."""
        if coordinates is not None:
            raise DerivationError(f"coordinates are named for the form `independent`, not for `{self.name}`")

    def moved(self, system: System) -> str:
        """Return the form in which motions are computed: this one, or another with the same unknowns, chosen anew."""
        return self.name

    def refuse(self, scene: Scene) -> str | None:
        """Return why this form does not accept a system and what to use instead, or None."""
        return None

    @abstractmethod
    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Compute accelerations and reactions over any arithmetic."""

    @abstractmethod
    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return the differential equations of this form as expressions that vanish."""

    def write(self, scene: Scene, solution: Callable[[], Solution]) -> Written:
        """Write the form down; `solution()` is that of `solve` as expressions, or raises TooLarge."""
        found = solution()
        return Written(self.equations(scene, found), found.matrices)

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written | None:
        """Write equations and matrices in named steps, for where they are long, or raise TooLarge; None: not known.

        matrices: as `write` gave them, in few operations.
        """
        return None

    def parts(self, scene: Scene) -> Mapping[str, list[Expr]]:
        """Return its functions as sums, whose terms may be shorter one by one, or raise TooLarge."""
        return {}

    def otherwise(self, scene: Scene) -> Written | None:
        """Write short equations in another way, for where that takes fewer operations, or raise TooLarge."""
        return None

    def solved_for(self, scene: Scene) -> list[Expr]:
        """Return the symbols for which the equations are solved, one in each; none if they are not."""
        return []

    def solutions(self, scene: Scene) -> Mapping[str, Expr]:
        """Return by name what the equations determine together, beside what each determines alone."""
        return {}

    def meanings(self, scene: Scene) -> Mapping[str, Expr]:
        """Return what symbols of the form stand for, by name."""
        return {}

    def vanishing(self, scene: Scene) -> list[Expr]:
        """Return what vanishes on the motion, in the variables of the form: formulas may be shortened by it."""
        return [residual for residual in (*scene.blocks.g, *scene.blocks.psi) if residual is not None]

    def symbols(self, scene: Scene) -> list[Expr]:
        """Return functions of time in the equations that are no coordinates of the system."""
        return []

    def large(self, scene: Scene) -> Written | None:
        """Write what consists of the blocks alone, for where there are too many unknowns for more; None: nothing."""
        return None

    def steps(self, board: Board) -> list[Section]:
        """Return its steps from the blocks to the result, as they are shown; without words, its matrices."""
        return [Section("Matrices of the form", board.shown(*board.derivation.entries))]

    def conditions(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Mapping[str, list[Expr]]:
        """Return equations between matrices of the form row by row, as expressions that vanish, by how it is written.

        matrices: as they are shown.
        """
        return {}


FORMS: dict[str, type[Form]] = {}
F = TypeVar("F", bound=Form)


def register(form: type[F]) -> type[F]:
    """Add a form to those that can be asked for."""
    FORMS[form.name] = form
    return form


def holds_where(scene: Scene, name: str, value: Callable[[], Scalar]) -> list[str]:
    """Say that a matrix holds where a formula does not vanish."""
    try:
        factors = scene.field.zeros(value(), frozenset(scene.system.parameters))
    except TooLarge:
        return [f"{name} does not hold everywhere; the formula that says where is too long to be written"]
    text = " and ".join(f"{to_text(factor)} ≠ 0" for factor in factors)
    return [f"{name} holds where {text}"] if factors else []


def transposed_product(matrix: Matrix, symbols: Sequence[Expr]) -> list[Expr]:
    """Multiply the transpose of a matrix by a column of symbols."""
    return [se.Add(*map(se.Mul, column, symbols)) for column in zip(*matrix, strict=True)]


def product(left: Matrix, right: Matrix) -> Matrix:
    """Multiply two matrices of formulas."""
    return [[se.Add(*map(se.Mul, row, column)) for column in zip(*right, strict=True)] for row in left]


def multiply(rows: list[Vector], x: list[Scalar], arithmetic: Any) -> list[Scalar]:
    """Multiply sparse rows by a vector."""
    result = []
    for row in rows:
        total = arithmetic.zero
        for j, value in row.items():
            total = total + value * x[j]
        result.append(total)
    return result


def transposed(rows: list[Vector], y: list[Scalar], size: int, arithmetic: Any) -> list[Scalar]:
    """Multiply the transpose of sparse rows by a vector."""
    result = [arithmetic.zero] * size
    for row, factor in zip(rows, y, strict=True):
        for j, value in row.items():
            result[j] = result[j] + value * factor
    return result


@dataclass(frozen=True)
class Coupling:
    """What the multipliers are solved from: M⁻¹f, the columns of M⁻¹Aᵀ, W = A M⁻¹Aᵀ and b = c − A M⁻¹f, over M."""

    mass: Factors
    free: list[Scalar]
    Y: list[list[Scalar]]
    W: list[list[Scalar]]
    b: list[Scalar]


def conditions(rows: Rows, pilot: Pilot) -> Coupling:
    """Find the equations W λ = b of the multipliers, over any arithmetic."""
    rows = rows.definite()
    arithmetic = rows.arithmetic
    mass = factorise(rows.M, arithmetic, pilot)
    free = mass.solve(rows.f)
    Y = [mass.solve(dense(row, rows.n, arithmetic)) for row in rows.A]
    b = [c - a for c, a in zip(rows.c, multiply(rows.A, free, arithmetic), strict=True)]
    return Coupling(mass, free, Y, [multiply(rows.A, y, arithmetic) for y in Y], b)


def remainder(rows: Rows, acceleration: list[Scalar]) -> list[Scalar]:
    """Return r = M q̈ − f."""
    moved = multiply(rows.M, acceleration, rows.arithmetic)
    return [m - f for m, f in zip(moved, rows.f, strict=True)]


def dense(vector: Vector, size: int, arithmetic: Any) -> list[Scalar]:
    """Write a sparse vector with its zeros."""
    return [vector.get(j, arithmetic.zero) for j in range(size)]
