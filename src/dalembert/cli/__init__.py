"""The command line: thin, no mechanics here. `main` runs it; every error becomes a message and an exit code.

Nothing that takes time is imported before `main` listens to Ctrl-C.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

TYPE_CHECKING = False  # as in `typing`, which takes its time
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_INTERRUPTED, _TERMINATED = 130, 143
_came: list[int] = []  # signals that asked this process to end


class _Interruption(KeyboardInterrupt):
    """Not the class itself: of that Python remembers where it was raised, and may end the process in its own way."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, that of this process if none is given, and end with its exit code.

    0: fine; 1: the model contradicts itself, or its motion fails; 2: bad input; 3: the motion is there, but its
    certificate does not pass; 130: interrupted by Ctrl-C; 143: ended from outside.
    """
    _came.clear()
    if arguments is None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before it is loaded; `dalembert.threads` says why
    before = {}
    try:
        before = _listen()
        code = _run(arguments)
        sys.stdout.flush()
    except BaseException as error:
        code = _outcome(error)
    finally:
        for number, answer in before.items():  # nothing is left to interrupt when the process ends
            signal.signal(number, signal.SIG_IGN if arguments is None else answer)
        sys.unraisablehook = sys.__unraisablehook__
    if _came:
        _say_why()
    raise SystemExit(_ended() or code)


def _listen() -> dict[int, Any]:
    """Let Ctrl-C, a request to end and a closed terminal end the program in order; return what answered them before."""
    from dalembert.interruption import SIGNALS

    before = {number: signal.getsignal(number) for number in SIGNALS}
    before = {number: answer for number, answer in before.items() if answer != signal.SIG_IGN}  # as nohup wants it
    for number in before:
        signal.signal(number, _end)
    sys.unraisablehook = _unraisable
    return before


def _end(number: int, _: object) -> None:
    """Unwind what is being done; the second time, end at once."""
    _came.append(number)
    if len(_came) > 1:
        _leave()
    raise _Interruption


def _leave() -> None:
    """End at once, where nothing can be unwound."""
    if os.isatty(2):
        os.write(2, b"\x1b[?25h")  # the cursor, which a bar of progress hides
    _say_why()
    os._exit(_ended())


def _say_why() -> None:
    with contextlib.suppress(OSError, RuntimeError):  # nobody reads it, or it came in the middle of another message
        print("interrupted" if _ended() == _INTERRUPTED else "terminated", file=sys.stderr, flush=True)


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """End where Python cannot raise an interruption, as in a finaliser, and would print and forget it."""
    if _came and found.exc_type is _Interruption:
        _leave()
    sys.__unraisablehook__(found)


def _ended() -> int:
    """Return the exit code of a process that was asked to end, else 0."""
    return 0 if not _came else _INTERRUPTED if _came[0] == signal.SIGINT else _TERMINATED


def _run(arguments: Sequence[str] | None) -> int:
    from dalembert.cli.terminal import prepare

    prepare()
    import warnings

    from dalembert.cli.app import app
    from dalembert.errors import MissingValueWarning, MotionWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)  # what a motion lacks is printed with it
        warnings.simplefilter("once", MissingValueWarning)
        code = app(arguments, prog_name="dalembert", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _outcome(error: BaseException) -> int:
    """Say what went wrong; return the exit code. Whatever becomes of an interruption on its way, it is one."""
    if _came or isinstance(error, KeyboardInterrupt):
        return _INTERRUPTED
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 0
    from dalembert.cli.failures import FAILED, is_expected, show
    from dalembert.cli.terminal import is_closed_pipe, mute

    if isinstance(error, OSError) and error.filename is None:  # of a stream
        mute()
        if is_closed_pipe(error):
            return FAILED
    if not is_expected(error):
        raise error
    return show(error)
