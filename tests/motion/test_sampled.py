"""Laws of control in Python, held between their calls: against the exact solution of the sampled system."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, ModelError, SimulationError, System, load_motion
from dalembert.motion.engine import Engine

EVERY = 0.02


def cart(**more) -> System:
    parts = {"kinetic": "m*x'^2/2", "forces": {"x": "u"}, "parameters": {"m": 2, "u": 0}, "initial": {"x": 1, "x'": 0}}
    return System("x", **{**parts, **more})


def law(t, state):
    return -8 * state["x"] - 4 * state["x'"]


def exact(count: int) -> np.ndarray:
    """x and v at the calls: x⁺ = x + v h + u h²/2m, v⁺ = v + u h/m."""
    rows = [(1.0, 0.0)]
    for _ in range(count):
        x, v = rows[-1]
        a = (-8 * x - 4 * v) / 2
        rows.append((x + v * EVERY + a * EVERY**2 / 2, v + a * EVERY))
    return np.array(rows)


@pytest.mark.parametrize(
    ("method", "settings"),
    [("dop853", {}), ("radau", {}), ("bdf", {}), ("rk4", {"step": 0.01}), ("rattle", {"step": 0.01}), ("dop853", {"form": "canonical"})],
)  # fmt: skip
def test_held_between_calls_as_in_the_exact_solution(method, settings):
    run = cart().simulate(until=1, samples=50, method=method, controls={"u": law}, every=EVERY, **settings)
    known = exact(50)
    np.testing.assert_allclose(run["x"], known[:, 0], atol=1e-7)
    np.testing.assert_allclose(run["x'"], known[:, 1], atol=1e-7)
    np.testing.assert_allclose(run.calls["u"], -8 * known[:50, 0] - 4 * known[:50, 1], atol=1e-6)
    assert len(run.calls["t"]) == 50 and run["u"][0] == run.controls["u"][0] == -8
    assert run.certificate.ok


def test_the_certificate_replays_the_record_and_calls_no_law():
    calls = []

    def noisy(t, state):
        calls.append(t)
        return law(t, state) + np.random.default_rng(len(calls)).normal()

    run = cart().simulate(until=1, controls={"u": noisy}, every=EVERY)
    assert len(calls) == 50
    assert run.certificate.ok
    assert len(calls) == 50
    np.testing.assert_allclose(calls, EVERY * np.arange(50), atol=1e-12)


def test_the_certificate_looks_into_all_steps_at_once(monkeypatch):
    """What it costs grows as the motion does, however often laws were called."""
    looks, whole = [], Engine.inside
    monkeypatch.setattr(Engine, "inside", lambda self, *args: looks.append(1) or whole(self, *args))
    cart = System("x", kinetic="x'^2/2", controls={"u": {"acts": {"x": 1}}}, initial={"x": 1, "x'": 0})
    run = cart.simulate(2, controls={"u": lambda t, s: -s["x"] - s["x'"]}, every=0.01)
    assert run.certificate.ok and len(run.motion.changes) > 100
    assert len(looks) < 10


def test_a_law_sees_states_and_goes_together_with_switches_and_events():
    system = cart(forces={"x": "u + step(t - 0.5)"}, states={"z": "x"})
    seen = []
    run = system.simulate(
        until=1, controls={"u": lambda t, s: seen.append(s) or -s["z"]}, every=0.1, events=[Event("x = 0.995")]
    )
    assert set(seen[0]) == {"x", "x'", "z"} and len(seen) == 10
    assert run.certificate.ok and len(run.events) == 1


def test_saved_and_reported(tmp_path):
    run = cart().simulate(until=0.5, controls={"u": law}, every=EVERY)
    run.save(tmp_path / "run.csv")
    np.testing.assert_array_equal(load_motion(tmp_path / "run.csv")["u"], run["u"])


def test_an_interval_longer_than_the_motion_is_one_call():
    run = cart().simulate(until=1, controls={"u": law}, every=5)
    assert run.calls["u"].tolist() == [-8.0]
    assert run["x"][-1] == pytest.approx(1 - 8 / 2 / 2, rel=1e-9)
    assert run.certificate.ok


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (lambda t, s: [1, 2], "gives the list"),
        (lambda t, s: np.nan, "expected a finite number"),
        (lambda t, s: None, "gives nothing"),
        (lambda t, s: "1", "expected a finite number"),
        (lambda t, s: np.ones(3), "expected a finite number"),
        (lambda t, s: 1 / (t - t), "fails at t = 0: ZeroDivisionError"),
        (lambda t: 1, "fails at t = 0: TypeError"),
        (lambda t, s: s["y"], "fails at t = 0: KeyError"),
    ],
)
def test_laws_that_give_no_number(found, words):
    with pytest.raises(SimulationError, match=words):
        cart().simulate(until=1, controls={"u": found}, every=0.1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"controls": {"u": law}}, "give `every`"),
        ({"controls": {"u": law}, "every": 0}, "must be positive"),
        ({"controls": {"u": law}, "every": -1}, "must be positive"),
        ({"controls": {"u": law}, "every": 1e-9}, "at most 1,000,000"),
        ({"every": 0.1}, "`every` is the interval of laws"),
        ({"controls": {"w": law}, "every": 0.1}, "there is no control `w`"),
        ({"controls": {"u": 3}, "every": 0.1}, "is the interval of laws in Python"),
        ({"controls": [law], "every": 0.1}, "controls"),
    ],
)
def test_settings_that_cannot_be(settings, words):
    with pytest.raises(ModelError, match=words):
        cart().simulate(until=1, **settings)


def test_constraints_cannot_follow_a_held_value():
    with pytest.raises(ModelError, match="stands in constraint `c`"):
        cart(constraints={"c": "x = 1 + u"}).simulate(until=1, controls={"u": law}, every=0.1)


def inverted(**changes):
    return System(
        "x",
        kinetic="x'^2/2",
        potential="-8*x^2",
        forces={"x": "u"},
        parameters={"u": 0},
        initial={"x": 1e-3, "x'": 0, **changes},
    )


def test_an_unstable_system_that_its_law_holds_passes():
    run = inverted().simulate(until=12, controls={"u": lambda t, s: -30 * s["x"] - 9 * s["x'"]}, every=EVERY)
    assert run.certificate.ok and "called again" in str(run.certificate)


def test_a_law_that_remembers_is_not_taken_for_one_that_does_not():
    seen = []

    def growing(t, s):
        seen.append(t)
        return -30 * s["x"] - 9 * s["x'"] + 1e-3 * len(seen)

    run = inverted().simulate(until=12, controls={"u": growing}, every=EVERY)
    assert not run.certificate.ok and run.certificate.until < 12
