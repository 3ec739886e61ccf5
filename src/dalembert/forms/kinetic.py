"""The kinetic energy before anything is derived from it: ½ vᵀM v + bᵀv + T₀ with short entries.

A person who writes down places and differentiates them gets squares of sums of sines and cosines; rows that follow from
those are long, and what is solved from them longer. The same energy with angles met and squares completed gives the
rows of a textbook. It is equal everywhere, not only on the constraints.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import symengine as se

from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import operations, total
from dalembert.blocks.symbolic import Blocks, blocks_by
from dalembert.forms.pen import MAX_LENGTH, Pen
from dalembert.forms.prepared import Scene
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr

MAX_COORDINATES = 20  # that have inertia; of more, energies are sums over parts, which are short already
_PLAIN = 2  # operations of what can hardly be shorter
MAX_ENERGY = 30_000  # operations of the kinetic energy


def shortened(scene: Scene) -> Blocks:
    """Return the blocks of a scene as they follow from a shorter kinetic energy; as they are, if there is none."""
    blocks, v = scene.blocks, scene.blocks.v
    T = None if scene.system.kinetic is None else plain(scene.system.kinetic)
    count = scene.system.mechanical  # states have no inertia
    own = {place: entry for place, entry in blocks.M.items() if max(place) < count}
    moving = {i for place in own for i in place}
    if T is None or len(moving) > MAX_COORDINATES or operations(T) > MAX_ENERGY:
        return blocks
    parts = {v[i] * v[j] * (se.Rational(1, 2) if i == j else 1): M for (i, j), M in own.items() if i <= j}
    if not any(map(_turns, parts.values())):
        return blocks
    parts |= dict(_slower(T, v))
    try:
        written = [_written(scene, part) if _turns(part) else part for part in parts.values()]
    except TooLarge:
        return blocks
    if total(written) >= total(parts.values()):
        return blocks
    found = blocks_by(scene.system, se.Add(*map(se.Mul, parts, written)))
    if found.M.keys() - blocks.M.keys() or total(_rows(found)) >= total(_rows(blocks)):
        return blocks
    return replace(found, M={place: found.M.get(place, se.Integer(0)) for place in blocks.M})  # in the same order


def _written(scene: Scene, entry: Expr) -> Expr:
    """Write an entry in few operations; in joints that turn about each other most of a long one cancels."""
    pen = Pen(scene, [entry])
    return pen.value(entry) if operations(entry) <= MAX_LENGTH else pen.together(entry)


def _turns(entry: Expr) -> bool:
    """Tell whether angles may meet in an entry: a product of sines and cosines, or more."""
    return operations(entry) > _PLAIN and bool(entry.atoms(se.sin, se.cos))


def _rows(blocks: Blocks) -> Iterator[Expr]:
    """Return what the energy gives: the entries of M and f."""
    return itertools.chain(blocks.M.values(), blocks.f)


def _slower(T: Expr, v: tuple[Expr, ...]) -> Iterator[tuple[Expr, Expr]]:
    """Return what of T is linear in the velocities and what is free of them, each with what it is multiplied by."""
    rest = dict.fromkeys(v, se.Integer(0))
    for speed in v:
        if (linear := T.diff(speed).xreplace(rest)) != 0:
            yield speed, linear
    if (free := T.xreplace(rest)) != 0:
        yield se.Integer(1), free
