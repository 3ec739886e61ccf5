"""A force element is one class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dalembert import Mechanism, load
from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.model.mechanism.elements import ELEMENTS, element
from dalembert.model.mechanism.elements.action import Acting, Action, read_action
from tests.extending.contract import compile_c, journey


@dataclass(frozen=True, repr=False)
class Magnet(Acting):
    """Two poles that attract each other as the inverse square of their distance."""

    section, word = "magnets", "magnet"

    name: str
    table: Mapping[str, Any]
    action: Action
    strength: Expr

    @classmethod
    def read(cls, table, assembly):
        """Read where the poles are, and their strength in N m²."""
        action, strength = read_action(table, assembly), table.constant("strength")
        return None if action is None else cls(table.name, table.finish(), action, strength)

    def add(self, parts):
        """Pull the poles together."""
        parts.push(-self.strength / self.action.value**2, self.action.rate)


@pytest.fixture
def swing(monkeypatch):
    """A rod on a pin, pulled by a magnet beside it."""
    monkeypatch.setitem(ELEMENTS, Magnet.section, Magnet)
    element(Magnet)
    return Mechanism(
        bodies={"rod": {"mass": 1.3, "inertia": 0.12, "at": [0, -0.35]}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
        magnets={"pole": {"bodies": ["ground", "rod"], "points": [[0.6, -0.7], [0, -0.35]], "strength": 0.8}},
    )


def test_element(swing, tmp_path):
    run = journey(swing, tmp_path)
    compile_c(swing, tmp_path)
    assert "magnet" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert load(tmp_path / "model.toml").elements["magnets"]["pole"].strength == 0.8
    assert "magnet" in swing._repr_html_()
    force = np.asarray(run.joint("pole").force)
    assert np.hypot(*np.moveaxis(force, -1, 0)).max() > 0.5


def test_mistakes_are_answered(swing):
    with pytest.raises(ModelError, match="magents"):
        Mechanism(bodies={}, magents={})
    with pytest.raises(ModelError, match="strength"):
        swing.replace(magnets={"pole": {"strength": "x_rod"}})
