"""Everyday machines and systems do not fall over: made from a seed, taken through everything that a user can call."""

from __future__ import annotations

import pytest

from tests.everyday.case import Case
from tests.everyday.generate_systems import by_energies, by_matrices
from tests.everyday.journey import travel

KINDS = (by_energies, by_matrices)


def case_of(seed: int) -> Case:
    """Return the model of a seed; the kinds take turns."""
    return KINDS[seed % len(KINDS)](seed)


@pytest.mark.parametrize("seed", range(40))
def test_everyday(seed, tmp_path):
    case = case_of(seed)
    faults = travel(case, tmp_path, seed)
    assert not faults, "\n".join([*faults, "", case.text])
