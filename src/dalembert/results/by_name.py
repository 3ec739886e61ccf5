"""What a run answers to by name: `run["phi"]`, `run["phi'"]`, states, controls, outputs, momenta, H."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import shown
from dalembert.arrays import Array
from dalembert.errors import ModelError, nearest
from dalembert.language.state_names import as_written, inner
from dalembert.model.momenta import canonical_names

if TYPE_CHECKING:
    from dalembert.results.run import Run


def by_name(run: Run, name: Any) -> Array:
    """Return what has a name along a motion, one value for each of its times."""
    system = run.system
    if not isinstance(name, str):
        raise ModelError(f'a run is asked by names, as in run["{system.coordinates[0]}"]; got {shown(name)}')
    plain = name.rstrip("'")
    asked = inner(plain, len(name) - len(plain)) if plain in system.states else name
    for values, names in ((run.t[:, None], ["t"]), (run.q, system.coordinates), (run.v, system.velocities)):
        if asked in names:
            return values[:, names.index(asked)].copy()  # to be changed at will: the motion stays as it is
    accelerations = [name + "'" for name in system.velocities]
    if asked in accelerations:
        return run.accelerations[:, accelerations.index(asked)].copy()
    named = (*system.quasi_velocities, *system.outputs, *run.control_names)
    if plain in named or plain.partition(".")[0] in (*system.frictions, *system.contacts):
        return run.evaluate(name)
    if plain in system.observed.canonical:
        return _of_long_tree(run, name) if system.defined else run.evaluate(name)
    moving = (*system.coordinates[: system.mechanical], *system.velocities, *accelerations)
    known = [*map(as_written, moving), *named, *system.observed.canonical]
    raise ModelError(f"a run has no `{name}`; {_taken(run, plain) or nearest(str(name), known)}")


def _taken(run: Run, name: str) -> str:
    """Say that a name of the model stands in the way of a momentum, or of H."""
    if name not in canonical_names(run.system.coordinates, ()):
        return ""
    return "the model has this name itself, for something else; rename that, or ask in velocities by run.evaluate(…)"


def _of_long_tree(run: Run, name: str) -> Array:
    """Return p or H where there are no formulas: T is quadratic in v, so that its central difference is ∂T/∂v."""
    system, kernels = run.system, run.motion.kernels
    if name.endswith("'"):
        raise ModelError(f'`{name}` is not known of a long tree; take coordinates = "absolute" in [mechanism] for it')
    coordinate = system.observed.canonical[name]
    if not coordinate:
        return run.energies.energy
    t, q, v, parameters = run._points
    along = np.zeros_like(v)
    along[:, system.coordinates.index(coordinate)] = size = np.abs(v).max(initial=0.0) or 1.0  # as what it is added to
    high, low = (kernels.evaluate("core", "energies", t, q, v + sign * along, parameters)[..., 0] for sign in (1, -1))
    return (high - low) / (2 * size)
