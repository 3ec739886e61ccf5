"""Contacts with friction: sliding, sticking, impacts, against closed forms and published values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import ModelError, System
from tests.contacts.seen import kinds, times

WOODPECKER = {
    "mM": 0.0003, "JM": 5e-9, "mS": 0.0045, "JS": 7e-7, "lM": 0.010, "lG": 0.015, "lS": 0.0201, "rM": 0.0031,
    "r0": 0.0025, "hM": 0.0058, "hS": 0.02, "c": 0.0056, "g": 9.81, "mu": 0.3,
}  # fmt: skip


def woodpecker(**changes) -> System:
    """The woodpecker toy of Glocker and Pfeiffer in the state in which its sleeve begins to slip (contact 2 is `low`)."""
    parts = {
        "coordinates": "y phiM phiS",
        "kinetic": "(mS + mM)*y'^2/2 + (JM + mS*lM^2)*phiM'^2/2 + (JS + mS*lG^2)*phiS'^2/2"
        " + mS*lM*y'*phiM' + mS*lG*y'*phiS' + mS*lM*lG*phiM'*phiS'",
        "potential": "(mS + mM)*g*y + c*(phiM - phiS)^2/2 + mS*g*(lM*phiM + lG*phiS)",
        "parameters": WOODPECKER,
        "contacts": {
            "beak": {
                "gap": "lM + lG - lS - r0 - hS*phiS",
                "slip": "y' + lM*phiM' + (lG - lS)*phiS'",
                "friction": "mu",
                "restitution": 0.5,
            },
            "low": {"gap": "rM - r0 + hM*phiM", "slip": "y' + rM*phiM'", "friction": "mu"},
            "high": {"gap": "rM - r0 - hM*phiM", "slip": "y' + rM*phiM'", "friction": "mu"},
        },
        "initial": {
            "y": 0, "phiM": "-(rM - r0)/hM", "phiS": -0.205135349243526, "y'": 0, "phiM'": 0, "phiS'": 17.5746662056,
        },
    }  # fmt: skip
    return System(**{**parts, **changes})


def test_the_woodpecker_toy():
    """Period and descent to 1e-9, and its table of events, from an event-driven solution of another hand."""
    run = woodpecker().simulate(0.2, rtol=1e-12, atol=1e-15)
    first, second = times(run, "slip", "low")[:2]
    assert first < 1e-12 and second == pytest.approx(0.145976065144, rel=1e-9)
    at = next(event for event in run.events if event.t == second)
    assert -at.q[0] == pytest.approx(19.44537928e-3, rel=1e-9)
    assert at.v[2] == pytest.approx(17.5746662056, rel=1e-8) and at.q[2] == pytest.approx(-0.205135349243526, rel=1e-9)
    told = [(event.name, event.kind, event.t) for event in run.events if first < event.t <= second]
    table = [
        ("low", "open", 0.0058207572), ("high", "impact", 0.0167098253), ("beak", "impact", 0.0198111789),
        ("high", "impact", 0.0203907005), ("high", "close", 0.0203907005), ("high", "open", 0.0222453913),
        ("low", "impact", 0.0575338020), ("low", "impact", 0.0602625360), ("low", "close", 0.0602625360),
        ("low", "stick", 0.1063826581), ("low", "slip", 0.1459760651),
    ]  # fmt: skip
    assert [row[:2] for row in told] == [row[:2] for row in table]
    assert [row[2] for row in told] == pytest.approx([row[2] for row in table], abs=1e-10)
    assert run.certificate.ok


def test_the_velocities_after_the_impacts_of_the_woodpecker():
    run = woodpecker().simulate(0.07, rtol=1e-12, atol=1e-15)
    table = {
        0.0167098253: (-0.122466897, 0, 16.7094521),
        0.0198111789: (-0.09377519, 22.87850328, -8.45558868),
        0.0203907005: (0.0722566747, 0, -6.24638876),
        0.0575338020: (-0.28771009, 0, -6.27071399),
        0.0602625360: (-0.313707924, 0, -6.2749699),
    }
    for impact, (t, after) in zip(run.impacts, table.items(), strict=True):
        v = run.v[np.searchsorted(run.t, impact.t, side="right")]
        assert impact.t == pytest.approx(t, abs=1e-10) and v == pytest.approx(after, rel=2e-8, abs=1e-12)


def disk(**changes) -> System:
    """A solid disk of radius 0.3 on a floor, or above it."""
    parts = {
        "coordinates": "x y phi",
        "kinetic": "m*(x'^2 + y'^2)/2 + m*r^2/4*phi'^2",
        "potential": "m*g*y",
        "parameters": {"m": 2, "g": 9.81, "r": 0.3, "mu": 0.2, "e": 0.6, "d": 0},
        "contacts": {
            "floor": {"gap": "y - r", "slip": "x' + r*phi'", "friction": "mu", "restitution": "e", "tangential": "d"}
        },
        "initial": {"y": 0.3, "x'": 3},
    }
    return System(**{**parts, **changes})


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent"])
def test_a_disk_that_slides_rolls_in_the_end(form):
    """After v/(3 μ g) it rolls with 2/3 of its speed; then nothing rubs any more."""
    run = disk().simulate(1, form=form)
    assert times(run, "stick") == pytest.approx([3 / (3 * 0.2 * 9.81)], rel=1e-9)
    assert run["x'"][-1] == pytest.approx(2, rel=1e-9)
    assert run["floor.tangent"][1] == pytest.approx(-0.2 * 2 * 9.81, rel=1e-12)
    assert run["floor.tangent"][-1] == pytest.approx(0, abs=1e-12) and run["floor.sticks"][-1] == 1
    assert run.certificate.ok


@pytest.mark.parametrize("mu", [0.03, 0.1])
@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_what_friction_makes_of_an_impact(mu, law):
    """Dropped from 1 with x' = 1: Λ_N = m (1 + e) √(2g), and Λ_T = −min(μ Λ_N, m/3), with which it no longer slides."""
    entries = {"gap": "y - r", "slip": "x' + r*phi'", "friction": mu, "restitution": "e", "law": law}
    run = disk(contacts={"floor": entries}, initial={"y": 1.3, "x'": 1}).simulate(0.5)
    (impact,) = run.impacts
    normal = 2 * 1.6 * np.sqrt(2 * 9.81)
    assert impact.normal["floor"] == pytest.approx(normal, rel=1e-12)
    assert impact.tangent["floor"] == pytest.approx(-min(mu * normal, 2 / 3), rel=1e-12)
    assert run.certificate.ok


