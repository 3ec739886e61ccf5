"""The kernels of structure-preserving methods, against the canonical form and dense linear algebra."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dalembert import System
from dalembert.algebra import quasidefinite, twosided
from dalembert.blocks.numeric import Numeric
from dalembert.motion.entry import Stepper
from dalembert.native.kernels import Kernels
from tests.shared import example

kernel = Stepper("primitives", "kernel")


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_two_sided_elimination(random, sign):
    """The last row has turned round between the two places, or not."""
    n, s = 6, 3
    B = random.normal(size=(n, n))
    W, J = B @ B.T + n * np.eye(n), random.normal(size=(s, n))
    K = J + 0.1 * random.normal(size=(s, n))
    K[-1] *= sign
    entries = [dict(np.ndenumerate(matrix)) for matrix in (W, J, K)]
    order = quasidefinite.elimination_order([*entries[0], *((n + i, j) for i, j in entries[1])], n, s)
    floats = SimpleNamespace(zero=0.0)
    factors = twosided.factorise(*entries, n, s, order, floats, lambda k, pivot, size: 1 / pivot)
    right = random.normal(size=n + s)
    expected = np.linalg.solve(np.block([[W, K.T], [J, np.zeros((s, s))]]), right)
    assert twosided.solve(factors, list(right)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("model", ["double-pendulum", "pendulum-on-slider", "slider-crank", "n-four-bar:2"])
def test_hamiltons_equations_without_reactions(model, random):
    kernels = Kernels(example(model), "canonical")
    start = example(model).start()
    q, p = start.q + 0.1 * random.normal(size=(5, kernels.n)), random.normal(size=(5, kernels.n))
    found = kernels(0.3, q, p)
    out = kernels.evaluate("symplectic", "force", 0.3, q, p)
    assert out[:, : kernels.n] == pytest.approx(found.velocity, rel=1e-12)
    assert kernels.evaluate("symplectic", "velocity", 0.3, q, p) == pytest.approx(found.velocity, rel=1e-12)
    rates = found.momentum_rate - found.reaction
    assert out[:, kernels.n :] == pytest.approx(rates, abs=1e-9 * np.abs(found.momentum_rate).max())


def test_what_is_separable():
    cases = {"chain:2": True, "double-pendulum": False, "pendulum-on-slider": False}
    assert {model: Kernels(example(model), "canonical").facts("symplectic")["separable"] for model in cases} == cases
    damped = System("x", kinetic="x'^2/2", forces={"x": "-x'"})
    assert not Kernels(damped, "canonical").facts("symplectic")["separable"]


def test_impulses(random):
    """M x = d + A(q0)ᵀλ and A x = −g(q), with A of the start or, for the near one, of positions near the end."""
    system = example("slider-crank")
    kernels, start = Kernels(system, "canonical"), system.start()
    n, s, q0, q1 = kernels.n, kernels.s, start.q, start.q + 0.05 * random.normal(size=kernels.n)
    p, d, parameters = random.normal(size=n), random.normal(size=n), list(system.parameters.values())
    names = ("velocity_impulse", "position_impulse", "near", "near_impulse")
    address = [kernels.address("symplectic", name) for name in names]
    work, out = np.zeros(kernels.workspace("symplectic") + 1), np.zeros(4 * (n + s) + 3)
    numeric = Numeric(system)

    def call(which: int, q: np.ndarray) -> np.ndarray:
        kernel(address[which], np.array([0.0, *q, *p, *parameters, *d], dtype=float), out, work)
        return out.copy()

    turned = call(0, q0)
    at = numeric.all(0.0, q0, turned[:n])
    assert at.A @ turned[:n] == pytest.approx(np.zeros(s), abs=1e-12)
    free = kernels.evaluate("symplectic", "velocity", 0.0, q0, p)
    assert at.M @ (turned[:n] - free) == pytest.approx(turned[n : 2 * n], abs=1e-12)
    assert turned[2 * n + 3 : 2 * n + 3 + s] == pytest.approx(np.zeros(s), abs=1e-12)
    g = kernels.residuals(0.0, q1, p)[0]
    lengths = np.linalg.norm(numeric.all(0.0, q1, p).A.toarray(), axis=1)
    assert call(0, q1)[2 * n + 3 + s : 2 * n + 3 + 2 * s] == pytest.approx(np.abs(g) / lengths)
    call(0, q0)
    for which, A in ((1, at.A.toarray()), (3, numeric.all(0.0, q1, p).A.toarray())):
        call(2, q1)
        moved = call(which, q1)
        K = np.block([[at.M.toarray(), -at.A.toarray().T], [A, np.zeros((s, s))]])
        expected = np.linalg.solve(K, np.concatenate([d, -g]))
        assert moved[:n] == pytest.approx(expected[:n], rel=1e-6, abs=1e-7)  # once, with the proximal term
        assert moved[n : 2 * n] == pytest.approx(at.A.T @ expected[n:], rel=1e-6, abs=1e-7)
