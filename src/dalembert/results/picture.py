"""A picture of a system at a state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.model.system import System
from dalembert.results.drawing.painter import Look
from dalembert.results.drawing.staging import still
from dalembert.survey.start import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 500.0, 400.0


def picture(system: System, state: State | None = None, *, dark: bool = False) -> Figure:
    """Draw a system at a state, by default its initial one."""
    from dalembert.results.drawing.figure import make_figure

    return make_figure(still(system, state or system.start()), Look(WIDTH, HEIGHT, dark=dark))[0]


def save_picture(system: System, path: str | Path, state: State | None = None, *, dark: bool = False) -> None:
    """Draw a system and write the picture to a file."""
    picture(system, state, dark=dark).savefig(path, dpi=140)