def test_a_super_ball_turns_its_sliding_round():
    """With e = e_T = 1 and enough friction no energy is lost, and γ_T⁺ = −γ_T⁻."""
    run = disk(initial={"y": 1.3, "x'": 1}).replace(parameters={"mu": 1, "e": 1, "d": 1}).simulate(0.5)
    (impact,) = run.impacts
    assert impact.tangent["floor"] == pytest.approx(-4 / 3, rel=1e-12) and impact.lost == pytest.approx(0, abs=1e-12)
    assert run["floor.slip"][-1] == pytest.approx(-1, rel=1e-12)


def test_a_disk_that_bounces_comes_to_rest_and_rolls():
    """Impacts without number carry the same impulse of friction as one: it rolls with 2/3 of x' in the end."""
    run = disk(initial={"y": 1.3, "x'": 1}).simulate(3)
    assert times(run, "zeno") == pytest.approx([np.sqrt(2 / 9.81) * 1.6 / 0.4], abs=1e-11)
    assert run["x'"][-1] == pytest.approx(2 / 3, rel=1e-9) and run.certificate.ok


def test_what_slides_while_it_bounces_is_dragged_to_the_end():
    """μ = 0.01 drags by μ (Λ + m g t) in all: x' = v − μ (√(2g) + g t) at every moment when it lies."""
    run = disk(initial={"y": 1.3, "x'": 1}).replace(parameters={"mu": 0.01}).simulate(3)
    rest = np.sqrt(2 / 9.81) * 1.6 / 0.4
    t = run.t[run.t > rest + 0.01]
    assert run["x'"][run.t > rest + 0.01] == pytest.approx(1 - 0.01 * 9.81 * t, abs=1e-9)


@pytest.mark.parametrize("mu", [0, 0.3])
def test_a_particle_leaves_a_round_hill_while_it_slides(mu):
    """On the circle u = v²/gR obeys u' = 2 sin θ − 2μ (cos θ − u); it leaves where u = cos θ."""
    rubs = {"slip": "(x'*y - y'*x)/sqrt(x^2 + y^2)", "friction": mu} if mu else {}
    run = System(
        coordinates="x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="g*y",
        parameters={"g": 9.81, "R": 1.5},
        contacts={"hill": {"gap": "sqrt(x^2 + y^2) - R", **rubs}},
        initial={"x": 0, "y": 1.5, "x'": 1.5},
    ).simulate(1.2, rtol=1e-11, atol=1e-13)

    def leaves(theta, u):
        return np.cos(theta) - u[0]

    leaves.terminal = True
    exact = solve_ivp(
        lambda theta, u: [2 * np.sin(theta) - 2 * mu * (np.cos(theta) - u[0])],
        (0, 2), [1.5**2 / (9.81 * 1.5)], rtol=1e-12, atol=1e-13, events=leaves,
    )  # fmt: skip
    left = run.events[0]
    assert left.kind == "open" and np.arctan2(left.q[0], left.q[1]) == pytest.approx(exact.t[-1], abs=1e-8)
    assert run.certificate.ok


