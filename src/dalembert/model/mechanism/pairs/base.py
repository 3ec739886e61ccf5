"""What a pair is: conditions between two markers. How to add one is written here.

A pair of your own is a function of two markers that returns what must vanish, with a name for each condition:

    @pair("pin_on_circle", dimensions=2, values={"radius": None})
    def pin_on_circle(a, b, radius):
        x, y = b.place[0] - a.place[0], b.place[1] - a.place[1]
        return {"circle": (x**2 + y**2 - radius**2) / (2 * radius)}

From then on `kind = "pin_on_circle"` can be used in Python and in files. The markers give `place`, `velocity`, the
axes `x`, `y` (and `z`), `spin`, and in the plane `angle`, as expressions of the coordinates of their bodies; SymPy
and SymEngine functions may be applied to them. A condition on velocities is one in which velocities appear.

Write a condition as second body minus first: its multiplier is then the force or moment on the second body.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import symengine as se

from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.language.late_sympy import is_sympy, sp
from dalembert.language.tokens import NAME
from dalembert.language.translate import Translator
from dalembert.model.friction import Rubbing
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.motion import Step
from dalembert.model.mechanism.vectors import Vector
from dalembert.model.mechanism.views import EULER
from dalembert.model.quantity import Quantity

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.table_reader import TableReader

Conditions = dict[str, Expr]
More = tuple[tuple[Vector, ...], tuple[Expr, ...]]


def difference_to(value: Expr) -> Callable[[Expr], Expr]:
    """Return the condition that a value equals another one."""
    return lambda wanted: value - wanted


@dataclass(frozen=True)
class Coordinate:
    """A relative coordinate of a pair, as springs and drives need it.

    value: as an expression. rate: its speed. equals: the condition, to vanish, that it has a value; the slope of this
    condition is the rate, so that its multiplier is the force or torque of a drive. cyclic: whether the condition is
    the same a full turn further.
    """

    value: Expr
    rate: Expr
    equals: Callable[[Expr], Expr] = field(compare=False)
    cyclic: bool = False


class Fit(NamedTuple):
    """A length in the assembled position, and what it must be; the entry that says so, and words if it is not."""

    length: Expr
    needed: Expr
    key: str
    words: Callable[[float, float], str]


class Stays(NamedTuple):
    """Lengths that must not change as the parts move; words if they do, made of the body that holds both ends."""

    lengths: tuple[Expr, ...]
    words: Callable[[str], str]


def is_angle(name: str) -> bool:
    """Tell whether a relative coordinate of this name is an angle; the others are lengths."""
    return name.startswith("angle")


def still(moves: Sequence[str]) -> dict[str, Expr]:
    """Return the coordinates of a pair that turn something, as they are where nothing turns: those a particle lacks."""
    return {key: se.Integer(key == EULER[0]) for key in moves if is_angle(key) or key in EULER}


class Rubs(NamedTuple):
    """How a pair rubs: a function of a joint and of sizes by name, those that it needs and those that it may take."""

    make: Callable[[Joint, Mapping[str, Expr]], Rubbing]
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pair:
    """A kind of joint.

    equations: markers and values -> conditions by name. coordinates: the same -> relative coordinates by name; that of
    an angle begins with `angle`.
    axis: what the axis of the pair is, with "!" in front if it must be given; None if it has none.
    values: names of further constants with their defaults; None for one that must be given.
    places: "shared" for one point in which both bodies meet, "apart" for two points, "origins" for two points that are
    the origins of the body frames unless they are given.
    point: a function of the same arguments: where the bodies touch, for reactions. Without one they act at the second
    point, or at both if these are "apart".
    read: reads what else the pair needs from its table; gets the table, the assembly and the markers.
    fits: of a joint, a length that must have a value once the parts are assembled.
    stays: of a joint, lengths that the other joints must keep as they are.
    moments: the conditions whose multipliers are moments; those of the others are forces.
    quantities: of a joint, what else can be asked of it along a motion, by name.
    moves, motion: the names of coordinates in which it can carry a body, and a function of the markers, of them and of
    the values of the pair: how it moves (`motion.py`). None if its second body never follows from its first.
    pulls: whether it can only pull its ends together, as a rope: its multipliers are then not positive.
    rubs: how it rubs, where it has friction (`rubbing.py`); None if that must be said. rolls: the conditions that
    nothing slips, which come and go where it has friction: its own sticking takes their place.
    along: whether its picture needs the direction of its axis, as that of a slide. drawn: of a joint, further points
    and constants on which its picture hangs.
    """

    kind: str
    dimensions: int
    equations: Callable[..., Conditions]
    coordinates: Callable[..., Mapping[str, Coordinate]] = lambda *markers, **values: {}
    axis: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    places: str = "shared"
    point: Callable[..., Vector] | None = None
    read: Callable[[TableReader, Assembly, Sequence[Marker]], dict[str, Any]] = lambda table, assembly, markers: {}
    fits: Callable[[Joint], Fit] | None = None
    stays: Callable[[Joint], Stays] | None = None
    moments: Sequence[str] = ()
    quantities: Callable[[Joint], Mapping[str, Quantity]] = lambda joint: {}
    moves: tuple[str, ...] = ()
    motion: Callable[..., Sequence[Step]] | None = None
    pulls: bool = False
    rubs: Rubs | None = None
    rolls: tuple[str, ...] = ()
    along: bool = False
    drawn: Callable[[Joint], More] | None = None

    @property
    def own(self) -> bool:
        """Whether it is one of the package."""
        return is_built_in(self.equations)


PAIRS: dict[int, dict[str, Pair]] = {2: {}, 3: {}}


def pair(
    kind: str, dimensions: int = 2, **rest: Any
) -> Callable[[Callable[..., Conditions]], Callable[..., Conditions]]:
    """Register a function of two markers as a kind of joint, for Python and for files read from then on.

    kind: its name. dimensions: 2 or 3.
    rest: what else a `Pair` has: `axis`, `values`, `coordinates`, `places`, `point`, `read`, `fits`, `stays`,
    `moments`, `quantities`, `moves`, `motion`, `pulls`, `rubs`, `rolls`,
    `along`, `drawn`.
    """
    if not isinstance(kind, str) or not NAME.fullmatch(kind):
        raise ModelError(f"a kind of joint is named by letters, digits and _, got {kind!r}")
    if dimensions not in PAIRS:
        raise ModelError(f"pair `{kind}`: dimensions are 2 or 3, got {dimensions!r}")

    def register(equations: Callable[..., Conditions]) -> Callable[..., Conditions]:
        present = PAIRS[dimensions].get(kind)
        if present is not None and present.own and not is_built_in(equations):
            raise ModelError(f"pair `{kind}` is there already; choose another name for your own")
        PAIRS[dimensions][kind] = Pair(kind, dimensions, equations, **rest)
        return equations

    return register


def is_built_in(equations: Callable[..., Conditions]) -> bool:
    """Tell whether a pair is one of the package."""
    return equations.__module__.startswith("dalembert.")


def rate(expr: Expr, *markers: Marker) -> Expr:
    """Differentiate an expression of the coordinates of some markers by time."""
    return rate_by(expr, ChainMap(*(marker.view.rates for marker in markers)))  # pyright: ignore


def rate_by(expr: Expr, speeds: Mapping[Expr, Expr]) -> Expr:
    """Differentiate an expression by time, whose coordinates have these velocities."""
    used = sorted((q for q in expr.free_symbols if q in speeds), key=str)
    return se.Add(*[expr.diff(q) * speeds[q] for q in used])


def plain(expr: Any) -> Expr:
    """Return what a pair gave, SymPy or SymEngine over plain symbols or a number, as SymEngine."""
    if is_sympy(expr):
        names = {symbol.name: symbol for symbol in expr.free_symbols if isinstance(symbol, sp.Symbol)}
        return Translator(names, ()).inward(expr)
    if not isinstance(expr, (se.Basic, int, float)):  # text would be evaluated
        raise ModelError(f"expected an expression of SymPy or SymEngine, got {type(expr).__name__}: {str(expr)[:40]}")
    return se.sympify(expr)
