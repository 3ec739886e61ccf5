"""Released conditions: the formula of theory 9.6 exactly, and formulas of closed loops against numbers."""

from __future__ import annotations

from typing import Any

import pytest
import symengine as se
import sympy as sp

from dalembert import DerivationError, Mechanism, ModelError, System
from dalembert.algebra.writing.numerals import numbers
from dalembert.blocks.numeric import Numeric
from dalembert.forms.multipliers import solve
from dalembert.forms.release import Release
from tests.conftest import pendulum
from tests.model.mechanism.test_mechanism import four_bar, slider_crank
from tests.references.formulas import agrees


def pendulum_on_slider() -> Mechanism:
    """Theory 9.6: y points down, rho is the radius of inertia about the pivot. The angle counts from x to y, against φ."""
    return Mechanism(
        bodies={
            "slider": {"mass": "m0", "inertia": "J0"},
            "bob": {"mass": "m", "inertia": "m*(rho^2 - a^2)", "at": [0, "a"], "points": {"pivot": [0, "-a"]}},
        },
        joints={
            "ground_rail": {"kind": "prismatic", "bodies": ["ground", "slider"], "at": [0, 0], "axis": [1, 0]},
            "pivot": {"kind": "revolute", "bodies": ["slider", "bob"], "points": [[0, 0], "pivot"]},
        },
        loads={"push": {"body": "slider", "force": ["F", 0]}},
        gravity=[0, "g"],
        parameters={"m0": 2.0, "m": 1.0, "J0": 0.3, "a": 0.5, "rho": 0.6, "g": 9.81, "F": 0.7},
    )


FORMULA = (
    "-(m0 + m)*g + (K*a^2*s*c*F + m*g*a^2*s^2 - m*a*c*phi'^2*(rho^2 - K*a^2))/(rho^2 - K*a^2*c^2)".replace(
        "K", "(m/(m0 + m))"
    )
    .replace("phi'", "phi_bob'")
    .replace("*s*", "*(-sin(phi_bob))*")
    .replace("s^2", "sin(phi_bob)^2")
    .replace("*c", "*cos(phi_bob)")
)


@pytest.mark.parametrize("name", ["ground_rail.normal", "ground_rail"])
def test_reaction_of_the_ground(name):
    """R_x = R_φ = 0, and R_y as it is printed."""
    released = pendulum_on_slider().release(name)
    assert released.system.coordinates[:2] == ("x_slider", "y_slider")
    assert released.system.coordinates[-1] == "phi_bob"
    assert released.conditions[0] == "ground_rail.normal"
    row = released.derivation.reaction_expressions["ground_rail.normal"]
    assert [e for q, e in zip(released.system.coordinates, row, strict=True) if q != "y_slider"] == [0] * (len(row) - 1)
    assert agrees(released.system, row[1], FORMULA)
    assert agrees(released.system, released.expressions["ground_rail.normal"], FORMULA)
    if name == "ground_rail":
        assert released.multipliers["ground_rail.angle"] == 0


def test_it_agrees_with_sympy():
    released = pendulum_on_slider().release("ground_rail.normal")
    m0, m, a, rho, g, F = sp.symbols("m0 m a rho g F")
    _, R, _ = released.reaction["ground_rail.normal"]
    (angle,) = (x for x in R.atoms(sp.Function) if str(x) == "phi_bob(t)")
    K, s, c = m / (m0 + m), -sp.sin(angle), sp.cos(angle)
    rate = sp.Derivative(angle, angle.args[0])
    expected = -(m0 + m) * g + (
        K * a**2 * s * c * F + m * g * a**2 * s**2 - m * a * c * rate**2 * (rho**2 - K * a**2)
    ) / (rho**2 - K * a**2 * c**2)
    assert sp.simplify(R - expected) == 0


def test_a_release_prints_itself():
    text = str(pendulum_on_slider().release("ground_rail.normal"))
    assert "coordinates: x_slider, y_slider, phi_bob" in text
    assert "ground_rail.normal: y_slider = 0    (released)" in text
    assert "ground_rail.normal: lambda_ground_rail_normal = " in text and "(force on slider)" in text
    assert "r_y_slider = lambda_ground_rail_normal\n" in f"{text}\n"


def values_of(released: Release, state: dict[str, float]) -> dict[str, float]:
    """The multipliers by the formulas, at a state of the whole system."""
    values = {se.Symbol(name): value for name, value in {**state, **released.system.parameters}.items()}
    for name, e in released.derivation.abbreviation_expressions.items():  # each is made of those before it
        values[se.Symbol(name)] = float(numbers(e).subs(values).n(53, real=True))
    return {name: float(numbers(e).subs(values).n(53, real=True)) for name, e in released.expressions.items()}


