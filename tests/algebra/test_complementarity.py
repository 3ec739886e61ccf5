"""Linear complementarity: against all patterns, and where there is no solution or more than one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dalembert.algebra.complementarity import complementary


def holds(G, b, z) -> bool:
    """Tell whether w ≥ 0, z ≥ 0 and w z = 0, in the sizes of the terms."""
    w, size = G @ z + b, np.abs(G) @ np.abs(z) + np.abs(b)
    return z.min() >= 0 and bool(np.all(w >= -1e-9 * size)) and bool(np.all((z == 0) | (np.abs(w) <= 1e-9 * size)))


def by_patterns(G, b):
    """Return all solutions of a regular problem, by trying which are zero."""
    found = []
    for pattern in product((False, True), repeat=len(b)):
        some = np.flatnonzero(pattern)
        z = np.zeros(len(b))
        z[some] = np.linalg.solve(G[np.ix_(some, some)], -b[some])
        if z.min() >= 0 and holds(G, b, z):
            found.append(z)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_random_problems(seed):
    random = np.random.default_rng(seed)
    n = random.integers(1, 7)
    L = random.normal(size=(n, n + 1)) * 10 ** random.uniform(-3, 3, n)[:, None]
    G, b = L @ L.T, random.normal(size=n) * 10 ** random.uniform(-3, 3)
    (expected,) = by_patterns(G, b)
    z = complementary(G, b)
    assert holds(G, b, z) and z == pytest.approx(expected, rel=1e-6)


def test_shares_are_the_least():
    assert complementary(np.ones((4, 4)), np.full(4, -2.0)) == pytest.approx([0.5] * 4)


def test_there_is_none():
    assert complementary(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, -1.0])) is None


def test_nothing_is_to_be_done():
    assert complementary(np.eye(2), np.array([1.0, 0.0])).tolist() == [0, 0]
    assert complementary(np.zeros((0, 0)), np.zeros(0)).tolist() == []


@pytest.mark.parametrize("seed", range(10))
def test_many_contacts_with_dependent_rows(seed):
    """40 of rank 12: w = G z + b is the same for all solutions."""
    random = np.random.default_rng(seed)
    W = random.uniform(-0.2, 1, size=(40, 12))
    b = W @ random.normal(size=12) - 0.1
    assert holds(W @ W.T, b, complementary(W @ W.T, b))
