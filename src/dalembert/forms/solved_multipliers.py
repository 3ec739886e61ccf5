"""Multipliers in forces as formulas: solved for, branch by branch, where forces are linear in them between switches.

The reactions of a system are formulas of t, q, v and, where forces depend on multipliers, of these: λ = F(λ). On each
side of a switch, as of abs(λ), F is often linear, F = F₀ + S λ, so that λ = (1 − S)⁻¹F₀ there; else the equation stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import symengine as se

from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import total
from dalembert.algebra.writing.numerals import figures
from dalembert.blocks.law import branches_of, slopes_of
from dalembert.forms.pen import Pen
from dalembert.forms.prepared import Scene
from dalembert.language.building import Expr, choose
from dalembert.language.calculus import ONE, ZERO
from dalembert.language.printing import to_text

_BRANCHES = 4  # that a person reads
_READ = 150  # operations of all of them; the equation is shorter
_TOGETHER = 2  # multipliers that are solved for together


@dataclass(frozen=True)
class SolvedMultipliers:
    """The multipliers in forces by their symbols; `notes` say where there is one solution, or what is to be solved.

    right: F, of those that could not be solved for: equations for them.
    """

    values: dict[Expr, Expr]
    notes: list[str]
    right: dict[Expr, Expr] = field(default_factory=dict)


def solved_multipliers(scene: Scene, right: dict[Expr, Expr], readable: bool) -> SolvedMultipliers:
    """Solve λ = F(λ); `right` is F by the symbols of multipliers, `readable` tells whether it is short enough."""
    symbols = list(right)
    try:
        found = _solved(scene, symbols, list(right.values())) if readable and len(symbols) <= _TOGETHER else None
    except TooLarge:
        found = None
    if found is not None:
        return found
    names = " and ".join(map(str, symbols))
    if len(symbols) == 1:
        note = f"{names}: its formula under multipliers contains it again; that is the equation that determines it"
    else:
        note = f"{names}: their formulas under multipliers contain them again; these equations determine them together"
    right = {symbol: _short(scene, expr) for symbol, expr in right.items()} if readable else right
    return SolvedMultipliers({}, [note], right)


def _solved(scene: Scene, symbols: Sequence[Expr], right: Sequence[Expr]) -> SolvedMultipliers | None:
    branches: list[tuple[list[Expr], list[Expr], Expr]] = []  # conditions, λ, and what must be positive
    for sides, here in branches_of(right, symbols):
        slopes = slopes_of(here, symbols)
        linear = not any(slope.free_symbols & {*symbols} for slope in slopes.values())
        if len(branches) == _BRANCHES or not linear:
            return None
        free = [expr.xreplace(dict.fromkeys(symbols, ZERO)) for expr in here]
        values, determinant = _linear(slopes, free)
        known = dict(zip(symbols, values, strict=True))
        if len(symbols) == 1:  # where the determinant is positive, λ has the sign that it would have without it
            plain = [side for side in sides if side in (symbols[0], -symbols[0])]
            if len(plain) == len(sides):
                known = {symbols[0]: free[0]}
        branches.append(([side.xreplace(known) for side in sides], values, determinant))
    written = [([_short(scene, c) for c in sides], [_short(scene, v) for v in values]) for sides, values, _ in branches]
    found: dict[Expr, Expr] = {}
    for i, symbol in enumerate(symbols):
        value = written[-1][1][i]
        for sides, values in reversed(written[:-1]):
            value = choose(ZERO, se.Min(*sides) if len(sides) > 1 else sides[0], False, values[i], value)
        found[symbol] = value
    if total(found.values()) > _READ:
        return None
    positive = [_short(scene, determinant) for *_, determinant in branches]
    texts = dict.fromkeys(to_text(figures(expr)) for expr in positive if expr.free_symbols)
    names = " and ".join(map(str, symbols))
    held = {scene.fresh("lambda", one.name) for one in scene.system.constraints if one.steered}
    sign = "is not 0" if held.issuperset(symbols) else "> 0"  # controls are no friction: they may push either way
    note = f"{names}: one solution where {' and '.join(f'{text} {sign}' for text in texts)}"
    return SolvedMultipliers(found, [note] if texts else [])


def _linear(slopes: dict[tuple[int, int], Expr], free: Sequence[Expr]) -> tuple[list[Expr], Expr]:
    """Solve (1 − S) λ = F₀ of one or two unknowns; return the determinant too."""
    S = [[slopes.get((i, j), ZERO) for j in range(len(free))] for i in range(len(free))]
    if len(free) == 1:
        determinant = ONE - S[0][0]
        return [free[0] / determinant], determinant
    (a, b), (c, d) = (ONE - S[0][0], -S[0][1]), (-S[1][0], ONE - S[1][1])
    determinant = a * d - b * c
    return [(d * free[0] - b * free[1]) / determinant, (a * free[1] - c * free[0]) / determinant], determinant


def _short(scene: Scene, expr: Expr) -> Expr:
    residuals = [residual for residual in (*scene.blocks.g, *scene.blocks.psi) if residual is not None]
    return Pen(scene, [expr], residuals=residuals).value(expr)
