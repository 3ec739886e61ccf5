"""The gallery: one model per file, used by tests, examples, documentation and benchmarks alike.

A model is a text file `name.toml`, or a Python file with a function `build(size)` where it has a size.
"""

from __future__ import annotations

import importlib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from dalembert.errors import ModelError, nearest

if TYPE_CHECKING:
    from dalembert.model.system import System

MAX_SIZE = 2_000


@dataclass(frozen=True)
class Sized:
    """A model with a size: where it is built, what the size counts, and the size that is taken if none is given."""

    module: str
    title: str
    counts: str
    default: int


SIZED = {
    "n-four-bar": Sized("n_four_bar", "N four-bar linkages side by side, in absolute coordinates", "loops", 2),
    "chain": Sized("chain", "Chain of rods, in absolute coordinates", "rods", 10),
    "chain-minimal": Sized("chain_minimal", "Chain of rods, in their angles", "rods", 3),
    "n-four-bar-joints": Sized("n_four_bar_joints", "N four-bar linkages side by side, by joints", "loops", 2),
    "planar-chain": Sized("planar_chain", "Chain of rods in the plane, by joints", "rods", 10),
    "spatial-chain": Sized("spatial_chain", "Chain of rods in space, on revolutes", "rods", 4),
}


@cache
def names() -> tuple[str, ...]:
    """List the names of all models; those with a size without it."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted([*(name[:-5] for name in files if name.endswith(".toml")), *SIZED]))


def example(name: str) -> System:
    """Return a model of the gallery, `pendulum` or, with a size, `n-four-bar:40`.

    >>> example("pendulum").coordinates
    ('x', 'y', 'phi')
    """
    if not isinstance(name, str):
        raise ModelError(f"a model of the gallery is given by its name, got {type(name).__name__}")
    base, _, size = name.partition(":")
    if base in SIZED:
        return importlib.import_module(f"{__name__}.{SIZED[base].module}").build(_size(name, size, SIZED[base]))
    if base not in names():
        raise ModelError(f"no model `{name}` in the gallery; {nearest(base, names(), 'models')}")
    if size:
        raise ModelError(f"`{base}` has no size; write `{base}`")
    from dalembert.model.textfile import loads

    return loads(source(base) or "", f"{base}.toml")


def source(name: str) -> str | None:
    """Return the text of a model as it stands in its file, with its comments; None if it is built, or unknown."""
    if name in SIZED or name not in names():
        return None
    return resources.files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")


def title(name: str) -> str:
    """Return one line about a model; quick, as nothing but its name is read."""
    return SIZED[name].title if name in SIZED else tomllib.loads(source(name) or "").get("name", name)


def _size(name: str, text: str, sized: Sized) -> int:
    if not text:
        return sized.default
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= MAX_SIZE):
        base = name.partition(":")[0]
        what = f"the size counts {sized.counts}, a whole number from 1 to {MAX_SIZE}, as in `{base}:{sized.default}`"
        raise ModelError(f"`{name}`: {what}")
    return int(text)
