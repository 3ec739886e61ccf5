"""Accelerations and reactions with friction against what is known of them in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert import System

from .models import BEARING, BLOCK, BRAKE, GUIDED, LADDER, ROD, SLEIGH, WEDGE


def solved(system: System, q, v, **parameters):
    return system.compile()(0.0, q, v, parameters)


@pytest.mark.parametrize("mu", [0, 0.2, 5.0])
def test_block_on_an_incline(mu):
    for speed in (3.0, -3.0):
        found = solved(BLOCK, [0, 0], [speed, 0], mu=mu)
        a = -9.81 * (math.sin(0.35) + math.copysign(mu, speed) * math.cos(0.35))
        np.testing.assert_allclose(found.acceleration, [a, 0], rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(found.multipliers, [2 * 9.81 * math.cos(0.35)], rtol=1e-14)


def test_block_stops_where_its_energy_is_used_up():
    run = BLOCK.simulate(0.8, events=["x' = 0"])
    stop = run.events[0]
    a = 9.81 * (math.sin(0.35) + 0.2 * math.cos(0.35))
    assert stop.t == pytest.approx(3 / a, rel=1e-10)


def test_band_brake():
    """T₁ = T₂ e^{μθ}: the drum is braked by r (T₁ − T₂), and T₂ is the reaction that holds the slack end."""
    found = solved(BRAKE, [0, 0], [10, 0])
    assert found.multipliers[0] == pytest.approx(12, rel=1e-14)
    assert found.acceleration[0] == pytest.approx(-0.2 * 12 * (math.exp(0.3 * 4) - 1) / 0.5, rel=1e-14)


@pytest.mark.parametrize("rate", [-0.4, -6.0, 0.4])
def test_ladder(rate):
    """Newton's and Euler's equations of a ladder that slides, with forces at foot and head as one draws them."""
    m, J, g, l, mu, nu = (LADDER.parameters[name] for name in ("m", "J", "g", "l", "mu", "nu"))
    s, c = math.sin(0.9), math.cos(0.9)
    out = 1 if rate < 0 else -1  # the foot moves outwards, the head down
    found = []
    for n, h in [
        (n, h) for n in (1, -1) for h in (1, -1)
    ]:  # the signs of N at the foot, up, and of H at the head, right
        F, G = -mu * n * out, nu * h * out  # friction in parts of N and H: at the foot along x, at the head along y
        # x = l cos φ, y = l sin φ; φ turns clockwise; foot at (l c, −l s), head at (−l c, l s) from the centre
        moments = [l * c - (-l * s) * F, -l * c * G - l * s]
        K = np.array([[-m * l * s, -F, -1], [m * l * c, -1, -G], [J, *moments]])
        alpha, N, H = np.linalg.solve(K, [m * l * c * rate**2, m * l * s * rate**2 - m * g, 0.0])
        if N * n >= 0 and H * h >= 0:
            found.append((alpha, N, H))
    ((alpha, N, H),) = found
    q, v = [l * c, l * s, 0.9], [-l * s * rate, l * c * rate, rate]
    result = solved(LADDER, q, v)
    np.testing.assert_allclose(result.multipliers, [N, H], rtol=1e-12)
    assert result.acceleration[2] == pytest.approx(alpha, rel=1e-12)


@pytest.mark.parametrize("mu", [0.15, math.tan(0.35), 0.6])
def test_wedge_locks_itself(mu):
    """The load drives the wedge out only if its slope is above the friction, tan b > μ."""
    M, m, g, b = (WEDGE.parameters[name] for name in ("M", "m", "g", "b"))
    found = solved(WEDGE, [0, 0, 0], [0.5, 0, -0.5 * math.tan(b)], mu=mu, T=-1)
    s, c = math.sin(b), math.cos(b)
    N = m * g / (c + mu * s + m / M * math.tan(b) * (s - mu * c))
    assert -found.multipliers[0] == pytest.approx(N, rel=1e-13)
    assert found.acceleration[0] == pytest.approx(N * (s - mu * c) / M, rel=1e-13, abs=1e-13)


def test_rod_on_rough_ground():
    """λ (1 + 3 cos²φ (1 − μ tan φ)) = g − sin φ φ'², sliding to the right."""
    for phi in (0.4, 0.8, 1.2):
        for rate in (0.0, 1.5):
            q, v = [0, math.sin(phi), phi], [30, rate * math.cos(phi), rate]
            found = solved(ROD, q, v)
            A = 1 + 3 * math.cos(phi) ** 2 * (1 - 1.2 * math.tan(phi))
            assert found.multipliers[0] == pytest.approx((10 - math.sin(phi) * rate**2) / A, rel=1e-12)


def test_sleigh_with_friction_at_its_blade():
    """Along the blade u̇ = a ω² − μ |λ|/m; the turn knows nothing of it."""
    m, I, a, mu = (SLEIGH.parameters[name] for name in ("m", "I", "a", "mu"))
    start = SLEIGH.start()
    found = solved(SLEIGH, start.q, start.v)
    c, s = math.cos(0.3), math.sin(0.3)
    vx, vy, omega = start.v
    u = vx * c + vy * s
    along = found.acceleration[0] * c + found.acceleration[1] * s + omega * (vy * c - vx * s)
    assert along == pytest.approx(a * omega**2 - mu * abs(found.multipliers[0]) / m, rel=1e-12)
    assert found.acceleration[2] == pytest.approx(-m * a * u * omega / (I + m * a * a), rel=1e-12)


