"""Units decide nothing: a pendulum of nanometres or gigametres is found, derived and moved like one of a metre."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System
from dalembert.survey.configurations import places_of

LENGTHS = [1e-9, 1e-6, 1e9]


def hung(length: float, **changes) -> System:
    """A pendulum with the same period in every unit."""
    parts = {"kinetic": "m*(x'^2 + y'^2)/2", "potential": "m*g*y", "constraints": {"rod": "x^2 + y^2 = l^2"}}
    values = {"m": 2.0, "l": length, "g": 9.81 * length}
    start = {"initial": {"x": 0.6 * length, "x'": 0.0}, "guess": {"y": -0.5 * length}}
    return System("x y", **{**parts, "parameters": values, **start, **changes})


@pytest.mark.parametrize("length", LENGTHS)
def test_places_of_the_pilot_lie_on_the_constraints(length):
    """From a walk of a metre none came back to a circle of a nanometre, and the rod held nothing."""
    for x in (0.6, 1.0):
        places = places_of(hung(length, initial={"x": x * length, "x'": 0.0}))
        radii = [np.hypot(*place.q) / length for place in places]
        assert radii == pytest.approx([1.0] * len(places), abs=1e-6)
        assert np.ptp([place.q / length for place in places], axis=0).max() > 0.02


@pytest.mark.parametrize("length", LENGTHS)
def test_a_check_says_the_same(length):
    assert [str(p.text) for p in hung(length).check().problems] == [str(p.text) for p in hung(1.0).check().problems]


@pytest.mark.parametrize("length", LENGTHS)
def test_a_start_is_found_where_the_constraint_has_no_slope_at_the_guess(length):
    q = hung(length, initial={}, guess={}).start().q / length
    assert q == pytest.approx(hung(1.0, initial={}, guess={}).start().q, abs=1e-9)


def test_positions_of_gigametres_are_projected_where_one_passes_zero():
    kernels = hung(1e9).compile()
    q = kernels.project_positions(0.0, [1e-3, -1e9 + 2.0], [0.0, 0.0])
    assert np.hypot(*q) == pytest.approx(1e9, rel=1e-15)


@pytest.mark.parametrize("length", [1e-9, 1e9])
@pytest.mark.parametrize("form", ["multipliers", "minimal", "canonical", "independent"])
def test_forms_move_alike(form, length):
    """The angle beside the lengths is what units would tell."""
    values = {"m": 2.0, "J": 0.25 * length**2, "l": length, "g": 9.81 * length}
    parts = {"kinetic": "m*(x'^2 + y'^2)/2 + J*phi'^2/2", "potential": "m*g*y", "initial": {"phi": 0.75, "phi'": 0.0}}
    bands = {"a": "x = l*sin(phi)", "b": "y = -l*cos(phi)"}
    run = System("x y phi", **parts, constraints=bands, parameters=values).simulate(3, form=form, atol=1e-30)
    usual = {"m": 2.0, "J": 0.25, "l": 1.0, "g": 9.81}
    other = System("x y phi", **parts, constraints=bands, parameters=usual).simulate(3, form=form, atol=1e-30)
    assert abs(run.steps - other.steps) <= 0.1 * other.steps
    assert run["phi"][-1] == pytest.approx(other["phi"][-1], abs=1e-8)
    assert run.certificate.ok, str(run.certificate)


@pytest.mark.parametrize("length", [1e-9, 1e9])
def test_bdf_keeps_its_tolerance_beside_angles(length):
    """The angle was what rounding was measured by: a skate of nanometres was followed in a fifth of the steps."""
    values = {"m": 1.0, "J": 0.25 * length**2, "g": 2.5 * length}
    parts = {"kinetic": "m*(x'^2 + y'^2)/2 + J*th'^2/2", "potential": "m*g*x", "parameters": values}
    start = {"x": 0.0, "y": 0.0, "th": 0.25, "th'": 1.5, "x'": length * np.cos(0.25), "y'": length * np.sin(0.25)}
    skate = System("x y th", **parts, constraints={"edge": "x'*sin(th) = y'*cos(th)"}, initial=start)
    run = skate.simulate(4, method="bdf", rtol=1e-6, atol=1e-9 * min(length, 1.0))

    def place(t):  # u = 1 − (g/ω)(sin θ − sin θ₀) along the edge, at a constant ω
        u, w, s = 2.5 / 1.5, 1.5, np.sin(0.25)
        b = 0.25 + w * t
        return ((1 + u * s) * (np.sin(b) - s) - u / 2 * (np.sin(b) ** 2 - s**2)) / w

    assert run["x"][-1] / length == pytest.approx(place(4.0), abs=1e-5)
    assert run.certificate.ok, str(run.certificate)
