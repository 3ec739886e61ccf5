"""`dalembert check`: everything that can be said of a model before its motion."""

from __future__ import annotations

import typer

from dalembert.cli.failures import FAILED
from dalembert.cli.models import open_model
from dalembert.cli.options import AsJson, By, Initial, Model, Settings
from dalembert.cli.progress import Progress
from dalembert.cli.terminal import as_json, shown

NAME, GROUP = "check", "Work with a model"
EXAMPLES = """
A model of the gallery
dalembert check four-bar
Your own, started from another angle
dalembert check crane.toml --initial phi=0.3
For a program
dalembert check four-bar --json
"""


def command(
    model: Model, settings: Settings = None, initial: Initial = None, by: By = None, in_json: AsJson = False
) -> None:
    """Examine a model: degrees of freedom, redundant constraints, initial state.

    Redundant constraints are a note; a model that contradicts itself ends with exit code 1, one that cannot be read
    with 2.
    """
    system = open_model(model, settings, initial, by=by)
    with Progress("examining the model"):
        outcome = system.check()
    typer.echo(as_json(outcome.as_dict()) if in_json else shown(outcome.document()))
    if not outcome.ok:
        raise typer.Exit(FAILED)
