"""A kind of joint is a function of two markers."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, pair
from dalembert.model.mechanism.pairs import PAIRS
from dalembert.model.mechanism.pairs.base import Pair
from tests.extending.contract import compile_c, journey


def on_circle(first, second, radius):
    """A pin on a circle about a point of the first body."""
    x, y = (there - here for there, here in zip(second.place, first.place, strict=True))
    return {"circle": (x**2 + y**2 - radius**2) / (2 * radius)}


@pytest.fixture
def bead(monkeypatch):
    """A bead on a ring, let go level with its middle."""
    monkeypatch.setitem(PAIRS[2], "on_circle", Pair("on_circle", 2, on_circle))
    pair("on_circle", dimensions=2, values={"radius": None})(on_circle)
    return Mechanism(
        bodies={"bead": {"mass": 1, "inertia": 0.1, "at": [1, 0], "velocity": [0, 0], "spin": 0}},
        joints={"ring": {"kind": "on_circle", "bodies": ["ground", "bead"], "points": [[0, 0], [0, 0]], "radius": 1}},
    )


def test_pair(bead, tmp_path):
    run = journey(bead, tmp_path, until=2.4)
    compile_c(bead, tmp_path)
    assert np.abs(np.hypot(run["x_bead"], run["y_bead"]) - 1).max() < 1e-9
    assert abs(run.joint("ring").size.max() - 3 * 9.81) < 0.05  # 3 m g at the bottom, between the steps
