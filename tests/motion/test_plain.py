"""Native steppers as the Python that they are written in: whole motions against the compiled ones, pieces by hand."""

from __future__ import annotations

import ctypes
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dalembert import example
from dalembert.motion import codes
from dalembert.motion.entry import Stepper
from dalembert.motion.scheme import HISTORY
from dalembert.motion.tools import CLOCK, COUNT, Sizes, record

NAMES = (
    "collocation",
    "common",
    "dense",
    "differences",
    "gear",
    "impulses",
    "newton",
    "ordinary_start",
    "primitives",
    "rates",
    "runge_kutta",
    "sparse",
    "switch_search",
)


def module(name: str) -> ModuleType:
    return import_module(f"dalembert.motion.steppers.{name}")


def call(address: int, out: int, given: int, work: int) -> None:
    """Call a kernel of the model, which stays native."""
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address)(out, given, work)


@pytest.fixture
def plain(monkeypatch):
    """Let steppers run as Python, line by line."""
    for part in [module(name) for name in NAMES]:  # all of them compiled, before one takes over what is plain
        for name, value in list(vars(part).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(part, name, value.py_func)
        if hasattr(part, "call"):
            monkeypatch.setattr(part, "call", call)
    monkeypatch.setattr(Stepper, "__call__", lambda self, *args: int(getattr(module(self.module), self.name)(*args)))
    with np.errstate(all="ignore"):  # a division by zero gives inf there too
        yield


SETTINGS: dict[str, dict[str, Any]] = {
    "dop853": {"samples": 4},
    "dop853, fixed": {"method": "dop853", "step": 0.02},
    "rk4, stabilised": {"method": "rk4", "step": 0.02, "keep": "stabilise"},
    "canonical": {"form": "canonical", "rtol": 1e-6},
    "minimal": {"form": "minimal", "rtol": 1e-6},
    "independent": {"form": "independent", "rtol": 1e-6},
    "radau": {"method": "radau", "rtol": 1e-5, "atol": 1e-6, "samples": 4},
    "bdf": {"method": "bdf", "rtol": 1e-4, "atol": 1e-5, "samples": 4},
    "rattle": {"method": "rattle", "step": 0.05, "samples": 3},
    "events": {"events": ["phi = 0.5"], "rtol": 1e-6},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_same_motion(name, request):
    """Every line is the same; what is compiled may round a sum in another order."""
    system, settings = example("pendulum"), SETTINGS[name]
    native = system.simulate(0.1, **settings)
    request.getfixturevalue("plain")
    found = system.simulate(0.1, **settings)
    assert (found.status, found.steps, found.rejected) == (native.status, native.steps, native.rejected)
    assert (found.evaluations, found.projections) == (native.evaluations, native.projections)
    assert found.q == pytest.approx(native.q, rel=1e-9, abs=1e-11)
    assert found.v == pytest.approx(native.v, rel=1e-9, abs=1e-11)
    middle = [0.037, 0.061]
    assert found.at(middle)[0] == pytest.approx(native.at(middle)[0], rel=1e-9, abs=1e-11)


# --- pieces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("t", "h", "recorded", "expected"),
    [
        (0.0, 0.3, 0, (codes.RUNNING, 0.3, 0.3)),
        (0.8, 0.3, 0, (codes.RUNNING, pytest.approx(0.2), 1.0)),
        (0.7, 0.3 * (1 - 1e-10), 0, (codes.RUNNING, pytest.approx(0.3), 1.0)),  # no tiny step is left
        (1.0, 0.3, 0, (codes.DONE, 0.3, 1.0)),
        (0.5, 0.3, 8, (codes.FULL, 0.3, 0.5)),
        (0.5, 1e-17, 0, (codes.STEP_TOO_SMALL, 1e-17, 0.5)),
    ],
)
def test_the_next_step(plain, t, h, recorded, expected):
    clock, count = record(CLOCK), record(COUNT)
    clock.t, clock.end, count.recorded = t, 1.0, recorded
    assert module("common").proposed(clock, count, 8, h) == expected


def test_a_polynomial_of_degree_5_between_two_steps(plain):
    """x = t⁵ from 1 to 3: positions, velocities and accelerations at the ends give it everywhere."""
    states = [np.array([t**5, 5 * t**4]) for t in (1.0, 3.0)]
    rates = [np.array([20.0 * t**3]) for t in (1.0, 3.0)]
    into = np.zeros(2)
    for theta in (0.0, 0.25, 0.5, 1.0):
        module("common").hermite(theta, 2.0, *states, *rates, into)
        t = 1 + 2 * theta
        assert into == pytest.approx([t**5, 5 * t**4])


def test_classical_weights(plain):
    """y' = y by the method of Runge and Kutta: 1 + h + h²/2 + h³/6 + h⁴/24."""
    A = np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]])
    k, h, y, trial = np.zeros((4, 1)), 0.1, np.ones(1), np.zeros(1)
    for row in range(4):
        module("rates")._stage(A, row, h, y, k, trial)
        k[row] = trial
    module("rates").weigh(np.array([1, 2, 2, 1]) / 6, h, y, k, trial)
    assert trial[0] == pytest.approx(1 + h + h**2 / 2 + h**3 / 6 + h**4 / 24, rel=1e-15)


