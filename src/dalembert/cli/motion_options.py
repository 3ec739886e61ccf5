"""The settings of a motion as options of a command, made from what `model/settings.py` says of each."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from dalembert.cli import completion
from dalembert.cli.options import MOTION, finite
from dalembert.model.setting_kinds import Gains, InRange, Switch, Whole
from dalembert.model.settings import Settings


def with_settings(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these settings of a motion as options; those that are given arrive as its argument `asked`."""

    def extended(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function, eval_str=True)
        parameters = []
        for parameter in own.parameters.values():
            parameters += map(_setting, names) if parameter.name == "asked" else [parameter]

        @functools.wraps(function)
        def command(**given: Any) -> None:
            texts = {name: given.pop(name) for name in names}
            asked = {name: _read(name, text) for name, text in texts.items() if text not in (None, False, [])}
            function(asked=asked, **given)

        command.__dict__["__signature__"] = own.replace(parameters=parameters)
        return command

    return extended


def _setting(name: str) -> inspect.Parameter:
    """Return the option of a setting, as a parameter of a command."""
    said, flag = Settings.said[name], isinstance(Settings.said[name].kind, Switch)
    option = typer.Option(
        _flag(name),
        metavar=said.metavar or None,
        help=said.sentence,
        rich_help_panel=MOTION,
        autocompletion=completion.one_of(said.offered) if said.offered else None,
        show_default=False,
    )
    value = bool if flag else list[str] | None if isinstance(said.kind, Gains) else str | None
    kind = Annotated[value, option]
    return inspect.Parameter(
        name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False if flag else None, annotation=kind
    )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _read(name: str, given: Any) -> Any:
    """Read what stands on the command line for a setting."""
    option, kind = _flag(name), Settings.said[name].kind
    value = finite(option, given, kind.example) if isinstance(kind, (InRange, Whole)) else given
    if isinstance(kind, Whole) and value.is_integer():
        value = int(value)
    return kind.read(option, value)
