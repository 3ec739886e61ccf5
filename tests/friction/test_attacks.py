"""Loads that vanish, jump and turn, blows, events and files: what friction does is known in each case."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from dalembert import Event, Mechanism, ModelError, System, load, load_motion
from tests.friction.watched import kinds, times


def block(**changes) -> System:
    """A block of mass 1 on the floor, which friction holds against 2."""
    parts = {
        "coordinates": "x",
        "kinetic": "m*x'^2/2",
        "parameters": {"m": 1, "g": 10, "mu": 0.2},
        "friction": {"f": {"normal": "m*g", "slip": "x'", "coefficient": "mu"}},
    }
    return System(**{**parts, **changes})


# --- loads --------------------------------------------------------------------------------------------------------------


def test_a_push_that_comes_at_once():
    """3 from t = 1 to 2: it slips at 1, has v = 1 at 2, and sticks at 2.5, after 3/4."""
    run = block(forces={"x": "3*step(t - 1)*step(2 - t)"}).simulate(5)
    assert times(run, "slip") == pytest.approx([1.0]) and times(run, "stick") == pytest.approx([2.5], abs=1e-9)
    assert run["x"][-1] == pytest.approx(0.75, abs=1e-9)


def test_the_certificate_passes_where_a_push_comes_at_once():
    assert block(forces={"x": "3*step(t - 1)*step(2 - t)"}).simulate(5).certificate.ok


def test_a_load_that_is_gone_for_a_while():
    """Pushed by 1; without a load from 1 to 2 it gains v = 1, then friction less push, 1, stops it at t = 3, x = 1."""
    rub = {"f": {"normal": "m*g*(1 - step(t - 1) + step(t - 2))", "slip": "x'", "coefficient": "mu"}}
    run = block(friction=rub, forces={"x": "1"}).simulate(5)
    assert kinds(run) == ["slip", "stick"] and [e.t for e in run.events] == pytest.approx([1, 3], abs=1e-9)
    assert run["x"][-1] == pytest.approx(1, abs=1e-9)


def rail() -> System:
    """A block in a guide that is pressed by 10 cos t, to one side and to the other, and pushed by 1."""
    return System(
        coordinates="x y",
        kinetic="(x'^2 + y'^2)/2",
        forces={"y": "10*cos(t)", "x": "1"},
        constraints={"rail": "y = 0"},
        friction={"f": {"constraint": "rail", "slip": "x'", "coefficient": 0.2}},
    )


def test_a_load_that_changes_its_side():
    """It slips at 2 cos t = 1, passes N = 0 at π/2, and sticks where ∫ (1 − 2 |cos|) is zero."""
    slip = np.pi / 3
    stick = brentq(lambda t: (t - slip) - 2 * (2 - np.sin(t) - np.sin(slip)), 2.5, 3.3)
    run = rail().simulate(3.5, rtol=1e-10, atol=1e-12)
    assert kinds(run) == ["slip", "stick"] and [e.t for e in run.events] == pytest.approx([slip, stick], abs=1e-8)
    assert run.certificate.ok


def test_a_load_that_falls_again_after_a_rest():
    """It slips in each half period, at t = π/3 + k π."""
    run = rail().simulate(10, rtol=1e-10, atol=1e-12)
    assert times(run, "slip") == pytest.approx(np.pi / 3 + np.pi * np.arange(3), abs=1e-7)


def test_a_push_that_goes_to_and_fro_slips_each_time():
    """2.2 sin t against 2: it slips at asin(2/2.2) in every half period."""
    run = block(forces={"x": "2.2*sin(t)"}).simulate(20)
    assert times(run, "slip") == pytest.approx(np.arcsin(2 / 2.2) + np.pi * np.arange(7), abs=1e-6)


def test_a_speed_that_would_turn_back_for_a_moment():
    """x'' = 2 (t − 1) from x' = 0.999: at rest at t = 1 − √0.001; it sticks until the push is 1 again, at t = 1."""
    rub = {"f": {"normal": "m*g", "slip": "x'", "coefficient": 0.1}}
    run = block(friction=rub, forces={"x": "1 + 2*(t - 1)"}, initial={"x'": 0.999}).simulate(3)
    assert kinds(run) == ["stick", "slip"] and [e.t for e in run.events] == pytest.approx([1 - 0.001**0.5, 1], abs=1e-8)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_any_units(scale):
    for mass, length in ((scale, 1.0), (1.0, scale)):
        system = block(parameters={"m": mass, "g": 10 * length, "mu": 0.2}, initial={"x'": 2 * length})
        run = system.simulate(3)
        assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(1, abs=1e-9)


