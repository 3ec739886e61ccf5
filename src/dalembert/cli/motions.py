"""The motion of a model, with its progress, and the files that are made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from dalembert import files
from dalembert.characters import visible
from dalembert.cli.failures import FAILED, FINE, INTERRUPTED, TERMINATED, UNCERTAIN
from dalembert.cli.progress import COMPILING, Progress
from dalembert.cli.terminal import print_result, shown, styled
from dalembert.errors import SimulationError
from dalembert.interruption import Held
from dalembert.model.settings import Settings

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.results.run import Run


def simulated(system: System, asked: Mapping[str, Any]) -> Run:
    """Compute a motion with some settings; on a terminal, show how far it is."""
    said = {**system.simulation, **asked}
    begin = float(said.get("begin", Settings.begin))
    with Progress(COMPILING, begin, float(said.get("until", begin + Settings.until))) as progress:
        return system.simulate(progress=progress, **asked)


def read_events(system: System, texts: list[str] | None) -> dict[str, Any]:
    """Read events as they stand on the command line, as a setting of the motion."""
    from dalembert.motion.event_text import event_from_text

    return {"events": [event_from_text(text, system.states) for text in texts]} if texts else {}


def write(words: str, path: Path | None, action: Callable[[Path], Any]) -> None:
    """Write a file, if one was asked for, and say so."""
    if path is not None:
        name = visible(str(path))
        with Progress(f"writing {name}"):
            action(path)
        typer.echo(f"{words}: {styled(name, 'name', err=True)}", err=True)


def save(run: Run, path: Path | None) -> None:
    """Write the motion, if a file was asked for; Ctrl-C waits until it is there, a second one does not."""
    with Held():
        write("Motion", path, run.save)


def print_motion(run: Run, text: Callable[[], str]) -> None:
    """Print what is known of a motion; if its end is beyond numbers, say why it ended before saying that."""
    try:
        print_result(text())
    except SimulationError:
        ending(run)
        raise


def motion_text(run: Run) -> str:
    """Return how a motion went: the computation, the state and the forces at its end, the certificate."""
    from dalembert.results.overview import outcome

    return shown(outcome(run), run.certificate.document())


def save_plot(run: Run, what: str, path: Path, dark: bool = False) -> None:
    """Draw a plot of a motion into a file, which appears when it is complete."""
    figure = run.plot(what, dark=dark)
    files.write(path, lambda file: figure.savefig(file, format=path.suffix[1:].lower()))


def ending(run: Run) -> int:
    """Say why a motion ended before its time, if it did, or why it took so long; return the exit code."""
    if run.message:
        verb = "fails" if run.status == "failed" else "was stopped"
        typer.echo(styled(f"The motion {verb}: {run.message}", "bad", err=True), err=True)
    for note in (*([run.note] if run.note else []), *run.cautions):
        typer.echo(styled(f"Note: {note}", "caution", err=True), err=True)
    if run.status == "stopped":
        word = run.message.split()[0]
        if word in ("interrupted", "terminated"):
            return INTERRUPTED if word == "interrupted" else TERMINATED
    if run.status == "failed":
        return FAILED
    return FINE if run.certificate.ok else UNCERTAIN
