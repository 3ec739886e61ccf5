"""Formulas of forces in joints that carry bodies, beside what bodies one by one give as numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import symengine as se

from dalembert import Mechanism, example, load
from dalembert.algebra.writing.numerals import numbers
from dalembert.blocks.numeric import Numeric
from dalembert.forms.carrying import carrying_forces
from dalembert.forms.multipliers import solve
from dalembert.forms.prepared import scene_of
from dalembert.model.mechanism.companion import absolute_inputs
from tests.coordinates.test_drives import CRANK, INNER, SPATIAL
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
SCREW = Mechanism(
    {
        "nut": {"mass": 1.25, "inertia": [0.01, 0.02, 0.03], "at": [0, 0, 0], "spin": [0, 0, 2]},
        "slide": {"mass": 2, "inertia": [0.004, 0.005, 0.006], "at": [0.3, 0, 0]},
        "rod": {"mass": 0.5, "inertia": [0.002, 0.01, 0.01], "at": [0.5, 0, 0]},
        "bead": {"kind": "particle", "mass": 0.35, "at": [0.7, 0, 0]},
    },
    {
        "N": {"kind": "screw", "bodies": ["ground", "nut"], "at": [0, 0, 0], "axis": [0, 0, 1], "pitch": 0.08},
        "P": {"kind": "prismatic", "bodies": ["slide", "nut"], "at": [0.3, 0, 0], "axis": [1, 0, 0]},
        "U": {
            "kind": "universal",
            "bodies": ["slide", "rod"],
            "at": [0.3, 0, 0],
            "axis": [0, 1, 0.1],
            "cross": [1, 0, 0],
        },
        "B": {"kind": "spherical", "bodies": ["rod", "bead"], "at": [0.7, 0, 0]},
    },
    springs={
        "s": {"joint": "P", "stiffness": 31},
        "k": {"bodies": ["ground", "rod"], "at": [[0, 0, 1], [0.6, 0, 0]], "stiffness": 9},
    },
    loads={"turn": {"body": "rod", "torque": [0, "0.3*t", 1]}},
    initial={"U.angle1": 0.3, "U.angle1'": 1.5, "U.angle2'": -0.7},
    dimensions=3,
    by="joints",
)
RSUR = Mechanism(
    {
        "crank": {"mass": 0.55, "inertia": [0.001, 0.002, 0.002], "at": [0.1, 0, 0], "spin": [0, 0, 3.5]},
        "coupler": {"mass": 0.65, "inertia": [0.001, 0.05, 0.05], "at": [0.55, 0.1, 0.25]},
        "rocker": {"mass": 0.75, "inertia": [0.02, 0.02, 0.002], "at": [0.9, 0.2, 0.25]},
    },
    {
        "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 0, 1]},
        "B": {"kind": "spherical", "bodies": ["crank", "coupler"], "at": [0.2, 0, 0]},
        "C": {
            "kind": "universal",
            "bodies": ["rocker", "coupler"],
            "at": [0.9, 0.2, 0.5],
            "axis": [0, 1, 0],
            "cross": [1, 0, 0],
        },
        "D": {"kind": "revolute", "bodies": ["ground", "rocker"], "at": [0.9, 0.2, 0], "axis": [0, 1, 0]},
    },
    dimensions=3,
)
LOADER = Mechanism(
    {
        "boom": {"mass": 310.5, "inertia": 620, "at": [1.6, 1.1]},
        "stick": {"mass": 140, "inertia": 88.2, "at": [3.9, 1.4]},
        "bucket": {"mass": 95, "at": [4.9, 0.4]},
    },
    {
        "A": {"kind": "revolute", "bodies": ["ground", "boom"], "at": [0, 0], "coordinate": "alpha"},
        "B": {"kind": "revolute", "bodies": ["boom", "stick"], "at": [3.2, 2.2], "coordinate": "beta"},
        "C": {"kind": "revolute", "bodies": ["stick", "bucket"], "at": [4.6, 0.6], "coordinate": "gamma"},
    },
    springs={
        "cylinder": {
            "bodies": ["ground", "boom"],
            "points": [[0.6, -0.2], [1.5, 1.3]],
            "stiffness": 250000,
            "damping": 9000,
            "length": 1.75,
        }
    },
    initial={"alpha'": 0.3, "beta'": -1.1, "gamma'": 0.7},
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
    "chain in space": lambda: example("spatial-chain:2").replace(by="joints"),
    "gyroscope": lambda: example("gyroscope").replace(by="joints"),
    "drives in space, a ball": lambda: SPATIAL.replace(by="joints"),
    "screw, spring in a slide, universal pair": lambda: SCREW,
    "loop in space": lambda: RSUR.replace(by="joints"),
    "bodies off the lines of joints": lambda: LOADER,
    "robot in space": lambda: ROBOT,
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
    carried = carrying_forces(scene_of(mechanism))
    for name, expr in carried.names.items():
        symbols[se.Symbol(name)] = float(numbers(expr).subs(symbols))
    found = {name: float(numbers(expr).subs(symbols)) for name, expr in carried.values.items()}
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


def test_joint_forces_of_a_chain_in_space_can_be_read():
    """The force across the axis of the second rod is its mass times that of its centre, l/2 from the joint."""
    derivation = example("spatial-chain:2").replace(by="joints").derive()
    assert (
        str(derivation.joint_expressions["J2.y"])
        == "(1/2)*l*m*(-angle_J2'**2*sin(angle_J2) + angle_J2''*cos(angle_J2))"
    )
    assert set(derivation.as_dict()["joint_forces"]) == {
        f"J{k}.{c}" for k in (1, 2) for c in (*"xyz", "tilt_x", "tilt_y")
    }


def test_long_formulas_are_written_as_one_computes_them():
    """Accelerations of bodies first, then the force in a joint: what hangs on it times them, less what acts on it."""
    found = LOADER.derive("minimal").as_dict()
    assert found["joint_forces"] == {
        "A.x": "310.5*a_x_boom + 95*a_x_bucket + 140*a_x_stick + F_cylinder*e_x_cylinder",
        "A.y": "310.5*a_y_boom + 95*a_y_bucket + 140*a_y_stick + 545.5*g + F_cylinder*e_y_cylinder",
        "B.x": "95*a_x_bucket + 140*a_x_stick",
        "B.y": "95*a_y_bucket + 140*a_y_stick + 235*g",
        "C.x": "95*a_x_bucket",
        "C.y": "95*(a_y_bucket + g)",
    }
    assert found["abbreviations"]["phi_bucket"] == "alpha + beta + gamma"
    assert max(map(len, found["abbreviations"].values())) < 300


def test_no_formula_is_too_long():
    derivation = SPATIAL.replace(by="joints").derive()
    assert {"R.x", "P.x"} <= derivation.as_dict()["joint_forces"].keys() and "Too long" not in str(derivation)


def test_no_names_where_none_are_wanted():
    whole = LOADER.derive("minimal").full()
    assert not any("a_x" in text for text in whole.as_dict()["joint_forces"].values())


def test_no_term_is_split_in_two():
    """5.7*(alpha' + beta') - 5.7*beta' is 5.7*alpha'."""
    found = LOADER.derive("minimal").as_dict()["abbreviations"]
    assert not [text for text in found.values() if "- 5.7*beta'" in text or "+ 5.7*gamma'" in text]


ROBOT = Mechanism(
    {
        "base": {"mass": 12.4, "inertia": [0.3, 0.3, 0.21], "at": [0, 0, 0.2]},
        "upper": {"mass": 6.35, "inertia": [0.02, 0.4, 0.41], "at": [0.31, 0.04, 0.45]},
        "fore": {"mass": 3.1, "inertia": [0.01, 0.15, 0.15], "at": [0.85, 0.04, 0.47]},
    },
    {
        "J1": {"kind": "revolute", "bodies": ["ground", "base"], "at": [0, 0, 0], "axis": [0, 0, 1], "coordinate": "q1"},
        "J2": {"kind": "revolute", "bodies": ["base", "upper"], "at": [0, 0, 0.45], "axis": [0, 1, 0], "coordinate": "q2"},
        "J3": {"kind": "revolute", "bodies": ["upper", "fore"], "at": [0.6, 0, 0.45], "axis": [0, 1, 0], "coordinate": "q3"},
    },
    initial={"q2": 0.4, "q3": -0.7, "q1'": 1.2, "q2'": -0.5, "q3'": 0.8},
    dimensions=3,
    by="joints",
)  # fmt: skip


def test_a_robot_in_space_can_be_read():
    """Of a thousand operations of its inertia a dozen are left; q1 is cyclic, and stands nowhere in the equations."""
    derivation = ROBOT.derive("minimal")
    found = derivation.as_dict()
    needed = {name for text in found["equations"] for name in found["abbreviations"] if name in text}
    texts = [*found["equations"], *(found["abbreviations"][name] for name in needed)]
    assert max(map(len, texts)) < 360 and not any("q1)" in text for text in texts)
    assert len(found["integrals"]["energy"]["value"]) < 600
    assert found["joint_forces"]["J3.x"] == "3.1*a_x_fore"
    assert len(str(derivation).splitlines()) < 130
