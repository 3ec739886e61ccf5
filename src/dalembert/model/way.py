"""How a variable of the equations moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dalembert.language.building import Expr


class Way(NamedTuple):
    """The rate of a variable, and by how much it changes with each coordinate, by number.

    A coordinate has its velocity as its rate, and changes with itself alone. What is *attached* to coordinates, as the
    rotation matrix of a body whose velocities are angular ones, changes with several of them.
    """

    directions: Mapping[int, Expr]
    rate: Expr
