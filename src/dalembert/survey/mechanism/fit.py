"""Bringing the parts of a mechanism together: how far bodies were moved for it, and which joint stays open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, numeric_of
from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.building import Expr
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.survey.initial_numbers import at_level, given_values
from dalembert.survey.mechanism.closure import Closure
from dalembert.survey.mechanism.easing import nearly_fitting
from dalembert.survey.mechanism.words import parts_of, shown_names
from dalembert.survey.start import State, consistent_state

if TYPE_CHECKING:
    from dalembert.model.mechanism.elements.base import Element
    from dalembert.model.mechanism.mechanism import Mechanism

TURNS = ("angle", "tilt_x", "tilt_y", "turn", "cross")  # conditions that are angles, or sines of angles
FIRM = 1e4  # how much more the joints weigh that are to be closed
FIT = 1e-6  # part by which a length may differ from what a joint needs
MOVED = 1e-6  # of the size of the mechanism, or radians: worth a word


def assemble(mechanism: Mechanism, guess: Mapping[Any, Any]) -> State:
    """Bring the bodies together from a guess."""
    for name in map(str, guess):
        if name not in mechanism.coordinates:
            raise ModelError(f"no coordinate `{name}`; {nearest(name, mechanism.coordinates, 'coordinates')}")
    mechanism = mechanism.replace(guess=guess)
    numeric = numeric_of(mechanism)
    fixed = at_level(mechanism, mechanism.initial, "position")
    state = consistent_state(mechanism, numeric, initial=fixed, explain=True)
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
        turn = _turn(was[mechanism.dimensions :], now[mechanism.dimensions :]) if body.view.turns else 0.0
        parts = [f"moved by {way:.3g} m"] if way > MOVED * size else []
        parts += [f"turned by {math.degrees(turn):.3g}°"] if turn > MOVED else []
        if parts:
            text = f"to assemble the mechanism{given}, body `{body.name}` was {' and '.join(parts)}"
            notes.append(Problem(text, "note", key=("bodies", body.name)))
    return notes


def misfits(mechanism: Mechanism, numeric: Numeric, state: State) -> list[Problem]:
    """Find lengths that are not what joints need, as the distance of the centres of gears."""
    found = []
    for joint in mechanism.joints.values():
        if joint.pair.fits is None:
            continue
        fit = joint.pair.fits(joint)
        length, needed = numeric.evaluate(numeric.program([fit.length, fit.needed]), state.t, state.q)
        if not abs(length - needed) <= FIT * (abs(length) + abs(needed)):
            found.append(Problem(fit.words(length, needed), key=("joints", joint.name, fit.key)))
    return found


def stretched(mechanism: Mechanism, numeric: Numeric, state: State) -> list[Problem]:
    """Name elements that are under load because their free length is that of the places as they are written."""
    if at_level(mechanism, mechanism.initial, "position"):
        return []  # the mechanism begins elsewhere than it was assembled
    found = []
    for section, name, element in _elements(mechanism):
        if element.from_places is None:
            continue
        what, *lengths = element.from_places
        now, free = numeric.evaluate(numeric.program(lengths), state.t, state.q)
        if abs(now - free) > MOVED * (abs(now) + abs(free)):
            text = f"the free {what} is left out and taken from the places as they are written, {free:.6g}; assembled"
            text += f" it is {now:.6g}: place the bodies where the joints hold them, or give `{what}`"
            found.append(Problem(text, "warning", key=(section, name)))
    return found


def _elements(mechanism: Mechanism) -> Iterator[tuple[str, str, Element]]:
    """Return all force elements, with their tables and names."""
    return ((section, name, element) for section, kept in mechanism.elements.items() for name, element in kept.items())


def _turn(was: Array, now: Array) -> float:
    """Return the angle between two orientations."""
    if len(was) == 1:
        return abs(float(now[0] - was[0]))
    along = abs(float(was @ now)) / (np.linalg.norm(was) * np.linalg.norm(now))
    return 2 * math.acos(min(1.0, along))


def open_joint(mechanism: Mechanism, numeric: Numeric, t: float, q: Array, names: list[str]) -> Problem | None:
    """Say which joint stays open if all others are closed; of several that contradict each other, the last one.

    If a drive has a part in it, it is this drive that cannot be followed. None if neither is among the conditions.
    """
    owner = mechanism.owners
    parts = list(dict.fromkeys(owner[name] for name in names if owner[name][0] in ("joints", "drives")))
    if not parts:
        return None
    left, tense = _stretched(mechanism, numeric, t, q, parts[-1])
    when = f" at t = {t:g}" if t else ""
    if drives := [name for name in tense if name in mechanism.drives]:
        left, tense = _stretched(mechanism, numeric, t, q, ("drives", drives[-1]))
        drives = [name for name in tense if name in mechanism.drives and name != drives[-1]] + drives[-1:]
        what, advice = explain_drives(mechanism, drives)
        return Problem(
            f"{what}{when}: `{drives[-1]}` is off by {_gap(left)} at best. {advice}", key=("drives", drives[-1])
        )
    what, advice = mechanism.explain(list(left))
    text = f"{what}{when}: with the other parts of {shown_names(tense)} closed it stays open by {_gap(left)} at best. "
    nearly = nearly_fitting(mechanism, numeric, t, q, tense)
    return Problem(text + (nearly or f"{advice}, or give a guess nearer to a solution"), key=parts[-1])


def _stretched(
    mechanism: Mechanism, numeric: Numeric, t: float, q: Array, part: tuple[str, str]
) -> tuple[dict[str, float], list[str]]:
    """Close all but one part; return how far its conditions are off, and the parts that are under tension."""
    from scipy.optimize import least_squares

    rows = [mechanism.constraints[i].name for i in numeric.holonomic]
    last = np.array([mechanism.owners[name] == part for name in rows])
    weight = np.where(last, 1.0, FIRM)
    closure = Closure(mechanism, numeric, q)

    def weighted(x: Array) -> tuple[Array, Array]:
        residual, A, _ = numeric.position(t, x * closure.units)
        return residual * weight, A.toarray() * closure.units * weight[:, None]

    def inclined(x: Array) -> Array:
        return weighted(x)[1]

    slopes: Any = inclined  # SciPy's types say that it is a text
    left = least_squares(lambda x: weighted(x)[0], q / closure.units, slopes).fun
    tense = parts_of(mechanism, rows, np.where(last, left, FIRM * left))
    return {name: value for name, value, open in zip(rows, left, last, strict=True) if open}, tense


def explain_drives(mechanism: Mechanism, names: Sequence[str]) -> tuple[str, str]:
    """Say in words that drives cannot be followed, and what to do."""
    shown = [f"`{name}` ({mechanism.drives[name].coordinate} of `{mechanism.drives[name].joint}`)" for name in names]
    if len(names) == 1:
        what = f"drive {shown[0]} asks for more than the joints allow"
        return what, "Check its motion there, the points and lengths, and where the bodies are placed"
    what = f"drives {', '.join(shown[:-1])} and {shown[-1]} cannot be followed together"
    try:
        freedom = mechanism.mobility().freedom
    except ModelError:  # the joints cannot be closed either
        freedom = len(mechanism.drives)
    if freedom < len(mechanism.drives):
        count = f"the mechanism has mobility {freedom}, and {len(mechanism.drives)} drives"
        return what, f"{count[0].upper()}{count[1:]}: keep {freedom}, or give the others the motions that follow"
    return what, "Give motions that the joints allow together, or remove one of the drives"


def _gap(residuals: Mapping[str, float]) -> str:
    """Say how large residuals of a joint are, lengths and angles apart."""
    turns = [value for name, value in residuals.items() if name.split(".")[-1] in TURNS]
    ways = [value for name, value in residuals.items() if name.split(".")[-1] not in TURNS]
    words = [f"{np.linalg.norm(ways):.3g} m"] if np.linalg.norm(ways) > 0 else []
    if np.linalg.norm(turns) > 1e-9:
        words.append(f"{math.degrees(float(np.linalg.norm(turns))):.3g} degrees")
    return " and ".join(words) or "0 m"
