"""RATTLE, composed: its order, what it preserves, what it passes, what it refuses."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

from dalembert import DerivationError, Event, ModelError, SimulationError, System
from dalembert.motion.methods.rattle import RATTLE
from tests.contracts.test_motion import turning
from tests.shared import example

ROD = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)"}


def swinging(**changes) -> System:
    """Build a pendulum in three coordinates, at an angle of 1."""
    settings = {
        "coordinates": "x y phi",
        "kinetic": "m*(x'^2 + y'^2)/2 + J*phi'^2/2",
        "potential": "m*g*y",
        "constraints": ROD,
        "parameters": {"m": 1, "J": 0.1, "l": 1, "g": 9.81},
        "initial": {"phi": 1.0, "phi'": 0.5},
    }
    return System(**(settings | changes))


def test_the_weights_satisfy_what_a_composition_of_order_8_must():
    """Σγ = 1 and Σγ³ = Σγ⁵ = Σγ⁷ = 0; the other conditions show in the orders below."""
    weights = RATTLE.weights
    assert len(weights) == 17
    assert np.array_equal(weights, weights[::-1])
    assert np.sum(weights) == pytest.approx(1, abs=1e-15)
    assert [np.sum(weights**k) for k in (3, 5, 7)] == pytest.approx([0, 0, 0], abs=1e-15)


# --- order -------------------------------------------------------------------------------------------------------------

MOVED = {"rod_x": "x = 0.2*sin(5*t) + l*sin(phi)", "rod_y": "y = -l*cos(phi)"}
KINDS = {
    "free": (example("double-pendulum"), 30),
    "holonomic": (swinging(), 10),
    "with inertia that changes": (example("pendulum-on-slider"), 10),
    "redundant": (swinging(constraints=ROD | {"again": "x^2 + y^2 = l^2", "twice": "x^2 + (y - 1)^2 = 2*(1 - y)"}), 10),
    "rheonomic": (swinging(constraints=MOVED), 10),
    "with time in the energies": (
        System(
            coordinates="phi",
            kinetic="((cos(5*t) + cos(phi)*phi')^2 + (sin(phi)*phi')^2)/2",
            potential="-9.81*(1 + 0.3*sin(2*t))*cos(phi)",
            initial={"phi": 0.3},
        ),
        10,
    ),
    "damped and driven": (swinging(forces={"phi": "-0.3*phi'*phi^2 + cos(t)", "x": "-0.2*x'"}), 10),
}


def ending(run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions, velocities and reactions at the end; multipliers of redundant constraints are not unique."""
    reactions = [run.reaction(constraint.name)[-1] for constraint in run.system.constraints]
    return run.q[-1], run.v[-1], sum(reactions, np.zeros_like(run.q[-1]))


@functools.cache
def exact(kind: str):
    system = KINDS["holonomic" if kind == "redundant" else kind][0]
    return ending(system.simulate(1.0, rtol=1e-13, atol=1e-14))


@pytest.mark.parametrize("kind", KINDS)
def test_order(kind):
    """Halving the step divides the error of positions, velocities and reactions by 2^8."""
    system, count = KINDS[kind]
    errors = []
    for steps in (count, 2 * count):
        run = system.simulate(1.0, method="rattle", step=1 / steps)
        assert (run.status, run.steps, run.rejected) == ("done", steps, 0)
        errors.append([np.abs(x - y).max() for x, y in zip(ending(run), exact(kind), strict=True)])
        assert max(run.residual.values()) < 1e-14
        assert run.certificate["agreement"].ok
    for coarse, fine in zip(*errors, strict=True):
        assert coarse < 1e-5
        assert fine < 2e-12 or np.log2(coarse / fine) > 7.2


def test_a_particle_in_turning_axes_moves_straight():
    """The energy has a part linear in the velocities; seen from outside, the particle is free."""
    system = System(
        coordinates="x y",
        kinetic="((x' - w*y)^2 + (y' + w*x)^2)/2",
        parameters={"w": 2},
        initial={"x": 1, "y": 0, "x'": 0.3, "y'": -1},
    )
    run = system.simulate(3.0, method="rattle", step=0.05)
    x, y = 1 + 0.3 * run.t, run.t  # outside, x' − w y = 0.3 and y' + w x = 1 at the start
    angle = 2 * run.t
    assert run["x"] == pytest.approx(np.cos(angle) * x + np.sin(angle) * y, abs=1e-9)
    assert run["y"] == pytest.approx(-np.sin(angle) * x + np.cos(angle) * y, abs=1e-9)


# --- structure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["double-pendulum", "chain:3", "n-four-bar:1"])
def test_going_back_leads_to_the_start(model):
    system = example(model)
    there = system.simulate(2.0, method="rattle", step=0.02)
    names = (*system.coordinates, *system.velocities)
    turned = dict(zip(names, [*there.q[-1], *-there.v[-1]], strict=True))
    back = system.simulate(2.0, initial=turned, method="rattle", step=0.02)
    assert back.q[-1] == pytest.approx(there.q[0], abs=1e-10)  # rounding, grown on the way
    assert back.v[-1] == pytest.approx(-there.v[0], abs=1e-9)


