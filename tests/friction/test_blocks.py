"""Blocks that slide and stick: on inclines, on each other, and ladders and wedges, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, System
from tests.friction.watched import kinds, times

G = 9.81


def incline(alpha: float, mu: float, mu_s: float, v0: float) -> Mechanism:
    """A block in a guide that rises by α."""
    return Mechanism(
        bodies={"block": {"mass": 2, "at": [0, 0], "angle": "alpha"}},
        joints={
            "D": {
                "kind": "prismatic",
                "bodies": ["ground", "block"],
                "at": [0, 0],
                "axis": ["cos(alpha)", "sin(alpha)"],
            }
        },
        friction={"f": {"joint": "D", "coefficient": "mu", "static": "mu_s"}},
        parameters={"alpha": alpha, "mu": mu, "mu_s": mu_s, "g": G, "v0": v0},
        initial={"D.distance": 0, "D.distance'": "v0"},
    )


@pytest.mark.parametrize(("mu", "mu_s", "stays"), [(0.3, 0.7, True), (0.7, 0.7, True), (0.3, 0.5, False)])
def test_a_block_slides_up_an_incline_and_stays_or_comes_back(mu, mu_s, stays):
    """It comes to rest after v₀/(g (sin α + μ cos α)); it stays if μ_s > tan α, else it comes down with less."""
    alpha, v0 = np.pi / 6, 3.0
    up, down = G * (np.sin(alpha) + mu * np.cos(alpha)), G * (np.sin(alpha) - mu * np.cos(alpha))
    stop, way = v0 / up, v0**2 / (2 * up)
    run = incline(alpha, mu, mu_s, v0).simulate(stop + 1.0, rtol=1e-10, atol=1e-12, samples=40)
    distance = run.evaluate("D.distance")
    after = run.t > stop
    if stays:
        assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(stop, abs=1e-9)
        assert distance[after] == pytest.approx(way, abs=1e-9) and np.ptp(distance[after]) <= 1e-15
        assert run.evaluate("f.tangent")[after] == pytest.approx(2 * G * np.sin(alpha), rel=1e-10)
    else:
        assert not len(times(run, "stick")) or len(times(run, "slip"))
        assert distance[after] == pytest.approx(way - down * (run.t[after] - stop) ** 2 / 2, abs=1e-8)
        assert run.evaluate("f.tangent")[after] == pytest.approx(2 * G * mu * np.cos(alpha), rel=1e-9)
    assert run.evaluate("f.normal") == pytest.approx(2 * G * np.cos(alpha), rel=1e-10)
    assert run.certificate.ok


def test_a_block_begins_to_slip_where_the_angle_of_the_incline_says():
    """The incline rises as w t (slowly: without its own accelerations), so it slips at atan(μ_s)/w.

    Then s'' = g (−sin w t + μ cos w t), which is integrated twice.
    """
    w, mu, mu_s = 0.1, 0.4, 0.6
    system = System(
        coordinates="s",
        kinetic="m*s'^2/2",
        forces={"s": "-m*g*sin(w*t)"},
        friction={"f": {"normal": "m*g*cos(w*t)", "slip": "s'", "coefficient": mu, "static": mu_s}},
        parameters={"m": 3, "g": G, "w": w},
    )
    run = system.simulate(8, rtol=1e-11, atol=1e-13, samples=50)
    start = np.arctan(mu_s) / w
    assert kinds(run) == ["slip"] and run.events[0].t == pytest.approx(start, abs=1e-9)
    after = run.t > start

    def speed(t):
        return G / w * (np.cos(w * t) + mu * np.sin(w * t))

    def way(t):
        return G / w**2 * (np.sin(w * t) - mu * np.cos(w * t))

    t = run.t[after]
    assert run["s"][after] == pytest.approx(way(t) - way(start) - speed(start) * (t - start), abs=1e-8)
    assert run["s"][~after] == pytest.approx(0, abs=1e-13)


def stacked(push: dict[str, str], mu1: float, mu2: float) -> System:
    """An upper block 1 on a lower one 2 on the floor."""
    return System(
        coordinates="x1 z1 x2 z2",
        kinetic="m1*(x1'^2 + z1'^2)/2 + m2*(x2'^2 + z2'^2)/2",
        potential="g*(m1*z1 + m2*z2)",
        constraints={"between": "z1 - z2 = h", "floor": "z2 = 0"},
        forces=push,
        friction={
            "upper": {"constraint": "between", "slip": "x1' - x2'", "coefficient": "mu1"},
            "lower": {"constraint": "floor", "slip": "x2'", "coefficient": "mu2"},
        },
        parameters={"m1": 1, "m2": 2, "g": 10, "h": 0.1, "mu1": mu1, "mu2": mu2, "c": 5},
    )


def test_the_lower_of_two_blocks_is_pulled_more_and_more():
    """P = c t on the lower block: both stick until P = μ₂ M g, move as one until (μ₁ + μ₂) M g, then part."""
    mu1, mu2, g, m1, M, c = 0.4, 0.2, 10.0, 1.0, 3.0, 5.0
    run = stacked({"x2": "c*t"}, mu1, mu2).simulate(5, rtol=1e-11, atol=1e-12, samples=60)
    first, second = mu2 * M * g / c, (mu1 + mu2) * M * g / c
    assert [(e.name, e.kind) for e in run.events] == [("lower", "slip"), ("upper", "slip")]
    assert [e.t for e in run.events] == pytest.approx([first, second], abs=1e-9)
    t, m2 = run.t, M - m1
    one = np.clip(t - first, 0, None)
    joint = c * one**3 / (6 * M)
    gone, v, x = (second - first), c * (second - first) ** 2 / (2 * M), c * (second - first) ** 3 / (6 * M)
    late = np.clip(t - second, 0, None)
    upper = np.where(t < second, joint, x + v * late + mu1 * g * late**2 / 2)
    a2 = (c * second - mu2 * M * g - mu1 * m1 * g) / m2
    lower = np.where(t < second, joint, x + v * late + a2 * late**2 / 2 + c * late**3 / (6 * m2))
    assert gone > 0 and run["x1"] == pytest.approx(upper, abs=1e-9) and run["x2"] == pytest.approx(lower, abs=1e-9)
    assert run.evaluate("lower.normal") == pytest.approx(30) and run.evaluate("upper.normal") == pytest.approx(10)
    held = t < first
    assert run.evaluate("lower.tangent")[held] == pytest.approx(-c * t[held], abs=1e-12)
    assert run.evaluate("upper.tangent")[held] == pytest.approx(0, abs=1e-12)
    assert run.certificate.ok


def test_the_upper_of_two_blocks_is_pulled_and_slides_alone():
    """With μ₁ m₁ < μ₂ M the lower block never moves, however much the upper one is pulled."""
    run = stacked({"x1": "c*t"}, 0.4, 0.2).simulate(3, rtol=1e-11, atol=1e-12, samples=30)
    start = 0.4 * 10 / 5
    assert [(e.name, e.kind) for e in run.events] == [("upper", "slip")]
    assert run.events[0].t == pytest.approx(start, abs=1e-9)
    late = np.clip(run.t - start, 0, None)
    assert run["x1"] == pytest.approx(5 * late**3 / 6, abs=1e-9) and run["x2"] == pytest.approx(0, abs=1e-14)
    assert run.evaluate("lower.tangent")[-1] == pytest.approx(-4, abs=1e-10)  # it holds what comes from above


def test_the_upper_of_two_blocks_is_pulled_and_takes_the_lower_along():
    """With μ₁ m₁ > μ₂ M: both move from μ₂ M g on, and part where the lower one cannot follow.

    The lower follows with at most (μ₁ m₁ − μ₂ M) g/m₂ = a, and both have a at P = M a + μ₂ M g.
    """
    mu1, mu2 = 0.9, 0.2
    run = stacked({"x1": "c*t"}, mu1, mu2).simulate(4, rtol=1e-11, atol=1e-12, samples=30)
    a = (mu1 * 1 - mu2 * 3) * 10 / 2
    assert [(e.name, e.kind) for e in run.events] == [("lower", "slip"), ("upper", "slip")]
    assert [e.t for e in run.events] == pytest.approx([mu2 * 30 / 5, (3 * a + mu2 * 30) / 5], abs=1e-9)
    assert run["x2"][-1] != run["x1"][-1]


def test_blocks_that_are_thrown_come_to_rest_one_after_the_other():
    """The upper block is thrown: with μ₁ m₁ > μ₂ M it takes the lower one along, then both stop together."""
    mu1, mu2, g = 0.9, 0.2, 10.0
    system = stacked({}, mu1, mu2).replace(initial={"x1'": 4.0})
    run = system.simulate(5, rtol=1e-11, atol=1e-12, samples=30)
    a1, a2 = -mu1 * g, (mu1 * 1 - mu2 * 3) * g / 2
    together = 4.0 / (a2 - a1)
    v = a2 * together
    stop = together + v / (mu2 * g)
    assert kinds(run)[-2:] == ["stick", "stick"]
    assert [e.t for e in run.events if e.kind == "stick"] == pytest.approx([together, stop], abs=1e-9)
    assert run["x2"][-1] == pytest.approx(a2 * together**2 / 2 + v**2 / (2 * mu2 * g), abs=1e-9)


# --- ladders and wedges ----------------------------------------------------------------------------------------------


def ladder(angle: float, floor: float, wall: float, **more) -> System:
    """A uniform rod of length 2 and mass 1 that leans against a wall: φ is its angle with the floor."""
    return System(
        coordinates="x y phi",
        kinetic="m*(x'^2 + y'^2)/2 + m*l^2/12*phi'^2/2",
        potential="m*g*y",
        constraints={"floor": "y = l/2*sin(phi)", "wall": "x = l/2*cos(phi)"},
        friction={
            "foot": {"constraint": "floor", "slip": "x' - l/2*sin(phi)*phi'", "coefficient": "mu1", **more},
            "head": {"constraint": "wall", "slip": "y' + l/2*cos(phi)*phi'", "coefficient": "mu2", **more},
        },
        parameters={"m": 1, "l": 2, "g": G, "mu1": floor, "mu2": wall},
        initial={"phi": angle, "phi'": 0},
    )


@pytest.mark.parametrize(("floor", "wall"), [(0.4, 0.3), (0.5, 0.05), (0.3, 0.8), (0.5, 0.0)])
@pytest.mark.parametrize("off", [-0.2, -1e-4, 1e-4, 0.2])
def test_a_ladder_stays_where_both_ends_can_hold_it(floor, wall, off):
    """It stays if tan φ ≥ (1 − μ₁ μ₂)/(2 μ₁); else both ends slide, with the accelerations of three equations."""
    angle = np.arctan((1 - floor * wall) / (2 * floor)) + off
    run = ladder(angle, floor, wall).simulate(0.05, rtol=1e-10, atol=1e-13, samples=3)
    if off > 0:
        assert not len(run.events) and np.ptp(run["phi"]) <= 1e-15
        assert run.evaluate("foot.status") == pytest.approx(1) and run.evaluate("head.status") == pytest.approx(1)
        for name, mu in (("foot", floor), ("head", wall)):
            assert np.all(np.abs(run.evaluate(f"{name}.tangent")) <= mu * run.evaluate(f"{name}.normal") * (1 + 1e-8))
        return
    c, s, J = np.cos(angle), np.sin(angle), 4 / 12
    # unknown φ'', N₁ (floor, upwards), N₂ (wall, away from it). At rest x'' = −s φ'', y'' = c φ''. The foot at (x + c, y − s)
    # is pushed by (−μ₁ N₁, N₁), the head at (x − c, y + s) by (N₂, μ₂ N₂); the moment is their virtual work.
    rows = np.array([[-s, floor, -1.0], [c, -1.0, -wall], [J, c - floor * s, -(s + wall * c)]])
    wanted = np.linalg.solve(rows, [0.0, -G, 0.0])
    found = run.evaluate("phi''")[0], run.evaluate("foot.normal")[0], run.evaluate("head.normal")[0]
    assert found == pytest.approx(wanted, rel=1e-9) and wanted[0] < 0


def wedge(alpha: float, mu: float, wedge_mass: float = 0.5) -> System:
    """A wedge on the floor under a load in a guide: it is driven out unless friction of both faces holds it."""
    return System(
        coordinates="x z y",
        kinetic="mw*(x'^2 + z'^2)/2 + m*y'^2/2",
        potential="g*(mw*z + m*y)",
        constraints={"face": "(y - z)*cos(a) + x*sin(a) = 0", "floor": "z = 0"},
        friction={
            "top": {"constraint": "face", "slip": "-x'*cos(a) + (y' - z')*sin(a)", "coefficient": "mu"},
            "bottom": {"constraint": "floor", "slip": "x'", "coefficient": "mu"},
        },
        parameters={"m": 4, "mw": wedge_mass, "g": G, "a": alpha, "mu": mu},
    )


@pytest.mark.parametrize("off", [-0.05, -1e-3, 1e-3, 0.05])
def test_a_wedge_locks_itself(off):
    """A light wedge is held if α ≤ 2 atan μ; with a weight, where N sin(α − φ) ≤ μ (N cos(α − φ) + m_w g cos φ)."""
    mu, mass, load = 0.3, 0.5, 4.0
    phi = np.arctan(mu)

    def excess(alpha: float) -> float:
        push = load * G / np.cos(alpha - phi)  # of the face, at the angle α − φ to the vertical
        return push * np.sin(alpha - phi) - mu * (push * np.cos(alpha - phi) + mass * G)

    from scipy.optimize import brentq

    alpha = float(brentq(excess, 0.1, 1.2)) + off
    run = wedge(alpha, mu, mass).simulate(0.1, rtol=1e-10, atol=1e-13, samples=3)
    if off < 0:
        assert run["x"] == pytest.approx(0, abs=1e-15)
        assert run.evaluate("top.status")[-1] == 1 == run.evaluate("bottom.status")[-1]
        assert abs(run.evaluate("top.tangent")[-1]) <= mu * run.evaluate("top.normal")[-1] * (1 + 1e-8)
        assert abs(run.evaluate("bottom.tangent")[-1]) <= mu * run.evaluate("bottom.normal")[-1] * (1 + 1e-8)
        return
    s, c = np.sin(alpha), np.cos(alpha)
    # unknown x'' (outwards), N, N₂; y'' = −tan α x''; friction on the load up the face, on the wedge against x'
    rows = np.array([[mass, -s + mu * c, mu], [-load * s / c, -(c + mu * s), 0.0], [0.0, -(c + mu * s), 1.0]])
    a, N, N2 = np.linalg.solve(rows, [0.0, -load * G, mass * G])
    found = run.evaluate("x''")[0], run.evaluate("top.normal")[0], run.evaluate("bottom.normal")[0]
    assert found == pytest.approx((a, N, N2), rel=1e-9) and a > 0


def test_what_sticks_stays_for_ever():
    run = wedge(0.5, 0.3).simulate(1000, samples=3)
    assert run["x"] == pytest.approx(0, abs=1e-14)
