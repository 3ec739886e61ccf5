"""Where a mechanism in the coordinates of its tree begins: in the state in which its companion does.

So a mechanism starts in the same way whatever its coordinates are, also where bodies are placed so that its joints do
not close, and joints that cannot close are told by their names.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import symengine as se

from dalembert.blocks.numeric import Numeric, pilot_parameters
from dalembert.language.building import Expr
from dalembert.language.state_names import is_integral
from dalembert.model.mechanism.companion import companion
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.renaming import angles_of_bodies, guess_of_bodies
from dalembert.survey.initial_numbers import given_values
from dalembert.survey.start import solved_start

_TURN = 2 * np.pi


def tree_guess(mechanism: Mechanism) -> Mapping[str, Expr]:
    """Return coordinates and velocities of the tree in the state in which the companion begins."""
    other = companion(mechanism)
    numeric = Numeric(mechanism, pilot_parameters(mechanism))
    renamed = {name + p: other + p for name, other in angles_of_bodies(mechanism).items() for p in ("", "'")}
    initial = {renamed.get(name, name): value for name, value in mechanism.initial.items()}
    other = other.replace(initial=initial, guess=guess_of_bodies(mechanism), simulation=mechanism.simulation)
    positions, velocities = solved_start(other)
    state = [positions.level.t, *positions.best.x, *velocities.best.x, *numeric.parameters]
    near = given_values(numeric, mechanism.guess)
    return {name: se.RealDouble(x) for name, x in _in_tree(mechanism, other, np.array(state), near).items()}


def _in_tree(mechanism: Mechanism, other: Mechanism, state: np.ndarray, near: Mapping[str, float]) -> dict[str, float]:
    """Return coordinates and velocities of the tree at a state of the companion; turns are those nearest to a guess."""
    names = [name for name in mechanism.coordinates if not is_integral(name)]
    renamed = angles_of_bodies(mechanism)
    wanted = [other.meant(se.Symbol(renamed.get(name, name) + prime)) for prime in ("", "'") for name in names]
    numeric = Numeric(other, dict(zip(other.parameters, state[1 + 2 * len(other.coordinates) :], strict=True)))
    n = len(other.coordinates)
    found = numeric.evaluate(numeric.program(wanted), state[0], state[1 : 1 + n], state[1 + n : 1 + 2 * n])
    values = dict(zip([name + prime for prime in ("", "'") for name in names], map(float, found), strict=True))
    for name in names:
        if mechanism.measured.get(name) == "angle":
            values[name] += _TURN * round((near.get(name, 0.0) - values[name]) / _TURN)
    return values
