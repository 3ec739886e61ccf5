"""What goes wrong on the command line, in words, with its exit code: 1 the motion, 2 the input."""

from __future__ import annotations

from typing import Any

import typer

from dalembert.cli.terminal import plain, styled
from dalembert.errors import DalembertError, SimulationError, nearest

FINE, FAILED, BAD_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143
UsageError: Any = typer.BadParameter.__mro__[1]  # the base of all complaints about a command line


def is_expected(error: BaseException) -> bool:
    """Tell whether an error has a message for the user, or is a mistake in the program."""
    return isinstance(error, (DalembertError, UsageError, OSError))


def show(error: BaseException) -> int:
    """Print what an error says; return the exit code."""
    text = usage(error) if isinstance(error, UsageError) else str(error)
    if isinstance(error, OSError):
        text = f"{error.filename or 'standard output'}: {error.strerror or error}"
    typer.echo("\n".join(styled(plain(line), "bad", err=True) for line in text.split("\n")), err=True)
    return FAILED if isinstance(error, SimulationError) else BAD_INPUT


def usage(error: Any) -> str:
    """Say what is wrong with a command line, and where its help is."""
    kind, context = type(error).__name__, getattr(error, "ctx", None)
    command = context.command_path if context is not None else "dalembert"
    params = context.command.get_params(context) if context is not None else []
    options = {name: param for param in params if param.param_type_name == "option" for name in param.opts}
    name = getattr(error, "option_name", "")
    if kind == "NoSuchOption":
        text = f"`{command}` has no option `{name}`; {nearest(name, list(options), 'its options')}"
    elif kind == "MissingParameter" and getattr(error, "param", None) is not None:
        param = error.param
        what = param.metavar or param.name
        what = f"`{param.opts[0]} {what}`" if param.param_type_name == "option" else what
        text = f"`{command}` needs {what}: {_small(param.help)}"
    elif kind == "BadOptionUsage" and name in options and getattr(options[name], "is_flag", False):
        text = f"`{name}` is a switch and takes no value; write `{name}` alone"
    elif kind == "BadOptionUsage" and name in options:
        text = f"`{name}` needs a value: {name} {options[name].metavar or 'VALUE'}"
    else:
        text = error.format_message().rstrip(".")
    return f"{text}\n`{command} --help` explains it, with examples"


def _small(text: str | None) -> str:
    text = (text or "").strip().rstrip(".")
    return text[:1].lower() + text[1:]
