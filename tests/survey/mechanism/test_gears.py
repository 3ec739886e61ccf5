"""Gears fit, or do not, in the position in which the joints hold their centres, not where bodies were placed."""

from __future__ import annotations

from typing import Any

import pytest

from dalembert import Mechanism, ModelError


def planetary(at: list[float], **mesh: Any) -> Mechanism:
    """A planet on an arm that is 0.3 m long, round a sun; it is placed somewhere."""
    arm = {"mass": 1.3, "inertia": 0.11, "at": [0.15, 0], "points": {"O": [-0.15, 0], "P": [0.15, 0]}}
    bodies = {"arm": arm, "sun": {"mass": 2.1, "inertia": 0.07}, "planet": {"mass": 0.9, "inertia": 0.02, "at": at}}
    joints = {
        "A": {"kind": "revolute", "bodies": ["ground", "arm"], "points": [[0, 0], "O"]},
        "B": {"kind": "revolute", "bodies": ["ground", "sun"], "at": [0, 0]},
        "C": {"kind": "revolute", "bodies": ["arm", "planet"], "points": ["P", [0, 0]]},
        "mesh": {"kind": "gear", "bodies": ["sun", "planet"], "carrier": "arm", **mesh},
    }
    return Mechanism(bodies=bodies, joints=joints, gravity=[0, 0], loads={"M": {"body": "sun", "torque": 1.7}})


def tooth_force(mechanism: Mechanism) -> float:
    return float(mechanism.simulate(0.2).joint("mesh", on="planet").size[-1])


def test_radii_fit_where_the_joints_hold_the_centres():
    exact, rough = (planetary(at, radii=[0.1, 0.2]) for at in ([0.3, 0], [0.35, 0.01]))
    assert rough.check().ok
    assert tooth_force(rough) == pytest.approx(tooth_force(exact), rel=1e-9)


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        ({"radii": [0.1, 0.25]}, "the centres are 0.3 m apart, and the sum of the radii is 0.35 m"),
        ({"teeth": [20, 40]}, "placed with their centres 0.350143 m apart, .* but the joints hold them 0.3 m apart"),
    ],
)
def test_what_does_not_fit_is_refused(mesh, words):
    rough = planetary([0.35, 0.01], **mesh)
    assert not rough.check().ok
    with pytest.raises(ModelError, match=words):
        rough.simulate(0.1)


def test_teeth_fit_where_the_bodies_are_placed_well():
    assert tooth_force(planetary([0.3, 0], teeth=[20, 40])) == pytest.approx(
        tooth_force(planetary([0.3, 0], radii=[0.1, 0.2])), rel=1e-9
    )


def test_a_free_length_from_places_that_the_assembly_changes_is_named():
    bodies = {"arm": {"mass": 1.2, "inertia": 0.1, "at": [0.52, 0.03]}}
    joints = {"A": {"kind": "revolute", "bodies": ["ground", "arm"], "points": [[0, 0], [-0.5, 0]]}}
    spring = {"bodies": ["ground", "arm"], "points": [[0, 1], [0, 0]], "stiffness": 90.0}
    given = {"bodies": bodies, "joints": joints}
    [text] = [p.text for p in Mechanism(**given, springs={"S": spring}).check().problems if p.severity == "warning"]
    assert "the free length is left out and taken from the places as they are written" in text
    assert not [
        p
        for p in Mechanism(**given, springs={"S": spring | {"length": 1.0}}).check().problems
        if p.severity == "warning"
    ]
