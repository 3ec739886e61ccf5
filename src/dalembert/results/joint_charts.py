"""The chart of forces and moments in the joints of a mechanism: of all their sizes, of named ones the components."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.document.symbols import words
from dalembert.errors import ModelError
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.results.joint_forces import JointForce
from dalembert.results.panels import Chart, Curve, Panel, PlotSource, busiest, chosen, undetermined
from dalembert.results.sites import elements

UNITS = {"force": "N", "moment": "N m"}
_NONE = 1e-6  # of the largest force, and of it times the largest arm: less is none


def joints(source: PlotSource, names: str | Sequence[str] | None) -> Chart:
    """Return forces and moments on the bodies that `run.joint` takes without being told another, in world axes."""
    mechanism = source.system
    if not isinstance(mechanism, Mechanism):
        raise ModelError("a system without bodies has no joints; draw its `reactions` or `multipliers`")
    parts = [*mechanism.joints, *mechanism.drives]
    known = [*parts, *elements(mechanism), *(name for name in mechanism.owners if name not in parts)]
    if not parts and names is None:
        raise ModelError("this mechanism has no joints and no drives")
    forces = [source.fine.joints.force(name) for name in chosen(names, known, "joint") or parts]
    least = _least(forces)
    panels = _sizes(source, forces, least) if names is None else _components(source, forces, least)
    return Chart("Forces in the joints", tuple(panels), (*source.notes, *undetermined(source)))


def _sizes(source: PlotSource, forces: Sequence[JointForce], least: dict[str, float]) -> list[Panel]:
    """Return a panel with the sizes of all forces, and one of all moments."""
    panels = []
    for part, unit in UNITS.items():
        curves = [
            Curve(force.names[0], words(f"{force.names[0]} on {force.on}"), source.reacting(_size(force, part)))
            for force in forces
            if _acts(force, part, least)
        ]
        shown, left_out = busiest(_known(curves))
        if shown:
            panels.append(source.panel(f"Size of the {part}s", unit, shown, left_out=left_out))
    return panels


def _components(source: PlotSource, forces: Sequence[JointForce], least: dict[str, float]) -> list[Panel]:
    """Return for each joint a panel of its force and one of its moment, where it has one."""
    panels = []
    for force in forces:
        acting = [part for part in UNITS if _acts(force, part, least)] or ["force"]
        for part in acting:
            curves = [
                Curve(key, words(key.removeprefix(part).strip() or part), source.reacting(values))
                for key, values in force.components.items()
                if key.startswith(part)
            ]
            if not _known(curves):
                continue
            title = f"{part.capitalize()} of {force.names[0]} on {force.on}"
            panels.append(source.panel(title, UNITS[part], _known(curves)))
    return panels


def _known(curves: Sequence[Curve]) -> list[Curve]:
    """Leave out curves of what is determined nowhere."""
    return [curve for curve in curves if np.any(np.isfinite(curve.values))]


def _size(force: JointForce, part: str) -> np.ndarray:
    return force.size if part == "force" else force.torque


def _acts(force: JointForce, part: str, least: dict[str, float]) -> bool:
    """Tell whether there is a force, or a moment, beyond rounding."""
    size = _size(force, part)
    return bool(np.isnan(size).any() or size.max(initial=0.0) > least[part])


def _least(forces: Sequence[JointForce]) -> dict[str, float]:
    """Return the force and the moment that count as something; a lever arm reaches from a joint to a centre of mass."""
    known = [float(np.nan_to_num(force.size).max(initial=0.0)) for force in forces]
    largest = _NONE * max(known, default=0.0)
    return {"force": largest, "moment": largest * (max((force.arm for force in forces), default=0.0) or 1.0)}
