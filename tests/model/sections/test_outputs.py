"""Outputs: read, written, replaced; used by name everywhere; hostile names and sizes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dalembert import Event, Mechanism, ModelError, System, load, load_motion, loads
from dalembert.cli import main
from dalembert.model.writing import to_toml
from tests.results.test_evaluation import rig

PENDULUM = """
format = 1
name = "Pendulum"
coordinates = ["x", "y", "phi"]
[parameters]
m = 1
J = 0.1
l = 1
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + J*phi'^2/2"
potential = "m*9.81*y"
[constraints]
rod_x = "x = l*sin(phi)"
rod_y = "y + l*cos(phi) = 0"
[initial]
phi = 1
[outputs]
tip = "x + l*sin(phi)"
speed = "tip' + 0"
jolt = "speed' - tip''"
pull = "sqrt(lambda_rod_x^2 + lambda_rod_y^2)"
"""


def machine() -> Mechanism:
    return rig().replace(outputs={"lift": "coupler.P.y", "load": "2*A.force", "angle": "A.angle", "odd": "A.force^2"})


def test_round_trip():
    for system in (loads(PENDULUM), machine()):
        assert list(loads(to_toml(system)).outputs) == list(system.outputs)
        assert loads(to_toml(system)) == system
    assert list(loads(PENDULUM).replace(outputs={"pull": None, "x2": "2*x"}).outputs) == ["tip", "speed", "jolt", "x2"]
    with pytest.raises(ModelError, match="unknown name `tip'`"):
        loads(PENDULUM).replace(outputs={"tip": None})  # which others use


def test_values_by_name():
    run = loads(PENDULUM).simulate(1.0)
    assert np.allclose(run["tip"], 2 * run["x"]) and np.allclose(run["speed"], 2 * run["x'"])
    assert np.allclose(run["tip''"], 2 * run["x''"]) and np.allclose(run["jolt"], 0, atol=1e-12)
    assert run.peak("tip") == pytest.approx(2 * run.peak("x"))
    assert set(run.outputs) == {"tip", "speed", "jolt", "pull"}
    found = run.as_dict()["outputs"]
    assert found["tip"] == pytest.approx(2 * run.final()["x"]) and json.dumps(found)
    with pytest.raises(ModelError, match="did you mean `tip`"):
        run["tipp"]


def test_in_tables_plots_reports_and_pages(tmp_path):
    run = machine().simulate(0.5, samples=20)
    assert np.allclose(run["lift"], run.evaluate("coupler.P.y"))
    for ending in (".csv", ".npz", ".parquet", ".mat"):
        run.save(tmp_path / f"motion{ending}")
        assert np.allclose(load_motion(tmp_path / f"motion{ending}")["load"], run["load"])
    labels = [axes.get_ylabel() for axes in run.plot("outputs").axes]  # one panel for each unit
    assert [label.rpartition(" in ")[2] for label in labels[:3]] == ["m", "N", "rad"] and " in " not in labels[3]
    assert len(run.plot("outputs", "lift, odd").axes) == 2
    run.report(tmp_path / "report.html")
    assert 'id="outputs"' in (tmp_path / "report.html").read_text() and "lift" in run.text(120)
    with pytest.raises(ModelError, match="there are no outputs to draw"):
        rig().simulate(0.1).plot("outputs")


def test_on_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text(PENDULUM)
    with pytest.raises(SystemExit) as stop:
        main(["simulate", "p.toml", "--until", "1", "--outputs", "high=y + tip", "--out", "m.csv", "--json"])
    assert stop.value.code in (0, None)
    out = json.loads(capsys.readouterr().out)
    assert out["outputs"]["high"] == pytest.approx(out["final"]["y"] + 2 * out["final"]["x"])
    assert "high" in load_motion("m.csv")
    with pytest.raises(SystemExit) as stop:
        main(["simulate", "p.toml", "--outputs", "high"])
    assert stop.value.code == 2 and "--outputs takes NAME=VALUE" in capsys.readouterr().err


def test_events_name_outputs_and_quantities():
    watched = (
        PENDULUM
        + """
