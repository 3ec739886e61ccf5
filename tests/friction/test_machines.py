"""Machines with friction: brakes, screws, guides that jam, sleighs, cranks and bearings."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

from dalembert import Mechanism, System
from tests.friction.watched import kinds, times

G = 9.81


# --- forces that name reactions ---------------------------------------------------------------------------------------


def test_a_band_brake():
    """T₂ = T₁ e^{μθ} of Euler and Eytelwein, at a lever that the taut end of the band helps to press.

    The lever, P L = b T₁ − a T₂, is at rest, so T₁ = P L/(b − a e^{μθ}), and the drum is braked by R (T₂ − T₁).
    """
    system = System(
        coordinates="psi phi",
        kinetic="(I*psi'^2 + J*phi'^2)/2",
        constraints={"band": "b*psi = 0"},
        forces={"psi": "-P*L - a*lambda_band*exp(mu*theta)", "phi": "-R*lambda_band*(exp(mu*theta) - 1)"},
        parameters={"I": 0.1, "J": 2, "b": 0.1, "a": 0.01, "P": 50, "L": 0.4, "mu": 0.3, "theta": "4*pi/3", "R": 0.2},
        initial={"phi'": 30},
    )
    grip = np.exp(0.3 * 4 * np.pi / 3)
    T1 = 50 * 0.4 / (0.1 - 0.01 * grip)
    run = system.simulate(0.2, rtol=1e-10, samples=4)
    assert run.evaluate("lambda_band") == pytest.approx(T1, rel=1e-10)
    assert run["phi'"] == pytest.approx(30 - 0.2 * T1 * (grip - 1) / 2 * run.t, rel=1e-9)


def test_a_wheelset_whose_creep_depends_on_the_load():
    """Creep forces f N in a wheelset, linear once N = m g is known: against the exponential of its matrix."""
    values = {"m": 1200, "J": 700, "v": 20, "g": G, "f": 200, "b": 0.75, "r": 0.45, "e": 0.05, "k": 3e5}
    system = System(
        coordinates="y z psi",
        kinetic="m*(y'^2 + z'^2)/2 + J*psi'^2/2",
        potential="m*g*z + k*(y^2 + psi^2)/2",
        constraints={"rail": "z = 0"},
        forces={
            "y": "-2*f*abs(lambda_rail)*(y'/v - psi)",
            "psi": "-2*f*abs(lambda_rail)*(b^2*psi'/v + b*e*y/r)",
        },
        parameters=values,
        initial={"y": 0.005, "psi": 0},
    )
    p = values
    N = p["m"] * p["g"]
    c = 2 * p["f"] * N
    A = np.array(
        [
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [-p["k"] / p["m"], c / p["m"], -c / p["v"] / p["m"], 0],
            [-c * p["b"] * p["e"] / p["r"] / p["J"], -p["k"] / p["J"], 0, -c * p["b"] ** 2 / p["v"] / p["J"]],
        ]
    )
    run = system.simulate(0.5, method="radau", rtol=1e-10, atol=1e-13, samples=5)
    wanted = np.array([expm(A * t) @ [0.005, 0, 0, 0] for t in run.t])
    assert np.column_stack([run["y"], run["psi"]]) == pytest.approx(wanted[:, :2], abs=1e-10)


# --- screws and guides ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.1, 0.17])
def test_a_screw_locks_itself(mu):
    """A nut on a vertical screw, lead angle β: it comes down if μ < tan β, here 0.16, and stays if μ > tan β.

    m z'' = −m g + N cos β + F sin β, J φ'' = −N r sin β + F r cos β, z = h φ, F = μ N.
    """
    h, r, m, J = 0.0016, 0.01, 2.0, 0.001
    nut = Mechanism(
        bodies={"nut": {"mass": m, "inertia": [J, J, J], "at": [0, 0, 0]}},
        joints={
            "S": {"kind": "screw", "bodies": ["ground", "nut"], "at": [0, 0, 0], "axis": [0, 0, 1], "pitch": "2*pi*h"}
        },
        friction={"thread": {"joint": "S", "coefficient": "mu", "radius": r}},
        parameters={"mu": mu, "h": h, "g": G},
        dimensions=3,
    )
    beta = np.arctan(h / r)
    run = nut.simulate(0.3, rtol=1e-10, samples=3)
    if mu > h / r:
        assert run["z_nut"] == pytest.approx(0, abs=1e-14) and run.evaluate("thread.status")[-1] == 1
        # at rest: force along the thread m g sin β, across it m g cos β
        assert run.evaluate("thread.tangent")[-1] == pytest.approx(m * G * np.sin(beta), rel=1e-9)
        assert run.evaluate("thread.normal")[-1] == pytest.approx(m * G * np.cos(beta), rel=1e-9)
        return
    s, c = np.sin(beta), np.cos(beta)
    rows = np.array([[m * h, -(c + mu * s)], [J, r * (s - mu * c)]])
    a, N = np.linalg.solve(rows, [-m * G, 0.0])
    assert run["z_nut"] == pytest.approx(h * a * run.t**2 / 2, rel=1e-8)
    assert run.evaluate("thread.normal") == pytest.approx(N, rel=1e-8) and a < 0


@pytest.mark.parametrize("length", [0.1, 0.119, 0.121, 0.3])
def test_a_bracket_on_a_pole_jams(length):
    """A force F parallel to a pole at the distance e: the ends of the collar press by F e/L each, so that friction is
    2 μ F e/L: it holds if L < 2 μ e, here 0.12, else the bracket slides with (F − 2 μ F e/L)/m.
    """
    mu, e, F, m = 0.3, 0.2, 40.0, 2.0
    bracket = Mechanism(
        bodies={"bracket": {"mass": m, "inertia": 0.1, "at": [0, 0], "points": {"P": [e, 0]}}},
        joints={"D": {"kind": "prismatic", "bodies": ["ground", "bracket"], "at": [0, 0], "axis": [0, -1]}},
        loads={"push": {"body": "bracket", "point": "P", "force": [0, -F]}},
        friction={"collar": {"joint": "D", "coefficient": "mu", "length": "L"}},
        gravity=[0, 0],
        parameters={"mu": mu, "L": length},
    )
    run = bracket.simulate(0.5, rtol=1e-10, atol=1e-12, samples=3)
    assert run.evaluate("collar.normal") == pytest.approx(2 * F * e / length, rel=1e-10)
    if length < 2 * mu * e:
        assert run["y_bracket"] == pytest.approx(0, abs=1e-14)
        assert abs(run.evaluate("collar.tangent")[-1]) == pytest.approx(F, rel=1e-10)
    else:
        a = F * (1 - 2 * mu * e / length) / m
        assert run["y_bracket"] == pytest.approx(-a * run.t**2 / 2, abs=1e-9)
    # thrown, it slides further where it does not jam, and stops for ever where it does
    thrown = bracket.replace(initial={"D.distance'": 1.0}).simulate(2.0, rtol=1e-10, atol=1e-12, samples=3)
    slowed = F * (2 * mu * e / length - 1) / m
    if length == 0.1:
        assert kinds(thrown) == ["stick"] and thrown.events[0].t == pytest.approx(1 / slowed, rel=1e-9)
        assert thrown["y_bracket"][-1] == pytest.approx(-1 / (2 * slowed), rel=1e-8)
    elif length > 0.12:
        assert not kinds(thrown) and thrown["y_bracket"][-1] == pytest.approx(-2 + slowed * 2, rel=1e-9)


# --- a sleigh ----------------------------------------------------------------------------------------------------------


def sleigh(a: float, u: float, w: float, mu: float = 0.2) -> System:
    """Chaplygin's sleigh: the blade at (x, y), the centre of mass at a distance a before it."""
    return System(
        coordinates="x y phi",
        kinetic="m*((x' - a*sin(phi)*phi')^2 + (y' + a*cos(phi)*phi')^2)/2 + J*phi'^2/2",
        constraints={"blade": "-x'*sin(phi) + y'*cos(phi) = 0"},
        friction={"ice": {"constraint": "blade", "slip": "x'*cos(phi) + y'*sin(phi)", "coefficient": "mu"}},
        parameters={"m": 2, "J": 0.5, "a": a, "mu": mu},
        initial={"phi": 0, "phi'": w, "x'": u, "y'": 0},
    )


