"""Bringing the parts of a mechanism together: how far bodies were moved for it, and which joint stays open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import least_squares

from dalembert.algebra.types import Array
from dalembert.errors import ModelError, Problem, nearest
from dalembert.model.functions import Expr
from dalembert.model.mechanism.closure import Closure
from dalembert.model.mechanism.tables import GROUND
from dalembert.model.mechanism.words import list_parts, owners
from dalembert.model.numeric import Numeric
from dalembert.model.start import State, consistent_state, given_values

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

TURNS = ("angle", "tilt_x", "tilt_y", "turn", "cross")  # conditions that are angles, or sines of angles
FIRM = 1e4  # how much more the joints weigh that are to be closed
MOVED = 1e-6  # of the size of the mechanism, or radians: worth a word


def assemble(mechanism: Mechanism, guess: Mapping[Any, Any]) -> State:
    """Bring the bodies together from a guess."""
    for name in map(str, guess):
        if name not in mechanism.coordinates:
            raise ModelError(f"no coordinate `{name}`; {nearest(name, mechanism.coordinates, 'coordinates')}")
    mechanism = mechanism.replace(guess=guess)
    numeric = Numeric(mechanism)
    fixed = {name: value for name, value in mechanism.initial.items() if not name.endswith("'")}
    state = consistent_state(mechanism, numeric, initial=fixed)
    notes = (*moved(mechanism, numeric, state.q, mechanism.guess), *state.notes)
    return State(state.t, state.q, state.v, state.names, notes)


def moved(mechanism: Mechanism, numeric: Numeric, q: Array, guess: Mapping[str, Expr]) -> list[str]:
    """Say how far bodies are from where they were placed."""
    near = given_values(numeric, guess)
    size = Closure(mechanism, numeric, q).size
    words = []
    for body in mechanism.bodies.values():
        if body.name == GROUND:
            continue
        places = [mechanism.coordinates.index(name) for name in body.coordinates]
        was, now = np.array([near.get(name, 0.0) for name in body.coordinates]), q[places]
        way = float(np.linalg.norm((now - was)[: mechanism.dimensions]))
        turn = _turn(was[mechanism.dimensions :], now[mechanism.dimensions :])
        parts = [f"{way:.3g} m"] if way > MOVED * size else []
        parts += [f"{math.degrees(turn):.3g} degrees"] if turn > MOVED else []
        if parts:
            words.append(f"`{body.name}` by {' and '.join(parts)}")
    if not words:
        return []
    shown = ", ".join(words[:6]) + (f" and {len(words) - 6} more" if len(words) > 6 else "")
    return [f"to close the joints, bodies were moved from where they are placed: {shown}"]


def _turn(was: Array, now: Array) -> float:
    """Return the angle between two orientations."""
    if len(was) == 1:
        return abs(float(now[0] - was[0]))
    along = abs(float(was @ now)) / (np.linalg.norm(was) * np.linalg.norm(now))
    return 2 * math.acos(min(1.0, along))


def open_joint(mechanism: Mechanism, numeric: Numeric, t: float, q: Array, names: list[str]) -> Problem | None:
    """Say which joint stays open if all others are closed; of several that contradict each other, the last one.

    A drive that cannot be followed is told in the same way. None if neither is among the conditions.
    """
    owner = owners(mechanism)
    parts = list(dict.fromkeys(owner[name] for name in names if owner[name][0] in ("joint", "drive")))
    if not parts:
        return None
    what, part = parts[-1]
    rows = [mechanism.constraints[i].name for i in numeric.holonomic]
    last = np.array([owner[name] == parts[-1] for name in rows])
    closure = Closure(mechanism, numeric, q)

    def weighted(x: Array) -> tuple[Array, Array]:
        residual, A, _ = numeric.position(t, x * closure.units)
        weight = np.where(last, 1.0, FIRM)
        return residual * weight, A.toarray() * closure.units * weight[:, None]

    left = least_squares(lambda x: weighted(x)[0], q / closure.units, lambda x: weighted(x)[1]).fun
    gap = _gap({name: value for name, value in zip(rows, left, strict=True) if owner[name] == parts[-1]})
    when = f" at t = {t:g}" if t else ""
    if what == "joint":
        title = f"joint `{part}` ({mechanism.joints[part].kind}) stays open by {gap}"
        text = f"the parts cannot be assembled{when}: with the others closed, {title} at the best position found. "
    else:
        text = f"drive `{part}` cannot be followed{when}: with all joints closed it is off by {gap} at best. "
    around = list_parts(mechanism, rows, np.where(last, left, FIRM * left))  # those that are under tension
    text += f"Check the lengths and places around {around}, or give a guess nearer to a solution"
    return Problem(text, key=(f"{what}s", part))


def _gap(residuals: Mapping[str, float]) -> str:
    """Say how large residuals of a joint are, lengths and angles apart."""
    turns = [value for name, value in residuals.items() if name.split(".")[-1] in TURNS]
    ways = [value for name, value in residuals.items() if name.split(".")[-1] not in TURNS]
    words = [f"{np.linalg.norm(ways):.3g} m"] if np.linalg.norm(ways) > 0 else []
    if np.linalg.norm(turns) > 1e-9:
        words.append(f"{math.degrees(float(np.linalg.norm(turns))):.3g} degrees")
    return " and ".join(words) or "0 m"
