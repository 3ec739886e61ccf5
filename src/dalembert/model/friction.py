"""Friction: forces along what slides, as large as the load on it says; and sticking, where nothing slides.

With the sliding velocities γ, linear in v, the load N(λ) ≥ 0 and the law F(N, |γ|), sliding adds −F sign(γ) (∂γ/∂v)ᵀ to
the forces, or −F γ/‖γ‖ of several velocities. That is what formulas show. A motion has *modes* instead, further
parameters which only switch: `side` in place of sign(γ), `slide`, which is 1 while it slides, else 0, and `stick`, with
which the condition stick·γ = 0 holds by a multiplier of its own. So one set of equations, compiled once, slides and
sticks. Of several that stick and share a load as many conditions hold as are independent; the others `carry` a force,
or a `part` of their limits: all of it, where they can hold no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.language.building import Expr, choose, number, root, sign
from dalembert.language.calculus import ZERO, Calculus
from dalembert.language.state_names import is_integral
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.quantity import FORCE, SPEED, Quantity, multiplier, vector_length

if TYPE_CHECKING:
    from dalembert.model.stated import Stated

_DEPENDENT = 1e-9  # of the size of directions
_TINY = 1e-300  # so that where there is nothing at all nothing is left
LOAD, SPEED_NAME = se.Symbol("N"), se.Symbol("v")  # in laws
_OF_JOINTS = ("joint", "radius", "length")  # entries that mean nothing elsewhere


@dataclass(frozen=True)
class Rubbing:
    """What rubs: the sliding velocities, and the load on them; the second body slides on the first."""

    slips: tuple[Expr, ...]
    load: Expr


@dataclass(frozen=True)
class Friction:
    """Friction of one joint or constraint, with nothing left to be looked up.

    law: F(N, v) in the symbols `N` and `v`, the load and the speed. static: what sticking can hold, of `N`. viscous:
    times γ, a further force. smooth: a speed below which friction is rounded off, if it never sticks. moving: the
    coordinates. modes: whether these are switched by parameters.
    """

    name: str
    slips: tuple[Expr, ...]
    load: Expr
    law: Expr
    static: Expr
    viscous: Expr
    smooth: Expr | None
    moving: tuple[str, ...]
    modes: bool = False
    loaded: Expr | None = None  # of a contact: 1 while it is closed, else 0

    # --- modes -------------------------------------------------------------------------------------------------------

    @property
    def stick(self) -> Expr:
        """1 while it sticks by a condition, else 0."""
        return se.Symbol(f"stick {self.name}")

    @property
    def slide(self) -> Expr:
        """1 while it slides, else 0."""
        return se.Symbol(f"slide {self.name}")

    @property
    def sides(self) -> tuple[Expr, ...]:
        """The sign of the sliding velocity; of several, small ones that are added, and give a direction at rest."""
        if len(self.slips) == 1:
            return (se.Symbol(f"side {self.name}"),)
        return tuple(se.Symbol(f"side {k} {self.name}") for k in range(len(self.slips)))

    @property
    def carries(self) -> tuple[Expr, ...]:
        """Forces that it carries while others hold it."""
        return tuple(se.Symbol(f"carry {k} {self.name}") for k in range(len(self.slips)))

    @property
    def parts(self) -> tuple[Expr, ...]:
        """Parts of its limit that it carries besides."""
        return tuple(se.Symbol(f"part {k} {self.name}") for k in range(len(self.slips)))

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the conditions by which it sticks."""
        if len(self.slips) == 1:
            return (f"{self.name}.stick",)
        return tuple(f"{self.name}.stick_{k + 1}" for k in range(len(self.slips)))

    @property
    def held(self) -> tuple[Expr, ...]:
        """The forces by which it sticks, along the sliding velocities."""
        return tuple(own + part * self.limit for own, part in zip(self._own, self.parts, strict=True))

    @property
    def _own(self) -> tuple[Expr, ...]:
        """These without parts of the limit, which follow it."""
        return tuple(
            self.stick * multiplier(row) + carried for row, carried in zip(self.rows, self.carries, strict=True)
        )

    @property
    def limit(self) -> Expr:
        """What sticking can hold."""
        return self.static.xreplace({LOAD: self.load})

    @property
    def margin(self) -> Expr:
        """What passes zero downwards where the mode ends: the rest of the limit, or the speed in its direction.

        What carries all of its limit goes on with it. What others hold moves on with them once they do.
        """
        sliding = self.sides[0] * self.slips[0] if len(self.slips) == 1 else self.speed - self.slow
        rest = self.limit - vector_length(self._own)
        rests = self.limit * (1 - self.speed / self.slow)
        sticking = choose(ZERO, self.stick, True, rest, se.Min(rest, rests))
        found = choose(ZERO, self.slide, True, sliding, sticking)
        return found if self.loaded is None else choose(ZERO, self.loaded, True, found, se.RealDouble(_TINY))

    @property
    def beyond(self) -> Expr:
        """By how much it is where its mode cannot be: more force than sticking can hold, or speed against its side."""
        against = -self.sides[0] * self.slips[0] if len(self.slips) == 1 else ZERO  # at rest a speed has no side
        return choose(ZERO, self.slide, True, against, vector_length(self._own) - self.limit)

    @property
    def rest(self) -> Expr:
        """What part is left of the limit while it sticks, −1 at least beyond it; 0 of one that slides."""
        size = vector_length(self._own)  # the limit is below zero where a contact would have to pull
        return choose(ZERO, self.slide, True, ZERO, (self.limit - size) / (abs(self.limit) + size + _TINY))

    @property
    def slow(self) -> Expr:
        """The speed below which several sliding velocities have come to rest, or which what others hold has not."""
        return se.Symbol(f"slow {self.name}")

    @property
    def moves(self) -> Expr:
        """1 where several sliding velocities say themselves in which direction; 0 at rest, where they are rounding."""
        return se.Symbol(f"moves {self.name}")

    @property
    def mode_values(self) -> dict[str, float]:
        """The modes as parameters, sliding."""
        values = {self.stick.name: 0.0, self.slide.name: 1.0} | {side.name: 1.0 for side in self.sides}
        values |= {carried.name: 0.0 for carried in (*self.carries, *self.parts)}
        return {**values, self.slow.name: 0.0, self.moves.name: 1.0}

    # --- forces ------------------------------------------------------------------------------------------------------

    @property
    def speed(self) -> Expr:
        """The length of the sliding velocity."""
        return vector_length(self.slips)

    @property
    def sliding(self) -> tuple[Expr, ...]:
        """F with the direction of sliding, by sliding velocity."""
        one = len(self.slips) == 1
        if self.smooth is not None:
            size = self.size(self.speed)
            if one:
                return (size * se.tanh(self.slips[0] / self.smooth),)
            return tuple(size * slip / root(self.speed**2 + self.smooth**2) for slip in self.slips)
        if self.modes:
            slides = self.slide
            if one:
                return (slides * self.sides[0] * self.size(self.sides[0] * self.slips[0]),)
            leaning = [self.moves * slip + side for slip, side in zip(self.slips, self.sides, strict=True)]
            speed = vector_length(leaning)
            return tuple(slides * self.size(speed) * slip / speed for slip in leaning)
        if one:
            return (self.size(self.speed) * sign(self.slips[0]),)
        return tuple(self.size(self.speed) * slip / self.speed for slip in self.slips)

    def size(self, speed: Expr) -> Expr:
        """How large sliding friction is at a speed, without the viscous part."""
        return self.law.xreplace({SPEED_NAME: speed}).xreplace({LOAD: self.load})

    @property
    def tangents(self) -> tuple[Expr, ...]:
        """The forces along the sliding velocities, on what slides."""
        found = [-force - self.viscous * slip for force, slip in zip(self.sliding, self.slips, strict=True)]
        if not self.modes:
            return tuple(found)
        return tuple(force + held for force, held in zip(found, self.held, strict=True))

    def push(self, into: dict[str, list[Expr]]) -> None:
        """Add the forces on coordinates, those of sticking apart, which are reactions."""
        carried = [ZERO] * len(self.slips)
        if self.modes:
            carried = [own + part * self.limit for own, part in zip(self.carries, self.parts, strict=True)]
        for force, slip, more in zip(self.sliding, self.slips, carried, strict=True):
            for coordinate, direction in slopes(slip, self.moving).items():
                into.setdefault(coordinate, []).append((more - force - self.viscous * slip) * direction)

    # --- what can be asked of it -------------------------------------------------------------------------------------

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """Its load, the force along what slides, the sliding velocity, and whether it sticks."""
        one = len(self.slips) == 1
        found = {
            "normal": Quantity(lambda: self.load, FORCE),
            "tangent": Quantity(lambda: self.tangents[0] if one else vector_length(self.tangents), FORCE),
            "slip": Quantity(lambda: self.slips[0] if one else self.speed, SPEED),
            "status": Quantity(lambda: 1 - self.slide if self.modes else ZERO),
        }
        if not one:
            for k, (force, slip) in enumerate(zip(self.tangents, self.slips, strict=True), 1):
                found[f"tangent_{k}"] = Quantity(lambda force=force: force, FORCE)
                found[f"slip_{k}"] = Quantity(lambda slip=slip: slip, SPEED)
        return found


