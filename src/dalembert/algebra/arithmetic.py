"""Numbers as scalars of the generic algorithms: floats, or arrays with one value per pilot point."""

from __future__ import annotations

from typing import Any

import numpy as np


class Numbers:
    """The arithmetic of floats and arrays of floats.

    A generic algorithm uses the operators of its scalars, `zero` and `one`, and asks three questions, always through a
    pilot: is x negligible beside y, how large is x, how long is it? With arrays an answer holds at every point.
    """

    zero = 0.0
    one = 1.0
    rounds = True

    @staticmethod
    def negligible(x: Any, reference: Any) -> bool:
        """Tell whether x is rounding error of something as large as the reference, at every point."""
        return bool(np.all(np.abs(x) <= 1e-13 * np.abs(reference)))

    @staticmethod
    def weight(x: Any) -> float:
        """Return how large x is, at least."""
        return float(np.min(np.abs(x)))

    @staticmethod
    def length(x: Any) -> int:
        """All numbers are equally long."""
        return 1
