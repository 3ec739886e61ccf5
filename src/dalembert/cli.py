"""The command line: thin, no mechanics here."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.errors import DalembertError, ModelError, SimulationError

if TYPE_CHECKING:
    from dalembert.model.check import Check
    from dalembert.model.system import System
    from dalembert.results.trajectory import Run

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Constrained mechanical systems: check them, derive their equations, compute their motion.",
)

Model = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="A model file, or a name from `dalembert examples`, such as n-four-bar:40."),
]
Setting = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a parameter: --set l=2")]
_CONTRADICTS = _FAILED = 1


@app.callback(invoke_without_command=True)
def _options(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        from dalembert import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.command()
def examples() -> None:
    """List the gallery."""
    from dalembert.model.gallery import SIZED, names, title

    shown = {f"{name}:{SIZED[name].default}" if name in SIZED else name: title(name) for name in names()}
    width = max(map(len, shown))
    for name, text in shown.items():
        typer.echo(f"{name:{width}}  {text}")


@app.command()
def check(
    model: Model,
    settings: Setting = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Examine a model: freedom, redundancy, classes of constraints, initial state.

    Exits with 1 if the model contradicts itself, with 2 if it cannot be read.
    """
    outcome = open_model(model, settings).check()
    if as_json:
        typer.echo(json.dumps(outcome.as_dict(), ensure_ascii=False, indent=2))
    else:
        typer.echo(str(outcome))
        _echo_state(outcome)
    if not outcome.ok:
        raise typer.Exit(_CONTRADICTS)


@app.command()
def derive(
    model: Model,
    form: Annotated[
        str, typer.Option(help="multipliers, minimal, explicit, canonical, independent or reactions.")
    ] = "multipliers",
    to: Annotated[str, typer.Option(help="text, latex or json.")] = "text",
    coordinates: Annotated[
        str | None, typer.Option(help="The independent coordinates, separated by commas, for the form independent.")
    ] = None,
    settings: Setting = None,
) -> None:
    """Derive the equations of motion and the reactions as formulas."""
    if to not in ("text", "latex", "json"):
        raise ModelError(f"--to is text, latex or json; got {to!r}")
    chosen = None if coordinates is None else [name.strip() for name in coordinates.split(",")]
    derivation = open_model(model, settings).derive(form, chosen)
    if to == "json":
        typer.echo(json.dumps(derivation.as_dict(), ensure_ascii=False, indent=2))
    else:
        typer.echo(derivation.latex() if to == "latex" else str(derivation))


Until = Annotated[float | None, typer.Option(help="End of the motion.")]
FormName = Annotated[str | None, typer.Option(help="multipliers, minimal, explicit, canonical or independent.")]
Method = Annotated[str | None, typer.Option(help="dop853, radau, bdf, rattle, rk4 or euler.")]
Keep = Annotated[str | None, typer.Option(help="How constraints are kept: project, stabilise or none.")]
Rtol = Annotated[float | None, typer.Option(help="Relative tolerance of the step control.")]
Atol = Annotated[float | None, typer.Option(help="Absolute tolerance.")]
Step = Annotated[float | None, typer.Option(help="A fixed step.")]
Samples = Annotated[int | None, typer.Option(help="Number of equal intervals at whose ends values are given.")]


