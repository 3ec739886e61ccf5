"""A mechanism in the coordinates of its tree, and the same one in those of its bodies: its companion.

Joints that carry bodies have no conditions, and so no multipliers. The companion has them all: at the state that
belongs to one of the tree it gives the force of every joint, and it knows all that is asked of bodies one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.language.building import TIME
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.mechanism.renaming import in_absolute
from dalembert.model.modes import in_modes
from dalembert.model.variants import with_values

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism


def companion(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism in the coordinates of its bodies; values of parameters are the same."""
    found = _companion(mechanism)
    if found.parameters == mechanism.parameters:
        return found
    if found.written is not found:  # modes are parameters which the user does not have
        return with_values(found, {"parameters": mechanism.parameters})
    return found.replace(parameters=mechanism.parameters)


@fact(STRUCTURE)
def _companion(mechanism: Mechanism) -> Mechanism:
    """Return it, with the coordinates of joints as names in expressions; it starts where the bodies are placed."""
    if mechanism.written is not mechanism:
        return in_modes(_companion(mechanism.written))
    left = {"initial": {}, "guess": {}, "drawing": None, "events": None}
    return type(mechanism)(**in_absolute(mechanism) | left, symbols=mechanism.symbols, source=mechanism.source)


@fact(STRUCTURE)
def _absolute_state(mechanism: Mechanism) -> Program:
    """Return coordinates and velocities of the companion as a program of t, q, v and parameters."""
    names = (TIME, *mechanism.coordinates, *mechanism.velocities, *mechanism.parameters)
    other = _companion(mechanism)
    wanted = [se.Symbol(name) for name in (*other.coordinates, *other.velocities)]
    return Program(
        [se.Symbol(name) for name in names], [mechanism.meant(symbol) for symbol in wanted], mechanism.defined
    )


def absolute_inputs(mechanism: Mechanism, inputs: Array) -> Array:
    """Return states of the companion: t, q, v and parameters, one row for each, as kernels read them."""
    rows = inputs.reshape(-1, inputs.shape[-1])
    n = len(mechanism.coordinates)
    states = _absolute_state(mechanism).arrays(list(rows.T))
    made = np.column_stack([rows[:, 0], np.asarray(states).T, rows[:, 1 + 2 * n :]])
    return made.reshape((*inputs.shape[:-1], made.shape[1]))
