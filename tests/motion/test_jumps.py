"""Velocities that jump at events, in Python, in files and on the command line."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from dalembert import Event, ModelError, System, load, loads
from dalembert.cli import main
from dalembert.motion.event_text import event_from_text

BALL = System(
    "x y",
    kinetic="m*(x'^2 + y'^2)/2",
    potential="m*g*y",
    parameters={"m": 2, "g": 10.0, "e": 0.5},
    initial={"y": 5, "y'": 0, "x'": 1},
    events={"hit": {"when": "y = 0", "direction": "down", "velocities": {"y'": "-e*y'"}}},
)
CART = System(
    "s phi",
    kinetic="M*s'^2/2 + m*((s' + l*phi'*cos(phi))^2 + (l*phi'*sin(phi))^2)/2",
    potential="-m*g*l*cos(phi)",
    parameters={"M": 2, "m": 1, "l": 0.7, "g": 9.81},
    initial={"s": 0, "phi": 0.5, "s'": 1.0, "phi'": 0.3},
)


@pytest.mark.parametrize("settings", [{}, {"method": "radau"}, {"method": "rk4", "step": 0.01}, {"form": "canonical"}])
def test_a_ball_bounces_as_its_closed_form(settings):
    """It meets the floor at t = 1, then after 2 e, 2 e² … of the first fall, with e of the speed each time."""
    run = BALL.simulate(2.9, **settings)
    times = [event.t for event in run.events]
    assert times == pytest.approx([1, 2, 2.5, 2.75, 2.875], abs=1e-6)
    assert [event.v[1] for event in run.events] == pytest.approx([-10 * 0.5**k for k in range(5)], rel=1e-5)
    assert run["x'"] == pytest.approx(1.0)
    assert run.at(1.5)[0][1] == pytest.approx(10 * 0.5**2 / 2, abs=1e-6)
    assert run.certificate.ok
    assert run.certificate["jumps"].ok


def test_bounces_without_number_are_recognised():
    with pytest.warns(UserWarning, match="follow each other in ever shorter times, without number before t = 3"):
        run = BALL.simulate(10)
    assert run.status == "stopped"
    assert run.events[-1].kind == "zeno"
    assert run.t[-1] == pytest.approx(3.0, abs=1e-6)
    assert run.certificate.ok
    assert len(run.events) < 40
    with pytest.warns(UserWarning, match="without number"):
        slow = BALL.replace(parameters={"e": 0.9}).simulate(100)
    assert slow.t[-1] == pytest.approx(1 + 2 * 0.9 / 0.1, rel=1e-5)


def test_what_is_not_named_follows_by_an_ideal_blow():
    """A cart is stopped by a blow along its rails: the momentum of the pendulum about its pivot is conserved."""
    run = CART.simulate(1.0, events=[Event("t = 0.4", velocities={"s'": 0})])
    event, (_, after) = run.events[0], run.at(np.nextafter(0.4, 1))
    s, phi = event.v
    assert after[0] == pytest.approx(0, abs=1e-12)
    assert after[1] == pytest.approx(phi + math.cos(event.q[1]) * s / 0.7, rel=1e-9)
    assert run.certificate.ok


def test_constraints_hold_after_a_jump():
    """Two beads on a bar: where one is stopped, the other stops; with a rope over a pulley at half its speed."""
    beads = System(
        "x y",
        kinetic="m*(x'^2 + 3*y'^2)/2",
        constraints={"rope": "x + 2*y = 1"},
        parameters={"m": 1},
        initial={"x": 0, "x'": 1},
    )
    run = beads.simulate(1.0, events=[Event("x = 0.5", velocities={"x'": "-2*x'"})])
    assert run.v[-1] == pytest.approx([-2.0, 1.0])
    assert run.certificate.ok
    with pytest.warns(UserWarning, match=r"the constraints do not allow the new velocities of `x'` and `y'`: `rope`"):
        failed = beads.simulate(1.0, events=[Event("x = 0.5", velocities={"x'": 1, "y'": 1})])
    assert failed.status == "failed"


def test_setting_and_stopping_together():
    run = BALL.simulate(5, events=[Event("y = 0", {"g": 3.0}, name="hit", velocities={"y'": "-y'"}, stop=True)])
    assert run.status == "stopped"
    assert run.final()["y'"] == pytest.approx(10.0)


def test_files_hold_events(tmp_path):
    BALL.save(tmp_path / "ball.toml")
    again = load(tmp_path / "ball.toml")
    assert again == BALL
    assert loads(str(again)) == BALL
    assert [event.name for event in again.simulate(2.2).events] == ["hit", "hit"]
    assert again.replace(events=None).simulate(2.2).events == []


def test_the_command_line_has_events(tmp_path, capsys):
    BALL.save(tmp_path / "ball.toml")
    line = ["simulate", str(tmp_path / "ball.toml"), "--until", "1.7", "--json", "--event", "top: y' = 0, down"]
    with pytest.raises(SystemExit) as end:
        main(line)
    assert end.value.code == 0
    found = json.loads(capsys.readouterr().out)["events"]
    assert [(event["name"], event["kind"]) for event in found] == [("hit", "event"), ("top", "event")]
    assert [event["t"] for event in found] == pytest.approx([1, 1.5])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "an event is an equation, with a name before it if it has one"),
        (": y = 0", "an event is an equation, with a name before it if it has one"),
        ("y = 0, sideways", "`sideways` is none of up, down, both, stop"),
        ("y = 0, k = 1/0", "the new value of `k` is a finite number, got '1/0': division by zero"),
        ("y = 0, up, down", "event `y = 0`: the direction is given twice"),
        ("y = 0, y' = 1, y' = 2", "event `y = 0`: `y'` is given twice"),
        ("y = 0, k = __import__('os')", ""),
        ("y = 0, " + "x" * 20_000, "at most 10,000 characters"),
    ],
)
def test_lines_that_are_no_events(text, words):
    with pytest.raises(ModelError, match=words):
        event_from_text(text)


def test_commas_in_parentheses_belong_to_the_equation():
    assert event_from_text("max(x, y) = 1, up").when == "max(x, y) = 1"


HEAD = """format = 1
coordinates = ["y"]
[parameters]
k = 1
[energy]
kinetic = "y'^2/2"
[events.hit]
"""


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ("stop = true", "m.toml:7: hit: an event needs `when`"),
        ('when = "z = 0"', "when: unknown name `z`"),
        ("when = \"y'' = 0\"", "m.toml:8: when: an event depends on t, positions, velocities and multipliers"),
        ('when = "k = 2"', "m.toml:8: when: nothing in it moves"),
        ("when = true", "m.toml:8: when: expected an expression or a number, got true"),
        ('when = "y = 0"\ndirection = "left"', "m.toml:9: direction: the direction is up, down or both, got 'left'"),
        ('when = "y = 0"\nstop = 1', "m.toml:9: stop: `stop` is true or false"),
        ('when = "y = 0"\nset = {z = 1}', "m.toml:9: set: no parameter `z`"),
        ('when = "y = 0"\nset = {k = "y"}', "m.toml:9: set: the new value of `k` is a finite number"),
        ('when = "y = 0"\nset = 3', "m.toml:9: set: expected values by name"),
        ('when = "y = 0"\nvelocities = {y = 1}', "m.toml:9: velocities: no velocity `y`"),
        ('when = "y = 0"\nvelocities = {"y\'" = "sqrt("}', "m.toml:9: velocities: "),
        ('when = "y = 0"\nbounce = 1', "m.toml:9: bounce: unknown entry"),
    ],
)
def test_mistakes_in_files_have_their_lines(entries, words):
    with pytest.raises(ModelError) as error:
        loads(HEAD + entries, "m.toml")
    assert words in str(error.value)


def test_what_is_not_there_is_refused():
    with pytest.raises(ModelError, match="unknown name `lambda_rod`"):
        loads(HEAD + 'when = "lambda_rod = 0"').simulate(1)
    with pytest.raises(ModelError, match="no velocity `z'`"):
        BALL.simulate(1, events=[Event("y", velocities={"z'": 1})])
    with pytest.raises(ModelError, match="is a finite number or an expression, got"):
        BALL.simulate(1, events=[Event("y", velocities={"y'": float("nan")})])
    with pytest.warns(UserWarning, match="the new value of `y'` is not finite"):
        assert BALL.simulate(2, events=[Event("y = 0", velocities={"y'": "log(x - 5)"}, name="hit")])


def test_events_far_from_zero_in_time():
    """Step control and the recognition of rows of jumps count from the start of a motion."""
    run = BALL.simulate(1002.9, begin=1000.0)
    assert [event.t - 1000 for event in run.events] == pytest.approx([1, 2, 2.5, 2.75, 2.875], abs=1e-8)
    assert run.certificate.ok


def test_a_jump_at_the_very_end():
    """What is left after it is less than rounding, in which no step fits."""
    ball = System(
        "y", kinetic="y'^2/2", potential="g*y", parameters={"g": 10, "e": 0.5}, initial={"y": 5}
    )  # which falls in one second
    run = ball.simulate(2, begin=1, events=[Event("y = 0", direction="down", velocities={"y'": "-e*y'"})])
    assert run.status == "done" and run.final()["t"] == 2
    assert len(run.events) == 1 and run.final()["y'"] == pytest.approx(5)
