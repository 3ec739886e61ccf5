"""The pilot walks at the pace of the model, and what repeats itself is assembled in a few steps."""

import numpy as np
import pytest

from dalembert import Mechanism, System, loads
from dalembert.blocks.numeric import Numeric
from dalembert.survey import configurations as configurations_module
from dalembert.survey.configurations import Configuration, configurations

SLOW = """
format = 1
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2 + y'^2/2"
[constraints]
repeated = "(1.9446 + x^2)*(x*y + y - 0.2574909) = 0"
curve = "x*y + y - 0.2574909 = 0"
driven = "0.43*sin(2.59*t) + y - 0.4482 = 0"
[guess]
x = -0.4255
y = 0.4482
"""

HOOKE = """
format = 1
[parameters]
beta = "pi/6"
[mechanism]
dimensions = 3
[bodies.input]
mass = 1
inertia = [0.01, 0.02, 0.02]
at = [-0.25, 0, 0]
[bodies.output]
mass = 1
inertia = [0.01, 0.02, 0.02]
at = ["0.25*cos(beta)", "0.25*sin(beta)", 0]
rotation = {axis = [0, 0, 1], angle = "beta"}
[joints.A]
kind = "revolute"
bodies = ["ground", "input"]
at = [-0.5, 0, 0]
axis = [1, 0, 0]
[joints.U]
kind = "universal"
bodies = ["input", "output"]
at = [0, 0, 0]
axis = [0, 0, 1]
cross = ["-sin(beta)", "cos(beta)", 0]
[joints.B]
kind = "cylindrical"
bodies = ["ground", "output"]
at = ["0.5*cos(beta)", "0.5*sin(beta)", 0]
axis = ["cos(beta)", "sin(beta)", 0]
[drives.motor]
joint = "A"
angle = "10*t"
"""


def crank_slider(angle):
    return Mechanism(
        bodies={
            "crank": {"mass": 2, "inertia": 0.015, "at": [0.15, 0]},
            "rod": {"mass": 1, "inertia": 0.08, "at": [0.8, 0]},
            "piston": {"mass": 3, "at": [1.3, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": [0.3, 0]},
            "C": {"kind": "revolute", "bodies": ["rod", "piston"], "at": [1.3, 0]},
            "D": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": [1.3, 0], "axis": [1, 0]},
        },
        drives={"motor": {"joint": "A", "angle": angle}},
    )


def walked(system):
    state = system.start()
    return configurations(Numeric(system), Configuration(state.t, state.q, state.v))


@pytest.mark.parametrize("rate", [20.0, 314.0, 1e5])
@pytest.mark.parametrize("motion", ["{}*t", "1 - cos({}*t)"])
def test_configurations_lie_equally_far_however_fast_a_drive_is(motion, rate):
    places = walked(crank_slider(motion.format(rate)))
    slowly = walked(crank_slider(motion.format(10.0)))
    np.testing.assert_allclose([p.q for p in places], [p.q for p in slowly], atol=0.25)
    assert all(0.1 < place.q[2] < 0.8 for place in places)


def test_a_drive_that_begins_slowly_and_becomes_fast():
    assert all(0.1 < place.q[2] < 1.0 for place in walked(crank_slider("0.5*(1e5*t)^3")))


@pytest.mark.parametrize("text", [SLOW, HOOKE])
def test_conditions_that_repeat_each_other_are_met_in_few_steps(text, monkeypatch):
    """Rows that contradict each other off the solution once took ten thousands of evaluations."""
    count = 0
    position = Numeric.position

    def counted(self, t, q, dense=False):
        nonlocal count
        count += 1
        return position(self, t, q, dense)

    monkeypatch.setattr(Numeric, "position", counted)
    assert loads(text).check().ok
    assert count < 1500


def test_times_without_a_rate():
    system = System("x y", kinetic="x'^2 + y'^2", constraints={"c": "x = y*t^4"}, simulation={"until": 2})
    assert all(0 < place.t <= 0.2 for place in walked(system))


def test_a_walk_that_leads_nowhere_is_not_tried_again(monkeypatch):
    """As where rods are stretched: their rates allow what their lengths do not."""
    tried = []

    def nothing(numeric, near, **_):
        tried.append(near.q)

    monkeypatch.setattr(configurations_module, "assemble", nothing)
    system = System("x y", kinetic="x'^2 + y'^2", constraints={"rod": "x^2 + y^2 = 1"}, guess={"x": 1.0})
    assert all(np.array_equal(place.q, [1.0, 0.0]) for place in walked(system))
    assert len(tried) == 3 * 11  # directions, and lengths of each
