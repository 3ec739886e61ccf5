"""Inverse dynamics against closed forms, power balances, drives, and the motions that come of what is found."""

from __future__ import annotations

import json
import math
import warnings

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, System, example
from dalembert.cli import main
from dalembert.errors import MotionWarning


def arm(by: str, programme: bool = True, **more) -> Mechanism:
    """Return a planar arm of two links with motors in its joints."""
    paths = {"p": "A.angle = 0.3*sin(t)", "q": "B.angle = 0.5*sin(2*t)"}
    return Mechanism(
        bodies={
            "one": {"mass": 1.2, "inertia": 0.05, "at": [0.2, 0]},
            "two": {"mass": 0.7, "inertia": 0.03, "at": [0.75, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "one"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["one", "two"], "at": [0.5, 0]},
        },
        by=by,
        controls={"a": {"joint": "A"}, "b": {"joint": "B"}},
        programme=paths if programme else {},
        simulation={"until": 2, "samples": 40},
        **more,
    )


def torques_of_two_links(x, y):
    """Return the torques of a planar arm in closed form; x and y are angle, rate and acceleration of both joints."""
    m1, m2, I1, I2, l, s1, s2, g = 1.2, 0.7, 0.05, 0.03, 0.5, 0.2, 0.25, 9.81
    c, s = np.cos(y[0]), np.sin(y[0])
    M11 = I1 + I2 + m1 * s1**2 + m2 * (l**2 + s2**2 + 2 * l * s2 * c)
    M12, M22, h = I2 + m2 * (s2**2 + l * s2 * c), I2 + m2 * s2**2, m2 * l * s2 * s
    first = g * ((m1 * s1 + m2 * l) * np.cos(x[0]) + m2 * s2 * np.cos(x[0] + y[0]))
    second = g * m2 * s2 * np.cos(x[0] + y[0])
    one = M11 * x[2] + M12 * y[2] - h * (2 * x[1] * y[1] + y[1] ** 2) + first
    return one, M12 * x[2] + M22 * y[2] + h * x[1] ** 2 + second


@pytest.mark.parametrize("by", ["absolute", "joints", "angles"])
def test_arm_of_two_links(by):
    system = arm(by)
    run = system.simulate()
    t = run.t
    x = 0.3 * np.sin(t), 0.3 * np.cos(t), -0.3 * np.sin(t)
    y = 0.5 * np.sin(2 * t), np.cos(2 * t), -2 * np.sin(2 * t)
    found = system.inverse(run)
    for wanted, name in zip(torques_of_two_links(x, y), "ab", strict=True):
        np.testing.assert_allclose(run[name], wanted, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found[name], wanted, rtol=1e-9, atol=1e-9)
    assert found.determined == {"a": True, "b": True}
    assert found.choices.shape == (41, 2, 0)
    for joint in "AB":
        np.testing.assert_allclose(found.joint(joint).force, run.joint(joint).force, atol=1e-9)


def test_what_is_found_makes_the_motion():
    """A hanging arm: what disturbs it does not grow."""
    system = arm("joints").replace(programme={"p": "A.angle = -pi/2 + 0.3*sin(t)"})
    run = system.simulate(samples=1000)
    free = system.replace(programme={"p": None, "q": None})
    back = free.simulate(controls=free.inverse(run).laws, initial=system.start().as_dict(), samples=1000)
    np.testing.assert_allclose(back.q, run.q, atol=1e-7)


def test_what_hardly_acts_at_some_times_is_no_measure():
    """The crane at rest at its ends, where its rope is upright: sideways there is nothing but rounding."""
    crane = example("crane")
    run = crane.simulate(samples=2)
    found = crane.inverse(run)
    for name in ("F", "M"):
        np.testing.assert_allclose(found[name], run[name], atol=1e-8)


def five_bar(**more) -> Mechanism:
    """Return a five-bar linkage with motors at both ends."""
    given = {
        "bodies": {
            "a": {"mass": 1, "inertia": 0.02, "at": [-0.1, 0.2], "angle": "pi/2"},
            "b": {"mass": 1, "inertia": 0.03, "at": [0.1, 0.5]},
            "c": {"mass": 1, "inertia": 0.03, "at": [0.4, 0.5]},
            "d": {"mass": 1, "inertia": 0.02, "at": [0.6, 0.2]},
        },
        "joints": {
            name: {"kind": "revolute", "bodies": list(bodies), "at": at}
            for name, bodies, at in (
                ("A", ("ground", "a"), [0, 0]),
                ("B", ("a", "b"), [-0.1, 0.4]),
                ("C", ("b", "c"), [0.25, 0.6]),
                ("D", ("c", "d"), [0.6, 0.4]),
                ("E", ("ground", "d"), [0.5, 0]),
            )
        },
        "controls": {"left": {"joint": "A"}, "right": {"joint": "E"}},
        "programme": {"p": "A.angle = 0.2*sin(2*t)", "q": "E.angle = 0.1*sin(3*t)"},
        "simulation": {"until": 2, "samples": 40},
    }
    return Mechanism(**{**given, **more})


@pytest.mark.parametrize("by", ["absolute", "joints"])
def test_five_bar_with_two_drives(by):
    """The torques are those of drives, whose multipliers are found without any control."""
    paths = {
        "left": {"joint": "A", "angle": "0.2*sin(2*t)"},
        "right": {"joint": "E", "angle": "0.1*sin(3*t)"},
    }
    driven = five_bar(by=by, controls={}, programme={}, drives=paths)
    run, wanted = five_bar(by=by).simulate(), driven.simulate()
    found = driven.inverse()
    for name in ("left", "right"):
        moment = wanted.joint(name).moment
        np.testing.assert_allclose(run[name], moment, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(found[name], moment, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("by", ["absolute", "joints"])
def test_a_closed_loop_is_played_back(by):
    system = five_bar(by=by, simulation={"until": 1, "samples": 1000})
    run, free = system.simulate(), system.replace(programme={"p": None, "q": None})
    back = free.simulate(controls=system.inverse(run).laws, initial=system.start().as_dict())
    np.testing.assert_allclose(back.q, run.q, atol=1e-7)


THIRD = {"left": {"joint": "A"}, "right": {"joint": "E"}, "third": {"joint": "C", "weight": 2}}
LINKAGES = {
    "four-bar": lambda: example("four-bar").replace(
        controls={"motor": {"joint": "A"}, "second": {"joint": "D", "weight": 3}},
        programme={"turn": "A.angle = 0.5*sin(2*t)^2"},
        initial=dict.fromkeys(example("four-bar").initial),
        simulation={"until": 0.5, "samples": 6},
    ),
    "five-bar": lambda: five_bar(controls=THIRD, simulation={"until": 1, "samples": 6}),
}


@pytest.mark.parametrize("linkage", ["four-bar", pytest.param("five-bar", marks=pytest.mark.full)])
def test_more_motors_than_programmes_in_a_closed_loop(linkage):
    """The least are those that inverse dynamics finds, by weight."""
    system = LINKAGES[linkage]()
    run = system.simulate()
    assert run.certificate.ok
    found = system.inverse(run)
    assert not any(found.determined.values())
    for name in found.values:
        np.testing.assert_allclose(run[name], found[name], rtol=1e-9, atol=1e-9)


def four_bar(**more) -> Mechanism:
    """Return the four-bar of the gallery with a drive."""
    drives = {"motor": {"joint": "A", "angle": "12*t"}}
    return example("four-bar").replace(drives=drives, simulation={"until": 0.5, "samples": 50}, **more)


THREE = {"u": {"joint": "B"}, "w": {"joint": "D"}}


def test_four_bar_with_three_drives_takes_the_least():
    system = four_bar(controls=THREE)
    found = system.inverse()
    assert found.determined == {"motor": False, "u": False, "w": False}
    assert found.choices.shape == (51, 3, 2)
    u = np.array([found[name] for name in found.values]).T
    alone = four_bar().inverse()["motor"]
    rates = motor_rates(found.t)
    # power is what counts: Σ uᵢ rateᵢ = torque of one motor alone × its rate; the least u is along the rates
    np.testing.assert_allclose(np.sum(u * rates, axis=1), alone * rates[:, 0], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(
        u, (alone * rates[:, 0] / np.sum(rates**2, axis=1))[:, None] * rates, rtol=1e-7, atol=1e-7
    )
    np.testing.assert_allclose(np.einsum("tk,tkd->td", u, found.choices), 0, atol=1e-9)
    np.testing.assert_allclose(np.einsum("tk,tkd->td", rates, found.choices), 0, atol=1e-8)


def test_weights_shift_the_load():
    system, weight = four_bar(controls=THREE), {"motor": 100.0, "u": 1.0, "w": 4.0}
    found = system.inverse(weight=weight)
    u = np.array([found[name] for name in found.values]).T
    rates, R = motor_rates(found.t), np.array([weight[name] for name in found.values])
    alone = four_bar().inverse()["motor"]
    wanted = (alone * rates[:, 0] / np.sum(rates**2 / R, axis=1))[:, None] * rates / R
    np.testing.assert_allclose(u, wanted, rtol=1e-7, atol=1e-7)


def motor_rates(t):
    """Return the rates of the joints in which something acts, by kinematics."""
    motion = four_bar().kinematics(t)
    return np.array([motion.joint(name).velocity for name in ("A", "B", "D")]).T


def test_platform_on_six_legs():
    """Six forces along massless legs hold a platform: the wrench of the legs by hand."""
    angles = np.radians([0, 60, 120, 180, 240, 300])
    base = np.column_stack(
        [
            1.2 * np.cos(angles + 0.3 * (-1.0) ** np.arange(6)),
            1.2 * np.sin(angles + 0.3 * (-1.0) ** np.arange(6)),
            0 * angles,
        ]
    )
    top = np.column_stack([0.6 * np.cos(angles), 0.6 * np.sin(angles), 0 * angles])
    legs = {}
    for k, (b, p) in enumerate(zip(base, top, strict=True)):
        where = [
            f"(x + {p[0]:.17g} - ps*{p[1]:.17g})",
            f"(y + {p[1]:.17g} + ps*{p[0]:.17g})",
            f"(z + th*{p[1]:.17g} - ph*{p[0]:.17g})",
        ]
        legs[f"leg{k}"] = {"at": where, "force": [f"f{k}*({w} - ({c:.17g}))" for w, c in zip(where, b, strict=True)]}
    platform = System(
        "x y z th ph ps",
        kinetic="m*(x'^2 + y'^2 + z'^2)/2 + (I*(th'^2 + ph'^2) + J*ps'^2)/2",
        potential="m*g*z",
        loads=legs,
        controls={f"f{k}": {} for k in range(6)},
        parameters={"m": 8, "I": 0.4, "J": 0.7, "g": 9.81},
    )
    t = np.linspace(0, 2, 30)
    q = np.column_stack(
        [0.1 * np.sin(t), 0.05 * np.cos(t), 1 + 0.1 * np.sin(2 * t), 0.05 * t, 0.02 * t**2, 0.1 * np.sin(t)]
    )
    v = np.column_stack(
        [0.1 * np.cos(t), -0.05 * np.sin(t), 0.2 * np.cos(2 * t), 0.05 + 0 * t, 0.04 * t, 0.1 * np.cos(t)]
    )
    a = np.column_stack(
        [-0.1 * np.sin(t), -0.05 * np.cos(t), -0.4 * np.sin(2 * t), 0 * t, 0.04 + 0 * t, -0.1 * np.sin(t)]
    )
    found = platform.inverse({"t": t, "q": q, "v": v, "a": a})
    for i in range(len(t)):
        x, y, z, th, ph, ps = q[i]
        E = np.zeros((6, 6))
        for k, (b, p) in enumerate(zip(base, top, strict=True)):
            place = np.array([x + p[0] - ps * p[1], y + p[1] + ps * p[0], z + th * p[1] - ph * p[0]])
            slopes = np.array([[1, 0, 0, 0, 0, -p[1]], [0, 1, 0, 0, 0, p[0]], [0, 0, 1, p[1], -p[0], 0]])
            E[:, k] = slopes.T @ (place - b)
        need = np.array([8, 8, 8, 0.4, 0.4, 0.7]) * a[i] + np.array([0, 0, 8 * 9.81, 0, 0, 0])
        np.testing.assert_allclose([found[f"f{k}"][i] for k in range(6)], np.linalg.solve(E, need), rtol=1e-9)


def test_what_cannot_make_a_motion_is_said():
    cart = System(
        "x y", kinetic="x'^2 + y'^2", controls={"u": {"acts": {"x": 1}}}, parameters={}, simulation={"until": 1}
    )
    t = np.linspace(0, 1, 5)
    rows = np.column_stack([t, t])
    with pytest.raises(ModelError, match="`u` cannot make this motion: at t = 0 it takes a force on `y`"):
        cart.inverse({"t": t, "q": rows, "v": rows, "a": np.ones((5, 2))})
    with pytest.raises(ModelError, match="a row for each time"):
        cart.inverse({"t": t, "q": rows, "v": rows, "a": np.ones((4, 2))})
    with pytest.raises(ModelError, match="`a` is missing"):
        cart.inverse({"t": t, "q": rows, "v": rows})
    with pytest.raises(ModelError, match="nothing is driven"):
        System("x", kinetic="x'^2").inverse()
    with pytest.raises(ModelError, match="`w` is not driven"):
        cart.inverse({"t": t, "q": rows, "v": rows, "a": rows * 0}, weight={"w": 1})
    with pytest.raises(ModelError, match="positive number"):
        cart.inverse({"t": t, "q": rows, "v": rows, "a": rows * 0}, weight={"u": 0})
    with pytest.raises(ModelError, match="not those of the system"):
        cart.inverse(arm("joints").simulate())


@pytest.mark.parametrize(("part", "what"), [("q", "positions"), ("v", "velocities"), ("a", "accelerations")])
def test_rows_that_break_the_linkage_are_said(part, what):
    system = five_bar(simulation={"until": 1, "samples": 10})
    run = system.simulate()
    rows = {"t": run.t, "q": run.q, "v": run.v, "a": run.accelerations}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.inverse(rows)
    off = rows[part].copy()
    off[4, 0] += 0.01 * np.abs(off).max()
    with pytest.warns(MotionWarning, match=f"does not keep `[AB].*: {what} are off by .* at t = 0.4"):
        system.inverse({**rows, part: off})


def test_command(tmp_path, capsys):
    path = tmp_path / "arm.toml"
    arm("joints").save(path)
    table = tmp_path / "torques.csv"
    assert _run("inverse", str(path), "--samples", "10", "--json", "--out", str(table)) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["t"]) == 11
    assert found["determined"] == {"a": True, "b": True}
    rows = table.read_text().splitlines()
    assert rows[0] == "t,a,b"
    assert math.isclose(float(rows[-1].split(",")[1]), found["values"]["a"][-1])
    assert _run("inverse", "pendulum") == 2
    assert "nothing is driven" in capsys.readouterr().err


def _run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return int(ended.value.code or 0)
