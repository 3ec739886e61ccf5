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
Step by step, with every matrix and the reason for every choice
dalembert derive pendulum --form minimal --steps
The forces in joint A and along y in joint B, which are released (Do Sanh)
dalembert derive four-bar --release A,B.y
The reaction of every constraint as a formula, for a paper
dalembert derive pendulum --form reactions --to latex
"""
TARGETS = ("text", "latex", "json")


def command(
    model: Model,
    form: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help=f"{listed(completion.DERIVED)}; else {completion.DERIVED[0]}.",
            rich_help_panel="What is derived",
            autocompletion=completion.one_of(completion.DERIVED),
        ),
    ] = None,
    coordinates: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The independent coordinates, separated by commas, for the form independent.",
            rich_help_panel="What is derived",
        ),
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Constraints, joints, or conditions such as A.x, separated by commas, to be released: their forces "
            "as formulas, or the freed system in a form.",
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
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Step by step, as on a board: from the energies to the result, with every matrix of the form.",
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
    chosen, released = _names("--coordinates", coordinates, "x,phi"), _names("--release", release, "A,B.y")
    system = open_model(model, settings, initial, by=by)
    with Progress("deriving the equations"):
        derived = None if released is None else system.release(*released)
        if derived is None or form or chosen or full:
            derived = (system if derived is None else derived.system).derive(form or completion.DERIVED[0], chosen)
            derived = derived.full() if full else derived
        found = derived.as_dict() if to == "json" else {}
        if steps:
            derived = derived.steps
            found |= {"steps": derived.as_dict()} if to == "json" else {}
        text = as_json(found) if to == "json" else derived.latex() if to == "latex" else shown(derived.document())
    typer.echo(text)


def _names(option: str, text: str | None, example: str) -> list[str] | None:
    """Read names between commas."""
    found = None if text is None else [name.strip() for name in text.split(",") if name.strip()]
    if found == []:
        raise ModelError(f"`{option}` takes names separated by commas, as in {option} {example}")
    return found
