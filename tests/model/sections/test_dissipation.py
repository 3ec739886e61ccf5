"""[energy] dissipation: Q = −∂R/∂v, against forces written by hand and against the power that is lost."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, System, loads

PAIR = """format = 1
coordinates = ["x1", "x2"]
[parameters]
m = 1.0
d = 0.3
k = 2.0
[energy]
kinetic = "m*(x1'^2 + x2'^2)/2"
potential = "k*x1^2/2"
dissipation = "d*(x1' - x2')^2/2"
[forces]
x1 = "-0.1*x1'"
[initial]
x1 = 1
x2 = 0
"x1'" = 0
"x2'" = 0.5
"""


def test_forces_are_those_written_by_hand():
    by_hand = {"x1": "-0.1*x1' - d*(x1' - x2')", "x2": "d*(x1' - x2')"}
    system = loads(PAIR)
    other = system.replace(dissipation=None, forces=by_hand)
    assert system.blocks.f == other.blocks.f
    assert "dissipation" not in str(other)


def test_it_is_written_and_read_again_and_the_forces_are_not_doubled():
    system = loads(PAIR)
    assert loads(str(system)) == system
    assert list(system.own.forces) == ["x1"] and list(system.forces) == ["x1", "x2"]
    assert (
        system.replace(forces={"x1": None}).forces["x1"]
        == system.replace(forces={}).sections["dissipation"].diff(system.blocks.v[0]) * -1
    )


def test_variants_change_values_and_the_function():
    system = loads(PAIR)
    assert system.replace(parameters={"d": 2}).sections == system.sections
    assert system.replace(dissipation="d*x1'^2/2") != system
    assert system.replace(initial={"x1": 2}, guess={"x2": 1}).own.initial["x1"] == 2


def test_energy_balances_and_twice_the_function_is_the_power_lost():
    system = loads(PAIR.replace('[forces]\nx1 = "-0.1*x1\'"\n', ""))
    run = system.simulate(until=4, samples=4000, certify=True)
    assert run.certificate.ok
    R = 0.3 * (run["x1'"] - run["x2'"]) ** 2 / 2
    assert run.energy[0] - run.energy[-1] == pytest.approx(np.trapezoid(2 * R, run.t), rel=1e-6)


def test_a_mechanism_and_a_system_in_fewer_coordinates_have_it_too():
    rod = {"mass": 1, "inertia": 0.1, "at": [0.5, 0]}
    joint = {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}
    mechanism = Mechanism({"rod": rod}, {"A": joint}, dissipation="c*phi_rod'^2/2", parameters={"c": 0.2})
    assert str(mechanism.forces["phi_rod"]) == "-c*phi_rod'"
    assert loads(str(mechanism)) == mechanism
    assert mechanism.system().forces == mechanism.forces
    geared = System("a b", kinetic="a'^2/2 + b'^2/2", dissipation="b'^2/2", constraints={"gear": "b = 2*a"})
    assert [str(f) for f in geared.reduced().blocks.f] == ["-4*a'"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\"d*x1''^2\"", "10:.*depends on accelerations"),
        ('"k*x1^2"', "10:.*no velocities in it"),
        ("[1, 2]", "10:.*expected a number or an expression"),
        ('"d*y\'^2"', "10:.*unknown name `y`"),
        ("true", "10:.*expected a number or an expression"),
    ],
)
def test_mistakes_have_their_line(text, said):
    with pytest.raises(ModelError, match=said):
        loads(PAIR.replace("\"d*(x1' - x2')^2/2\"", text))


def test_matrices_have_no_dissipation():
    with pytest.raises(ModelError, match="write these forces into `force`"):
        System("x", mass=[[1]], force=["-x"], dissipation="x'^2")


def test_unknown_tables_are_answered_with_the_nearest():
    with pytest.raises(ModelError, match="a system has no `disipation`; did you mean `dissipation`"):
        System("x", kinetic="x'^2", disipation="x'^2")
