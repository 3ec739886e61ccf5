"""The contract of motion: every form gives the same trajectory, every method has its order, constraints are kept."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import DerivationError, ModelError, System
from dalembert.motion.methods import METHODS
from tests.conftest import GALLERY, TOUCHING, pendulum
from tests.sampling import sampled
from tests.shared import example

FORMS = ("minimal", "explicit", "canonical", "independent", "quasi")
SPAN = {
    "andrews-squeezer": 0.01,
    "andrews-squeezer-joints": 0.01,
    "engine": 0.05,
    "heavy-top": 0.05,
    "heavy-top-joints": 0.05,
}


@functools.cache
def reference(model: str):
    return example(model).simulate(SPAN.get(model, 1.0), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", sampled(GALLERY, 3))
def test_all_forms_give_the_same_trajectory(model, form):
    plain = reference(model)
    try:
        run = example(model).simulate(SPAN.get(model, 1.0), form=form, rtol=1e-10, atol=1e-12)
    except DerivationError as refused:
        pytest.skip(str(refused))
    except ModelError as refused:
        assert model in TOUCHING and form == "quasi" and "velocities of its own" in str(refused)
        pytest.skip(str(refused))
    assert run.status == plain.status == "done"
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 1e-7 * (1 + np.abs(plain.q).max())
    assert np.abs(run.v[-1] - plain.v[-1]).max() < 1e-7 * (1 + np.abs(plain.v).max())


@pytest.mark.parametrize("model", GALLERY)
def test_radau_gives_the_same_trajectory(model):
    plain = reference(model)
    run = example(model).simulate(SPAN.get(model, 1.0), method="radau", rtol=1e-8, atol=1e-10)
    assert run.status == "done"
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 3e-7 * (1 + np.abs(plain.q).max())
    assert np.abs(run.v[-1] - plain.v[-1]).max() < 3e-7 * (1 + np.abs(plain.v).max())


@pytest.mark.parametrize("model", GALLERY)
def test_every_motion_is_certified(model):
    certificate = reference(model).certificate
    assert certificate.ok, str(certificate)


# --- orders ------------------------------------------------------------------------------------------------------------

KINDS = {
    "free": (example("double-pendulum"), 1.0),
    "holonomic": (pendulum(), 1.0),
    "nonholonomic": (example("chaplygin-sleigh"), 1.0),
    "nonlinear": (example("appell-hamel"), 0.5),
    "rheonomic": (example("moved-pendulum"), 1.0),
}
STEPS = {"euler": (400, 800), "rk4": (40, 80), "dop853": (6, 12), "radau": (32, 64)}


@functools.cache
def exact(kind: str):
    system, span = KINDS[kind]
    run = system.simulate(span, rtol=1e-13, atol=1e-14)
    return run.q[-1], run.v[-1], np.array([values[-1] for values in run.multipliers.values()])


@pytest.mark.parametrize(
    ("method", "keep"),
    [(method, keep) for method in STEPS for keep in METHODS[method].keeps],
)
@pytest.mark.parametrize("kind", KINDS)
def test_order(kind, method, keep):
    """Halving the step divides the error of positions, velocities and multipliers by 2^order."""
    system, span = KINDS[kind]
    order = METHODS[method].order
    errors = []
    # between coarse steps and rounding order 8 has two octaves to show itself; gains need some steps to settle
    counts = (8, 16) if method == "dop853" and system.constraints else STEPS[method]
    for count in counts:
        run = system.simulate(span, method=method, step=span / count, keep=keep)
        assert run.steps == count
        found = run.q[-1], run.v[-1], np.array([values[-1] for values in run.multipliers.values()])
        errors.append(
            [
                np.abs(x - y).max(initial=0.0) / (1 + np.abs(y).max(initial=0.0))
                for x, y in zip(found, exact(kind), strict=True)
            ]
        )
    for coarse, fine in zip(*errors, strict=True):
        if coarse > 1e-11:
            assert np.log2(coarse / fine) > order - 0.8 or fine < 1e-11


@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize("kind", KINDS)
def test_error_follows_the_tolerance(kind, method):
    system, span = KINDS[kind]
    for tolerance in (1e-5, 1e-8, 1e-11):
        run = system.simulate(span, method=method, rtol=tolerance, atol=tolerance)
        q, v, _ = exact(kind)
        assert np.abs(run.q[-1] - q).max() < 100 * tolerance * (1 + np.abs(q).max())
        assert np.abs(run.v[-1] - v).max() < 100 * tolerance * (1 + np.abs(v).max())


# --- singular positions ------------------------------------------------------------------------------------------------


def turning(N: int, end: float) -> tuple[float, float]:
    """Return angle and speed of the parallelogram, measured from the upright position."""
    k = 9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    found = solve_ivp(lambda _, y: [y[1], k * np.sin(y[0])], (0, end), [0, 1.0], "DOP853", rtol=1e-13, atol=1e-14)
    return found.y[0, -1], found.y[1, -1]


def check_four_bar(N: int, tolerance: float) -> None:
    run = example(f"n-four-bar:{N}").simulate(20.0, rtol=tolerance, atol=tolerance)
    assert run.status == "done"
    angle, speed = turning(N, 20.0)
    bound = max(300 * tolerance, 2e-8)
    q, v = run.q[-1], run.v[-1]
    place, rate = np.array([2 * q[0], 2 * q[1]]), np.array([2 * v[0], 2 * v[1]])
    assert np.abs(place - [np.sin(angle), np.cos(angle)]).max() < bound
    assert np.abs(rate - speed * np.array([np.cos(angle), -np.sin(angle)])).max() < bound * 6.7  # the largest speed
    assert np.ptp(q[2::3][: N + 1]) < 1e-6  # on the branch of the parallelogram


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("N", [1, 2, 10])
def test_four_bar_passes_its_singular_positions(N, tolerance):
    check_four_bar(N, tolerance)


@pytest.mark.full
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-11])
def test_forty_four_bars_pass_their_singular_positions(tolerance):
    check_four_bar(40, tolerance)


# --- keeping constraints -----------------------------------------------------------------------------------------------


def test_projection_keeps_and_nothing_drifts():
    system = example("chaplygin-sleigh")
    kept, drifting = (system.simulate(5.0, method="rk4", step=0.02, keep=keep) for keep in ("project", "none"))
    assert kept.residual["velocity"] < 1e-13
    assert drifting.residual["velocity"] > 1e-9


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_stabilisation_with_frozen_gains(method):
    """Errors of one step vanish in the next (velocities) or in two (positions): they stay at the size of one step."""
    step = 0.01
    for system in (example("upright-disk"), pendulum()):
        plain = system.simulate(10.0, method=method, step=step, keep="none")
        held = system.simulate(10.0, method=method, step=step, keep="stabilise")
        level = "velocity" if system.constraints[0].level == "velocity" else "position"
        assert held.residual[level] < 0.2 * plain.residual[level]
        assert all(bound.delta < 1e-7 for bound in held.bounds)  # a root of rounding


def test_the_trap_of_large_gains():
    """K of order 1/τ inside the stages makes matters worse than no stabilisation (theory, section 6)."""
    system, step = example("upright-disk"), 0.1
    sizes = {}
    for name, gains in (("none", None), ("small", {"kappa": -5}), ("smallest S", {"kappa": -1.5961 / step})):
        keep = "none" if gains is None else "stabilise"
        sizes[name] = system.simulate(6.0, method="rk4", step=step, keep=keep, gains=gains).residual["velocity"]
    sizes["frozen"] = system.simulate(6.0, method="rk4", step=step, keep="stabilise").residual["velocity"]
    assert sizes["smallest S"] > 10 * sizes["small"] > 100 * sizes["none"]
    assert sizes["frozen"] < sizes["none"]


@pytest.mark.parametrize(
    ("model", "settings", "steps"),
    [
        ("upright-disk", {"method": "rk4", "step": 0.1}, 1),
        ("upright-disk", {"method": "rk4", "step": 0.1, "gains": {"kappa": -5}}, None),
        ("pendulum", {"method": "rk4", "step": 0.02}, 2),
        ("pendulum", {"method": "euler", "step": 0.002}, 2),
        ("pendulum", {"method": "rk4", "step": 0.05, "gains": {"alpha": 5, "beta": 5}}, None),
        ("pendulum", {}, None),
    ],
)
def test_the_bound_of_stabilisation_holds(model, settings, steps):
    """Residuals stay below σ; where gains are chosen, S vanishes over one step, or over two of equal length."""
    run = example(model).simulate(3.0, keep="stabilise", **settings)
    (bound,) = run.bounds
    assert bound.held, str(bound)
    assert "the bound held" in str(bound)
    assert steps is None or (bound.steps == steps and bound.delta < 1e-9)
    assert run.certificate[f"stabilised {bound.level}"].ok


def test_gains_that_violate_the_theorem_are_refused():
    settings = {"method": "rk4", "step": 0.1, "keep": "stabilise", "gains": {"kappa": -30}}
    with pytest.raises(ModelError, match=r"kappa = -30 are outside what `rk4` admits.*-27\.85 < kappa < 0"):
        example("upright-disk").simulate(1.0, **settings)
    (bound,) = example("upright-disk").simulate(1.0, unchecked=True, **settings).bounds
    assert not bound.held
    assert "nothing is bounded" in str(bound)


def test_the_work_of_a_moved_support_is_counted():
    """A rheonomic constraint does work; the balance holds all the same."""
    run = example("moved-pendulum").simulate(5.0, rtol=1e-10, atol=1e-12)
    assert np.ptp(run.energy) > 0.1
    assert run.certificate["energy"].value < 1e-8


def test_nonhomogeneous_velocity_constraints_do_work():
    system = System(
        "x y", kinetic="(x'^2 + y'^2)/2", potential="y", constraints={"belt": "x' + y*y' = 1 + t"}, initial={"y": 0.3}
    )
    run = system.simulate(2.0)
    assert np.ptp(run.energy) > 0.1
    assert run.certificate["energy"].value < 1e-8


# --- independent coordinates -------------------------------------------------------------------------------------------


def test_independent_coordinates_are_chosen_and_renewed():
    """The sleigh turns: its independent velocities are those of x and the angle, then of y and the angle, and so on."""
    run = example("chaplygin-sleigh").simulate(5.0, form="independent", rtol=1e-10, atol=1e-12)
    assert len(run.choices) > 2
    assert [len(names) for _, names in run.choices] == [2] * len(run.choices)
    assert {names for _, names in run.choices} == {("x", "theta"), ("y", "theta")}
    assert run.residual["velocity"] < 1e-13
    assert [*run.q[-1]] == pytest.approx([-2.490145829383, -1.840728959151, 4.553791253211], abs=1e-8)


def test_independent_coordinates_pass_singular_positions():
    run = example("n-four-bar:2").simulate(5.0, form="independent", rtol=1e-9, atol=1e-10)
    plain = example("n-four-bar:2").simulate(5.0, rtol=1e-9, atol=1e-10)
    assert run.status == "done"
    assert len(run.choices) > 1
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 1e-6


def test_errors_are_those_of_independent_coordinates():
    """Positions of a driven mechanism without freedom are found, not integrated: any step will do."""
    system = System(
        "x y", kinetic="x'^2 + y'^2", constraints={"a": "x = 1 + sin(t)/2", "b": "x*y = 1 + t"}, guess={"x": 1, "y": 1}
    )
    run = system.simulate(3.0, form="independent", rtol=1e-3, atol=1e-3)
    assert run.steps < 40
    assert run["x"] == pytest.approx(1 + np.sin(run.t) / 2, abs=1e-12)
    assert run["x'"] == pytest.approx(np.cos(run.t) / 2, abs=1e-12)