def test_a_sleigh_with_its_centre_over_the_blade_slows_down_as_it_turns():
    """Then ω stays, the blade is pressed by m u ω, and u = u₀ e^{−μ|ω|t}: it never stops."""
    run = sleigh(0.0, 3.0, 1.5).simulate(5, rtol=1e-11, atol=1e-13, samples=10)
    assert not kinds(run)
    assert run.evaluate("ice.slip") == pytest.approx(3 * np.exp(-0.2 * 1.5 * run.t), rel=1e-9)
    assert run.evaluate("ice.normal") == pytest.approx(2 * 1.5 * 3 * np.exp(-0.2 * 1.5 * run.t), rel=1e-9)


@pytest.mark.parametrize("u", [2.0, -2.0])
def test_a_sleigh_with_friction_at_its_blade(u):
    """m (u' − a ω²) = −μ |λ| sign u, (J + m a²) ω' = −m a u ω, λ = m u ω J/(J + m a²).

    Thrown backwards it turns round: where u passes zero nothing presses, and it cannot stick.
    """
    m, J, a, mu = 2.0, 0.5, 0.3, 0.2
    part = J / (J + m * a**2)

    def rate(t, y):
        u, w = y
        return [a * w**2 - mu * abs(u * w) * part * np.sign(u), -m * a * u * w / (J + m * a**2)]

    wanted = solve_ivp(rate, (0, 4), [u, 1.5], rtol=1e-12, atol=1e-13, dense_output=True).sol
    run = sleigh(a, u, 1.5).simulate(4, rtol=1e-11, atol=1e-13, samples=16)
    assert run.status == "done" and run.certificate.ok
    assert run.evaluate("ice.slip") == pytest.approx(wanted(run.t)[0], abs=1e-8)
    assert run["phi'"] == pytest.approx(wanted(run.t)[1], abs=1e-8)
    assert not len(times(run, "stick")) or len(times(run, "slip")) == len(times(run, "stick"))


