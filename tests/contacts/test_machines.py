"""Several contacts, joints and impacts at once, against closed forms and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import System
from tests.contacts.seen import kinds, times


def ladder(**changes) -> System:
    """A smooth ladder of length 2 that leans against a wall at the angle 1.2, at rest."""
    parts = {
        "coordinates": "x y phi",
        "kinetic": "m*(x'^2 + y'^2)/2 + m*l^2/24*phi'^2",
        "potential": "m*g*y",
        "parameters": {"m": 1, "g": 9.81, "l": 2},
        "contacts": {"wall": {"gap": "x - l/2*cos(phi)"}, "floor": {"gap": "y - l/2*sin(phi)"}},
        "initial": {"x": "l/2*cos(phi0)", "y": "l/2*sin(phi0)", "phi": "phi0"},
    }
    parts["parameters"] |= {"phi0": 1.2}
    return System(**{**parts, **changes})


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent"])
def test_a_smooth_ladder_leaves_the_wall_at_two_thirds_of_its_height(form):
    run = ladder().simulate(0.9, form=form)
    (left,) = [event for event in run.events if event.kind == "open"]
    assert left.name == "wall" and np.sin(left.q[2]) / np.sin(1.2) == pytest.approx(2 / 3, abs=2e-9)
    assert run["wall.normal"][0] > 0 and np.all(run["wall.normal"][run.t > left.t] == 0)
    assert run["floor.status"].min() == 1 and run["wall.gap"].min() > -1e-9
    assert run.certificate.ok


def test_the_reactions_of_the_ladder_at_rest():
    """φ'' = −(3g/2l) cos φ: the wall pushes with m l/2 sin φ (−φ''), the floor with m g + m l/2 cos φ φ''."""
    run = ladder().simulate(0.1)
    bends = 3 * 9.81 / 4 * np.cos(1.2)
    assert run["wall.normal"][0] == pytest.approx(np.sin(1.2) * bends, rel=1e-12)
    assert run["floor.normal"][0] == pytest.approx(9.81 - np.cos(1.2) * bends, rel=1e-12)


def test_what_constraints_say_instead_is_the_same():
    """While both are closed, two constraints do the same; and one after that."""
    held = ladder(contacts=None, constraints={"wall": "x = l/2*cos(phi)", "floor": "y = l/2*sin(phi)"}).simulate(0.5)
    run = ladder().simulate(0.5)
    assert run.q[-1] == pytest.approx(held.q[-1], abs=1e-9)
    assert run["wall.normal"][-1] == pytest.approx(held.multipliers["wall"][-1], abs=1e-8)


def balls(law: str, first: float, second: float) -> System:
    return System(
        coordinates="x1 x2 x3",
        kinetic="(x1'^2 + x2'^2 + x3'^2)/2",
        contacts={
            "a": {"gap": "x2 - x1 - 1", "restitution": first, "law": law},
            "b": {"gap": "x3 - x2 - 1", "restitution": second, "law": law},
        },
        initial={"x1": -1, "x2": 1, "x3": 2, "x1'": 1},
    )


@pytest.mark.parametrize(
    ("law", "restitution", "after"),
    [
        ("newton", (1, 1), (-1 / 3, 2 / 3, 2 / 3)),
        ("newton", (0.5, 0.5), (0, 1 / 2, 1 / 2)),
        ("newton", (0, 1), (1 / 3, 1 / 3, 1 / 3)),
        ("poisson", (1, 1), (-1 / 3, 2 / 3, 2 / 3)),
        ("poisson", (0, 1), (1 / 6, 1 / 6, 2 / 3)),
    ],
)
def test_newtons_cradle_with_balls_that_touch(law, restitution, after):
    """What the laws predict where all meet at once: by hand from the two complementarity problems."""
    run = balls(law, *restitution).simulate(2)
    assert run.v[-1] == pytest.approx(after, abs=1e-14) and len(run.impacts) == 1
    assert run.certificate.ok


def test_newtons_cradle_with_balls_apart():
    """With a gap between them the first one stops, and the last one flies, as in the toy."""
    apart = balls("newton", 1, 1).replace(initial={"x3": 2.5})
    run = apart.simulate(3)
    assert run.v[-1] == pytest.approx([0, 0, 1], abs=1e-14)
    assert kinds(run) == [("a", "impact"), ("b", "impact")]


def rod(at: float) -> System:
    """A rod of length 1 on a pivot, as a free body with two constraints, which falls onto a stop at some distance."""
    return System(
        coordinates="x y phi",
        kinetic="m*(x'^2 + y'^2)/2 + m/24*phi'^2",
        potential="m*g*y",
        parameters={"m": 3, "g": 9.81, "e": 0.4},
        constraints={"pivot_x": "x = cos(phi)/2", "pivot_y": "y = sin(phi)/2"},
        contacts={"stop": {"gap": f"y + ({at} - 1/2)*sin(phi)", "restitution": "e"}},
        initial={"phi": 0.6},
    )


@pytest.mark.parametrize("at", [0.5, 2 / 3, 1.0])
def test_the_impulse_in_a_pivot(at):
    """J = m/3 about the pivot: Λ = (1 + e) J ω/a, and the pivot takes (1 + e) ω (m/2 − J/a): none at 2/3."""
    run = rod(at).simulate(1)
    hit = run.impacts[0]
    omega = np.sqrt(3 * 9.81 * np.sin(0.6))
    assert hit.normal["stop"] == pytest.approx(1.4 * omega / at, rel=1e-8)
    assert hit.constraints["pivot_y"] == pytest.approx(1.4 * omega * (1.5 - 1 / at), abs=1e-7)
    assert hit.constraints["pivot_x"] == pytest.approx(0, abs=1e-8)
    assert run.certificate.ok


def test_a_double_pendulum_against_a_wall():
    """Beside SciPy's DOP853 with its own events and the impact in minimal coordinates."""
    e = 0.6
    run = System(
        coordinates="a b",
        kinetic="(2*a'^2 + b'^2 + 2*a'*b'*cos(a - b))/2",
        potential="-g*(2*cos(a) + cos(b))",
        parameters={"g": 9.81, "e": e},
        contacts={"wall": {"gap": "0.5 - sin(a) - sin(b)", "restitution": "e"}},
        initial={"a": -1, "b": -0.5},
    ).simulate(5, rtol=1e-11, atol=1e-13)

    def mass(y):
        return np.array([[2, np.cos(y[0] - y[1])], [np.cos(y[0] - y[1]), 1]])

    def rates(t, y):
        a, b, u, v = y
        f = [-(v**2) * np.sin(a - b) - 2 * 9.81 * np.sin(a), u**2 * np.sin(a - b) - 9.81 * np.sin(b)]
        return [u, v, *np.linalg.solve(mass(y), f)]

    def gap(t, y):
        return 0.5 - np.sin(y[0]) - np.sin(y[1])

    gap.terminal, gap.direction = True, -1
    t, y, hits = 0.0, np.array([-1, -0.5, 0, 0]), []
    while t < 5:
        part = solve_ivp(rates, (t, 5), y, "DOP853", rtol=1e-13, atol=1e-14, events=gap)
        t, y = part.t[-1], part.y[:, -1]
        if part.status == 1:
            hits.append(t)
            w = -np.cos(y[:2])
            push = np.linalg.solve(mass(y), w)
            y[2:] -= (1 + e) * (w @ y[2:]) / (w @ push) * push
    assert len(hits) == 3 and times(run, "impact") == pytest.approx(hits, abs=1e-8)
    assert [*run.q[-1], *run.v[-1]] == pytest.approx(y, abs=1e-7)
    assert run.certificate.ok


