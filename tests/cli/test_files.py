"""Files on their way: with and without names, left by killed processes, pipes and closed streams in their place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from dalembert import ModelError, files, load, load_motion
from dalembert.interruption import Held
from dalembert.model.gallery import source
from tests.cli.test_interruptions import OSCILLATOR, PROGRAM

posix = pytest.mark.skipif(os.name != "posix", reason="signals, pipes and locks")
WITHOUT_NAMES = hasattr(os, "O_TMPFILE")


@pytest.fixture(params=["without a name", "with a name"])
def staging(request, monkeypatch):
    if request.param == "with a name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return request.param


# --- writing ---------------------------------------------------------------------------------------------------------


def test_new_files_and_those_that_are_replaced(tmp_path, staging):
    path = tmp_path / "a.txt"
    for text in ("one", "two"):
        files.write_text(path, text)
        assert path.read_text() == text
    assert os.listdir(tmp_path) == ["a.txt"]


@posix
@pytest.mark.parametrize("where", ["fchmod", "link", "replace", "fdopen"])
@pytest.mark.parametrize("there", [False, True])
def test_nothing_is_left_of_a_file_without_a_name(tmp_path, monkeypatch, where, there):
    path = tmp_path / "a.txt"
    if there:
        path.write_text("as it was")

    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, where, fail)
    if where == "replace" and not there:
        files.write_text(path, "new")  # it gets its name at once
        return
    with pytest.raises(KeyboardInterrupt):
        files.write_text(path, "new")
    assert os.listdir(tmp_path) == ["a.txt"] * there


@posix
def test_rights_stay(tmp_path, staging):
    path = tmp_path / "a.txt"
    before = os.umask(0o027)
    files.write_text(path, "one")
    os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o604)
    files.write_text(path, "two")
    assert path.stat().st_mode & 0o777 == 0o604


@posix
def test_what_a_killed_process_leaves_is_removed_by_the_next(tmp_path, staging):
    script = f"""
import os, signal
from dalembert import files
if {staging == "with a name"} and hasattr(os, "O_TMPFILE"):
    del os.O_TMPFILE
files.write("a.txt", lambda file: (file.write(b"half"), file.flush(), os.kill(os.getpid(), signal.SIGKILL)))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    left = os.listdir(tmp_path)
    assert len(left) == (0 if staging == "without a name" and WITHOUT_NAMES else 1)
    assert not any(name.startswith("a") for name in left)
    files.check_place(tmp_path / "b.txt")
    assert os.listdir(tmp_path) == []


@posix
def test_what_another_process_is_writing_stays(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)

    def action(file):
        files.remove_unfinished(tmp_path)
        files.write_text(tmp_path / "b.txt", "another")
        file.write(b"one")

    files.write(tmp_path / "a.txt", action)
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]


def test_files_of_others_stay(tmp_path):
    names = {".dalembert-notes.part", "x.part", ".dalembert-0123456789abcdef.parts"}
    for name in names:
        (tmp_path / name).write_text("mine")
    files.remove_unfinished(tmp_path)
    assert set(os.listdir(tmp_path)) == names


@posix
def test_no_pipe_is_replaced(tmp_path):
    os.mkfifo(tmp_path / "m.csv")
    with pytest.raises(ModelError, match="is a pipe or a device, not a file to write to"):
        files.check_place(tmp_path / "m.csv")
    with pytest.raises(ModelError, match="is a pipe or a device, not a file to write to"):
        files.write_text(tmp_path / "m.csv", "text")
    with pytest.raises(ModelError, match="as it is not a file"):
        load_motion(tmp_path / "m.csv")


# --- reading ---------------------------------------------------------------------------------------------------------


@posix
def test_a_pipe_as_a_model(tmp_path, monkeypatch):
    path = tmp_path / "m.toml"
    os.mkfifo(path)
    monkeypatch.setattr(files, "PATIENCE", 0.0)
    with pytest.raises(ModelError, match="it is a pipe into which nobody writes"):
        load(path)
    monkeypatch.setattr(files, "PATIENCE", 60.0)
    text = source("pendulum") or ""
    writer = threading.Thread(target=lambda: path.write_text(text, encoding="utf-8"))
    writer.start()
    assert load(path).coordinates == ("x", "y", "phi")
    writer.join()


