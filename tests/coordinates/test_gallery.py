"""Every mechanism of the gallery moves in the same way, with the same joint forces, in all coordinates."""

from __future__ import annotations

import pytest

from dalembert import Mechanism, example
from tests.conftest import GALLERY
from tests.coordinates.same import differences, kinds

MECHANISMS = [name for name in GALLERY if isinstance(example(name), Mechanism)]
QUICK = ("four-bar", "four-bar-spatial", "heavy-top-joints", "ackermann-steering")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in MECHANISMS]
)
def test_same_motion(name):
    mechanism = example(name)
    for by in kinds(mechanism):
        assert not differences(mechanism, by, min(0.3, mechanism.simulation.get("until", 1.0)))
