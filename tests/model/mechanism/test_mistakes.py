"""Bad mechanisms: one message that names the part and says what to do, all at once, with file and line; never a crash."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dalembert import Mechanism, ModelError, SimulationError, loads

PLANE: dict[str, Any] = {
    "bodies": {
        "crank": {"mass": 1, "inertia": 0.1, "at": [0.5, 0], "points": {"P": [0.5, 0]}},
        "rod": {"mass": 1, "inertia": 0.1, "at": [1.5, 0]},
    },
    "joints": {
        "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
        "B": {"kind": "revolute", "bodies": ["crank", "rod"], "points": ["P", [-0.5, 0]]},
    },
}
SPACE: dict[str, Any] = {
    "dimensions": 3,
    "bodies": {"top": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 1]}},
    "joints": {"A": {"kind": "revolute", "bodies": ["ground", "top"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
}
DELETE = object()


def changed(parts: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with one entry changed, made or taken away."""
    parts = copy.deepcopy(parts)
    *way, last = path.split("/")
    table = parts
    for key in way:
        table = table.setdefault(key, {})
    if value is DELETE:
        del table[last]
    else:
        table[last] = value
    return parts


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("joints/A/bodies", ["ground", "cranc"], "joints.A.bodies: there is no body `cranc`; did you mean `crank`?"),
        ("joints/A/bodies", ["crank", "crank"], "joints.A.bodies: both ends are on `crank`; name two bodies"),
        ("joints/A/bodies", ["crank"], "joints.A.bodies: expected the names of two bodies"),
        ("joints/A/kind", "revolut", "joints.A.kind: got `revolut`; did you mean `revolute`?"),
        ("joints/A/kind", "hinge", "joints.A.kind: got `hinge`; this pair is called `revolute`"),
        ("joints/A/kind", "fixed", "joints.A.kind: got `fixed`; this pair is called `rigid`"),
        ("joints/A/kind", "spherical", "joints.A.kind: `spherical` is a pair of space; kinds in the plane: "),
        ("joints/A/kind", DELETE, "joints.A.kind: `kind` is missing; kinds: "),
        ("joints/A/at", DELETE, "joints.A: nothing is given for `at` or `points`"),
        ("joints/A/at", [0, 0, 0], "joints.A.at: expected a list of 2 numbers or expressions, got 3 values"),
        ("joints/A/at", ["x_crank", 0], "joints.A.at: expected a number or an expression of parameters"),
        ("joints/A/at", ["q", 0], "joints.A.at: unknown name `q`"),
        ("joints/A/points", ["O", "P"], "joints.A.points: `at` and `points` say the same thing twice"),
        ("joints/B/points", ["Q", [0, 0]], "joints.B.points: body `crank` has no point `Q`; points of `crank`: P"),
        ("joints/B/points", ["P"], "joints.B.points: expected a list of 2, one for each body"),
        ("joints/B/kind", "prismatic", "joints.B.axis: `axis` is missing: the direction of sliding"),
        ("joints/B/radius", 3, "joints.B.radius: unknown entry"),
        ("joints/B/axis", [0, 0], "joints.B.axis: a direction of length zero"),
        ("joints/B/axes", [1, 0], "joints.B.axes: expected one direction for each of the 2 bodies, in its own frame"),
        ("joints/B/type", "revolute", "joints.B.type: unknown entry; did you mean `kind`?"),
        ("bodies/crank/position", [0, 0], "bodies.crank.position: unknown entry; did you mean `at`?"),
        ("joints/B", 3, "joints.B: expected a table with keys and values, got `3`"),
        ("joints/2b", {}, "joints: '2b': a name is letters, digits and _"),
        ("joints", ["A"], "joints: expected tables by name"),
        ("bodies/crank/mass", -1, "bodies.crank.mass: a mass is not negative, got -1 kg"),
        ("bodies/crank/mass", "m", "bodies.crank.mass: unknown name `m`"),
        ("bodies/crank/inertia", -1, "bodies.crank.inertia: a moment of inertia is not negative"),
        ("bodies/crank/inertia", [1, 1, 1], "bodies.crank.inertia: expected an expression or a number, got list"),
        ("bodies/crank/masss", 1, "bodies.crank.masss: unknown entry; did you mean `mass`?"),
        ("bodies/crank/at", 3, "bodies.crank.at: expected a list of 2 numbers or expressions, got `3`"),
        (
            "bodies/crank/points",
            {"P": [1]},
            "bodies.crank.points.P: expected a list of 2 numbers or expressions, got 1",
        ),
        ("bodies/1st", {}, "bodies.1st: '1st': a name is letters, digits and _"),
        ("bodies/dust", {}, "bodies.dust: no joint holds this body, and it has no `mass` and no `inertia`"),
        ("bodies/dust", {"mass": 1}, "bodies.dust: no joint holds this body, and it has no `inertia`"),
        ("bodies/ground", {"mass": 1}, "bodies.ground.mass: unknown entry; entries: points, frames"),
        ("bodies", {}, "bodies: a mechanism needs at least one body besides the ground"),
        ("dimensions", 4, "mechanism.dimensions: expected 2 or 3, got 4"),
        ("gravity", [0, 0, -9.81], "mechanism.gravity: expected a list of 2 numbers or expressions, got 3 values"),
        ("coordinates", "x_rod", "coordinates: coordinate `x_rod` is listed twice"),
        ("parameters", {"x_rod": 1}, "parameters.x_rod: parameter `x_rod` is also a coordinate"),
        ("constraints", {"A.x": "x_rod = 1"}, "constraints.A.x: `A.x` is the name of a condition of a joint"),
        ("springs/s", {"bodies": ["ground", "rod"], "force": 1}, "springs.s: nothing is given for `at` or `points`"),
        ("springs/s", {"stiffness": 1}, "springs.s: give `bodies` and `points` between which it acts, or a `joint`"),
        ("springs/s", {"joint": "C", "stiffness": 1}, "springs.s.joint: there is no joint `C`; joints: A, B"),
        ("springs/s", {"joint": "A"}, "springs.s: nothing is given for `stiffness` or `force`"),
        ("springs/s", {"joint": "A", "stiffness": -1}, "springs.s.stiffness: `stiffness` is not negative, got -1"),
        ("springs/s", {"joint": "A", "force": "k*angle"}, "springs.s.force: unknown name `k`"),
        (
            "springs/s",
            {"bodies": ["crank", "rod"], "at": [[1, 1], [1, 1]], "stiffness": 1},
            "springs.s: both ends are in the same place, where its direction is not defined",
        ),
        ("actuators/m", {"joint": "A", "force": 1}, "actuators.m.force: it acts on an angle: give `torque` instead"),
        ("actuators/m", {"joint": "A"}, "actuators.m.torque: `torque` is missing"),
        ("loads/f", {"body": "rod"}, "loads.f: neither `force` nor `torque` is given"),
        ("loads/f", {"body": "ground", "force": [1, 0]}, "loads.f.body: the ground is loaded"),
        ("loads/f", {"body": "rodd", "force": [1, 0]}, "loads.f.body: there is no body `rodd`; did you mean `rod`"),
        ("loads/f", {"body": "rod", "force": ["x_rod''", 0]}, "loads.f.force: a force or a drive depends on accel"),
        (
            "loads/f",
            {"body": "rod", "force": [1, 0], "frame": "moon"},
            "loads.f.frame: got `moon`; frames: world, body",
        ),
        (
            "drives/m",
            {"joint": "A", "distance": "t"},
            "drives.m.distance: joint `A` (revolute) has no distance; it has",
        ),
        ("drives/m", {"joint": "A"}, "drives.m: nothing is given for `angle` or `speed`"),
        ("drives/m", {"joint": "A", "angle": "phi_rod"}, "drives.m.angle: a drive is a function of time"),
        (
            "drives/m",
            {"joint": "A", "angle": {"t": [0, 2, 1], "value": [0, 1, 2]}},
            "drives.m.angle.t: the times must increase: 1 follows 2 at place 3",
        ),
        (
            "drives/m",
            {"joint": "A", "angle": {"t": [0, 1], "value": [0]}},
            "drives.m.angle.t: 2 times and 1 values",
        ),
        (
            "drives/m",
            {"joint": "A", "angle": {"t": [0], "value": [0]}},
            "drives.m.angle.t: a table needs two points at least",
        ),
        ("drives/m", {"joint": "A", "angle": {"value": [0]}}, "drives.m.angle.t: `t` is missing: a list of numbers"),
    ],
)
def test_in_the_plane(path, value, message):
    with pytest.raises(ModelError) as error:
        Mechanism(**changed(PLANE, path, value))
    assert any(line.startswith(message) for line in str(error.value).split("\n")), str(error.value)
    assert len(error.value.problems) == 1, str(error.value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("joints/A/axis", [0, 0, 0], "joints.A.axis: a direction of length zero"),
        ("joints/A/axis", DELETE, "joints.A.axis: `axis` is missing: the axis about which the bodies turn"),
        ("bodies/top/inertia", [1, 1, 3], "bodies.top.inertia: no body has these moments of inertia"),
        ("bodies/top/inertia", [1, 1, -1], "bodies.top.inertia: moments of inertia are not negative"),
        (
            "bodies/top/inertia",
            [[1, 1, 0], [0, 1, 0], [0, 0, 1]],
            "bodies.top.inertia: the matrix of inertia must be sym",
        ),
        ("bodies/top/inertia", 3, "bodies.top.inertia: expected a list of 3 numbers or expressions, got `3`"),
        (
            "bodies/top/rotation",
            {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, -1]},
            "bodies.top.rotation.z: the axes are left-handed: z must be x × y; turn one of them round",
        ),
        (
            "bodies/top/rotation",
            {"x": [1, 0, 0], "y": [1, 1, 0]},
            "bodies.top.rotation.y: the axes x and y must be at ri",
        ),
        ("bodies/top/rotation", {"x": [1, 0, 0], "y": [0, 0, 0]}, "bodies.top.rotation.y: a direction of length zero"),
        (
            "bodies/top/rotation",
            [0, 0, 0, 0],
            "bodies.top.rotation: Euler parameters [e0, e1, e2, e3] are not all zero",
        ),
        ("bodies/top/rotation", [1, 0, 0], "bodies.top.rotation: expected a list of 4 numbers or expressions, got 3"),
        ("bodies/top/rotation", {"axis": [0, 0, 1]}, "bodies.top.rotation.angle: `angle` is missing"),
        ("bodies/top/rotation", 3, "bodies.top.rotation: expected a table with keys and values, got `3`"),
        ("bodies/top/angle", 3, "bodies.top.angle: unknown entry"),
        (
            "springs/s",
            {"kind": "torsion", "bodies": ["ground", "top"]},
            "springs.s.kind: in space an angle belongs to a j",
        ),
        ("joints/A", {"kind": "screw", **SPACE["joints"]["A"], "pitch": 0}, "joints.A.pitch: unknown entry"),
    ],
)
def test_in_space(path, value, message):
    with pytest.raises(ModelError) as error:
        Mechanism(**changed(SPACE, path, value))
    assert any(line.startswith(message) for line in str(error.value).split("\n")), str(error.value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "screw", "axis": [0, 0, 1], "pitch": 0}, "joints.A.pitch: a screw without pitch"),
        ({"kind": "screw", "axis": [0, 0, 1]}, "joints.A.pitch: `pitch` is missing"),
        ({"kind": "universal", "axis": [0, 0, 1], "cross": [0, 0, 1]}, "joints.A.cross: the arm on the second body"),
        ({"kind": "universal", "axis": [0, 0, 1]}, "joints.A.cross: `cross` is missing"),
    ],
)
def test_pairs_in_space(table, message):
    with pytest.raises(ModelError) as error:
        Mechanism(**changed(SPACE, "joints/A", {"bodies": ["ground", "top"], "at": [0, 0, 0], **table}))
    assert str(error.value).startswith(message), str(error.value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "rod", "at": [[1, 0], [1, 0]]}, "joints.C: both ends are in the same place; give a `length`"),
        ({"kind": "rod", "at": [[1, 0], [2, 0]], "length": 0}, "joints.C.length: `length` must be positive, got 0"),
        ({"kind": "gear", "radii": [-1, 2]}, "joints.C.radii: radii of gears are positive"),
        ({"kind": "gear"}, "joints.C: nothing is given for `radii` or `teeth`"),
        ({"kind": "gear", "teeth": [20, -3]}, "joints.C.teeth: numbers of teeth are positive"),
        ({"kind": "gear", "teeth": [20.5, 30]}, "joints.C.teeth: numbers of teeth are whole numbers"),
        ({"kind": "gear", "teeth": [20, 20], "internal": True}, "joints.C.teeth: an internal gear has more teeth"),
        ({"kind": "gear", "teeth": [20, 30], "carrier": "arm"}, "joints.C.carrier: there is no body `arm`"),
        ({"kind": "gear", "teeth": [2, 3], "internal": "yes"}, "joints.C.internal: expected true or false, got `yes`"),
        ({"kind": "rolling", "axis": [1, 0], "radius": -1}, "joints.C.radius: `radius` must be positive, got -1"),
        ({"kind": "rolling", "axis": [1, 0]}, "joints.C.radius: `radius` is missing"),
        ({"kind": "rope", "at": [[0, 0], [1, 0]], "over": 3}, "joints.C.over: expected a list of pulleys"),
        ({"kind": "rope", "at": [[0, 0], [1, 0]], "over": [3]}, "joints.C.over: expected a table with keys and values"),
        (
            {"kind": "rope", "at": [[0, 0], [1, 0]], "over": [{"at": [0.1, 0], "radius": 0.2}]},
            "joints.C.over: the first end of the rope lies inside pulley 1: it is 0.1 m from its centre, and the radius "
            "is 0.2 m; place the end outside, or check `radius`",
        ),
        (
            {"kind": "rope", "at": [[0, 0], [1, 0]], "over": [{"at": [0.8, 0], "radius": 0.2}]},
            "joints.C.over: the second end of the rope lies on the rim of pulley 1",
        ),
        (
            {"kind": "rope", "at": [[0, 0], [0, 0]], "over": []},
            "joints.C.over: both ends of the rope are at the same place",
        ),
        (
            {
                "kind": "rope",
                "at": [[0, 0], [3, 0]],
                "over": [{"at": [1, 0], "radius": 0.2}, {"at": [1.3, 0], "radius": 0.2, "side": "right"}],
            },
            "joints.C.over: no rope goes from pulley 1 to pulley 2: their centres are 0.3 m apart, and it must be more "
            "than 0.4 m, as the rope crosses from one to the other; move them apart, or check `radius` and `side`",
        ),
    ],
)
def test_pairs_in_the_plane(table, message):
    with pytest.raises(ModelError) as error:
        Mechanism(**changed(PLANE, "joints/C", {"bodies": ["crank", "rod"], **table}))
    assert str(error.value).startswith(message), str(error.value)


