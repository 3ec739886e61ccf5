"""The table [contacts.*]: what is wrong in it is said, what is right is kept; and what cannot be done with contacts."""

from __future__ import annotations

import json
import pickle

import pytest
from typer.testing import CliRunner

from dalembert import ModelError, System, load
from dalembert.cli.app import app
from tests.contacts.test_ball import ball
from tests.contacts.test_machines import ladder


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({}, "needs its `gap`"),
        ({"gap": "y'"}, "coordinates, time and parameters"),
        ({"gap": "m"}, "no coordinate stands in the gap"),
        ({"gap": "z"}, "unknown name"),
        ({"gap": "y >= 0"}, "no condition: write `y` for `y >= 0`"),
        ({"gap": "y", "slip": "2*y'", "friction": 0.1}, "is the rate of its gap: nothing slides along that"),
        ({"gap": "y", "restitution": 2}, "between 0 and 1.*got 2"),
        ({"gap": "y", "restitution": "y"}, "parameters only"),
        ({"gap": "y", "law": "hertz"}, "newton or poisson.*hertz"),
        ({"gap": "y", "stiffness": 1}, "unknown entry; a contact has: gap, restitution, law"),
        ({"gap": "y", "bodies": ["a", "b"]}, "between the bodies of a mechanism, and there are none here"),
        ("y", "expected a table"),
    ],
)
def test_wrong_entries_are_told(entries, said):
    with pytest.raises(ModelError, match=said):
        ball(contacts={"floor": entries}).simulate(1)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("y", "expected entries by name"),
        ({"1a": {"gap": "y"}}, "a name is letters"),
        ({"a": {"gap": "y", "law": "newton"}, "b": {"gap": "y + 1", "law": "poisson"}}, "share one law"),
        ({f"c{k}": {"gap": "y"} for k in range(201)}, "201 contacts; at most 200 are read"),
    ],
)
def test_wrong_tables_are_told(table, said):
    with pytest.raises(ModelError, match=said):
        ball(contacts=table)


def test_values_that_cannot_be_are_found_by_the_check():
    assert "the restitution of contact `floor` is 1.5" in str(ball().replace(parameters={"e": 1.5}).check())
    inside = ball(initial={"y": -0.1})
    assert "the gap of contact `floor` is -0.1 at the start" in str(inside.check())
    with pytest.raises(ModelError, match=r"-0\.1 at the start.*give initial values"):
        inside.simulate(1)
    with pytest.raises(ModelError, match="linear in the velocities, and `curved` is not"):
        System(
            coordinates="x y",
            kinetic="(x'^2 + y'^2)/2",
            constraints={"curved": "x'^2 + y'^2 = 1"},
            contacts={"floor": {"gap": "y"}},
            initial={"x'": 1, "y'": 0, "y": 1},
        ).simulate(1)


def test_forces_do_not_follow_what_contacts_carry():
    with pytest.raises(ModelError, match=r"what contact `floor` carries.*`floor\.gap` and `floor\.speed`"):
        ball(forces={"y": "-0.1*floor.normal"})
    soft = ball(forces={"y": "-0.5*floor.speed"})
    assert soft.simulate(0.3)["y'"][-1] == pytest.approx(-9.81 / 0.25 * (1 - 2.718281828459045 ** (-0.25 * 0.3)))


def test_what_cannot_be_done_with_contacts_is_refused(tmp_path):
    with pytest.raises(ModelError, match="are not exported"):
        ball().export(tmp_path / "ball.c", "c")
    driven = ball(controls={"u": {"acts": {"y": 1}}}, programme={"path": "y = 1"})
    with pytest.raises(ModelError, match="what contacts carry"):
        driven.inverse()
    with pytest.raises(ModelError, match=r"form `quasi`.*take another form"):
        ball().simulate(1, form="quasi")


