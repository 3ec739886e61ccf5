"""Terminals and pipes: colours, letters, progress, interruptions."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from dalembert.cli import main, progress, terminal
from dalembert.cli.progress import Progress

PROGRAM = [sys.executable, "-m", "dalembert"]
LONG = 'format = 1\ncoordinates = [\'x\']\n[energy]\nkinetic = "x\'^2/2"\npotential = "x^2/2"\n[initial]\nx = 1\n'


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_only_on_a_terminal(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert terminal.styled("pass", "good") == "pass"
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert terminal.styled("pass", "good") == "\x1b[32mpass\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.styled("pass", "good") == "pass"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert terminal.styled("pass", "good") == "pass"


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_help_on_a_real_terminal(variables, coloured):
    import pty

    leader, follower = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(
        [*PROGRAM, "check", "--help"], stdout=follower, env=clean | {"TERM": "xterm"} | variables, check=True
    )
    os.close(follower)
    shown = b""
    while b"Show this message" not in shown:
        shown += os.read(leader, 100_000)
    os.close(leader)
    assert (b"\x1b[1mUsage" in shown) is coloured
    assert b"Usage" in shown


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "utf-8"])
def test_no_letter_is_too_much_for_a_stream(monkeypatch, tmp_path, encoding):
    """As a pipe on Windows has it: φ, λ, Dᵀ and q̈ are spelt, and JSON stays JSON."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "phi.toml").write_text(LONG.replace("format = 1", 'format = 1\nname = "Größe φ 🙂"'), encoding="utf-8")

    def run(*line: str) -> str:
        stream = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, encoding=encoding))
        with pytest.raises(SystemExit) as stop:
            main(line)
        assert stop.value.code == 0
        return stream.getvalue().decode(encoding)

    text = run("derive", "phi.toml", "--form", "minimal")
    assert ("Größe phi" if encoding == "cp1252" else "Größe φ") in text
    assert ("Dᵀ(M q̈ − f)" if encoding == "utf-8" else "D^T(M q'' - f)") in text
    name = json.loads(run("simulate", "phi.toml", "--until", "0.1", "--json"))["model"]
    assert name == "Größe φ 🙂"


def test_a_process_that_writes_for_windows():
    environment = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run([*PROGRAM, "--help"], env=environment, capture_output=True, check=True)
    assert "COMMAND … [OPTIONS]" in done.stdout.decode("cp1252")


def test_spelling():
    terminal.prepare()
    spelt = "Aᵀλ … −ψ̇ Δ 🙂 é".encode("ascii", "dalembert-spell").decode()
    assert spelt == "A^Tlambda ... -psi' delta ? e"


def test_json_stands_alone(command):
    code, out, _ = command("simulate", "pendulum", "--until", "0.1", "--out", "m.csv", "--json")
    assert code == 0
    assert json.loads(out)["status"] == "done"


# --- progress --------------------------------------------------------------------------------------------------------


def test_progress_shows_phases_and_a_bar(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with Progress(progress.COMPILING, end=10.0, patience=0.0) as shown:
        while shown.bar is None:
            time.sleep(0.01)
        shown(2.5, 1.0)
        shown(5.0, 2.0)
        shown.bar.refresh()
    text = stream.getvalue()
    assert "compiling for this machine" in text
    assert "computing the motion" in text
    assert "t = 5 of 10, 0:02 left" in text
    assert shown.bar.finished is False
    assert shown.bar.tasks[0].percentage == 50


def test_progress_is_silent_in_a_pipe_and_for_short_work(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("working", patience=0.0) as shown:
        shown(1.0, 1.0)
    assert (stream.getvalue(), shown.bar) == ("", None)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("working", patience=60.0) as shown:
        shown(1.0, 1.0)
    assert (stream.getvalue(), shown.bar) == ("", None)


# --- ends before the end ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_what_was_computed_is_printed_after_an_interruption(tmp_path):
    (tmp_path / "long.toml").write_text(LONG)
    line = ["simulate", "long.toml", "--until", "1e9", "--rtol", "1e-12", "--json"]
    script = f"""
import os, signal, sys
from dalembert.cli import motions
from dalembert.cli.progress import Progress
def interrupt(self, t, seconds):
    os.kill(os.getpid(), signal.SIGINT)
Progress.__call__ = interrupt
from dalembert.cli import main
main({line!r})
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 130
    assert json.loads(done.stdout)["status"] == "stopped"
    assert "The motion was stopped: interrupted at t = " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interruption_before_the_motion(command, monkeypatch):
    from dalembert.cli.commands import check

    monkeypatch.setattr(check, "open_model", lambda *_, **__: os.kill(os.getpid(), signal.SIGINT) or time.sleep(5))
    assert command("check", "pendulum") == (130, "", "interrupted\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_a_reader_that_has_seen_enough(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, "examples"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 1


# --- text of others ---------------------------------------------------------------------------------------------------


def test_control_characters_are_shown_not_obeyed(command):
    code, _, err = command("check", "\x1b[31mred")
    assert code == 2
    assert "\x1b" not in err
    assert "\\x1b[31mred" in err


def test_a_name_in_a_file_cannot_command_the_terminal(command, tmp_path):
    (tmp_path / "red.toml").write_text(LONG.replace("format = 1", 'format = 1\nname = "\\u001b[31mred"'))
    for line in (["check"], ["derive"], ["simulate", "--until", "0.1"], ["run", "--no-report", "--until", "0.1"]):
        verb, *rest = line
        code, out, err = command(verb, "red.toml", *rest)
        assert code == 0
        assert "\x1b" not in out + err