FILE = """format = 1

[bodies.crank]
mass = -1
at = [0.5]

[joints.A]
kind = "revolut"
bodies = ["ground", "crank"]
at = [0, 0]

[joints.B]
kind = "revolute"
bodies = ["ground", "rod"]

[mechanism]
gravty = [0, 0]
"""


def test_everything_at_once_with_file_and_line():
    with pytest.raises(ModelError) as error:
        loads(FILE, "m.toml")
    assert [(problem.line, problem.key[-1]) for problem in error.value.problems] == [
        (4, "mass"),
        (5, "at"),
        (8, "kind"),
        (14, "bodies"),
        (17, "gravty"),
    ]
    assert str(error.value).startswith("m.toml:4: mass: a mass is not negative, got -1 kg")


def test_bodies_and_matrices_are_not_mixed():
    text = 'format = 1\n[bodies.a]\nmass = 1\ninertia = 1\n[matrices]\nmass = [["m"]]\nforce = [0]\n'
    with pytest.raises(ModelError, match=r"<text>:5: matrices: bodies and matrices cannot be combined"):
        loads(text)


def test_parts_that_cannot_be_assembled():
    parts = changed(PLANE, "joints/C", {"kind": "revolute", "bodies": ["rod", "ground"], "points": [[0.5, 0], [5, 0]]})
    check = Mechanism(**parts).check()
    assert not check.ok
    text = next(problem.text for problem in check.problems if problem.severity == "error")
    assert text.startswith("the parts cannot be assembled at joint `")
    assert "(revolute, `" in text and "Check the points and lengths there, and where the bodies are placed" in text
    with pytest.raises((ModelError, SimulationError), match="cannot be assembled"):
        Mechanism(**parts).simulate(until=1)


