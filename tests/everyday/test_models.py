"""Machines and systems of every day, as a newcomer writes them: everything that the command line offers works on them.

Each is compared with what is known of it from elsewhere (`facts.py`).
"""

from __future__ import annotations

import inspect
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from dalembert import load
from dalembert.cli.completion import DERIVED
from tests.docs.blocks import run_command
from tests.everyday import facts
from tests.sampling import sampled

FILES = {path.stem: path for path in sorted((Path(__file__).parent / "models").glob("*.toml"))}
MODELS = [name for name in FILES if not name.startswith("wrong")]
METHODS = (("dop853",), ("radau",), ("rk4", "--step", "0.001"))
ENDINGS = {"numpy": "py", "jax": "py", "latex": "tex", "c": "c", "toml": "toml"}
NOT_DERIVED = {  # and why
    ("servo", "canonical"): "is one on accelerations",
    ("matrices", "canonical"): "energies",
}


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
    written = {name for name, _ in inspect.getmembers(facts, inspect.isfunction)}
    assert {name.replace("-", "_") for name in MODELS} - written == set()


@pytest.mark.parametrize("name", sampled(MODELS, 3))
def test_run(name):
    printed = succeed("run", str(FILES[name]))
    assert "Certificate: pass" in printed, printed
    assert Path(f"{name}-report.html").exists()


@pytest.mark.parametrize("name", sampled(MODELS, 2))
def test_motion_is_the_known_one(name):
    run = load(FILES[name]).simulate(samples=400)
    assert (run.status, run.certificate.ok) == ("done", True), str(run.certificate)
    getattr(facts, name.replace("-", "_"))(run)


@pytest.mark.parametrize("name", [name for name in FILES if name not in MODELS])
def test_wrong_model_is_refused(name):
    for command in ("check", "derive", "simulate", "run"):
        code, printed = run_command(["dalembert", command, str(FILES[name])])
        assert code in (1, 2) and printed.strip(), printed


@pytest.mark.full
@pytest.mark.parametrize("name", MODELS)
def test_check(name):
    found = json.loads(succeed("check", str(FILES[name]), "--json"))
    assert not [problem for problem in found["problems"] if problem["severity"] == "error"]


@pytest.mark.full
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", DERIVED)
def test_derive(name, form):
    """Every form is there, as text, as LaTeX and as data, but for those that a model cannot have."""
    if (name, form) in NOT_DERIVED:
        code, printed = run_command(["dalembert", "derive", str(FILES[name]), "--form", form])
        assert (code, NOT_DERIVED[name, form] in printed) == (2, True), printed
        return
    for target in ("text", "latex"):
        assert succeed("derive", str(FILES[name]), "--form", form, "--to", target).strip()
    assert json.loads(succeed("derive", str(FILES[name]), "--form", form, "--to", "json"))["form"] == form


@pytest.mark.full
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method[0])
def test_simulate(name, method):
    printed = succeed("simulate", str(FILES[name]), "--method", *method, "--out", "motion.csv")
    assert "Certificate: pass" in printed, printed
    assert Path("motion.csv").read_text(encoding="utf-8").startswith("t,")


@pytest.mark.full
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", DERIVED)
def test_simulate_in_every_form(name, form):
    if (name, form) in NOT_DERIVED:
        assert run_command(["dalembert", "simulate", str(FILES[name]), "--form", form])[0] == 2
        return
    run = load(FILES[name]).simulate(form=form, samples=400)
    assert (run.status, run.certificate.ok) == ("done", True), str(run.certificate)
    getattr(facts, name.replace("-", "_"))(run)


@pytest.mark.full
@pytest.mark.parametrize("name", MODELS)
def test_export(name):
    for target in ("numpy", "jax", "latex", "c", "toml"):
        succeed("export", str(FILES[name]), "--to", target, "--out", f"model.{ENDINGS[target]}", "--force")
    assert load("model.toml") == load(FILES[name])
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-c", "model.c", "-o", "model.o"], check=True)
