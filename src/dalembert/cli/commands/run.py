"""`dalembert run`: all of it, from what the system is to a report."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from dalembert.cli.failures import FAILED
from dalembert.cli.models import open_model, output, stem
from dalembert.cli.motion_options import with_settings
from dalembert.cli.motions import ending, motion_text, print_motion, read_events, simulated, write
from dalembert.cli.options import OUTPUT, By, Controls, Events, Functions, Initial, Model, Outputs, Settings
from dalembert.cli.progress import Progress
from dalembert.cli.terminal import shown
from dalembert.document.nodes import Paragraph
from dalembert.errors import ModelError
from dalembert.model.settings import Settings as MotionSettings

NAME, GROUP = "run", "Work with a model"
_BRIEF = (6, 3)  # equations that are printed, and lines of each on a terminal
EXAMPLES = """
A model of the gallery, with a report slider-crank-report.html
dalembert run slider-crank
Your own, with a parameter changed
dalembert run crane.toml --set m=120
Without a report
dalembert run pendulum --no-report
"""


@with_settings(*MotionSettings.options)
def command(
    model: Model,
    asked: dict[str, Any],
    settings: Settings = None,
    initial: Initial = None,
    by: By = None,
    outputs: Outputs = None,
    functions: Functions = None,
    controls: Controls = None,
    event: Events = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the report here, not to MODEL-report.html in this folder.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.", rich_help_panel=OUTPUT)] = False,
) -> None:
    """Check a model, derive its equations, compute its motion, certify it, and write a report with pictures."""
    if report is not None and no_report:
        raise ModelError("`--report` and `--no-report` contradict each other; leave one of them out")
    name = f"{stem(model)}-report.html" if report is None else report
    path = None if no_report else output("--report", name, (".html",))
    from dalembert.motion.conflicts import chosen_settings
    from dalembert.results.kept_formulas import brief_equations

    system = open_model(model, settings, initial, outputs, functions, controls, by)
    asked |= read_events(system, event)
    chosen_settings(system, asked)  # what cannot be is said before anything is printed
    examined = system.replace(simulation={"keep": asked["keep"]}) if "keep" in asked else system
    with Progress("examining the model"):
        outcome = examined.check()
    typer.echo(shown(outcome.document()))
    if not (outcome.ok or "unchecked" in asked):
        raise typer.Exit(FAILED)
    with Progress("deriving the equations"):
        equations = brief_equations(system)
    if equations.key:
        chosen = "" if by is None else f" --by {by}"
        command = f"dalembert derive {model} --form {equations.key}{chosen}"
        more = Paragraph(f"with reactions as formulas: {command}", "faint")
        equations = replace(equations, parts=[*equations.parts, more])
    typer.echo(f"\n{shown(equations, brief=_BRIEF)}\n")
    motion = simulated(system, asked)
    print_motion(motion, lambda: motion_text(motion))
    write("Report", path, motion.report)
    raise typer.Exit(ending(motion))
