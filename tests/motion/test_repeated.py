"""Constraints that repeat each other: the motion is that without them, as accurate and in about as many steps."""

from __future__ import annotations

import pytest

from tests.conftest import pendulum

RODS = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)"}


@pytest.mark.parametrize(
    "further", [{"length": "x^2 + y^2 = l^2"}, {"again": "y = -l*cos(phi)"}], ids=["length", "again"]
)
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_they_cost_no_accuracy(further, tolerance):
    """Stages of a step lie beside the constraints, where repeated ones contradict each other."""
    exact = pendulum().simulate(10, rtol=1e-13, atol=1e-14)["phi"][-1]
    plain = pendulum().simulate(10, rtol=tolerance, atol=tolerance)
    run = pendulum(constraints=RODS | further).simulate(10, rtol=tolerance, atol=tolerance)
    assert abs(run["phi"][-1] - exact) < 10 * abs(plain["phi"][-1] - exact) + 2 * tolerance
    assert run.steps < 1.2 * plain.steps + 2
    assert run.certificate.ok


@pytest.mark.parametrize("form", ["minimal", "explicit", "canonical", "independent"])
def test_other_forms_keep_their_digits_too(form):
    exact = pendulum().simulate(10, rtol=1e-13, atol=1e-14)["phi"][-1]
    run = pendulum(constraints=RODS | {"length": "x^2 + y^2 = l^2"}).simulate(10, form=form, rtol=1e-12, atol=1e-12)
    assert abs(run["phi"][-1] - exact) < 1e-11