# --- cranks ------------------------------------------------------------------------------------------------------------


def crank(gravity: float, spin: float, mu: float = 0.2) -> Mechanism:
    joints = {
        "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
        "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": [0.3, 0]},
        "C": {"kind": "revolute", "bodies": ["rod", "piston"], "at": [1.3, 0]},
        "D": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": [1.3, 0], "axis": [1, 0]},
    }
    rubs = {name: {"joint": name, "coefficient": "mu", "radius": 0.03} for name in "ABC"}
    return Mechanism(
        bodies={
            "crank": {"mass": 2, "inertia": 0.015, "at": [0.15, 0], "spin": spin},
            "rod": {"mass": 1, "inertia": 0.08, "at": [0.8, 0]},
            "piston": {"mass": 3, "at": [1.3, 0]},
        },
        joints=joints,
        friction={
            **{f"f{name}": rub for name, rub in rubs.items()},
            "fD": {"joint": "D", "coefficient": "mu"},
        },
        gravity=[0, -gravity],
        parameters={"mu": mu},
    )


@pytest.mark.parametrize("spin", [2.0, pytest.param(-20.0, marks=pytest.mark.full)])
def test_a_slider_crank_with_friction_in_every_joint_comes_to_rest(spin):
    """All four stick at once, each inside its limit; the energy is what friction has taken."""
    run = crank(G, spin).simulate(3, rtol=1e-9, atol=1e-10)
    assert run.status == "done" and run.certificate.ok
    assert kinds(run)[-4:] == ["stick"] * 4
    still = run.t > times(run, "stick")[-1]
    assert still.any() and np.ptp(run["phi_crank"][still]) < 1e-12
    power = np.zeros(len(run.t))
    for name in ("fA", "fB", "fC", "fD"):
        tangent, normal, slip = (run.evaluate(f"{name}.{what}") for what in ("tangent", "normal", "slip"))
        assert np.all(run.evaluate(f"{name}.status")[still] == 1)
        assert np.all(np.abs(tangent) <= 0.2 * normal * (1 + 1e-7))
        assert np.all(tangent * slip <= 1e-9)
        power += tangent * slip
    assert run.energy[-1] - run.energy[0] == pytest.approx(np.trapezoid(power, run.t), rel=0.02)