def test_assembly_says_what_it_moved():
    parts = changed(PLANE, "bodies/rod/at", [1.5, 0.3])
    notes = [problem.text for problem in Mechanism(**parts).check().problems if "was moved" in problem.text]
    assert len(notes) == 2 and "body `rod` was moved by" in notes[1]
    assert not [p for p in Mechanism(**PLANE).check().problems if "was moved" in p.text]


def test_mass_that_is_missing_is_named():
    parts = changed(PLANE, "bodies/rod", {"at": [1.5, 0]})
    texts = [problem.text for problem in Mechanism(**parts).check().problems if problem.severity == "error"]
    assert any("no inertia" in text and "phi_rod" in text for text in texts)


@pytest.mark.parametrize("motions", [("2*t", "3*t"), ("2*t", "2*t")])
def test_two_drives_on_one_coordinate(motions):
    drives = {f"m{k}": {"joint": "A", "angle": motion} for k, motion in enumerate(motions)}
    with pytest.raises(ModelError) as error:
        Mechanism(**PLANE, drives=drives)
    assert str(error.value) == (
        "drives.m1.joint: the angle of joint `A` is driven by `m0` already, and cannot follow two drives; remove one of "
        "them, or write the sum of both motions into one"
    )


def test_a_rope_whose_end_comes_to_its_pulley():
    guide = {"kind": "prismatic", "axis": [0, 1]}
    mechanism = Mechanism(
        bodies={
            "load": {"mass": 2, "inertia": 1, "at": [-0.1, -0.5]},
            "other": {"mass": 1, "inertia": 1, "at": [0.2, -1]},
        },
        joints={
            "rope": {
                "kind": "rope",
                "bodies": ["load", "other"],
                "points": [[0, 0], [0, 0]],
                "over": [{"at": [0, 0], "radius": 0.2, "side": "right"}],
            },
            "g1": {**guide, "bodies": ["ground", "load"], "at": [-0.1, -0.5]},
            "g2": {**guide, "bodies": ["ground", "other"], "at": [0.2, -1]},
        },
        initial={"y_load'": 20},
    )
    with pytest.warns(UserWarning, match="the motion ends"):
        run = mechanism.simulate(0.5)
    assert run.status == "failed"
    assert run.message.endswith(
        "; `rope.length` cannot go on beyond that position: a root or an angle has no value there"
    )
