"""dalembert: constrained mechanical systems, from the model to equations, reactions and motion.

The public names are imported when they are first used, so that `import dalembert` stays fast.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from dalembert.errors import DalembertError, DerivationError, ModelError, MotionWarning, SimulationError
    from dalembert.language.translate import coordinates, dot
    from dalembert.model.gallery import example, names
    from dalembert.model.mechanism.mechanism import Mechanism
    from dalembert.model.mechanism.pairs.base import pair
    from dalembert.model.system import System
    from dalembert.model.textfile import load, loads
    from dalembert.motion.events import Event
    from dalembert.results.motion_files import load_motion
    from dalembert.results.stability_map import stabilisation_map

_PUBLIC = {
    "System": "dalembert.model.system",
    "Mechanism": "dalembert.model.mechanism.mechanism",
    "pair": "dalembert.model.mechanism.pairs",
    "coordinates": "dalembert.language.translate",
    "dot": "dalembert.language.translate",
    "load": "dalembert.model.textfile",
    "loads": "dalembert.model.textfile",
    "example": "dalembert.model.gallery",
    "names": "dalembert.model.gallery",
    "Event": "dalembert.motion.events",
    "load_motion": "dalembert.results.motion_files",
    "stabilisation_map": "dalembert.results.stability_map",
    "DalembertError": "dalembert.errors",
    "ModelError": "dalembert.errors",
    "DerivationError": "dalembert.errors",
    "MotionWarning": "dalembert.errors",
    "SimulationError": "dalembert.errors",
}
__all__ = [
    "DalembertError",
    "DerivationError",
    "Event",
    "Mechanism",
    "ModelError",
    "MotionWarning",
    "SimulationError",
    "System",
    "coordinates",
    "dot",
    "example",
    "load",
    "load_motion",
    "loads",
    "names",
    "pair",
    "stabilisation_map",
]
__version__ = "0.1.0"


_RENAMED: dict[str, str] = {}  # names of the last version: they work for this one still, with a warning


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        import warnings

        text = f"`dalembert.{name}` is now `dalembert.{_RENAMED[name]}`; the old name goes with the next version"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        name = _RENAMED[name]
    if name not in _PUBLIC:
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
