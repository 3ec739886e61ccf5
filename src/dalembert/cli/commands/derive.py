"""`dalembert derive`: equations of motion and reactions as formulas."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli import completion
from dalembert.cli.models import open_model
from dalembert.cli.options import OUTPUT, By, Initial, Model, Settings, one_of
from dalembert.cli.progress import Progress
from dalembert.cli.terminal import as_json, shown
from dalembert.errors import ModelError, listed

NAME, GROUP = "derive", "Work with a model"
EXAMPLES = """
With Lagrange multipliers
dalembert derive pendulum
Without them, as a person would write them (Phong)
dalembert derive pendulum --form minimal
As the algebra leaves them, without the constraints being used to shorten them
dalembert derive chaplygin-sleigh --form explicit --full
In the angle alone
dalembert derive pendulum --form independent --coordinates phi
The reaction of every constraint as a formula, for a paper
dalembert derive pendulum --form reactions --to latex
"""
TARGETS = ("text", "latex", "json")


def command(
    model: Model,
    form: Annotated[
        str,
        typer.Option(
            metavar="FORM",
            help=f"{listed(completion.DERIVED)}; else {completion.DERIVED[0]}.",
            rich_help_panel="What is derived",
            autocompletion=completion.one_of(completion.DERIVED),
        ),
    ] = "multipliers",
    coordinates: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The independent coordinates, separated by commas, for the form independent.",
            rich_help_panel="What is derived",
        ),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="As the algebra leaves them: longer, and valid also where the constraints do not hold.",
            rich_help_panel="What is derived",
        ),
    ] = False,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="text, latex or json.",
            rich_help_panel=OUTPUT,
            autocompletion=completion.one_of(TARGETS),
        ),
    ] = "text",
    settings: Settings = None,
    initial: Initial = None,
    by: By = None,
) -> None:
    """Derive the equations of motion, and the reactions of constraints as formulas."""
    one_of("--to", to, TARGETS)
    chosen = None if coordinates is None else [name.strip() for name in coordinates.split(",") if name.strip()]
    if chosen == []:
        raise ModelError("`--coordinates` takes names separated by commas, as in --coordinates x,phi")
    system = open_model(model, settings, initial, by=by)
    with Progress("deriving the equations"):
        derivation = system.derive(form, chosen)
        derivation = derivation.full() if full else derivation
        if to == "json":
            text = as_json(derivation.as_dict())
        else:
            text = derivation.latex() if to == "latex" else shown(derivation.document())
    typer.echo(text)
