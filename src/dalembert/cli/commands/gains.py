"""`dalembert gains`: which gains of stabilisation a method admits, as numbers and as a map."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli import completion, options
from dalembert.cli.models import output
from dalembert.cli.motions import write
from dalembert.cli.options import OUTPUT, AsJson
from dalembert.cli.terminal import as_json, shown

NAME, GROUP = "gains", "Work with a model"
TABLEAUX = ("euler", "rk4", "dop853")
EXAMPLES = """
For which gains residuals shrink with Euler's method
dalembert gains euler
With a step, and gains of your own: are they admissible?
dalembert gains rk4 --step 0.1 --gains kappa=-50
The map as a picture, with gains on positions marked in it
dalembert gains rk4 --step 0.1 --gains alpha=5 --gains beta=5 --plot map.png
"""


def command(
    method: Annotated[
        str,
        typer.Argument(
            metavar="METHOD",
            help="euler, rk4 or dop853: methods whose steps multiply errors by their stability function.",
            autocompletion=completion.one_of(TABLEAUX),
            show_default=False,
        ),
    ],
    step: Annotated[str | None, typer.Option(metavar="H", help="The step, to turn τκ into κ.")] = None,
    gains: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Gains to be judged: kappa=-5, or alpha=5 and beta=5; matrices too."),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the map: .png, .svg or .pdf.", rich_help_panel=OUTPUT),
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Draw on dark ground.", rich_help_panel=OUTPUT)] = False,
    in_json: AsJson = False,
) -> None:
    """Say which gains of stabilisation a method admits, and draw the map of them."""
    from dalembert import files
    from dalembert.model.settings import read
    from dalembert.results.stability_map import stabilisation_map

    drawing = output("--plot", plot, (".png", ".svg", ".pdf"))
    length = None if step is None else options.finite("--step", step, "0.1")
    found = stabilisation_map(method, length, read("gains", gains) if gains else None)
    typer.echo(as_json(found.as_dict()) if in_json else shown(found.document()))
    write("Map", drawing, lambda path: files.write(
        path, lambda file: found.plot(dark=dark).savefig(file, format=path.suffix[1:].lower(), dpi=120)
    ))  # fmt: skip
