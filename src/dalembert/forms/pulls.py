"""Springs, dampers and actuators between two points as a person writes them down: length, rate, force, directions.

Their forces on the coordinates are long: the length is a root of squares, and each coordinate has its own derivative of
it. With names for these, f_phi = … − F_spring h_spring_phi is a line, and so is what F_spring stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import symengine as se

from dalembert.algebra.writing.cost import operations
from dalembert.algebra.writing.numerals import numbers
from dalembert.forms.pen import Pen
from dalembert.forms.prepared import Scene
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.language.walk import fold
from dalembert.model.mechanism.elements.action import Acting

Sections = Mapping[str, Mapping[str, object]]  # elements by their tables

_TRIVIAL = 2  # operations of what needs no name
_SAME = 1e-9


class Pull(NamedTuple):
    """What an element is called: its length, and its force with the sign of `push`."""

    length: Expr
    force: Expr


@dataclass
class Pulls:
    """f with the forces of elements by their names, and what these stand for."""

    f: list[Expr]
    names: dict[str, Expr] = field(default_factory=dict)
    of: dict[str, Pull] = field(default_factory=dict)


class Length(NamedTuple):
    """The length of an element: a root, its square, and the product of length and rate, which has no root."""

    root: Expr
    square: Expr
    moved: Expr

    def absent(self, force: Expr) -> Expr:
        """Return a force without the terms of the element."""
        terms = force.args if force.is_Add else (force,)
        return se.Add(*[term for term in terms if not _has(term, self.square)])


def with_pulls(scene: Scene, f: Sequence[Expr], long: int) -> Pulls:
    """Return f with names in the place of what acts between two points, if it stands in a long entry of f."""
    found = Pulls(list(f))
    for element, length in between_points(getattr(scene.system, "elements", {})):
        named = _named(scene, element, length, found)
        if named and any(operations(a) > long and a != b for a, b in zip(found.f, named.f, strict=True)):
            found = named
    return found if is_same(scene, f, found.f, found.names) else Pulls(list(f))


def between_points(sections: Sections) -> Iterable[tuple[Acting, Length]]:
    """Yield what acts between two points of the plane that are not in a line with an axis, with its length."""
    for element in (element for section in sections.values() for element in section.values()):
        if not isinstance(element, Acting) or len(element.action.markers) != 2 or element.push is None:
            continue
        action = element.action
        root, square, rate = (plain(e) for e in (action.value, action.square, action.rate))
        if len(action.markers[0].place) == 2 and square.is_Add and root == se.sqrt(square):
            terms = rate.args if rate.is_Add else (rate,)
            yield element, Length(root, square, se.Add(*[term * root for term in terms]))


def _named(scene: Scene, element: Acting, length: Length, before: Pulls) -> Pulls | None:
    """Put the names of one element in; None where its force depends on more than its length and rate."""
    names = dict(before.names)

    def put(letter: str, value: Expr, more: str = "", most: int = _TRIVIAL) -> Expr:
        value = plain(Pen(scene, [value]).value(value))
        if operations(value) <= most:
            return value
        symbol = scene.free_name(f"{letter}_{element.name}{more}", names)
        names[symbol.name] = value
        return symbol

    l, push, rate = put("l", length.root), plain(element.push), plain(element.action.rate)
    if rate.is_Add and _has(push, rate):
        push = push.xreplace({rate: put("v", length.moved / l)})
    push = push.xreplace({length.root: l, 1 / length.root: 1 / l})
    if _has(push, length.square):
        return None
    force, found = put("F", push, most=1), []
    for q, v, entry in zip(scene.blocks.q, scene.blocks.v, before.f, strict=True):
        rest = length.absent(entry)
        along = put("h", length.moved.diff(v) / l, more=f"_{q.name}") if rest != entry else 0
        found.append(rest + element.sense * force * along)
    return Pulls(found, names, {**before.of, element.name: Pull(l, force)})


def is_same(scene: Scene, f: Sequence[Expr], other: Sequence[Expr], names: Mapping[str, Expr]) -> bool:
    """Tell whether forces are the same with names and without, at the pilot's points."""
    changed = [(old, new) for old, new in zip(f, other, strict=True) if old != new]
    if not changed:
        return True
    whole = []
    for _, new in changed:
        while used := [symbol for symbol in new.free_symbols if symbol.name in names]:
            new = new.xreplace({symbol: names[symbol.name] for symbol in used})
        whole.append(new)
    expressions = [numbers(expr) for expr in (*(old for old, _ in changed), *whole)]
    points = list(scene.points)
    values = np.array([np.broadcast_to(x, points[0].shape) for x in Program(scene.inputs, expressions).arrays(points)])
    old, new = values[: len(changed)], values[len(changed) :]
    return bool(np.all(np.abs(old - new) <= _SAME * (1 + np.abs(old).max(axis=1, keepdims=True))))


def _has(expr: Expr, part: Expr) -> bool:
    return fold(expr, lambda node, parts: node == part or any(parts))
