"""Impulses along coordinates at events, and constraints that are imposed suddenly: what velocities follow, and what is lost."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dalembert import Event, ModelError, System, load
from dalembert.cli.app import app
from tests.conftest import pendulum


def kicked(value, **parts):
    return Event("t = 0.5", impulses={"x": value}, **parts)


def test_a_free_mass_takes_the_impulse():
    mass = System("x", kinetic="m*x'^2/2", parameters={"m": 2.5}, initial={"x'": 1})
    run = mass.simulate(1, events=[kicked(3)])
    assert run["x'"][-1] == pytest.approx(1 + 3 / 2.5, rel=1e-14) and run.certificate.ok
    assert run.events[0].lost == pytest.approx(2.5 / 2 * (1 - 2.2**2), rel=1e-13)
    twice = mass.simulate(1, events=[kicked("m*x'", name="first"), kicked(-1, name="second")])
    assert twice["x'"][-1] == pytest.approx(2 - 1 / 2.5, rel=1e-14) and twice.certificate.ok


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent", "quasi"])
def test_a_pendulum_is_hit_at_its_bob(form):
    """φ' = P l cos φ/(J + m l²): the rest of the impulse goes into the support."""
    run = pendulum(initial={"phi": 0.4}).simulate(
        0.6, form=form, events=[Event("t = 0.25", name="hit", impulses={"x": 2})]
    )
    first = run.events[0]
    k = int(np.searchsorted(run.t, first.t, side="right"))
    assert run.v[k][2] == pytest.approx(2 * np.cos(first.q[2]) / 1.1 + first.v[2], rel=1e-8)
    assert run.certificate.ok
    assert first.lost == pytest.approx(1.1 / 2 * (first.v[2] ** 2 - run.v[k][2] ** 2), rel=1e-7)


def test_carts_that_couple_lose_what_carnot_says():
    """Imposed by a parameter: x1' = x2' from then on, and ½ m1 m2/(m1 + m2) (v1 − v2)² is lost."""
    carts = System(
        "x1 x2",
        kinetic="(m1*x1'^2 + m2*x2'^2)/2",
        parameters={"m1": 2, "m2": 1.5, "on": 0},
        constraints={"coupled": "on*(x1' - x2') = 0"},
        initial={"x1": 0, "x1'": 3, "x2": 1, "x2'": 0.5},
        events={"meet": {"when": "x1 = x2", "set": {"on": 1}}},
    )
    run = carts.simulate(1)
    assert run.events[0].t == pytest.approx(0.4, rel=1e-12)
    assert run.v[-1] == pytest.approx([(2 * 3 + 1.5 * 0.5) / 3.5] * 2, rel=1e-12) and run.certificate.ok
    assert run.events[0].lost == pytest.approx(2 * 1.5 / 3.5 * 2.5**2 / 2, rel=1e-12)


def test_what_lies_on_a_floor_is_pressed_and_does_not_go_through():
    ball = System(
        "x y", kinetic="(x'^2 + y'^2)/2", potential="9.81*y", contacts={"floor": {"gap": "y", "restitution": 0.5}}
    )
    up = ball.simulate(1, events=[Event("t = 0.2", impulses={"y": 1.3})])
    assert [event.kind for event in up.events[:2]] == ["event", "open"] and up.certificate.ok
    down = ball.simulate(1, events=[Event("t = 0.2", impulses={"y": -1.3, "x": 0.4})])
    assert down.v[-1] == pytest.approx([0.4, 0], abs=1e-12) and down.certificate.ok and down["y"].min() > -1e-12


def test_they_stand_in_files_and_are_told(tmp_path):
    path = tmp_path / "kick.toml"
    system = System("x", kinetic="x'^2", events={"kick": {"when": "t = 0.3", "impulses": {"x": "2 - x'"}}})
    system.save(path)
    assert str(load(path)) == str(system)
    found = json.loads(CliRunner().invoke(app, ["simulate", str(path), "--until", "1", "--json"]).stdout)
    assert found["events"] == [
        {"t": pytest.approx(0.3), "name": "kick", "kind": "event", "energy_lost": pytest.approx(-1)}
    ]


@pytest.mark.parametrize(
    ("impulses", "said"),
    [
        ({"z": 1}, "no coordinate `z`"),
        ({"x": "x''"}, "cannot be used|accelerations"),
        ({"x": float("nan")}, "the impulse on `x` is a finite number"),
        ({"x": True}, "finite number or an expression"),
        (3, "`impulses` are given by coordinate"),
    ],
)
def test_what_cannot_be_is_told(impulses, said):
    with pytest.raises(ModelError, match=said):
        System("x", kinetic="x'^2").simulate(1, events=[Event("t = 0.5", impulses=impulses)])
    with pytest.raises(ModelError):
        System("x", kinetic="x'^2", events={"kick": {"when": "t = 0.5", "impulses": impulses}})


def test_an_impulse_on_what_has_no_mass_is_told():
    light = System("x y", kinetic="x'^2/2", potential="y^2", constraints={"held": "y = x/2"})
    with pytest.warns(match="an impulse acts on `y`, which has no mass"):
        assert light.simulate(1, events=[Event("t = 0.5", impulses={"y": 1})]).status == "failed"