@pytest.mark.parametrize(
    ("make", "name"),
    [*((slider_crank, name) for name in "ABCD"), *((four_bar, name) for name in ("A", "D", "B.x"))],
)
def test_formulas_of_closed_loops(make, name):
    """Theory 9.7: at a state of the motion, the formula gives the multipliers of the whole mechanism."""
    mechanism = make()
    numeric, start = Numeric(mechanism), mechanism.start()
    expected = dict(
        zip([c.name for c in mechanism.constraints], solve(numeric.all(0.0, start.q, start.v))[1], strict=True)
    )
    released = mechanism.release(name)
    assert len(released.system.coordinates) == 3
    found = values_of(released, start.as_dict())
    assert set(found) == set(released.conditions)
    for condition, value in found.items():
        assert value == pytest.approx(expected[condition], rel=1e-9, abs=1e-9)


def test_the_curve_of_a_joint_is_that_of_its_formula():
    mechanism = slider_crank()
    released = mechanism.release("B")
    run = mechanism.simulate(until=1, samples=5)
    for k in range(len(run.t)):
        state = dict(zip((*mechanism.coordinates, *mechanism.velocities), (*run.q[k], *run.v[k]), strict=True))
        assert [*values_of(released, state).values()] == pytest.approx(run.joint("B").force[k], rel=1e-6)


def test_the_torque_of_a_drive():
    """A rod is turned against gravity: J φ̈ = τ − m g l cos(φ)."""
    mechanism = Mechanism(
        bodies={"rod": {"mass": "m", "inertia": "J", "at": ["l", 0]}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
        drives={"motor": {"joint": "A", "angle": "w*t^2"}},
        gravity=[0, "-g"],
        parameters={"m": 1, "J": 0.2, "l": 0.5, "g": 9.81, "w": 0.3},
    )
    released = mechanism.release("motor")
    assert released.system.coordinates == ("phi_rod",)
    assert agrees(released.system, released.expressions["motor.angle"], "2*(J + m*l^2)*w + m*g*l*cos(phi_rod)")
    assert "torque of the drive on rod" in str(released)


def test_systems_without_bodies():
    """The pendulum in three coordinates: of the released vertical condition, λ is as before."""
    system = pendulum()
    released = system.release("rod_y")
    assert released.system.coordinates == ("y", "phi")
    assert [c.name for c in released.freed.constraints] == []
    start = system.start()
    expected = solve(Numeric(system).all(0.0, start.q, start.v))[1][1]
    assert values_of(released, start.as_dict())["rod_y"] == pytest.approx(expected, rel=1e-9)


def test_what_cannot_be_released():
    system = pendulum()
    with pytest.raises(ModelError, match="no constraint `rod`"):
        system.release("rod")
    with pytest.raises(ModelError, match="name the constraint"):
        system.release()
    with pytest.raises(ModelError, match="no joint, drive or condition `Q`"):
        slider_crank().release("Q")
    parts: dict[str, Any] = {"coordinates": "x y z", "kinetic": "x'^2 + y'^2 + z'^2"}
    repeated = System(**parts, constraints={"a": "x - y = 0", "b": "2*x - 2*y = 0"})
    with pytest.raises(ModelError, match="`a` follows from the others: its reaction is not determinate"):
        repeated.release("a")
    shared = System(**parts, constraints={"a": "x = y^2", "b": "x*z + 2*x = y^2*z + 2*y^2"}).release("a", "b")
    with pytest.raises(DerivationError, match="`a` is not determinate: it shares its load with `b`"):
        _ = shared.reaction
    assert "not determinate" in str(shared)


def test_components_have_names_of_their_own():
    """Wholly or by component; `A.x` and `A_x` are two multipliers, and each reaction says of which it is."""
    system = System(
        coordinates="x y z",
        kinetic="(x'^2 + y'^2 + z'^2)/2",
        potential="2*x + 3*y + 5*z",
        constraints={"A.x": "x = 0", "A.y": "y = 0", "A_x": "z = 0"},
    )
    released = system.release("A", "A_x")
    assert released.conditions == ("A.x", "A.y", "A_x") and len(set(released.names.values())) == 3
    assert [float(value) for value in released.multipliers.values()] == [2, 3, 5]
    text = str(released)
    assert all(f"{name}: {released.names[name]} = " in text for name in released.conditions)
    assert released.latex().count("lambda") >= 6
    data = released.as_dict()
    assert [data["released"][name]["multiplier"] for name in released.conditions] == ["2", "3", "5"]
    assert system.release("A.y").conditions == ("A.y",)
    derivation = system.derive("multipliers")
    assert len({symbol for e in derivation.expressions for symbol in e.free_symbols if "lambda" in symbol.name}) == 3
    with pytest.raises(ModelError, match="no constraint `B`"):
        system.release("B")


def test_what_is_not_determined_is_said_in_data_too():
    table = System(coordinates="x", kinetic="x'^2/2", constraints={"a": "x = 0", "b": "2*x = 0"})
    data = table.release("a").as_dict()
    assert "shares its load" in data["released"]["a"]["undetermined"]
