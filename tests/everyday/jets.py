"""Numbers that carry their first and second derivatives: how the oracle differentiates, without any formula.

A jet holds a value, its gradient and its Hessian by all variables z = (q, v, t). Where a function has a kink the branch
of the value is taken, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


class Jet:
    """A value with its gradient and its Hessian."""

    def __init__(self, value: float, gradient: np.ndarray, hessian: np.ndarray):
        self.value, self.gradient, self.hessian = float(value), gradient, hessian

    @staticmethod
    def variables(values: Sequence[float]) -> list[Jet]:
        """Return variables with these values, each differentiated by all of them."""
        n = len(values)
        return [Jet(x, unit, np.zeros((n, n))) for x, unit in zip(values, np.eye(n), strict=True)]

    def through(self, value: float, first: float, second: float) -> Jet:
        """Return f of this, given f, f′ and f″ at its value."""
        outer = second * np.outer(self.gradient, self.gradient) if second else 0.0
        return Jet(value, first * self.gradient, first * self.hessian + outer)

    def rate(self, k: int) -> Jet:
        """Return the derivative by the variable k, exact to first order."""
        return Jet(self.gradient[k], self.hessian[k], np.zeros_like(self.hessian))

    def __add__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return Jet(self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian)
        if isinstance(other, np.ndarray):  # one by one, by NumPy
            return NotImplemented
        return Jet(self.value + other, self.gradient, self.hessian)

    def __mul__(self, other: Any) -> Jet:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Jet):
            return Jet(self.value * other, self.gradient * other, self.hessian * other)
        cross = np.outer(self.gradient, other.gradient)
        return Jet(
            self.value * other.value,
            self.value * other.gradient + other.value * self.gradient,
            self.value * other.hessian + other.value * self.hessian + cross + cross.T,
        )

    def __pow__(self, power: float) -> Jet:
        x, p = self.value, power
        second = 0.0 if p in (0, 1) else p * (p - 1) * x ** (p - 2)
        return self.through(x**p, p * x ** (p - 1) if p else 0.0, second)

    def __truediv__(self, other: Any) -> Jet:
        return self * (other**-1 if isinstance(other, Jet) else 1 / other)

    def __rtruediv__(self, other: Any) -> Jet:
        return self**-1 * other

    def __neg__(self) -> Jet:
        return self * -1.0

    def __sub__(self, other: Any) -> Jet:
        return self + -other

    def __rsub__(self, other: Any) -> Jet:
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def __float__(self) -> float:
        return self.value


def gradient(x: Any, size: int) -> np.ndarray:
    """Return the gradient of a jet, or of a constant."""
    return x.gradient if isinstance(x, Jet) else np.zeros(size)


def hessian(x: Any, size: int) -> np.ndarray:
    """Return the Hessian of a jet, or of a constant."""
    return x.hessian if isinstance(x, Jet) else np.zeros((size, size))


def _lift(values: Any) -> Any:
    """Turn x -> (f, f′, f″) into a function of numbers and jets."""
    return lambda x: x.through(*values(x.value)) if isinstance(x, Jet) else values(float(x))[0]


def _tan(x: float) -> tuple[float, float, float]:
    y = math.tan(x)
    return y, 1 + y * y, 2 * y * (1 + y * y)


def _tanh(x: float) -> tuple[float, float, float]:
    y = math.tanh(x)
    return y, 1 - y * y, -2 * y * (1 - y * y)


sin = _lift(lambda x: (math.sin(x), math.cos(x), -math.sin(x)))
cos = _lift(lambda x: (math.cos(x), -math.sin(x), -math.cos(x)))
tan = _lift(_tan)
tanh = _lift(_tanh)
sinh = _lift(lambda x: (math.sinh(x), math.cosh(x), math.sinh(x)))
cosh = _lift(lambda x: (math.cosh(x), math.sinh(x), math.cosh(x)))
exp = _lift(lambda x: (math.exp(x),) * 3)
log = _lift(lambda x: (math.log(x), 1 / x, -1 / x**2))
sqrt = _lift(lambda x: (math.sqrt(x), 0.5 / math.sqrt(x), -0.25 / x**1.5))
atan = _lift(lambda x: (math.atan(x), 1 / (1 + x * x), -2 * x / (1 + x * x) ** 2))
asin = _lift(lambda x: (math.asin(x), (1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5))
acos = _lift(lambda x: (math.acos(x), -((1 - x * x) ** -0.5), -x * (1 - x * x) ** -1.5))
absolute = _lift(lambda x: (abs(x), math.copysign(1.0, x), 0.0))
sign = _lift(lambda x: (float(np.sign(x)), 0.0, 0.0))
step = _lift(lambda x: (float(np.heaviside(x, 0.5)), 0.0, 0.0))


def atan2(y: Any, x: Any) -> Any:
    """Return the angle of (x, y)."""
    turn = math.atan2(float(y), float(x))
    if not isinstance(y, Jet) and not isinstance(x, Jet):
        return turn
    c, s = math.cos(turn), math.sin(turn)
    ahead = (y * c - x * s) / (x * c + y * s)  # the tangent of what is left, whose value is zero
    return turn + atan(ahead)


def smallest(x: Any, y: Any) -> Any:
    """Return the smaller of two."""
    return x if float(x) <= float(y) else y


def largest(x: Any, y: Any) -> Any:
    """Return the larger of two."""
    return x if float(x) >= float(y) else y


FUNCTIONS = {
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "tanh": tanh,
    "sinh": sinh,
    "cosh": cosh,
    "exp": exp,
    "log": log,
    "sqrt": sqrt,
    "atan": atan,
    "asin": asin,
    "acos": acos,
    "abs": absolute,
    "sign": sign,
    "step": step,
    "atan2": atan2,
    "min": smallest,
    "max": largest,
}
