"""Stops of joints, and ropes and strings that go slack: contacts that joints bring."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from dalembert import Mechanism, ModelError, load
from tests.contacts.seen import kinds, times

G = 9.81


def rod(**changes) -> Mechanism:
    """A rod that falls from the level, about one end."""
    joint = {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0], "min": -1.2, "max": 0.5, "restitution": 0.4}
    return Mechanism(
        bodies={"rod": {"mass": 1.3, "inertia": 0.12, "at": [0.35, 0]}}, joints={"A": {**joint, **changes}}
    )


@pytest.mark.parametrize("coordinates", ["absolute", "joints", "angles"])
def test_a_rod_falls_on_its_stop(coordinates):
    """It meets it with ω² = 2 m g l sin a / J, comes back with e of it, and lies on it in the end."""
    run = rod().replace(by=coordinates).simulate(3)
    inertia = 0.12 + 1.3 * 0.35**2
    assert run.impacts[0].before["A_min"] == pytest.approx(
        -np.sqrt(2 * 1.3 * G * 0.35 * np.sin(1.2) / inertia), rel=1e-9
    )
    assert run.impacts[0].after["A_min"] == pytest.approx(-0.4 * run.impacts[0].before["A_min"], rel=1e-12)
    held = 1.3 * G * 0.35 * np.cos(1.2)
    assert run["A_min.normal"][-1] == pytest.approx(held, rel=1e-12)
    assert run.joint("A").moment[-1] == pytest.approx(held, rel=1e-12)
    assert run.joint("A").force[-1] == pytest.approx([0, 1.3 * G], abs=1e-9)
    assert run.certificate.ok and times(run, "impact", "A_max") == []


def bob(kind: str, **changes) -> Mechanism:
    """A particle that is thrown at the lowest point of a rope or string."""
    joint = {"kind": kind, "bodies": ["ground", "bob"], "points": [[0, 0], [0, 0]], "slack": True, **changes}
    body = {"kind": "particle", "mass": 3, "at": [0, -2.0], "velocity": [8.0, 0]}
    return Mechanism(bodies={"bob": body}, joints={"rope": joint}, outputs={"pull": "rope.force"})


@pytest.mark.parametrize("kind", ["rope", "rod"])
def test_a_rope_goes_slack_and_is_tight_again(kind):
    """Slack where cos φ = −(v² − 2 g l)/(3 g l), then on a parabola until it is as far away as the rope is long."""
    run = bob(kind).simulate(3, rtol=1e-11, atol=1e-13)
    cosine = -(64 - 4 * G) / (6 * G)
    assert kinds(run) == [("rope_tight", "open"), ("rope_tight", "impact"), ("rope_tight", "close")]
    loose, tight = run.events[0], run.events[1]
    assert -loose.q[1] / 2 == pytest.approx(cosine, rel=1e-9)

    def away(time):
        x, y = loose.q + time * loose.v - [0, G * time**2 / 2]
        return np.hypot(x, y) - 2

    assert tight.t - loose.t == pytest.approx(brentq(away, 0.3, 2, xtol=1e-14), abs=1e-9)
    assert np.hypot(run["x_bob"], run["y_bob"]).max() < 2 + 1e-9 and run.certificate.ok
    impact = run.impacts[0]
    assert impact.lost == pytest.approx(3 * impact.before["rope_tight"] ** 2 / 2, rel=1e-9)
    assert run.outputs["pull"] == pytest.approx(run.joint("rope").size, rel=1e-9, abs=1e-12)
    assert not run.slack  # nothing pushes


def test_strings_in_space_and_their_count():
    machine = Mechanism(
        bodies={"bob": {"kind": "particle", "mass": 0.5, "at": [0.3, 0.1, -0.2], "velocity": [0, 0.5, 0]}},
        joints={"s": {"kind": "rod", "bodies": ["ground", "bob"], "points": [[0, 0, 0]] * 2, "slack": True, "length": 0.5}},
        dimensions=3,
    )  # fmt: skip
    assert machine.mobility().freedom == 3 and "rod" not in str(machine.mobility())
    run = machine.simulate(2)
    away = np.linalg.norm(run.q, axis=1)
    assert kinds(run)[:2] == [("s_tight", "impact"), ("s_tight", "close")] and away.max() < 0.5 + 1e-9
    assert run["s_tight.gap"] == pytest.approx(0.5 - away, abs=1e-12)
    assert run.certificate.ok


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"min": 1}, "`max` must be above `min`, got 1 and 0.5"),
        ({"restitution": 1.5}, "between 0 and 1, got 1.5"),
        ({"min": None, "max": None}, "`restitution` is one of stops"),
        ({"slack": True}, "a joint `revolute` does not go slack"),
        ({"kind": "rigid", "max": None, "restitution": None}, "of a joint `rigid` it has none"),
        ({"kind": "slot", "axis": [1, 0], "max": None}, "it has `distance` and `angle`.*write a contact"),
        ({"min": "phi_rod"}, "number or an expression of parameters"),
        ({"min": 0.1}, "the gap of contact `A_min` is -0.1 at the start"),
    ],
)
def test_what_cannot_be_is_told(changes, said):
    with pytest.raises(ModelError, match=said):
        rod(**changes).simulate(1)


def test_names_are_not_taken_twice():
    with pytest.raises(ModelError, match="`A_min` is the contact of joint `A` at its end"):
        rod().replace(contacts={"A_min": {"bodies": ["ground", "rod"]}})


def test_they_are_kept_in_files_and_as_plain_systems(tmp_path):
    machine = rod()
    machine.save(tmp_path / "rod.toml")
    again = load(tmp_path / "rod.toml")
    assert str(again) == str(machine) and list(again.contacts) == ["A_min", "A_max"]
    plain = machine.system()
    assert list(plain.contacts) == ["A_min", "A_max"]
    assert plain.simulate(1).events[0].t == pytest.approx(machine.simulate(1).events[0].t, abs=1e-9)
    tied = bob("rope")
    tied.save(tmp_path / "bob.toml")
    assert load(tmp_path / "bob.toml").joints["rope"].slack
