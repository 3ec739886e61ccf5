"""Bringing the parts of a mechanism together: how far bodies were moved for it, and which joint stays open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.building import Expr
from dalembert.model.mechanism.tables import GROUND
from dalembert.survey.given import at_level, given_values
from dalembert.survey.mechanism.closure import Closure
from dalembert.survey.mechanism.words import list_parts
from dalembert.survey.start import State, consistent_state

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
    fixed = at_level(mechanism, mechanism.initial, "position")
    state = consistent_state(mechanism, numeric, initial=fixed)
    notes = [note.text for note in moved(mechanism, numeric, state.q, mechanism.guess)]
    return State(state.t, state.q, state.v, state.names, (*notes, *state.notes))


def moved(mechanism: Mechanism, numeric: Numeric, q: Array, guess: Mapping[str, Expr]) -> list[Problem]:
    """Say how far bodies are from where they were placed."""
    near = given_values(numeric, guess)
    size = Closure(mechanism, numeric, q).size
    given = " with its initial values" if at_level(mechanism, mechanism.initial, "position") else ""
    notes = []
    for body in mechanism.bodies.values():
        if body.name == GROUND:
            continue
        places = [mechanism.coordinates.index(name) for name in body.coordinates]
        was, now = np.array([near.get(name, 0.0) for name in body.coordinates]), q[places]
        way = float(np.linalg.norm((now - was)[: mechanism.dimensions]))
        turn = _turn(was[mechanism.dimensions :], now[mechanism.dimensions :])
        parts = [f"moved by {way:.3g} m"] if way > MOVED * size else []
        parts += [f"turned by {math.degrees(turn):.3g}°"] if turn > MOVED else []
        if parts:
            text = f"to assemble the mechanism{given}, body `{body.name}` was {' and '.join(parts)}"
            notes.append(Problem(text, "note", key=("bodies", body.name)))
    return notes


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
    from scipy.optimize import least_squares

    owner = mechanism.owners
    parts = list(dict.fromkeys(owner[name] for name in names if owner[name][0] in ("joints", "drives")))
    if not parts:
        return None
    rows = [mechanism.constraints[i].name for i in numeric.holonomic]
    last = np.array([owner[name] == parts[-1] for name in rows])
    closure = Closure(mechanism, numeric, q)

    def weighted(x: Array) -> tuple[Array, Array]:
        residual, A, _ = numeric.position(t, x * closure.units)
        weight = np.where(last, 1.0, FIRM)
        return residual * weight, A.toarray() * closure.units * weight[:, None]

    def slopes(x: Array) -> Array:
        return weighted(x)[1]

    jac: Any = slopes  # SciPy's types say that it is a text
    left = least_squares(lambda x: weighted(x)[0], q / closure.units, jac).fun
    gap = _gap({name: value for name, value in zip(rows, left, strict=True) if owner[name] == parts[-1]})
    what, advice = mechanism.explain([name for name in rows if owner[name] == parts[-1]])
    around = list_parts(mechanism, rows, np.where(last, left, FIRM * left))  # those that are under tension
    when = f" at t = {t:g}" if t else ""
    text = f"{what}{when}: with the other parts of {around} closed it stays open by {gap} at best. "
    return Problem(f"{text}{advice}, or give a guess nearer to a solution", key=parts[-1])


def _gap(residuals: Mapping[str, float]) -> str:
    """Say how large residuals of a joint are, lengths and angles apart."""
    turns = [value for name, value in residuals.items() if name.split(".")[-1] in TURNS]
    ways = [value for name, value in residuals.items() if name.split(".")[-1] not in TURNS]
    words = [f"{np.linalg.norm(ways):.3g} m"] if np.linalg.norm(ways) > 0 else []
    if np.linalg.norm(turns) > 1e-9:
        words.append(f"{math.degrees(float(np.linalg.norm(turns))):.3g} degrees")
    return " and ".join(words) or "0 m"
