"""Everyday machines and systems do not fall over: made from a seed, taken through everything that a user can call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.everyday.case import Case
from tests.everyday.compare import Compare
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


@pytest.mark.parametrize("seed", range(40))
def test_everyday(seed, tmp_path):
    assert not fell_over(seed, tmp_path, thorough=False)


@pytest.mark.parametrize("seed", [127, 189, 217, 263])
def test_formulas_that_fell_over(seed):
    """Angles that are multiples of one another, decimals in one row only, steps without names, powers of e."""
    case = case_of(seed)
    system, compare = case.build(), Compare(case)
    compare.learn(system)
    state = system.start()
    place = state.t, state.q, state.v
    for form in ("multipliers", "minimal", "explicit", "independent"):
        compare.formulas(json.loads(json.dumps(system.derive(form).as_dict())), place, case.oracle(*place))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1000))
def test_everyday_in_full(seed, tmp_path):
    assert not fell_over(seed, tmp_path, thorough=True)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_same_seed_same_model(seed):
    assert case_of(seed).text == case_of(seed).text