def test_a_block_that_rocks_on_a_smooth_floor():
    """Each impact multiplies φ' by (J − m b²)/(J + m b²), and impacts of the corners in turn come to an end."""
    b, h = 0.2, 0.6
    run = System(
        coordinates="y phi",
        kinetic="m*y'^2/2 + J*phi'^2/2",
        potential="m*g*y",
        parameters={"m": 2, "g": 9.81, "b": b, "h": h, "J": 2 * (b**2 + h**2) / 3},
        contacts={
            "left": {"gap": "y - h*cos(phi) + b*sin(phi)"},
            "right": {"gap": "y - h*cos(phi) - b*sin(phi)"},
        },
        initial={"phi": 0.2, "y": "h*cos(0.2) + b*sin(0.2)"},
    ).simulate(3)
    J, factor = (b**2 + h**2) / 3, []
    for impact in run.impacts[:6]:
        (name,) = [name for name, size in impact.normal.items() if size > 0]
        other = "left" if name == "right" else "right"
        factor.append(impact.after[other] / -impact.before[name])
    assert factor == pytest.approx([(J - b**2) / (J + b**2)] * 6, rel=1e-9)
    hits = [name for name, kind in kinds(run) if kind == "impact"]
    assert hits == (["left", "right"] * len(hits))[: len(hits)] and len(times(run, "zeno")) == 1
    assert run["left.normal"][-1] == pytest.approx(9.81, rel=1e-12)
    assert run["right.normal"][-1] == pytest.approx(9.81, rel=1e-12)
    assert abs(run["phi"][-1]) < 1e-12 and run.certificate.ok


