"""The command line as a user meets it: output, messages, exit codes."""

from __future__ import annotations

import io
import itertools
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import example, load, loads, names
from dalembert.model.gallery import source
from dalembert.results.run import Run

BAD = """format = 1
coordinates = ["x"]

[energy]
kinetic = "m*x'^2/2"

[constraints]
hold = "x"
"""


def test_examples_lists_the_gallery(command):
    code, out, _ = command("examples")
    assert code == 0
    assert all(name in out for name in names())


def test_check(command):
    code, out, _ = command("check", "pendulum")
    assert code == 0
    assert "3 coordinates, 2 constraints of rank 2: 1 degree of freedom" in out
    assert "initial state: x = 0.841471" in out


def test_check_json(command):
    code, out, _ = command("check", "n-four-bar:1", "--json")
    assert code == 0
    assert json.loads(out)["degrees_of_freedom"] == 1


def test_redundancy_is_a_note(command, tmp_path):
    text = str(example("pendulum")).replace("[initial]", 'length = "x^2 + y^2 = l^2"\n\n[initial]')
    (tmp_path / "p.toml").write_text(text)
    code, out, _ = command("check", "p.toml", "--json")
    assert code == 0
    assert json.loads(out)["redundant"] == {"length": ["rod_x", "rod_y"]}
    line = next(p["line"] for p in json.loads(out)["problems"] if "redundant" in p["text"])
    assert text.split("\n")[line - 1].startswith("length")


def test_contradiction_exits_with_one(command, tmp_path):
    text = str(example("pendulum")).replace("phi = 1.0", "phi = 1.0\nx = 3.0")
    (tmp_path / "p.toml").write_text(text)
    assert command("check", "p.toml")[0] == 1
    code, out, _ = command("run", "p.toml")
    assert code == 1
    assert "contradicts `rod_x`" in out
    assert "Motion" not in out


def test_derive(command):
    code, out, _ = command("derive", "pendulum", "--form", "minimal")
    assert code == 0
    assert "J*phi'' + m*l*(sin(phi)*(y'' + g) + x''*cos(phi))" in out
    code, out, _ = command("derive", "pendulum", "--form", "reactions", "--to", "json")
    data = json.loads(out)
    assert list(data)[:6] == ["form", "equations", "constraints", "reactions", "redundant", "degrees_of_freedom"]
    assert data["constraints"] == {"rod_x": "x - l*sin(phi) = 0", "rod_y": "y + l*cos(phi) = 0"}
    assert len(data["reactions"]["rod_x"]) == 3
    assert "\\begin{align*}" in command("derive", "pendulum", "--to", "latex")[1]
    assert (
        "independent coordinates: `x`"
        in command("derive", "pendulum", "--form", "independent", "--coordinates", "x")[1]
    )


def test_derive_step_by_step(command):
    code, out, _ = command("derive", "pendulum", "--form", "minimal", "--steps")
    assert code == 0 and "x_1 is the unit vector of `phi`" in out and "J*phi'' + m*l*(sin(phi)*(y'' + g)" in out
    data = json.loads(command("derive", "pendulum", "--steps", "--to", "json")[1])
    assert data["form"] == "multipliers" and data["steps"][0]["title"] == "Energies"
    assert "p_{\\phi} &= J \\dot{\\phi}" in command("derive", "pendulum", "--steps", "--to", "latex")[1]
    assert "B r + B" in command("derive", "pendulum", "--release", "rod_x", "--steps")[1]


def test_derive_releases(command):
    code, out, _ = command("derive", "pendulum", "--release", "rod_x")
    assert code == 0 and "released: rod_x" in out and "rod_x: lambda_rod_x = -m*l*sin(phi)" in out
    data = json.loads(command("derive", "slider-crank-joints", "--release", "A.x,B", "--to", "json")[1])
    assert list(data["released"]) == ["A.x", "B.normal"] and data["released"]["A.x"]["words"] == "force on rod"
    assert "\\lambda_{A,x}" in command("derive", "slider-crank-joints", "--release", "A.x", "--to", "latex")[1]
    assert "The minimal form" in command("derive", "pendulum", "--release", "rod_x", "--form", "minimal")[1]
    code, _, error = command("derive", "pendulum", "--release", "rod_z")
    assert code == 2 and "no constraint `rod_z`; did you mean" in error
    code, _, error = command("derive", "pendulum", "--release", ",")
    assert code == 2 and "names separated by commas" in error