[events.low]
when = "tip = 1"
[events.hard]
when = "pull = 15"
direction = "up"
stop = true
[events.turning]
when = "jolt + tip'' = -10"
"""
    )
    system = loads(watched)
    assert loads(to_toml(system)) == system == system.replace(name="Pendulum")
    run = system.simulate(1.0)
    found = {event.name: event.t for event in run.events}
    assert run.evaluate("2*x", found["low"]) == pytest.approx(1) and run.status == "stopped"
    assert run.evaluate("sqrt(lambda_rod_x^2 + lambda_rod_y^2)", found["hard"]) == pytest.approx(15)
    assert run.evaluate("x''", found["turning"]) == pytest.approx(-5)
    assert list(system.without("rod_x").sections["events"]) == ["low", "turning"]
    assert system.reduced().simulate(0.1, events=[]).status == "done"
    free = machine().simulate(3.0)
    between = (free.minimum("load") + free.maximum("load")) / 2
    stopped = machine().simulate(3.0, events=[Event(f"load = {between!r}", "stop"), Event("C.force_x = 0")])
    assert stopped.status == "stopped" and stopped["load"][-1] == pytest.approx(between)
    assert run.certificate is not None
    with pytest.raises(ModelError, match="did you mean `pull`"):
        system.simulate(1.0, events=["pul = 3"])
    with pytest.raises(ModelError, match="`A` has no `forse`"):
        machine().simulate(1.0, events=["A.forse = 3"])


@pytest.mark.parametrize(
    ("outputs", "text"),
    [
        ('x = "y"', "output `x` is also a coordinate"),
        ('m = "y"', "output `m` is also a parameter"),
        ('sin = "y"', "reserved for a word of the expression language"),
        ('t = "y"', "reserved for time"),
        ('lambda_rod_x = "y"', "also the multiplier of a constraint"),
        ('a = "b"\nb = "x"', "`b` is not known here: one may use those that stand above it"),
        ('a = "a + 1"', "`a` is not known here"),
        ("a = \"x'''\"", "accelerations (two) are the limit"),
        ('a = "x\'\'"\nb = "a\'"', "`a` depends on accelerations, whose time derivatives are not known"),
        ('a = "lambda_rod_x"\nb = "a\'"', "`a` depends on multipliers"),
        ('a = "A.force"', "there is no part `A`"),
        ("a = true", "expected an expression"),
        ("a = inf", "finite number"),
        ("a = [1]", "expected an expression"),
        ('"a b" = "x"', "a name is letters, digits and _"),
        ("a = \"__import__('os')\"", "a prime"),
    ],
)
def test_refused_with_the_line(outputs, text, tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(PENDULUM.partition("[outputs]")[0] + "[outputs]\n" + outputs)
    with pytest.raises(ModelError) as error:
        load(path)
    assert text in str(error.value)
    assert error.value.problems[0].line in (18, 19) and error.value.problems[0].key[0] == "outputs"


def test_unicode_and_numbers():
    system = loads(PENDULUM).replace(outputs={"höhe": "y", "Ω": "2*höhe", "drei": 3})
    run = system.simulate(0.1)
    assert np.allclose(run["Ω"], 2 * run["y"]) and np.allclose(run["drei"], 3)


def test_many_and_deep():
    system = loads(PENDULUM).replace(outputs=None)
    with pytest.raises(ModelError, match="10,001 outputs; at most 10,000 are read"):
        system.replace(outputs={f"o{k}": "x" for k in range(10_001)})
    with pytest.raises(ModelError, match="the output has more than 300000 parts once those above it are put in"):
        system.replace(outputs={"o0": "x"} | {f"o{k}": f"sin(o{k - 1}) + cos(o{k - 1})" for k in range(1, 60)})
    long = system.replace(outputs={"o0": "x"} | {f"o{k}": f"o{k - 1} + 1" for k in range(1, 5000)}).simulate(0.1)
    assert np.allclose(long["o4999"], long["x"] + 4999)


def test_other_coordinates_keep_what_they_can():
    system = machine().system()
    assert not system.outputs
    pendulum = loads(PENDULUM)
    assert list(pendulum.without("rod_x").outputs) == ["tip", "speed", "jolt"]
    assert list(pendulum.reduced().outputs) == ["tip", "speed", "jolt"] and pendulum.release("rod_x")
    driven = rig().replace(outputs={"torque": "motor.torque"})
    assert driven.mobility() and driven.kinematics([0.0, 0.1]) and driven.check().ok
    assert pendulum.replace(parameters={"l": 2}).outputs == pendulum.outputs


def test_names_are_listed_once():
    with pytest.raises(ModelError, match="known names: x, h, t, pi"):
        System("x", kinetic="x'^2", outputs={"h": "2*x"}).observed.read("zzzzz")
