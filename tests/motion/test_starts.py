"""Starts of variants by native code: the same bits as without it, and the same words where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError, System, example
from dalembert.blocks.programs import programs
from dalembert.errors import DerivationError, SimulationError
from dalembert.survey.start import ordinary_start, solved_start
from tests.conftest import pendulum

ORDINARY = (
    "pendulum",
    "slider-crank",
    "rolling-disk",
    "n-four-bar:3",
    "andrews-squeezer",
    "slider-crank-joints",
    "engine",
    "four-bar",  # its bodies are placed where they fit,
    "rolling-coin",
    "bricard",  # and here constraints depend on each other
)
LEFT = ("andrews-squeezer-joints", "simple-pendulum", "spatial-chain:2")  # to those who know more


def varied(system, seed):
    """Return other values of parameters and initial values, some hundredths away."""
    random = np.random.default_rng(seed)

    def near(value):
        return float(value) * (1 + 0.01 * random.uniform(-1, 1))

    initial = {name: near(value) for name, value in system.initial.items() if value.is_Number}
    return {"parameters": {name: near(value) if value else value for name, value in system.parameters.items()}} | (
        {"initial": initial} if initial else {}
    )


@pytest.mark.parametrize("model", [*ORDINARY, *LEFT])
def test_the_same_bits(model):
    system = example(model)
    system.simulate(0.01)
    found = 0
    for seed in range(4):
        try:
            variant = system.replace(**varied(system, seed))
            start = ordinary_start(variant)
        except ModelError:  # a joint that no longer fits
            continue
        if start is not None:
            found += 1
            q, v = (part.best.x for part in solved_start(variant))
            assert start[0].tobytes() == q.tobytes()
            assert start[1].tobytes() == v.tobytes()
    assert found > 0 if model in ORDINARY else found == 0


SPINS = {
    "parameters": {"parameters": {"m1": 1.25}},
    "another spin": {"initial": {"crank.spin_z": -3.0}},
    "both": {"parameters": {"m1": 0.75, "m3": 2.5}, "initial": {"crank.spin_z": 0.5}},
}


@pytest.mark.parametrize("change", SPINS)
def test_spins_and_constraints_that_depend_on_each_other(change):
    """The planar four-bar has the same bars: the crank turns as it is told, and the rocker as much in both."""
    system = example("four-bar-spatial")
    system.simulate(0.01)
    variant = system.replace(**SPINS[change])
    start = ordinary_start(variant)
    assert start is not None
    for found, part in zip(start, solved_start(variant), strict=True):
        assert found.tobytes() == part.best.x.tobytes()
    spin = float(variant.initial["crank.spin_z"])
    state, planar = variant.start(), example("four-bar").replace(initial={"phi_crank'": spin}).start()
    for body in ("crank", "coupler", "rocker"):
        for name in (f"x_{body}", f"y_{body}", f"x_{body}'", f"y_{body}'"):
            assert state[name] == pytest.approx(planar[name], abs=1e-12)


def test_a_spin_that_contradicts_is_refused_as_ever():
    system = example("four-bar-spatial")
    system.simulate(0.01)
    variant = system.replace(initial={"crank.spin_x": 1.0})
    assert ordinary_start(variant) is None
    with pytest.raises(ModelError, match="crank"):
        variant.simulate(0.01)


def test_a_system_without_constraints():
    system = System("x y", kinetic="m*x'^2/2 + m*y'^2/2", parameters={"m": 1.0}, initial={"x": 1.0})
    system.simulate(0.1)
    start = ordinary_start(system.replace(initial={"x": 2.0, "y'": 3.0}))
    assert start is not None
    assert [part.tolist() for part in start] == [[2.0, 0.0], [0.0, 3.0]]


CASES = {
    "out of reach": (pendulum(initial={"x": 0.5, "x'": 0.0}, guess={"y": -1.0}), {"initial": {"x": 3.0}}),
    "at its end": (pendulum(initial={"x": 0.5, "x'": 0.0}, guess={"y": -1.0}), {"initial": {"x": 1.0}}),
    "no inertia": (
        System("x y", kinetic="m*x'^2/2 + y'^2/2", parameters={"m": 1.0}, initial={"x": 1.0}),
        {"parameters": {"m": 0.0}},
    ),
    "negative inertia": (
        System("x y", kinetic="m*x'^2/2 + y'^2/2", parameters={"m": 1.0}, initial={"x": 1.0}),
        {"parameters": {"m": -1.0}},
    ),
    "next to no inertia": (
        System("x y", kinetic="m*x'^2/2 + y'^2/2", constraints={"rod": "x^2 + y^2 = 1"}, parameters={"m": 1.0},
               initial={"x": 0.6, "x'": 0.1}, guess={"y": 0.7}),
        {"parameters": {"m": 1e-9}},
    ),
    "flat": (
        System("x y", kinetic="x'^2/2 + y'^2/2", constraints={"wire": "k*(y - x) + (y - x)^2 = 0"},
               parameters={"k": 1.0}, initial={"x": 0.5, "x'": 0.1}, guess={"y": 0.5}),
        {"parameters": {"k": 0.0}},
    ),
    "an entry that vanishes": (
        System("x y z", kinetic="x'^2/2 + y'^2/2 + z'^2/2", constraints={"a": "x + (k - 1)*z = 0", "b": "y = x"},
               parameters={"k": 3.0}, initial={"z": 1.0, "z'": 0.1}),
        {"parameters": {"k": 1.0}},
    ),
    "no value of M": (
        System("x y", kinetic="x'^2/2 + y'^2/2/x^2", constraints={"line": "y = x"}, initial={"x": 1.0, "x'": 1.0}),
        {"initial": {"x": 0.0}},
    ),
    "two that contradict each other": (
        System("x y", kinetic="x'^2/2 + y'^2/2", constraints={"a": "x + y = 1", "b": "x + k*y = 2"},
               parameters={"k": 2.0}),
        {"parameters": {"k": 1.0}},
    ),
    "two that agree at first, and contradict each other later": (
        System("x y", kinetic="x'^2/2 + y'^2/2", constraints={"a": "x + y = 1", "b": "x + y = 1 + k*t^2"},
               parameters={"k": 0.0}, guess={"x": 0.5, "y": 0.5}),
        {"parameters": {"k": 1.0}},
    ),
    "a value that is no number": (
        System("x", kinetic="x'^2/2", parameters={"k": 2.0}, initial={"x": "1/(k - 1)"}), {"parameters": {"k": 1.0}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_out_of_the_ordinary_is_said_as_ever(case):
    """One variant is of a system that has moved, with native starts; of the other nothing is known."""
    system, change = CASES[case]
    system.simulate(0.01)
    fresh = System(**{**parts(system), **{part: {**parts(system)[part], **change[part]} for part in change}})
    assert outcome(system.replace(**change)) == outcome(fresh)


def parts(system):
    own = system.own
    names = ("coordinates", "kinetic", "potential", "constraints", "parameters", "initial", "guess")
    return {name: getattr(own, name) for name in names} | {"parameters": dict(system.parameters)}


def outcome(system):
    try:
        motion = system.simulate(0.05).motion
        return motion.states.tobytes()
    except (ModelError, DerivationError, SimulationError) as error:
        return str(error)


def test_states_are_left_to_others():
    system = System("x", kinetic="x'^2/2", states={"z": "x - z"})
    system.simulate(0.01)
    assert programs(system).starter is None