def test_a_row_of_blocks_begins_to_slip_one_after_the_other():
    """Eight blocks with springs between them: more at rest than all patterns are tried of. By SciPy, one after the other."""
    n = 8
    system = System(
        coordinates=" ".join(f"x{i}" for i in range(n)),
        kinetic=" + ".join(f"x{i}'^2/2" for i in range(n)),
        potential=" + ".join(f"10*(x{i + 1} - x{i})^2" for i in range(n - 1)),
        friction={f"f{i}": {"normal": "10", "slip": f"x{i}'", "coefficient": 0.2} for i in range(n)},
        forces={"x0": "3*t"},
    )
    run = system.simulate(2.5, rtol=1e-10, atol=1e-12)

    moving, t, y, begins = 0, 0.0, np.zeros(2 * n), []
    while True:  # `moving` blocks slide to the right, the others rest

        def forces(t, y):
            x = y[:n]
            stretch = 20 * np.diff(x)
            return np.append(stretch, 0) - np.append(0, stretch) + np.eye(n)[0] * 3 * t

        def rate(t, y, moving=moving):
            a = np.where(np.arange(n) < moving, forces(t, y) - 2, 0)
            return np.concatenate([np.where(np.arange(n) < moving, y[n:], 0), a])

        def gives(t, y, moving=moving):
            return forces(t, y)[moving] - 2

        gives.terminal = True  # pyright: ignore[reportFunctionMemberAccess]
        part = solve_ivp(rate, (t, 2.5), y, rtol=1e-11, atol=1e-13, events=gives)
        t, y = part.t[-1], part.y[:, -1]
        if part.status == 0:
            break
        begins.append(t)
        moving += 1
    assert [e.name for e in run.events] == [f"f{i}" for i in range(moving)] and set(kinds(run)) == {"slip"}
    assert [e.t for e in run.events] == pytest.approx(begins, abs=1e-8)
    assert np.array([run[f"x{i}"][-1] for i in range(n)]) == pytest.approx(y[:n], abs=1e-8)


def test_a_quick_push_to_and_fro():
    run = block(forces={"x": "3*sin(40*t)"}).simulate(1)
    first = np.arcsin(2 / 3) / 40
    assert times(run, "slip")[0] == pytest.approx(first, abs=1e-9)
    assert times(run, "slip")[2:] - times(run, "slip")[:-2] == pytest.approx(np.pi / 20, abs=1e-7)


def test_a_coefficient_that_falls_with_time():
    run = block(
        forces={"x": "1"}, friction={"f": {"normal": "m*g", "slip": "x'", "coefficient": "mu*exp(-t)"}}
    ).simulate(2, rtol=1e-10)
    assert kinds(run) == ["slip"] and run.events[0].t == pytest.approx(np.log(2), abs=1e-9)
    late = run.t[-1] - np.log(2)
    wanted = late**2 / 2 - (late - (1 - np.exp(-late)))  # x'' = 1 − 2 e^{−t}
    assert run["x"][-1] == pytest.approx(wanted, abs=1e-8)


def test_without_a_coefficient_nothing_is_held():
    run = block(
        potential="x^2/2", initial={"x": 1}, friction={"f": {"normal": "m*g", "slip": "x'", "coefficient": 0}}
    ).simulate(20, rtol=1e-10, atol=1e-12)
    assert run["x"] == pytest.approx(np.cos(run.t), abs=1e-8) and run.certificate.ok


@pytest.mark.parametrize("law", [{"normal": "0", "coefficient": 0.3}, {"normal": "m*g", "law": "0.3*N*v"}])
def test_what_rests_without_a_load_rests(law):
    run = block(friction={"f": {"slip": "x'", **law}}).simulate(5)
    assert run.status == "done" and not run["x"].any()


# --- several ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-6])
def test_two_that_stop_at_once(off):
    run = System(
        coordinates="x y",
        kinetic="(x'^2 + y'^2)/2",
        friction={
            "a": {"normal": "10", "slip": "x'", "coefficient": 0.2},
            "b": {"normal": "10", "slip": "y'", "coefficient": 0.2},
        },
        initial={"x'": 2, "y'": 2 + off},
    ).simulate(3)
    assert kinds(run) == ["stick", "stick"]
    assert [e.t for e in run.events] == pytest.approx([1.0, 1.0 + off / 2], abs=1e-9)


