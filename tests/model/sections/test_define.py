"""[define] with primes: velocities of points without algebra by hand, kept in the system and saved."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import symengine as se

from dalembert import Event, Mechanism, ModelError, System, loads

PLACES = {"x1": "l*sin(a)", "y1": "-l*cos(a)", "x2": "x1 + l*sin(b)", "y2": "y1 - l*cos(b)"}
VALUES = {"m": 1.3, "l": 0.7, "g": 9.81}


def double_pendulum() -> System:
    return System(
        "a b",
        define=PLACES,
        kinetic="m*(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2",
        potential="m*g*(y1 + y2)",
        parameters=VALUES,
        initial={"a": 0.6, "b": 1.0, "a'": 0, "b'": 0.4},
    )


def test_double_pendulum_as_textbooks_have_it():
    by_hand = double_pendulum().replace(
        kinetic="m*l^2*(2*a'^2 + b'^2)/2 + m*l^2*a'*b'*cos(a - b)", potential="-m*g*l*(2*cos(a) + cos(b))"
    )
    found = [
        system.compile().accelerations(0, [0.6, 1.0], [0.3, -2.0]).acceleration
        for system in (double_pendulum(), by_hand)
    ]
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_kept_saved_and_read_again():
    system = double_pendulum()
    assert system.sections["define"] == PLACES
    assert loads(str(system)) == system
    assert str(system).index("[define]") < str(system).index("[energy]")
    assert system.replace(parameters={"l": 2}).sections == system.sections


def test_asked_of_a_motion():
    run = double_pendulum().simulate(until=0.5, samples=5)
    speed = 0.7 * (np.cos(run["a"]) * run["a'"] + np.cos(run["b"]) * run["b'"])
    np.testing.assert_allclose(run.evaluate("x2'"), speed, rtol=1e-12)


def test_watched_for_as_events():
    run = double_pendulum().simulate(until=2, events=[Event("x2' = 0", action="stop", direction="down")])
    assert run.events and abs(run.evaluate("x2'")[-1]) < 1e-9


def test_constraints_and_forces_take_them():
    slider = System(
        "a x",
        define={"c": "r*cos(a)"},
        kinetic="x'^2/2",
        constraints={"rate": "x' = c'"},
        forces={"x": "-c'"},
        parameters={"r": 2},
    )
    assert slider.constraints[0].level == "velocity"
    assert slider.forces == slider.replace(forces={"x": "r*sin(a)*a'"}).forces


def test_mechanisms_have_them():
    rod = {"mass": 1, "inertia": 0.1, "at": [0.5, 0]}
    joint = {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}
    mechanism = Mechanism({"rod": rod}, {"A": joint}, define={"h": "sin(phi_rod)"}, forces={"phi_rod": "-h'"})
    assert loads(str(mechanism)) == mechanism


def test_definitions_are_added():
    assert "x3" in double_pendulum().replace(define={"x3": "2*x2"}).sections["define"]


@pytest.mark.parametrize(
    ("define", "words"),
    [
        ([1], "expected entries by name"),
        ({"v": ["a"]}, "expected an expression as text, got the list"),
        ({"a": "1"}, "is also a coordinate"),
        ({"v": "w", "w": "a"}, "`w` stands below"),
        ({1: "a"}, "names in quotes"),
    ],
)
def test_mistakes(define, words):
    with pytest.raises(ModelError, match=words):
        System("a b", define=define, kinetic="a'^2 + b'^2")


def test_a_definition_changes_in_a_variant():
    """The equations are read anew, with all changes since; what is no longer known as it was written is refused."""
    system = System(
        "x",
        define={"stiff": "k*x", "pull": "-stiff"},
        kinetic="x'^2/2",
        forces={"x": "pull"},
        parameters={"k": 4.0},
        initial={"x": 1, "x'": 0},
        outputs={"p": "pull"},
    )
    later = system.replace(parameters={"k": 9.0}).replace(initial={"x": 0.5}).replace(define={"more": "2*pull"})
    other = later.replace(define={"stiff": "k*x^3"}, outputs={"q": "more"})
    assert str(other.forces["x"]) == "-k*x**3" and other.parameters["k"] == 9 and float(other.initial["x"]) == 0.5
    run = other.simulate(1)
    assert run["q"] == pytest.approx(-18 * run["x"] ** 3) and run["p"] == pytest.approx(-9 * run["x"] ** 3)
    back = other.replace(define={"stiff": "k*x"})
    assert str(back.forces["x"]) == "-k*x" and loads(str(other)).forces == other.forces
    with pytest.raises(ModelError, match="unknown name `stiff`"):
        other.replace(define={"stiff": None})
    with pytest.raises(ModelError, match="is in the equations as it was"):
        pickle.loads(pickle.dumps(other)).replace(parameters={"k": 1}).replace(define={"stiff": "x"})


def test_a_definition_of_a_mechanism_changes():
    bar = {"mass": "heavy", "inertia": 0.1, "at": [0.5, 0]}
    joint = {"kind": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}
    swing = Mechanism({"bar": bar}, {"A": joint}, define={"heavy": "2*m"}, parameters={"m": 1.5})
    other = swing.replace(bodies={"bar": {"inertia": 0.2}}).replace(define={"heavy": "5*m"})
    assert other == Mechanism(
        {"bar": {**bar, "inertia": 0.2}}, {"A": joint}, define={"heavy": "5*m"}, parameters={"m": 1.5}
    )


def test_derivations_keep_names_that_shorten():
    system = System(
        "x y",
        define={"dx": "x - a", "d": "sqrt(dx^2 + (y - 0.2)^2)", "once": "k*(x - y)*sin(y)", "p_x": "x*y + k*sin(y)"},
        kinetic="m*(x'^2 + y'^2)/2",
        potential="k*(d - l)^2/2",
        forces={"x": "once", "y": "p_x*sin(p_x)*x - p_x^2"},
        parameters={"m": 1.1, "k": 2, "l": 1, "a": 0.3},
    )
    values = {"x": 0.7, "y": -0.4, "x'": 0.1, "y'": 0.2, "x''": 3.0, "y''": -2.0, "p_x_": 0.11, "p_y": 0.22}
    values |= {"p_x_'": 1.3, "p_y'": 0.9, **system.parameters}
    for form in ("multipliers", "explicit", "canonical"):
        derivation = system.derive(form)
        names = derivation.abbreviation_expressions
        assert {"d", "p_x"} <= names.keys() and "once" not in names and "dx" not in names
        known = {se.Symbol(name): value for name, value in values.items()}
        for name, meaning in names.items():
            known[se.Symbol(name)] = meaning.xreplace(known)
        short, full = ([float(expr.xreplace(known)) for expr in d.expressions] for d in (derivation, derivation.full()))
        scales = {round(one / other, 9) for one, other in zip(short, full, strict=True)}  # factors that all terms share
        assert all(scale in (1.0, -1.0, round(float(known[se.Symbol("d")]), 9)) for scale in scales)
        plain = [equation.subs(derivation.abbreviations).doit() for equation in derivation.equations]
        assert not any(symbol.name in ("d", "p_x") for expr in plain for symbol in expr.free_symbols)


def test_a_definition_that_stands_below_is_not_unknown():
    with pytest.raises(ModelError, match="`b` stands below: a definition knows those above it; put `b` before it"):
        System("x", kinetic="a*x'^2/2", define={"a": "2*b", "b": "1 + x^2"})
    assert System("x", kinetic="a*x'^2/2", define={"b": "1 + x^2", "a": "2*b"})
    with pytest.raises(ModelError, match="unknown name `c`; "):
        System("x", kinetic="a*x'^2/2", define={"a": "2*c", "b": "1 + x^2"})
