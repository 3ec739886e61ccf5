"""The motion against closed forms and published numbers."""

from __future__ import annotations

import re

import mpmath
import numpy as np
import pytest

from dalembert import System
from tests.shared import example


def test_simple_pendulum_has_its_exact_period_and_place():
    run = example("simple-pendulum").simulate(10.0, rtol=1e-10, atol=1e-12)
    assert (run["x"][-1], run["y"][-1]) == pytest.approx((-0.27508746257611686, -0.961419205099125064), abs=1e-7)
    assert max(run.residual.values()) < 1e-12


def test_simple_pendulum_over_2000_seconds():
    """From the horizontal at rest, exact by elliptic functions: some thousand swings."""
    with mpmath.workdps(30):
        m = mpmath.mpf(1) / 2
        sn = mpmath.ellipfun("sn", mpmath.ellipk(m) - mpmath.sqrt(mpmath.mpf("9.81")) * 2000, m=m)
        angle = -2 * mpmath.asin(mpmath.sqrt(m) * sn)
        exact = [float(mpmath.sin(angle)), float(-mpmath.cos(angle))]
    run = example("simple-pendulum").simulate(2000.0, rtol=1e-13, atol=1e-13)
    assert [*run.q[-1]] == pytest.approx(exact, abs=1e-7)
    assert max(run.residual.values()) < 1e-14
    assert run.certificate["energy"].value < 1e-10


def test_upright_disk():
    run = example("upright-disk").simulate(6.0, rtol=1e-10, atol=1e-12)
    assert run["x"] == pytest.approx(np.sqrt(3) - 2 * np.cos(np.pi / 6 + run.t), abs=1e-8)
    assert run["y"] == pytest.approx(1 - 2 * np.sin(np.pi / 6 + run.t), abs=1e-8)


def test_knife_edge():
    run = example("knife-edge").simulate(5.0, rtol=1e-10, atol=1e-12)
    assert (run["x"][-1], run["y"][-1]) == pytest.approx((2.2551614625299994, 12.929605887228087), abs=1e-8)
    assert run.multipliers["blade"] == pytest.approx(-2 * 9.81 / 2 * np.sin(run.t), abs=1e-7)
    assert run.energy is None


def test_chaplygin_sleigh():
    run = example("chaplygin-sleigh").simulate(5.0, rtol=1e-10, atol=1e-12)
    assert [*run.q[-1]] == pytest.approx([-2.490145829383, -1.840728959151, 4.553791253211], abs=1e-8)


def test_nonholonomic_particle():
    run = example("nonholonomic-particle").simulate(5.0, rtol=1e-10, atol=1e-12)
    y0, vx, vy = 0.5, 1.0, 0.7
    y, C = y0 + vy * run.t, vx * np.sqrt(1 + y0**2)
    assert run["x"] == pytest.approx(C / vy * (np.arcsinh(y) - np.arcsinh(y0)), abs=1e-8)
    assert run["z"] == pytest.approx(C / vy * (np.sqrt(1 + y**2) - np.sqrt(1 + y0**2)), abs=1e-8)


def test_appell_hamel():
    run = example("appell-hamel").simulate(2.0, rtol=1e-10, atol=1e-12)
    assert run["z"] == pytest.approx(-0.5 * run.t - 9.81 / 5 * run.t**2 / 2, abs=1e-8)


def test_rod_with_knife_edge():
    run = example("rod-with-knife-edge").simulate(5.0, rtol=1e-10, atol=1e-12)
    theta = 0.3 + 1.2 * run.t
    assert run["q2"] == pytest.approx(np.cos(theta), abs=1e-8)
    assert run["q1'"] == pytest.approx(1.6 * np.cos(theta), abs=1e-8)


def test_slider_crank_as_in_sundials():
    run = example("slider-crank").simulate(10.0, rtol=1e-10, atol=1e-12)
    assert [*run.q[-1]] == pytest.approx([1.275675848650261, 1.023578558979836, -0.498813049182484], abs=1e-7)
    assert [-value[-1] for value in run.multipliers.values()] == pytest.approx([1.11375616, -0.76250728], abs=1e-6)


def test_heavy_top():
    run = example("heavy-top").simulate(0.1, rtol=1e-10, atol=1e-12)
    expected = [0.4212966589254, 0.8945719743456, -0.1491647005619]
    expected += [0.3318229126083, 0.1773380566669, 0.9149751591387, -0.1458260144309]
    assert [*run.q[-1]] == pytest.approx(expected, abs=1e-7)


def test_andrews():
    run = example("andrews-squeezer").simulate(0.03, rtol=1e-12, atol=1e-12)
    published = [15.81077119515370710, -15.75637105841183947, 0.0408222401196458049, -0.534730116342079594]
    published += [0.524409965879954069, 0.534730116342079594, 1.048080741041937873]
    assert [*run.q[-1]] == pytest.approx(published, abs=1e-10)


def test_moved_pendulum_agrees_with_its_angle_alone():
    moved = example("moved-pendulum").simulate(5.0, rtol=1e-10, atol=1e-12)
    angle = System(
        coordinates="phi",
        kinetic="m*((b*w*cos(w*t) + l*cos(phi)*phi')^2 + (l*sin(phi)*phi')^2)/2",
        potential="-m*g*l*cos(phi)",
        parameters={"m": 1, "l": 1, "g": 9.81, "b": 0.2, "w": 5},
        initial={"phi": 0.3},
    )
    assert moved["phi"][-1] == pytest.approx(angle.simulate(5.0, rtol=1e-10, atol=1e-12)["phi"][-1], abs=1e-8)