# --- bearings ----------------------------------------------------------------------------------------------------------


def pendulum(friction: dict, angle: float) -> Mechanism:
    """A rod of mass m with its centre of mass at l under a bearing."""
    return Mechanism(
        bodies={"rod": {"mass": "m", "inertia": "J", "at": [0, "-l"]}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
        friction={"pin": {"joint": "A", "coefficient": "mu", "radius": "R", **friction}},
        parameters={"m": 1.5, "J": 0.2, "l": 0.5, "g": G, "mu": 0.3, "R": 0.05},
        initial={"A.angle": angle, "A.angle'": 0},
    )


def test_a_pendulum_in_a_bearing_under_a_constant_load():
    """m g l (cos φ₁ − cos φ₀) = −μ R N (φ₀ + φ₁) in each half swing, until m g l |sin φ| ≤ μ R N."""
    torque, weight, load = 0.3 * 0.05 * 20, 1.5 * G * 0.5, 20
    angle, half = 1.2, 0
    while weight * np.sin(angle) > torque:
        lost = partial(lambda a, x: weight * (np.cos(x) - np.cos(a)) - torque * (a + x), angle)
        angle, half = float(brentq(lost, -angle + 1e-9, angle)), half + 1
    run = pendulum({"normal": load}, 1.2).simulate(30, rtol=1e-11, atol=1e-12)
    found = run.evaluate("A.angle")
    assert run.status == "done" and kinds(run)[-1] == "stick" and run.certificate.ok
    assert found[-1] == pytest.approx((-1) ** half * angle, abs=1e-8)
    assert run.evaluate("pin.tangent")[-1] * 0.05 == pytest.approx(weight * np.sin(found[-1]), abs=1e-9)


def test_a_pendulum_in_a_bearing_that_its_own_reactions_load():
    """The reaction depends on the torque that it makes: (J + m l²) φ'' = −m g l sin φ − μ R |λ| sign φ', by hand.

    λ = m (a − g) with a = l φ'' (cos φ, sin φ) + l φ'² (−sin φ, cos φ): a quadratic equation for φ'', of which the
    solution is sought that is continuous at μ = 0.
    """
    m, J, l, mu, R = 1.5, 0.2, 0.5, 0.3, 0.05

    def acceleration(x, w):
        def off(a):
            force = m * np.hypot(l * a * np.cos(x) - l * w**2 * np.sin(x), l * a * np.sin(x) + l * w**2 * np.cos(x) + G)
            return (J + m * l**2) * a + m * G * l * np.sin(x) + mu * R * force * np.sign(w)

        return brentq(off, -200, 200, xtol=1e-14)

    swing = solve_ivp(
        lambda t, y: [y[1], acceleration(y[0], y[1] if abs(y[1]) > 1e-12 else -1e-300)],
        (0, 3),
        [1.2, -1e-300],
        rtol=1e-10,
        atol=1e-11,
        events=lambda t, y: y[1] if t > 0.1 else -1.0,
        dense_output=True,
    )
    end = swing.t_events[0][0]
    run = pendulum({}, 1.2).simulate(30, rtol=1e-10, atol=1e-11)
    assert run.status == "done" and kinds(run)[-1] == "stick" and run.certificate.ok
    early = run.t < end
    assert run.evaluate("A.angle")[early] == pytest.approx(swing.sol(run.t[early])[0], abs=1e-7)
    assert abs(np.sin(run.evaluate("A.angle")[-1])) * l <= mu * R * (
        1 + 1e-9
    )  # the weight inside the circle of friction
    assert np.ptp(run.evaluate("A.angle")[run.t > run.events[-1].t]) < 1e-12
