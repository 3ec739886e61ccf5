"""Elimination in trees, over any arithmetic: bodies are folded onto those that carry them, leaves first.

Unknowns are coordinates 0 … n−1, multipliers n … n+s−1, and velocities that follow from others along *links*: V = Σ
slope × others. A link is folded by putting that into all equations. Once all links are folded that lead to a coordinate
it is a pivot. In the mechanics of bodies this is the recursion of articulated bodies, with loops as further rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.algebra.gramschmidt import Scalar
from dalembert.algebra.quasidefinite import ProximalFactors

Slopes = dict[int, dict[int, Scalar]]  # of velocities that follow, by those before them
Links = Sequence[Mapping[int, Sequence[int]]]  # for each velocity of a link, on which others it depends
Steps = list[tuple[bool, int]]  # whether a link is folded, and its number; else that of the unknown that is a pivot


@dataclass
class ArticulatedFactors(ProximalFactors):
    """L D Lᵀ, with links folded in between."""

    slopes: Slopes = field(default_factory=dict)


def elimination_steps(entries: Sequence[tuple[int, int]], n: int, s: int, links: Links) -> Steps:
    """Order links and pivots: bodies that carry no others first, then their joints, multipliers when nothing is left.

    A multiplier follows all coordinates that it touches; a coordinate follows all links that lead to it.
    """
    around: dict[int, set[int]] = {i: set() for i in (*range(n + s), *(row for rows in links for row in rows))}
    for i, j in entries:
        if i != j:
            around[i].add(j)
            around[j].add(i)
    waits = dict.fromkeys(range(n), 0)  # how many links must be folded first
    ends = [sorted({column for columns in rows.values() for column in columns}) for rows in links]
    for columns in ends:
        for column in columns:
            if column < n:
                waits[column] += 1
    steps: Steps = []

    def remove(gone: Sequence[int], together: set[int]) -> None:
        """Take unknowns away; those around them, and others, become neighbours."""
        near = set().union(*(around.pop(k) for k in gone)) - set(gone)
        for i in near | together:
            around[i] -= set(gone)
            around[i] |= (near | together if i in together or not together else together) - {i}

    def eliminate(ready: set[int]) -> None:
        while ready:
            k = min(ready, key=lambda i: (len(around[i]), i))
            ready.discard(k)
            near = {i for i in around[k] if n <= i < n + s}
            steps.append((False, k))
            remove([k], set())
            ready |= {i for i in near if all(n <= j < n + s for j in around[i])}

    for number in reversed(range(len(links))):
        steps.append((True, number))
        remove(list(links[number]), set(ends[number]))
        for column in ends[number]:
            if column < n:
                waits[column] -= 1
        eliminate({column for column in ends[number] if column < n and not waits[column]})
    eliminate({i for i in around if i < n or not around[i]})
    return steps


def fold(
    rows: dict[int, dict[int, Scalar]], link: Mapping[int, Sequence[int]], slopes: Slopes, terms: dict, call: Any
) -> None:
    """Put velocities that follow into all equations: V = Σ slope × others; `terms` are the sizes of new diagonals."""
    columns = sorted({column for some in link.values() for column in some})
    own = [rows.pop(row) for row in link]
    near = dict.fromkeys(u for row in own for u in row if u not in link)
    T: dict[int, dict[int, Scalar]] = {}  # products of the rows of all around, and of the link, with the slopes
    for u, row in [*zip(link, own, strict=True), *((u, rows[u]) for u in near)]:
        T[u] = {}
        for r, some in link.items():
            value = row.get(r, 0.0)
            if value != 0:
                for c in some:
                    T[u][c] = T[u].get(c, 0.0) + value * slopes[r][c]
    for u in near:
        for r in link:
            rows[u].pop(r, None)
    for place, c in enumerate(columns):
        for u in (*columns[place:], *(u for u in near if u not in columns)):
            parts = [T.get(u, {}).get(c, 0.0)]
            if u in columns:
                parts += [T.get(c, {}).get(u, 0.0)]
                parts += [slopes[r][u] * T[r].get(c, 0.0) for r, some in link.items() if u in some]
            total = rows[u].get(c, 0.0)
            for part in parts:
                total = total + part
            if u == c:
                size = terms.get(c, 0.0)
                for part in parts[2:]:
                    size = size + call("abs", part)
                terms[c] = size
            if total != 0:
                rows[u][c] = rows[c][u] = total


def substituted(steps: Steps, links: Links, factors: ArticulatedFactors, right: dict[int, Scalar]) -> dict[int, Scalar]:
    """Solve for one right side, forces on coordinates and bodies, and c."""
    x, slopes = dict(right), factors.slopes
    for is_link, k in steps:
        if not is_link:
            for i, factor in factors.columns[k].items():
                x[i] = x.get(i, 0.0) - factor * x.get(k, 0.0)
            continue
        for row, columns in links[k].items():
            force = x.pop(row, 0.0)
            for column in columns if force != 0 else ():
                x[column] = x.get(column, 0.0) + slopes[row][column] * force
    for is_link, k in reversed(steps):
        if is_link:
            for row, columns in links[k].items():
                total: Scalar = 0.0
                for column in columns:
                    total = total + slopes[row][column] * x.get(column, 0.0)
                x[row] = total
        else:
            total = x.get(k, 0.0) * factors.inverses[k]
            for j, factor in factors.columns[k].items():
                total = total - factor * x[j]
            x[k] = total
    return x
