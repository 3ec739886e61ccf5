"""States of first order under the names that expressions have for them.

A state z with the rate r(t, q, v, z) is to the rest of the program the velocity of a coordinate ∫z with the inertia one
and the force r, on which nothing depends: (∫z)'' = r. So every form, method and check has it as it has a velocity, with
no constraint and no reaction of its own. What is written, z and its rate z', are the symbols `∫z'` and `∫z''`.
"""

from __future__ import annotations

from collections.abc import Sequence

INTEGRAL = "∫"  # no name that a user can write begins so
_MOMENTUM = "p_" + INTEGRAL  # that of the inertia one is the velocity


def integral(state: str) -> str:
    """Return the name of the coordinate whose velocity a state is."""
    return INTEGRAL + state


def is_integral(name: str) -> bool:
    """Tell whether a coordinate is there for a state only."""
    return name.startswith(INTEGRAL)


def inner(state: str, primes: int = 0) -> str:
    """Return the symbol of a state, or of its rate.

    >>> inner("z"), inner("z", 1)
    ("∫z'", "∫z''")
    """
    return integral(state) + "'" * (primes + 1)


def as_written(name: str) -> str:
    """Return a name as the user writes it; names that have nothing to do with states stay as they are.

    >>> as_written("∫z'"), as_written("∫z''"), as_written("x'")
    ('z', "z'", "x'")
    """
    if name.startswith(_MOMENTUM):
        return name[len(_MOMENTUM) :]
    return name[1:-1] if is_integral(name) and name.endswith("'") else name


def named_values(coordinates: Sequence[str], *parts: Sequence[float]) -> dict[str, float]:
    """Return positions, velocities and, if they are given, accelerations by the names that are written.

    >>> named_values(["x", "∫z"], [1, 2], [3, 4])
    {'x': 1.0, "x'": 3.0, 'z': 4.0}
    """
    found = {}
    for order, values in enumerate(parts):
        for name, value in zip(coordinates, values, strict=True):
            if order or not is_integral(name):
                found[as_written(name + "'" * order)] = float(value)
    return found
