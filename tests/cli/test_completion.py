"""What the Tab key offers, and the scripts by which shells ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from dalembert.cli import completion, main
from dalembert.forms import FORMS as ALL_FORMS
from dalembert.model.gallery import names, title
from dalembert.model.settings import KEEPINGS, moving


@pytest.fixture
def tab(monkeypatch, capsys, tmp_path):
    """Complete the last word of a command line, as fish does: values with what they mean."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_DALEMBERT_COMPLETE", "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")

    def offer(line: str) -> dict[str, str]:
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        with pytest.raises(SystemExit):
            main([])
        rows = capsys.readouterr().out.rstrip("\n").split("\n")
        return {value: text for value, _, text in (row.partition("\t") for row in rows if row)}

    return offer


def test_commands_and_options(tab):
    assert set(tab("dalembert e")) == {"examples", "export"}
    assert {"--until", "--method", "--out", "--set"} <= set(tab("dalembert simulate pendulum --"))


def test_models_are_those_of_the_gallery_and_files(tab, tmp_path):
    (tmp_path / "crane.toml").write_text("")
    (tmp_path / "crane.csv").write_text("")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "crank.toml").write_text("")
    offered = tab("dalembert run ")
    assert set(offered) == {*names(), "crane.toml", "models/"}
    assert offered["pendulum"] == title("pendulum")
    assert set(tab("dalembert run models/")) == {"models/crank.toml"}
    assert set(tab("dalembert check pend")) == {name for name in names() if name.startswith("pend")}
    assert set(tab("dalembert examples pend")) == set(tab("dalembert new x.toml --from pend"))


def test_values_of_options(tab):
    assert set(tab("dalembert simulate pendulum --form ")) == set(moving())
    assert set(tab("dalembert derive pendulum --form ")) == set(ALL_FORMS)
    assert set(tab("dalembert simulate pendulum --method r")) == {"radau", "rattle", "rk4"}
    assert set(tab("dalembert simulate pendulum --keep ")) == set(KEEPINGS)
    assert set(tab("dalembert derive pendulum --to ")) == {"text", "latex", "json"}
    assert set(tab("dalembert export pendulum --to ")) == {"c", "numpy", "jax", "latex", "toml"}
    assert set(tab("dalembert new x.toml --kind m")) == {"matrices", "mechanism"}


def test_parameters_and_coordinates_of_the_model(tab, tmp_path):
    assert tab("dalembert simulate pendulum --set ")["l="] == "now 1.0"
    assert set(tab("dalembert simulate pendulum --initial phi")) == {"phi=", "phi'="}
    (tmp_path / "own.toml").write_text('coordinates = ["u"]\n[parameters]\nlength = 2\n')
    assert set(tab("dalembert run own.toml --set l")) == {"length="}
    (tmp_path / "bad.toml").write_text("coordinates = 3\nparameters = [1]\ninitial = 4\n")
    for model in ("bad.toml", "missing.toml", "n-four-bar:2", "'a", ""):
        assert tab(f"dalembert run {model} --set ") == {}


def test_the_names_offered_are_those_that_exist():
    assert moving() == completion.MOVING
    assert set(completion.DERIVED) == set(ALL_FORMS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell", "pwsh"])
def test_every_shell_gets_its_script(shell):
    environment = os.environ | {"_DALEMBERT_COMPLETE": f"source_{shell}"}
    done = subprocess.run(
        [sys.executable, "-m", "dalembert"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "dalembert" in done.stdout
    assert "_DALEMBERT_COMPLETE" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None or os.name != "posix", reason="needs bash")
def test_bash_completes(tmp_path):
    """The script, in a real shell, with `dalembert` on its path."""
    program = tmp_path / "dalembert"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dalembert "$@"\n')
    program.chmod(0o755)
    source = subprocess.run(
        [program], env=os.environ | {"_DALEMBERT_COMPLETE": "source_bash"}, capture_output=True, text=True, check=True
    ).stdout
    asked = "COMP_WORDS=(dalembert check simple); COMP_CWORD=2; _dalembert_completion dalembert; echo ${COMPREPLY[@]}"
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", f"{source}\n{asked}"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["simple-pendulum"]


def test_it_is_quick():
    """Nothing of the mechanics is loaded for it."""
    script = """
import sys
from dalembert.cli import main
try:
    main([])
except SystemExit:
    heavy = ("sympy", "numpy", "scipy", "symengine", "numba", "matplotlib", "pandas")
    print([name for name in heavy if name in sys.modules], file=sys.stderr)
"""
    line = {"_DALEMBERT_COMPLETE": "complete_bash", "COMP_WORDS": "dalembert run ", "COMP_CWORD": "2"}
    for words in ("dalembert run ", "dalembert run pendulum --set "):
        line |= {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()))}
        done = subprocess.run(
            [sys.executable, "-c", script], env=os.environ | line, capture_output=True, text=True, check=True
        )
        assert done.stdout
        assert done.stderr.strip() == "[]"


def test_names_of_what_is_left_open(tab, tmp_path):
    (tmp_path / "open.toml").write_text('[functions]\nF = ["t"]\n[controls.u]\n[controls.v]\n')
    assert set(tab("dalembert simulate open.toml --functions ")) == {"F="}
    assert set(tab("dalembert run open.toml --controls ")) == {"u=", "v="}
