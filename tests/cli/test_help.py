"""Help teaches by examples that work, fits 80 columns, and needs none of the heavy libraries."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from typer.main import get_command

from dalembert.cli.app import app
from dalembert.cli.models import stem
from dalembert.model.gallery import names

COMMANDS = ("examples", "new", "run", "check", "derive", "simulate", "inverse", "gains", "export", "cache")


def examples(text: str) -> list[list[str]]:
    return [shlex.split(line) for line in re.findall(r"^    (dalembert .*)$", text, re.MULTILINE)]


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_command_explains_itself(command, name):
    code, out, err = command(*name.split(), "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.split("\n"))) <= 80
    assert "\x1b" not in out
    for part in ("Usage", "Examples", "--help"):
        assert part in out
    assert len(examples(out)) >= 2


def test_without_arguments_it_is_the_help(command):
    assert command() == command("--help")


def test_all_commands_are_listed(command):
    out = command("--help")[1]
    listed = re.findall(r"^  ([a-z]+)  ", out, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS) == sorted(get_command(app).commands)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_examples_can_be_read(command, name):
    """Their options exist, and their models are in the gallery or are files that other examples make."""
    parser = get_command(app)
    for _, verb, *args in examples(command(*name.split(), "--help")[1]):
        context = parser.commands[verb].make_context(verb, args, resilient_parsing=True)
        assert not context.args
        model = context.params.get("model") or context.params.get("source")
        if model is not None:
            assert model == "crane.toml" or model.partition(":")[0] in names()
            assert stem(model)


def test_an_option_explains_itself():
    """No option without a sentence, none with a value without a word for it."""
    for verb in get_command(app).commands.values():
        for param in verb.params:
            assert param.help
            assert param.metavar or getattr(param, "is_flag", False)


def test_the_heavy_libraries_are_loaded_only_when_they_are_used():
    heavy = "('sympy', 'numpy', 'scipy', 'symengine', 'numba', 'matplotlib', 'pandas')"
    for line in (["--help"], ["simulate", "--help"], ["examples"], ["examples", "pendulum"], ["new", "-"]):
        script = f"""
import sys
from dalembert.cli import main
try:
    main({line!r})
except SystemExit:
    print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stderr.strip() == "[]", line


def test_a_check_needs_no_sympy():
    script = """
import sys
from dalembert.cli import main
try:
    main(["check", "four-bar", "--json"])
except SystemExit:
    print([name for name in ("sympy", "numba", "matplotlib", "scipy.optimize") if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_version(command):
    assert command("--version") == (0, "0.1.0\n", "")
