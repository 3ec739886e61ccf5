"""Symmetric elimination with pivots of one and two unknowns, against dense linear algebra."""

import numpy as np
import pytest

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.elimination import factorise
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.tape import Tape


def rows_of(matrix):
    return [{j: value for j, value in enumerate(row) if value != 0} for row in matrix]


def saddle(M, A):
    return np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])


CASES = {
    "a coordinate without inertia, held alone": saddle(np.diag([2.0, 0.0]), np.array([[0.0, 1.0]])),
    "only without inertia": saddle(np.zeros((2, 2)), np.array([[1.0, 0.3], [0.0, 2.0]])),
    "a product of two velocities": np.array([[0.0, 1.3], [1.3, 0.0]]),
    "zero diagonal, three unknowns": np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]),
    "rounding where inertia should be": saddle(np.diag([1.0, 1e-17]), np.array([[1.0, 1.0]])),
    "millimetres and tonnes": saddle(np.diag([1e-9, 1e6, 0.0]), np.array([[1e3, 0.0, 1e-6], [0.0, 1e-4, 1.0]])),
}


@pytest.mark.parametrize("name", CASES)
def test_solutions_are_those_of_dense_elimination(name):
    matrix = CASES[name]
    right = np.arange(1.0, len(matrix) + 1)
    found = np.array(factorise(rows_of(matrix), Numbers, Pilot()).solve(list(right)))
    scale = 1 / np.sqrt(np.abs(matrix).max(axis=1))
    expected = scale * np.linalg.solve(matrix * scale * scale[:, None], scale * right)
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(40))
def test_random_saddles(seed):
    random = np.random.default_rng(seed)
    n, s = int(random.integers(1, 9)), 0
    while not 0 < s <= n:
        s = int(random.integers(1, 9))
    J = random.normal(size=(n, n)) * (random.random((n, n)) < 0.6)
    M = J.T @ np.diag(random.random(n) < 0.6) @ J  # singular more often than not
    A = random.normal(size=(s, n))
    units = 10.0 ** random.integers(-4, 5, size=n + s)
    matrix = saddle(M + 100 * A.T @ A + np.eye(n), A) if seed % 2 else saddle(np.diag(np.diag(M)), A)
    if np.linalg.cond(matrix) > 1e6:
        return
    right = random.normal(size=n + s)
    expected = np.linalg.solve(matrix, right) / units
    factors = factorise(rows_of(matrix * units * units[:, None]), Numbers, Pilot())
    found = np.array(factors.solve(list(right * units)))
    assert np.abs((found - expected) * units).max() <= 1e-9 * np.abs(expected * units).max()
    assert factors.negative() == np.sum(np.linalg.eigvalsh(matrix) < 0)


def test_what_is_singular_is_refused():
    for matrix in (np.zeros((2, 2)), np.ones((2, 2)), saddle(np.diag([1.0, 0.0]), np.array([[1.0, 0.0]]))):
        with pytest.raises(ZeroDivisionError):
            factorise(rows_of(matrix), Numbers, Pilot())


def test_choices_hold_at_every_point_and_are_followed_by_a_tape():
    a, b = np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.0, 3.0])  # no entry is a pivot at all points, both together are
    rows = [{0: a, 1: b}, {0: b, 1: -a}]
    pilot = Pilot()
    first, second = factorise(rows, Numbers, pilot).solve([1.0, 2.0])
    assert np.allclose(a * first + b * second, 1.0)
    assert np.allclose(b * first - a * second, 2.0)
    tape = Tape(rounds=False)
    x, y = tape.load("in", 0), tape.load("in", 1)
    factorise([{0: x, 1: y}, {0: y, 1: -x}], tape, pilot.replay()).solve([tape.one, tape.one])
    assert tape.operations < 20
