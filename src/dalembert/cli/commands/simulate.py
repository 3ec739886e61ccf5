"""`dalembert simulate`: the motion of a model, its certificate, and files made of it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dalembert.cli import completion, options
from dalembert.cli.models import open_model, output
from dalembert.cli.motion_options import with_settings
from dalembert.cli.motions import ending, motion_text, print_motion, read_events, save, save_plot, simulated, write
from dalembert.cli.options import OUTPUT, AsJson, By, Controls, Events, Functions, Initial, Model, Outputs, Settings
from dalembert.cli.terminal import as_json
from dalembert.errors import ModelError
from dalembert.model.settings import Settings as MotionSettings

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
    *("coordinates", "velocities", "accelerations", "states", "controls", "outputs", "phase", "momenta", "friction"),
    "contacts",
    *("reactions", "multipliers", "energy", "residuals", "joints"),
)


def _file(text: str) -> Any:
    return typer.Option(metavar="FILE", help=text, rich_help_panel=OUTPUT)


def _film(metavar: str | None, text: str) -> Any:
    return typer.Option(metavar=metavar, help=text, rich_help_panel=OUTPUT, show_default=False)


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
    out: Annotated[str | None, _file("Write the motion as a table: .csv, .npz, .parquet or .mat.")] = None,
    report: Annotated[str | None, _file("Write a report with pictures: .html.")] = None,
    plot: Annotated[str | None, _file("Draw a plot: .png, .svg or .pdf.")] = None,
    plot_of: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What is plotted: coordinates (if nothing is said), velocities, accelerations, states, controls, "
            "outputs, phase, momenta, reactions, multipliers, energy, residuals; joints for a mechanism.",
            rich_help_panel=OUTPUT,
            autocompletion=completion.one_of(PLOTS),
        ),
    ] = "coordinates",
    animate: Annotated[str | None, _file("Draw the moving system: .html, .gif, .mp4, .png, .svg or .pdf.")] = None,
    film_width: Annotated[str | None, _film("PIXELS", "The width of a film, .gif or .mp4; else 640.")] = None,
    film_rate: Annotated[str | None, _film("N", "Its frames for each second; else 20, or 30 of .mp4.")] = None,
    film_speed: Annotated[str | None, _film("X", "How fast the motion is shown: 1 for real time.")] = None,
    trace: Annotated[
        list[str] | None, _film("POINT", "A point whose curve is drawn: a joint, a body, body.point.")
    ] = None,
    forces: Annotated[bool, _film(None, "Draw the forces in joints, or the reactions.")] = False,
    dark: Annotated[bool, _film(None, "Draw on dark ground, plots too.")] = False,
    in_json: AsJson = False,
) -> None:
    """Compute the motion of a model, certify it, and print or write what came out.

    If the motion fails on its way, what was computed is printed and written all the same, with exit code 1. Ctrl-C
    ends it in the same way, with exit code 130. Exit code 3: the motion is complete, but its certificate does not pass.
    """
    from dalembert.results.motion_files import FORMATS

    table, page = output("--out", out, FORMATS), output("--report", report, (".html",))
    drawing = output("--plot", plot, (".png", ".svg", ".pdf"))
    film = output("--animate", animate, (".html", ".gif", ".mp4", ".png", ".svg", ".pdf"))
    if options.one_of("--plot-of", plot_of, PLOTS) != "coordinates" and plot is None:
        raise ModelError("`--plot-of` says what `--plot` draws: give a file too, as in --plot motion.png")
    wanted = {"width": film_width, "rate": film_rate, "speed": film_speed}
    numbers = {name: options.finite(f"--film-{name}", text) for name, text in wanted.items() if text is not None}
    if film is None and (numbers or trace or forces):
        raise ModelError("`--film-…`, `--trace` and `--forces` say how `--animate` draws: give a file too")
    speed = numbers.pop("speed", None)
    if film is not None:
        from dalembert.results.animation import check_film, check_speed

        check_film(**numbers)  # before the motion, which may take long
        check_speed(1.0 if speed is None else speed)
    system = open_model(model, settings, initial, outputs, functions, controls, by)
    asked |= read_events(system, event)
    motion = simulated(system, asked)

    def animated() -> Any:
        return motion.animate(dark=dark or None, trace=trace or (), reactions=forces, speed=speed)

    save(motion, table)  # before anything that may fail or be interrupted
    print_motion(motion, lambda: as_json(motion.as_dict()) if in_json else motion_text(motion))
    write("Plot", drawing, lambda path: save_plot(motion, plot_of, path, dark))
    write("Animation", film, lambda path: animated().save(path, **numbers))
    write("Report", page, motion.report)
    raise typer.Exit(ending(motion))
