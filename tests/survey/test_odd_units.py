"""The same machine in other units starts, moves and is judged the same way: nothing in it is a metre or a kilogram."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism

UNITS = {  # what a metre, a kilogram and a second are in them
    "mm, t, s": (1e3, 1e-3, 1.0),
    "cm, g, s": (1e2, 1e3, 1.0),
    "nanometres that turn at 7e9 rad/s": (1e-9, 1e-24, 20 / 7e9),
    "the same, heavier": (1e-9, 1e-9, 20 / 7e9),
    "astronomical unit, sun, year": (1 / 1.5e11, 1 / 2e30, 1 / 3.15e7),
}


def crank(length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> Mechanism:
    """A slider-crank, whose piston has no inertia."""

    def at(x: float) -> list[float]:
        return [x * length, 0]

    inertia = mass * length**2
    return Mechanism(
        gravity=[0, -9.81 * length / time**2],
        bodies={
            "crank": {"mass": 2 * mass, "inertia": 0.015 * inertia, "at": at(0.15), "spin": 20 / time},
            "rod": {"mass": mass, "inertia": 0.08 * inertia, "at": at(0.8)},
            "piston": {"mass": 3 * mass, "at": at(1.3)},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": at(0.3)},
            "C": {"kind": "revolute", "bodies": ["rod", "piston"], "at": at(1.3)},
            "D": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": at(1.3), "axis": [1, 0]},
        },
    )


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_a_slider_crank_in_other_units(units):
    length, mass, time = units
    plain, other = crank(), crank(*units)
    assert other.check().degrees_of_freedom == 1 and not [p for p in other.check().problems if p.severity == "error"]
    expected, run = plain.simulate(0.2, samples=5), other.simulate(0.2 * time, samples=5)
    assert run.status == "done" and run.certificate.ok
    for name in plain.coordinates:
        size = 1.0 if name.startswith("phi") else length
        assert run[name] / size == pytest.approx(expected[name], abs=1e-7)
    force = mass * length / time**2
    assert np.allclose(run.joint("B").size / force, expected.joint("B").size, rtol=1e-6)
