"""Gears and ropes, of which the conditions look at more than two bodies, move in the same way in all coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism
from tests.coordinates.same import differences


def pin(first: str, second: str, *at: float) -> dict:
    return {"kind": "revolute", "bodies": [first, second], "at": list(at)}


def guide(second: str, *at: float) -> dict:
    return {"kind": "prismatic", "bodies": ["ground", second], "at": list(at), "axis": [0, 1]}


def wheel(mass: float, inertia: float, *at: float, **more) -> dict:
    return {"mass": mass, "inertia": inertia, "at": list(at), **more}


def drum(body: str, radius: float, side: str) -> dict:
    return {"body": body, "point": [0, 0], "radius": radius, "side": side}


TRAIN = Mechanism(  # three gears on the ground, a weightless crank on the last one drives a slider
    bodies={
        "a": wheel(1, 0.02, 0, 0, spin=5),
        "b": wheel(2, 0.05, 0.3, 0),
        "c": wheel(1.5, 0.03, 0.3, 0.35),
        "piston": wheel(1, 0.01, 1.1, 0.35),
        "rod": wheel(0.5, 0.02, 0.75, 0.35),
    },
    joints={
        "A": pin("ground", "a", 0, 0),
        "B": pin("ground", "b", 0.3, 0),
        "C": pin("ground", "c", 0.3, 0.35),
        "ab": {"kind": "gear", "bodies": ["a", "b"], "radii": [0.1, 0.2]},
        "bc": {"kind": "gear", "bodies": ["b", "c"], "radii": [0.2, 0.15]},
        "D": pin("c", "rod", 0.4, 0.35),
        "E": pin("rod", "piston", 1.1, 0.35),
        "F": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": [1.1, 0.35], "axis": [1, 0]},
    },
)
PLANETARY = Mechanism(  # sun, two planets on an arm, a ring: driven sun, damped arm
    bodies={
        "sun": wheel(1, 0.01, 0, 0, spin=8),
        "arm": wheel(0.7, 0.05, 0, 0),
        "planet": wheel(0.5, 0.002, 0.2, 0),
        "other": wheel(0.5, 0.002, -0.2, 0),
        "ring": wheel(2, 0.2, 0, 0),
    },
    joints={
        "S": pin("ground", "sun", 0, 0),
        "H": pin("ground", "arm", 0, 0),
        "P": pin("arm", "planet", 0.2, 0),
        "Q": pin("arm", "other", -0.2, 0),
        "R": pin("ground", "ring", 0, 0),
        "sp": {"kind": "gear", "bodies": ["sun", "planet"], "radii": [0.12, 0.08], "carrier": "arm"},
        "sq": {"kind": "gear", "bodies": ["sun", "other"], "radii": [0.12, 0.08], "carrier": "arm"},
        "rp": {"kind": "gear", "bodies": ["ring", "planet"], "radii": [0.28, 0.08], "internal": True, "carrier": "arm"},
    },
    dampers={"d": {"joint": "H", "damping": 0.3}},
)
TWO_DRUMS = Mechanism(  # two weights on a rope over two drums, which it turns
    bodies={
        "left": wheel(2, 0.05, -0.1, -1),
        "right": wheel(3, 0.05, 1.2, -1.5),
        "one": wheel(1, 0.02, 0, 0),
        "two": wheel(1.5, 0.04, 1, 0.1),
    },
    joints={
        "A": pin("ground", "one", 0, 0),
        "B": pin("ground", "two", 1, 0.1),
        "L": guide("left", -0.1, -1),
        "R": guide("right", 1.2, -1.5),
        "rope": {
            "kind": "rope",
            "bodies": ["left", "right"],
            "points": [[0, 0], [0, 0]],
            "over": [drum("one", 0.1, "right"), drum("two", 0.2, "right")],
            "grip": True,
        },
    },
)
HOIST = Mechanism(  # from the ceiling under a pulley that carries the load, over a drum on an arm that swings
    bodies={
        "load": wheel(4, 0.03, 0.1, -1.5),
        "arm": wheel(1, 0.05, 0.6, 0),
        "drum": wheel(1, 0.01, 0.3, 0),
        "weight": wheel(2.2, 0.02, 0.4, -1.2),
    },
    joints={
        "A": pin("ground", "arm", 1, 0),
        "D": pin("arm", "drum", 0.3, 0),
        "G": guide("load", 0.1, -1.5),
        "W": guide("weight", 0.4, -1.2),
        "rope": {
            "kind": "rope",
            "bodies": ["ground", "weight"],
            "points": [[0, 0], [0, 0]],
            "over": [drum("load", 0.1, "left"), drum("drum", 0.1, "right")],
        },
    },
    springs={"k": {"bodies": ["ground", "arm"], "points": [[0.6, 1], [0, 0]], "stiffness": 400}},
)


@pytest.mark.parametrize("by", ["joints", "angles"])
@pytest.mark.parametrize(
    "mechanism", [TRAIN, PLANETARY, TWO_DRUMS, HOIST], ids=["train", "planetary", "two drums", "hoist"]
)
def test_same_motion(mechanism, by):
    assert not differences(mechanism, by, 0.3)


def test_the_pulls_of_a_rope_that_does_not_slip():
    """Atwood's machine with a heavy pulley: a = (m₁ − m₂) g/(m₁ + m₂ + J/r²), pulls m₁ (g − a) and m₂ (g + a)."""
    machine = Mechanism(
        bodies={
            "p": {"mass": 3, "inertia": 0.02, "at": [0, 0]},
            "a": {"kind": "particle", "mass": 4, "at": [-0.1, -1]},
            "b": {"kind": "particle", "mass": 2.5, "at": [0.1, -1.5]},
        },
        joints={
            "O": {"kind": "revolute", "bodies": ["ground", "p"], "at": [0, 0]},
            "R": {
                "kind": "rope", "bodies": ["a", "b"], "points": [[0, 0], [0, 0]], "grip": True,
                "over": [{"body": "p", "point": [0, 0], "radius": 0.1, "side": "right"}],
            },
        },
    )  # fmt: skip
    a = (4 - 2.5) * 9.81 / (4 + 2.5 + 2)
    pulls = machine.simulate(0.2).evaluate({"left": "R.tension1", "right": "R.tension2"})
    assert np.allclose(pulls["left"], 4 * (9.81 - a)) and np.allclose(pulls["right"], 2.5 * (9.81 + a))
