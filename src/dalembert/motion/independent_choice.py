"""Which coordinates are independent in a motion of the form `independent`: named, chosen one by one, or by directions.

*Subjective* choice: coordinates that the user names, or those that determine the others best. *Objective* choice:
z = B q, the rows of B being the right singular vectors of A that belong to zero singular values. On velocities all
constraints count, on positions the holonomic ones: there are as many more positions as there are nonholonomic ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from dalembert.arrays import Array
from dalembert.errors import ModelError, nearest, quoted
from dalembert.forms.independent import OBJECTIVE
from dalembert.model.system import System

MOST = 40  # coordinates of a system of which directions are chosen: they are full matrices
_RANK = 1e-8
_SEEN = 0.005  # part of the largest in a direction that is written
_SHOWN = 6


@dataclass(frozen=True)
class LevelChoice:
    """Of one level: the dependent coordinates, the rows that determine them; or directions W in their place, else none.

    words: what is independent.
    """

    columns: Array
    rows: Array
    W: Array
    words: tuple[str, ...]


def is_objective(system: System, named: Sequence[str] | None) -> bool:
    """Tell whether directions are asked for; a coordinate of that name is meant where there is one."""
    return named is not None and tuple(named) == (OBJECTIVE,) and OBJECTIVE not in system.coordinates


def objection(system: System, named: Sequence[str]) -> str | None:
    """Say what is wrong with the names of independent coordinates, before anything runs."""
    if is_objective(system, named):
        count = len(system.coordinates)
        if count > MOST:
            return f"directions are chosen of up to {MOST} coordinates, and this system has {count}; name coordinates"
        return None
    known = system.coordinates[: system.mechanical]
    for name in named:
        if name not in known:
            return f"`{name}` is no coordinate; {nearest(name, (*known, OBJECTIVE))}"
    if len(set(named)) < len(named):
        return f"coordinates are named once, got {quoted(named)}"
    if not system.constraints and len(named) < len(known):
        return f"this system has {len(known)} independent coordinates; {len(named)} were named: {quoted(named)}"
    return None


def choose(system: System, A: Array, units: Array, named: Sequence[str] | None) -> tuple[LevelChoice, LevelChoice]:
    """Choose at a state with the matrix A, in units of the coordinates: for positions, and for velocities."""
    levels = [constraint.level for constraint in system.constraints]
    A = A * units
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    A = A / np.where(lengths > 0, lengths, 1.0)
    every, holonomic = (
        np.array([i for i, level in enumerate(levels) if level in among], dtype=int)
        for among in (("position", "velocity"), ("position",))
    )
    if is_objective(system, named):
        return _directions(system, A, holonomic, units), _directions(system, A, every, units)
    columns, names = np.arange(len(units)), system.coordinates[: system.mechanical]
    if named is not None:
        freedom = len(names) - len(_independent(A[every].T))
        if len(named) != freedom:
            raise ModelError(
                f"this system has {freedom} independent coordinates here; {len(named)} were named: {quoted(named)}"
            )
        columns = np.array([j for j in columns if j >= len(names) or names[j] not in named], dtype=int)
    velocities = _coordinates(system, A, every, columns)
    if named is not None and set(velocities.words) != set(named):
        raise ModelError(
            f"{quoted(named)} cannot be varied independently at the start; name others, or leave them to be chosen"
        )
    return _coordinates(system, A, holonomic, velocities.columns), velocities  # positions: among those of velocities


def _coordinates(system: System, A: Array, rows: Array, among: Array) -> LevelChoice:
    """Choose dependent coordinates among some, those that the rows determine best."""
    columns = among[_independent(A[np.ix_(rows, among)])]
    rows = rows[_independent(A[np.ix_(rows, columns)].T)]  # repeated ones would hide how well these determine
    dependent = set(columns.tolist())
    words = tuple(name for j, name in enumerate(system.coordinates[: system.mechanical]) if j not in dependent)
    return LevelChoice(columns, rows, np.zeros((0, 0)), words)


def _directions(system: System, A: Array, rows: Array, units: Array) -> LevelChoice:
    """Choose directions by the singular values of A."""
    n = A.shape[1]
    W, rank, V = np.zeros((n, n)), 0, np.eye(n)
    if rows.size:
        _, values, V = np.linalg.svd(A[rows])
        rank = int(np.sum(values > _RANK * max(values[0], 1e-300)))
        W[:, :rank] = V[:rank].T
    B = V[rank:] / units
    words = tuple(_sum(system, row) for row in B[: len(B) - (n - system.mechanical)] if row.size)
    return LevelChoice(np.arange(n), rows[_independent(A[rows].T)], W, words)


def _sum(system: System, row: Array) -> str:
    """Write a row of B as a sum of coordinates."""
    row = row / np.linalg.norm(row)
    row = row if row[int(np.argmax(np.abs(row)))] > 0 else -row
    order = [j for j in range(system.mechanical) if abs(row[j]) > _SEEN * np.abs(row).max()]
    terms = [f"{'-' if row[j] < 0 else '+'} {abs(row[j]):.3g} {system.coordinates[j]}" for j in order[:_SHOWN]]
    if len(order) == 1:
        return system.coordinates[order[0]]
    text = " ".join(terms).removeprefix("+ ")
    text = f"-{text[2:]}" if text.startswith("- ") else text
    return f"{text} + …" if len(order) > _SHOWN else text


def _independent(A: Array) -> Array:
    """Return the columns that span those of A, each chosen as far from the ones before it as possible."""
    if 0 in A.shape:
        return np.zeros(0, dtype=int)
    _, R, order = qr(A, mode="economic", pivoting=True)  # pyright: ignore[reportAssignmentType]
    size = np.abs(np.diag(R))
    return order[: int(np.sum(size > _RANK * size[0]))]
