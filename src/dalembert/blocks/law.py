"""Forces that depend on multipliers, ρ(q, v, t, λ), reduced to what has to be solved together.

Few multipliers stand in ρ, and it acts on few coordinates, its *channels*. With φ for ρ on the channels, λ₀ what these
multipliers are without it, and L how they change with unit forces on the channels,

    λ = λ₀ + L φ(θ, λ)

is all that is new; θ are the parts of φ in which no multiplier stands. Between the places where it switches (abs, sign,
step, if, min, max of multipliers) φ is often linear. Then each of its *branches* is solved for λ, and those count whose
conditions hold: one, or none, or several, as in Painlevé's paradox.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import symengine as se

from dalembert.language.building import IF_LESS, IF_LESS_EQUAL, STEP, Expr
from dalembert.language.calculus import ONE, ZERO, Calculus
from dalembert.language.functions import function_of
from dalembert.language.walk import fold, rebuild
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.quantity import multiplier, multipliers_in

if TYPE_CHECKING:
    from dalembert.blocks.symbolic import Blocks
    from dalembert.model.system import System

MOST_BRANCHES = 256  # 2⁸, as many as are tried


@dataclass(frozen=True)
class LawBranch:
    """φ = offsets + slopes λ, as it is where all of `sides`, in θ and λ, are positive; slopes by (channel, λ)."""

    sides: tuple[Expr, ...]
    offsets: tuple[Expr, ...]
    slopes: Mapping[tuple[int, int], Expr]


@dataclass(frozen=True)
class Law:
    """ρ on few coordinates.

    rows: the constraints whose multipliers stand in it. channels: the coordinates on which it acts. symbols: of these
    multipliers. phi: ρ by channel, in these and in `places`, the symbols of θ; parts: what these stand for. rests: what
    must not be below zero where a solution counts, in these and `further` multipliers, of the constraints `beside`.
    """

    rows: tuple[int, ...]
    channels: tuple[int, ...]
    symbols: tuple[Expr, ...]
    phi: tuple[Expr, ...]
    places: tuple[Expr, ...]
    parts: tuple[Expr, ...]
    rests: tuple[Expr, ...] = ()
    beside: tuple[int, ...] = ()
    further: tuple[Expr, ...] = ()

    @cached_property
    def slopes(self) -> dict[tuple[int, int], Expr]:
        """∂φ/∂λ by (channel, λ), without zeros; where φ switches, that of one side."""
        return slopes_of(self.phi, self.symbols)

    @cached_property
    def gathered(self) -> tuple[Law, dict[tuple[int, int], Expr]]:
        """The law by what its forces are multiples of, |λ| most often, and these by (channel, multiple of it), in θ."""
        kinds: dict[Expr, int] = {}
        directions: dict[tuple[int, int], Expr] = {}
        follows = frozenset(self.symbols)
        for k, expr in enumerate(self.phi):
            for term in expr.args if expr.is_Add else (expr,):
                factors = term.args if term.is_Mul else (term,)
                kind = se.Mul(*[factor for factor in factors if factor.free_symbols & follows])
                apart = se.Mul(*[factor for factor in factors if not factor.free_symbols & follows])
                place = (k, kinds.setdefault(kind, len(kinds)))
                directions[place] = directions.get(place, ZERO) + apart
        return replace(self, channels=(), phi=tuple(kinds)), directions

    @cached_property
    def only_bends(self) -> bool:
        """Whether it switches by abs, max and min alone, none inside another: then it does not jump."""
        symbols = frozenset(self.symbols)
        nodes = list(_switching(self.phi, symbols))
        inner = [u for node in nodes for u in node.args]
        bends = all(isinstance(node, (se.Abs, se.Max, se.Min)) for node in nodes)
        return bends and next(_switching(inner, symbols), None) is None

    @cached_property
    def branches(self) -> tuple[LawBranch, ...]:
        """The branches of a law that is linear between few switches; none of any other."""
        found: list[LawBranch] = []
        for sides, phi in branches_of(self.phi, self.symbols):
            slopes = slopes_of(phi, self.symbols)
            if len(found) == MOST_BRANCHES or any(e.free_symbols & {*self.symbols} for e in slopes.values()):
                return ()
            offsets = tuple(_at_zero(expr, self.symbols) for expr in phi)
            found.append(LawBranch(sides, offsets, slopes))
        return tuple(found)


@fact(STRUCTURE)
def law_of(system: System) -> Law | None:
    """Return the law by which forces of a system depend on its multipliers; None if they do not."""
    if not system.followed:
        return None
    return reduced_law(system.blocks, [constraint.name for constraint in system.constraints])


def reduced_law(blocks: Blocks, constraints: Sequence[str], rests: Sequence[Expr] = ()) -> Law | None:
    """Reduce ρ of some blocks to what has to be solved together; rests: what has to be above zero, see `Law`."""
    if not blocks.rho:
        return None
    used = multipliers_in(*blocks.rho.values())
    rows = tuple(i for i, name in enumerate(constraints) if name in used)
    symbols = tuple(multiplier(constraints[i]) for i in rows)
    places: dict[Expr, Expr] = {}  # what stands apart, and its symbol
    phi = tuple(_apart(expr, frozenset(symbols), places) for expr in blocks.rho.values())
    rests = [rest for rest in rests if rest.free_symbols & {*symbols}]  # others do not tell solutions apart
    named = multipliers_in(*rests)
    beside = tuple(i for i, name in enumerate(constraints) if name in named and name not in used)
    further = tuple(multiplier(constraints[i]) for i in beside)
    apart = tuple(_apart(rest, frozenset([*symbols, *further]), places) for rest in rests)
    return Law(rows, tuple(blocks.rho), symbols, phi, tuple(places.values()), tuple(places), apart, beside, further)


def slopes_of(phi: Sequence[Expr], symbols: Sequence[Expr]) -> dict[tuple[int, int], Expr]:
    """Return the derivatives that are not zero."""
    calculus = Calculus(symbols)
    lifted = [calculus.lift(expr) for expr in phi]
    found = {
        (k, i): calculus.lower(calculus.diff(expr, symbol))
        for k, expr in enumerate(lifted)
        for i, symbol in enumerate(symbols)
        if symbol in calculus.depends(expr)
    }
    return {place: slope for place, slope in found.items() if slope != 0}


def _apart(expr: Expr, symbols: frozenset[Expr], places: dict[Expr, Expr]) -> Expr:
    """Put symbols in the place of all in which none of some symbols stands."""

    def place(part: Expr) -> Expr:
        if part.is_Number:
            return part
        return places.setdefault(part, se.Symbol(f"theta {len(places)}"))

    def combine(node: Expr, parts: list[Expr]) -> Expr:
        if not node.free_symbols & symbols:
            return node
        if not (node.is_Add or node.is_Mul):
            return rebuild(node, [p if p.free_symbols & symbols else place(p) for p in parts])
        apart = [part for part in node.args if not part.free_symbols & symbols]
        follow = [p for part, p in zip(node.args, parts, strict=True) if part.free_symbols & symbols]
        return node.func(*follow, *([place(node.func(*apart))] if apart else []))

    found = fold(expr, combine)
    return found if found.free_symbols & symbols else place(found)


def _at_zero(expr: Expr, symbols: Sequence[Expr]) -> Expr:
    return expr.xreplace(dict.fromkeys(symbols, ZERO))


# --- branches --------------------------------------------------------------------------------------------------------


def branches_of(phi: Sequence[Expr], symbols: Iterable[Expr]) -> Iterator[tuple[tuple[Expr, ...], list[Expr]]]:
    """Return the sides of each branch, and what expressions are there: one switch after the other."""
    stack: list[tuple[tuple[Expr, ...], list[Expr]]] = [((), list(phi))]
    symbols = frozenset(symbols)
    while stack:
        sides, here = stack.pop()
        node = next(iter(_switching(here, symbols)), None)
        if node is None:
            yield sides, here
            continue
        for side, value in reversed(_sides(node)):
            stack.append(((*sides, side), [expr.xreplace({node: value}) for expr in here]))


def _switching(phi: Sequence[Expr], symbols: frozenset[Expr]) -> Iterator[Expr]:
    """Return the functions that switch with some symbols, the innermost first."""
    seen: set[Expr] = set()
    for expr in phi:
        order: list[Expr] = []
        fold(expr, lambda node, parts, order=order: order.append(node))
        for node in order:
            if node not in seen and (decides := _deciding(node)) and any(u.free_symbols & symbols for u in decides):
                yield node
            seen.add(node)


def _deciding(node: Expr) -> list[Expr]:
    """Return what passes zero where a function switches; nothing of one that does not."""
    function = function_of(node) if node.args else None
    return list(function.switches(*node.args)) if function is not None and function.switches is not None else []


def _sides(node: Expr) -> list[tuple[Expr, Expr]]:
    """Return what is positive on either side of a switch, and what the function is there."""
    args = node.args
    if isinstance(node, (se.Max, se.Min)):
        a, b, *rest = args
        kind = node.func
        above = a - b if isinstance(node, se.Max) else b - a
        return [(above, kind(a, *rest) if rest else a), (-above, kind(b, *rest) if rest else b)]
    if isinstance(node, se.Abs):
        return [(args[0], args[0]), (-args[0], -args[0])]
    if isinstance(node, se.sign):
        return [(args[0], ONE), (-args[0], -ONE)]
    name = node.get_name()
    if name == STEP:
        return [(args[0], ONE), (-args[0], ZERO)]
    if name in (IF_LESS, IF_LESS_EQUAL):
        return [(args[1] - args[0], args[2]), (args[0] - args[1], args[3])]
    raise ValueError(f"`{name}` switches in a way that is not known")
