"""Coordinates of joints: the tree, names, expressions, initial values, files, mistakes; textbook results."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

from dalembert import Mechanism, ModelError, System, example, loads

SLIDER = {
    "bodies": {
        "crank": {"mass": 2, "inertia": 0.015, "at": [0.15, 0], "spin": 20},
        "rod": {"mass": 1.3, "inertia": 0.08, "at": [0.8, 0]},
        "piston": {"mass": 3, "at": [1.3, 0]},
    },
    "joints": {
        "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
        "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": [0.3, 0]},
        "C": {"kind": "revolute", "bodies": ["rod", "piston"], "at": [1.3, 0]},
        "D": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": [1.3, 0], "axis": [1, 0]},
    },
}
ARM = {
    "bodies": {
        "upper": {"mass": "m1", "inertia": "J1", "at": ["a1", 0]},
        "lower": {"mass": "m2", "inertia": "J2", "at": ["l1 + a2", 0]},
    },
    "joints": {
        "S": {"kind": "revolute", "bodies": ["ground", "upper"], "at": [0, 0], "coordinate": "alpha"},
        "E": {"kind": "revolute", "bodies": ["lower", "upper"], "at": ["l1", 0], "coordinate": "beta"},
    },
    "parameters": {"m1": 1.2, "m2": 0.7, "J1": 0.1, "J2": 0.05, "a1": 0.3, "a2": 0.25, "l1": 0.55, "g": 9.81},
    "gravity": [0, "-g"],
}


def test_tree_and_names():
    joints, angles = Mechanism(**SLIDER, by="joints"), Mechanism(**SLIDER, by="angles")
    assert joints.coordinates == ("angle_A", "angle_B", "distance_D")
    assert angles.coordinates == ("phi_crank", "phi_rod", "distance_D")
    assert [c.name for c in joints.constraints] == ["C.x", "C.y"]
    assert str(joints.tree) == "carried are `crank` by `A`, `piston` by `D`, `rod` by `B`"
    other = Mechanism(**SLIDER, by="joints", tree=["C"])
    assert other.tree.branch("C") is not None and [c.name for c in other.constraints] == ["B.x", "B.y"]


def test_two_link_arm_is_that_of_a_textbook():
    """In relative angles; the second joint names its bodies the other way round, so that its angle counts backwards."""
    arm = Mechanism(**ARM, by="joints")
    t, (a, b) = sp.Symbol("t"), dynamicsymbols("alpha beta")
    m1, m2, J1, J2, a1, a2, l1, g = sp.symbols("m1 m2 J1 J2 a1 a2 l1 g")
    x, y = l1 * sp.cos(a) + a2 * sp.cos(a - b), l1 * sp.sin(a) + a2 * sp.sin(a - b)
    T = (J1 + m1 * a1**2) * a.diff(t) ** 2 / 2 + m2 * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
    T += J2 * (a.diff(t) - b.diff(t)) ** 2 / 2
    V = m1 * g * a1 * sp.sin(a) + m2 * g * y
    textbook = System([a, b], kinetic=T, potential=V, parameters=arm.parameters)
    q, v = [0.3, 1.1], [0.7, -0.4]
    wanted, got = (system.compile().accelerations(0, q, v).acceleration for system in (textbook, arm))
    assert got == pytest.approx(wanted, rel=1e-12)
    assert len(str(arm.derive("minimal").equations[0])) < 450


def test_names_of_bodies_and_joints_in_any_coordinates():
    added = {
        "potential": "3*y_rod + angle_B^2",
        "forces": {"x_piston": "-0.3*x_piston'"},
        "controls": {"u": {"acts": {"x_rod": "1", "phi_crank": "0.2"}, "law": "-2*y_rod - z"}},
        "states": {"z": "x_piston' - z"},
        "outputs": {"tip": "x_rod + 0.5*cos(phi_rod)", "load": "A.force", "side": "lambda_D_normal"},
    }
    named = {**SLIDER["joints"], "B": {**SLIDER["joints"]["B"], "coordinate": "angle_B"}}
    one = Mechanism(**{**SLIDER, "joints": named}, **added)
    other = one.replace(by="joints")
    assert other.replace(by="absolute") == one
    runs = [system.simulate(0.2, samples=3, rtol=1e-11, atol=1e-13) for system in (one, other)]
    for name in ("tip", "load", "side"):
        assert runs[1][name] == pytest.approx(runs[0][name], rel=1e-8)
    assert runs[1].peak("C.force") == pytest.approx(runs[0].peak("C.force"), rel=1e-8)
    for joint in "ABCD":
        assert runs[1].joint(joint).force == pytest.approx(runs[0].joint(joint).force, rel=1e-7, abs=1e-6)


def test_a_constraint_on_a_body_that_is_carried_acts_on_this_body():
    """So the joints on its way to the ground carry its reaction, as in absolute coordinates."""
    one = Mechanism(**SLIDER, constraints={"hold": "phi_rod' = 0.1*x_piston'"})
    one = one.replace(bodies={"crank": {"spin": None}, "piston": {"inertia": 0.1}}, joints={"D": None})
    other = one.replace(by="angles")
    forces = [m.simulate(0.1, samples=2, rtol=1e-11, atol=1e-13).joint("B").force for m in (one, other)]
    assert forces[1] == pytest.approx(forces[0], rel=1e-7, abs=1e-8)


def test_initial_values_of_bodies_joints_and_coordinates():
    for initial in ({"phi_crank": 0.4}, {"A.angle": 0.4}, {"angle_A": 0.4}, {"y_piston'": 0, "A.angle": 0.4}):
        state = Mechanism(**SLIDER, by="joints", initial=initial).start()
        assert state["angle_A"] == pytest.approx(0.4) and state["angle_A'"] == pytest.approx(20)
        l = 1.0  # sin of the angle of the rod against the line
        assert np.sin(state["angle_A"] + state["angle_B"]) == pytest.approx(-0.3 * np.sin(0.4) / l)
    assert Mechanism(**SLIDER, by="joints", guess={"angle_B": 3.0, "angle_A": 0.5}).start()["angle_B"] > 2


def test_a_guess_of_joints_goes_along_to_other_coordinates():
    """It picks the rod that points backwards; so it does in any coordinates, and from there on."""
    guess = {"angle_B": 3.0, "angle_A": 0.5}
    one = Mechanism(**{**SLIDER, "parameters": {"u": 0.5}}, by="joints", guess=guess | {"angle_A": "u"})
    wanted = one.start()
    for by in ("absolute", "angles"):
        other = one.replace(by=by)
        assert other.replace(by="joints").start()["angle_B"] == pytest.approx(wanted["angle_B"], abs=1e-9)
        assert other.start(guess={})["phi_crank"] == pytest.approx(wanted["angle_A"], abs=1e-9)
    moving = Mechanism(**ARM, by="joints", guess={"beta'": 2.0}).replace(by="absolute").start()
    assert moving["phi_lower'"] == pytest.approx(-2)
    with pytest.raises(ModelError, match=r"`A.angle` is measured, and no coordinate: give it in \[initial\]"):
        Mechanism(**SLIDER, guess={"A.angle": 1})


def test_written_and_read_again():
    system = Mechanism(**ARM, by="joints", tree=["S"])
    again = loads(str(system))
    assert again == system and again.by == "joints" and again.tree.wanted == ("S",)
    assert 'coordinates = "joints"' in str(system) and 'coordinate = "alpha"' in str(system)
    assert loads(str(Mechanism(**ARM))).by == "absolute"


def test_release_mobility_check_and_transmission():
    one, other = Mechanism(**SLIDER), Mechanism(**SLIDER, by="angles")
    assert str(other.mobility()) == str(one.mobility())
    assert other.check().ok and "1 degree of freedom" in str(other.check())
    assert other.transmission("A", "D").output == pytest.approx(one.transmission("A", "D").output, abs=1e-9)
    assert set(other.release("A").multipliers) == {"A.x", "A.y"}
    assert other.joint_force("A").force == pytest.approx(one.joint_force("A").force, rel=1e-9)


ROD = {"rod": {"mass": 1, "inertia": 0.1, "at": [0.5, 0]}}
TWO = {**ROD, "bob": {"mass": 1, "inertia": 0.1, "at": [1.5, 0]}}
FIRST = {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}
SECOND = {"kind": "revolute", "bodies": ["rod", "bob"], "at": [1, 0]}
PULLEY = {
    "bodies": {
        "drum": {"mass": 1, "inertia": 0.02, "at": [0, 0]},
        "load": {"mass": 2, "inertia": 0.05, "at": [0.1, -1]},
    },
    "joints": {
        "A": {"kind": "revolute", "bodies": ["ground", "drum"], "at": [0, 0]},
        "P": {"kind": "prismatic", "bodies": ["ground", "load"], "at": [0.1, -1], "axis": [0, 1]},
        "R": {
            "kind": "rope",
            "bodies": ["ground", "load"],
            "points": [[-0.1, -2], [0, 0]],
            "over": [{"body": "drum", "point": [0, 0], "radius": 0.1, "side": "right"}],
        },
    },
}
PLACED_OFF = {
    "bodies": {"rod": {"mass": 1, "inertia": 0.1, "at": [0.5, 0.1], "angle": 0.1}},
    "joints": {"A": {"kind": "revolute", "bodies": ["ground", "rod"], "points": [[0, 0], [-0.5, 0]]}},
    "springs": {"k": {"bodies": ["ground", "rod"], "points": [[0.5, -1], [0, 0]], "stiffness": 100}},
}


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        (
            {"bodies": ROD, "joints": {"A": FIRST}, "controls": {"u": {"acts": {"phi_rod": "1"}, "law": "-5*phi_rod"}}},
            "phi_rod''",
        ),
        ({"bodies": ROD, "joints": {"A": FIRST}, "controls": {"u": {"joint": "A", "law": "-2*A.angle"}}}, "A.angle''"),
        ({"bodies": TWO, "joints": {"A": FIRST, "B": SECOND}, "guess": {"phi_bob": 0.3}}, "bob.centre.x"),
        (PLACED_OFF, "k.force"),
        (PULLEY, "R.force"),
    ],
)
def test_controls_springs_and_ropes_do_not_see_the_coordinates(model, asked):
    """Found by trying: a control was lost, a spring had another free length, a rope over a drum fell over."""
    values = [
        Mechanism(**model, by=by).simulate(0.3, samples=2).evaluate(asked) for by in ("absolute", "joints", "angles")
    ]
    assert np.abs(values[0]).max() > 0
    for found in values[1:]:
        assert found == pytest.approx(values[0], rel=1e-6, abs=1e-9)


def test_names_that_would_change_their_meaning_are_refused():
    """With "angles" the name of a joint that turns is that of the angle of the body."""
    joints = {"A": FIRST, "B": {**SECOND, "coordinate": "be"}}
    for damped in (Mechanism(TWO, joints, forces={"be": "-2*be'"}), Mechanism(TWO, joints, initial={"be": 0.1})):
        assert damped.replace(by="joints").replace(by="absolute") == damped
        with pytest.raises(ModelError, match="`be` is the angle of joint `B`, and with"):
            damped.replace(by="angles")
    usual = Mechanism(TWO, {"A": FIRST, "B": SECOND}, by="joints", potential="angle_B^2", initial={"angle_A": 0.3})
    assert usual.replace(by="absolute").start()["phi_rod"] == pytest.approx(0.3)
    with pytest.raises(ModelError, match="is the angle of joint"):
        usual.replace(by="angles")


def test_the_name_of_the_angle_of_a_body():
    named = Mechanism(TWO, {"A": FIRST, "B": {**SECOND, "coordinate": "be"}}, by="angles", forces={"be": "-2*be'"})
    plain = Mechanism(TWO, {"A": FIRST, "B": SECOND}, forces={"phi_bob": "-2*phi_bob'"})
    runs = [system.simulate(0.3, samples=2, initial={"phi_rod": 0.1}) for system in (plain, named)]
    assert named.coordinates == ("phi_rod", "be")
    for joint in "AB":
        assert runs[1].joint(joint).force == pytest.approx(runs[0].joint(joint).force, rel=1e-7)


def test_states_and_trees_on_the_way_back():
    integral = {"states": {"e": "A.angle"}, "actuators": {"m": {"joint": "A", "torque": "-e"}}}
    assert Mechanism(ROD, {"A": FIRST}, by="joints", **integral).mobility().freedom == 1
    assert Mechanism(**SLIDER, by="joints", tree=["B", "C"]).replace(by="absolute") == Mechanism(**SLIDER)


def test_events_on_forces_of_joints_that_carry_are_refused_by_name():
    with pytest.raises(ModelError, match="joint `A` carries a body"):
        Mechanism(**SLIDER, by="joints").simulate(0.1, events=["A.force = 100"])
    run = Mechanism(**SLIDER, by="joints").simulate(0.1, events=["C.force = 400", "x_piston = 1.1"])
    assert run.status == "done" and len(run.events) > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"by": "relative"}, "expected `absolute`, `joints` or `angles`, got relative"),
        ({"tree": ["A"]}, 'a tree belongs to coordinates = "joints" or "angles"'),
        ({"by": "joints", "tree": ["Z"]}, "there is no joint `Z`"),
        ({"by": "joints", "tree": "A"}, "expected a list of joints"),
        ({"by": "joints", "tree": ["A", "B", "C", "D"]}, "joint `D` closes a loop of joints that are named before it"),
        ({"by": "angles", "dimensions": 3, "bodies": {}, "joints": {}}, "in the plane only"),
    ],
)
def test_mistakes(changes, message):
    with pytest.raises(ModelError, match=message):
        Mechanism(**{**SLIDER, **changes})


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"coordinate": 3}, "a name is letters, digits"),
        ({"coordinate": "2x"}, "a name is letters, digits"),
        ({"coordinate": "t"}, "reserved for time"),
        ({"coordinate": "angle_B"}, "angle_B"),
        ({"coordinate": "x_rod"}, "`x_rod` is a coordinate of body `rod`"),
        ({"coordinate": "rate"}, "a word of springs and actuators"),
        ({"coordinate": "a", "coordinates": {"angle": "b"}}, "say the same thing twice"),
        ({"coordinates": {"turn": "a"}}, "unknown entry"),
        ({"kind": "rigid", "coordinate": "a"}, "a pair `rigid` has not one coordinate, but none"),
    ],
)
def test_mistakes_in_names(entries, message):
    joints = {**SLIDER["joints"], "A": {**SLIDER["joints"]["A"], **entries}}
    with pytest.raises(ModelError, match=message):
        Mechanism(**{**SLIDER, "joints": joints}, by="joints")


def test_long_chains_have_angles_of_joints_only():
    with pytest.raises(ModelError, match=r'60 bodies carry each other in long rows.*take coordinates = "joints"'):
        example("planar-chain:60").replace(by="angles")
    assert example("planar-chain:60").replace(by="joints").tree.long


def test_bodies_that_are_fixed_altogether():
    fixed = {
        "bodies": {"b": {"mass": 1, "inertia": 1}},
        "joints": {"W": {"kind": "rigid", "bodies": ["ground", "b"], "at": [0, 0]}},
    }
    with pytest.raises(ModelError, match="all bodies are fixed to the ground by rigid joints"):
        Mechanism(**fixed, by="joints")
