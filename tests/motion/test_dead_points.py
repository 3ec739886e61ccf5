"""Positions in which constraints become dependent: what does not get past them says so, and what does not."""

from __future__ import annotations

import pytest

from dalembert import Mechanism, MotionWarning


def parallelogram() -> Mechanism:
    """Three equal cranks with one coupler, of which one is too many."""
    feet = {"a": 0, "b": 0.5, "c": 1}
    return Mechanism(
        bodies={
            **{name: {"mass": 1, "inertia": 0.02, "at": [x, 0.25]} for name, x in feet.items()},
            "coupler": {"mass": 2, "inertia": 0.2, "at": [0.5, 0.5]},
        },
        joints={
            **{f"{name}0": {"kind": "revolute", "bodies": ["ground", name], "at": [x, 0]} for name, x in feet.items()},
            **{
                f"{name}1": {"kind": "revolute", "bodies": [name, "coupler"], "at": [x, 0.5]}
                for name, x in feet.items()
            },
        },
        initial={"phi_a'": 8},
    )


def test_what_does_not_get_past_a_dead_point_says_so():
    with pytest.warns(MotionWarning, match="the constraints become dependent"):
        run = parallelogram().simulate(0.2, method="bdf", rtol=1e-8, atol=1e-10)
    assert run.status == "failed" and "Take method `dop853`" in run.message and not run.certificate.ok
