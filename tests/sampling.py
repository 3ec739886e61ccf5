"""Samples of large matrices: some cases in the ordinary run, all of them with `-m full`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Return cases as parameters, one of so many for the ordinary run."""
    return [case if k % every == 0 else pytest.param(case, marks=pytest.mark.full) for k, case in enumerate(cases)]
