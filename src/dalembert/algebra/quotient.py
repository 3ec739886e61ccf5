"""Quotients of two polynomials of a field, in lowest terms and reduced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.algebra.rational import Field

Polynomial = Any  # flint's fmpz_mpoly


class Quotient:
    """A quotient of two polynomials, in lowest terms and reduced; supports + − × ÷ and integer powers."""

    __slots__ = ("denominator", "field", "numerator")

    def __init__(self, field: Field, numerator: Polynomial, denominator: Polynomial = None):
        self.field = field
        self.numerator: Any = numerator
        self.denominator: Any = field.unit
        if denominator is not None:
            self._cancel(field.reduce(numerator), field.reduce(denominator))

    def _cancel(self, numerator: Any, denominator: Any) -> None:
        if denominator.is_zero():
            raise ZeroDivisionError("division by a formula that vanishes")
        if numerator.is_zero():
            denominator = self.field.unit
        elif not denominator.is_one():
            self.field.work(numerator, denominator)
            common = numerator.gcd(denominator)
            if denominator.leading_coefficient() < 0:
                common = -common
            if not common.is_one():
                numerator, denominator = numerator // common, denominator // common
        self.numerator, self.denominator = numerator, denominator

    def __add__(self, other: Quotient) -> Quotient:
        if self.numerator.is_zero():
            return other
        if other.numerator.is_zero():
            return self
        if self.denominator == other.denominator:
            return Quotient(self.field, self.numerator + other.numerator, self.denominator)
        product = self.field.product
        one, rest = _without_common(self.denominator, other.denominator)
        top = product(self.numerator, rest) + product(other.numerator, one)
        return Quotient(self.field, top, product(one, other.denominator))

    def __neg__(self) -> Quotient:
        return self._of(-self.numerator, self.denominator)

    def _of(self, numerator: Polynomial, denominator: Polynomial) -> Quotient:
        """Return a formula that is in lowest terms already."""
        made = Quotient(self.field, numerator)
        made.denominator = denominator
        return made

    def __sub__(self, other: Quotient) -> Quotient:
        return self + (-other)

    def __mul__(self, other: Quotient) -> Quotient:
        if self.numerator.is_zero() or other.numerator.is_zero():
            return self.field.zero
        return self._times(other.numerator, other.denominator)

    def __truediv__(self, other: Quotient) -> Quotient:
        return self._times(other.denominator, other.numerator)

    def _times(self, top: Polynomial, bottom: Polynomial) -> Quotient:
        """Multiply by a quotient; what cancels crosswise is taken out before the products grow (Henrici 1956)."""
        if bottom.is_zero():
            raise ZeroDivisionError("division by a formula that vanishes")
        product = self.field.product
        one, below = _without_common(self.numerator, bottom)
        other, under = _without_common(top, self.denominator)
        return Quotient(self.field, product(one, other), product(below, under))

    def __pow__(self, exponent: int) -> Quotient:
        if exponent < 0:
            return self.field.one / self ** (-exponent)
        return Quotient(self.field, self.numerator**exponent, self.denominator**exponent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and (self - other).numerator.is_zero()

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return f"Quotient({self.field.write(self)})"


def _without_common(one: Polynomial, other: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Divide two polynomials by what they have in common."""
    if one.is_one() or other.is_one():
        return one, other
    common = one.gcd(other)
    return (one, other) if common.is_one() else (one // common, other // common)
