"""Random machines, as users write them, move in the same way in all coordinates."""

from __future__ import annotations

import pytest

from dalembert import DerivationError, Mechanism, ModelError
from tests.coordinates.same import differences, kinds
from tests.everyday.test_everyday import case_of

QUICK = (4, 14)  # a tree in the plane, a linkage in space


@pytest.mark.parametrize(
    "seed", [s if s in QUICK else pytest.param(s, marks=pytest.mark.full) for s in range(600) if s % 2 == 0]
)
def test_same_motion(seed):
    mechanism = case_of(seed).build()
    if not isinstance(mechanism, Mechanism):
        pytest.skip("by energies")
    try:
        mechanism.start()
    except ModelError:
        pytest.skip("cannot be assembled")
    try:
        mechanism.compile()
    except DerivationError:  # a body without inertia that nothing holds: in other coordinates as well
        for by in kinds(mechanism):
            with pytest.raises(DerivationError, match="accelerations are not determined"):
                mechanism.replace(by=by).compile()
        return
    for by in kinds(mechanism):
        try:
            assert not differences(mechanism, by, 0.05)
        except ModelError as error:  # what is fixed altogether has no coordinates of joints
            assert "no coordinates of joints" in str(error)