def test_run_goes_from_file_to_result(command, tmp_path):
    example("pendulum").save(tmp_path / "mine.toml")
    code, out, _ = command("run", "mine.toml", "--until", "2", "--set", "l=2", "--no-report")
    assert code == 0
    for part in (
        "1 degree of freedom",
        "J*phi'' + m*l*(sin(phi)*(y'' + g) + x''*cos(phi))",
        "Motion until t = 2",
        "Certificate: pass",
        "rod_y",
    ):
        assert part in out


def test_run_marks_shares_that_are_not_determinate(command, tmp_path):
    text = str(example("pendulum")).replace("[initial]", 'length = "x^2 + y^2 = l^2"\n\n[initial]')
    (tmp_path / "p.toml").write_text(text)
    code, out, _ = command("run", "p.toml", "--until", "0.1", "--no-report")
    assert code == 0
    assert out.count("(not determinate: the share of least norm)") == 3


def test_forces_in_joints_are_printed(command, tmp_path):
    """A load on three rods: what each of them carries is not determined, and said to be so."""
    rod = '[joints.{}]\nkind = "rod"\nbodies = ["ground", "load"]\nat = [[{}, 1], [{}, 0]]\n'
    rods = "".join(rod.format(name, x, x) for name, x in zip("ABC", (-1, 1, 2), strict=True))
    (tmp_path / "load.toml").write_text(f"format = 1\n[bodies.load]\nmass = 2\ninertia = 1\n{rods}")
    code, out, _ = command("simulate", "load.toml", "--until", "0.1")
    assert code == 0
    assert "  A      load    (0, ?)            0\n" in out
    assert "not determined: on `load`, of `A` (force y), `B` (force y) and `C` (force y) only the sum" in out


def test_run_shortens_what_is_long(command):
    code, out, _ = command("run", "chain:10", "--until", "0.01", "--no-report")
    assert code == 0
    assert "… and 8 more" in out


def test_motion_that_stops_exits_with_one(command, tmp_path):
    text = BAD.replace("m*x", "x").replace('[constraints]\nhold = "x"', '[forces]\nx = "1/(1 - x)^3 + sqrt(1 - x)"')
    (tmp_path / "stop.toml").write_text(text)
    code, _, err = command("run", "stop.toml")
    assert code == 1
    assert "t = " in err


def test_cache(command, tmp_path, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "kept"))
    assert "0 files, 0.0 MB" in command("cache")[1]
    example("pendulum").compile()
    code, out, _ = command("cache")
    assert code == 0
    assert f"{tmp_path / 'kept'}: 1 file, " in out
    assert command("cache", "--clear")[1].startswith("Removed 1 file from")
    assert command("cache", "--clear")[1].startswith("Removed 0 files from")


def test_a_motion_that_cannot_begin_exits_with_one(command, tmp_path):
    (tmp_path / "never.toml").write_text(
        BAD.replace("m*x", "x").replace('[constraints]\nhold = "x"', '[forces]\nx = "1/x"')
    )
    code, out, err = command("simulate", "never.toml")
    assert (code, out) == (1, "")
    assert err == "the equations have no finite value at t = 0, x = 0, x' = 0\n"


def test_a_motion_that_was_told_to_stop(command):
    code, out, err = command("simulate", "pendulum", "--until", "100", "--max-steps", "5", "--json")
    assert code == 0
    assert json.loads(out)["status"] == "stopped"
    assert "The motion was stopped: 5 steps were taken" in err


def test_numbers_may_be_expressions(command):
    code, out, _ = command(
        "simulate", "pendulum", "--until", "pi/10", "--set", "l=1/4 + 1/4", "--initial", "phi=pi/2", "--json"
    )
    assert code == 0
    assert json.loads(out)["final"]["t"] == pytest.approx(math.pi / 10)
    assert abs(json.loads(out)["final"]["x"]) <= 0.5
    assert "phi = 0.785398" in command("check", "pendulum", "--initial", "phi=pi/4")[1]


