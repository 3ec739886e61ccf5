"""The outcome of a motion as plain data: what JSON holds, and what is reported of its end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dalembert.arrays import Array
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.results.certificate.scales import points
from dalembert.results.contact_columns import final_contacts, impacts, impulses
from dalembert.results.friction_columns import final_friction
from dalembert.results.joint_forces import Joints

if TYPE_CHECKING:
    from dalembert.motion.events import Occurrence
    from dalembert.results.run import Run


def final_reactions(run: Run) -> dict[str, list[float]]:
    """Return the reaction of every constraint at the end, one value for each coordinate."""
    found = run.motion.kernels.reactions(*run.end, _last_parameters(run))
    names = [constraint.name for constraint in run.system.written.constraints if not constraint.steered]
    return {name: found[name].tolist()[: run.system.mechanical] for name in names}


def final_joints(run: Run, most: int | None = None) -> dict[str, dict[str, Any]]:
    """Return force and moment of joints and drives of a mechanism at the end; None if it is not determined.

    most: how many are wanted, the first ones; else all.
    """
    if not run._is_mechanism:
        return {}
    kernels = run.motion.kernels
    inputs = kernels.inputs(*run.end, _last_parameters(run))
    joints = Joints(cast(Mechanism, run.system), inputs, kernels.solved(inputs))
    found = {}
    for name in (*joints.mechanism.joints, *joints.mechanism.drives)[:most]:
        force = joints.force(name)
        values = {
            part: [None if math.isnan(x) else float(x) for x in np.atleast_1d(getattr(force, part))]
            for part in ("force", "moment", "point")
        }
        found[name] = {"on": force.on, **values}
    return found


def final_outputs(run: Run) -> dict[str, float | None]:
    """Return the outputs at the end by name; None of one that has no value there."""
    return _final(run, run.system.outputs)


def _final(run: Run, expressions: Mapping[str, Any]) -> dict[str, float | None]:
    found = run.resampled(run.motion.times[-1:]).evaluate(expressions)
    return {name: float(values[0]) if math.isfinite(values[0]) else None for name, values in found.items()}


def as_dict(run: Run) -> dict[str, Any]:
    """Return the outcome as JSON holds it."""
    f = run.motion.facts
    found = run.motion.kernels.accelerations(*run.end, _last_parameters(run))
    names = [constraint.name for constraint in run.system.written.constraints]
    drift = run.drift
    energy = None
    if drift is not None:
        energy = {"initial": float(drift.energy[0]), "final": float(drift.energy[-1])}
        energy["max_drift"] = float(np.abs(drift.values).max(initial=0.0))
    g, psi = run.motion.kernels.residuals(*points(run))
    return {
        "model": run.system.name,
        **{key: f[key] for key in ("status", "message", "form", "method", "keep", "steps", "evaluations")},
        "note": run.note,
        "build_s": f["build_s"],
        "wall_s": f["wall_s"],
        "final": run.final(),
        "residual": {
            "position": float(np.abs(g).max(initial=0.0)),
            "velocity": float(np.abs(psi).max(initial=0.0)),
        },
        "choices": [{"t": t, "coordinates": list(words)} for t, words in f["choices"]],
        "stabilisation": None if run.stabilisation is None else run.stabilisation.as_dict(),
        "energy": energy,
        "reactions": final_reactions(run),
        "joints": final_joints(run),
        "outputs": final_outputs(run),
        "velocities": _final(run, run.system.quasi_velocities),
        "controls": {name: float(values[-1]) for name, values in run.controls.items()},
        "friction": final_friction(run),
        "contacts": final_contacts(run),
        "impulses": impulses(run),
        "impacts": impacts(run),
        "events": [_event(event) for event in run.events],
        "undetermined": run.undetermined,
        "multipliers": dict(zip(names, np.asarray(found.multipliers).tolist(), strict=False)),
        "certificate": run.certificate.as_dict(),
    }


def _event(event: Occurrence) -> dict[str, Any]:
    """Return what happened, with the kinetic energy that a jump of velocities took."""
    found = {"t": event.t, "name": event.name, "kind": event.kind}
    return found | {"energy_lost": event.lost} if event.lost else found


def _last_parameters(run: Run) -> Array:
    return run.motion.changes[-1][1] if run.motion.changes else run.motion.parameters