def slopes(slip: Expr, moving: Sequence[str]) -> dict[str, Expr]:
    """Return ∂γ/∂v by coordinate, without zeros."""
    calculus = Calculus([se.Symbol(f"{name}'") for name in moving])
    lifted = calculus.lift(slip)
    found = {v.name[:-1]: calculus.lower(calculus.diff(lifted, v)) for v in sorted(calculus.depends(lifted), key=str)}
    return {name: slope for name, slope in found.items() if slope != 0}


def is_linear(slip: Expr, moving: Sequence[str]) -> bool:
    """Tell whether a sliding velocity is linear in the velocities, and depends on one of them."""
    speeds = {se.Symbol(f"{name}'") for name in moving}
    found = slopes(slip, moving)
    return bool(found) and not any(slope.free_symbols & speeds for slope in found.values())


def depend(slips: Sequence[Expr], moving: Sequence[str], values: Mapping[Expr, float]) -> bool:
    """Tell whether the directions of several sliding velocities depend on each other; unknown values are any."""
    rows, some = [slopes(slip, moving) for slip in slips], np.random.default_rng(0)
    symbols = sorted({symbol for row in rows for slope in row.values() for symbol in slope.free_symbols}, key=str)
    known = {symbol: se.RealDouble(values.get(symbol, some.uniform(0.3, 1.3))) for symbol in symbols}
    found = [[number(row[name].xreplace(known)) if name in row else 0.0 for name in moving] for row in rows]
    if any(entry is None for row in found for entry in row):
        return False  # tables and functions of the model's own
    directions = np.array(found, dtype=float)
    directions = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), _TINY)
    return len(slips) > 1 and int(np.sum(np.linalg.svd(directions, compute_uv=False) > _DEPENDENT)) < len(slips)


