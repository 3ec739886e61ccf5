"""The command line as a user meets it: output, messages, exit codes."""

from __future__ import annotations

import json

import pytest

from dalembert import example, names

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
    assert "contradict `rod_x`" in out
    assert "Motion" not in out


def test_derive(command):
    code, out, _ = command("derive", "pendulum", "--form", "minimal")
    assert code == 0
    assert "J*phi'' + l*m*x''*cos(phi)" in out
    code, out, _ = command("derive", "pendulum", "--form", "reactions", "--to", "json")
    data = json.loads(out)
    assert list(data)[:6] == ["form", "equations", "constraints", "reactions", "redundant", "degrees_of_freedom"]
    assert data["constraints"] == {"rod_x": "x - l*sin(phi) = 0", "rod_y": "l*cos(phi) + y = 0"}
    assert len(data["reactions"]["rod_x"]) == 3
    assert "\\begin{align*}" in command("derive", "pendulum", "--to", "latex")[1]
    assert (
        "independent coordinates: `x`"
        in command("derive", "pendulum", "--form", "independent", "--coordinates", "x")[1]
    )


def test_run_goes_from_file_to_result(command, tmp_path):
    example("pendulum").save(tmp_path / "mine.toml")
    code, out, _ = command("run", "mine.toml", "--until", "2", "--set", "l=2")
    assert code == 0
    for part in (
        "1 degree of freedom",
        "J*phi'' + l*m*x''*cos(phi)",
        "Motion until t = 2",
        "Certificate: pass",
        "rod_y",
    ):
        assert part in out


def test_run_marks_shares_that_are_not_determinate(command, tmp_path):
    text = str(example("pendulum")).replace("[initial]", 'length = "x^2 + y^2 = l^2"\n\n[initial]')
    (tmp_path / "p.toml").write_text(text)
    code, out, _ = command("run", "p.toml", "--until", "0.1")
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
    code, out, _ = command("run", "chain:10", "--until", "0.01")
    assert code == 0
    assert "… and 8 more" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["check", "pendulm"], "no model `pendulm` in the gallery; did you mean `pendulum`"),
        (["check", "missing.toml"], "missing.toml: there is no such file"),
        (["check", "bad.toml"], "bad.toml:5:12: kinetic: unknown name `m`"),
        (["check", "bad.toml"], "bad.toml:8:10: hold: an equation needs `=`"),
        (["check", "."], "it is a folder, not a model file"),
        (["run", "pendulum", "--set", "l"], "--set takes NAME=VALUE, as in --set l=2; got 'l'"),
        (["run", "pendulum", "--set", "k=2"], "no parameter `k`; parameters: m, J, l, g"),
        (["run", "pendulum", "--set", "l=1+"], "the expression ends where a value is expected"),
        (
            ["run", "pendulum", "--until", "soon"],
            "`--until` takes a number or an expression, as in 10 or pi/2; got 'soon': unknown name",
        ),
        (["run", "pendulum", "--until", "-1"], "`--until` takes a finite time that is not negative; got '-1'"),
        (["run", "pendulum", "--until", "nan"], "`--until` takes a finite time that is not negative; got 'nan'"),
        (["derive", "pendulum", "--form", "minmal"], "no form `minmal`; did you mean `minimal`?"),
        (["derive", "pendulum", "--to", "pdf"], "`--to` is text, latex or json; got 'pdf'"),
        (["derive", "heavy-top", "--form", "explicit"], "needs an invertible mass matrix"),
        (["derive", "pendulum", "--form", "independent", "--coordinates", "q"], "`q` is no coordinate"),
        (["chek", "pendulum"], "no command `chek`; did you mean `check` or `cache`?"),
        (["check"], "`dalembert check` needs MODEL: a model file"),
        (["check", "pendulum", "--jsn"], "`dalembert check` has no option `--jsn`; did you mean `--json` or `--set`?"),
    ],
)
def test_bad_input_exits_with_two_and_says_why(command, tmp_path, args, message):
    (tmp_path / "bad.toml").write_text(BAD)
    code, out, err = command(*args)
    assert code == 2
    assert message in err
    assert "Traceback" not in out + err


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


@pytest.mark.parametrize("name", ["a" * 300, "a" * 5000, "a\0b"])
def test_a_name_that_no_file_can_have(command, name):
    code, out, err = command("check", name)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
