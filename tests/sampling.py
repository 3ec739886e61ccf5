"""Samples of large matrices: some cases in the ordinary run, all of them with `-m full`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int, first: int = 0) -> list[Any]:
    """Return cases as parameters, one of so many for the ordinary run."""
    return [case if k % every == first else pytest.param(case, marks=pytest.mark.full) for k, case in enumerate(cases)]
