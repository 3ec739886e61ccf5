"""What other joints must hold for a joint to mean what it says, as the centres of gears, in all positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import Problem
from dalembert.language.building import Expr
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.vectors import dot, sub, transpose
from dalembert.survey.configurations import Configuration
from dalembert.survey.mechanism.closure import extent

if TYPE_CHECKING:
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.mechanism import Mechanism

HELD = 1e-6  # of the size of the mechanism: by which a length that is held may differ between positions


def unheld(mechanism: Mechanism, numeric: Numeric, places: Sequence[Configuration]) -> list[Problem]:
    """Name the joints with lengths that must stay and do not; the first of the places is the assembled position."""
    found = []
    least = HELD * extent(mechanism, numeric, places[0].q)
    for joint in mechanism.joints.values():
        if joint.pair.stays is None:
            continue
        lengths, words = joint.pair.stays(joint)
        if _change(numeric, lengths, places) > least:
            text = words(_holder(mechanism, numeric, joint, places, least))
            found.append(Problem(text, "warning", key=("joints", joint.name)))
    return found


def _change(numeric: Numeric, lengths: Sequence[Expr], places: Sequence[Configuration]) -> float:
    """Return by how much the one that changes most does."""
    program = numeric.program(list(lengths))
    values: Array = np.array([numeric.evaluate(program, place.t, place.q) for place in places])
    return float(np.ptp(values, axis=0).max(initial=0.0))


def _holder(mechanism: Mechanism, numeric: Numeric, joint: Joint, places: Sequence[Configuration], least: float) -> str:
    """Return the body in which both ends of a joint stay where they are; empty if there is none."""
    for body in mechanism.bodies.values():
        if body.name in (GROUND, *joint.bodies) or not body.view.turns:
            continue
        ways = [sub(marker.place, body.view.q[: mechanism.dimensions]) for marker in joint.markers]
        axes = transpose(body.view.R)
        if _change(numeric, [dot(axis, way) for way in ways for axis in axes], places) <= least:
            return body.name
    return ""
