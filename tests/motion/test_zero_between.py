"""Places where something passes zero: to rounding, with few calls where it is smooth, and in jumps too."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.motion.zero_between import zero_between


@pytest.mark.parametrize(
    ("function", "zero", "most"),
    [
        (lambda x: np.cos(3 * x) - 0.3, np.arccos(0.3) / 3, 8),
        (lambda x: x**3 - 0.2, 0.2 ** (1 / 3), 8),
        (lambda x: np.exp(-20 * x) - 0.5, np.log(2) / 20, 12),
        (lambda x: np.where(x < 0.37, 1.0, -1.0), 0.37, 60),
        (lambda x: np.sqrt(np.abs(x - 0.3)) * np.sign(x - 0.3), 0.3, 60),
    ],
)
def test_it_is_found(function, zero, most):
    calls = []

    def values(x):
        calls.append(len(x))
        return function(x)

    ends = function(np.array([0.0, 1.0]))
    assert zero_between(values, 0.0, 1.0, *map(float, ends)) == pytest.approx(zero, abs=1e-15)
    assert len(calls) <= most
