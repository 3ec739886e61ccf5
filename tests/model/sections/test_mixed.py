"""Tables of a model file together, in odd units and plain decimals: against equations written by hand."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from dalembert import load, loads

ACCURATE = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}
MIX = """format = 1
name = "Mix"
coordinates = ["x", "y", "phi"]
[parameters]
m = 1.3
J = 0.07
l = 0.9
c = 0.11
[tables.k_t]
x = [-2, -1, 0, 1, 2]
value = [-9, -3.5, 0, 2.5, 8]
beyond = "linear"
[tables.push]
x = [0, 0.4, 0.8, 1.6, 5]
value = [0, 2, -1, 0.5, 0]
kind = "linear"
beyond = "constant"
[functions]
G = {of = ["phi", "t"], value = "0.2*sin(phi)*cos(t)"}
[define]
px = "l*sin(phi)"
py = "-l*cos(phi)"
[states]
z = "phi' - 2*z"
i = "u - 3*i"
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + J*phi'^2/2"
potential = "m*9.81*y"
dissipation = "c*px'^2/2"
[forces]
phi = "-k_t(phi) + z + G(phi, t) + G_phi(phi, t)"
[loads.p]
at = ["px", "py"]
force = ["push(t)", 0]
[controls.u]
acts = {phi = "0.5"}
law = "-0.4*phi - 0.2*phi' + 0.3*i"
[constraints]
a = "x = px"
b = "y = py"
[initial]
phi = 0.7
"phi'" = 0
i = 0.1
[outputs]
lam = "lambda_a"
uu = "u^2"
acc = "phi''"
[events.level]
when = "phi = 0"
direction = "down"
velocities = {z = "z/2"}
"""
KNOTS = ([-2, -1, 0, 1, 2], [-9, -3.5, 0, 2.5, 8])
PUSH = ([0, 0.4, 0.8, 1.6, 5], [0, 2, -1, 0.5, 0])


def mix(t, y):
    """The pendulum of MIX by its angle."""
    phi, w, z, i = y
    u = -0.4 * phi - 0.2 * w + 0.3 * i
    along = 0.9 * np.cos(phi)
    torque = -float(CubicSpline(*KNOTS)(phi)) + z + 0.2 * (np.sin(phi) + np.cos(phi)) * np.cos(t) + 0.5 * u
    torque += np.interp(t, *PUSH) * along - 0.11 * along**2 * w - 1.3 * 9.81 * 0.9 * np.sin(phi)
    return [w, torque / (1.3 * 0.81 + 0.07), w - 2 * z, u - 3 * i]


def down(t, y):
    return y[0]


down.terminal, down.direction = True, -1  # pyright: ignore[reportFunctionMemberAccess]


@pytest.fixture(scope="module")
def swung():
    """The state of MIX at t = 2, and how often it came through the level."""
    t, y, count = 0.0, np.array([0.7, 0, 0, 0.1]), 0
    while t < 2:
        end = min([k for k in (*PUSH[0], 2.0) if k > t])
        part = solve_ivp(mix, (t, end), y, events=down, **ACCURATE)
        t, y = float(part.t[-1]), part.y[:, -1]
        if part.status == 1:
            y, count = y * [1, 1, 0.5, 1], count + 1
            y[0] = -1e-15
    return y, count


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent"])
def test_every_form_of_a_model_with_all_tables(form, swung):
    y, count = swung
    run = loads(MIX).simulate(2, form=form, rtol=1e-10, atol=1e-12)
    assert [run[name][-1] for name in ("phi", "phi'", "z", "i")] == pytest.approx(y, abs=1e-6)
    assert len(run.events) == count > 0 and run.certificate.ok
    rate = mix(2.0, [run[name][-1] for name in ("phi", "phi'", "z", "i")])
    assert run["acc"][-1] == pytest.approx(rate[1], rel=1e-8) and run["i'"][-1] == pytest.approx(rate[3], rel=1e-8)


def test_it_is_saved_and_exported(tmp_path):
    system = loads(MIX)
    system.save(tmp_path / "mix.toml")
    assert load(tmp_path / "mix.toml") == system
    system.export(tmp_path / "mix_numpy.py", to="numpy")
    spec = importlib.util.spec_from_file_location("mix_numpy", tmp_path / "mix_numpy.py")
    assert spec is not None and spec.loader is not None
    code = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(code)
    phi, w, z, i = 0.3, -0.4, 0.2, 0.7
    q = [0.9 * np.sin(phi), -0.9 * np.cos(phi), phi, 0, 0]
    v = [0.9 * np.cos(phi) * w, 0.9 * np.sin(phi) * w, w, z, i]
    found, _ = code.accelerations(1.1, np.array(q), np.array(v))
    assert found[2:] == pytest.approx(mix(1.1, [phi, w, z, i])[1:], rel=1e-12)


ARM = """format = 1
[parameters]
kt = 250000.5
Vb = 12
Rm = 1.1
Lm = 0.004
km = 900.25
[mechanism]
gravity = [0, -9810]
[bodies.arm]
mass = 0.002
inertia = 35.5
at = [150, 0]
[joints.A]
kind = "revolute"
bodies = ["ground", "arm"]
at = [0, 0]
[tables.tau]
x = [-3.2, -1, -0.5, 0, 0.5, 1, 3.2]
value = [4000, 900, 500, 0, -300, -1100, -5000]
[states]
cur = "(Vb - Rm*cur - 0.001*km*A.angle')/Lm"
[actuators.spring]
joint = "A"
torque = "tau(angle)"
[controls.mot]
joint = "A"
law = "km*cur"
[events.off]
when = "A.angle = 0.3"
direction = "up"
set = {Vb = 0}
[outputs]
a = "A.angle"
p = "mot*A.angle'"
"""


def arm(t, y, volts):
    """The arm of ARM, in mm, t and s, by its angle and the current of its motor."""
    angle, w, i = y
    spring = CubicSpline([-3.2, -1, -0.5, 0, 0.5, 1, 3.2], [4000, 900, 500, 0, -300, -1100, -5000])
    torque = float(spring(angle)) + 900.25 * i - 0.002 * 9810 * 150 * np.cos(angle)
    return [w, torque / (35.5 + 0.002 * 150**2), (volts - 1.1 * i - 0.90025 * w) / 0.004]


def test_a_motor_in_millimetres_that_is_switched_off():
    def reached(t, y, volts):
        return y[0] - 0.3

    reached.terminal, reached.direction = True, 1  # pyright: ignore[reportFunctionMemberAccess]
    first = solve_ivp(arm, (0, 1), [0, 0, 0], events=reached, args=(12,), **ACCURATE)
    assert first.status == 1
    then = solve_ivp(arm, (first.t[-1], 1), first.y[:, -1], args=(0,), **ACCURATE)
    run = loads(ARM).simulate(1)
    for name, value in zip(("phi_arm", "phi_arm'", "cur"), then.y[:, -1], strict=True):
        assert run[name][-1] == pytest.approx(value, rel=1e-6, abs=1e-6)
    assert [event.t for event in run.events] == pytest.approx([first.t[-1]], abs=1e-8)
    assert run.certificate.ok
    assert run["p"] == pytest.approx(900.25 * run["cur"] * run["phi_arm'"])
