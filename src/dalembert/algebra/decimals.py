"""Numbers as a person wrote them: sums and products of decimals leave digits that nobody wrote.

0.7·9.80665 in floats is 6.864654999999999 and means 6.864655; 0.7/12 is 0.05833333333333333 and means 7/120.
"""

from __future__ import annotations

from fractions import Fraction

_ROUNDED = 5e-16  # relative error of a few operations
_DIGITS = 12  # of a decimal that somebody wrote
_FEW, _NEARLY = 6, 1e-13  # digits of one that a difference of others means, and how much such a one may be off
_DENOMINATOR = 100_000  # of a fraction that somebody meant


def short_decimal(value: float) -> str | None:
    """Return the short decimal that a float is, up to rounding, or None.

    >>> short_decimal(0.7 * 9.80665), short_decimal(0.7 / 12), short_decimal(2.61 - 2.52)
    ('6.864655', None, '0.09')
    """
    text = f"{value:.{_FEW}g}"
    if abs(float(text) - value) <= _NEARLY * abs(value):
        return text
    text = f"{value:.{_DIGITS}g}"
    return text if abs(float(text) - value) <= _ROUNDED * abs(value) else None


def simple_fraction(value: float) -> Fraction | None:
    """Return the simple fraction that a float is, up to rounding, or None.

    >>> simple_fraction(0.7 / 12)
    Fraction(7, 120)
    """
    size = abs(value)
    scale = 1
    while size != 0 and size * scale < 1e-3 and scale < 10**12:  # 1/15000 is simple too
        scale *= 1000
    found = Fraction(value * scale).limit_denominator(_DENOMINATOR) / scale
    return found if found and abs(float(found) - value) <= _ROUNDED * size else None


def meant(value: float) -> Fraction:
    """Return what a float means, exactly.

    >>> meant(0.35 * 1.3), meant(1 / 3)
    (Fraction(91, 200), Fraction(1, 3))
    """
    if text := short_decimal(value):
        return Fraction(text)
    return simple_fraction(value) or Fraction(f"{value:.15g}")
