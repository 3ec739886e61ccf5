"""`dalembert simulate`: the motion of a model, its certificate, and files made of it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dalembert.cli import completion, options
from dalembert.cli.models import open_model, output
from dalembert.cli.motions import ending, motion_text, print_motion, save, save_plot, simulated, write
from dalembert.cli.options import MOTION, OUTPUT, AsJson, FormName, Initial, Model, Settings, Unchecked, Until
from dalembert.cli.terminal import as_json
from dalembert.errors import ModelError
from dalembert.motion.limits import MAX_SAMPLES, MAX_STEPS

NAME, GROUP = "simulate", "Work with a model"
EXAMPLES = """
With what the model says itself
dalembert simulate pendulum
Twice as long, of another length, started elsewhere
dalembert simulate pendulum --until 20 --set l=2 --initial phi=pi/2
As a table of 1000 intervals, and as JSON for a program
dalembert simulate pendulum --samples 1000 --out motion.csv --json
A plot and an animation
dalembert simulate four-bar --plot four-bar.png --animate four-bar.html
A stiff system, by a method for these
dalembert simulate andrews-squeezer --method radau --rtol 1e-8
"""
PLOTS = (
    *("coordinates", "velocities", "accelerations", "phase"),
    *("reactions", "multipliers", "energy", "residuals", "joints"),
)


def _how(metavar: str, text: str, values: tuple[str, ...] = ()) -> Any:
    offered = completion.one_of(values) if values else None
    return typer.Option(metavar=metavar, help=text, rich_help_panel=MOTION, autocompletion=offered)


def _file(text: str) -> Any:
    return typer.Option(metavar="FILE", help=text, rich_help_panel=OUTPUT)


def command(
    model: Model,
    until: Until = None,
    form: FormName = None,
    method: Annotated[str | None, _how("NAME", "dop853, radau, bdf, rattle, rk4 or euler.", completion.METHODS)] = None,
    keep: Annotated[
        str | None, _how("HOW", "How constraints are kept: project, stabilise or none.", completion.KEEPINGS)
    ] = None,
    rtol: Annotated[str | None, _how("R", "Relative tolerance of the step control.")] = None,
    atol: Annotated[str | None, _how("A", "Absolute tolerance.")] = None,
    step: Annotated[str | None, _how("H", "A fixed step, for methods that have one.")] = None,
    samples: Annotated[str | None, _how("N", "Give values at the ends of N equal intervals, not at steps.")] = None,
    max_steps: Annotated[str | None, _how("N", "End the computation after so many steps.")] = None,
    max_seconds: Annotated[str | None, _how("S", "End the computation after so many seconds.")] = None,
    settings: Settings = None,
    initial: Initial = None,
    out: Annotated[str | None, _file("Write the motion as a table: .csv, .npz, .parquet or .mat.")] = None,
    report: Annotated[str | None, _file("Write a report with pictures: .html.")] = None,
    plot: Annotated[str | None, _file("Draw a plot: .png, .svg or .pdf.")] = None,
    plot_of: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What is plotted: coordinates (if nothing is said), velocities, accelerations, phase, reactions, "
            "multipliers, energy, residuals; joints for a mechanism.",
            rich_help_panel=OUTPUT,
            autocompletion=completion.one_of(PLOTS),
        ),
    ] = "coordinates",
    animate: Annotated[str | None, _file("Draw the moving system: .html, .gif, .mp4, .png, .svg or .pdf.")] = None,
    unchecked: Unchecked = False,
    in_json: AsJson = False,
) -> None:
    """Compute the motion of a model, certify it, and print or write what came out.

    If the motion fails on its way, what was computed is printed and written all the same, with exit code 1. Ctrl-C
    ends it in the same way, with exit code 130. Exit code 3: the motion is complete, but its certificate does not pass.
    """
    from dalembert.results.export import FORMATS

    table, page = output("--out", out, FORMATS), output("--report", report, (".html",))
    drawing = output("--plot", plot, (".png", ".svg", ".pdf"))
    film = output("--animate", animate, (".html", ".gif", ".mp4", ".png", ".svg", ".pdf"))
    if options.one_of("--plot-of", plot_of, PLOTS) != "coordinates" and plot is None:
        raise ModelError("`--plot-of` says what `--plot` draws: give a file too, as in --plot motion.png")
    options.one_of("--form", form, completion.FORMS)
    options.one_of("--keep", keep, completion.KEEPINGS)
    chosen = {
        "form": form,
        "method": method,
        "keep": keep,
        "rtol": options.number("--rtol", rtol, "1e-6"),
        "atol": options.number("--atol", atol, "1e-9"),
        "step": options.number("--step", step, "0.01"),
        "samples": options.whole_number("--samples", samples, MAX_SAMPLES),
        "max_steps": options.whole_number("--max-steps", max_steps, MAX_STEPS),
        "max_seconds": options.seconds("--max-seconds", max_seconds),
    }
    end = options.end_of_motion(until)
    system = open_model(model, settings, initial)
    chosen["unchecked"] = unchecked
    motion = simulated(system, end, **{name: value for name, value in chosen.items() if value is not None})
    save(motion, table)  # before anything that may fail or be interrupted
    print_motion(motion, lambda: as_json(motion.as_dict()) if in_json else motion_text(motion))
    write("Plot", drawing, lambda path: save_plot(motion, plot_of, path))
    write("Animation", film, lambda path: motion.animate().save(path))
    write("Report", page, motion.report)
    raise typer.Exit(ending(motion))
