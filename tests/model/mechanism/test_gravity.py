"""Gravity where nothing is said of it: a parameter, which is called g if nothing else is."""

from __future__ import annotations

import pickle

import pytest
import symengine as se
import sympy as sp

from dalembert import Mechanism
from dalembert.model.textfile import loads
from dalembert.model.writing import to_toml

PENDULUM = {
    "bodies": {"rod": {"mass": "m", "inertia": "m*l^2/12", "at": ["l/2", 0]}},
    "joints": {"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
    "parameters": {"m": 1, "l": 2},
}


def made(**changes):
    return Mechanism(**{**PENDULUM, **changes})


def test_formulas_say_g():
    pendulum = made()
    assert dict(pendulum.parameters) == {"m": 1, "l": 2, "g": 9.81}
    assert pendulum.derive("independent").as_dict()["equations"] == ["2*l*phi_rod'' + 3*g*cos(phi_rod) = 0"]
    ball = Mechanism(bodies={"ball": {"mass": 1, "inertia": [1, 1, 1]}}, dimensions=3)
    assert ball.gravity == (0, 0, -se.Symbol("g"))


def test_another_value():
    moon = made().replace(parameters={"g": 1.62})
    fixed = made(gravity=[0, -1.62])
    ours, theirs = moon.compile().accelerations(0, *start(moon)), fixed.compile().accelerations(0, *start(fixed))
    assert ours.acceleration == pytest.approx(theirs.acceleration, rel=1e-14)


def start(system):
    state = system.start()
    return state.q, state.v


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"parameters": {"m": 1, "l": 2, "g": 5}, "define": {"G": "3*g"}}, "g_0"),
        ({"parameters": {"m": 1, "l": 2, "g": 5, "g_0": 5}, "define": {"G": "3*g"}}, "g_1"),
        ({"coordinates": "g", "kinetic": "g'^2/2"}, "g_0"),
        ({"define": {"g": "3*m"}}, "g_0"),
        ({"outputs": {"g": "3*m"}}, "g_0"),
        ({"loads": {"g": {"body": "rod", "force": [0, 1]}}}, "g_0"),
        ({"loads": {"F": {"body": "rod", "force": [0, sp.Symbol("g")]}}}, "g_0"),
        ({"loads": {"F": {"body": "rod", "force": [0, "m*g"]}}}, "g"),
        ({"gravity": [0, 0]}, ""),
        ({"gravity": [0, "-g"], "parameters": {"m": 1, "l": 2, "g": 5}}, ""),
    ],
)
def test_a_name_that_is_free(changes, name):
    system = made(**changes)
    assert system.default_gravity == name
    assert not name or system.parameters[name] == 9.81


def test_variants():
    other = made().replace(bodies={"rod": {"mass": 2}})
    assert dict(other.parameters) == {"m": 1, "l": 2, "g": 9.81}
    assert "g" not in other.replace(gravity=[0, -10]).parameters
    assert other.replace(gravity=["-g", 0]).parameters["g"] == 9.81
    assert other.replace(gravity=[0, "-2*g"], parameters={"g": 3}).parameters["g"] == 3
    assert other.replace(gravity=None).parameters["g"] == 9.81
    assert other.replace(by="joints").parameters["g"] == 9.81


def test_saved():
    pendulum = made().replace(parameters={"g": 1.62})
    text = to_toml(pendulum)
    assert 'gravity = [0, "-g"]' in text and "g = 1.62" in text
    assert loads(text) == pendulum
    assert to_toml(loads(text)) == text
    assert pickle.loads(pickle.dumps(pendulum)) == pendulum


def test_nothing_is_said_of_it_where_nothing_has_weight():
    light = made(bodies={"rod": {"mass": 0, "inertia": 1}}, parameters={})
    assert "not used" not in str(light.check())


def test_a_parameter_g_of_which_nothing_else_is_made_is_gravity():
    moon = made(parameters={"m": 1, "l": 2, "g": 1.62})
    assert dict(moon.parameters) == {"m": 1, "l": 2, "g": 1.62}
    assert moon.gravity == (0, -se.Symbol("g"))
    assert "not used" not in str(moon.check())
    assert loads(to_toml(moon)) == moon


def test_check_says_which_gravity_acts_beside_another_g():
    system = made(loads={"F": {"body": "rod", "force": [0, "m*g"]}}, parameters={"m": 1, "l": 2, "g": 5})
    note = 'gravity is not given: it is the parameter `g_0` = 9.81, downwards; write gravity = [0, "-g"]'
    assert note in str(system.check())
