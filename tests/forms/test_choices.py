"""Choices hold where the motion begins, not only at the other places that the pilot visits."""

from __future__ import annotations

import numpy as np

from dalembert import Mechanism

SWING = Mechanism(
    bodies={"seat": {"mass": 1.21, "inertia": 0.074, "at": [0, -0.72]}},
    joints={
        "left": {"kind": "rod", "bodies": ["ground", "seat"], "at": [[-0.5, 0], [-0.5, -0.72]]},
        "right": {"kind": "rod", "bodies": ["ground", "seat"], "at": [[0.5, 0], [0.5, -0.72]]},
    },
    loads={"push": {"body": "seat", "force": [8.99, 0]}},
)


def test_independent_coordinates_hold_at_the_start():
    """A swing that hangs straight down: its height is no coordinate there."""
    derivation = SWING.derive("independent")
    assert "independent coordinates: `x_seat`" in derivation.notes
    state = SWING.start()
    found = SWING.compile("independent")(0.0, state.q, state.v)
    assert np.allclose(found.acceleration, [8.99 / 1.21, 0, 0], atol=1e-12)
