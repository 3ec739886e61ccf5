"""Formulas of forces in joints that carry bodies, beside what bodies one by one give as numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import symengine as se

from dalembert import Mechanism, example, load
from dalembert.blocks.numeric import Numeric
from dalembert.forms.carrying import carrying_forces
from dalembert.forms.multipliers import solve
from dalembert.forms.prepared import scene_of
from dalembert.model.mechanism.companion import absolute_inputs
from tests.coordinates.test_drives import CRANK, INNER
from tests.coordinates.test_tree import SLIDER

MODELS = Path(__file__).parents[1] / "formulas" / "models"
SPRUNG = Mechanism(
    {**SLIDER["bodies"], "hook": {"mass": 0.4, "inertia": 0.02, "at": [1.3, -0.3]}},
    {**SLIDER["joints"], "E": {"kind": "rigid", "bodies": ["hook", "piston"], "at": [1.3, -0.1]}},
    springs={
        "k": {"joint": "B", "stiffness": 30, "damping": 2},
        "pull": {"bodies": ["ground", "hook"], "points": [[2, -1], [0, 0]], "stiffness": 9},
    },
    drives={"motor": {"joint": "A", "angle": "20*t + 0.4"}},
    by="joints",
)
CASES = {
    "arm": lambda: load(MODELS / "arm.toml"),
    "four-bar": lambda: load(MODELS / "four-bar.toml"),
    "quick return": lambda: load(MODELS / "quick-return.toml"),
    "Watt": lambda: load(MODELS / "watt.toml"),
    "planetary gear": lambda: load(MODELS / "planetary-gear.toml"),
    "drive in the place of a coordinate": lambda: INNER,
    "such a drive in a loop": lambda: CRANK.replace(by="joints"),
    "springs, a drive, a rigid joint backwards": lambda: SPRUNG,
    "engine": lambda: example("engine").replace(by="angles"),
}


def values(mechanism: Mechanism) -> tuple[dict[str, float], dict[str, float]]:
    """Return formulas of joints that carry at a state that moves, and the multipliers of the same conditions."""
    start, other = mechanism.start(), mechanism.absolute
    acceleration, multipliers = solve(Numeric(mechanism).all(0.0, start.q, start.v))
    known = {"t": 0.0, **mechanism.parameters}
    for prime, several in (("", start.q), ("'", start.v), ("''", acceleration)):
        known |= {name + prime: value for name, value in zip(mechanism.coordinates, several, strict=True)}
    for constraint, value in zip(mechanism.constraints, multipliers, strict=True):
        known[f"lambda_{constraint.name.replace('.', '_')}"] = value
    symbols = {se.Symbol(name): value for name, value in known.items()}
    found = {name: float(expr.subs(symbols)) for name, expr in carrying_forces(scene_of(mechanism)).items()}
    row = np.array([0.0, *start.q, *start.v, *mechanism.parameters.values()], dtype=float)
    _, q, v, _ = np.split(absolute_inputs(mechanism, row), np.cumsum([1, *[len(other.coordinates)] * 2]))
    multipliers = solve(Numeric(other).all(0.0, q, v))[1]
    return found, {c.name: value for c, value in zip(other.constraints, multipliers, strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_formulas_are_what_bodies_one_by_one_give(name):
    mechanism = CASES[name]()
    found, wanted = values(mechanism)
    carrying = {
        condition
        for branch in mechanism.tree.branches
        for condition in mechanism.absolute.joints[branch.joint].conditions
    }
    assert carrying <= found.keys()
    size = max(1.0, *map(abs, wanted.values()))
    for condition, value in found.items():
        assert value == pytest.approx(wanted[condition], abs=1e-9 * size), condition


def test_joints_that_share_their_load_have_no_formula():
    guide = {"kind": "prismatic", "bodies": ["ground", "block"], "axis": [1, 0]}
    block = {"mass": 1, "inertia": 0.1}
    two = Mechanism(
        {"block": block, "bob": {**block, "at": [0, -1]}},
        {
            "P": {**guide, "at": [0, 0]},
            "Q": {**guide, "at": [1, 0]},
            "R": {"kind": "revolute", "bodies": ["block", "bob"], "at": [0, 0]},
        },
        by="joints",
    )
    derivation = two.derive()
    assert list(derivation.joint_forces) == ["R.x", "R.y"]
    assert "R.x: lambda_R_x = " in str(derivation) and list(derivation.as_dict()["joint_forces"]) == ["R.x", "R.y"]
    assert not two.replace(by="absolute").derive().joint_forces
