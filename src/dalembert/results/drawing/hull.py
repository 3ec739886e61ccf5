"""The convex hull of a few points in the plane (Andrew 1979).

SciPy has one too, which refuses points in a line, as those of a rod are, and takes longer to load than this to draw.
"""

from __future__ import annotations

import numpy as np

from dalembert.arrays import Array


def hull(points: Array) -> Array:
    """Return the corners of the hull, counterclockwise.

    >>> hull(np.array([[0.0, 0], [2, 0], [1, 0.5], [1, 2]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]]
    """
    ordered = sorted(map(tuple, points))
    sides = []
    for run in (ordered, ordered[::-1]):
        side: list[tuple[float, float]] = []
        for point in run:
            while len(side) > 1 and turn(side[-2], side[-1], point) <= 0:
                side.pop()
            side.append(point)
        sides += side[:-1]
    return np.array(sides or ordered[:1])


def turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Return a positive number where a, b, c go to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
