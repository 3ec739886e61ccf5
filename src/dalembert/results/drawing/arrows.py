"""Arrows of forces: of the joints of a mechanism, or of all constraints at points whose places are coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import quoted
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.results.drawing.scene import ARROW, Mark, Stage
from dalembert.results.drawing.view import nice

if TYPE_CHECKING:
    from dalembert.results.run import Run

LONGEST = 0.22  # of the size of the view, for a force that is rarely exceeded
COMMON = 95  # per cent of the forces are not larger
CUT = 1.6  # longer arrows than this times the longest are cut
SMALL = 1e-6  # part of the largest force that is not drawn
ROUND = 1.6 * np.pi  # the arc of a moment that is rarely exceeded

Vectors = dict[str, tuple[Array, Array]]  # by name: points, and what acts there, one row for each frame


def with_reactions(scene: Stage, run: Run, inputs: Array) -> Stage:
    """Return the scene with the forces and moments of joints, or the reactions of constraints."""
    if isinstance(run.system, Mechanism):
        forces, moments, notes = _joint_forces(run.system, run, inputs)
        return _drawn(scene, forces, moments, notes, " N, joints on their second bodies")
    forces, notes = _point_forces(run, inputs)
    return _drawn(scene, forces, {}, notes, ", all constraints together")


def _joint_forces(mechanism: Mechanism, run: Run, inputs: Array) -> tuple[Vectors, Vectors, list[str]]:
    """Return force and moment of every joint on its second body."""
    from dalembert.results.joint_forces import Joints

    joints = Joints(mechanism, inputs, run.motion.kernels.solved(inputs))
    forces, moments, open_ones = {}, {}, []
    for name in mechanism.joints:
        found = joints.force(name)
        known = [part for part in (found.force, found.moment) if not np.any(np.isnan(part))]
        if len(known) < 2:
            open_ones.append(name)
        if not np.any(np.isnan(found.force)):
            forces[name] = found.point, found.force
        if not np.any(np.isnan(found.moment)):
            moments[name] = found.point, found.moment
    notes = []
    if open_ones:
        what = quoted(open_ones[:6]) + (" and others" if len(open_ones) > 6 else "")
        notes.append(f"not drawn, as it is not determined: what joints repeat of each other at {what}")
    return forces, moments, notes


def _point_forces(run: Run, inputs: Array) -> tuple[Vectors, list[str]]:
    """Return the sum of all reactions at the points whose places are coordinates themselves."""
    system, n = run.system, run.motion.kernels.n
    drawing = system.drawing
    index = {name: i for i, name in enumerate(system.coordinates)}
    forces: Vectors = {}
    if system.constraints and drawing is not None:
        t, q, v, parameters = np.split(inputs, [1, 1 + n, 1 + 2 * n], axis=1)
        reaction = run.motion.kernels.accelerations(t[:, 0], q, v, parameters).reaction
        named = {name: [str(entry) for entry in place] for name, place in drawing.points.items()}
        owned = {name: {entry for entry in entries if entry in index} for name, entries in named.items()}
        for name, entries in named.items():
            whole = all(entry in index or entry == "0" for entry in entries) and owned[name]
            if not whole or any(owned[name] < owned[other] for other in named):  # a shadow of another point
                continue
            columns = [index.get(entry, n) for entry in entries]
            at, value = (np.pad(part, ((0, 0), (0, 1)))[:, columns] for part in (q, reaction))
            forces[name] = at, value
    if forces:
        return forces, []
    why = "there are no constraints" if not system.constraints else "no point is given by coordinates, as P = [x, y]"
    return {}, [f"no reactions are drawn: {why}"]


def _drawn(scene: Stage, forces: Vectors, moments: Vectors, notes: list[str], what: str) -> Stage:
    """Add arrows with a scale that suits all of them, and say it."""
    marks, legend, size = list(scene.marks), list(scene.legend), scene.view.size
    largest = _common(forces)
    if largest > 0:
        length = LONGEST * size
        for point, force in forces.values():
            strength = np.linalg.norm(force, axis=1, keepdims=True)
            cut = np.minimum(1.0, CUT * largest / np.maximum(strength, 1e-300))
            arrow = np.where(strength > SMALL * largest, force * cut, 0.0) / largest * length
            marks.append(_arrow(np.stack([point, point + arrow], axis=1), "force"))
        shown = nice(0.6 * largest)
        legend.append(("force", f"{shown:g}{what}", float(shown / largest * length)))
    largest = _common(moments)
    if largest > SMALL * _common(forces) * size:
        for point, moment in moments.values():
            part = np.clip(moment / largest, -CUT, CUT)
            if moment.ndim == 1:
                marks.append(_arrow(_arc(point, np.where(abs(part) > SMALL, part, 0.0), 0.06 * size), "moment"))
            else:
                arrow = part * LONGEST * size
                marks.append(_arrow(np.stack([point, point + arrow], axis=1), "moment"))
        legend.append(("moment", f"moments up to {largest:.3g} N m", None))
    return replace(scene, marks=tuple(marks), legend=tuple(legend), notes=(*scene.notes, *notes))


def _arrow(points: Array, colour: str) -> Mark:
    return Mark("line", points, colour, ARROW, {"head": 1, "width": 2.4})


def _common(vectors: Vectors) -> float:
    """Return a size that is rarely exceeded."""
    sizes = [np.linalg.norm(np.atleast_2d(value.T), axis=0) for _, value in vectors.values()]
    return float(np.percentile(np.concatenate(sizes), COMMON)) if sizes else 0.0


def _arc(centre: Array, part: Array, radius: float, steps: int = 20) -> Array:
    """Return arcs about points in the plane, as far round as moments are large; positive ones counterclockwise."""
    angles = np.pi / 2 + np.clip(part, -1.15, 1.15)[:, None] * ROUND * np.linspace(0, 1, steps + 1)
    return centre[:, None] + radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
