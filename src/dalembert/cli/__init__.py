"""The command line: thin, no mechanics here. `main` runs it; every error becomes a message and an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, that of this process if none is given, and end with its exit code.

    0: fine; 1: the model contradicts itself, or its motion fails; 2: bad input; 130: interrupted by Ctrl-C.
    """
    from dalembert.cli.terminal import prepare

    prepare()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        if not _is_closed_pipe(error):
            raise
        with contextlib.suppress(OSError, ValueError):  # nothing is left to flush at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    raise SystemExit(code)


def _is_closed_pipe(error: OSError) -> bool:
    """Tell whether the reader has seen enough, as in `dalembert examples | head -3`; Windows has no word for it."""
    return isinstance(error, BrokenPipeError) or (
        sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    )


def _run(arguments: Sequence[str] | None) -> int:
    import typer

    from dalembert.cli.app import app
    from dalembert.cli.failures import FINE, INTERRUPTED, UsageError, show
    from dalembert.errors import DalembertError

    try:
        code = app(arguments, prog_name="dalembert", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except (DalembertError, UsageError, OSError) as error:
        if isinstance(error, OSError) and _is_closed_pipe(error):
            raise
        code = show(error)
    if code == INTERRUPTED:
        typer.echo("interrupted", err=True)
    return code if isinstance(code, int) else FINE