def test_a_model_from_standard_input(command, monkeypatch):
    text = io.TextIOWrapper(io.BytesIO(str(example("pendulum")).encode()))
    monkeypatch.setattr(sys, "stdin", text)
    code, out, _ = command("check", "-")
    assert code == 0
    assert "1 degree of freedom" in out


def test_examples_prints_a_model(command):
    assert command("examples", "pendulum") == (0, source("pendulum"), "")
    code, out, _ = command("examples", "chain:2")
    assert code == 0
    assert loads(out).coordinates == example("chain:2").coordinates


def test_run_writes_a_report(command, tmp_path):
    code, out, err = command("run", "slider-crank", "--until", "0.5")
    assert code == 0
    assert err == "Report: slider-crank-report.html\n"
    for part in ("1 degree of freedom", "Equations of motion", "Motion until", "State at the end", "Certificate: pass"):
        assert part in out
    assert (tmp_path / "slider-crank-report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_where_a_report_is_written(command, monkeypatch):
    written = []
    monkeypatch.setattr(Run, "report", lambda _, path: written.append(path))
    short = ("--until", "0.01")
    assert command("run", "n-four-bar:1", *short)[2] == "Report: n-four-bar-1-report.html\n"
    assert command("run", "pendulum", *short, "--no-report")[2] == ""
    assert command("run", "pendulum", *short, "--report", "p.html")[2] == "Report: p.html\n"
    assert written == [Path("n-four-bar-1-report.html"), Path("p.html")]


def test_units_stand_beside_the_values_of_a_mechanism(command):
    out = command("simulate", "four-bar", "--until", "0.1")[1]
    assert "Motion until t = 0.1 s" in out
    assert re.search(r"^  phi_\w+ +[-\d.e]+  rad +[-\d.e]+  rad/s$", out, re.MULTILINE)
    assert "force, N" in out
    assert "rad" not in command("simulate", "pendulum", "--until", "0.1")[1]


def test_files_made_of_a_motion(command, tmp_path):
    files = {"--out": "m.csv", "--plot": "m.svg", "--animate": "m.html", "--report": "r.html"}
    code, out, err = command("simulate", "pendulum", "--until", "1", *itertools.chain(*files.items()))
    assert code == 0
    assert "Certificate: pass" in out
    assert err.split() == ["Motion:", "m.csv", "Plot:", "m.svg", "Animation:", "m.html", "Report:", "r.html"]
    assert {path.name for path in tmp_path.iterdir()} == set(files.values())
    assert (tmp_path / "m.csv").read_text().startswith("t,x,y,phi,")
    assert "<svg" in (tmp_path / "m.svg").read_text(encoding="utf-8")


def test_a_file_that_fails_leaves_the_outcome(command, tmp_path):
    """There are no joints to plot: said after what was computed."""
    code, out, err = command("simulate", "pendulum", "--until", "0.1", "--plot", "j.png", "--plot-of", "joints")
    assert code == 2
    assert "Certificate: pass" in out
    assert err == "a system without bodies has no joints; draw its `reactions` or `multipliers`\n"
    assert list(tmp_path.iterdir()) == []


def test_export(command, tmp_path):
    for target, files in {
        "c": ["pendulum.c", "pendulum.h"],
        "numpy": ["pendulum_numpy.py"],
        "jax": ["pendulum_jax.py"],
        "latex": ["pendulum.tex"],
        "toml": ["pendulum.toml"],
    }.items():
        code, out, err = command("export", "pendulum", "--to", target)
        assert (code, out.split(), err) == (0, files, "")
        assert all((tmp_path / name).stat().st_size > 100 for name in files)
    assert load(tmp_path / "pendulum.toml") == example("pendulum")
    code, _, err = command("export", "pendulum", "--to", "c", "--out", "pendulum.c")
    assert (code, err) == (2, "'pendulum.c' is there already; `--force` writes over it, another name keeps it\n")
    (tmp_path / "pendulum.c").unlink()
    assert "'pendulum.h' is there already" in command("export", "pendulum", "--to", "c")[2]
    assert command("export", "pendulum", "--to", "c", "--force")[0] == 0
    assert command("export", "n-four-bar:1", "--to", "numpy")[1] == "n_four_bar_1_numpy.py\n"


STIFF = """format = 1
coordinates = ["x", "y"]

[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "1e9*(sqrt(x^2 + y^2) - 1)^2/2 + 9.81*y"

[initial]
x = 0.6
y = -0.8
"x'" = 0
"y'" = 0
"""


def test_a_stiff_motion_that_is_complete_says_so(command):
    Path("rod.toml").write_text(STIFF)
    _, _, err = command("simulate", "rod.toml", "--until", "0.5", "--rtol", "1e-4", "--atol", "1e-6")
    assert "Note: the system is stiff" in err and "method `radau`" in err


def test_the_gallery_for_programs(command):
    found = json.loads(command("examples", "--json")[1])
    assert {"name": "pendulum", "title": "Pendulum in three coordinates", "size": None} in found
    assert all(set(entry) == {"name", "title", "size"} for entry in found)
    assert json.loads(command("examples", "pendulum", "--json")[1])["text"].startswith("#")


def test_derive_in_full(command):
    short = command("derive", "chaplygin-sleigh", "--form", "minimal")[1]
    code, out, _ = command("derive", "chaplygin-sleigh", "--form", "minimal", "--full")
    assert code == 0
    assert len(out) > len(short)


LEFT_OPEN = """format = 1
coordinates = ["x"]
[parameters]
k = 3.0
[functions]
F = ["t"]
[states]
z = "x - 0.5"
[controls.u]
acts = {x = "1"}
[energy]
kinetic = "x'^2/2"
[forces]
x = "F(t) - 4*x'"
[initial]
x = 0
"x'" = 0
[simulate]
until = 5
"""


def test_what_is_left_open_gets_its_value_on_the_command_line(command):
    """x'' = sin(3 t) − 4 x' − 3 x − 2 z, z' = x − 1/2, where an event sets z."""
    Path("open.toml").write_text(LEFT_OPEN)
    values = ("--functions", "F=sin(3*t)", "--controls", "u=-2*z - k*x")
    said = ("--begin", "1", "--outputs", "a=x''", "--event", "reset: t = 2, z = z/2", "--method", "radau")
    code, out, err = command("simulate", "open.toml", *values, *said, "--json")
    assert code == 0, err
    found = json.loads(out)

    def rate(t, y):
        return [y[1], np.sin(3 * t) - 4 * y[1] - 3 * y[0] - 2 * y[2], y[0] - 0.5]

    y = np.zeros(3)
    for ends, factor in (((1, 2), 0.5), ((2, 5), 1)):
        y = solve_ivp(rate, ends, y, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1] * [1, 1, factor]
    assert [found["final"][name] for name in ("x", "x'", "z")] == pytest.approx(y, abs=1e-8)
    assert found["outputs"] == {"a": pytest.approx(rate(5, y)[1], abs=1e-7)}
    assert found["controls"] == {"u": pytest.approx(-3 * y[0] - 2 * y[2], abs=1e-7)}
    assert found["events"] == [{"t": 2.0, "name": "reset", "kind": "event"}]
    assert command("run", "open.toml", *values, *said, "--no-report")[0] == 0
    assert command("export", "open.toml", "--to", "c", *values)[0] == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("--functions", "G=1"), "no function `G`; functions: F"),
        (("--functions", "F"), "--functions takes NAME=VALUE"),
        (("--functions", "F=sin(3*t"), "functions.F.value: the parenthesis of `sin(` is never closed (column 4)"),
        (("--functions", "F=t", "--controls", "v=1"), "there is no control `v`"),
        (("--functions", "F=t", "--controls", "u=x''"), "a law depends on accelerations"),
        (("--functions", "F=t"), "control `u` has no law"),
        (("--controls", "u=1"), "function `F` has no value"),
        (("--animate", "f.gif", "--film-width", "2"), "`width` must be a whole number from 64 to 4,096"),
        (("--animate", "f.gif", "--film-rate", "200"), "`rate` is from 1 to 60"),
        (("--animate", "f.gif", "--film-speed", "-1"), "`speed` is a positive number"),
    ],
)
def test_what_is_wrong_is_said_before_a_motion_begins(command, line, said):
    Path("open.toml").write_text(LEFT_OPEN)
    code, out, err = command("simulate", "open.toml", *line)
    assert (code, out) == (2, "") and said in err
