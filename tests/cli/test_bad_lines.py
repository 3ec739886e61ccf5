"""Two hundred bad command lines: each is answered by a few plain lines and an exit code, none by a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from .bad_lines import generated, prepare

LINES = generated(200)


@pytest.fixture(autouse=True)
def bad_files(tmp_path):
    prepare(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    yield
    os.chmod(tmp_path / "locked.toml", 0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == before  # nothing is written


def is_plain(text: str) -> bool:
    lines = text.rstrip("\n").split("\n")
    short = len(lines) <= 6 and max(map(len, lines)) <= 500
    return bool(text.strip()) and short and all(letter.isprintable() for letter in text.replace("\n", ""))


def test_there_are_two_hundred_different_ones():
    assert len(set(LINES)) == 200


@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line)[:60].encode("unicode_escape").decode())
def test_no_bad_line_ends_in_a_traceback(command, line):
    code, out, err = command(*line)
    assert code in (1, 2)
    assert out == ""
    assert "Traceback" not in err
    assert is_plain(err), err


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (("chek", "pendulum"), 2),
        (("check", "binary.toml"), 2),
        (("check", "pendulum", "--set", "l=\udcff"), 2),
        (("simulate", "pendulum", "--until", "φ"), 2),
        (("new", "file.toml"), 2),
    ],
)
def test_in_a_process_of_its_own(tmp_path, line, code):
    done = subprocess.run(
        [sys.executable, "-m", "dalembert", *map(os.fsencode, line)], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (code, b"")
    assert is_plain(done.stderr.decode())
