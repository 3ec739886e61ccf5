"""The compiler of native steppers: numba, once per machine.

Its cache looks at the file of a function alone, not at what the function calls in others. So it gets a folder whose
name is made from all sources of this package; it lies beside the other compiled code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import config, njit

from dalembert.native.cache import folder


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, and keep it on disk; a division by zero gives inf."""
    settings: Any = config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = _place()  # read when a function is decorated; of no concern to other packages
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        settings.CACHE_DIR = before


@cache
def _place() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return str(folder() / f"steppers-{digest.hexdigest()[:16]}")
