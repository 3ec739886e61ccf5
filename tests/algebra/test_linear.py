"""Saddle points, ranks and nearest solutions, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dalembert.algebra import nearest
from dalembert.algebra.nearest import nearest_solution
from dalembert.algebra.rank import Scale, is_positive, null_space, rank
from dalembert.algebra.saddle import Saddle, Weight, positive


def spd(random, n):
    B = random.normal(size=(n, n))
    return sp.csr_array(B @ B.T + n * np.eye(n))


@pytest.mark.parametrize("n", [4, 12, 150])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_saddle_with_dependent_rows(random, n, scale):
    W, J = spd(random, n), random.normal(size=(3, n))
    J = np.vstack([J, 2 * J[0] - J[1]]) * np.array([[scale], [1], [1 / scale], [1]])
    J[3] = 2 * J[0] - J[1]
    p, r = random.normal(size=n), J @ random.normal(size=n)
    d, mu = Saddle(W, sp.csr_array(J)).solve(p, r)
    K = np.block([[W.toarray(), J[:3].T], [J[:3], np.zeros((3, 3))]])
    expected = np.linalg.solve(K, np.concatenate([p, r[:3]]))
    np.testing.assert_allclose(d, expected[:n], rtol=1e-8, atol=1e-8 * np.abs(expected[:n]).max())
    np.testing.assert_allclose(J.T @ mu, J[:3].T @ expected[n:], rtol=1e-6, atol=1e-6 * np.abs(J.T @ mu).max())


def test_saddle_without_rows(random):
    W, p = spd(random, 5), random.normal(size=5)
    d, mu = Saddle(W, sp.csr_array((0, 5))).solve(p, np.zeros(0))
    np.testing.assert_allclose(W @ d, p)
    assert mu.size == 0


def test_one_weight_serves_many_matrices(random):
    """Also where the next one has entries elsewhere, or fewer rows."""
    n = 150
    weight = Weight(spd(random, n))
    first = sp.random_array((40, n), density=0.1, rng=random, format="csr")
    other = sp.random_array((40, n), density=0.1, rng=random, format="csr")
    for J in (first, 3 * first, other, other[:30], first):
        p, r = random.normal(size=n), J @ random.normal(size=n)
        together, alone = (Saddle(W, J).solve(p, r) for W in (weight, weight.W))
        np.testing.assert_array_equal(together[0], alone[0])
        np.testing.assert_allclose(J @ together[0], r, atol=1e-9)


def test_contradictory_rows_are_least_squares():
    J = sp.csr_array([[1.0, 0.0], [1.0, 0.0]])
    d, _ = Saddle(sp.csr_array(np.eye(2)), J).solve(np.zeros(2), np.array([1.0, 2.0]))
    assert d == pytest.approx([1.5, 0.0], abs=1e-6)


@pytest.mark.parametrize("rows", [1, 5, 40])
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_rank_whatever_the_scale(random, rows, lost):
    A = random.normal(size=(rows, 60))
    A[rows - min(lost, rows - 1) :] = A[: min(lost, rows - 1)] * 7
    A *= 10.0 ** random.uniform(-6, 6, (rows, 1))
    expected = rows - min(lost, rows - 1)
    scale = Scale([sp.csr_array(A)], np.ones(60))
    assert rank(scale.apply(sp.csr_array(A))) == expected
    D = null_space(sp.csr_array(A))
    assert D.shape == (60, 60 - expected)
    assert np.abs((A / np.linalg.norm(A, axis=1, keepdims=True)) @ D).max() < 1e-10


def test_a_row_of_rounding_errors_has_no_rank():
    """A row that vanishes at one place is measured by its length at others."""
    here, there = sp.csr_array([[1.0, 0.0], [1e-17, 1e-17]]), sp.csr_array([[1.0, 0.0], [0.0, 1.0]])
    scale = Scale([here, there], np.ones(2))
    assert (rank(scale.apply(here)), rank(scale.apply(there))) == (1, 2)


def test_large_mass_ratios():
    """Four light bodies in series between two heavy ones: the middle must not get lost."""
    J = sp.csr_array(np.eye(5, 6) - np.eye(5, 6, k=1))
    for m in (1e-6, 1e-9, 0.0):
        d, _ = Saddle(sp.csr_array(np.diag([1e3, m, m, m, m, 1e3])), J).solve(
            np.array([1e3, 0, 0, 0, 0, 0]), np.zeros(5)
        )
        assert d == pytest.approx(np.full(6, 0.5), rel=1e-6)


def test_rank_of_nothing():
    assert rank(sp.csr_array((0, 3))) == 0
    assert rank(sp.csr_array((2, 3))) == 0
    assert null_space(sp.csr_array((0, 3))).shape == (3, 3)


def test_definiteness(random):
    assert is_positive(spd(random, 30), 1e-10)
    assert not is_positive(sp.csr_array(np.diag([1.0, -1.0])), 1e-10)
    assert not is_positive(sp.csr_array(np.ones((2, 2))), 1e-10)
    assert not is_positive(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), 1e-10)
    assert is_positive(positive(sp.csr_array(np.ones((2, 2)))), 1e-12)


def test_nearest_keeps_what_is_fixed():
    def circle(x):
        return np.array([x @ x - 4]), sp.csr_array(2 * x[None, :]), np.array([x @ x + 4])

    found = nearest_solution(circle, np.array([1.0, 1.0, 0.5]), sp.csr_array(np.eye(3)), np.array([0, 1]))
    assert found.solved
    assert found.x == pytest.approx([np.sqrt(3.75 / 2), np.sqrt(3.75 / 2), 0.5])


def test_nearest_reports_failure():
    def impossible(x):
        return np.array([x[0] ** 2 + 1]), sp.csr_array([[2 * x[0]]]), np.array([x[0] ** 2 + 1])

    found = nearest_solution(impossible, np.array([0.7]), sp.csr_array(np.eye(1)), np.array([0]))
    assert not found.solved
    assert found.residual[0] == pytest.approx(1, abs=0.1)


def test_columns_that_rows_connect(random):
    """Of small dense matrices as of sparse ones: the same columns belong together."""
    for _ in range(60):
        rows, count = random.integers(0, 12), random.integers(1, 13)
        J = random.normal(size=(rows, count)) * (random.random((rows, count)) < random.uniform(0, 0.4))
        places = (sp.csr_array(J), J)
        sizes = [nearest._connected(each, np.arange(1.0, count + 1), None) for each in places]
        np.testing.assert_allclose(*sizes, rtol=1e-12)
