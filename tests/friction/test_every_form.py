"""Every form of the equations and every method: the same events and the same motion, with what is known in closed form."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from dalembert import DalembertError, System
from tests.friction.test_blocks import ladder, stacked
from tests.friction.test_oscillators import PERIOD, SLIP_TIME, belt
from tests.friction.watched import times

FORMS = ("multipliers", "minimal", "explicit", "canonical", "independent")


def loaded_belt() -> System:
    return belt(
        coordinates="x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="k*x^2/2 + m*g*y",
        constraints={"ground": "y = 0"},
        parameters={"m": 1, "k": 1, "mu": 0.1, "g": 10, "vd": 0.2, "delta": 3},
        friction={"belt": {"constraint": "ground", "slip": "x' - vd", "law": "mu*N/(1 + delta*v)"}},
    )


SETS = {"dop853": (1e-11, 1e-9), "radau": (1e-9, 1e-6), "bdf": (1e-9, 3e-5)}


def runs(system: System, until: float, form: str, method: str, **more):
    rtol, near = SETS.get(method, (1e-9, 1e-5))
    settings = {"step": 0.002} if method == "rk4" else {"rtol": rtol, "atol": rtol / 100}
    return system.simulate(until, form=form, method=method, **settings, **more), (1e-5 if method == "rk4" else near)


PAIRS = [(form, "dop853") for form in FORMS] + [("multipliers", method) for method in ("radau", "bdf", "rk4")]
REST = [("minimal", method) for method in ("radau", "bdf")] + [(form, "rk4") for form in FORMS[1:]]


def combinations(function):
    all_ = [*PAIRS, *(pytest.param(*pair, marks=pytest.mark.full) for pair in REST)]
    return pytest.mark.parametrize(("form", "method"), all_)(function)


@combinations
def test_the_belt(form, method):
    run, near = runs(loaded_belt(), 22, form, method)
    assert run.status == "done"
    assert times(run, "slip") == pytest.approx([5, 5 + PERIOD], abs=near)
    assert times(run, "stick") == pytest.approx([5 + SLIP_TIME, 5 + SLIP_TIME + PERIOD], abs=near)


@combinations
def test_two_blocks(form, method):
    run, near = runs(stacked({"x2": "c*t"}, 0.4, 0.2), 5, form, method)
    assert [(e.name, e.kind) for e in run.events] == [("lower", "slip"), ("upper", "slip")]
    assert [e.t for e in run.events] == pytest.approx([0.2 * 30 / 5, 0.6 * 30 / 5], abs=near)
    late = 5 - 3.6
    upper = 5 * 2.4**3 / 18 + 5 * 2.4**2 / 6 * late + 4 * late**2 / 2
    assert run["x1"][-1] == pytest.approx(upper, abs=10 * near)


@combinations
def test_a_ladder(form, method):
    """It slides from 45°, with the accelerations of the other test; held against the plainest form."""
    system = ladder(np.pi / 4, 0.3, 0.2)
    run, near = runs(system, 0.5, form, method)
    other = system.simulate(0.5, rtol=1e-12, atol=1e-13)
    assert run["phi"][-1] == pytest.approx(other["phi"][-1], abs=near)
    assert run.evaluate("foot.normal")[0] == pytest.approx(other.evaluate("foot.normal")[0], rel=1e-8)


def test_quasi_velocities_leave_nothing_that_friction_could_take_away():
    """They are independent; where friction sticks one of them is not. Rounded off it is taken: x'' = −tanh by SciPy."""
    with pytest.raises(DalembertError, match=r"quasi.*friction.*smooth"):
        belt(velocities={"u": "x' - vd"}).simulate(22, form="quasi")
    smooth = {"f": {"normal": "m", "slip": "x'", "coefficient": 0.5, "smooth": 0.1}}
    system = System("x", kinetic="m*x'^2/2", parameters={"m": 1}, friction=smooth, initial={"x'": 1})
    run = system.replace(velocities={"u": "2*x'"}).simulate(1, form="quasi", rtol=1e-10, atol=1e-12)
    # v' = −tanh(10 v)/2, so that sinh(10 v) = sinh(10) e^{−5 t}
    assert run["x'"][-1] == pytest.approx(np.arcsinh(np.sinh(10) * np.exp(-5)) / 10, abs=1e-8)


def test_rattle_says_that_it_cannot():
    with pytest.raises(DalembertError) as caught:
        loaded_belt().simulate(1, method="rattle", step=0.01)
    assert "friction" in str(caught.value)


def test_exports_slide_and_jax_is_refused_by_name(tmp_path):
    """The block on the belt at rest on the ground slides back: a = −k x + F(0.2)."""
    system = loaded_belt()
    (path,) = system.export(tmp_path / "belt.py", "numpy")
    spec = importlib.util.spec_from_file_location("belt", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    acceleration = module.accelerations(0.0, [0.4, 0], [0.0, 0])[0]
    assert acceleration == pytest.approx([-0.4 + 1 / 1.6, 0], abs=1e-12)
    with pytest.raises(
        DalembertError, match="reactions of `ground`, which is not written for JAX; export to numpy or c"
    ):
        system.export(tmp_path / "jax.py", "jax")
