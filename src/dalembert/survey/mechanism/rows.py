"""The conditions of joints as rows of numbers, also of joints that are not there: with other pairs, in other places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.rank import rank as sparse_rank
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.language.building import Expr
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.placement import Placement


class JointRows:
    """Some conditions: their residuals and the slopes of each by every coordinate (or velocity) at a position."""

    def __init__(self, numeric: Numeric, conditions: Sequence[Expr]):
        blocks = numeric.blocks
        self.numeric, self.count = numeric, len(conditions)
        self.entries: list[tuple[int, int]] = []
        slopes: list[Expr] = []
        for i, condition in enumerate(conditions):
            by = blocks.v if condition.free_symbols & set(blocks.v) else blocks.q
            for j, x in enumerate(by):
                if x in condition.free_symbols:
                    self.entries.append((i, j))
                    slopes.append(condition.diff(x))
        self.program = numeric.program([*conditions, *slopes])

    def at(self, q: Array) -> tuple[Array, Array]:
        """Return the residuals and the matrix."""
        values = self.numeric.evaluate(self.program, 0.0, q)
        A = np.zeros((self.count, self.numeric.n))
        for (i, j), value in zip(self.entries, values[self.count :], strict=True):
            A[i, j] = value
        return values[: self.count], A


def unit_rows(A: Array) -> Array:
    """Scale the rows to length 1, and leave out those that vanish."""
    lengths = np.linalg.norm(A, axis=1)
    kept = lengths > 1e-9 * lengths.max(initial=0.0)
    return A[kept] / lengths[kept, None]


def rank(A: Array, least: float = 1e-7) -> int:
    """Count the independent rows of a scaled matrix: most mechanisms repeat none, which elimination sees at once."""
    return sparse_rank(sp.csr_array(A), least)


def displaced(numeric: Numeric, q: Array, markers: Sequence[Marker], shift: Array, turn: Array) -> list[Marker]:
    """Return markers that are moved together as one rigid body: turned about the first of them and shifted."""
    n = len(shift)
    frames = [_frame(numeric, q, marker, n) for marker in markers]
    pivot = frames[0][0]
    turning = _rotation(turn)
    moved = []
    for marker, (place, axes, body_place, body_axes, centre) in zip(markers, frames, strict=True):
        at = centre + body_axes.T @ (pivot + turning @ (place - pivot) + shift - body_place)
        R = body_axes.T @ turning @ axes
        turns = tuple(x + float(turn[0]) for x in marker.placement.turn) if n == 2 else _euler_parameters(R)
        numbers = [tuple(se.RealDouble(float(x)) for x in row) for row in (at, *R)]
        moved.append(replace(marker, placement=Placement(numbers[0], tuple(numbers[1:]), turns)))
    return moved


def _frame(numeric: Numeric, q: Array, marker: Marker, n: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return place and axes of a marker and of its body in the world, and the centre of the body in its own frame."""
    view = marker.view
    axes = [marker.x, marker.y, *([marker.z] if n == 3 else [])]
    outputs = [*marker.place, *(axes[j][i] for i in range(n) for j in range(n)), *view.q[:n]]
    outputs += [*(x for row in view.R for x in row), *view.centre]
    values = numeric.evaluate(numeric.program(outputs), 0.0, q)
    place, axes, body, R, centre = np.split(values, np.cumsum([n, n * n, n, n * n]))
    return place, axes.reshape(n, n), body, R.reshape(n, n), centre


def _euler_parameters(R: Array) -> tuple[Any, ...]:
    from scipy.spatial.transform import Rotation

    *vector, scalar = Rotation.from_matrix(R).as_quat()
    return tuple(se.RealDouble(float(x)) for x in (scalar, *vector))


def _rotation(turn: Array) -> Array:
    """Return the matrix of a turn: an angle in the plane, a vector along the axis in space."""
    if len(turn) == 1:
        c, s = np.cos(turn[0]), np.sin(turn[0])
        return np.array([[c, -s], [s, c]])
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(turn).as_matrix()
