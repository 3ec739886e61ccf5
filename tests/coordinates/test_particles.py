"""Particles in the coordinates of a tree: slots and pins carry them, and nothing hangs on them."""

from __future__ import annotations

import pytest

from dalembert import Mechanism, ModelError, loads
from dalembert.model.mechanism import tree
from tests.coordinates.same import differences
from tests.coordinates.test_tree import FIRST, ROD, SECOND, TWO

BEADS = Mechanism(
    {
        "tube": {"mass": 1.4, "inertia": 0.35, "spin": 2.5},
        "bead": {"kind": "particle", "mass": "m", "at": [0.3, 0]},
        "knob": {"kind": "particle", "mass": 0.2, "at": [-0.4, 0]},
    },
    {
        "A": {"kind": "revolute", "bodies": ["ground", "tube"], "at": [0, 0], "coordinate": "alpha"},
        "S": {"kind": "slot", "bodies": ["tube", "bead"], "points": [[0, 0], [0, 0]], "axes": [[1, 0], [1, 0]], "coordinate": "s"},
        "P": {"kind": "revolute", "bodies": ["knob", "tube"], "at": [-0.4, 0]},
    },
    springs={"k": {"bodies": ["ground", "bead"], "points": [[0, 1], [0, 0]], "stiffness": 12.5}},
    parameters={"m": 0.45},
)  # fmt: skip
IN_SPACE = Mechanism(
    {
        "hoop": {"mass": 1, "inertia": [0.1, 0.2, 0.3]},
        "bead": {"kind": "particle", "mass": 0.3, "at": [0.2, 0, 0.1]},
        "pin": {"kind": "particle", "mass": 0.2, "at": [0, 0.3, 0]},
        "rod": {"mass": 0.7, "inertia": [0.01, 0.02, 0.02], "at": [0.3, 0.3, 0.2]},
    },
    {
        "A": {"kind": "revolute", "bodies": ["ground", "hoop"], "at": [0, 0, 0], "axis": [0, 0.2, 1]},
        "L": {"kind": "point_on_line", "bodies": ["hoop", "bead"], "at": [0.2, 0, 0.1], "axis": [1, 0, 0.5], "coordinate": "s"},
        "P": {"kind": "spherical", "bodies": ["pin", "hoop"], "at": [0, 0.3, 0]},
        "Q": {"kind": "point_on_line", "bodies": ["hoop", "rod"], "at": [0.3, 0.3, 0.1], "axis": [0, 1, 0]},
    },
    springs={"k": {"bodies": ["hoop", "bead"], "points": [[0, 0, 0], [0, 0, 0]], "stiffness": 40}},
    initial={"A.angle'": 2.5},
    dimensions=3,
)  # fmt: skip


@pytest.mark.parametrize("by", ["joints", "angles"])
def test_particles_are_carried_by_slots_and_pins(by):
    """A bead in a tube has its way along it for a coordinate, s̈ − s α̇² + g sin α = 0; a knob has none."""
    system = BEADS.replace(by=by)
    assert system.coordinates == ("alpha", "s") and not system.constraints
    assert str(system.tree) == "carried are `tube` by `A`, `bead` by `S`, `knob` by `P`"
    assert set(system.derive().joint_forces) == {"A.x", "A.y", "S.normal", "P.x", "P.y"}
    plain = system.replace(springs={"k": None}).derive().as_dict()
    assert plain["equations"][1] == "s'' - s*alpha'^2 + g*sin(alpha) = 0"
    assert not differences(BEADS, by, 0.3)


def test_particles_and_points_on_lines_in_space():
    system = IN_SPACE.replace(by="joints")
    assert system.coordinates == ("angle_A", "s", "distance_Q", "e0_Q", "e1_Q", "e2_Q", "e3_Q")
    assert [constraint.name for constraint in system.constraints] == ["Q.norm"]
    assert not differences(IN_SPACE, "joints", 0.2) and loads(str(system)) == system


def test_nothing_hangs_on_a_particle():
    bodies = {"bead": {"kind": "particle", "mass": 1, "at": [1, 0]}, **ROD}
    joints = {"A": FIRST, "B": {"kind": "revolute", "bodies": ["rod", "bead"], "at": [1, 0]}}
    more = {"bodies": {**bodies, "bob": TWO["bob"]}, "joints": {**joints, "C": {**SECOND, "bodies": ["bead", "bob"]}}}
    system = Mechanism(**more, by="joints")
    assert system.coordinates == ("angle_A", "x_bob", "y_bob", "phi_bob")
    assert not differences(Mechanism(**more), "joints", 0.2)
    with pytest.raises(ModelError, match="joint `C` would hang a body on a particle"):
        Mechanism(**{**more, "joints": {"B": joints["B"], "C": more["joints"]["C"]}}, by="joints", tree=["B", "C"])


def test_in_long_trees_particles_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(tree, "WRITTEN", {2: 0, 3: 0})
    long = BEADS.replace(by="joints")
    assert long.tree.long and long.coordinates == ("alpha", "x_bead", "y_bead", "x_knob", "y_knob")
    assert not differences(BEADS, "joints", 0.1)
