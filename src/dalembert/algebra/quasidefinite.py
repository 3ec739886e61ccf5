"""Symmetric quasidefinite systems [[W, Jᵀ], [J, −E]] by elimination without a search for pivots, over any arithmetic.

W is positive definite. Multipliers are eliminated after all coordinates that they touch, so that every pivot of a
coordinate is that of W alone, and the diagonal of a multiplier has become −(J W⁻¹Jᵀ)ᵢᵢ, its *size*. E is a small part
of the size (so that units and the scaling of rows do not matter); it lets dependent rows pass, and refinement removes
its effect: a proximal iteration, which leaves the multipliers of least norm.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.algebra.gramschmidt import Scalar, Vector

EPSILON = 1e-8  # E as a part of the size of a row
LOST = 30 * EPSILON  # a pivot below this part of the size of its row is likely lost rank; `native.rank` counts for sure


def elimination_order(
    entries: Iterable[tuple[int, int]],
    n: int,
    s: int,
    widths: Sequence[int] | None = None,
    early: bool = False,
    most: float = math.inf,
) -> list[int]:
    """Order coordinates 0 … n−1 and multipliers n … n+s−1: least degree first, a multiplier after its coordinates.

    With the `widths` of groups of them, freedoms of a body and conditions of a joint, leaves go first, as in the
    recursion of articulated bodies: once a body is gone that had but one joint, so may be this one. Else all joints of
    the body at its other end would become coupled. Its conditions must be independent on the one body alone, and so
    be no more than its freedoms (zero, if that is not known); that they are is seen by their pivots.

    early: a multiplier comes as soon as the coordinates in its own condition are gone, though others that forces couple
    with them are left. Joints along a chain with dampers then go one by one, and are not coupled all with all. most:
    entries of the filled triangle beyond which nothing is returned.
    """
    neighbours: list[set[int]] = [set() for _ in range(n + s)]
    for i, j in entries:
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    leaves: set[int] = set()  # multipliers of which one body is gone that had no others
    waits = [{j for j in around if j < n} for around in neighbours]  # coordinates that go before each

    def ready(i: int) -> bool:
        return i < n or i in leaves or not waits[i]

    heap = [(len(neighbours[i]), i) for i in range(n + s) if ready(i)]
    heapq.heapify(heap)
    order: list[int] = []
    done = [False] * (n + s)
    while heap:
        degree, k = heapq.heappop(heap)
        if done[k] or degree != len(neighbours[k]) or not ready(k):
            continue  # an entry that is out of date
        done[k] = True
        order.append(k)
        around = neighbours[k]
        most -= len(around)
        if most < 0:
            return []
        if widths is not None and k < n and len(around) == 1:
            leaves |= {i for i in around if i >= n and widths[i] <= widths[k]}
        more = set() if early else {i for i in around if i < n}
        for i in around:
            neighbours[i] |= around
            neighbours[i] -= {i, k}
            if i >= n:
                waits[i] |= more
                waits[i].discard(k)
        for i in around:
            if ready(i):
                heapq.heappush(heap, (len(neighbours[i]), i))
    return order


@dataclass
class ProximalFactors:
    """L D Lᵀ in a given order: the columns of L and the inverse pivots."""

    order: list[int]
    columns: dict[int, Vector] = field(default_factory=dict)
    inverses: dict[int, Scalar] = field(default_factory=dict)


def factorise(
    W: Mapping[tuple[int, int], Scalar],
    J: Mapping[tuple[int, int], Scalar],
    n: int,
    s: int,
    order: list[int],
    arithmetic: Any,
    invert: Callable[[int, Scalar, Scalar], Scalar],
    epsilon: Scalar = EPSILON,
    sure: Collection[int] = (),
) -> ProximalFactors:
    """Factorise in the given order; multipliers that are `sure` have independent rows, and need no ε.

    `invert(k, pivot, size)` returns 1/pivot. Of a coordinate the size is the diagonal of W; of a multiplier the pivot
    is what remains of its size, with ε, and the inverse should be zero if its row vanishes.
    """
    rows: list[Vector] = [{} for _ in range(n + s)]
    for (i, j), value in W.items():
        rows[i][j] = value
    for (i, j), value in J.items():
        rows[n + i][j] = rows[j][n + i] = value
    factors = ProximalFactors(order)
    sizes: dict[int, Scalar] = {}
    remaining = set(range(n + s))
    for k in order:
        remaining.discard(k)
        diagonal = W.get((k, k), arithmetic.zero)
        proximal = 0.0 if k - n in sure else epsilon
        factors.inverses[k], factors.columns[k] = eliminate(
            k, rows, sizes, remaining, lambda i: i >= n, diagonal, arithmetic, invert, proximal
        )
    return factors


def eliminate(
    k: int,
    rows: Mapping[int, Vector] | list[Vector],
    sizes: dict[int, Scalar],
    remaining: set[int],
    is_multiplier: Callable[[int], bool],
    diagonal: Scalar,
    arithmetic: Any,
    invert: Callable[[int, Scalar, Scalar], Scalar],
    epsilon: Scalar,
) -> tuple[Scalar, Vector]:
    """Eliminate one unknown: change the rows of those that remain; return its inverse pivot and its column of L.

    `sizes` are those of the multipliers so far, `diagonal` that of W for a coordinate.
    """
    zero = arithmetic.zero
    row = {i: value for i, value in rows[k].items() if i in remaining}
    if is_multiplier(k):
        size = sizes.get(k, zero)
        inverse = -invert(k, size - rows[k].get(k, zero) + epsilon * size, size)
    else:
        inverse = invert(k, rows[k].get(k, zero), diagonal)
    column = {i: value * inverse for i, value in row.items()}
    targets = sorted(row)
    for place, i in enumerate(targets):
        factor = column[i]
        if is_multiplier(i) and not is_multiplier(k):  # what coordinates take from its diagonal is its size
            sizes[i] = sizes.get(i, zero) + factor * row[i]
        else:
            rows[i][i] = rows[i].get(i, zero) - factor * row[i]
        for j in targets[place + 1 :]:
            rows[i][j] = rows[j][i] = rows[i].get(j, zero) - factor * row[j]
    return inverse, column


def solve(factors: ProximalFactors, right: list[Scalar]) -> list[Scalar]:
    """Solve for one right side."""
    return substituted(factors.order, factors.inverses, factors.columns, factors.columns, right)


def substituted(
    order: list[int],
    inverses: Mapping[int, Scalar],
    columns: Mapping[int, Vector],
    rows: Mapping[int, Vector],
    right: list[Scalar],
) -> list[Scalar]:
    """Solve with the factors L D U: columns of L, inverses of D, rows of U, which by symmetry are those of Lᵀ."""
    x = list(right)
    for k in order:
        for i, factor in columns[k].items():
            x[i] = x[i] - factor * x[k]
    for k in reversed(order):
        total = x[k] * inverses[k]
        for j, factor in rows[k].items():
            total = total - factor * x[j]
        x[k] = total
    return x
