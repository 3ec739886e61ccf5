"""Consistent initial states: published ones, least motion, and the words for what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, System, example
from dalembert.blocks.numeric import Numeric, numeric_of
from dalembert.survey.initial_numbers import given_values
from tests.conftest import pendulum


def test_every_gallery_model_starts_on_its_constraints(model):
    state, numeric = model.start(), Numeric(model)
    assert np.abs(numeric.position(0.0, state.q)[0]).max(initial=0) < 1e-12
    assert np.abs(numeric.velocity(0.0, state.q, state.v)[0]).max(initial=0) < 1e-11


def test_andrews_as_published():
    state = example("andrews-squeezer").start()
    published = {
        "beta": -0.0617138900142764496358948458001,
        "Theta": 0.0,
        "gamma": 0.455279819163070380255912382449,
        "Phi": 0.222668390165885884674473185609,
        "delta": 0.487364979543842550225598953530,
        "Omega": -0.222668390165885884674473185609,
        "epsilon": 1.23054744454982119249735015568,
    }
    for name, value in published.items():
        assert state[name] == pytest.approx(value, abs=1e-14)
    assert not np.any(state.v)


def test_andrews_from_a_rough_guess():
    rough = {"beta": -0.1, "gamma": 0.4, "Phi": 0.3, "delta": 0.4, "Omega": -0.3, "epsilon": 1.3}
    state = example("andrews-squeezer").start(guess=rough)
    assert state["gamma"] == pytest.approx(0.455279819163070, abs=1e-12)


def test_slider_crank_as_in_sundials():
    state = example("slider-crank").start()
    assert state["p"] == pytest.approx(np.arcsin(-0.5), abs=1e-14)
    assert state["x"] == pytest.approx(np.cos(state["p"]), abs=1e-14)


def test_what_is_fixed_stays():
    state = pendulum().start(initial={"x": 0.5, "phi": None, "x'": 1.0}, guess={"y": -1})
    assert (state["x"], state["x'"]) == (0.5, 1.0)
    assert state["phi"] == pytest.approx(np.pi / 6, abs=1e-12)
    assert state["phi'"] == pytest.approx(1 / np.cos(np.pi / 6), abs=1e-12)


def test_moves_least_in_the_mass_norm():
    """A point on the line x + y = 1 from the guess (0, 0): nearest for M = diag(1, 9) is (0.9, 0.1)."""
    system = System(coordinates="x y", kinetic="x'^2/2 + 9*y'^2/2", constraints={"line": "x + y = 1"})
    state = system.start()
    assert [*state.q] == pytest.approx([0.9, 0.1], abs=1e-7)


def test_nearest_point_of_a_curve():
    """The nearest point of the parabola y = x² − 2 to (2, 0) satisfies the cubic 2x³ − 3x − 2 = 0."""
    system = System(coordinates="x y", kinetic="x'^2/2 + y'^2/2", constraints={"curve": "y = x^2 - 2"}, guess={"x": 2})
    x = system.start()["x"]
    assert 2 * x**3 - 3 * x - 2 == pytest.approx(0, abs=1e-6)


def test_velocities_are_nearest_too():
    """Of all velocities along z' = y x', the one nearest to (1, 0, 0) at y = 1 is (½, 0, ½)."""
    state = example("nonholonomic-particle").start(initial={"x'": None, "y'": None, "y": 1.0}, guess={"x'": 1})
    assert [*state.v] == pytest.approx([0.5, 0, 0.5], abs=1e-12)


def test_nonlinear_velocity_constraint():
    assert example("appell-hamel").start()["z'"] == pytest.approx(-0.5, abs=1e-12)
    assert example("appell-hamel").start(guess={"z'": 1.0})["z'"] == pytest.approx(0.5, abs=1e-12)


def test_rheonomic_start():
    assert example("moved-pendulum").start()["x'"] == pytest.approx(0.2 * 5, abs=1e-12)


def test_values_may_depend_on_parameters():
    state = pendulum(initial={"x": "l*sin(pi/6)"}, guess={"y": -1}).replace(parameters={"l": 3}).start()
    assert state["x"] == pytest.approx(1.5)


def test_singular_guess_is_explained():
    state = example("simple-pendulum").start(initial={"x": 0.6, "y": None})
    assert abs(state["y"]) == pytest.approx(0.8)
    assert state.notes[0].startswith("the guess leads to no solution (the constraints are singular there)")


def test_underdetermined_start_is_explained():
    notes = pendulum(initial={}).start().notes
    assert notes[0] == (
        "1 of the coordinates `x`, `y` and `phi` is not determined by the initial values and the constraints: "
        "the values nearest to the guess are taken"
    )


def test_overdetermined_start_is_explained():
    notes = pendulum(initial={"x": 1.0, "phi": "pi/2", "y": 0}).start().notes
    assert "of the coordinates `x`, `y` and `phi`, which are fixed, 2 would follow from the rest" in "".join(notes)


def test_dead_centre_is_explained():
    """At x = a + 1 the slider-crank is stretched: the fixed slider leaves no choice although it has no slope."""
    notes = example("slider-crank").start(initial={"q": None, "q'": None, "x": 1.5}, guess={"q": 0.1}).notes
    assert any("are at a limit position, such as a dead centre" in note for note in notes)


def test_a_value_that_constraints_fix_already():
    system = System(coordinates="x y z", kinetic="x'^2 + y'^2 + z'^2", constraints={"a": "x = 1"}, initial={"x'": 0})
    assert "of the velocities `x'`, which is fixed, 1 would follow from the constraints" in "".join(
        system.start().notes
    )


def test_small_systems_are_judged_by_their_own_size():
    tiny = System(
        coordinates="x y", kinetic="x'^2 + y'^2", constraints={"c": "x^2 + y^2 = L^2"}, parameters={"L": 1e-5}
    )
    for initial in ({"x": 0, "y": 0}, {"x": 0, "y": 0.9995e-5}):
        with pytest.raises(ModelError, match="contradict"):
            tiny.start(initial=initial)


def test_not_the_farthest_point():
    """From (0.1, 0) the nearest point of the ellipse is above or below, not its far end (2, 0)."""
    ellipse = System(
        coordinates="x y", kinetic="(x'^2 + y'^2)/2", constraints={"c": "x^2/4 + y^2 = 1"}, guess={"x": 0.1}
    )
    state = ellipse.start()
    assert np.hypot(state["x"] - 0.1, state["y"]) < 1.0


def test_large_mass_ratios_are_no_contradiction():
    names = [f"h{i}" for i in range(30)]
    system = System(
        coordinates=["x1", *names, "x2"],
        kinetic="1e3*(x1'^2 + x2'^2)/2",
        constraints={
            f"c{i}": f"{a} = {b}" for i, (a, b) in enumerate(zip(["x1", *names], [*names, "x2"], strict=True))
        },
    )
    assert system.start(initial={"x1": 1})["x2"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("initial", "parts"),
    [
        (
            {"x": 0.5, "phi": 1.0},
            ["x = 0.5, phi = 1 contradict `rod_x`", "`rod_x` is off by -0.341", "Leave one of them out"],
        ),
        ({"x": 2.0}, ["the initial value x = 2 contradicts `rod_x`", "is off by", "Leave it out"]),
        (
            {"phi": 0.0, "x'": 1.0, "phi'": 2.0},
            ["x' = 1, phi' = 2 contradict `rod_x`", "`rod_x` is off by -1", "x' = 1."],
        ),
    ],
)
def test_contradictions_name_constraint_residual_and_values(initial, parts):
    with pytest.raises(ModelError) as error:
        pendulum(initial=initial).start()
    for part in parts:
        assert part in str(error.value)


def test_parameters_need_values_to_start():
    with pytest.raises(ModelError, match="parameter `l` has no value; give one in `parameters`"):
        pendulum(parameters={"m": 1, "J": 1, "l": None, "g": 1}).start()


def test_infinite_initial_value():
    with pytest.raises(ModelError, match="the value of `phi` is not a finite number"):
        pendulum(initial={"phi": "1/(l - 1)"}).start()


def test_mass_matrix_must_be_finite_at_the_guess():
    system = System(coordinates="x", kinetic="x'^2/x", constraints={"a": "x = 1"})
    with pytest.raises(ModelError, match="the mass matrix is not finite at the guess; give other values in `guess`"):
        system.start()


def test_state_by_name():
    state = pendulum().start()
    assert set(state.as_dict()) == {"x", "y", "phi", "x'", "y'", "phi'"}
    with pytest.raises(KeyError, match="no coordinate or velocity `z`"):
        _ = state["z"]


@pytest.mark.parametrize("model", ["four-bar-spatial", "bricard", "slider-crank-joints"])
def test_bodies_that_fit_stay_where_they_were_placed(model):
    """Residuals that are rounding are not worked on: nothing would be gained, and places would change by rounding."""
    system = example(model)
    start = system.start()
    numeric = numeric_of(system)
    placed = given_values(numeric, system.guess)
    residual, jacobian, _ = numeric.position(start.t, np.array([placed[name] for name in system.coordinates]), True)
    assert np.abs(residual).max() <= 4e-16 * np.abs(jacobian).sum(axis=1).max() * np.abs(start.q).max()
    assert start.q.tolist() == [placed[name] for name in system.coordinates]


@pytest.mark.parametrize(("by", "chosen"), [("joints", "angle_pin'"), ("angles", "phi_rod'"), ("absolute", "phi_rod'")])
def test_velocities_that_are_left_open_are_told_in_all_coordinates(by, chosen):
    """A cart that moves at 5 m/s, and a rod that hangs on it: of all angular velocities that with the least energy.

    ½ J ω² + ½ m (v + l ω)² is least at ω = −m l v/(J + m l²), and so it starts whatever its coordinates are.
    """
    cart = Mechanism(
        bodies={
            "cart": {"mass": 10, "at": [0, 0], "velocity": [5, 0]},
            "rod": {"mass": 2, "inertia": 0.1, "at": [0, -0.5]},
        },
        joints={
            "rail": {"kind": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0], "axis": [1, 0]},
            "pin": {"kind": "revolute", "bodies": ["cart", "rod"], "at": [0, 0]},
        },
        by=by,
    )
    assert cart.start()[chosen] == pytest.approx(-2 * 0.5 * 5 / (0.1 + 2 * 0.25))
    note = next(problem.text for problem in cart.check().problems if "not determined" in problem.text)
    assert note.startswith("1 of the velocities") and "those with the least kinetic energy are taken" in note
    assert f"{chosen} = -8.33333)" in note
    at_rest = cart.replace(initial={"pin.angle'": 0})
    assert at_rest.start()[chosen] == pytest.approx(0, abs=1e-12)
    assert "not determined" not in str(at_rest.check())
