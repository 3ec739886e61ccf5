"""A ball on a floor: impacts and rest, against closed forms, in all forms and methods."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, System
from tests.contacts.seen import kinds, times


def ball(**changes) -> System:
    """A ball that falls from the height 1."""
    parts = {
        "coordinates": "y",
        "kinetic": "m*y'^2/2",
        "potential": "m*g*y",
        "parameters": {"m": 2, "g": 9.81, "e": 0.5},
        "contacts": {"floor": {"gap": "y", "restitution": "e"}},
        "initial": {"y": 1},
    }
    return System(**{**parts, **changes})


@pytest.mark.parametrize(("e", "rest"), [(0.5, 1.354570922957192713), (0.9, 8.578949178728887185)])
def test_it_comes_to_rest_at_the_time_of_the_closed_form(e, rest):
    """t = √(2h/g) (1 + e)/(1 − e); a third of a millionth of it is passed over, and the limit is exact."""
    run = ball().replace(parameters={"e": e}).simulate(10)
    (at,) = [event for event in run.events if event.kind == "zeno"]
    assert at.t == pytest.approx(rest, abs=1e-12)
    assert abs(at.t - rest) <= max(at.error, 1e-14) and at.error < 1e-12
    assert run["floor.normal"][-1] == 2 * 9.81 and run["floor.status"][-1] == 1
    assert run["y"][-1] == 0 and run["y'"][-1] == 0


def test_every_impact_is_where_it_is_and_takes_what_it_takes():
    """Impact n is at √(2h/g) (1 + 2e + … + 2eⁿ⁻¹), with Λ = m (1 + e) eⁿ⁻¹ √(2gh); all energy is lost in the end."""
    run = ball().simulate(2)
    first, e = np.sqrt(2 / 9.81), 0.5
    n = np.arange(1, 9)
    closed = first * (1 + 2 * e * (1 - e ** (n - 1)) / (1 - e))
    assert np.array(times(run, "impact"))[:8] == pytest.approx(closed, abs=1e-14)
    impulses = [impact.normal["floor"] for impact in run.impacts[:8]]
    assert impulses == pytest.approx(2 * 1.5 * e ** (n - 1) * np.sqrt(2 * 9.81), rel=1e-13)
    assert sum(impact.lost for impact in run.impacts) == pytest.approx(2 * 9.81, rel=1e-13)
    assert all(impact.given < 0 and not impact.shared for impact in run.impacts if impact.kind == "impact")
    assert run.certificate.ok


def test_the_certificate_looks_at_contacts():
    items = {item.name: item for item in ball().simulate(2).certificate.items}
    for name in ("penetration", "reactions", "impacts", "impact energy"):
        assert items[name].ok, name
    assert items["penetration"].value < 1e-12


def test_a_gap_with_a_size_in_it():
    """Rounding of y − r is more than that of y: nine digits of the shortest times are lost, not of the limit."""
    run = ball(
        contacts={"floor": {"gap": "y - r", "restitution": "e"}},
        parameters={"m": 1, "g": 9.81, "e": 0.9, "r": 0.1},
        initial={"y": 1.1},
    ).simulate(10)
    assert times(run, "zeno") == pytest.approx([8.578949178728887185], abs=1e-12)


def test_without_restitution_it_lies_at_once():
    run = ball().replace(parameters={"e": 0}).simulate(1)
    assert kinds(run) == [("floor", "impact"), ("floor", "close")]
    assert times(run, "close") == pytest.approx([np.sqrt(2 / 9.81)], abs=1e-14)
    assert run["floor.normal"][-1] == 2 * 9.81


def test_with_all_of_it_the_energy_stays():
    run = ball().replace(parameters={"e": 1}).simulate(10)
    first = np.sqrt(2 / 9.81)
    assert times(run, "impact") == pytest.approx(first * np.arange(1, 23, 2), abs=1e-13)
    assert run.energy[-1] == pytest.approx(2 * 9.81, rel=1e-13)


def test_it_begins_at_rest_on_the_floor():
    run = ball(initial={"y": 0}).simulate(1)
    assert kinds(run) == [] and np.all(run["floor.normal"] == 2 * 9.81) and np.all(run["y"] == 0)


def test_it_begins_with_an_impact():
    """Thrown down from the floor with 1 it comes up with 1/2, and is back after 2·(1/2)/g."""
    run = ball(initial={"y": 0, "y'": -1}).simulate(0.2)
    assert times(run, "impact")[:2] == pytest.approx([0, 1 / 9.81], abs=1e-14)
    assert run["y'"][:2].tolist() == [-1, 0.5] and run.certificate.ok


def test_a_force_lifts_it_when_it_is_larger_than_the_weight():
    """5 t² against m g = 19.62."""
    run = ball(initial={"y": 0}, forces={"y": "5*t^2"}).simulate(3)
    lifts = np.sqrt(2 * 9.81 / 5)
    assert times(run, "open") == pytest.approx([lifts], abs=1e-9)
    t = run.t[run.t > lifts]
    exact = 5 / 24 * (t**4 - lifts**4) - 9.81 / 2 * (t**2 - lifts**2)
    exact -= (5 / 6 * lifts**3 - 9.81 * lifts) * (t - lifts)
    assert run["y"][run.t > lifts] == pytest.approx(exact, abs=1e-9)
    assert run.certificate.ok


def test_a_pull_that_comes_at_once():
    run = ball(initial={"y": 0}, forces={"y": "40*step(t - 1)*step(1.2 - t)"}).simulate(2)
    assert times(run, "open") == pytest.approx([1], abs=1e-12) and run.certificate.ok


def test_a_floor_that_moves_carries_it():
    """Below 9.81 the acceleration 0.9 sin 3t of the floor never leaves it: N = m (g − 0.9 sin 3t)."""
    run = ball(contacts={"floor": {"gap": "y - 0.1*sin(3*t)"}}, initial={"y": 0.5}).simulate(3)
    assert kinds(run) == [("floor", "impact"), ("floor", "close")]
    lies = run["floor.status"] == 1
    assert run["floor.normal"][lies] == pytest.approx(2 * (9.81 - 0.9 * np.sin(3 * run.t[lies])), rel=1e-9)
    assert run["y"][lies] == pytest.approx(0.1 * np.sin(3 * run.t[lies]), abs=1e-9)
    assert run.certificate.ok


def test_a_floor_that_falls_away_leaves_it():
    """A floor at 0.1 cos(12 t), from the top: 14.4 cos 12t > g at the start, so that it flies and comes down again."""
    run = ball(contacts={"floor": {"gap": "y - 0.1*cos(12*t)"}}, initial={"y": 0.1, "y'": 0}).simulate(0.3)
    assert run["floor.status"][0] == 0
    assert run["floor.gap"].min() > -1e-9 and len(times(run, "impact")) >= 1


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent"])
def test_every_form(form):
    run = ball().simulate(2, form=form)
    assert times(run, "zeno") == pytest.approx([1.354570922957192713], abs=1e-12)
    assert run["floor.normal"][-1] == pytest.approx(2 * 9.81, rel=1e-14) and run.certificate.ok


@pytest.mark.parametrize(
    "settings", [{"method": "radau"}, {"method": "bdf"}, {"method": "rk4", "step": 0.01}, {"keep": "none"}]
)
def test_other_settings(settings):
    run = ball().simulate(2, **settings)
    assert times(run, "zeno") == pytest.approx([1.354570922957192713], abs=1e-7)
    assert run["floor.normal"][-1] == pytest.approx(2 * 9.81, rel=1e-9)


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9])
def test_what_grazes_inside_a_step_is_met(depth):
    """Thrown up to 0.5 under a roof that is lower by so much."""
    run = System(
        coordinates="y",
        kinetic="y'^2/2",
        potential="9.81*y",
        parameters={"h": 0.5 - depth},
        contacts={"roof": {"gap": "h - y", "restitution": 0.5}},
        initial={"y'": np.sqrt(9.81)},
    ).simulate(0.6)
    assert times(run, "impact") == pytest.approx([(np.sqrt(9.81) - np.sqrt(2 * 9.81 * depth)) / 9.81], abs=1e-9)
    assert len(run.impacts) == 1


def test_what_passes_by_is_not_met():
    run = ball(initial={"y": 0, "y'": 1}, contacts={"roof": {"gap": "0.5/9.81 + 1e-9 - y"}}).simulate(0.2)
    assert run.events == [] and run.certificate.ok


def test_two_that_meet_inside_one_step():
    """Two balls on two floors, 1e-6 s one after the other."""
    run = System(
        coordinates="a b",
        kinetic="(a'^2 + b'^2)/2",
        potential="10*(a + b)",
        contacts={"one": {"gap": "a"}, "two": {"gap": "b"}},
        initial={"a": 5, "b": 5 * (1 + 1e-6) ** 2},
    ).simulate(2)
    assert times(run, "impact") == pytest.approx([1, 1 + 1e-6], abs=1e-13)
    assert kinds(run)[::2] == [("one", "impact"), ("two", "impact")]


def test_events_of_the_user_stand_beside_contacts():
    run = ball().simulate(1, events=["floor.speed = 0", "floor.normal = 3", "y = 0.2"])
    assert times(run, "event", "y = 0.2")[0] == pytest.approx(np.sqrt(1.6 / 9.81), abs=1e-12)
    assert len(times(run, "impact")) == 2


@pytest.mark.parametrize(("speed", "first"), [(3, "open"), (-3, "impact")])
def test_an_event_throws_what_lies(speed, first):
    """Up it flies off; down it meets the floor at once, and comes back with e of it."""
    run = ball(initial={"y": 0, "y'": 0}).simulate(1.2, events=[Event("t = 0.5", velocities={"y'": speed})])
    after = speed if speed > 0 else -speed / 2
    assert [event.kind for event in run.events[1:2]] == [first] and run.certificate.ok
    assert times(run, "impact")[int(speed < 0)] == pytest.approx(0.5 + 2 * after / 9.81, rel=1e-11)


def test_what_an_event_gives_a_lying_body_its_floor_takes_along():
    """A point on a slope of 1 : 2 gets x' = −2: the slope presses, and y' = 1."""
    slope = {"slope": {"gap": "y + x/2"}}
    point = System("x y", kinetic="(x'^2 + y'^2)/2", contacts=slope, initial={"x": 0, "y": 0})
    for wanted, y in ((-2, 1.0), (2, 0.0)):
        run = point.simulate(1, events=[Event("t = 0.5", velocities={"x'": wanted})])
        assert (run["x'"][-1], run["y'"][-1]) == pytest.approx((wanted, y), abs=1e-12) and run.certificate.ok
