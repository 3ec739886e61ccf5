"""Signals at random moments: exit codes, no traceback, files that are complete or not there, nothing left behind."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dalembert import files, load_motion

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc to know when the program listens")

PROGRAM = [sys.executable, "-m", "dalembert"]
OSCILLATOR = """
format = 1
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "x^2 + y"
[constraints]
curve = "y = 0.3*x^2"
[initial]
x = 1
[simulate]
until = UNTIL
"""
LINES = {  # command lines, and how long the motion is
    "table": (["simulate", "model.toml", "--out", "motion.npz"], 200),
    "long table": (["simulate", "model.toml", "--out", "motion.csv", "--json"], 1e7),
    "all files": (["simulate", "model.toml", "--out", "motion.mat", "--plot", "motion.png", "--report", "r.html"], 20),
    "report": (["run", "model.toml", "--report", "r.html"], 20),
    "without end": (["run", "model.toml", "--report", "r.html"], 1e7),
    "model": (["export", "model.toml", "--to", "c", "--force", "--out", "model.c"], 1),
}
CODES = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 143, "SIGKILL": -9}
BEFORE = b"what was there before\n"


def listens(process: subprocess.Popen) -> bool:
    """Tell whether the program answers SIGTERM itself; before that Python is on its own."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    except (OSError, IndexError):
        return True
    return bool(caught >> signal.SIGTERM - 1 & 1) or process.poll() is not None


def check_file(path: Path) -> None:
    """Read a file that must be complete."""
    data = path.read_bytes()
    if data == BEFORE:
        return
    if path.suffix in files_of_motions():
        table = load_motion(path)
        assert len({len(values) for values in table.values()}) == 1
        assert {"t", "x", "y'"} <= set(table)
    elif path.suffix == ".html":
        assert data.rstrip().endswith(b"</html>")
    elif path.suffix == ".png":
        assert data.endswith(b"IEND\xaeB`\x82")
    elif path.suffix in (".c", ".h"):
        assert data.endswith((b"}\n", b"_H */\n"))
    else:
        assert path.name == "model.toml"


def files_of_motions() -> tuple[str, ...]:
    from dalembert.results.motion_files import FORMATS

    return FORMATS


def heed_signals() -> None:
    """Let a program hear what whoever runs the tests may have ignored, as `nohup` does."""
    for name in CODES:
        if name != "SIGKILL":
            signal.signal(getattr(signal, name), signal.SIG_DFL)


def strike(folder: Path, seed: int) -> None:
    """Start a command, let a signal hit it at a random moment, and look at what is there."""
    chance = random.Random(seed)
    name = chance.choice(list(LINES))
    line, until = LINES[name]
    (folder / "model.toml").write_text(OSCILLATOR.replace("UNTIL", str(until)))
    written = [Path(word) for word in line if "." in word and word != "model.toml"]
    there = chance.random() < 0.5
    for path in written:
        if there:
            (folder / path).write_bytes(BEFORE)
    word = chance.choice(list(CODES))
    number = getattr(signal, word)
    process = subprocess.Popen(
        [*PROGRAM, *line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_signals
    )
    try:
        while not listens(process):
            time.sleep(0.001)
        time.sleep(chance.choice([0.15, 1.0, 3.0]) * chance.random())
        process.send_signal(number)
        try:
            _, err = process.communicate(timeout=20 if until < 1e6 else 3)
        except subprocess.TimeoutExpired:  # it came before the motion, or it is being written; once more means at once
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    told = f"{name}, {word}, seed {seed}, exit code {process.returncode}: {err.decode()}"
    assert process.returncode in (CODES[word], 0), told
    assert b"Traceback" not in err and b"Exception ignored" not in err, told
    if process.returncode > 0:
        assert b"interrupted" in err or b"terminated" in err, told
    if word == "SIGKILL":
        for path in written:
            files.check_place(folder / path)  # what the next start does before anything else
    extra = {path.name for path in folder.iterdir()} - {"model.toml", "model.h", *(path.name for path in written)}
    assert not extra, told
    for path in written:
        if there or (folder / path).exists():
            check_file(folder / path)


@pytest.mark.parametrize("seed", range(6))
def test_signals_at_random_moments(tmp_path, seed):
    strike(tmp_path, seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 400))
def test_signals_at_many_random_moments(tmp_path, seed):
    strike(tmp_path, seed)
