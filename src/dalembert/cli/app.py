"""The program: its options, and its commands in the order in which help lists them."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from dalembert.cli.help import Command, Commands

_EXAMPLES = """
What is there to begin with
dalembert examples
One of them, from its equations to a report with pictures
dalembert run slider-crank
A model of your own: write a file, change it, run it
dalembert new crane.toml
dalembert run crane.toml
The motion alone, as a table and as JSON for a program
dalembert simulate pendulum --until 20 --out motion.csv --json
"""

app = typer.Typer(
    name="dalembert",
    cls=Commands,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    invoke_without_command=True,
    help="Constrained mechanical systems: equations of motion in every classical form, reactions as formulas, "
    "motion with its certificate.",
    epilog=_EXAMPLES,
)


@app.callback()
def _options(
    ctx: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        from dalembert import __version__

        typer.echo(__version__)
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def add(command: Any) -> None:
    """Add a command: `command`, a function, with its NAME, its GROUP in help, and EXAMPLES in pairs of lines."""
    made = app.command(command.NAME, cls=Command, epilog=command.EXAMPLES, rich_help_panel=command.GROUP)
    made(command.command)


for _name in ("examples", "new", "run", "check", "derive", "simulate", "inverse", "gains", "export", "cache"):
    add(import_module(f"dalembert.cli.commands.{_name}"))  # in the order of the pages of help
