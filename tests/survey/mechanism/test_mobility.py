"""Mobility by counting and by rank, and redundancy in words with remedies that hold what they promise."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from dalembert import Mechanism, ModelError
from dalembert.survey.mechanism.mobility import describe_span
from tests.model.mechanism.linkages import bennett, bricard, four_bar, loop, slider_crank, spatial_four_bar

BAR: dict[str, Any] = {"mass": 1, "inertia": 0.1}


def spherical_four_bar() -> Mechanism:
    """Four axes through the point (1, 2, 3)."""
    points = np.array([[1, 0, 0], [0.8, 0.5, 0.4], [0.2, 0.9, 0.6], [0, 1, 0]])
    return loop(np.add(points, [1, 2, 3]).tolist(), points.tolist())


def wedge() -> Mechanism:
    """Three sliders on each other, in the plane."""
    return Mechanism(
        {"w": {**BAR, "at": [0, 0]}, "p": {**BAR, "at": [0, 1]}},
        {
            "A": {"kind": "prismatic", "bodies": ["ground", "w"], "at": [0, 0], "axis": [1, 0]},
            "B": {"kind": "prismatic", "bodies": ["w", "p"], "at": [0, 0.5], "axis": [2, 1]},
            "C": {"kind": "prismatic", "bodies": ["ground", "p"], "at": [0, 1], "axis": [0, 1]},
        },
    )


def double_parallelogram() -> Mechanism:
    """A parallelogram with a third crank."""
    return loop([[0, 0], [0, 1], [3, 1], [3, 0]]).replace(
        bodies={"b4": {**BAR, "at": [1, 0.5]}},
        joints={
            "E": {"kind": "revolute", "bodies": ["ground", "b4"], "at": [1, 0]},
            "F": {"kind": "revolute", "bodies": ["b4", "b2"], "at": [1, 1]},
        },
    )


def truss_and_pendulum() -> Mechanism:
    """Two bars that hold each other, a rod too many, and a pendulum beside them."""
    return loop([[0, 0], [1, 1], [2, 0]]).replace(
        bodies={"p": {**BAR, "at": [5, 6]}},
        joints={
            "S": {"kind": "rod", "bodies": ["ground", "b1"], "points": [[0.5, -1], [0.2, 0.1]]},
            "P": {"kind": "revolute", "bodies": ["ground", "p"], "at": [5, 5]},
        },
    )


def door() -> Mechanism:
    hinge = {"kind": "revolute", "bodies": ["ground", "d"], "axis": [0, 0, 1]}
    body = {"mass": 1, "inertia": [1, 1, 1], "at": [1, 0, 0]}
    return Mechanism({"d": body}, {"A": {**hinge, "at": [0, 0, 0]}, "B": {**hinge, "at": [0, 0, 1]}}, dimensions=3)


def three_rods() -> Mechanism:
    """A body on three parallel rods of the same length."""
    rods = {
        f"R{k}": {"kind": "rod", "bodies": ["ground", "b"], "at": [[x, 0], [x, -1]]}
        for k, x in enumerate([-1, 1, 0.5], 1)
    }
    return Mechanism({"b": {**BAR, "at": [0, -1]}}, rods)


def two_guides() -> Mechanism:
    mechanism = slider_crank()
    guide = {**mechanism.tables["joints"]["D"], "points": [[0, 0], [0.3, 0]]}
    return mechanism.replace(joints={"E": guide})


# by Grübler and Kutzbach, true, in the assembled position, what the reason says
KNOWN = {
    "slider-crank": (slider_crank, 1, 1, 1, None),
    "four-bar": (lambda: four_bar(1, 2, 2, 2.5, 1.0), 1, 1, 1, None),
    "driven": (lambda: slider_crank(drives={"m": {"joint": "A", "speed": 1}}), 1, 1, 1, None),
    "spatial four-bar": (spatial_four_bar, -2, 1, 1, r"parallel to the plane with the normal \[0, 0, 1\]"),
    "spherical four-bar": (spherical_four_bar, -2, 1, 1, r"all bodies turn about the point \[1, 2, 3\]"),
    "wedge": (wedge, 0, 1, 1, "no body turns; counted with 2 per body it is 1"),
    "Bricard": (bricard, 0, 1, 1, "special dimensions; with slightly different ones it cannot move"),
    "Bennett": (bennett, -2, 1, 1, "special dimensions; with slightly different ones it cannot move"),
    "double parallelogram": (double_parallelogram, 0, 1, 1, "special dimensions"),
    "three rods": (three_rods, 0, 1, 1, "special dimensions"),
    "truss": (truss_and_pendulum, 0, 1, 1, r"held more than once, whatever .*`b1` and `b2` cannot move at all"),
    "flat parallelogram": (lambda: loop([[0, 0], [1, 0], [4, 0], [3, 0]]), 1, 1, 2, "the motion branches there"),
    "toggle": (lambda: loop([[0, 0], [1, 0], [2, 0]]), 0, 0, 1, "`b1` and `b2` can give way there"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_mobilities(name):
    make, count, freedom, here, reason = KNOWN[name]
    found = make().mobility()
    assert (found.count, found.freedom, found.here) == (count, freedom, here)
    if reason is None:
        assert not found.reasons
    else:
        assert re.search(reason, "; ".join(found.reasons)), found.reasons


def test_own_coordinates_and_constraints_are_counted():
    mechanism = slider_crank(coordinates=["s"], kinetic="s'^2/2", constraints={"tie": "s = 2*x_slider"})
    found = mechanism.mobility()
    assert (found.count, found.freedom) == (1, 1)
    assert found.terms == "3·3 + 1 (own coordinates) − 3·2 (revolute) − 1·2 (prismatic) − 1 (own constraints)"


# the joint that is named, how many of its conditions, what to do
REPEATED = {
    "spatial four-bar": (spatial_four_bar, "D", "3 of 5 conditions, which `A`, `B` and `C` already impose"),
    "Bricard": (bricard, "F", "1 of 5 conditions, which `A`, `B`, `C`, `D` and `E` already impose"),
    "spherical four-bar": (spherical_four_bar, "D", "3 of 5 conditions"),
    "wedge": (wedge, "C", "1 of 2 conditions, which `A` and `B` already impose"),
    "double parallelogram": (double_parallelogram, "F", "1 of 2 conditions"),
    "truss": (truss_and_pendulum, "S", "its condition, which `A`, `B` and `C` already impose: remove it"),
    "three rods": (three_rods, "R3", "its condition, which `R1` and `R2` already impose: remove it"),
    "two guides": (two_guides, "E", "all of its 2 conditions, which `D` already imposes: remove it"),
    "door": (door, "B", "all of its 5 conditions, which `A` already imposes: remove it"),
}


@pytest.mark.parametrize("name", REPEATED)
def test_redundancy_is_told_by_joint_and_its_remedy_works(name):
    """Every remedy that is offered is carried out: nothing is repeated any more, and the freedom is the same."""
    make, joint, words = REPEATED[name]
    mechanism = make()
    check = mechanism.check()
    (text,) = [problem.text for problem in check.problems if "repeats" in problem.text and "joint" in problem.text[:6]]
    kind = mechanism.joints[joint].kind
    assert text.startswith(f"joint `{joint}` ({'planar' if mechanism.dimensions == 2 else 'spatial'} {kind}) repeats ")
    assert words in text
    assert check.ok and not [p for p in check.problems if p.text.startswith("redundant")]
    for way in remedies(text, joint):
        variant = mechanism
        for part, kind, axis in way:
            old = mechanism.tables["joints"][part]
            new = (
                {"kind": kind, "bodies": old["bodies"], "at": old["at"]} | ({"axis": axis} if axis else {})
                if kind
                else None
            )
            variant = variant.replace(joints={part: new})
        cured = variant.check()
        assert not cured.redundancies and cured.degrees_of_freedom == check.degrees_of_freedom, way


def remedies(text: str, joint: str) -> list[list[tuple[str, str, list[float] | None]]]:
    """Read the remedies off the sentence."""
    if "remove it" in text:
        return [[(joint, "", None)]]
    ways = text.split(": replace ")[1].split(";")[0].split(", or ")
    pattern = r"`(\w+)` by a (\w+) pair(?: \(axis \[([^]]*)\]\))?"
    found = [
        [
            (part, kind, [float(x) for x in axis.split(",")] if axis else None)
            for part, kind, axis in re.findall(pattern, way)
        ]
        for way in ways
    ]
    assert found and all(found)
    return found


def test_redundancy_by_values_names_the_parameters():
    mechanism = Mechanism(
        {"b": {**BAR, "at": [0, -1]}},
        {
            f"R{k}": {"kind": "rod", "bodies": ["ground", "b"], "at": [[x, 0], [x, -1]], "length": f"l{k}"}
            for k, x in enumerate([-1, 1, 0.5], 1)
        },
        parameters={"l1": 1, "l2": 1, "l3": 1},
    )
    texts = [problem.text for problem in mechanism.check().problems]
    assert any("(only for the present values of `l1`, `l2` and `l3`)" in text for text in texts)


def test_a_drive_that_repeats_another():
    drives = {"m1": {"joint": "A", "angle": "t"}, "m2": {"joint": "D", "angle": "-t"}}  # ground is its second body
    texts = [problem.text for problem in loop([[0, 0], [0, 1], [3, 1], [3, 0]], drives=drives).check().problems]
    start = "drive `m2` repeats its condition, which `A`, `B`, `C`, `D` and `m1` already impose: remove it"
    assert any(text.startswith(start) for text in texts), texts


@pytest.mark.parametrize(
    ("angle", "words"),
    [
        ("0.4", "`m2` is off by 22.9 degrees at best"),  # out of reach at the start
        ("-2*t", "`m2.angle` is off by"),  # another speed
    ],
)
def test_more_drives_than_freedoms(angle, words):
    drives = {"m1": {"joint": "A", "angle": "t"}, "m2": {"joint": "D", "angle": angle}}
    check = loop([[0, 0], [0, 1], [3, 1], [3, 0]], drives=drives).check()
    [text] = [problem.text for problem in check.problems if problem.severity == "error"]
    assert text.startswith("drives `m1` (angle of `A`) and `m2` (angle of `D`) cannot be followed together: ")
    assert words in text
    assert text.endswith(
        ". The mechanism has mobility 1, and 2 drives: keep 1, or give the others the motions that follow"
    )


def test_a_drive_out_of_reach():
    check = four_bar(1, 2, 2, 2.5, 1.0, drives={"m": {"joint": "D", "angle": "3.1"}}).check()
    [text] = [problem.text for problem in check.problems if problem.severity == "error"]
    assert re.match(
        r"drive `m` \(angle of `D`\) asks for more than the joints allow: `m` is off by [\d.]+ degrees", text
    )


def twists(*motions: tuple[Any, Any]) -> np.ndarray:
    """A basis of motions, each given by an angular velocity and the velocity in the origin; mixed and of length 1."""
    columns = np.array([np.concatenate([np.atleast_1d(turn), velocity]) for turn, velocity in motions], dtype=float).T
    return np.linalg.svd(columns, full_matrices=False)[0]


X, Y, Z, O = [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]


@pytest.mark.parametrize(
    ("motions", "words"),
    [
        ([(1, [2, -1])], "all bodies turn about the same point [1, 2]"),
        ([(1, [0, 0]), (0, [0, 1])], "all bodies turn and slide in the direction [0, 1] only"),
        ([(Z, [2, -1, 0])], "all bodies turn about the axis through [1, 2, 0] in the direction [0, 0, 1]"),
        (
            [(Z, [2, -1, 0.5])],
            "all bodies move as on one screw, about the axis through [1, 2, 0] in the direction [0, 0, 1], by 3.142 m "
            "in a turn",
        ),
        (
            [(Z, O), (O, Z)],
            "all bodies turn about axes in the direction [0, 0, 1] and slide in the direction [0, 0, 1] only",
        ),
        ([(Z, O), (O, X), (O, Y)], "all bodies move parallel to the plane with the normal [0, 0, 1]"),
        ([(Z, O), (O, X), (O, Y), (O, Z)], "all bodies turn about axes in the direction [0, 0, 1] only"),
        (
            [(Z, O), (X, O)],
            "together the bodies turn about 2 independent directions only, of 3 and 3 that space has",
        ),
        (
            [(Z, O), (X, O), (O, Y)],
            "together the bodies turn about 2 independent directions and slide in 1 only, of 3 and 3 that space has",
        ),
    ],
)
def test_motions_in_the_words_of_an_engineer(motions, words):
    assert describe_span(twists(*motions), 1.0) == words


def test_two_hinges_on_one_axis():
    assert "all bodies turn about the axis through [0, 0, 0] in the direction [0, 0, 1]" in str(door().mobility())


# --- assembly --------------------------------------------------------------------------------------------------------


def links(a: float, b: float, c: float, d: float) -> Mechanism:
    """A four-bar by lengths, its bodies placed roughly."""
    places = [("crank", a, [0, 0]), ("coupler", b, [0, a]), ("rocker", c, [d, 0])]
    bodies = {name: {**BAR, "at": at, "points": {"L": [0, 0], "R": [x, 0]}} for name, x, at in places}
    pins = {
        "A": ("ground", [0, 0], "crank", "L"),
        "B": ("crank", "R", "coupler", "L"),
        "C": ("coupler", "R", "rocker", "R"),
        "D": ("rocker", "L", "ground", [d, 0]),
    }
    joints = {k: {"kind": "revolute", "bodies": [p[0], p[2]], "points": [p[1], p[3]]} for k, p in pins.items()}
    return Mechanism(bodies, joints)


def test_a_rough_guess_is_assembled():
    mechanism = links(1, 2, 2, 2.5)
    up = mechanism.assemble({"phi_crank": 1, "phi_coupler": 0.5, "phi_rocker": 1.5})
    down = mechanism.assemble({"phi_crank": -1, "phi_coupler": -0.5, "phi_rocker": -1.5})
    for state, side in ((up, 1), (down, -1)):
        x, y = np.cos(state["phi_crank"]), np.sin(state["phi_crank"])
        tip = [x + 2 * np.cos(state["phi_coupler"]), y + 2 * np.sin(state["phi_coupler"])]
        other = [2.5 + 2 * np.cos(state["phi_rocker"]), 2 * np.sin(state["phi_rocker"])]
        assert tip == pytest.approx(other, abs=1e-9) and side * tip[1] > 0
    assert any("body `coupler` was moved by" in note for note in up.notes)
    with pytest.raises(ModelError, match="did you mean `phi_crank`"):
        mechanism.assemble({"phi_krank": 1})


@pytest.mark.parametrize(
    ("lengths", "gap"), [((1, 1, 1, 4), "1 m"), ((5, 1, 1, 1), "2 m"), ((1, 1.5, 1, 4.25), "0.75 m")]
)
def test_bars_that_do_not_close_stay_open_by_what_is_missing(lengths, gap):
    """The longest bar less the others."""
    with pytest.raises(
        ModelError, match=f"cannot be assembled at joint `.*`A`, `B`, `C` and `D` closed it stays open by {gap} "
    ):
        links(*lengths).assemble()
    (error,) = [p for p in links(*lengths).check().problems if p.severity == "error"]
    assert f"stays open by {gap}" in error.text


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_size_does_not_matter(size):
    points = (size * np.array([[0, 0, 0], [0, 1, 0], [2, 2, 0], [2, 0, 0]])).tolist()
    mechanism = loop(points, [[0, 0, 1]] * 4)
    assert mechanism.mobility().freedom == 1
    check = mechanism.check()
    assert check.degrees_of_freedom == 1 and len(check.redundancies) == 3


def test_a_screw_beside_a_loop_that_owes_its_mobility_to_special_dimensions():
    body = {"mass": 1.1, "inertia": [0.1, 0.1, 0.1]}
    corners = {"bar": [1, 0, 0], "top": [1, 1, 0], "end": [0, 1, 0]}
    bodies = {"nut": body, **{name: body | {"at": at} for name, at in corners.items()}}
    pairs = [
        ("ground", "bar", [1, 0, 0]),
        ("bar", "top", [1, 1, 0]),
        ("top", "end", [0, 1, 0]),
        ("ground", "end", [0] * 3),
    ]
    joints: dict[str, dict] = {
        f"R{k}": {"kind": "revolute", "bodies": [a, b], "at": at, "axis": [0, 0, 1]}
        for k, (a, b, at) in enumerate(pairs)
    }
    joints["thread"] = {"kind": "screw", "bodies": ["ground", "nut"], "at": [0, 0, 0], "axis": [0, 0, 1], "pitch": 0.1}
    assert Mechanism(dimensions=3, bodies=bodies, joints=joints).mobility().freedom == 2