@posix
def test_a_model_from_a_process(tmp_path):
    line = 'dalembert() { "$0" -m dalembert "$@"; }; dalembert check <(dalembert examples pendulum; sleep 0.2)'
    done = subprocess.run(["bash", "-c", line, sys.executable], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 degree of freedom" in done.stdout


# --- standard streams ------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "</dev/null >/dev/null"])
def test_closed_streams(tmp_path, closed):
    """Nothing is printed into the files that are written, whatever their number."""
    (tmp_path / "model.toml").write_text(OSCILLATOR.replace("UNTIL", "0.1"))
    line = f'"$0" -m dalembert simulate model.toml --samples 3 --out m.csv {closed}'
    done = subprocess.run(["bash", "-c", line, sys.executable], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert len(load_motion(tmp_path / "m.csv")["t"]) == 4


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_output_that_is_full():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, "examples"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"standard output: No space left on device\n")


@posix
def test_standard_input_that_is_closed():
    line = '"$0" -m dalembert check - <&-'
    done = subprocess.run(["bash", "-c", line, sys.executable], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "standard input, which is closed" in done.stderr


# --- the motion comes first ------------------------------------------------------------------------------------------


def test_the_motion_is_written_whatever_happens_later(command, monkeypatch, tmp_path):
    from dalembert.cli.commands import simulate

    def overflow(_):
        raise OverflowError("in the certificate")

    monkeypatch.setattr(simulate, "motion_text", overflow)
    with pytest.raises(OverflowError):
        command("simulate", "pendulum", "--until", "0.1", "--out", "m.npz")
    assert load_motion(tmp_path / "m.npz")["t"][-1] == pytest.approx(0.1)


def test_a_motion_that_overflows_is_written(command, tmp_path):
    """The last state is there, though the equations have no finite value in it."""
    text = OSCILLATOR.replace("x^2 + y", "-exp(x)").replace("UNTIL", "200")
    (tmp_path / "m.toml").write_text(text)
    line = ["simulate", "m.toml", "--method", "euler", "--step", "0.5", "--keep", "none", "--initial", "x'=30"]
    for name in ("m.npz", "m.csv"):
        code, _, err = command(*line, "--out", name)
        assert code == 1
        assert err.startswith(f"Motion: {name}\nThe motion fails: the equations have no finite value")
        table = load_motion(tmp_path / name)
        assert np.isfinite(table["x"]).all() and np.isfinite(table["y'"]).all()
        assert np.isfinite(table["x''"][:-1]).all() and np.isnan(table["x''"][-1])
        assert list(table) == ["t", "x", "y", "x'", "y'", "x''", "y''", "lambda_curve", "energy"]


@posix
def test_files_are_written_though_nobody_reads(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    line = [*PROGRAM, "simulate", "pendulum", "--until", "0.1", "--out", "m.csv", "--plot", "m.png"]
    done = subprocess.run(line, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.stderr == b"Motion: m.csv\nPlot: m.png\n"
    assert sorted(os.listdir(tmp_path)) == ["m.csv", "m.png"]


@posix
def test_an_interruption_waits_until_the_motion_is_written(tmp_path):
    script = """
import os, signal
from dalembert.results import motion_files
to_csv = motion_files._to_csv
def interrupted(file, table):
    os.kill(os.getpid(), SIGNAL)
    to_csv(file, table)
motion_files._to_csv = interrupted
from dalembert.cli import main
main(["simulate", "pendulum", "--until", "0.1", "--out", "m.csv"])
"""
    for number, code, word in ((signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")):
        done = subprocess.run(
            [sys.executable, "-c", script.replace("SIGNAL", str(int(number)))],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr == f"Motion: m.csv\n{word}\n"
        assert load_motion(tmp_path / "m.csv")["t"][-1] == pytest.approx(0.1)
        (tmp_path / "m.csv").unlink()


@posix
def test_interruptions_that_are_held():
    with pytest.raises(KeyboardInterrupt), Held():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        done = True
    assert done
    with Held() as held:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        assert held.taken() == "interrupted"
        assert held.taken() == ""
    with pytest.raises(KeyboardInterrupt), Held():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        done = False
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
