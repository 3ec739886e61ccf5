"""`dalembert examples`: the gallery, and the text of its models."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli import completion
from dalembert.cli.terminal import shown
from dalembert.document.nodes import Table, Tone

NAME, GROUP = "examples", "Begin"
EXAMPLES = """
The gallery
dalembert examples
The file of a model
dalembert examples slider-crank
A model of a size: forty four-bar linkages in a row
dalembert run n-four-bar:40
"""


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A model of the gallery, to print its file.",
            autocompletion=completion.gallery,
            show_default=False,
        ),
    ] = None,
) -> None:
    """List the gallery of models, or print one of them."""
    from dalembert.model.gallery import SIZED, example, names, source, title

    if name is not None:
        typer.echo(source(name) or str(example(name)), nl=False)
        return
    keys = {name: f"{name}:{SIZED[name].default}" if name in SIZED else name for name in names()}
    typer.echo(shown(Table([(Tone(key, "name"), title(name)) for name, key in keys.items()], most=None)))
