"""Bodies with next to no mass beside the others move as those without any."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dalembert import Mechanism, System
from dalembert.forms.augment import augmentation
from tests.conftest import GALLERY
from tests.shared import example


def crank(mass: float) -> Mechanism:
    """A slider-crank, stretched at the start, whose rod weighs that much."""
    return Mechanism(
        bodies={
            "crank": {"mass": 2, "inertia": 0.015, "at": [0.15, 0], "spin": 5},
            "rod": {"mass": "mu", "inertia": "mu/12", "at": [0.8, 0]},
            "slider": {"mass": 3, "inertia": 0.1, "at": [1.3, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": [0.3, 0]},
            "C": {"kind": "revolute", "bodies": ["rod", "slider"], "at": [1.3, 0]},
            "D": {"kind": "prismatic", "bodies": ["ground", "slider"], "at": [1.3, 0], "axis": [1, 0]},
        },
        parameters={"mu": mass},
    )


def ending(mass: float) -> np.ndarray:
    run = crank(mass).simulate(1.0, rtol=1e-9, atol=1e-11)
    assert run.status == "done"
    assert run.certificate.ok, str(run.certificate)
    return np.array([run["x_slider"][-1], run["x_slider'"][-1], run.multipliers["B.x"][-1], run.multipliers["C.y"][-1]])


def test_motion_and_forces_tend_to_those_without_mass():
    none = ending(0.0)
    slope = (ending(1e-4) - none) / 1e-4
    for mass in (1e-5, 1e-6, 1e-9, 1e-12):
        assert ending(mass) == pytest.approx(none + mass * slope, abs=1e-3 * mass * np.abs(slope).max() + 1e-8)


@pytest.mark.parametrize("mass", [1e-6, 1e-9])
def test_light_bodies_that_move_freely(mass):
    """A light bob swings in its own time: on the rod's end it is a pendulum with a moved support."""
    chain = Mechanism(
        bodies={
            "rod": {"mass": 1, "inertia": 0.1, "at": [0.5, 0]},
            "bob": {"mass": "mu", "inertia": "mu/12", "at": [1.5, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["rod", "bob"], "at": [1, 0]},
        },
        parameters={"mu": mass},
    )
    run, heavier = (
        system.simulate(1.0, rtol=1e-9, atol=1e-11) for system in (chain, chain.replace(parameters={"mu": 1e-4}))
    )
    assert run.certificate.ok
    assert run.q[-1] == pytest.approx(heavier.q[-1], abs=3e-3)
    assert run.multipliers["B.y"][-1] / mass == pytest.approx(8.88953, abs=1200 * mass + 1e-5)  # extrapolated from 1e-3


@pytest.mark.parametrize("model", [*GALLERY, "spatial-chain:30"])
def test_ordinary_machines_need_nothing_added(model):
    system = example(model)
    massless = model in ("heavy-top", "moved-pendulum")
    assert bool(augmentation(system)) == massless


@pytest.mark.parametrize("length", [1.0, 1e3, 1e9])
def test_what_is_light_does_not_depend_on_units(length):
    """A pendulum in millimetres that hangs straight down: its constraint holds one coordinate there, not everywhere."""
    parts = {"constraints": {"rod": "x^2 + y^2 = l^2"}, "parameters": {"l": length}}
    system = System("x y", kinetic="x'^2 + y'^2", **parts, initial={"x": 0.0, "y": -length})
    assert augmentation(system) == {}


@pytest.mark.parametrize("mass", ["1", "1e-6"])
@pytest.mark.parametrize(("own", "other"), [("1e4", "1"), ("5.661e4", "2.5e-7"), ("1", "1e-7")])
def test_a_coordinate_in_one_condition_loses_nothing(mass, own, other):
    """Its multiplier, by fractions: λ = −Σ Aⱼfⱼ/Mⱼ / Σ Aⱼ²/Mⱼ."""
    system = System(
        "q p",
        kinetic=f"q'^2 + {mass}*p'^2",
        potential="-7.4*sin(q + p/3)",
        constraints={"c": f"{other}*sin(q/3) + {own}*p = 0"},
    )
    M, A = [Fraction(2), 2 * Fraction(mass)], [Fraction(other) / 3, Fraction(own)]
    f = [Fraction("7.4"), Fraction("7.4") / 3]
    exact = -sum(a * x / m for a, x, m in zip(A, f, M, strict=True)) / sum(a * a / m for a, m in zip(A, M, strict=True))
    found = system.compile()(0.0, [0.0, 0.0], [0.0, 0.0])
    assert found.multipliers[0] == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e3, 1e6])
def test_a_condition_between_what_has_no_mass_may_be_written_in_any_size(factor):
    """No force acts on u, so that its reaction is zero."""
    system = System(
        "psi alpha u",
        kinetic="0.84*psi'^2/2",
        potential="21.59*(psi - 0.13)^2/2 + 4.0221*alpha",
        constraints={
            "hold": "u = 0.47*sin(psi)",
            "link": "alpha^2 + u^2 = 40.7",
            "again": f"{factor}*(alpha^2 + u^2) = {factor}*40.7",
        },
        initial={"psi": -1.05},
        guess={"alpha": -6.38},
    )
    state = system.start()
    found = system.compile()(state.t, state.q, state.v)
    assert found.reaction[1] == pytest.approx(4.0221, rel=1e-12)
    assert found.reaction[2] == pytest.approx(0.0, abs=1e-12)
