"""Multipliers against closed forms, and the identities that hold for every system."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import example
from dalembert.blocks.numeric import Numeric
from dalembert.forms.multipliers import solve
from dalembert.survey.configurations import Configuration, configurations
from tests.conftest import pendulum


def solved(system):
    numeric, state = Numeric(system), system.start()
    values = numeric.all(0.0, state.q, state.v)
    return state, values, *solve(values)


def test_identities_on_the_gallery(model):
    numeric, state = Numeric(model), model.start()
    for place in configurations(numeric, Configuration(0.0, state.q, state.v)):
        values = numeric.all(place.t, place.q, place.v)
        a, lam = solve(values)
        scale = np.abs(values.M).max() * np.abs(a).max() + np.abs(values.f).max() + 1
        assert np.abs(values.A @ a - values.c).max(initial=0) < 1e-9 * (
            1 + np.abs(values.c).max(initial=0) + np.abs(a).max()
        )
        assert np.abs(values.M @ a - values.f - values.A.T @ lam).max() < 1e-9 * scale


def test_rolling_disk():
    """Theory: s̈ = r²F/(mr² + J), reactions (−JF, m g (mr² + J), −JrF)/(mr² + J), at r = 1 too."""
    for r in (0.5, 1.0):
        system = example("rolling-disk").replace(parameters={"r": r})
        m, J, g, F = (system.parameters[name] for name in "mJgF")
        _, values, a, lam = solved(system)
        assert a[0] == pytest.approx(r**2 * F / (m * r**2 + J), rel=1e-12)
        reaction = values.A.T @ lam
        assert reaction == pytest.approx([-J * F / (m * r**2 + J), m * g, -J * r * F / (m * r**2 + J)], rel=1e-10)


@pytest.mark.parametrize("phi", [0.0, 1.0, np.pi / 2])
def test_pendulum(phi):
    state, _, a, _ = solved(pendulum(initial={"phi": phi}))
    assert a[2] == pytest.approx(-9.81 * np.sin(phi) / 1.1, abs=1e-12)
    assert state["phi"] == phi


def test_upright_disk():
    """λ = m r φ̇ ϑ̇ (cos ϑ, sin ϑ), φ̈ = ϑ̈ = 0."""
    _, _, a, lam = solved(example("upright-disk"))
    assert lam == pytest.approx([2 * np.cos(np.pi / 6), 2 * np.sin(np.pi / 6)], abs=1e-12)
    assert a[2:] == pytest.approx([0, 0], abs=1e-12)


def test_pendulum_on_a_slider():
    """Do Sanh 1996, (3.13) corrected."""
    system = example("pendulum-on-slider").replace(initial={"phi'": 1.7})
    p = system.parameters
    m, a, rho, g, F = p["m"], p["a"], p["rho"], p["g"], p["F"]
    M = p["m0"] + m
    K, s, c = m / M, np.sin(0.8), np.cos(0.8)
    bracket = K * a**2 * s * c * F + m * g * a**2 * s**2 - m * a * c * 1.7**2 * (rho**2 - K * a**2)
    _, _, _, lam = solved(system)
    assert lam[0] == pytest.approx(-M * g + bracket / (rho**2 - K * a**2 * c**2), rel=1e-12)


def test_andrews_initial_accelerations_as_published():
    _, _, a, lam = solved(example("andrews-squeezer"))
    assert a[:2] == pytest.approx([14222.4439199541138705911625887, -10666.8329399655854029433719415], rel=1e-9)
    assert -lam[:2] == pytest.approx([98.5668703962410896057654982170, -6.12268834425566265503114393122], rel=1e-9)
    assert np.abs(a[2:]).max() < 1e-5


def test_redundant_constraints_change_nothing():
    _, values, a, lam = solved(pendulum())
    more = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)", "length": "x^2 + y^2 = l^2"}
    _, more_values, more_a, more_lam = solved(pendulum(constraints=more))
    assert more_a == pytest.approx(a, abs=1e-12)
    assert more_values.A.T @ more_lam == pytest.approx(values.A.T @ lam, abs=1e-9)


def test_equations_read_well():
    assert pendulum().derive("multipliers").as_dict()["equations"] == [
        "m*x'' - lambda_rod_x = 0",
        "m*(y'' + g) - lambda_rod_y = 0",
        "J*phi'' + l*(lambda_rod_x*cos(phi) + lambda_rod_y*sin(phi)) = 0",
    ]