def advanced(system: System, state: np.ndarray, **settings) -> np.ndarray:
    """Return q and p after one long step, from q and p."""
    n = len(system.coordinates)
    kernels = system.compile("canonical")
    q, p = state[:n], state[n:]
    v = kernels.evaluate("canonical", "canonical", 0.0, q, p)[:n]
    initial = dict(zip((*system.coordinates, *system.velocities), [*q, *v], strict=True))
    run = system.simulate(0.1, initial=initial, form="canonical", step=0.1, **settings)
    return np.concatenate([run.q[-1], kernels.evaluate("canonical", "momenta", 0.1, run.q[-1], run.v[-1])])


@pytest.mark.parametrize(("method", "least", "most"), [("rattle", 0.0, 1e-7), ("rk4", 1e-4, 1.0)])
def test_one_step_is_symplectic(method, least, most):
    """JᵀΩJ = Ω for the Jacobian J of a step so long that its error shows (that of RK4 does)."""
    system, state = example("double-pendulum"), np.array([2.0, 1.0, 3.0, -1.0])
    change = 1e-4 * np.eye(4)
    J = np.array(
        [advanced(system, state + d, method=method) - advanced(system, state - d, method=method) for d in change]
    )
    J = J.T / 2e-4
    Omega = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert least <= np.abs(J.T @ Omega @ J - Omega).max() < most


def test_one_step_on_constraints_keeps_areas():
    system = swinging()

    def after(phi: float, rate: float) -> np.ndarray:
        run = system.simulate(0.3, initial={"phi": phi, "phi'": rate}, method="rattle", step=0.3)
        return np.array([run["phi"][-1], run["phi'"][-1]])

    d = 1e-4
    J = np.array([after(1 + d, 0.5) - after(1 - d, 0.5), after(1, 0.5 + d) - after(1, 0.5 - d)]) / (2 * d)
    assert np.linalg.det(J) == pytest.approx(1, abs=1e-7)


def ranges(run) -> tuple[float, float]:
    """Return the largest energy error in the first and in the last tenth of a motion."""
    error = np.abs(run.energy - run.energy[0])
    tenth = len(error) // 10
    return error[:tenth].max(), error[-tenth:].max()


def test_the_energy_stays_for_a_hundred_thousand_steps():
    """Beside it RK4 with an eighth of the step, which costs about as much: it drifts."""
    system = example("simple-pendulum")
    run = system.simulate(5000.0, method="rattle", step=0.05)
    first, last = ranges(run)
    assert run.steps == 100_000
    assert last == pytest.approx(first, rel=0.01)
    assert last < 1e-9
    assert max(run.residual.values()) < 5e-15
    drifting = ranges(system.simulate(500.0, method="rk4", step=0.05 / 8))
    assert drifting[1] > 5 * drifting[0] > 1e-7


@pytest.mark.parametrize(
    ("model", "initial", "step"),
    [("double-pendulum", {"a1": 0.6, "a2": 0.8}, 0.05), ("chain:3", {"a_1": -1.1, "a_2": -1.2, "a_3": -1.3}, 0.02)],
)
def test_the_energy_stays_with_many_freedoms(model, initial, step):
    run = example(model).simulate(10_000 * step, initial=initial, method="rattle", step=step)
    first, last = ranges(run)
    assert run.status == "done"
    assert last < 2 * first < 1e-5
    assert max(run.residual.values()) < 1e-13


# --- singular positions, redundancy, ends ------------------------------------------------------------------------------


@pytest.mark.parametrize("N", [1, 2, 10])
def test_four_bars_pass_their_singular_positions(N):
    run = example(f"n-four-bar:{N}").simulate(20.0, method="rattle", step=0.04)
    assert run.status == "done"
    angle, speed = turning(N, 20.0)
    assert 2 * run.q[-1, :2] == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-7)
    assert 2 * run.v[-1, :2] == pytest.approx(speed * np.array([np.cos(angle), -np.sin(angle)]), abs=1e-6)
    assert np.ptp(run.q[-1, 2::3][: N + 1]) < 1e-7  # on the branch of the parallelogram


def test_four_bars_for_a_long_time():
    """Some hundred passages; where a position between two parts of a step is singular, the step is cut."""
    run = example("n-four-bar:2").simulate(500.0, method="rattle", step=0.05)
    assert run.status == "done"
    assert np.ptp(run.q[:, 2:9:3], axis=1).max() < 1e-6
    assert np.abs(run.energy - run.energy[0]).max() < 1e-5
    assert 0 < run.rejected < 0.01 * run.steps


def test_a_contradiction_that_comes_with_time_ends_the_motion():
    constraints = {"a": "x = 0", "b": "x = max(0, t - 0.5)^2"}
    run = System("x y", kinetic="(x'^2 + y'^2)/2", constraints=constraints).simulate(1.0, method="rattle", step=0.02)
    assert run.status == "failed"
    assert run.t[-1] <= 0.51
    assert re.search(r"no state nearby satisfies `a` and `b` \(`a` is off by .* after t = ", run.message)


