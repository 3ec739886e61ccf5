"""Interruptions, by Ctrl-C or from outside, that wait until what must not be cut in two is whole."""

from __future__ import annotations

import signal
import threading

TYPE_CHECKING = False  # as in `typing`, which takes its time
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Held:
    """Hold the first interruption back while a block runs; a second one breaks through.

    It is delivered at the end of the block, unless the block takes it: `held.taken()`. Held are signals that a function
    of Python answers, in the main thread, where these functions run.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._answers: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def __enter__(self) -> Held:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if callable(answer := signal.getsignal(number)):
                    self._answers[number] = answer
                    signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, answer in self._answers.items():
            signal.signal(number, answer)
        if self.signal is not None and kind is None:
            self._answers[self.signal](self.signal, None)

    def taken(self) -> str:
        """Return what has come, as a word, and answer it: "interrupted" by Ctrl-C, "terminated" or nothing."""
        if self.signal is None:
            return ""
        number, self.signal = self.signal, None
        return "interrupted" if number == signal.SIGINT else "terminated"

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.signal is None:
            self.signal = number
        else:
            self._answers[number](number, frame)