@pytest.mark.parametrize("mu", [0.3, 5])
def test_a_rocking_block(mu):
    """Housner: without slip and bouncing an impact leaves (1 − 3/2 sin²α)² of the kinetic energy."""
    b, h = 0.0125, 0.05
    run = System(
        coordinates="x y phi",
        kinetic="(x'^2 + y'^2)/2 + (b^2 + h^2)/6*phi'^2",
        potential="g*y",
        parameters={"b": b, "h": h, "mu": mu, "g": 9.81},
        contacts={
            "left": {
                "gap": "y - h*cos(phi) - b*sin(phi)",
                "slip": "x' + (h*cos(phi) + b*sin(phi))*phi'",
                "friction": "mu",
            },
            "right": {
                "gap": "y - h*cos(phi) + b*sin(phi)",
                "slip": "x' + (h*cos(phi) - b*sin(phi))*phi'",
                "friction": "mu",
            },
        },
        initial={"phi": 0.1, "y": "h*cos(0.1) + b*sin(0.1)"},
    ).simulate(2)
    ratios = []
    for impact in run.impacts[:5]:
        v = run.v[np.searchsorted(run.t, impact.t)]
        before = (v[0] ** 2 + v[1] ** 2) / 2 + (b**2 + h**2) / 6 * v[2] ** 2
        ratios.append(1 - impact.lost / before)
    assert ratios == pytest.approx([(1 - 1.5 * np.sin(np.arctan2(b, h)) ** 2) ** 2] * 5, rel=1e-9)
    assert len(times(run, "zeno")) == 1 and run.certificate.ok
    assert abs(run["phi"][-1]) < 1e-9 and run["left.status"][-1] == run["right.status"][-1] == 1


def rod(mu: float) -> System:
    """Painlevé's rod of half length 1, which slides to the right on its lower end."""
    return System(
        coordinates="x y phi",
        kinetic="(x'^2 + y'^2)/2 + phi'^2/6",
        potential="10*y",
        parameters={"mu": mu, "phi0": float(np.radians(31))},
        contacts={"tip": {"gap": "y - sin(phi)", "slip": "x' - sin(phi)*phi'", "friction": "mu"}},
        initial={"x": 0, "y": "sin(phi0)", "phi": "phi0", "x'": 30},
    )


def test_painleves_rod_slides_until_the_paradox_which_is_named():
    """With μ = 5/3 it slides until t = 0.81454957, where A falls to zero at 45 degrees."""
    with pytest.warns(match=r"`tip`.*Painlevé's paradox"):
        run = rod(5 / 3).simulate(1, rtol=1e-11, atol=1e-13)
    assert run.status == "failed" and not run.certificate.ok
    t, q, v = run.end
    assert t == pytest.approx(0.81454957, abs=5e-7) and np.degrees(q[2]) == pytest.approx(45, abs=1e-4)
    assert v[0] == pytest.approx(11.9928, abs=2e-3) and v[2] == pytest.approx(3.760155, abs=1e-3)


def test_painleves_rod_is_never_singular_with_less_friction():
    run = rod(1.2).simulate(1.5)
    assert run.status == "done" and kinds(run)[0] == ("tip", "stick") and run.certificate.ok


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"slip": "x'"}, "`friction` is missing beside `slip`"),
        ({"friction": 0.1}, "`slip` is missing beside `friction`"),
        ({"slip": "x", "friction": 0.1}, "no velocity: it must be linear"),
        ({"slip": ["x'", "y'"], "friction": 0.1}, "sliding in a plane is not computed yet"),
        ({"slip": "x'", "friction": -0.1}, "not below 0, got -0.1"),
        ({"slip": "x'", "friction": 0.1, "tangential": 2}, "tangential restitution is between 0 and 1"),
        ({"slip": "x'", "friction": 0.1, "tangential": 0.5, "law": "poisson"}, "no tangential restitution here"),
    ],
)
def test_wrong_entries_are_told(entries, said):
    with pytest.raises(ModelError, match=said):
        disk(contacts={"floor": {"gap": "y - r", **entries}})


def test_seven_that_meet_at_once_and_rub_are_too_many():
    """Of up to six all patterns are tried."""
    names = [f"x{k}" for k in range(7)]
    system = System(
        coordinates=" ".join((*names, "y")),
        kinetic=" + ".join(f"{name}'^2" for name in (*names, "y")),
        potential="10*y",
        contacts={f"c{k}": {"gap": "y", "slip": f"{name}' + y'", "friction": 0.1} for k, name in enumerate(names)},
        initial={"y": 1},
    )
    with pytest.warns(match="impacts with friction are computed of 6 at once at most"):
        assert system.simulate(1).status == "failed"


def test_files_reports_and_derivations_have_friction_at_contacts(tmp_path):
    system = disk(simulation={"until": 1})
    system.save(tmp_path / "disk.toml")
    text = (tmp_path / "disk.toml").read_text()
    assert "slip = \"r*phi' + x'\"" in text and 'friction = "mu"' in text
    run = system.simulate()
    data = run.as_dict()["contacts"]["floor"]
    assert data["status"] == "stick" and data["slip"] == pytest.approx(0, abs=1e-12)
    assert [event["kind"] for event in run.as_dict()["events"]] == ["stick"]
    assert "where it sticks" in system.derive().text().replace("; where it sticks", " where it sticks")
    assert [one.name for one in system.integrals()] == []
    run.report(tmp_path / "report.html")
    assert len(run.plot("contacts").axes) == 5
