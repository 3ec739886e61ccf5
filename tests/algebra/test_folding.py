"""Elimination in trees against dense linear algebra."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dalembert.algebra import quasidefinite
from dalembert.algebra.folding import ArticulatedFactors, elimination_steps, fold, substituted

FLOATS = SimpleNamespace(zero=0.0)


@pytest.mark.parametrize("seed", range(8))
def test_solution_is_that_of_the_products(seed):
    random = np.random.default_rng(seed)
    n, s, wide = 7, int(random.integers(0, 4)), 3
    links, slopes, first = [], {}, n + s
    for k in range(n):  # each coordinate moves a body, which another one carries, or none
        rows = range(first + wide * k, first + wide * (k + 1))
        carrier = int(random.integers(-1, k)) if k else -1
        columns = [k, *(range(first + wide * carrier, first + wide * (carrier + 1)) if carrier >= 0 else ())]
        links.append(dict.fromkeys(rows, columns))
        slopes |= {row: {column: float(random.normal()) for column in columns} for row in rows}
    W = np.zeros((first + wide * n, n))
    W[:n] = np.eye(n)
    for link in links:
        for row in link:
            W[row] = sum(x * W[column] for column, x in slopes[row].items())
    masses = random.uniform(0.5, 2.0, wide * n)
    M = np.zeros((len(W), len(W)))
    M[range(first, len(W)), range(first, len(W))] = masses
    A = np.zeros((s, len(W)))
    for i in range(s):
        A[i, random.choice(range(first, len(W)), 4, replace=False)] = random.normal(size=4)
    f, c = np.where(np.arange(len(W)) < first, 0.0, random.normal(size=len(W))), random.normal(size=s)
    entries = [(i, i) for i in range(first, len(W))] + [(n + i, j) for i, j in zip(*np.nonzero(A), strict=True)]
    steps = elimination_steps([(int(i), int(j)) for i, j in entries], n, s, links)
    rows = {i: {} for i in range(len(W))}
    for i in range(first, len(W)):
        rows[i][i] = M[i, i]
    for i, j in zip(*np.nonzero(A), strict=True):
        rows[n + i][int(j)] = rows[int(j)][n + i] = float(A[i, j])
    factors, sizes, remaining = ArticulatedFactors([], slopes=slopes), {}, set(rows)
    for is_link, k in steps:
        if is_link:
            fold(rows, links[k], slopes, {}, lambda name, x: abs(x))
            remaining -= links[k].keys()
            continue
        remaining.discard(k)
        factors.inverses[k], factors.columns[k] = quasidefinite.eliminate(
            k, rows, sizes, remaining, lambda i: n <= i < n + s, 0.0, FLOATS, lambda k, pivot, size: 1 / pivot, 0.0
        )
    right = {i: float(x) for i, x in enumerate(f) if x} | {n + i: float(x) for i, x in enumerate(c)}
    x = substituted(steps, links, factors, right)
    K = np.block([[W.T @ M @ W, (A @ W).T], [A @ W, np.zeros((s, s))]])
    expected = np.linalg.solve(K, np.concatenate([W.T @ f, c]))
    assert np.allclose([x[i] for i in range(n + s)], expected, rtol=1e-8, atol=1e-8)
    assert sorted(k for is_link, k in steps if not is_link) == list(range(n + s))
