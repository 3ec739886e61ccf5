"""A command is a function with its name, its group in help, and examples."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import typer

from dalembert.cli import main
from dalembert.cli.app import add, app
from dalembert.cli.models import open_model
from dalembert.cli.options import Model, Settings


def weigh(model: Model, settings: Settings = None) -> None:
    """Add up the masses of a mechanism."""
    bodies = open_model(model, settings).bodies.values()
    typer.echo(f"{sum(float(body.mass) for body in bodies):g} kg")


WEIGH = SimpleNamespace(
    NAME="weigh", GROUP="Measure", EXAMPLES="\nA crane\ndalembert weigh crane.toml\n", command=weigh
)


@pytest.fixture
def weighing(monkeypatch):
    """Add the command for a while."""
    monkeypatch.setattr(app, "registered_commands", list(app.registered_commands))
    add(WEIGH)


def run(*words: str) -> int:
    """Run a command line."""
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return int(ended.value.code or 0)


def test_command(weighing, capsys, tmp_path):
    model = tmp_path / "two.toml"
    model.write_text("format = 1\n[bodies]\na = {mass = 1.5, inertia = 1}\nb = {mass = 2, inertia = 1}\n")
    assert run("weigh", str(model)) == 0
    assert capsys.readouterr().out == "3.5 kg\n"
    assert run("--help") == 0
    assert "Measure\n  weigh" in capsys.readouterr().out
    assert run("weigh", "--help") == 0
    assert "dalembert weigh crane.toml" in capsys.readouterr().out
    assert run("weigh", str(tmp_path / "missing.toml")) == 2
