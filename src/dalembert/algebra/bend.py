"""How far a Jacobian holds: the part of a way along which none of its rows turns into another one.

Coordinates have units that nothing tells of. A walk of one metre is short in a bridge and leads out of a machine of
micrometres, where it ends far from everything that the constraints allow; but there the rows show it. In a solar
system it leads nowhere, which they show as well.
"""

from __future__ import annotations

import numpy as np

from dalembert.algebra.either import lengths
from dalembert.algebra.nearest import Residual
from dalembert.arrays import Array

_BENT = 0.8  # change of a row, in its length, beyond which it is another one
_SAME = 1e-2  # and below which it is the same
_SHORTER, _LONGER = 0.1, 10.0
_TURNS = 16  # a way that is shortened so often is none
_STEEP = 1e4  # square of a slope, in what rounding of the residual lets one expect where there is none


def straight_part(equations: Residual, x: Array, way: Array, most: float = 1.0) -> float:
    """Return the part of a way from x along which all rows of the Jacobian stay nearly what they are.

    It is above one, at most as said, where they do not change at all. Rows that vanish at x, but for rounding, are
    others at once, and say nothing.
    """
    _, here, size = equations(x)
    length, far, part = lengths(here), np.linalg.norm(way), 1.0
    rounding = np.finfo(float).eps * size
    found = np.zeros(len(size))  # the part along which each row is straight
    for _ in range(_TURNS):
        if np.all(found > 0):
            break
        there = equations(x + part * way)[1]
        change = lengths(there - here)
        with np.errstate(all="ignore"):
            straight = change <= _BENT * np.maximum(length, lengths(there))
            vanishes = length**2 <= _STEEP * change / (part * far) * rounding
        found[(straight | vanishes) & (found == 0)] = part
        part *= _SHORTER
    part = float(found[found > 0].min(initial=1.0))
    while _LONGER * part <= most and np.all(lengths(equations(x + part * way)[1] - here) <= _SAME * length):
        part *= _LONGER
    return part
