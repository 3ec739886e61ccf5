"""Everyday machines and systems do not fall over: made from a seed, taken through everything that a user can call."""

from __future__ import annotations

from pathlib import Path

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


def fell_over(seed: int, folder: Path, thorough: bool) -> str:
    """Return what fell over, with the model on which it did."""
    case = case_of(seed)
    faults = travel(case, folder, seed, thorough)
    return "\n".join([*faults, "", case.text]) if faults else ""


@pytest.mark.parametrize(
    "seed", [s if s < 15 or s in (21, 29) else pytest.param(s, marks=pytest.mark.full) for s in range(40)]
)
def test_everyday(seed, tmp_path):
    assert not fell_over(seed, tmp_path, thorough=False)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1000))
def test_everyday_in_full(seed, tmp_path):
    assert not fell_over(seed, tmp_path, thorough=True)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_same_seed_same_model(seed):
    assert case_of(seed).text == case_of(seed).text
