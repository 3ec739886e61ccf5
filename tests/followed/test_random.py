"""Random systems with laws of friction: one solution is found, and no or several are refused, as an own count says."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dalembert import System
from dalembert.errors import SimulationError

SIZES = ((2, 1), (3, 2), (4, 2), (4, 3))  # coordinates, constraints


def random_system(n: int, s: int) -> System:
    """Return M q̈ = f − Σ tₖ |λₖ| + Aᵀλ, A q̈ = c with every entry a parameter; so it is compiled once."""
    names = [f"q{i}" for i in range(n)]
    M = [[f"M{min(i, j)}{max(i, j)}" for j in range(n)] for i in range(n)]
    f = [f"f{i} " + " ".join(f"- T{i}{k}*abs(lambda_c{k})" for k in range(s)) for i in range(n)]
    rows = {f"c{k}": " + ".join(f"A{k}{i}*q{i}''" for i in range(n)) + f" = b{k}" for k in range(s)}
    parameters = {f"M{i}{j}": 3.0 if i == j else 0.1 for i in range(n) for j in range(i, n)}
    parameters |= {f"f{i}": 1.0 for i in range(n)} | {f"b{k}": 0.5 for k in range(s)}
    parameters |= {f"A{k}{i}": 1.0 if i == k else 0.2 for k in range(s) for i in range(n)}
    parameters |= {f"T{i}{k}": 0.1 for i in range(n) for k in range(s)}
    return System(names, mass=M, force=f, constraints=rows, parameters=parameters)


def draw(n: int, s: int, random: np.random.Generator):
    B = random.normal(size=(n, n))
    M, A, T = B @ B.T + 0.3 * np.eye(n), random.normal(size=(s, n)), random.normal(size=(n, s))
    return M, random.normal(size=n), A, random.normal(size=s), T * random.choice([0.1, 0.5, 1.5])


def count(M, f, A, c, T) -> list[np.ndarray]:
    """Return the solutions of all patterns of signs, each of the whole matrix."""
    n, s = T.shape
    found = []
    for signs in itertools.product((1, -1), repeat=s):
        K = np.block([[M, -A.T + T * np.array(signs)], [A, np.zeros((s, s))]])
        x = np.linalg.solve(K, np.concatenate([f, c]))
        if np.all(x[n:] * signs >= 0):
            found.append(x)
    return found


@pytest.mark.parametrize(("size", "draws"), [(size, 5) for size in SIZES])
def test_random_systems(size, draws):
    judge(size, draws, 0)


@pytest.mark.full
@pytest.mark.parametrize(("size", "draws"), [(size, 125) for size in SIZES])
def test_many_random_systems(size, draws):
    judge(size, draws, 1)


def judge(size, draws, seed):
    n, s = size
    system, random = random_system(n, s), np.random.default_rng((seed, n, s))
    kernels = {form: system.compile(form) for form in ("multipliers", "minimal")}
    several = 0
    for _ in range(draws):
        M, f, A, c, T = draw(n, s, random)
        found = count(M, f, A, c, T)
        values = {f"M{i}{j}": M[i, j] for i in range(n) for j in range(i, n)}
        values |= {f"f{i}": f[i] for i in range(n)} | {f"b{k}": c[k] for k in range(s)}
        values |= {f"A{k}{i}": A[k, i] for k in range(s) for i in range(n)}
        values |= {f"T{i}{k}": T[i, k] for i in range(n) for k in range(s)}
        q = np.zeros(n)
        if len(found) == 1:
            for kernel in kernels.values():
                result = kernel(0.0, q, q, values)
                np.testing.assert_allclose(result.acceleration, found[0][:n], rtol=1e-8, atol=1e-8)
            lam = kernels["multipliers"](0.0, q, q, values).multipliers
            left = M @ found[0][:n] - f + T @ np.abs(lam) - A.T @ lam
            assert np.abs(left).max() <= 1e-9 * (1 + np.abs(lam).max() * np.abs(A).max())
        else:
            several += 1
            for kernel in kernels.values():
                with pytest.raises(SimulationError, match=r"no solution|solutions"):
                    kernel(0.0, q, q, values)
    assert several < draws
