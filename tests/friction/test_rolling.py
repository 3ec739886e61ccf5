"""Rolling pairs with friction: disks and balls that skid, roll, and are pushed until they skid, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism
from tests.friction.watched import kinds

G, M, R = 9.81, 2.0, 0.2


def disk(v0: float = 0.0, spin: float = 0.0, rub: dict | None = None, **more) -> Mechanism:
    """A solid disk on the floor."""
    body = {"mass": M, "inertia": M * R**2 / 2, "at": [0, R], "velocity": [v0, 0], "spin": spin}
    return Mechanism(
        bodies={"disk": body},
        joints={"J": {"kind": "rolling", "bodies": ["ground", "disk"], "axis": [1, 0], "radius": R}},
        friction={"f": {"joint": "J", "coefficient": 0.2, **(rub or {})}},
        **more,
    )


@pytest.mark.parametrize(("v0", "spin"), [(3.0, 0.0), (3.0, 60.0), (0.0, -40.0), (-2.0, -5.0)])
def test_a_disk_that_is_thrown_skids_and_then_rolls(v0, spin):
    """The point of contact has s = v + R ω, and s' = −3 μ g sign s; v changes by −μ g sign s."""
    slip = v0 + R * spin
    stop = abs(slip) / (3 * 0.2 * G)
    run = disk(v0, spin).simulate(stop + 2, rtol=1e-11, atol=1e-13, samples=40)
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(stop, abs=1e-12)
    v = v0 - slip / 3
    after = run.t > stop
    assert run["x_disk'"][after] == pytest.approx(v, abs=1e-12)  # 2/3 v₀ without spin
    assert run["phi_disk'"][after] == pytest.approx(-v / R, abs=1e-11)
    assert run.evaluate("f.slip")[after] == pytest.approx(0, abs=1e-13)
    assert run.evaluate("f.tangent")[after] == pytest.approx(0, abs=1e-12)
    assert run.evaluate("f.tangent")[~after] == pytest.approx(-np.sign(slip) * 0.2 * M * G, rel=1e-12)
    assert run.certificate.ok


@pytest.mark.parametrize("off", [-1e-4, 1e-4])
def test_a_disk_rolls_down_an_incline_that_is_not_too_steep(off):
    """It rolls with 2/3 g sin α while tan α ≤ 3 μ_s, else it slides with g (sin α − μ cos α)."""
    alpha = np.arctan(3 * 0.3) + off
    axis = [float(np.cos(alpha)), float(np.sin(alpha))]
    system = Mechanism(
        bodies={"disk": {"mass": M, "inertia": M * R**2 / 2, "at": [-R * axis[1], R * axis[0]]}},
        joints={"J": {"kind": "rolling", "bodies": ["ground", "disk"], "axis": axis, "radius": R}},
        friction={"f": {"joint": "J", "coefficient": 0.2, "static": 0.3}},
    )
    run = system.simulate(0.5, rtol=1e-11, atol=1e-13, samples=5)
    a = G * (np.sin(alpha) - 0.2 * np.cos(alpha)) if off > 0 else 2 / 3 * G * np.sin(alpha)
    assert run.evaluate("J.distance") == pytest.approx(-a * run.t**2 / 2, abs=1e-10)
    assert run.evaluate("f.status") == pytest.approx(float(off < 0))
    assert run.evaluate("f.normal") == pytest.approx(M * G * np.cos(alpha), rel=1e-10)


def test_a_wheel_that_is_driven_too_hard_spins():
    """A moment c t drives it: friction is 2 c t/(3 R) while it rolls, and μ N once that is more than μ_s N."""
    c = 2.0
    run = disk(rub={"static": 0.3}, forces={"phi_disk": f"-{c}*t"}).simulate(2, rtol=1e-11, atol=1e-13, samples=30)
    slips = 0.3 * M * G * 1.5 * R / c
    assert kinds(run) == ["slip"] and run.events[0].t == pytest.approx(slips, abs=1e-11)
    early = run.t < slips
    t, late = run.t, np.clip(run.t - slips, 0, None)
    rolled = c * slips**2 / (3 * R * M)
    assert run["x_disk'"] == pytest.approx(np.where(early, c * t**2 / (3 * R * M), rolled + 0.2 * G * late), abs=1e-10)
    J = M * R**2 / 2
    turned = -rolled / R - c * (t**2 - slips**2) / (2 * J) + 0.2 * M * G * R * late / J
    assert run["phi_disk'"][~early] == pytest.approx(turned[~early], abs=1e-9)