def test_backward_differences(plain):
    """Those of t³ at spacing 1 are 27, 19, 12, 6 at t = 3; at spacing 1/2 those of the same polynomial."""
    room = type("Room", (), {})()
    room.D, room.mixed, room.values, room.spacing = np.zeros((8, 1)), np.zeros((6, 1)), np.zeros((6, 6)), np.ones(1)
    room.predicted, room.psi = np.zeros(1), np.zeros(1)
    room.D[:4, 0] = 27, 19, 12, 6
    coefficients = type("Coefficients", (), {"gamma": np.array([0, 1, 1.5, 11 / 6]), "alpha": np.ones(4)})()
    module("differences").predict(3, coefficients, room)
    assert room.predicted[0] == 64  # 4³
    assert room.psi[0] == pytest.approx(19 + 1.5 * 12 + 11 / 6 * 6)
    module("differences").respace(3, 0.5, room)
    assert room.D[:4, 0] == pytest.approx([27, 27 - 2.5**3, 27 - 2 * 2.5**3 + 8, 6 / 8])
    assert room.spacing[0] == 0.5


def test_a_new_state_enters_the_differences(plain):
    room = type("Room", (), {})()
    room.D, room.new, room.predicted, room.start = np.zeros((8, 2)), np.array([9.0, 1.0]), np.zeros(2), np.zeros(1)
    room.D[:3, 0] = 4, 3, 2  # t² at t = 2
    room.predicted[0] = 9.0
    module("differences").take(2, room)
    assert room.D[:3, 0] == pytest.approx([9, 5, 2])


def test_the_past_begins_with_the_rates(plain):
    room = type("Room", (), {"history": record(HISTORY)})()
    room.D, room.start, room.spacing = np.ones((8, 2)), np.array([-4.0]), np.zeros(1)
    module("differences").afresh(0.1, np.array([2.0, 3.0]), room)
    assert (room.history.order, room.history.equal, room.spacing[0]) == (1, 0, 0.1)
    assert room.D[:3].tolist() == [[2.0, 3.0], [pytest.approx(0.3), pytest.approx(-0.4)], [0.0, 0.0]]


def test_small_powers(plain):
    assert [module("newton").power(2.0, k) for k in (-1, 0, 1, 3)] == [0.5, 1.0, 2.0, 8.0]
    assert module("newton").power(1j, 2) == -1


@pytest.mark.parametrize(
    ("largest", "before", "conditioning", "expected"),
    [(1e-10, 1.0, 1.0, True), (1e-8, 1.0, 1.0, False), (1e-10, 1.0, 1e-3, False), (1e-7, 1.5e-7, 1e-3, True)],
)
def test_when_a_projection_has_settled(plain, largest, before, conditioning, expected):
    assert module("primitives").settled(largest, before, conditioning, 3) == expected


@pytest.mark.parametrize("unit", [1.0, 2.0**-30, 2.0**30])
def test_newtons_step(plain, unit):
    """The correction (0.5, −1) of (1, 3): its relative size, what is left beside such a step, nothing bad."""
    corrected, size = module("primitives").corrected, Sizes(2, 1, unit * np.array([1.0, 3.0, 0.0, 0.0]))
    x = unit * np.array([0.0, 1.0, 3.0])
    found = corrected(unit * np.array([0.5, -1.0, 6.0]), size, 0, x, 1)
    assert found == (0.25, 0.0, -1)  # a residual of the size of its step leaves nothing
    far = corrected(unit * np.array([0.0, 0.0, 6.0]), size, 0, unit * np.array([0.0, 1.0, 3.0]), 1)
    assert far == (0.0, 2.0, -1)  # one that no step answers is left, in the extent
    assert x.tolist() == [0.0, 1.5 * unit, 2.0 * unit]
    assert corrected(np.array([0.5, np.nan, 6.0]), size, 0, x, 1)[2] == 1


def test_steps_that_come_next_to_nowhere(plain):
    clock, count = record(CLOCK), record(COUNT)
    clock.span, clock.t, count.steps = 10.0, 1e-4, codes.WINDOW
    assert module("primitives").is_slow(clock, count)
    clock.t = 1.0
    assert not module("primitives").is_slow(clock, count)
    assert clock.since == 1.0