def test_a_belt_that_goes_to_and_fro_faster_than_friction_can_follow():
    """Belt velocity 5 sin t, friction 2: it goes with ±2 and turns where it meets the belt, without sticking."""
    run = block(friction={"f": {"normal": "m*g", "slip": "x' - 5*sin(t)", "coefficient": "mu"}}).simulate(8, rtol=1e-10)
    t, v, x, side = 0.0, 0.0, 0.0, 1.0
    while True:
        meets = [t + 0.05 + 0.01 * k for k in range(800)]
        gap = [side * (5 * np.sin(s) - v - side * 2 * (s - t)) for s in meets]
        k = next(k for k, value in enumerate(gap) if value < 0)
        end = brentq(lambda s, t=t, v=v, side=side: 5 * np.sin(s) - v - side * 2 * (s - t), meets[k - 1], meets[k])
        if end > 8:
            break
        x, v, t, side = x + v * (end - t) + side * (end - t) ** 2, v + side * 2 * (end - t), end, -side
    assert run["x"][-1] == pytest.approx(x + v * (8 - t) + side * (8 - t) ** 2, abs=1e-7) and run.certificate.ok


def test_a_light_part_that_a_heavy_one_carries():
    """A part without mass, tied to one with a mass, rubs: x'' = −1/2."""
    run = System(
        coordinates="x z",
        kinetic="m*x'^2/2",
        constraints={"tie": "x = z"},
        friction={"f": {"normal": "1", "slip": "z'", "coefficient": 0.5}},
        parameters={"m": 1},
        initial={"x": 0, "x'": 2},
    ).simulate(5)
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(4, abs=1e-9) and run.certificate.ok


# --- events and files ---------------------------------------------------------------------------------------------------


def test_parameters_that_change_by_events():
    """μ falls to 0.05 at t = 1, so it slips under 1 with 1/2, and comes to rest after μ = 0.2 at t = 2."""
    events = [Event("t = 1", {"mu": 0.05}), Event("t = 2", {"mu": 0.2})]
    run = block(forces={"x": "1"}).simulate(5, events=events)
    assert kinds(run) == ["event", "slip", "event", "stick"]
    assert run.events[-1].t == pytest.approx(2.5, abs=1e-9) and run["x"][-1] == pytest.approx(0.375, abs=1e-9)


def test_a_blow_on_what_sticks():
    run = block().simulate(5, events=[Event("t = 1", velocities={"x'": "2"})])
    assert run.status == "done" and run.events[-1].t == pytest.approx(2, abs=1e-9)


def test_events_of_friction_itself():
    run = block(forces={"x": "t"}).simulate(3, events=[Event("f.tangent = -1", name="half")])
    assert [(e.name, e.kind) for e in run.events] == [("half", "event"), ("f", "slip")]
    assert [e.t for e in run.events] == pytest.approx([1, 2], abs=1e-9)


def test_saved_and_loaded(tmp_path):
    system = block(initial={"x'": 2})
    system.save(tmp_path / "block.toml")
    again = load(tmp_path / "block.toml").simulate(3)
    run = system.simulate(3)
    assert [e.t for e in again.events] == [e.t for e in run.events] and kinds(again) == ["stick"]
    run.save(tmp_path / "run.npz")
    kept = load_motion(tmp_path / "run.npz")
    for name in ("t", "x", "f.tangent", "f.status", "f.slip", "f.normal"):
        assert np.array_equal(kept[name], run.evaluate(name))


def test_other_values_and_none():
    system = block(initial={"x'": 2})
    assert system.replace(parameters={"mu": 0.4}).simulate(3).events[0].t == pytest.approx(0.5, abs=1e-9)
    assert system.replace(friction={"f": {"coefficient": 0.1}}).simulate(3).events[0].t == pytest.approx(2, abs=1e-9)
    assert not system.replace(friction={"f": None}).simulate(3).events


def test_runs_one_after_the_other():
    first = block(initial={"x'": 2}).simulate(0.5)
    run = first + block(initial={"x'": 2}).simulate(3, initial=first.final())
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(1, abs=1e-9) and run.certificate.ok


# --- coordinates of joints ------------------------------------------------------------------------------------------------


def pendulum(**rub) -> Mechanism:
    return Mechanism(
        bodies={"rod": {"mass": 1, "inertia": 0.1, "at": [0, -0.5]}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
        friction={"pin": {"joint": "A", "coefficient": 0.2, "radius": 0.1, **rub}},
        initial={"A.angle": 1},
        by="joints",
    )


def test_joints_that_carry_bodies_have_nothing_that_presses():
    with pytest.raises(ModelError, match="absolute"):
        pendulum().simulate(1)


def test_joints_that_carry_bodies_under_a_load_that_is_given():
    with pytest.raises(ModelError, match='not computed in the coordinates "joints"'):
        pendulum(normal=5)
