"""`dalembert export`: the equations of a model for other programs, and the model itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.characters import visible
from dalembert.cli import completion, options
from dalembert.cli.models import open_model, output, refuse_overwriting, stem
from dalembert.cli.options import OUTPUT, By, Controls, FormName, Functions, Initial, Model, Settings
from dalembert.cli.progress import Progress
from dalembert.cli.terminal import styled
from dalembert.errors import ModelError

NAME, GROUP = "export", "Work with a model"
EXAMPLES = """
C source with its header: accelerations, multipliers, reactions
dalembert export four-bar --to c
A Python function on NumPy or JAX
dalembert export pendulum --to jax --out pendulum_jax.py
The equations as a LaTeX document
dalembert export pendulum --to latex --form minimal
A model of the gallery as a file of its own
dalembert export n-four-bar:3 --to toml --out linkage.toml
"""
TARGETS = {"c": "{}.c", "numpy": "{}_numpy.py", "jax": "{}_jax.py", "latex": "{}.tex", "toml": "{}.toml"}


def command(
    model: Model,
    to: Annotated[
        str,
        typer.Option(
            metavar="TARGET",
            help="c, numpy, jax, latex or toml.",
            rich_help_panel=OUTPUT,
            autocompletion=completion.one_of(tuple(TARGETS)),
            show_default=False,
        ),
    ],
    form: FormName = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where to write; else a file named after the model.", rich_help_panel=OUTPUT),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is there.", rich_help_panel=OUTPUT)
    ] = False,
    settings: Settings = None,
    initial: Initial = None,
    by: By = None,
    functions: Functions = None,
    controls: Controls = None,
) -> None:
    """Write the equations of a model as C, NumPy, JAX or LaTeX, or the model as a file."""
    options.one_of("--to", to, tuple(TARGETS))
    options.one_of("--form", form, completion.DERIVED if to == "latex" else completion.MOVING)
    if to == "toml" and form is not None:
        raise ModelError("a model file holds no equations; leave `--form` out with `--to toml`")
    ending = Path(TARGETS[to]).suffix
    name = TARGETS[to].format(_stem(model, ending)) if out is None else out
    path = output("--out", name, (ending,)) or Path(name)
    for file in (path, path.with_suffix(".h")) if to == "c" else (path,):
        refuse_overwriting(file, force)
    system = open_model(model, settings, initial, None, functions, controls, by)
    with Progress("writing the equations"):
        if to == "toml":
            system.save(path)
            written = [path]
        else:
            written = system.export(path, to=to, form=form or "multipliers")
    for path in written:
        typer.echo(styled(visible(str(path)), "name"))


def _stem(model: str, ending: str) -> str:
    """Return the name of a file after its model; one of Python can be imported."""
    return stem(model).replace("-", "_") if ending == ".py" else stem(model)