def test_bearing_is_a_quadratic():
    """λ = λ₀ + μ R ν d with ν = ‖λ‖: |d|² (μRν)² + 2 λ₀·d μRν + |λ₀|² = ν² (docs/theory.md)."""
    start = BEARING.start()
    free = solved(BEARING, start.q, start.v, mu=0).multipliers
    d = (solved(BEARING.replace(forces={"phi": "-1"}), start.q, start.v).multipliers - free) * 0.3 * 0.05
    roots = np.roots([d @ d - 1, 2 * free @ d, free @ free])
    (nu,) = roots[roots > 0]
    np.testing.assert_allclose(solved(BEARING, start.q, start.v).multipliers, free + nu * d, rtol=1e-12)


def test_joint_by_its_name():
    run = GUIDED.simulate(0.2)
    assert run["x_block"][-1] == pytest.approx(0.2 - 0.2 * 9.81 * 0.2**2 / 2, rel=1e-10)
    np.testing.assert_allclose(run.evaluate("brake.force"), -0.2 * 2 * 9.81, rtol=1e-12)
    np.testing.assert_allclose(run.joint("brake").force[:, 0], -0.2 * 2 * 9.81, rtol=1e-12)
    assert run.certificate.ok


def test_friction_power_is_in_the_energy_balance():
    run = BLOCK.simulate(0.4)
    assert run.certificate.ok
    lost = run.energy[0] - run.energy[-1]
    assert lost == pytest.approx(0.2 * 2 * 9.81 * math.cos(0.35) * run["x"][-1], rel=1e-9)


@pytest.mark.parametrize("arm", [0.1, 0.5, 0.66, 0.7])
def test_rod_in_two_supports_jams(arm):
    """A force F with an arm e tilts a rod in a guide of length l: it moves only if e < l/(2μ)."""
    rod = System(
        "x y phi",
        kinetic="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
        constraints={"front": "y + l/2*sin(phi) = 0", "back": "y - l/2*sin(phi) = 0"},
        forces={"x": "F - mu*(abs(lambda_front) + abs(lambda_back))*sign(x')", "phi": "-F*e"},
        parameters={"m": 1, "J": 0.1, "l": 0.4, "F": 10, "e": 0.5, "mu": 0.3},
        initial={"x'": 1},
    )
    found = solved(rod, [0, 0, 0], [1, 0, 0], e=arm)
    assert found.acceleration[0] == pytest.approx(10 * (1 - 2 * 0.3 * arm / 0.4), rel=1e-12)
    np.testing.assert_allclose(found.multipliers, [10 * arm / 0.4, -10 * arm / 0.4], rtol=1e-12)


def test_load_on_a_slide_without_mass():
    slide = System(
        "x y",
        kinetic="m*x'^2/2",
        forces={"x": "-mu*abs(lambda_floor)*sign(x')", "y": "-W"},
        constraints={"floor": "y = 0"},
        parameters={"m": 2, "mu": 0.3, "W": 7},
        initial={"x": 0, "x'": 3},
    )
    for form in ("multipliers", "minimal", "explicit", "independent"):
        a = slide.compile(form)(0, [0, 0], [3, 0]).acceleration
        np.testing.assert_allclose(a, [-0.3 * 7 / 2, 0], rtol=1e-12, atol=1e-12)
    assert slide.simulate(0.2, method="radau").certificate.ok


def test_reaction_that_changes_its_sign():
    """A bead that flies over the crests of its wire: steps end where |λ| has its kink, and the error is small."""
    bead = System(
        "x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="m*g*y",
        constraints={"wire": "y = h*cos(x)"},
        forces={
            "x": "-mu*abs(lambda_wire)*sqrt(1 + h^2*sin(x)^2)*x'/sqrt(x'^2 + y'^2)",
            "y": "-mu*abs(lambda_wire)*sqrt(1 + h^2*sin(x)^2)*y'/sqrt(x'^2 + y'^2)",
        },
        parameters={"m": 1, "g": 9.81, "h": 0.5, "mu": 0.1},
        initial={"x": 0.1, "x'": 9},
    )
    run = bead.simulate(1)
    lam = run.evaluate("lambda_wire")
    assert lam.min() < 0 < lam.max() and np.abs(lam).min() < 1e-6
    assert run.certificate.ok and max(run.certificate.errors.values()) < 2e-8


def test_reaction_that_is_rounding():
    """Without gravity a straight wire carries nothing: what is left of λ is rounding, and no reason to refuse."""
    wire = System(
        "x y",
        kinetic="m*(x'^2 + y'^2)/2",
        constraints={"wire": "y - 0.3*x - 0.1*sin(x) = 0"},
        forces={"x": "-mu*abs(lambda_wire)*sign(x') - 0.7*x'", "y": "-0.7*y'"},
        parameters={"m": 1.3, "mu": 0.2},
    )
    v = np.random.default_rng(0).normal(size=300)
    found = wire.compile()(0.0, np.zeros((300, 2)), np.column_stack([v, 0.4 * v]))
    assert np.abs(found.multipliers).max() < 1e-12
