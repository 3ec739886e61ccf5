"""Machines and systems of every day, as a newcomer writes them: everything that the command line offers works on them.

Each is compared with what is known of it from elsewhere (`facts.py`).
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from dalembert import load
from dalembert.cli.completion import DERIVED, FORMS
from tests.docs.blocks import run_command
from tests.everyday import facts

FILES = {path.stem: path for path in sorted((Path(__file__).parent / "models").glob("*.toml"))}
MODELS = [name for name in FILES if not name.startswith("wrong")]
METHODS = (("dop853",), ("radau",), ("rk4", "--step", "0.001"))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """What the commands write is written elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


def succeed(*words: str) -> str:
    """Run a command that must succeed."""
    code, printed = run_command(["dalembert", *words])
    assert code == 0, f"{' '.join(words)} exits with {code}:\n{printed}"
    return printed


def test_every_model_has_its_fact():
    written = {name for name, value in inspect.getmembers(facts, inspect.isfunction) if name in {m.replace("-", "_") for m in MODELS}}
    assert written == {name.replace("-", "_") for name in MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_run(name):
    printed = succeed("run", str(FILES[name]))
    assert "Certificate: pass" in printed, printed
    assert Path(f"{name}-report.html").exists()


@pytest.mark.parametrize("name", MODELS)
def test_motion_is_the_known_one(name):
    run = load(FILES[name]).simulate(samples=400)
    assert (run.status, run.certificate.ok) == ("done", True), str(run.certificate)
    getattr(facts, name.replace("-", "_"))(run)


@pytest.mark.parametrize("name", [name for name in FILES if name not in MODELS])
def test_wrong_model_is_refused(name):
    for command in ("check", "derive", "simulate", "run"):
        code, printed = run_command(["dalembert", command, str(FILES[name])])
        assert code in (1, 2) and printed.strip(), printed
