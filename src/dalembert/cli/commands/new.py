"""`dalembert new`: a commented model file to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from dalembert.characters import visible
from dalembert.cli import completion, options
from dalembert.cli.models import STANDARD_INPUT, output, refuse_overwriting
from dalembert.cli.terminal import shown
from dalembert.document.nodes import Section, Table, Tone
from dalembert.errors import ModelError
from dalembert.files import write_text

NAME, GROUP = "new", "Begin"
EXAMPLES = """
A model by its energies, in the file model.toml
dalembert new
A machine by its bodies and joints
dalembert new crane.toml --kind mechanism
A copy of a model of the gallery
dalembert new mine.toml --from slider-crank
"""
KINDS = {
    "energies": "kinetic and potential energy, and constraints",
    "matrices": "mass matrix and forces",
    "mechanism": "bodies and joints in the plane",
    "spatial": "bodies and joints in space",
}


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The file to write, model.toml if none is given; - prints it.")
    ] = "model.toml",
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="; ".join(f"{name}: {text}" for name, text in KINDS.items()) + ".",
            autocompletion=completion.one_of(tuple(KINDS)),
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="Copy a model of the gallery.", autocompletion=completion.gallery),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a model file to start from, with comments that explain it."""
    if kind is not None and source is not None:
        raise ModelError("`--kind` and `--from` contradict each other; leave one of them out")
    options.one_of("--kind", kind, tuple(KINDS))
    text = copied(source) if source is not None else starter(kind or "energies")
    if file == STANDARD_INPUT:
        typer.echo(text, nl=False)
        return
    path = output("dalembert new", file, (".toml",)) or Path(file)
    refuse_overwriting(path, force)
    write_text(path, text)
    file = visible(file)
    steps = (("check", "says what is wrong with it"), ("run", "computes its motion and writes a report"))
    table = Table([(Tone(f"dalembert {verb} {file}", "name"), what) for verb, what in steps])
    typer.echo(shown(Section(f"{file}: change it, then", [table])))


def starter(kind: str) -> str:
    """Return the text of a model file of some kind."""
    return resources.files("dalembert.cli").joinpath("starters", f"{kind}.toml").read_text(encoding="utf-8")


def copied(name: str) -> str:
    """Return the text of a model of the gallery."""
    from dalembert.model.gallery import example
    from dalembert.model.gallery import source as text_of

    return text_of(name) or str(example(name))