def with_frictions(forces: Mapping[str, Expr], frictions: Sequence[Friction]) -> Mapping[str, Expr]:
    """Return forces by coordinate with those of friction."""
    found = {name: [force] for name, force in forces.items()}
    for friction in frictions:
        friction.push(found)
    return MappingProxyType({name: se.Add(*terms) for name, terms in found.items()})


@fact(STRUCTURE)
def frictions_of(system: Stated) -> Mapping[str, Friction]:
    """Return the friction of a system by name."""
    from dalembert.model.sections.friction import meant_friction

    kept = getattr(system, "sections", {}).get("friction", {})  # parts that are repeated have none
    if not kept:
        return {}
    moving = tuple(name for name in system.coordinates if not is_integral(name))
    joints = getattr(system, "joints", {})
    return {name: meant_friction(name, one, joints, system.observed.resolved, moving) for name, one in kept.items()}


def without_frictions(system: Stated) -> dict[str, Expr]:
    """Return the forces of a system by coordinate without those of friction."""
    return forces_without(system.forces, frictions_of(system).values())


def forces_without(forces: Mapping[str, Expr], frictions: Iterable[Friction]) -> dict[str, Expr]:
    """Take the forces of friction away again: they are terms that cancel."""
    pushed: dict[str, list[Expr]] = {}
    for friction in frictions:
        friction.push(pushed)
    return {name: se.Add(force, *[-term for term in pushed.get(name, ())]) for name, force in forces.items()}


def plain_frictions(system: Stated, change: Callable[[Expr], Expr]) -> dict[str, dict[str, Any]]:
    """Return the tables of friction with their expressions changed, and without joints: for other coordinates.

    What a joint says itself, its sliding velocities and its load, is written out.
    """
    found, changed = {}, lambda expr: change(system.observed.resolved(expr))
    for name, friction in frictions_of(system).items():
        entries = {key: value for key, value in system.sections["friction"][name].items() if key not in _OF_JOINTS}
        kept = {key: changed(value) if isinstance(value, se.Basic) else value for key, value in entries.items()}
        slips = [change(slip) for slip in friction.slips]
        kept["slip"] = slips[0] if len(slips) == 1 else slips
        if "constraint" not in kept or "normal" in kept:
            kept["normal"] = change(friction.load)
        found[name] = kept
    return found
