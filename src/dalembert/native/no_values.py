"""What is said where a kernel gives no finite value."""

from __future__ import annotations

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.law_numbers import acting
from dalembert.blocks.numeric import Numeric
from dalembert.errors import SimulationError, quoted
from dalembert.model.system import System
from dalembert.survey.paradox import at_state, paradox


def refuse_values(system: System, converted: bool, out: Array, rows: Array, singular: Array) -> None:
    """Raise SimulationError for the first row of inputs without a finite value; none if all have one.

    converted: whether something else stands in the place of velocities. singular: rows of which M is not definite.
    """
    bad = singular | ~np.all(np.isfinite(out), axis=1)
    if not np.any(bad):
        return
    first, n = np.flatnonzero(bad)[0], len(system.coordinates)
    row = rows[first][: 1 + 2 * n + len(system.parameters)]
    t, q, v, values = float(row[0]), row[1 : 1 + n], row[1 + n : 1 + 2 * n], row[1 + 2 * n :]
    where = at_state(system, t, q, v)
    if singular[first] and np.all(np.isfinite(row)):
        raise SimulationError(f"the mass matrix is not positive definite at {where}, with these parameters")
    if system.followed and not converted:
        numeric = Numeric(system, dict(zip(system.parameters, values, strict=True)))
        if reason := paradox(numeric, t, q, v):
            raise SimulationError(reason)
        steered = all(system.constraint(name).steered for name in system.followed)
        if steered and acting(numeric, t, q, v).finite():
            given = system.sections["programme"]
            held = f"programme {quoted(given)} takes" if len(given) == 1 else f"programmes {quoted(given)} take"
            held = f"{held} {quoted(system.holding)}"
            raise SimulationError(
                f"{held} of which too few digits are known at {where}: their conditions nearly coincide"
            )
        if not steered and numeric.all(t, q, v).finite():
            whose = f"forces that depend on the reactions of {quoted(sorted(system.followed)[:6])}"
            raise SimulationError(f"{whose} are next to a jump, or to where they have no solution, at {where}")
    raise SimulationError(f"the equations have no finite value at {where}")
