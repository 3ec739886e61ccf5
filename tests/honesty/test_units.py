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
