"""Gears fit, or do not, in the position in which the joints hold their centres, not where bodies were placed."""

from __future__ import annotations

from typing import Any

import numpy as np
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


WHEEL = {"mass": 1, "inertia": 0.1}


def warnings_of(mechanism: Mechanism) -> list[str]:
    return [problem.text for problem in mechanism.check().problems if problem.severity == "warning"]


def pin(first: str, second: str, *at: float) -> dict[str, Any]:
    return {"kind": "revolute", "bodies": [first, second], "at": list(at)}


def epicyclic(**more: Any) -> Mechanism:
    """A sun of 24 mm, a planet of 18 mm on an arm, in a ring of 60 mm that is fixed."""
    bodies = {
        "sun": {"mass": 0.5, "inertia": 2e-4, "at": [0, 0], "spin": 35},
        "arm": {"mass": 1, "inertia": 1.5e-3, "at": [0, 0]},
        "planet": {"mass": 0.2, "inertia": 4e-5, "at": [0.042, 0]},
    }
    joints = {
        "S": pin("ground", "sun", 0, 0),
        "C": pin("ground", "arm", 0, 0),
        "P": pin("arm", "planet", 0.042, 0),
        "inner": {"kind": "gear", "bodies": ["sun", "planet"], "radii": [0.024, 0.018], **more},
        "outer": {
            "kind": "gear", "bodies": ["ground", "planet"], "radii": [0.06, 0.018], "internal": True,
            "points": [[0, 0], [0, 0]], **more,
        },
    }  # fmt: skip
    return Mechanism(bodies=bodies, joints=joints, gravity=[0, 0])


def test_a_carrier_that_was_forgotten_is_named():
    """With it the arm turns as Willis' formula says: sun/arm = 1 + ring/sun = 3.5."""
    first, second = warnings_of(epicyclic())
    assert first == second
    assert "turns or changes its length against the ground, which is its carrier as no other is named" in first
    assert "what is written is not that these wheels roll on each other" in first
    assert '`arm` holds both centres: write `carrier = "arm"`' in first
    named = epicyclic(carrier="arm")
    assert not warnings_of(named)
    run = named.simulate(0.2)
    assert np.allclose(run["phi_sun'"] / run["phi_arm'"], 3.5)


@pytest.mark.parametrize(
    ("joints", "bodies"),
    [
        ({}, {}),
        (
            {
                "S": {"kind": "prismatic", "bodies": ["ground", "slide"], "at": [0.5, 0], "axis": [0, 1]},
                "B": pin("slide", "b", 0.5, 0),
            },
            {"slide": WHEEL | {"at": [0.5, 0]}},
        ),
        ({"B": pin("a", "b", 0.5, 0)}, {}),
    ],
    ids=["free", "on a slide", "on the other wheel"],
)
def test_a_centre_that_nothing_holds_is_said(joints, bodies):
    gears = Mechanism(
        bodies={"a": WHEEL | {"at": [0, 0]}, "b": WHEEL | {"at": [0.5, 0]}, **bodies},
        joints={
            "A": pin("ground", "a", 0, 0),
            **joints,
            "G": {"kind": "gear", "bodies": ["a", "b"], "radii": [0.3, 0.2]},
        },
        gravity=[0, 0],
    )
    [text] = warnings_of(gears)
    assert "hold both centres by joints on the ground, or on one body that is the `carrier`" in text


def rack(height: float, **joints: Any) -> Mechanism:
    guide = {"kind": "prismatic", "bodies": ["ground", "r"], "at": [0, 0], "axis": [1, 0]}
    mesh = {"kind": "rack", "bodies": ["r", "p"], "radius": 0.1, "axis": [1, 0], "points": [[0, 0], [0, 0]]}
    bodies = {"r": WHEEL | {"at": [0, 0]}, "p": WHEEL | {"at": [0, height], "velocity": [0, 0 if joints else 1]}}
    return Mechanism(bodies=bodies, joints={"S": guide, "m": mesh, **joints}, gravity=[0, 0])


def test_a_pinion_that_nothing_holds_at_its_rack_is_said():
    [text] = warnings_of(rack(0.1))
    assert "the distance of the pinion from its rack changes as the parts move" in text
    assert "or write `rolling`, which keeps it at the line" in text


@pytest.mark.parametrize("height", [0.3, -0.3, 0.05])
def test_a_pinion_that_does_not_touch_its_rack_is_refused(height):
    held = rack(height, P=pin("ground", "p", 0, height))
    far = f"the centre of the pinion is {abs(height):g} m from the pitch line of the rack, and its radius is 0.1 m"
    with pytest.raises(ModelError, match=far):
        held.simulate(0.1)


@pytest.mark.parametrize("height", [0.1, -0.1])
def test_a_pinion_that_touches_its_rack_is_well(height):
    held = rack(height, P=pin("ground", "p", 0, height))
    assert held.check().ok and not warnings_of(held)
