"""`dalembert simulate`: the motion of a model, its certificate, and files made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli import completion, options
from dalembert.cli.models import check_output, open_model
from dalembert.cli.motions import ending, simulated, write
from dalembert.cli.options import MOTION, OUTPUT, AsJson, FormName, Initial, Model, Settings, Until
from dalembert.cli.tables import run_lines
from dalembert.cli.terminal import echo_json

EXAMPLES = """
With what the model says itself
dalembert simulate pendulum
Twice as long, of another length, started elsewhere
dalembert simulate pendulum --until 20 --set l=2 --initial phi=pi/2
As a table of 1000 intervals, and as JSON for a program
dalembert simulate pendulum --samples 1000 --out motion.csv --json
Plots and an animation
dalembert simulate four-bar --plot four-bar.png --animate four-bar.html
A stiff system, by a method for these
dalembert simulate andrews-squeezer --method radau --rtol 1e-8
"""
PLOTS = ("coordinates", "velocities", "accelerations", "phase", "reactions", "multipliers", "energy", "residuals")


def _tuning(metavar: str, text: str, values: tuple[str, ...] = ()) -> typer.models.OptionInfo:
    complete = completion.one_of(values) if values else None
    return typer.Option(metavar=metavar, help=text, rich_help_panel=MOTION, autocompletion=complete)


def _file(text: str) -> typer.models.OptionInfo:
    return typer.Option(metavar="FILE", help=text, rich_help_panel=OUTPUT)


def command(
    model: Model,
    until: Until = None,
    form: FormName = None,
    method: Annotated[
        str | None, _tuning("NAME", "dop853, radau, bdf, rattle, rk4 or euler.", completion.METHODS)
    ] = None,
    keep: Annotated[
        str | None, _tuning("HOW", "How constraints are kept: project, stabilise or none.", completion.KEEPINGS)
    ] = None,
    rtol: Annotated[str | None, _tuning("R", "Relative tolerance of the step control.")] = None,
    atol: Annotated[str | None, _tuning("A", "Absolute tolerance.")] = None,
    step: Annotated[str | None, _tuning("H", "A fixed step, for methods that have one.")] = None,
    samples: Annotated[str | None, _tuning("N", "Give values at the ends of N equal intervals, not at steps.")] = None,
    max_seconds: Annotated[str | None, _tuning("S", "End the computation after so many seconds.")] = None,
    settings: Settings = None,
    initial: Initial = None,
    out: Annotated[Path | None, _file("Write the motion as a table: .npz, .csv or .parquet.")] = None,
    report: Annotated[Path | None, _file("Write a report with pictures: .html.")] = None,
    plot: Annotated[Path | None, _file("Draw a plot: .png, .svg or .pdf.")] = None,
    plot_of: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What is plotted: coordinates (if nothing is said), velocities, accelerations, phase, reactions, "
            "multipliers, energy, residuals; joints for a mechanism.",
            rich_help_panel=OUTPUT,
            autocompletion=completion.one_of((*PLOTS, "joints")),
        ),
    ] = "coordinates",
    animate: Annotated[Path | None, _file("Draw the moving system: .html, .gif, .mp4 or .png.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compute the motion of a model, certify it, and print or write what came out.

    If the motion fails on its way, what was computed is printed and written all the same, with exit code 1. Ctrl-C
    ends it in the same way, with exit code 130.
    """
    from dalembert.results.export import FORMATS

    check_output("--out", out, FORMATS)
    check_output("--report", report, (".html",))
    check_output("--plot", plot, (".png", ".svg", ".pdf"))
    check_output("--animate", animate, (".html", ".gif", ".mp4", ".png"))
    options.one_of("--plot-of", plot_of, (*PLOTS, "joints"))
    numbers = {
        name: options.number(f"--{name}", text) for name, text in (("rtol", rtol), ("atol", atol), ("step", step))
    }
    end, most = options.number("--until", until), options.seconds("--max-seconds", max_seconds)
    intervals = options.whole_number("--samples", samples, options.MAX_SAMPLES)
    system = open_model(model, settings, initial)
    motion = simulated(
        system, end, form=form, method=method, keep=keep, samples=intervals, max_seconds=most, **numbers
    )  # fmt: skip
    write("Motion", out, motion.save)
    write("Plot", plot, lambda path: motion.plot(plot_of).savefig(path))
    write("Animation", animate, lambda path: motion.animate().save(path))
    write("Report", report, getattr(motion, "report", lambda path: None))
    if as_json:
        echo_json(motion.as_dict())
    else:
        typer.echo("\n".join(run_lines(motion)))
    raise typer.Exit(ending(motion))