def test_they_are_kept_in_files_copies_and_variants(tmp_path):
    system = ball(outputs={"force": "floor.normal"}, events={"hard": {"when": "floor.normal = 30"}})
    system.save(tmp_path / "ball.toml")
    again = load(tmp_path / "ball.toml")
    assert str(again) == str(system) and again.sections["contacts"] == system.sections["contacts"]
    assert pickle.loads(pickle.dumps(system)).contacts == system.contacts
    soft = system.replace(contacts={"floor": {"restitution": 0.1}})
    assert soft.simulate(0.6).impacts[0].after["floor"] == pytest.approx(0.1 * (2 * 9.81) ** 0.5, rel=1e-12)
    assert again.simulate(2).outputs["force"][-1] == 2 * 9.81


def test_coordinates_that_are_solved_for_go_out_of_gaps():
    both = System(
        coordinates="x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="9.81*y",
        constraints={"together": "x = 2*y"},
        contacts={"floor": {"gap": "x"}},
        initial={"y": 1, "x": 2},
    )
    small = both.reduced()
    assert len(small.coordinates) == 1
    assert small.simulate(2).events[0].t == pytest.approx((10 / 9.81) ** 0.5, rel=1e-12)
    assert both.simulate(2).events[0].t == pytest.approx((10 / 9.81) ** 0.5, rel=1e-9)


def test_the_command_line_tells_of_contacts(tmp_path):
    file = tmp_path / "ball.toml"
    ball(simulation={"until": 2}).save(file)
    result = CliRunner().invoke(app, ["simulate", str(file), "--json"])
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert found["contacts"] == {"floor": {"normal": 2 * 9.81, "gap": 0.0, "status": "closed"}}
    first = found["impulses"][0]
    assert (first["name"], first["tangent"]) == ("floor", 0.0)
    assert first["normal"] == pytest.approx(3 * (2 * 9.81) ** 0.5, rel=1e-12)
    assert {event["kind"] for event in found["events"]} == {"impact", "zeno", "close"}
    assert found["impacts"][0]["energy_lost"] == pytest.approx(0.75 * 2 * 9.81, rel=1e-12)
    text = CliRunner().invoke(app, ["simulate", str(file)]).stdout
    assert "Contacts" in text and "without number before t = 1.35457092296" in text


def test_derivations_say_what_holds_at_contacts():
    derivation = ladder().derive("minimal")
    text = derivation.text()
    assert "Contacts" in text and "wall: g_wall =" in text and "it opens where N falls to zero" in text
    found = derivation.as_dict()["contacts"]["floor"]
    assert found["direction"] == {"y": "1", "phi": "-l*cos(phi)/2"} and found["law"] == "newton"
    assert "Poisson's law" in ball(contacts={"floor": {"gap": "y", "law": "poisson"}}).derive().text()


def test_first_integrals_that_reactions_change_are_none():
    """Without contacts the momentum along the floor stays constant: the wall changes it."""
    assert [one.name for one in ladder(contacts=None).integrals()] == ["energy", "p_x", "p_phi"]
    assert [one.name for one in ladder().integrals()] == ["energy"]
    assert ladder().simulate(0.5).certificate.ok


def test_reports_and_plots_show_contacts(tmp_path):
    run = ball().simulate(2)
    run.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Where it is closed" in page and "largest impulse" in page and "without number" in page
    figure = run.plot("contacts")
    assert len(figure.axes) == 3
    with pytest.raises(ModelError, match="no contact to draw"):
        ball(contacts=None).simulate(0.1).plot("contacts")
    run.save(tmp_path / "motion.csv")
    head = (tmp_path / "motion.csv").read_text().splitlines()[0].split(",")
    assert {"floor.normal", "floor.gap", "floor.status"} <= set(head)


def test_runs_are_joined_with_their_impacts():
    first = ball().simulate(0.7)
    whole = first + ball().simulate(2, initial=first.final())
    assert sum(impact.lost for impact in whole.impacts) == pytest.approx(2 * 9.81, rel=1e-12)
    assert whole.certificate.ok
