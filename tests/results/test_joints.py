"""Forces in joints: Newton and Euler for every body and pair, action and reaction, statics, and what is undetermined."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from dalembert import Event, Mechanism, ModelError, MotionWarning, example
from dalembert.blocks.numeric import Numeric
from dalembert.forms.multipliers import solve
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.native.values import SolvedStates
from dalembert.results.joint_forces import Joints
from tests.model.mechanism.test_mechanism import slider_crank
from tests.model.mechanism.test_pairs import CASES, admissible, joined, rotation

# pairs that only push at the point in which they act
PURE = {
    2: ("revolute", "slot", "rod", "gear", "rack", "rolling", "rope"),
    3: ("spherical", "rod", "point_on_line", "point_in_plane", "rolling_disk", "rolling_sphere"),
}


def at_state(mechanism: Mechanism, q: Any, v: Any, t: float = 0.0) -> tuple[Joints, np.ndarray]:
    """The joints and the accelerations at a state, from numbers alone."""
    numeric = Numeric(mechanism)
    values = numeric.all(t, q, v)
    acceleration, multipliers = solve(values)
    rank = np.linalg.matrix_rank(values.A.toarray(), tol=1e-9)
    solution = SolvedStates(acceleration, multipliers, np.array(rank), np.array(1.0))
    return Joints(mechanism, np.array([t, *q, *v, *numeric.parameters]), solution), acceleration


def about_origin(force: Any) -> np.ndarray:
    """Force and moment about the origin of the world."""
    if len(force.force) == 2:
        x, y = force.point
        return np.array([*force.force, force.moment + x * force.force[1] - y * force.force[0]])
    return np.array([*force.force, *(force.moment + np.cross(force.point, force.force))])


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_every_body_obeys_newton_and_euler(dimensions, kind, random):
    """m a = F and J ω̇ + ω × J ω = M about the centre of mass; there is no gravity, and no other force."""
    mechanism = joined(dimensions, kind)
    _, q, v = admissible(mechanism, random)
    joints, a = at_state(mechanism, q, v)
    n = 3 if dimensions == 2 else 7
    touched = joints._touched([name for name in joints.index if name.startswith("J.")], [])
    assert {"a", "b"} <= set(touched)
    for k, name in enumerate("abc"):
        x, w, acc = (part[n * k : n * (k + 1)] for part in (q, v, a))
        if name not in touched:
            assert np.abs(acc[:dimensions]).max() < 1e-12
            continue
        found = joints.force("J", on=name, axes="body", at="centre")
        if dimensions == 2:
            c, s = np.cos(x[2]), np.sin(x[2])
            R = np.array([[c, -s], [s, c]])
            moment: Any = 0.5 * acc[2]
        else:
            R = rotation(x[3:])
            e0, e1, e2, e3 = x[3:]
            E = np.array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])
            omega, alpha, J = 2 * E @ w[3:], 2 * E @ acc[3:], np.array([0.3, 0.4, 0.5])
            moment = J * alpha + np.cross(omega, J * omega)
        assert found.force == pytest.approx(R.T @ (1.5 * acc[:dimensions]), abs=1e-10)
        assert found.moment == pytest.approx(moment, abs=1e-10)


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_action_equals_reaction(dimensions, kind, random):
    mechanism = joined(dimensions, kind)
    _, q, v = admissible(mechanism, random)
    joints, _ = at_state(mechanism, q, v)
    touched = joints._touched(list(mechanism.joints["J"].conditions), [])
    forces = [joints.force("J", on=name) for name in touched]
    assert np.sum([about_origin(force) for force in forces], axis=0) == pytest.approx(0, abs=1e-10)
    if kind in PURE[dimensions]:
        for force in forces[:2]:
            assert force.moment == pytest.approx(0 * force.moment, abs=1e-10)
    same = joints.force("J", on="b", axes="joint")
    assert same.size == pytest.approx(forces[1].size)
    assert same.torque == pytest.approx(forces[1].torque)
    by_condition = [joints.force(name, on="b") for name in mechanism.joints["J"].conditions]
    assert sum(part.force for part in by_condition) == pytest.approx(forces[1].force, abs=1e-10)


def test_a_bracket():
    """A beam on a wall, held by a cable at 30°: its tension is W/sin 30°, and the wall pushes by W/tan 30°."""
    bracket = Mechanism(
        bodies={"beam": {"mass": 1, "inertia": 1, "at": [1, 0], "points": {"end": [1, 0]}}},
        joints={
            "wall": {"kind": "revolute", "bodies": ["ground", "beam"], "at": [0, 0]},
            "cable": {"kind": "rod", "bodies": ["ground", "beam"], "at": [[0, "2*tan(pi/6)"], [2, 0]]},
        },
        loads={"W": {"body": "beam", "point": "end", "force": [0, -100]}},
        gravity=[0, 0],
    )
    wall, cable = bracket.joint_force("wall"), bracket.joint_force("cable")
    assert wall.force == pytest.approx([100 / np.tan(np.pi / 6), 0], abs=1e-9)
    assert wall.moment == pytest.approx(0, abs=1e-9)
    assert cable.force == pytest.approx([-100 / np.tan(np.pi / 6), 100], abs=1e-9)
    assert cable.size == pytest.approx(200)
    on_wall = bracket.joint_force("wall", on=GROUND, at=[0, -1])
    assert on_wall.force == pytest.approx(-wall.force)
    assert on_wall.moment == pytest.approx(wall.force[0], rel=1e-9)  # the push to the left, one metre above the point
    both = bracket.joint_force(["wall", "cable"], at="end")
    assert both.force == pytest.approx([0, 100], abs=1e-9)
    assert both.moment == pytest.approx(0, abs=1e-9)


def test_a_driven_piston():
    """The piston alone has mass: the torque of the drive is m ẍ dx/dθ, the guide pushes by m ẍ tan β."""
    r, l, m, speed, t = 0.1, 0.35, 2.0, 30.0, 0.013
    piston = Mechanism(
        bodies={
            "crank": {"at": [0, 0], "points": {"O": [0, 0], "P": [r, 0]}},
            "rod": {"at": [r, 0], "points": {"P": [0, 0], "Q": [l, 0]}},
            "piston": {"mass": m, "at": [r + l, 0]},
        },
        joints={
            "O": {"kind": "revolute", "bodies": ["ground", "crank"], "points": [[0, 0], "O"]},
            "P": {"kind": "revolute", "bodies": ["crank", "rod"], "points": ["P", "P"]},
            "Q": {"kind": "revolute", "bodies": ["rod", "piston"], "points": ["Q", [0, 0]]},
            "guide": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": [r + l, 0], "axis": [1, 0]},
        },
        drives={"motor": {"joint": "O", "angle": "30*t"}},
        gravity=[0, 0],
    )
    angle = speed * t
    s, c = np.sin(angle), np.cos(angle)
    sine = -r / l * s  # of the angle β of the rod
    cosine = np.sqrt(1 - sine**2)
    slope = -r * s + r * c * sine / cosine  # dx/dθ
    rate = -r / l * c / cosine * speed  # β'
    turn = (r / l * s * speed**2 + sine * rate**2) / cosine  # β''
    force = m * (-r * c * speed**2 - l * (turn * sine + rate**2 * cosine))
    q = [0, 0, angle, r * c, r * s, np.arcsin(sine), r * c + l * cosine, 0, 0]
    v = [0, 0, speed, -r * s * speed, r * c * speed, rate, slope * speed, 0, 0]
    joints, a = at_state(piston, np.array(q), np.array(v), t)
    assert m * a[6] == pytest.approx(force, rel=1e-9)
    assert joints.force("motor").moment == pytest.approx(force * slope, rel=1e-9)
    assert joints.force("motor", on=GROUND).moment == pytest.approx(-force * slope, rel=1e-9)
    assert joints.force("guide").force == pytest.approx([0, -force * sine / cosine], rel=1e-9)
    assert joints.force("guide").moment == pytest.approx(0, abs=1e-9)
    assert joints.force("Q").size == pytest.approx(abs(force / cosine), rel=1e-9)
    assert joints.force("O", axes="body").force == pytest.approx(
        [force * (c + s * sine / cosine), force * (-s + c * sine / cosine)], rel=1e-9
    )


def rods(*places: float) -> Mechanism:
    """A load of 20 N hangs on vertical rods."""
    return Mechanism(
        bodies={"load": {"mass": 2, "inertia": 1}},
        joints={
            name: {"kind": "rod", "bodies": ["ground", "load"], "at": [[x, 1], [x, 0]]}
            for name, x in zip("ABC", places, strict=False)
        },
        gravity=[0, -10],
    )


def test_two_rods_are_determined():
    mechanism = rods(-1, 3)
    assert mechanism.joint_force("A").force == pytest.approx([0, 15], abs=1e-9)
    assert mechanism.joint_force("B").force == pytest.approx([0, 5], abs=1e-9)
    assert all(mechanism.joint_force("A").determined.values())


def test_of_three_rods_the_sum_is_determined():
    mechanism = rods(-1, 1, 2)
    for name in "ABC":
        found = mechanism.joint_force(name)
        assert found.force[0] == pytest.approx(0, abs=1e-9)
        assert found.determined == {"force x": True, "force y": False, "moment": True}
        assert np.isnan(found.force[1])
        assert found.notes == (
            "on `load`, of `A` (force y), `B` (force y) and `C` (force y) only the sum is determined, "
            "as their conditions repeat each other",
        )
        assert "force y          not determined" in repr(found)
    total = mechanism.joint_force(["A", "B", "C"])
    assert total.force == pytest.approx([0, 20], abs=1e-9)
    assert total.moment == pytest.approx(0, abs=1e-9)
    assert total.notes == ()
    assert not mechanism.joint_force(["A", "B"]).determined["force y"]
    assert mechanism.joint_force("A", on=GROUND).notes[0].startswith("on `ground`")


def test_directions_that_are_not_determined():
    """Three parallel rods at 45°: what is along them is not determined, in no axes but theirs is this a component."""
    places = [(-1, 0), (0, 1), (1, -0.5)]
    mechanism = Mechanism(
        bodies={"load": {"mass": 1, "inertia": 1}},
        joints={
            name: {"kind": "rod", "bodies": ["ground", "load"], "at": [[x + 1, y + 1], [x, y]]}
            for name, (x, y) in zip("ABC", places, strict=True)
        },
    )
    found = mechanism.joint_force("A")
    assert found.determined == {"force x": False, "force y": False, "moment": True}
    assert "`A` (force along (0.707, 0.707) at first)" in found.notes[0].replace("-", "")


def test_a_load_shared_with_a_constraint_of_ones_own():
    mechanism = Mechanism(
        bodies={"load": {"mass": 2, "inertia": 1}},
        joints={"guide": {"kind": "prismatic", "bodies": ["ground", "load"], "at": [0, 0], "axis": [1, 0]}},
        constraints={"floor": "y_load = 0"},
    )
    found = mechanism.joint_force("guide")
    assert found.determined == {"force x": True, "force y": False, "moment": True}
    assert "`guide` (force y) and `floor` (force y)" in found.notes[0]


def four_bar(dimensions: int) -> Mechanism:
    """The same four-bar with planar and with spatial revolutes."""
    spatial = dimensions == 3

    def place(*at: float) -> list[float]:
        return [*at, 0] if spatial else list(at)

    def bar(at: list[float], angle: str, **more: Any) -> dict[str, Any]:
        turn = {"rotation": {"axis": [0, 0, 1], "angle": angle}} if spatial else {"angle": angle}
        return {"mass": 1, "inertia": [0.01, 0.1, 0.1] if spatial else 0.1, "at": at, **turn, **more}

    def revolute(a: str, b: str, at: list[float]) -> dict[str, Any]:
        return {"kind": "revolute", "bodies": [a, b], "at": at} | ({"axis": [0, 0, 1]} if spatial else {})

    return Mechanism(
        bodies={
            "crank": bar(place(0, 0.5), "pi/2", spin=[0, 0, -2] if spatial else -2),
            "coupler": bar(place(1, 1.5), "atan2(1, 2)"),
            "rocker": bar(place(2, 1), "pi/2"),
        },
        joints={
            "A": revolute("ground", "crank", place(0, 0)),
            "B": revolute("crank", "coupler", place(0, 1)),
            "C": revolute("coupler", "rocker", place(2, 2)),
            "D": revolute("rocker", "ground", place(2, 0)),
        },
        dimensions=dimensions,
        gravity=place(0, -9.81),
    )


def test_four_bar_with_spatial_revolutes():
    """What is determined is as in the plane; forces along the axes and moments across them are not."""
    plane, space = four_bar(2), four_bar(3)
    flat, start = plane.start(), space.start()
    planar, _ = at_state(plane, flat.q, flat.v)
    spatial, _ = at_state(space, start.q, start.v)
    assert spatial.shares.count == 3
    for name in "ABCD":
        expected, found = planar.force(name), spatial.force(name)
        assert found.on == expected.on
        assert found.force[:2] == pytest.approx(expected.force, abs=1e-8)
        assert found.moment[2] == pytest.approx(0, abs=1e-8)
        assert [key for key, known in found.determined.items() if not known] == ["force z", "moment x", "moment y"]
    assert set(spatial.notes) == {"ground", "crank", "coupler", "rocker"}
    assert "of `A` (force z; moment x, y) and `B` (force z; moment x, y) only the sum" in spatial.notes["crank"]
    both = spatial.force(["A", "B"], on="crank")
    assert all(both.determined.values())
    assert both.force[2] == pytest.approx(0, abs=1e-8)


def test_curves_of_a_motion():
    mechanism = slider_crank()
    run = mechanism.simulate(until=1, samples=10)
    found = run.joint("C", on="slider")
    assert found.force.shape == (11, 2) and found.moment.shape == (11,) and found.point.shape == (11, 2)
    assert found.force + run.joint("D").force == pytest.approx(
        np.column_stack([run["x_slider''"], run["y_slider''"] + 9.81]), abs=1e-8
    )
    assert found.components["force x"] == pytest.approx(run.multipliers["C.x"])
    assert run.undetermined == [] and run.certificate.notes == ()
    end = run.final_joints()["A"]
    assert end["on"] == "crank" and end["force"] == pytest.approx(run.joint("A").force[-1])


@pytest.mark.parametrize("dimensions", [2, 3])
def test_springs_dampers_and_loads(dimensions, random):
    """Newton and Euler again, with everything that acts on a body; and a spring by its law."""
    mechanism = joined(
        dimensions,
        "revolute",
        springs={
            "s": {
                "bodies": ["a", "c"],
                "points": [[0.2, 0.1, 0][:dimensions], [0] * dimensions],
                "stiffness": 30,
                "damping": 2,
            },
            "twist": {"joint": "J", "stiffness": 3, "angle": 0.4},
        },
        actuators={"motor": {"joint": "J", "torque": "1.5"}},
        loads={"push": {"body": "b", "point": [0.3, 0, 0.1][:dimensions], "force": ["3", "x_a", "2"][:dimensions]}},
    )
    _, q, v = admissible(mechanism, random)
    joints, a = at_state(mechanism, q, v)
    n = 3 if dimensions == 2 else 7
    acting = {"a": ["J", "s", "twist", "motor"], "b": ["J", "twist", "motor", "push"], "c": ["s"]}
    for k, (body, names) in enumerate(acting.items()):
        total = joints.force(names, on=body, at="centre")
        assert total.force == pytest.approx(1.5 * a[n * k : n * k + dimensions], abs=1e-10)
        if dimensions == 2:
            assert total.moment == pytest.approx(0.5 * a[n * k + 2], abs=1e-10)
    pull = joints.force("s", on="a")
    view = [joints.force("s", on=body).point for body in "ac"]
    assert pull.moment == pytest.approx(0 * pull.moment, abs=1e-10)
    apart = view[1] - view[0]
    along = apart / np.linalg.norm(apart)
    assert pull.force == pytest.approx(along * (along @ pull.force), abs=1e-10)
    assert joints.force("motor", axes="joint").moment == pytest.approx(
        1.5 if dimensions == 2 else [0, 0, 1.5], abs=1e-9
    )
    assert joints.force("push").force == pytest.approx([3, q[0], 2][:dimensions])
    for name, body in (("s", "b"), ("push", GROUND)):
        with pytest.raises(ModelError, match="do not act on"):
            joints.force(name, on=body)


def test_a_run_says_what_is_not_determined():
    run = rods(-1, 1, 2).simulate(until=0.1)
    assert len(run.undetermined) == 2
    assert "not determined: on `load`, of `A` (force y)" in str(run.certificate)
    assert run.as_dict()["joints"]["A"]["force"][1] is None
    assert run.as_dict()["undetermined"] == run.undetermined


def test_wrong_questions():
    mechanism = rods(-1, 3)
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"names": "D"}, "no joint, drive or condition `D`"),
        ({"names": []}, "name a joint"),
        ({"names": "A", "on": "lod"}, "do not act on `lod`, but on `ground` and `load`"),
        ({"names": "A", "axes": "earth"}, "axes are `world`, `body` or `joint`, got 'earth'"),
        ({"names": "A", "at": "top"}, "body `load` has no point `top`"),
        ({"names": "A", "at": [1]}, "`at` is the name of a point of `load`, or 2 numbers"),
        ({"names": "A", "at": [1, float("nan")]}, "`at` is the name of a point"),
    )
    for arguments, message in cases:
        with pytest.raises(ModelError, match=message):
            mechanism.joint_force(**arguments)
    with pytest.raises(ModelError, match="a system without bodies has no joints"):
        example("pendulum").simulate(until=0.1).joint("rod_x")


def swing(speed: float, rope: dict | None = None, gravity: tuple = (0, -9.81)) -> Mechanism:
    """A bob on a rope of 2 m, pushed at its lowest point."""
    bob = {"kind": "particle", "mass": 3, "at": [0, -2], "velocity": [speed, 0]}
    joint = {"kind": "rope", "bodies": ["ground", "bob"], "at": [[0, 0], [0, -2]], "over": []}
    return Mechanism({"bob": bob}, {"rope": {**joint, **(rope or {})}}, gravity=gravity)


def test_a_rope_that_would_have_to_push_is_said():
    """T = m (v²/l − 2 g + 3 g cos φ) vanishes on the way up."""
    with pytest.warns(MotionWarning, match="rope `rope` would have to push"):
        run = swing(8.0).simulate(1.0)
    first, most, at = (
        float(x) for x in re.search(r"at t = (.*), most \((.*) N\) at t = (.*?):", run.slack[0]).groups()
    )
    assert np.isclose(-run.at(first)[0][1] / 2, (2 * 9.81 - 32) / (3 * 9.81), rtol=1e-5)
    assert (most, at) == pytest.approx((-run.minimum("rope.tension"), 1.0), rel=1e-3)
    assert run.slack[0] in run.certificate.notes and run.certificate.ok
    stopped = swing(8.0).simulate(1.0, events=[Event("lambda_rope_length = 0", "stop")])
    assert stopped.status == "stopped" and stopped.slack == () == swing(8.0).simulate(0.6).slack


@pytest.mark.parametrize("gravity", [(0, -9.81), (0, 0)])
def test_ropes_that_pull_or_do_nothing_are_not_named(gravity):
    """A swing of little height; and two balls that fall, or drift, with a rope between them that only rounding tightens."""
    assert swing(1.0, gravity=gravity).simulate(2).slack == ()
    balls = {name: {"kind": "particle", "mass": 1, "at": [k, 0.3 * k]} for k, name in enumerate("ab")}
    rope = {"kind": "rope", "bodies": ["a", "b"], "points": [[0, 0], [0, 0]], "over": []}
    assert Mechanism(balls, {"r": rope}, gravity=gravity).simulate(1).slack == ()
