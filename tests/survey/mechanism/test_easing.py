"""Loops that close only nearly: rounded places are named as such, with a pair that helps; wrong lengths are not."""

from __future__ import annotations

import re

import pytest

from dalembert import Mechanism
from dalembert.errors import ModelError

EXACT = [0.17320508075688773, 0.1, 0]
AXIS = [0.8660254037844387, 0.5, 0]


def hooke(at, drive=True, **joints):
    """Two shafts at 30 degrees and a cross between them, by four revolutes: three conditions more than are needed."""
    body = {"mass": 1.2, "inertia": [0.002, 0.002, 0.001]}
    table = {
        "bearing1": {"kind": "revolute", "bodies": ["ground", "input"], "at": [-0.2, 0, 0], "axis": [1, 0, 0]},
        "arm1": {"kind": "revolute", "bodies": ["input", "cross"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        "arm2": {"kind": "revolute", "bodies": ["cross", "output"], "at": [0, 0, 0], "axis": [0, 0, 1]},
        "bearing2": {"kind": "revolute", "bodies": ["ground", "output"], "at": at, "axis": AXIS},
    }
    return Mechanism(
        dimensions=3,
        bodies={
            "input": {**body, "at": [-0.2, 0, 0]},
            "cross": {"mass": 0.15, "inertia": [1e-4, 1e-4, 1e-4]},
            "output": {**body, "at": at},
        },
        joints=table | joints,
        drives={"motor": {"joint": "bearing1", "angle": "20*t"}} if drive else None,
    )


def words(mechanism):
    return "\n".join(problem.text for problem in mechanism.check().problems)


def proposal(text):
    """Read the pair that is proposed from the sentence."""
    name, kind, axis = re.search(r"[Rr]eplace `(\w+)` by a (\w+) pair(?: \(axis \[(.*?)\]\))?", text).groups()
    return name, kind, [float(x) for x in axis.split(", ")] if axis else None


def test_exact_places_are_well():
    assert "nearly" not in words(hooke(EXACT))


def test_a_drive_that_is_stuck_names_the_joint_and_the_proposal_moves():
    rounded = [0.173, 0.1, 0]
    text = words(hooke(rounded))
    assert "can be assembled, but not moved" in text and "fit only nearly" in text
    name, kind, axis = proposal(text)
    joint = {"kind": kind, "bodies": ["ground", "output"], "at": rounded} | ({"axis": axis} if axis else {})
    eased = hooke(rounded, **{name: joint})
    assert eased.simulate(0.5).certificate.ok
    with pytest.raises(ModelError, match="fit only nearly"):
        hooke(rounded).simulate(0.5)


def test_a_machine_without_drive_that_cannot_move_says_why():
    text = words(hooke([0.173, 0.1, 0], drive=False))
    assert "nothing can move. The parts fit only nearly" in text
    assert "repeats" not in text


def test_parts_that_do_not_close_by_rounding():
    arms = {
        "arm1": {
            "kind": "revolute",
            "bodies": ["input", "cross"],
            "points": [[0.2, 0, 0], [0, 0, 0]],
            "axes": [[0, 1, 0], [0, 1, 0]],
        },
        "arm2": {
            "kind": "revolute",
            "bodies": ["cross", "output"],
            "points": [[0, 0, 0], [-0.173, -0.1, 0]],
            "axes": [[0, 0, 1], [0, 0, 1]],
        },
    }
    text = words(hooke([0.1732, 0.1, 0], **arms))
    assert "cannot be assembled" in text and "fit only nearly" in text


def test_a_rod_that_is_too_short_is_not_a_matter_of_rounding():
    bar = {"mass": 1, "inertia": 0.1}
    bars = Mechanism(
        bodies={"a": {**bar, "at": [0.5, 0]}, "b": {**bar, "at": [1.5, 0]}},
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "a"], "points": [[0, 0], [-0.5, 0]]},
            "B": {"kind": "revolute", "bodies": ["a", "b"], "points": [[0.5, 0], [-0.5, 0]]},
            "C": {"kind": "revolute", "bodies": ["ground", "b"], "points": [[2.002, 0], [0.5, 0]]},
        },
    )
    text = words(bars)
    assert "cannot be assembled" in text and "nearly" not in text


PIN = {"kind": "revolute"}
BAR = {"mass": 1, "inertia": 0.1}


def test_a_beam_on_two_pins_fits_exactly():
    """It is held once more along its length only: a guide along it determines all forces, as the weight is halved."""
    beam = Mechanism(
        bodies={"a": {"mass": 10, "inertia": 1, "at": [0.5, 0]}},
        joints={
            "A": PIN | {"bodies": ["ground", "a"], "at": [0, 0]},
            "B": PIN | {"bodies": ["ground", "a"], "at": [1, 0]},
        },
    )
    text = words(beam)
    assert "nearly" not in text and "`B` (planar revolute) repeats 1 of 2 conditions, which `A` already imposes" in text
    assert "nothing moves then either, and forces are determined" in text
    name, kind, axis = proposal(text)
    assert (name, kind, axis) == ("B", "slot", [1, 0])
    eased = beam.replace(joints={"B": {"kind": kind, "bodies": ["ground", "a"], "at": [1, 0], "axis": axis}})
    assert not eased.check().redundancies
    assert eased.simulate(0.1).joint("B").force[-1] == pytest.approx([0, 5 * 9.81])


def test_a_truss_on_two_pins_fits_exactly():
    truss = Mechanism(
        bodies={"a": BAR | {"at": [0.5, 0]}, "b": BAR | {"at": [0.25, 0.4]}, "c": BAR | {"at": [0.75, 0.4]}},
        joints={
            "A": PIN | {"bodies": ["a", "b"], "at": [0, 0]},
            "B": PIN | {"bodies": ["a", "c"], "at": [1, 0]},
            "C": PIN | {"bodies": ["b", "c"], "at": [0.5, 0.8]},
            "G": PIN | {"bodies": ["ground", "a"], "at": [0, 0]},
            "H": PIN | {"bodies": ["ground", "a"], "at": [1, 0]},
        },
    )
    assert "nearly" not in words(truss) and proposal(words(truss)) == ("H", "slot", [1, 0])


def test_two_bars_in_line_are_not_to_be_freed():
    """Any other pair would let them fold: they are held by being stretched, and that is what is said."""
    bars = Mechanism(
        bodies={"a": BAR | {"at": [0.5, 0]}, "b": BAR | {"at": [1.5, 0]}},
        joints={
            "A": PIN | {"bodies": ["ground", "a"], "at": [0, 0]},
            "B": PIN | {"bodies": ["a", "b"], "at": [1, 0]},
            "C": PIN | {"bodies": ["ground", "b"], "at": [2, 0]},
        },
    )
    text = words(bars)
    assert "nearly" not in text and "replace" not in text and "shaky" in text
    assert "only in this position, where its forces are not determined" in text


def test_a_bar_on_two_hinges_across_in_space():
    hinge = PIN | {"bodies": ["ground", "a"]}
    bar = Mechanism(
        dimensions=3,
        bodies={"a": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0.1, 0, 0]}},
        joints={"A": hinge | {"at": [0, 0, 0], "axis": [0, 0, 1]}, "B": hinge | {"at": [1, 0, 0], "axis": [0, 1, 0]}},
    )
    assert "nearly" not in words(bar) and "repeats 4 of 5 conditions" in words(bar)
