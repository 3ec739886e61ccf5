"""Everyday machines and systems do not fall over: made from a seed, taken through everything that a user can call."""

from __future__ import annotations

import pytest

from tests.everyday.case import Case
from tests.everyday.generate_planar import planar
from tests.everyday.generate_spatial import spatial
from tests.everyday.generate_systems import by_energies, by_matrices
from tests.everyday.journey import travel


def case_of(seed: int) -> Case:
    """Return the model of a seed; the kinds take turns."""
    kinds = (planar, by_energies, spatial, by_matrices if seed % 8 == 3 else by_energies)
    return kinds[seed % 4](seed)


@pytest.mark.parametrize("seed", range(40))
def test_everyday(seed, tmp_path):
    case = case_of(seed)
    faults = travel(case, tmp_path, seed)
    assert not faults, "\n".join([*faults, "", case.text])
