"""Mass matrices that depend on velocities, in models by matrices: every form against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import DerivationError, System

MOVING = System(
    "x y",
    mass=[["2 + y'^2", "x'*y'"], ["x'*y'", "3 + x'^2"]],
    force=["-x - x'*y'^2", "-4*y"],
    initial={"x": 1, "y": 0.3, "x'": 0.2, "y'": 0.1},
)


def solved(until: float) -> np.ndarray:
    def rates(t, z):
        x, y, u, w = z
        return [u, w, *np.linalg.solve([[2 + w * w, u * w], [u * w, 3 + u * u]], [-x - u * w * w, -4 * y])]

    return solve_ivp(rates, (0, until), [1, 0.3, 0.2, 0.1], rtol=1e-11, atol=1e-12).y[:, -1]


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "independent"])
def test_every_form_that_takes_matrices(form):
    run = MOVING.simulate(until=2, form=form, certify=True)
    assert run.certificate.ok
    np.testing.assert_allclose([run[name][-1] for name in ("x", "y", "x'", "y'")], solved(2), atol=1e-8)


@pytest.mark.parametrize("method", ["radau", "bdf"])
def test_implicit_methods(method):
    run = MOVING.simulate(until=2, method=method)
    np.testing.assert_allclose([run["x"][-1], run["y"][-1]], solved(2)[:2], atol=1e-7)


def test_fewer_coordinates_have_the_same_accelerations():
    tied = MOVING.replace(constraints={"c": "x + y = 1.3"}, initial={"x": None, "x'": None})
    less = tied.reduced()
    (name,) = less.coordinates
    state = {"x": (0.6, -0.4), "y": (0.7, 0.4)}
    q, v = ([pair[i] for pair in state.values()] for i in (0, 1))
    whole = dict(zip(("x", "y"), tied.compile().accelerations(0, q, v).acceleration, strict=True))
    found = less.compile().accelerations(0, [state[name][0]], [state[name][1]]).acceleration
    np.testing.assert_allclose(found, [whole[name]], rtol=1e-12)


def test_canonical_says_that_it_needs_energies():
    with pytest.raises(DerivationError, match="`canonical` needs energies"):
        MOVING.derive("canonical")