def test_the_end_of_the_reach_ends_the_motion():
    system = System(
        coordinates="x y",
        kinetic="(x'^2 + y'^2)/2",
        constraints={"rod": "x^2 + y^2 = 1", "pull": "x = 0.5 + t"},
        guess={"y": 1},
    )
    run = system.simulate(1.0, method="rattle", step=0.01)
    assert run.status == "failed"
    assert run.t[-1] == pytest.approx(0.5, abs=0.02)
    assert "the end of its reach" in run.message
    assert "p_x = " in run.message


def test_not_finite_is_said():
    system = System(coordinates="x", kinetic="x'^2/2", potential="-sqrt(1 - x)", initial={"x": 0, "x'": 3})
    run = system.simulate(10.0, method="rattle", step=0.01)
    assert run.status == "failed"
    assert re.match(r"the equations have no finite value for x'.* after t = 0\.34", run.message)
    assert 0.3 < run.t[-1] < 0.36
    assert np.all(np.isfinite(run.q))


def test_a_body_at_rest_stays_at_rest():
    run = swinging(initial={"phi": 0.0}).simulate(10.0, method="rattle", step=0.1)
    assert np.abs(run["phi"]).max() < 1e-14
    assert run.rejected == 0
    assert run.multipliers["rod_y"] == pytest.approx(9.81)


# --- during the run ----------------------------------------------------------------------------------------------------


def test_states_in_between_are_as_accurate_as_the_steps():
    reference = swinging().simulate(2.0, rtol=1e-13, atol=1e-14)
    times = np.linspace(0, 2, 38)
    run = swinging().simulate(2.0, method="rattle", step=0.1, samples=times)
    q, v = reference.at(times)
    assert run.q == pytest.approx(q, abs=1e-8)
    assert run.v == pytest.approx(v, abs=1e-7)
    assert max(run.residual.values()) < 1e-14
    again = swinging().simulate(2.0, method="rattle", step=0.1).at(times)
    assert again[0] == pytest.approx(run.q, abs=1e-14)


def test_events_change_and_stop():
    """Without weight from t = 1 on: the pendulum turns evenly."""
    events = [Event("t = 1", {"g": 0.0}), Event("phi = 3", "stop"), Event("lambda_rod_y = 0"), "phi = 0"]
    system = swinging(initial={"phi": 0.0, "phi'": 7.0})
    run = system.simulate(50.0, method="rattle", step=0.05, events=events)
    reference = system.simulate(50.0, rtol=1e-12, atol=1e-13, events=events)
    assert (run.status, run.message) == (reference.status, reference.message)
    assert [(e.name, pytest.approx(e.t, abs=1e-7)) for e in reference.events] == [(e.name, e.t) for e in run.events]
    assert run["phi'"][run.t > 1] == pytest.approx(run["phi'"][-1], abs=1e-12)


def test_interrupted():
    def stop(t, seconds):
        raise KeyboardInterrupt

    run = example("chain:3").simulate(1e6, method="rattle", step=0.01, progress=stop)
    assert run.status == "stopped"
    assert run.message.startswith("interrupted at t = ")
    assert 0 < run.t[-1] < 1e6


def test_the_error_is_estimated():
    run = swinging().simulate(2.0, method="rattle", step=0.1)
    exact = swinging().simulate(2.0, rtol=1e-13, atol=1e-14).at(run.t)[0]
    error = np.abs(run.q - exact)
    assert run.global_error().max() == pytest.approx(error.max(), rel=0.1)


# --- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "settings", "message"),
    [
        ("upright-disk", {}, "takes constraints on positions only, unlike .*; use `dop853`"),
        (
            "heavy-top",
            {},
            "needs inertia in every direction, and along `e0`.* there is none, .*; give it some, or use `dop853`",
        ),
        ("slider-crank", {"step": None}, "has a fixed step; give it"),
        ("slider-crank", {"form": "minimal"}, "goes with the form `canonical`, not with `minimal`"),
        ("slider-crank", {"keep": "none"}, "keeps the constraints itself"),
    ],
)
def test_refusals(model, settings, message):
    with pytest.raises(ModelError, match=message):
        example(model).simulate(1.0, **({"method": "rattle", "step": 0.01} | settings))


def test_a_step_too_long_for_a_hard_spring_is_refused_with_the_remedy():
    spring = System(
        "r phi",
        kinetic="(r'^2 + r^2*phi'^2)/2",
        potential="1e9*(r - 1)^2/2 - 9.81*r*cos(phi)",
        initial={"r": 1.0, "phi": 1.0},
    )
    with pytest.raises(SimulationError, match=r"too long for the fastest forces\. Take a smaller step, or, .* `radau`"):
        spring.simulate(1.0, method="rattle", step=0.01)


def test_matrices_are_refused():
    system = System(coordinates="x", mass=[[1]], force=["-x"])
    with pytest.raises(
        (ModelError, DerivationError), match="needs energies, and this system is given by matrices; use"
    ):
        system.simulate(1.0, method="rattle", step=0.1)
