"""Help that teaches by examples: what a command does, command lines that do it, and its options in groups."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup

from dalembert.cli.failures import UsageError
from dalembert.cli.terminal import has_colours, width
from dalembert.document.nodes import Block, Code, Paragraph, Section, Table, Tone
from dalembert.document.text import write_text
from dalembert.errors import ModelError, nearest, quoted


class Command(TyperCommand):
    """A command that explains itself by examples and says what is too much on its command line."""

    def get_help(self, ctx: Any) -> str:
        """Return the whole help."""
        usage = f"{ctx.command_path} {' '.join(_piece(param) for param in self._arguments())} [OPTIONS]"
        arguments = [(param.metavar or param.name.upper(), param.help or "") for param in self._arguments()]
        parts = [*_paragraphs(self.help), Section("Usage", [Paragraph(usage)]), *_examples(self.epilog)]
        return _help([*parts, *_listing("Arguments", arguments), *_options(self.get_params(ctx))])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; say which of them are too many."""
        ctx.allow_extra_args = True
        try:
            rest = super().parse_args(ctx, args)
        except UsageError as error:
            error.ctx = error.ctx or ctx  # not every complaint says to which command it belongs
            raise
        if ctx.args and not ctx.resilient_parsing:
            takes = " ".join(_piece(param) for param in self._arguments()) or "no arguments"
            extra = quoted(ctx.args[:4]) + (", …" if len(ctx.args) > 4 else "")
            hint = "; a value with spaces stands in quotes" if self._arguments() else ""
            raise ModelError(f"`{ctx.command_path}` takes {takes}; {extra} is too much{hint}")
        return rest

    def _arguments(self) -> list[Any]:
        return [param for param in self.params if param.param_type_name == "argument"]


class Commands(TyperGroup):
    """The program: its commands in groups, and the nearest one where none is called so."""

    def get_help(self, ctx: Any) -> str:
        """Return the whole help."""
        usage = Paragraph(f"{ctx.command_path} COMMAND … [OPTIONS]")
        parts = [*_paragraphs(self.help), Section("Usage", [usage]), *_examples(self.epilog)]
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            title = getattr(command, "rich_help_panel", None) or "Commands"
            groups.setdefault(title, []).append((name, command.get_short_help_str(200)))
        parts += [block for title, rows in groups.items() for block in _listing(title, rows)]
        more = Paragraph("`dalembert COMMAND --help` explains a command, with examples.")
        return _help([*parts, *_options(self.get_params(ctx)), more])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; a model in its place is answered by what can be done with it."""
        name = args[0]
        if name in self.commands or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from dalembert.model.gallery import names

        if name.partition(":")[0] in names() or name.endswith(".toml"):
            raise ModelError(f"`{name}` is a model, not a command; to compute it, write `dalembert run {name}`")
        raise ModelError(f"no command `{name}`; {nearest(name, list(self.commands), 'commands')}")


def _piece(param: Any) -> str:
    name = param.metavar or param.name.upper()
    return name if param.required else f"[{name}]"


def _paragraphs(text: str | None) -> list[Block]:
    return [Paragraph(" ".join(part.split())) for part in (text or "").split("\n\n")]


def _examples(text: str | None) -> list[Block]:
    """Write examples, one in two lines: what is done, and the command line that does it."""
    lines = textwrap.dedent(text or "").strip().split("\n")
    parts = [Code(line) if line.startswith("dalembert") else Paragraph(line, "faint") for line in lines]
    return [Section("Examples", parts)] if text else []


def _listing(title: str, rows: list[tuple[str, str]]) -> list[Block]:
    return [Section(title, [Table([(Tone(left, "name"), right) for left, right in rows], most=None)])] if rows else []


def _options(params: list[Any]) -> list[Block]:
    """Return the options, those of a group together."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for param in params:
        if param.param_type_name == "option" and not getattr(param, "hidden", False):
            flag = getattr(param, "is_flag", False)
            left = ", ".join(param.opts) + ("" if flag or not param.metavar else f" {param.metavar}")
            panel = getattr(param, "rich_help_panel", None) or "Options"
            groups.setdefault(panel, []).append((left, " ".join((param.help or "").split())))
    ordered = sorted(groups, key=lambda panel: panel == "Options")  # what every command has comes last
    return [block for panel in ordered for block in _listing(panel, groups[panel])]


def _help(parts: Iterable[Block]) -> str:
    """Write the help in lines of the terminal, also where it is read through a pipe."""
    return "\n\n".join(write_text(part, width(), colour=has_colours()) for part in parts)
