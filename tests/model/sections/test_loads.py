"""[loads.*] of models by energies: Q = Σ F·∂r/∂q, against forces written by hand and in every kind of file."""

from __future__ import annotations

import pytest

from dalembert import Mechanism, ModelError, System
from dalembert import loads as read

MODEL = """format = 1
coordinates = ["a", "b"]
[parameters]
l = 1.5
F = 2.0
M = 0.3
[define]
x1 = "l*sin(a) + b*t"
y1 = "-l*cos(a)"
[energy]
kinetic = "x1'^2/2 + y1'^2/2 + b'^2/2"
[loads.wind]
at = ["x1", "y1"]
force = ["F*cos(t)", "-b'"]
[loads.motor]
angle = "a - 2*b"
moment = "M"
"""


def test_forces_are_those_of_virtual_work():
    system = read(MODEL)
    by_hand = {"a": "F*cos(t)*l*cos(a) - b'*l*sin(a) + M", "b": "F*cos(t)*t - 2*M"}
    other = system.replace(loads=None, forces=by_hand)
    assert other.blocks.f == system.blocks.f and other.sections.keys() == {"define"}


def test_in_space_and_with_switches():
    system = System(
        "u w",
        kinetic="u'^2/2 + w'^2/2",
        loads={"P": {"at": ["u", "u*w", "abs(w)"], "force": ["1", 2, "u'"]}},
    )
    assert system.forces == system.replace(loads=None, forces={"u": "1 + 2*w", "w": "2*u + u'*sign(w)"}).forces


def test_saved_read_and_changed_entry_by_entry():
    system = read(MODEL)
    assert read(str(system)) == system and "[loads.wind]" in str(system)
    changed = system.replace(loads={"wind": {"force": ["F", 0]}, "motor": None})
    assert list(changed.sections["loads"]) == ["wind"]
    assert changed.forces == system.replace(loads=None, forces={"a": "F*l*cos(a)", "b": "F*t"}).forces
    assert system.replace(parameters={"F": 3}).sections == system.sections


def test_bodies_are_loaded_as_before():
    body = {"mass": 1, "inertia": 1}
    mechanism = Mechanism({"b": body}, loads={"w": {"body": "b", "point": [0, 0], "force": [1, 0]}})
    assert read(str(mechanism)) == mechanism and not mechanism.sections


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('at = ["x1", "y1"]', 'at = ["x1"]', "13: .*expected two or three expressions"),
        ('at = ["x1", "y1"]', "at = 3", "13: .*expected two or three expressions"),
        ('at = ["x1", "y1"]', 'at = ["x1", ["y1"]]', "13: .*expected an expression or a number"),
        ('at = ["x1", "y1"]', 'at = ["x1\'", "y1"]', "13: .*a load acts at a place"),
        ('at = ["x1", "y1"]', 'at = ["x1", "y1", 0]', "14: .*a point of 3 coordinates, and a force of 2"),
        ('moment = "M"', "moment = \"M*a''\"", "17: .*depends on accelerations"),
        ('moment = "M"', 'momnt = "M"', "17: .*unknown entry; did you mean `moment`"),
        ('moment = "M"', "", "16: .*`angle` and `moment` go together"),
        ('angle = "a - 2*b"\nmoment = "M"', "", "15: .*nothing says where it acts"),
        ("[loads.motor]", "[loads]\nq = 1\n[loads.motor]", "16: .*expected a table"),
        ("[loads.motor]", '[loads."a b"]', "15: .*a name is letters"),
    ],
)
def test_mistakes_have_their_line(old, new, words):
    with pytest.raises(ModelError, match=words):
        read(MODEL.replace(old, new))
