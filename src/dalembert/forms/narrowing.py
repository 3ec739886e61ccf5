"""Equations that would be too wide for a line, cut: what is cut out gets a name of its own."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from dalembert.algebra.writing.cost import width
from dalembert.algebra.writing.cutting import WIDEST, cut
from dalembert.algebra.writing.shared_parts import in_order
from dalembert.forms.prepared import Scene
from dalembert.forms.sheet import numbered, put_down
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO

_BROAD = 360  # characters of an equation, above which it is cut; in rows that are products it is read to the end


def narrowed(
    scene: Scene, equations: list[Expr], names: dict[str, Expr], taken: Iterable[str]
) -> tuple[list[Expr], dict[str, Expr]]:
    """Return equations, and what names in them stand for, cut where they are too wide; `taken` are no new names."""
    if max(map(width, equations), default=0) <= _BROAD and max(map(width, names.values()), default=0) <= WIDEST:
        return equations, names
    known = dict.fromkeys((*taken, *names), ZERO)
    found: dict[str, Expr] = {}

    def named(name: str, value: Expr) -> Expr:
        symbol = put_down(scene, known, numbered(name, known), value)
        found.update((x, line) for x, line in known.items() if line != 0)
        return symbol

    cut_names = {name: cut(line, partial(named, name)) for name, line in names.items()}
    written = [e if width(e) <= _BROAD else cut(e, partial(named, "K")) for e in equations]
    return written, in_order({**cut_names, **found})
