"""`dalembert inverse`: what drives and controls must do for the motion of a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dalembert.cli.models import open_model, output
from dalembert.cli.motion_options import with_settings
from dalembert.cli.motions import write
from dalembert.cli.options import OUTPUT, AsJson, By, Initial, Model, Settings
from dalembert.cli.progress import COMPILING, Progress
from dalembert.cli.terminal import as_json, shown

NAME, GROUP = "inverse", "Work with a model"
EXAMPLES = """
The torques of the drives and controls of a model along its motion
dalembert inverse crane.toml
At 1000 intervals, as a table
dalembert inverse crane.toml --samples 1000 --out torques.csv
For a program
dalembert inverse crane.toml --json
"""


@with_settings("until", "samples")
def command(
    model: Model,
    asked: dict[str, Any],
    settings: Settings = None,
    initial: Initial = None,
    by: By = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a table: .csv.", rich_help_panel=OUTPUT)
    ] = None,
    in_json: AsJson = False,
) -> None:
    """Compute what drives, and controls without a law, must do for the motion that drives or programmes prescribe."""
    table = output("--out", out, (".csv",))
    system = open_model(model, settings, initial, by=by)
    with Progress(COMPILING):
        found = system.replace(simulation=asked).inverse() if asked else system.inverse()
    typer.echo(as_json(found.as_dict()) if in_json else shown(found.document()))
    write("Table", table, found.save)
