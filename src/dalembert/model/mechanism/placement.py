"""Where a body frame is in the assembled position: its origin and its axes, as constants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import symengine as se

from dalembert.language.building import Expr
from dalembert.model.mechanism.table_reader import TableReader, as_sequence
from dalembert.model.mechanism.vectors import (
    ONE,
    ZERO,
    Matrix,
    Vector,
    cross,
    norm,
    scale,
    settle,
    transpose,
    unit,
    zeros,
)
from dalembert.model.mechanism.views import identity, planar_rotation, rotation

RIGHT = 1e-9  # how far axes may be from right angles


@dataclass(frozen=True)
class Placement:
    """A frame: its origin, the rotation matrix to what it is given in, and the values of its turning coordinates.

    `turn` is (angle,) in the plane and the Euler parameters in space.
    """

    at: Vector
    R: Matrix
    turn: Vector

    def outward(self, point: Sequence[Expr]) -> Vector:
        """Return a point of the frame as seen from outside."""
        return settle(self.at, *_along(transpose(self.R), point))

    def inward(self, point: Sequence[Expr]) -> Vector:
        """Return the coordinates in the frame of a point outside."""
        return settle(*_along(self.R, point), *_along(self.R, [-x for x in self.at]))

    def inward_direction(self, vector: Sequence[Expr]) -> Vector:
        """Return the components in the frame of a direction outside."""
        return settle(*_along(self.R, vector))

    @classmethod
    def origin(cls, dimensions: int) -> Placement:
        """Return the frame of the world."""
        turn = (ZERO,) if dimensions == 2 else (ONE, *zeros(3))
        return cls(zeros(dimensions), identity(dimensions), turn)

    @classmethod
    def read(cls, table: TableReader) -> Placement:
        """Read `at` and `angle` in the plane, `at` and `rotation` in space."""
        n = table.reader.dimensions
        at = table.vector("at", zeros(n))
        if n == 2:
            angle = table.constant("angle", ZERO)
            return cls(at, planar_rotation(angle), (angle,))
        R, e = read_rotation(table) if table.has("rotation") else (identity(3), (ONE, *zeros(3)))
        return cls(at, R, e)


def _along(axes: Matrix, vector: Sequence[Expr]) -> list[Vector]:
    """Return the parts of a vector, each along one of some axes."""
    return [scale(part, axis) for part, axis in zip(vector, axes, strict=True)]


def read_rotation(table: TableReader) -> tuple[Matrix, Vector]:
    """Read a rotation in space: {axis, angle}, Euler parameters, or {x, y} axes."""
    if as_sequence(table.given["rotation"]) is not None:
        e = table.vector("rotation", size=4)
        if table.reader.value(norm(e)) == 0:
            table.problem("Euler parameters [e0, e1, e2, e3] are not all zero; no rotation is [1, 0, 0, 0]", "rotation")
            e = (ONE, *zeros(3))
        e = unit(e)
        return rotation(e), e
    given = table.table("rotation")
    if given.has("axis") or given.has("angle"):
        axis = read_axis(given, "axis")
        half = given.constant("angle") / 2
        e = (se.cos(half), *scale(se.sin(half), unit(axis)))
        R = rotation(e)
    else:
        R = read_axes(given)
        e = numeric_turn(given, R)
    given.finish()
    return R, e


def read_axis(table: TableReader, key: str) -> Vector:
    """Read a direction, which must not be zero."""
    axis = table.vector(key)
    return settle_axis(table, key, axis) if key in table.kept else default_axis(table.reader.dimensions)


def settle_axis(table: TableReader, key: str, axis: Vector) -> Vector:
    """Refuse a direction of length zero."""
    if table.reader.value(norm(axis)) == 0:
        table.problem("a direction of length zero; give one of any other length", key)
        return default_axis(len(axis))
    return axis


def default_axis(n: int) -> Vector:
    """Return the axis of a pair that has none of its own: z in space, x in the plane."""
    return (*zeros(n - 1), ONE) if n == 3 else (ONE, ZERO)


def read_axes(table: TableReader) -> Matrix:
    """Read the x and y axes of a frame, at right angles; z, if it is given, must make them right-handed."""
    x, y = unit(read_axis(table, "x")), unit(read_axis(table, "y"))
    slant = table.reader.value(se.Add(*[a * b for a, b in zip(x, y, strict=True)]))
    if slant is not None and abs(slant) > RIGHT:
        angle = math.degrees(math.acos(max(-1.0, min(1.0, slant))))
        table.problem(f"the axes x and y must be at right angles, got {angle:.6g} degrees", "y")
    z = cross(x, y)
    if table.has("z"):
        given = unit(read_axis(table, "z"))
        along = table.reader.value(se.Add(*[a * b for a, b in zip(z, given, strict=True)]))
        if along is not None and abs(along + 1) < RIGHT:
            table.problem("the axes are left-handed: z must be x × y; turn one of them round, or leave z out", "z")
        elif along is not None and abs(along - 1) > RIGHT:
            table.problem("the axis z must be at right angles to x and y; leave it out: it is x × y", "z")
    return transpose((x, y, z))


def numeric_turn(table: TableReader, R: Matrix) -> Vector:
    """Return the Euler parameters of a rotation matrix, as numbers."""
    values = [[table.reader.value(entry) for entry in row] for row in R]
    if any(entry is None for row in values for entry in row):
        table.problem("axes need numbers here; give the parameters values, or use {axis, angle}")
        return (ONE, *zeros(3))
    A = np.array(values, dtype=float)
    # the largest of the four squares first, so that nothing is divided by a small one
    squares = np.array([1 + np.trace(A), *(1 + 2 * np.diag(A) - np.trace(A))]) / 4
    k = int(np.argmax(squares))
    skew = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 4
    e = np.zeros(4)
    if k == 0:
        e[0], e[1:] = squares[0], skew
    else:
        e[0], e[1:] = skew[k - 1], (A[k - 1] + A[:, k - 1]) / 4
        e[k] = squares[k]
    return tuple(se.RealDouble(float(value)) if abs(value) > 1e-16 else ZERO for value in e / np.linalg.norm(e))
