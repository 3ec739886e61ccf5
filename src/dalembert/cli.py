"""The command line: thin, no mechanics here."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.errors import DalembertError, ModelError, SimulationError

if TYPE_CHECKING:
    from dalembert.model.check import Check
    from dalembert.model.system import System
    from dalembert.motion.run import Run

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
_CONTRADICTS = 1


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


@app.command()
def run(
    model: Model,
    until: Annotated[float | None, typer.Option(help="End of the motion.")] = None,
    settings: Setting = None,
) -> None:
    """Check a model, write its equations, compute its motion and print what came out."""
    from dalembert.motion.run import simulate

    system = open_model(model, settings)
    end = until if until is not None else system.simulation.get("until", 10.0)
    if not 0 < end < float("inf"):
        raise ModelError(f"--until needs a positive, finite time; got {end}")
    outcome = system.check()
    typer.echo(str(outcome))
    if not outcome.ok:
        raise typer.Exit(_CONTRADICTS)
    typer.echo(f"\n{system.derive('minimal')}")
    shared = {name for r in outcome.redundancies for name in (r.name, *r.others)}
    _echo_run(simulate(system, end), shared)


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


def _echo_run(run: Run, shared: set[str]) -> None:
    system = run.system
    typer.echo(f"\nMotion until t = {run.t[-1]:g}: {len(run.t) - 1} steps")
    final = {
        **dict(zip(system.coordinates, run.q[-1], strict=True)),
        **dict(zip(system.velocities, run.v[-1], strict=True)),
    }
    for name, value in list(final.items())[:14]:
        typer.echo(f"  {name:12} {value: .12g}")
    if len(final) > 14:
        typer.echo(f"  … and {len(final) - 14} more")
    typer.echo(f"Largest residual: positions {run.residual['position']:.2g}, velocities {run.residual['velocity']:.2g}")
    if run.energy is not None:
        typer.echo(f"Energy: {run.energy[0]:.9g} at the start, {run.energy[-1]:.9g} at the end")
    if run.reactions:
        typer.echo("Reactions at the end, by coordinate:")
        for name, reaction in list(run.reactions.items())[:12]:
            parts = [f"{c}: {r:.6g}" for c, r in zip(system.coordinates, reaction, strict=True) if r != 0]
            mark = "  (not determinate: the share of least norm)" if name in shared else ""
            typer.echo(f"  {name:12} {', '.join(parts) or '0'}{mark}")
        if len(run.reactions) > 12:
            typer.echo(f"  … and {len(run.reactions) - 12} more")


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
