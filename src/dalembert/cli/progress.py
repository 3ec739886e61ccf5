"""Progress of long work, on a terminal only: what is being done, how far it is, the time that is left."""

from __future__ import annotations

import threading
from typing import Any

from dalembert.cli.terminal import is_terminal

_PATIENCE = 0.5  # seconds before anything is shown
COMPILING = "preparing the motion: what is compiled for this machine is kept for the next time"


class Progress:
    """Shows the phases of a work: `progress.phase("deriving")`, and a bar as `progress(t, seconds)` is called.

    It appears when the work takes longer than a moment and vanishes at its end; in a pipe it does nothing.
    """

    def __init__(self, words: str, end: float | None = None, patience: float = _PATIENCE):
        self.words, self.end, self.t = words, end, 0.0
        self.timer = threading.Timer(patience, self._appear)
        self.timer.daemon = True
        self.lock = threading.Lock()
        self.bar: Any = None
        self.over = not is_terminal(err=True)

    def __enter__(self) -> Progress:
        if not self.over:
            self.timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()
        with self.lock:
            self.over = True
            if self.bar is not None:
                self.bar.stop()

    def phase(self, words: str, end: float | None = None) -> None:
        """Say what is done from now on, and where a bar would end."""
        self.words, self.end, self.t = words, end, 0.0
        self._update()

    def __call__(self, t: float, seconds: float) -> None:
        """Say how far a motion is; the first time, that it has begun."""
        if self.t == 0.0:
            self.words = "computing the motion"
        self.t = t
        self._update()

    def _update(self) -> None:
        with self.lock:
            if self.bar is not None and not self.over:
                moving = self.t > 0 and self.end is not None
                about = f"t = {self.t:.4g} of {self.end:g}" if moving else ""
                self.bar.update(0, description=self.words, about=about, total=self.end if moving else None)
                self.bar.update(0, completed=self.t)

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            SpinnerColumn("line"),
            TextColumn("{task.description}"),
            BarColumn(20),
            TextColumn("{task.fields[about]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(compact=True),
        )
        with self.lock:
            if self.over:
                return
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self.bar.add_task(self.words, total=None, about="")
            self.bar.start()
        self._update()
