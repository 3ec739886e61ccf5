"""From a system and its states to a scene."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import parameter_values
from dalembert.characters import visible
from dalembert.document.palette import BODIES
from dalembert.errors import ModelError, nearest
from dalembert.language.building import TIME, number
from dalembert.model.drawing import Drawing, Place
from dalembert.model.mechanism.default_drawing import draw
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.system import System
from dalembert.results.drawing import contacts, elements, joints, lines, wheels
from dalembert.results.drawing.parts import PartMarks
from dalembert.results.drawing.scene import Stage, Trace, evaluate
from dalembert.survey.start import State

DRAWN = (contacts, elements, joints, wheels)  # they know how the parts of mechanisms are drawn
LABELS = 40  # more points than this are drawn without their names
NOTHING = 'nothing to draw: name some points in [draw.points], as in P = ["x", "y"]'


def still(system: System, state: State) -> Stage:
    """Return a system at one state."""
    row = [state.t, *state.q, *state.v, *parameter_values(system, {})]
    return build(system, np.array([row]))


def build(system: System, inputs: Array, trace: Sequence[str] = ()) -> Stage:
    """Return the scene of a system at states, one row of t, q, v and parameters for each frame."""
    drawing = system.drawing
    if drawing is None or not drawing.points:
        raise ModelError(NOTHING)
    known = _known(system, drawing)
    unknown = [name for name in trace if name not in known.points]
    if unknown:
        raise ModelError(f"no point `{unknown[0]}` to trace; {nearest(str(unknown[0]), list(known.points), 'points')}")
    places = evaluate(system, known, inputs)
    own = {name: places.points[name] for name in drawing.points}
    up = _up(system)
    parts = PartMarks(places, up) if drawing.shapes else None
    found = parts.marks() if parts else []
    if not drawing.shapes:
        moves = {*system.coordinates, TIME}
        fixed = {name for name, place in drawing.points.items() if moves.isdisjoint(_symbols(place))}
        found = lines.marks(drawing, places, fixed)
    traces = tuple(Trace(name, places.points[name], f"series{k % BODIES}") for k, name in enumerate(trace))
    shown = drawing.shown if len(drawing.shown) <= LABELS else ()
    return Stage(
        visible(system.name or ""),
        inputs[:, 0],
        tuple(sorted(found, key=lambda mark: mark.layer)),
        {name: own[name] for name in shown},
        traces,
        up,
        parts.floor if parts else None,
        tuple((curve.colour, f"way of {curve.name}", None) for curve in traces),
    )


def _known(system: System, drawing: Drawing) -> Drawing:
    """Return the drawing with all points that can be named; of a mechanism its joints and bodies, drawn or not."""
    if not isinstance(system, Mechanism) or drawing.shapes:
        return drawing
    elements = [element for section in system.elements.values() for element in section.values()]
    made = draw(system.bodies, system.joints, system.drives.values(), elements, system.sections.get("contacts", {}))
    if made is None or len(next(iter(made.points.values()))) != len(next(iter(drawing.points.values()))):
        return drawing
    return Drawing({**made.points, **drawing.points}, circles=drawing.circles)


def _symbols(place: Place) -> set[str]:
    return {symbol.name for entry in place for symbol in entry.free_symbols}


def _up(system: System) -> Array:
    """Return which way is up: against gravity, if it is along an axis; else along z."""
    if isinstance(system, Mechanism) and system.dimensions == 3:
        values = {name: value for name, value in system.parameters.items() if value is not None}
        gravity = np.array([float(number(g.subs(values)) or 0.0) for g in system.gravity])
        size = np.abs(gravity).max()
        if size > 0 and np.count_nonzero(np.abs(gravity) > 1e-9 * size) == 1:
            return -gravity / size
    return np.array([0.0, 0.0, 1.0])
