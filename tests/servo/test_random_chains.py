"""Random chains with random programmes against the pencil of their matrices, or a refusal by name."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from dalembert import ModelError, System
from dalembert.errors import SimulationError
from dalembert.survey.servo import steering_of
from tests.sampling import sampled

REFUSED = ("no control can hold", "tied to velocities", "does nothing that", "holds by the others")


@pytest.mark.parametrize("seed", sampled(range(300), every=50))
def test_internal_states_are_the_degree_of_the_pencil(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 6))
    p = int(random.integers(1, 3)) if n > 2 else 1
    chain, M, D, K = random_chain(random, n)
    at, of = random.permutation(n)[:p], random.permutation(n)[:p]
    E, B = np.eye(n)[:, at], np.eye(n)[of]
    try:
        system = System(
            " ".join(f"x{i}" for i in range(n)),
            **chain,
            controls={f"u{k}": {"acts": {f"x{i}": 1}} for k, i in enumerate(at)},
            programme={f"p{k}": f"x{i} = sin({k + 1}*t)" for k, i in enumerate(of)},
        )
    except ModelError as error:
        assert any(words in str(error) for words in REFUSED), error
        return
    assert steering_of(system).states == degree_of_pencil(M, D, K, E, B)
    state = system.start()
    try:
        found = system.compile()(state.t, state.q, state.v)
    except SimulationError as error:
        assert "too few digits are known" in str(error), error
        return
    names = [constraint.name for constraint in system.constraints]
    u = found.multipliers[[names.index(f"p{k}") for k in range(p)]]
    terms = np.array([M @ found.acceleration, D @ state.v, K @ state.q, -E @ u])
    assert np.abs(terms.sum(axis=0)).max() < 1e-9 * max(1, np.abs(terms).max())
    assert np.abs(B @ found.acceleration).max() < 1e-9 * max(1, np.abs(found.acceleration).max())  # sin″ = 0 at t = 0


def random_chain(random: np.random.Generator, n: int):
    """Return a chain as energies, and its matrices; some dampers are missing."""
    m, k = random.uniform(0.5, 2, n), random.uniform(1, 5, n - 1)
    d = random.uniform(0.1, 1, n - 1) * (random.random(n - 1) < 0.5)
    M, D, K = np.diag(m), np.zeros((n, n)), np.zeros((n, n))
    for i in range(n - 1):
        for X, x in ((D, d[i]), (K, k[i])):
            X[np.ix_([i, i + 1], [i, i + 1])] += x * np.array([[1, -1], [-1, 1]])
    energies = {
        "kinetic": " + ".join(f"{m[i]:.17g}*x{i}'^2/2" for i in range(n)),
        "potential": " + ".join(f"{k[i]:.17g}*(x{i + 1} - x{i})^2/2" for i in range(n - 1)),
        "dissipation": " + ".join(f"{d[i]:.17g}*(x{i + 1}' - x{i}')^2/2" for i in range(n - 1) if d[i]) or None,
    }
    return {key: value for key, value in energies.items() if value}, M, D, K


def degree_of_pencil(M, D, K, E, B) -> int:
    """Count the finite eigenvalues of M λ² + D λ + K, bordered by E and B: the degree of its determinant."""
    n, p = len(M), len(B)
    A0 = np.block([[np.zeros((n, n)), np.eye(n), np.zeros((n, p))], [-K, -D, E], [B, np.zeros((p, n + p))]])
    A1 = scipy.linalg.block_diag(np.eye(n), M, np.zeros((p, p)))
    random = np.random.default_rng(1)
    s = 2 * np.exp(2j * np.pi * (np.arange(64) + random.random()) / 64)
    values = np.array([np.linalg.det(A0 - x * A1) for x in s])
    phases = np.abs([np.mean(values * s ** (-k)) * 2.0**k for k in range(2 * n + 1)])
    return int(np.flatnonzero(phases > 1e-9 * phases.max())[-1])
