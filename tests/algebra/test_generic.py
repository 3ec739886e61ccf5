"""Gram–Schmidt and elimination over numbers, against dense linear algebra; decisions recorded and repeated."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.elimination import factorise, reduce_rows
from dalembert.algebra.gramschmidt import complement, orthogonalise
from dalembert.algebra.pilot import Pilot


def sparse(matrix) -> list[dict]:
    return [{j: float(x) for j, x in enumerate(row) if x != 0} for row in matrix]


def dense(rows, n) -> np.ndarray:
    return np.array([[row.get(j, 0.0) for j in range(n)] for row in rows]).reshape(len(rows), n)


@pytest.mark.parametrize(("s", "n"), [(0, 3), (1, 1), (1, 4), (3, 5), (5, 5), (6, 12)])
def test_gram_schmidt(random, s, n):
    A = random.normal(size=(s, n))
    basis = orthogonalise(sparse(A), list(A @ np.ones(n)), Numbers, Pilot())
    B = dense(basis.vectors, n)
    D = dense(complement(basis, n, Numbers, Pilot()), n)
    assert D.shape == (n - s, n)
    assert np.abs(A @ D.T).max(initial=0) < 1e-12
    assert np.abs(D @ D.T - np.diag(np.diag(D @ D.T))).max(initial=0) < 1e-12
    assert B @ np.ones(n) == pytest.approx(basis.right)
    assert np.diag(B @ B.T) == pytest.approx(basis.squares)


def test_redundant_rows_are_found(random):
    A = random.normal(size=(4, 6))
    A[2] = 1e4 * (A[0] - 3 * A[1])
    assert orthogonalise(sparse(A), [0.0] * 4, Numbers, Pilot()).redundant == [2]


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_ldl(random, n):
    B = random.normal(size=(n, n))
    S = B @ B.T + np.eye(n)
    b = random.normal(size=n)
    assert factorise(sparse(S), Numbers, Pilot()).solve(list(b)) == pytest.approx(np.linalg.solve(S, b), rel=1e-8)


def test_ldl_with_zeros_on_the_diagonal(random):
    """A saddle-point matrix whose mass matrix is singular."""
    M = np.diag([2.0, 3.0, 0.0])
    A = np.array([[1.0, 0.0, -0.4], [0.0, 1.0, -0.9]])
    K = np.block([[M, A.T], [A, np.zeros((2, 2))]])
    b = random.normal(size=5)
    assert factorise(sparse(K), Numbers, Pilot()).solve(list(b)) == pytest.approx(np.linalg.solve(K, b))


def test_singular_matrices_are_refused():
    with pytest.raises(ZeroDivisionError, match="singular"):
        factorise(sparse(np.ones((2, 2))), Numbers, Pilot())


def test_reduced_rows(random):
    A, x = random.normal(size=(3, 7)), random.normal(size=7)
    reduced = reduce_rows(sparse(A), list(A @ x), Numbers, Pilot(), free=frozenset({0, 2}))
    assert not {0, 2} & set(reduced.pivots)
    for k, row, right in zip(reduced.pivots, reduced.rows, reduced.right, strict=True):
        assert not set(row) & set(reduced.pivots)
        assert x[k] + sum(value * x[j] for j, value in row.items()) == pytest.approx(right)
    assert abs(reduced.determinant) == pytest.approx(abs(np.linalg.det(A[:, reduced.pivots])))


def test_columns_are_chosen_whatever_the_units(random):
    """Lengths in millimetres or metres, and rows written with any factor, lead to the same pivots."""
    for _ in range(40):
        A = random.normal(size=(4, 9)) * (random.random((4, 9)) < 0.6) + np.eye(4, 9)
        rows, columns = 10.0 ** random.uniform(-4, 4, 4), 10.0 ** random.uniform(-4, 4, 9)
        other = sparse(rows[:, None] * A * columns)
        zeros = [0.0] * 4
        assert (
            reduce_rows(other, zeros, Numbers, Pilot()).pivots == reduce_rows(sparse(A), zeros, Numbers, Pilot()).pivots
        )


def test_dependent_rows_are_refused():
    with pytest.raises(ZeroDivisionError, match="dependent"):
        reduce_rows(sparse([[1.0, 2.0], [2.0, 4.0]]), [0.0, 0.0], Numbers, Pilot())


def test_decisions_are_repeated(random):
    A = random.normal(size=(3, 6))
    pilot = Pilot()
    first = orthogonalise(sparse(A), [0.0] * 3, Numbers, pilot)
    one = complement(first, 6, Numbers, pilot)
    again = pilot.replay()
    assert pilot.recording
    assert not again.recording
    second = complement(orthogonalise(sparse(A), [0.0] * 3, Numbers, again), 6, Numbers, again)
    assert dense(one, 6) == pytest.approx(dense(second, 6))


def test_arrays_decide_for_all_points():
    """A pivot that vanishes at one of the points is not taken."""
    values = np.array([[1.0, 0.0], [0.5, 0.5]])
    reduced = reduce_rows([{0: values[0], 1: values[1]}], [np.zeros(2)], Numbers, Pilot())
    assert reduced.pivots == [1]