def test_a_rope_that_goes_slack_and_tight():
    """Swung up with 5.5 from below at l = 1: slack where v² = −g y, tight where the parabola meets the circle."""
    run = System(
        coordinates="x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="m*g*y",
        parameters={"m": 1, "g": 9.81, "l": 1},
        contacts={"rope": {"gap": "l - sqrt(x^2 + y^2)"}},
        initial={"x": 0, "y": -1, "x'": 5.5},
    ).simulate(2)
    assert kinds(run)[:3] == [("rope", "open"), ("rope", "impact"), ("rope", "close")]
    slack = run.events[0]
    height = (5.5**2 / 9.81 - 2) / 3  # v² = v₀² − 2g(1 + y) = g y on the circle
    assert slack.q[1] == pytest.approx(height, abs=1e-9)
    speed, x = np.sqrt(9.81 * height), np.sqrt(1 - height**2)
    flight = 4 * speed * x / 9.81  # the parabola that osculates the circle meets it once more there
    assert times(run, "impact")[0] - slack.t == pytest.approx(flight, abs=1e-8)
    assert run.impacts[0].lost == pytest.approx(run.impacts[0].before["rope"] ** 2 / 2, rel=1e-12)
    assert run.certificate.ok


def test_legs_that_repeat_each_other_share_what_they_carry():
    """Four legs of a rigid table: impulses are equal shares, their sum is known, and that they are shared is said."""
    legs = {f"leg{i}{j}": (2 * i - 1, 2 * j - 1) for i in (0, 1) for j in (0, 1)}
    run = System(
        coordinates="y a b",
        kinetic="(y'^2 + a'^2/3 + b'^2/3)/2",
        potential="9.81*y",
        contacts={name: {"gap": f"y + ({i})*a + ({j})*b", "restitution": 0.3} for name, (i, j) in legs.items()},
        initial={"y": 1},
    ).simulate(2)
    hit = run.impacts[0]
    assert hit.shared and list(hit.normal.values()) == pytest.approx([1.3 * np.sqrt(2 * 9.81) / 4] * 4, rel=1e-12)
    assert times(run, "zeno") == pytest.approx([np.sqrt(2 / 9.81) * 1.3 / 0.7], abs=1e-12)
    assert len(run.undetermined) == 1 and run.certificate.ok
    assert np.abs(run.q[-1]).max() < 1e-12


def test_many_that_rest_at_once():
    """A row of twelve blocks on a floor, more than patterns are tried of: each carries its weight."""
    count = 12
    run = System(
        coordinates=" ".join(f"y{k}" for k in range(count)),
        kinetic=" + ".join(f"{k + 1}*y{k}'^2/2" for k in range(count)),
        potential=" + ".join(f"9.81*{k + 1}*y{k}" for k in range(count)),
        forces={"y3": "100*t"},
        contacts={f"f{k}": {"gap": f"y{k}"} for k in range(count)},
    ).simulate(1)
    assert run["f11.normal"][-1] == pytest.approx(12 * 9.81, rel=1e-12)
    assert times(run, "open", "f3") == pytest.approx([4 * 9.81 / 100], abs=1e-9) and run.certificate.ok


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 5, 22, 29, 39, 47, 48, 77, 102])
def test_random_polygons_on_a_smooth_floor(seed):
    """No penetration, no energy gained, complementarity; or a certificate that says otherwise."""
    random = np.random.default_rng(seed)
    corners = random.integers(3, 6)
    angles = np.sort(random.uniform(0, 2 * np.pi, corners))
    radii, e = random.uniform(0.4, 1, corners), random.uniform(0, 0.8, corners)
    gaps = {
        f"c{k}": {"gap": f"y + ({r * np.cos(at)!s})*sin(phi) + ({r * np.sin(at)!s})*cos(phi)", "restitution": float(x)}
        for k, (r, at, x) in enumerate(zip(radii, angles, e, strict=True))
    }
    run = System(
        coordinates="y phi",
        kinetic="y'^2/2 + 0.2*phi'^2/2",
        potential="9.81*y",
        contacts=gaps,
        initial={"y": 1.5, "phi": float(random.uniform(-3, 3)), "phi'": float(random.normal())},
    ).simulate(2.5)
    assert run.status == "done"
    for name in gaps:
        assert run[f"{name}.gap"].min() > -1e-9 and run[f"{name}.normal"].min() >= 0
    assert all(impact.lost >= -1e-12 for impact in run.impacts) and run.certificate.ok