def test_a_disk_is_pushed_until_it_skids_and_rolls_again():
    """A push P at the centre needs friction P/3 to roll; with P = 4 μ m g until t = 1 it skids, then it rolls again."""
    push = 4 * 0.2 * M * G
    run = disk(forces={"x_disk": f"{push}*(1 - step(t - 1))"}).simulate(3, rtol=1e-11, atol=1e-13, samples=30)
    slip = (3 * 0.2 * G + 0.2 * G) - 0.2 * G - 2 * 0.2 * G  # s'' while it is pushed: (P/m − μ g) − 2 μ g
    again = 1 + slip / (3 * 0.2 * G)
    v = 3 * 0.2 * G - 0.2 * G * (again - 1)
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(again, abs=1e-10)
    assert run["x_disk'"][-1] == pytest.approx(v, abs=1e-10) and run["phi_disk'"][-1] == pytest.approx(-v / R, abs=1e-9)


def test_a_disk_on_a_plank_takes_it_along():
    """The plank is free to slide: s' = −μ g (3 + M/m) until both move without slip; momentum stays."""
    m = 3.0
    system = Mechanism(
        bodies={
            "plank": {"mass": m, "at": [0, 0]},
            "disk": {"mass": M, "inertia": M * R**2 / 2, "at": [0, R], "velocity": [4, 0], "spin": 0},
        },
        joints={
            "ice": {"kind": "prismatic", "bodies": ["ground", "plank"], "at": [0, 0], "axis": [1, 0]},
            "J": {"kind": "rolling", "bodies": ["plank", "disk"], "axis": [1, 0], "radius": R},
        },
        friction={"f": {"joint": "J", "coefficient": 0.2}},
        initial={"ice.distance'": 0},
    )
    run = system.simulate(2, rtol=1e-11, atol=1e-13, samples=20)
    stop = 4 / (0.2 * G * (3 + M / m))
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(stop, abs=1e-11)
    assert M * run["x_disk'"] + m * run["x_plank'"] == pytest.approx(4 * M, abs=1e-11)
    assert run["x_plank'"][-1] == pytest.approx(0.2 * G * M / m * stop, abs=1e-11)


def test_a_ball_with_side_spin_skids_along_a_parabola():
    """The slip s = v + ω × (−R z) keeps its direction; it is gone after 2 |s|/(7 μ g), and v has changed by −2/7 s."""
    v0, spin = np.array([3.0, 0.5]), np.array([8.0, -4.0, 2.0])
    slip = v0 + R * np.array([-spin[1], spin[0]])
    ball = {"mass": M, "inertia": [0.4 * M * R**2] * 3, "at": [0, 0, R], "velocity": [*v0, 0], "spin": list(spin)}
    system = Mechanism(
        dimensions=3,
        bodies={"ball": ball},
        joints={"J": {"kind": "rolling_sphere", "bodies": ["ground", "ball"], "radius": R}},
        friction={"f": {"joint": "J", "coefficient": 0.2}},
    )
    run = system.simulate(2, rtol=1e-10, atol=1e-12, samples=20)
    stop = 2 * np.linalg.norm(slip) / (7 * 0.2 * G)
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(stop, rel=2e-8)
    v = v0 - 2 / 7 * slip
    end = [run["x_ball'"][-1], run["y_ball'"][-1]]
    assert end == pytest.approx(v, abs=1e-7)
    way = v0 * stop - 0.2 * G * slip / np.linalg.norm(slip) * stop**2 / 2 + v * (2 - stop)
    assert [run["x_ball"][-1], run["y_ball"][-1]] == pytest.approx(way, abs=1e-7)
    assert run.certificate.ok


def test_an_upright_coin_rolls_as_the_disk_in_the_plane():
    coin = {"mass": M, "inertia": [M * R**2 / 4, M * R**2 / 4, M * R**2 / 2], "at": [0, 0, R], "velocity": [3, 0, 0]}
    system = Mechanism(
        dimensions=3,
        bodies={"coin": {**coin, "spin": [0, 0, 0], "rotation": {"axis": [1, 0, 0], "angle": np.pi / 2}}},
        joints={"J": {"kind": "rolling_disk", "bodies": ["ground", "coin"], "radius": R}},
        friction={"f": {"joint": "J", "coefficient": 0.2}},
    )
    run = system.simulate(1, rtol=1e-10, atol=1e-12, samples=5)
    assert run.events[0].t == pytest.approx(3 / (3 * 0.2 * G), rel=2e-8)
    assert run["x_coin'"][-1] == pytest.approx(2, abs=1e-7)


def test_the_condition_comes_back_with_the_friction_gone_and_stays_beside_friction_of_another_kind():
    system = disk(3.0)
    assert [one.name for one in system.constraints] == ["J.normal"]
    assert [one.name for one in system.replace(friction={"f": None}, bodies={"disk": {"spin": None}}).constraints] == [
        "J.normal",
        "J.roll",
    ]
    rub = {"slip": "phi_disk'", "normal": "0.01*abs(J.normal)"}  # as of rolling itself
    assert [one.name for one in disk(rub=rub).constraints] == ["J.normal", "J.roll"]


def test_rounded_off_it_slips_a_little():
    run = disk(3.0, rub={"smooth": 1e-3}).simulate(2, rtol=1e-9, atol=1e-11)
    assert run["x_disk'"][-1] == pytest.approx(2, abs=1e-6)
