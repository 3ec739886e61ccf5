"""What compiled code depends on, written down: under this it is kept on disk."""

from __future__ import annotations

import hashlib
import importlib.metadata
from functools import cache
from pathlib import Path

from dalembert.language.functions import added_functions
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.mechanism.outward import Outward
from dalembert.model.system import System
from dalembert.native import machine


def model_text(system: System) -> str:
    """Write down all that compiled code depends on: the model without values, the package, LLVM, the processor."""
    zero = [name for name, value in system.parameters.items() if value == 0]  # may change what must come first
    return "\n".join([_versions(), machine.signature(), str(zero), _structure(system)])


@fact(STRUCTURE)
def _structure(system: System) -> str:
    """Write down a model without values."""
    parts = [
        system.coordinates,
        tuple(system.parameters),
        system.kinetic,
        system.potential,
        system.mass,
        system.force,
        dict(system.forces),
        [(constraint.name, constraint.expression) for constraint in system.constraints],
        system.defined.text if isinstance(system.defined, Outward) else "",
        dict(system.quasi_velocities),
    ]
    return "\n".join(map(str, parts))


def is_lasting(system: System, *kinds: type) -> bool:
    """Tell whether a model means the same tomorrow, and so do kinds of things that belong to what is kept of it.

    What was added to the language from outside, or a form of somebody's own, may mean something else then.
    """
    text = _structure(system)
    own = all(kind.__module__.startswith(f"{__name__.partition('.')[0]}.") for kind in kinds)
    return own and not any(f"{name}(" in text for name in added_functions())


@cache
def _versions() -> str:
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        digest.update(path.read_bytes())
    return f"dalembert {importlib.metadata.version('dalembert')} {digest.hexdigest()}"
