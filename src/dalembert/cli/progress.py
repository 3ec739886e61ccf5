"""Progress of long work, on a terminal only: what is being done, how far it is, the time that is left."""

from __future__ import annotations

import threading
from typing import Any

from dalembert.cli.terminal import is_terminal

_PATIENCE = 0.5  # seconds before anything is shown
COMPILING = "compiling for this machine, once"


class Progress:
    """Shows what is done while a block runs, and a bar up to `end` once `progress(t, seconds)` is called.

    It appears when the work takes longer than a moment and vanishes at its end; in a pipe it does nothing.
    """

    def __init__(self, words: str, begin: float = 0.0, end: float | None = None, patience: float = _PATIENCE):
        self.words, self.begin, self.end, self.t, self.seconds = words, begin, end, begin, 0.0
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

    def __call__(self, t: float, seconds: float) -> None:
        """Say how far a motion is; the first time, that it has begun."""
        if self.t == self.begin:
            self.words = "computing the motion"
        self.t, self.seconds = t, seconds
        self._update()

    def _update(self) -> None:
        with self.lock:
            if self.bar is not None and not self.over:
                total, about = None, ""
                done = self.t - self.begin
                if self.end is not None and done > 0:
                    total, left = self.end - self.begin, round(self.seconds * (self.end - self.t) / done)
                    about = f"t = {self.t:.4g} of {self.end:g}, {left // 60}:{left % 60:02} left"
                self.bar.update(0, description=self.words, about=about, completed=done, total=total)

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns = (
            SpinnerColumn("line"),
            TextColumn("{task.description}"),
            BarColumn(16),
            TextColumn("{task.fields[about]}"),
            TimeElapsedColumn(),
        )
        with self.lock:
            if self.over:
                return
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self.bar.add_task(self.words, total=None, about="")
            self.bar.start()
        self._update()