def test_four_bar_passes_its_singular_positions():
    run = example("n-four-bar:2").simulate(1.0, rtol=1e-8, atol=1e-10)
    assert 2 * run["x_u0"][-1] == pytest.approx(-0.1950203019495, abs=1e-5)
    assert 2 * run["y_u0"][-1] == pytest.approx(-0.9807992056622, abs=1e-5)


def test_not_finite_is_said():
    system = System(coordinates="x", kinetic="x'^2/2", potential="log(1 - x)", initial={"x": 0, "x'": 1})
    run = system.simulate(10.0)
    assert run.status == "failed"
    assert re.search(r"(no finite value|step becomes too small) .*t = 0\.65", run.message)
    assert 0.6 < run.t[-1] < 0.66
    assert np.all(np.isfinite(run.q))


@pytest.mark.parametrize("settings", [{}, {"form": "minimal"}, {"method": "bdf"}])
def test_a_constraint_that_is_always_true_does_nothing(settings):
    identity = "x*(x + y)^2*cos(z) = x*(x^2 + 2*x*y + y^2)*cos(z)"
    initial = {"x": 1.3, "y": 0.4, "z": 0.2, "x'": 1, "y'": 0.5, "z'": -0.3}
    kinetic = "(x'^2 + y'^2 + z'^2)/2"
    system = System(coordinates="x y z", kinetic=kinetic, constraints=[identity], initial=initial)
    run = system.simulate(2.0, **settings)
    assert [*run.q[-1]] == pytest.approx([3.3, 1.4, -0.4], abs=1e-12 if "method" not in settings else 1e-7)


@pytest.mark.parametrize(
    ("later", "reached"),
    [("x = t^3", 0.01), ("x' = t^2", 0.01), ("x = max(0, t - 0.5)^2", 0.51)],
)
def test_a_contradiction_that_comes_with_time_ends_the_motion(later, reached):
    system = System(coordinates="x y", kinetic="(x'^2 + y'^2)/2", constraints={"a": "x = 0", "b": later})
    run = system.simulate(1.0)
    assert run.status == "failed"
    assert run.t[-1] < reached
    assert re.search(r"no state nearby satisfies `a` and `b` \(`a` is off by .* after t = ", run.message)


def test_the_end_of_the_reach_ends_the_motion():
    """A rod of length 1 whose end is pulled away: straight at t = 0.5."""
    system = System(
        coordinates="x y",
        kinetic="(x'^2 + y'^2)/2",
        constraints={"rod": "x^2 + y^2 = 1", "pull": "x = 0.5 + t"},
        guess={"y": 1},
    )
    assert system.check().ok
    run = system.simulate(1.0)
    assert run.status == "failed"
    assert run.t[-1] == pytest.approx(0.5, abs=1e-3)
    assert "or the system is at the end of its reach" in run.message


@pytest.mark.parametrize(
    "constraints",
    [["x = 0", "x = z - 0.1 - 0.2", "z = 0.3"], ["x = 0", "x = z - 30*sqrt(w)", "z^2 = 900*w"]],
)
def test_redundant_constraints_need_not_agree_to_the_last_digit(constraints):
    guess = {"w": 0.7, "z": 0.6, "w'": 0.3}
    kinetic = "(x'^2 + z'^2 + w'^2)/2"
    run = System("x z w", kinetic=kinetic, constraints=constraints, guess=guess).simulate(3.0)
    assert max(run.residual.values()) < 1e-12


@pytest.mark.parametrize("form", ["multipliers", "independent"])
@pytest.mark.parametrize("free", [False, True], ids=["driven", "and free"])
def test_what_follows_a_drive_is_followed_by_the_steps(form, free):
    """Where no coordinate is independent, or a slow one, the driven one is as accurate, also between the steps."""
    system = System(
        coordinates="x y" if free else "x",
        kinetic="x'^2/2 + y'^2/2" if free else "x'^2/2",
        constraints={"drive": "x = sin(9*t)"},
        initial={"y": 0, "y'": 0.1} if free else {},
    )
    run = system.simulate(5.0, form=form)
    times = np.linspace(0, 5, 301)
    assert np.abs(run.at(times)[0][:, 0] - np.sin(9 * times)).max() < 1e-7
    assert run.certificate.ok


@pytest.mark.parametrize("settings", [{}, {"method": "radau"}, {"form": "canonical"}, {"method": "rk4", "step": 0.001}])
def test_energies_that_jump_in_time_are_balanced(settings):
    """A spring whose end jumps: the work is that of the jump, the motion swings about the new place."""
    system = System("x", kinetic="x'^2/2", potential="(x - if(t > 1, 0.1, 0))^2/2", initial={"x": 0.05, "x'": 0})
    run = system.simulate(5.0, **settings)
    start = np.array([0.05 * np.cos(1) - 0.1, -0.05 * np.sin(1)])
    exact = 0.1 + start @ [np.cos(4), np.sin(4)]
    assert run["x"][-1] == pytest.approx(exact, abs=2e-3 if "step" in settings else 1e-7)
    assert run.certificate.ok, str(run.certificate)


def test_a_motion_without_forces_and_without_freedom_is_certified_without_a_warning(recwarn):
    run = System("x", kinetic="x'^2/2", constraints={"even": "x = 2*t"}).simulate(1.0)
    assert run.certificate.ok
    assert not recwarn.list
