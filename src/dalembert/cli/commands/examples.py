"""`dalembert examples`: the gallery, and the text of its models."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli import completion
from dalembert.cli.options import AsJson
from dalembert.cli.terminal import as_json, shown
from dalembert.document.nodes import Table, Tone

NAME, GROUP = "examples", "Begin"
EXAMPLES = """
The gallery
dalembert examples
The same for a program
dalembert examples --json
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
    in_json: AsJson = False,
) -> None:
    """List the gallery of models, or print one of them."""
    from dalembert.model.gallery import SIZED, example, names, source, title

    if name is not None:
        text = source(name) or str(example(name))
        typer.echo(as_json({"name": name, "text": text}) if in_json else text, nl=in_json)
        return
    if in_json:
        sizes = {key: SIZED[key].default if key in SIZED else None for key in names()}
        typer.echo(as_json([{"name": key, "title": title(key), "size": size} for key, size in sizes.items()]))
        return
    keys = {name: f"{name}:{SIZED[name].default}" if name in SIZED else name for name in names()}
    typer.echo(shown(Table([(Tone(key, "name"), title(name)) for name, key in keys.items()], most=None)))
