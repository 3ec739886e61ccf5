"""Every mistake that a command line can hold: the message, word for word, and the exit code."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from dalembert import files
from dalembert.errors import ModelError

BAD = """format = 1
coordinates = ["x"]

[energy]
kinetic = "m*x'^2/2"

[constraints]
hold = "x"
"""
THERE = "is there already; `--force` writes over it, another name keeps it"
NUMBER = "takes a number or an expression, as in"


def explained(command: str) -> str:
    return f"`dalembert {command} --help` explains it, with examples"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        # words
        (
            "simulate pendulum --plot-of energy",
            "`--plot-of` says what `--plot` draws: give a file too, as in --plot motion.png",
        ),
        ("chek pendulum", "no command `chek`; did you mean `check` or `cache`?"),
        (
            "fly",
            "no command `fly`; commands: examples, new, run, check, derive, simulate, inverse, gains, export, cache",
        ),
        ("four-bar", "`four-bar` is a model, not a command; to compute it, write `dalembert run four-bar`"),
        ("crane.toml", "`crane.toml` is a model, not a command; to compute it, write `dalembert run crane.toml`"),
        (
            "check pendulum --jsn",
            "`dalembert check` has no option `--jsn`; did you mean `--json` or `--set`?\n" + explained("check"),
        ),
        ("cache --zap", "`dalembert cache` has no option `--zap`; its options: --clear, --help\n" + explained("cache")),
        (
            "check pendulum --json=1",
            "`--json` is a switch and takes no value; write `--json` alone\n" + explained("check"),
        ),
        ("run pendulum --until", "`--until` needs a value: --until T\n" + explained("run")),
        (
            "run",
            "`dalembert run` needs MODEL: a model file, a name from `dalembert examples` (with a size where it has one: "
            "n-four-bar:40), or - for standard input\n" + explained("run"),
        ),
        (
            "export pendulum",
            "`dalembert export` needs `--to TARGET`: c, numpy, jax, latex or toml\n" + explained("export"),
        ),
        ("check pendulum x", "`dalembert check` takes MODEL; `x` is too much; a value with spaces stands in quotes"),
        (
            "examples a b c d e f",
            "`dalembert examples` takes [NAME]; `b`, `c`, `d` and `e`, … is too much; a value with spaces stands in quotes",
        ),
        ("cache all", "`dalembert cache` takes no arguments; `all` is too much"),
        # models
        ("check ''", "MODEL is empty; give a model file or a name from `dalembert examples`"),
        (
            "check pendulm",
            "no model `pendulm` in the gallery; did you mean `pendulum`, `moved-pendulum` or `simple-pendulum`?",
        ),
        ("check φ", "no model `φ`: there is no such file, and `dalembert examples` lists none of that name"),
        (
            "check n-four-bar:0",
            "`n-four-bar:0`: the size counts loops, a whole number from 1 to 2000, as in `n-four-bar:2`",
        ),
        ("check pendulum:3", "`pendulum` has no size; write `pendulum`"),
        ("check missing.toml", "missing.toml: there is no such file"),
        ("check .", ".: it is a folder, not a model file"),
        (
            "check bad.toml",
            "bad.toml:5:12: kinetic: unknown name `m`; known names: x, t, pi, e, sin, cos, tan, asin, acos, atan, atan2, sinh, …\n"
            "bad.toml:8:10: hold: an equation needs `=`, as in `x = l*sin(phi)`; if zero is meant, add `= 0`",
        ),
        # changes
        ("check pendulum --set l=1 --set l=2", "--set gives `l` two values, 1 and 2; give one"),
        ("check pendulum --set l", "--set takes NAME=VALUE, as in --set l=2; got 'l'"),
        ("check pendulum --set k=2", "no parameter `k`; parameters: m, J, l, g"),
        ("check pendulum --set L=2", "no parameter `L`; did you mean `l`?"),
        ("check pendulum --set l=nan", "`--set l=` takes a finite number; got 'nan'"),
        (
            "check pendulum --set l=1+",
            f"`--set l=` {NUMBER} 10 or pi/2; got '1+': the expression ends where a value is expected",
        ),
        ("check pendulum --initial phi", "--initial takes NAME=VALUE, as in --initial phi=1; got 'phi'"),
        (
            "check pendulum --initial z=1",
            "initial.z: `z` is neither a coordinate nor a velocity; known names: x, y, phi, x', y', phi'",
        ),
        # numbers and choices
        ("run pendulum --until soon", f"`--until` {NUMBER} 10 or pi/2; got 'soon': unknown name `soon`"),
        ("run pendulum --until 1/0", f"`--until` {NUMBER} 10 or pi/2; got '1/0': division by zero"),
        ("run pendulum --until -1", "`until` must not be earlier than the motion begins, at t = 0; got -1"),
        ("simulate pendulum --until nan", "`--until` takes a finite number; got 'nan'"),
        ("simulate pendulum --samples 1.5", "`--samples` must be a whole number from 1 to 10,000,000, got 1.5"),
        ("simulate pendulum --max-steps 0", "`--max-steps` must be a whole number from 1 to 1,000,000,000, got 0"),
        (
            "simulate pendulum --max-seconds -1",
            "`--max-seconds` must be a positive number of seconds, got -1",
        ),
        ("simulate pendulum --rtol x", f"`--rtol` {NUMBER} 1e-6 or pi/2; got 'x': unknown name `x`"),
        (
            "simulate pendulum --rtol 0",
            "`--rtol` must be a part of the values, positive and at most 0.1 (usually 1e-6 to 1e-12), got 0",
        ),
        ("simulate pendulum --keep no", "no way to keep constraints `no`; did you mean `none`?"),
        (
            "simulate pendulum --form reactions",
            "no form `reactions`; forms: multipliers, minimal, explicit, canonical, independent, quasi",
        ),
        ("simulate pendulum --method rk5", "no method `rk5`; did you mean `rk4`?"),
        ("derive pendulum --form minmal", "no form `minmal`; did you mean `minimal`?"),
        ("derive pendulum --to pdf", "`--to` is text, latex or json; got 'pdf'"),
        ("export pendulum --to fortran", "`--to` is c, numpy, jax, latex or toml; got 'fortran'"),
        ("new x.toml --kind fluid", "`--kind` is energies, matrices, mechanism or spatial; got 'fluid'"),
        (
            "derive pendulum --form independent --coordinates ,",
            "`--coordinates` takes names separated by commas, as in --coordinates x,phi",
        ),
        ("derive pendulum --form independent --coordinates q", "`q` is no coordinate; known names: x, y, phi"),
        (
            "derive knife-edge --form canonical",
            "the form `canonical` needs energies, and this system is given by matrices; use `multipliers` or `minimal`",
        ),
        # files
        (
            "simulate pendulum --out m.txt",
            "`--out` takes a file that ends in .npz, .csv, .parquet or .mat; got 'm.txt'",
        ),
        ("simulate pendulum --plot m", "`--plot` takes a file that ends in .png, .svg or .pdf; got 'm'"),
        (
            "simulate pendulum --animate a.avi",
            "`--animate` takes a file that ends in .html, .gif, .mp4, .png, .svg or .pdf; got 'a.avi'",
        ),
        ("run pendulum --report r.pdf", "`--report` takes a file that ends in .html; got 'r.pdf'"),
        ("new crane.txt", "`dalembert new` takes a file that ends in .toml; got 'crane.txt'"),
        ("new bad.toml", f"'bad.toml' {THERE}"),
        ("export pendulum --to toml --out bad.toml", f"'bad.toml' {THERE}"),
        ("simulate pendulum --out folder.csv", "`--out`: 'folder.csv' is a folder, not a file to write to"),
        # contradictions
        (
            "run pendulum --report r.html --no-report",
            "`--report` and `--no-report` contradict each other; leave one of them out",
        ),
        (
            "new x.toml --kind energies --from pendulum",
            "`--kind` and `--from` contradict each other; leave one of them out",
        ),
        (
            "export pendulum --to toml --form minimal",
            "a model file holds no equations; leave `--form` out with `--to toml`",
        ),
    ],
)
def test_bad_input_is_answered_word_for_word(command, tmp_path, line, message):
    (tmp_path / "bad.toml").write_text(BAD)
    (tmp_path / "folder.csv").mkdir()
    words = ["" if word == "''" else word for word in line.split()]
    assert command(*words) == (2, "", f"{message}\n")


def test_a_folder_that_is_not_there(command, tmp_path):
    code, out, err = command("new", "no/where/crane.toml")
    assert (code, out) == (2, "")
    assert err == f"`dalembert new`: there is no folder {str(tmp_path / 'no' / 'where')!r} to write to\n"


def test_a_folder_in_which_nothing_can_be_written(command, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    code, _, err = command("new")
    assert (code, err) == (2, f"`dalembert new`: nothing can be written into the folder {str(tmp_path)!r}\n")


def test_a_disk_that_is_full(command, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "replace", full)
    assert command("new") == (2, "", "model.toml: cannot write: No space left on device\n")
    assert list(tmp_path.iterdir()) == []


def test_names_that_no_file_can_have(tmp_path):
    with pytest.raises(ModelError, match="it holds a null character"):
        files.check_place("a\0b.csv")
    with pytest.raises(ModelError, match="cannot be the name of a file: "):
        files.check_place(tmp_path / ("a" * 300) / "b.csv")


@pytest.mark.parametrize("name", ["a" * 300, "a" * 5000, "a\0b"])
def test_a_model_that_no_file_can_be(command, name):
    code, out, err = command("check", name)
    assert (code, out) == (2, "")
    assert len(err) < 200


def test_other_errors_of_the_system(command, monkeypatch):
    from dalembert.cli.commands import check

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(Path("secret.toml")))

    monkeypatch.setattr(check, "open_model", refuse)
    assert command("check", "secret.toml") == (2, "", "secret.toml: Permission denied\n")


def test_a_closed_pipe_on_windows(monkeypatch):
    """There it is an invalid argument without a file."""
    from dalembert.cli.terminal import is_closed_pipe

    monkeypatch.setattr("sys.platform", "win32")
    assert is_closed_pipe(OSError(errno.EINVAL, "Invalid argument"))
    assert not is_closed_pipe(OSError(errno.EINVAL, "Invalid argument", "m.csv"))
    assert not is_closed_pipe(OSError(errno.ENOSPC, "No space left on device"))
