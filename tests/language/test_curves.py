"""Curves through points against SciPy's splines and NumPy's interpolation, and their ranges against samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from dalembert.language.curves import Interpolant
from dalembert.language.intervals import Interval

RANDOM = np.random.default_rng(1)


def points(n):
    return np.cumsum(RANDOM.uniform(0.01, 1.0, n)) - 2.0, RANDOM.normal(size=n)


@pytest.mark.parametrize("n", [3, 4, 5, 60, 20_000])
def test_cubic_curves_are_splines_without_knots_next_to_the_ends(n):
    x, y = points(n)
    curve, spline = Interpolant(x, y), CubicSpline(x, y)
    u = np.concatenate([RANDOM.uniform(x[0], x[-1], 300), x[[0, -1]]])
    for order in range(4 if n > 3 else 3):
        assert np.allclose(curve.at(u, order), spline(u, order), rtol=1e-9, atol=1e-11 * np.abs(spline(u, order)).max())
    assert np.array_equal([curve.value(float(v), 1) for v in u], curve.at(u, 1))
    assert np.array_equal(curve.at(x), np.append(y[:-1], curve.at(x[-1]))) and np.isclose(curve.at(x[-1]), y[-1])


def test_straight_curves_and_what_is_beyond():
    x, y = points(30)
    u = np.linspace(x[0] - 3, x[-1] + 3, 1000)
    assert np.allclose(Interpolant(x, y, "linear", "constant").at(u), np.interp(u, x, y), atol=1e-13)
    spline = CubicSpline(x, y)
    right = y[-1] + spline(x[-1], 1) * (u[-1] - x[-1])
    assert np.isclose(Interpolant(x, y, beyond="linear").at(u[-1]), right) and np.isclose(
        Interpolant(x, y).at(u[-1]), right
    )
    assert Interpolant(x, y, "cubic", "constant").at(u[0]) == y[0]
    bounded = Interpolant(x, y).bounded()
    assert np.array_equal(np.isnan(bounded.at(u)), (u < x[0]) | (u > x[-1]))
    assert np.isnan(Interpolant(x, y).at(np.nan)) and np.isnan(Interpolant(x, y).value(np.nan))


@pytest.mark.parametrize("kind", ["cubic", "linear"])
def test_ranges_hold_all_values_and_little_more(kind):
    x, y = points(200)
    curve = Interpolant(x, y, kind, "constant")
    for one in (curve, *curve.tents()[:2]):
        for order in range(one.order + 1):
            low = RANDOM.uniform(x[0] - 2, x[-1] + 2, 400)
            high = low + 10.0 ** RANDOM.uniform(-10, 2, 400)
            found = one.over(order)(Interval(low, high))
            values = one.at(low + (high - low) * np.linspace(0, 1, 3000)[:, None], order)
            assert np.all(values >= found.low) and np.all(values <= found.high)
            extent = np.ptp(values, axis=0)
            short, size = high - low < 0.1, np.abs(values).max()
            assert np.all((found.high - found.low)[short] <= (1.1 * extent + 1e-6 * size)[short])
    missing = curve.over(0)(Interval(np.nan, np.nan))
    assert np.isnan(missing.low) and np.isinf(Interpolant(x, y).over(0)(Interval(-np.inf, 0.0)).high)


def test_tents_pass_zero_at_kinks_only():
    x, y = points(40)
    tent = Interpolant(x, y, "linear").tents()[0]
    assert np.abs(tent.at(x[1:-1])).max() < 1e-15
    assert np.array_equal(np.sign(tent.at(x[1:-1] + 1e-6)), -np.sign(tent.at(x[1:-1] - 1e-6)))
    assert np.sum(np.diff(np.sign(tent.at(np.linspace(x[0] - 5, x[-1] + 5, 40_001)))) != 0) == 38
    assert not Interpolant(x, y).tents() and len(Interpolant(x, y, beyond="linear").kinks) == 2


def test_one_of_the_tents_tells_any_two_pieces_apart():
    x, y = points(40)
    middles = (x[1:] + x[:-1]) / 2
    signs = np.array([np.sign(tent.at(middles)) for tent in Interpolant(x, y, "linear").tents()])
    different = np.any(signs[:, :, None] != signs[:, None, :], axis=0)
    assert np.array_equal(different, ~np.eye(len(middles), dtype=bool))
