"""The gallery, each system once for all tests of a process.

Systems do not change, so what one test finds out about a system (kernels, the survey) serves the next. Tests of what
is found out and how often, and of how formulas are written, take a system of their own: `dalembert.example`.
"""

from __future__ import annotations

from functools import cache

import dalembert
from dalembert import System


@cache
def example(name: str) -> System:
    """Return a model of the gallery, the same one each time."""
    return dalembert.example(name)