@app.command()
def simulate(
    model: Model,
    until: Until = None,
    form: FormName = None,
    method: Method = None,
    keep: Keep = None,
    rtol: Rtol = None,
    atol: Atol = None,
    step: Step = None,
    samples: Samples = None,
    max_seconds: Annotated[float, typer.Option(help="End the computation after so many seconds.")] = float("inf"),
    settings: Setting = None,
    out: Annotated[Path | None, typer.Option(help="Write the motion to a file: .npz, .csv or .parquet.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Compute the motion of a model, certify it, and print or write what came out.

    Exits with 1 if the motion fails on its way (what was computed is printed and written all the same).
    """
    system = open_model(model, settings)
    if out is not None:
        from dalembert.results.export import check_path

        check_path(out)
    with _Progress(_end(system, until)) as progress:
        motion = system.simulate(
            until,
            form=form,
            method=method,
            keep=keep,
            rtol=rtol,
            atol=atol,
            step=step,
            samples=samples,
            max_seconds=max_seconds,
            progress=progress,
        )
    if out is not None:
        motion.save(out)
    if as_json:
        typer.echo(json.dumps(motion.as_dict(), ensure_ascii=False, indent=2))
    else:
        _echo_run(motion)
    if motion.status == "failed":
        raise typer.Exit(_FAILED)


@app.command()
def run(model: Model, until: Until = None, settings: Setting = None) -> None:
    """Check a model, write its equations, compute its motion and print what came out."""
    system = open_model(model, settings)
    outcome = system.check()
    typer.echo(str(outcome))
    if not outcome.ok:
        raise typer.Exit(_CONTRADICTS)
    typer.echo(f"\n{system.derive('minimal')}")
    with _Progress(_end(system, until)) as progress:
        motion = system.simulate(until, progress=progress)
    _echo_run(motion)
    if motion.status == "failed":
        raise typer.Exit(_FAILED)


@app.command()
def cache(clear: Annotated[bool, typer.Option("--clear", help="Remove all of it.")] = False) -> None:
    """Show where compiled code is kept and how much of it there is, or remove it."""
    from dalembert.native import cache as kept

    if clear:
        count = kept.clear()
        typer.echo(f"Removed {count} file{'s' * (count != 1)} from {kept.folder()}")
        return
    files = kept.entries()
    size = sum(path.stat().st_size for path in files if path.exists())
    typer.echo(f"{kept.folder()}: {len(files)} file{'s' * (len(files) != 1)}, {size / 1e6:.1f} MB of compiled code")
    typer.echo("Files are made anew when they are missing; `dalembert cache --clear` removes them.")


def open_model(name: str, settings: list[str] | None = None) -> System:
    """Load a file or a gallery model, with parameters changed."""
    from dalembert.model.gallery import example, names
    from dalembert.model.textfile import load

    is_file = name.endswith(".toml") or "/" in name or "\\" in name or (os.path.exists(name) and name not in names())
    system = load(name) if is_file else example(name)
    changes = {}
    for setting in settings or []:
        parameter, equals, value = setting.partition("=")
        if not equals or not parameter:
            raise ModelError(f"--set takes NAME=VALUE, as in --set l=2; got {setting!r}")
        changes[parameter.strip()] = value.strip()
    return system.replace(parameters=changes) if changes else system


def _echo_state(outcome: Check) -> None:
    if outcome.state is not None:
        values = outcome.state.as_dict()
        shown = [f"{name} = {value:.6g}" for name, value in list(values.items())[:14]]
        typer.echo("  initial state: " + ", ".join(shown) + (", …" if len(values) > len(shown) else ""))


def _end(system: System, until: float | None) -> float:
    return until if until is not None else system.simulation.get("until", 10.0)


class _Progress:
    """Shows, on a terminal, what takes longer than a moment: compilation, and the time that a motion still needs."""

    def __init__(self, end: float):
        self.end, self.shown = end, sys.stderr.isatty()
        words = "  compiling for this machine; the next start is faster"
        self.timer = threading.Timer(2.0, lambda: self.show(words))

    def __enter__(self) -> _Progress:
        if self.shown:
            self.timer.start()
        return self

    def __call__(self, t: float, seconds: float) -> None:
        self.timer.cancel()
        if seconds > 1 and self.shown:
            left = seconds * (self.end - t) / t if t > 0 else float("inf")
            self.show(f"  t = {t:.4g} of {self.end:g}, about {left:.0f} s left")

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()
        if self.shown:
            self.show("")

    @staticmethod
    def show(text: str) -> None:
        typer.echo(f"\r{text:70}\r", nl=False, err=True)


def _echo_run(run: Run) -> None:
    """Print the outcome of a motion: the end of it, reactions there, and the certificate."""
    typer.echo(
        f"\nMotion until t = {run.motion.times[-1]:g}: {run.steps} steps of {run.method} in {run.wall_s * 1e3:.3g} ms "
        f"(built in {run.build_s:.2g} s), form {run.form}, constraints: {run.keep}"
    )
    if run.message:
        verb = "fails" if run.status == "failed" else "was stopped"
        typer.echo(f"The motion {verb}: {run.message}", err=True)
    final = run.final()
    for name, value in list(final.items())[1:15]:
        typer.echo(f"  {name:12} {value: .12g}")
    if len(final) > 15:
        typer.echo(f"  … and {len(final) - 15} more")
    title, lines = _joints(run) or _reactions(run)
    if lines:
        typer.echo(title)
        for line in lines[:12]:
            typer.echo(f"  {line}")
        if len(lines) > 12:
            typer.echo(f"  … and {len(lines) - 12} more")
    typer.echo(str(run.certificate))


def _reactions(run: Run) -> tuple[str, list[str]]:
    """Return the reactions of constraints at the end."""
    shared = {run.system.constraints[i].name for group in run.shares.groups() for i in group}
    lines = []
    for name, reaction in run.final_reactions().items():
        parts = [f"{c}: {r:.6g}" for c, r in zip(run.system.coordinates, reaction, strict=True) if r != 0]
        mark = "  (not determinate: the share of least norm)" if name in shared else ""
        lines.append(f"{name:12} {', '.join(parts) or '0'}{mark}")
    return "Reactions at the end, by coordinate:", lines


def _joints(run: Run) -> tuple[str, list[str]] | None:
    """Return the forces in the joints of a mechanism at the end."""

    def shown(values: list[float | None]) -> str:
        words = ["?" if x is None else f"{x:.6g}" for x in values]
        return f"({', '.join(words)})" if len(words) > 1 else words[0]

    lines = [
        f"{name:12} on {part['on']}: force {shown(part['force'])} N, moment {shown(part['moment'])} N m"
        for name, part in run.final_joints().items()
    ]
    return ("Forces in the joints at the end, in world axes (?: not determined):", lines) if lines else None


def main() -> None:
    """Run the command line; every error of ours becomes a message and an exit code."""
    try:
        app()
    except SimulationError as error:
        typer.echo(str(error), err=True)
        raise SystemExit(1) from None
    except DalembertError as error:
        typer.echo(str(error), err=True)
        raise SystemExit(2) from None
