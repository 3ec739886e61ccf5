"""What a shell offers when the Tab key is pressed; quick, so nothing of the mechanics is loaded.

Shells learn of it by `dalembert --install-completion`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

from dalembert.model.settings import FORM_NAMES, Settings

MOVING, DERIVED = Settings.said["form"].offered, FORM_NAMES

_TABLES = ("parameters", "initial", "functions", "controls")

Offers = Iterator[tuple[str, str] | str]


def one_of(values: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Offer some words."""

    def offer(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return offer


def models(incomplete: str) -> Offers:
    """Offer the gallery, model files, and folders in which some may be."""
    yield from gallery(incomplete)
    yield from files(incomplete, (".toml",))


def gallery(incomplete: str) -> Offers:
    """Offer the models of the gallery."""
    from dalembert.model.gallery import names, title

    for name in names():
        if name.startswith(incomplete):
            yield name, title(name)


def files(incomplete: str, endings: tuple[str, ...]) -> Offers:
    """Offer files with some endings, and folders."""
    begin = incomplete.replace("\\", "/").rpartition("/")[2]
    prefix = incomplete[: len(incomplete) - len(begin)]
    try:
        found = sorted(Path(prefix or ".").iterdir())
    except OSError:
        return
    for path in found:
        if path.name.startswith(begin) and (begin.startswith(".") or not path.name.startswith(".")):
            if path.is_dir():
                yield f"{prefix}{path.name}/"
            elif path.suffix in endings:
                yield f"{prefix}{path.name}"


def parameters(ctx: typer.Context, incomplete: str) -> Offers:
    """Offer the parameters of the model on the command line, with the value that each has."""
    for name, value in _model(ctx).get("parameters", {}).items():
        if name.startswith(incomplete):
            yield f"{name}=", f"now {value}"


def coordinates(ctx: typer.Context, incomplete: str) -> Offers:
    """Offer coordinates and velocities of the model on the command line."""
    model = _model(ctx)
    names = [name for name in model.get("coordinates", []) if isinstance(name, str)]
    given = model.get("initial", {})
    for name in dict.fromkeys([*names, *(f"{name}'" for name in names), *given]):
        if name.startswith(incomplete):
            yield f"{name}=", f"now {given[name]}" if name in given else "not fixed now"


def names_in(table: str) -> Callable[[typer.Context, str], Offers]:
    """Offer the names that a table of the model on the command line has."""

    def offered(ctx: typer.Context, incomplete: str) -> Offers:
        for name in _model(ctx).get(table, {}):
            if name.startswith(incomplete):
                yield f"{name}="

    return offered


def _model(ctx: typer.Context) -> dict[str, Any]:
    """Return the tables of the model file on the command line, if there is one that can be read."""
    from dalembert.model.gallery import source

    name = str(
        ctx.params.get("model") or next(iter(ctx.args), "")
    )  # not yet told apart while an option lacks its value
    try:
        text = source(name) or Path(name).read_text(encoding="utf-8-sig")
        data = tomllib.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    tables = {key: data[key] for key in _TABLES if isinstance(data.get(key), dict)}
    return tables | {key: data[key] for key in ("coordinates",) if isinstance(data.get(key), list)}
