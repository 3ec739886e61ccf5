"""[functions]: left open in derivations, with their derivatives; with a value they are what they stand for."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy as sp
from sympy.physics.vector import dynamicsymbols

from dalembert import Mechanism, ModelError, System, coordinates
from dalembert import loads as read

MODEL = """format = 1
coordinates = ["x", "y"]

[parameters]
m = 1.2
k = 40

[functions]
F = ["t"]
W = ["x", "t"]

[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "k*y^2/2 + W(x, t)"

[forces]
x = "F(2*t)"

[constraints]
drive = "y = F(t)"

[initial]
x = 0.5
"x'" = 1
"""
FORMULAS = {"F": "sin(3*t)", "W": "k*x^2*cos(t)/2"}


def written():
    """Return the same model with the formulas written out."""
    parts = {"potential": "k*y^2/2 + k*x^2*cos(t)/2", "forces": {"x": "sin(6*t)"}, "functions": None}
    return read(MODEL).replace(**parts, constraints={"drive": "y = sin(3*t)"})


def test_derivations_carry_them():
    system = read(MODEL)
    assert read(str(system)) == system and system.check().ok
    assert "a wave was taken in their place" in str(system.check())
    text = str(system.derive())
    assert "m*x'' - F(2*t) + W_x(x, t) = 0" in text and "r_y = k*y + m*F''(t)" in text
    for form in ("minimal", "explicit", "independent", "reactions"):
        assert "F" in str(system.derive(form)) and system.derive(form).latex()
        json.dumps(system.derive(form).as_dict())
    assert system.blocks.psi[0] == system.replace(constraints={"d": "y' = F'(t)"}).blocks.psi[0]
    moved = system.replace(define={"s": "x + W(x, t)"}, outputs={"speed": "s'"})
    assert "x' + x'*W_x(x, t)" in str(moved) and read(str(moved)) == moved


def test_with_values_they_are_what_is_written():
    system, expected = read(MODEL), written().simulate(2)
    run = system.simulate(2, functions=FORMULAS)
    assert run.final() == expected.final() and run.certificate.ok
    assert run.evaluate("F''(t) + W_x_x(x, t)")[-1] == pytest.approx(-9 * np.sin(6) + 40 * np.cos(2))
    kept = system.replace(functions=FORMULAS)
    assert read(str(kept)) == kept and kept.simulate(2).final() == run.final()
    assert kept.blocks.f == written().blocks.f
    t = dynamicsymbols._t
    in_sympy = system.simulate(2, functions={"F": sp.sin(3 * t), "W": FORMULAS["W"]})
    assert in_sympy.final() == run.final()


def test_a_table_as_a_value():
    t = np.linspace(0, 4, 400)
    system = read(MODEL)
    run = system.simulate(2, functions={**FORMULAS, "F": {"x": t, "value": np.sin(3 * t)}})
    assert run["x"][-1] == pytest.approx(written().simulate(2)["x"][-1], abs=1e-6) and run.certificate.ok
    with pytest.warns(UserWarning, match="table `F` ends"):
        assert system.simulate(3, functions={"W": "0", "F": {"x": [0, 1, 2], "value": [0, 1, 0]}}).status == "failed"
    with pytest.raises(ModelError, match="a table has one argument"):
        system.simulate(2, functions={"W": {"x": [0, 1], "value": [0, 1]}})


def test_without_a_value_nothing_is_computed(tmp_path):
    system = read(MODEL)
    for attempt in (
        system.simulate,
        system.compile,
        system.start,
        lambda: system.export(tmp_path / "a.c", "c"),
        lambda: system.export(tmp_path / "a.py", "numpy"),
    ):
        with pytest.raises(ModelError, match=r'function `F` has no value; give one, as in functions=\{"F"'):
            attempt()
    with pytest.raises(ModelError, match="function `W` has no value"):
        system.simulate(functions={"F": "t"})
    system.export(tmp_path / "a.tex", "latex")
    unused = System("x", kinetic="x'^2", functions={"F": ["t"]}, initial={"x'": 1})
    assert unused.simulate(1).status == "done"
    asked = unused.replace(outputs={"o": "F(t)"})
    with pytest.raises(ModelError, match="no value"):
        asked.simulate(1)


def test_in_sympy():
    (x,) = coordinates("x")
    t, F = dynamicsymbols._t, sp.Function("F")
    system = System([x], kinetic=sp.diff(x, t) ** 2, forces={x: F(t) + sp.diff(F(t), t, 2)}, functions={"F": ["t"]})
    assert system.forces == system.replace(forces={"x": "F(t) + F''(t)"}).forces
    assert system.sympy(system.forces["x"]) == F(t) + sp.Derivative(F(t), (t, 2))
    other = System([x], kinetic=sp.diff(x, t) ** 2, potential=F(x), functions={"F": ["x"]})
    assert other.forces == {} and str(other.derive()).count("F'(x)") == 1
    assert other.replace(potential=other.sympy(other.potential)) == other


def test_in_mechanisms():
    body = {"mass": 1, "inertia": 0.1, "at": [0.5, 0]}
    arm = Mechanism(
        {"arm": body},
        {"A": {"kind": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]}},
        loads={"motor": {"body": "arm", "torque": "M(t)"}},
        functions={"M": ["t"]},
    )
    assert read(str(arm)) == arm and "M(t)" in str(arm.derive("minimal"))
    run = arm.simulate(1, functions={"M": "2*cos(t)"})
    assert run.final() == arm.replace(loads={"motor": {"torque": "2*cos(t)"}}).simulate(1).final()


WRONG = {
    'F = ["t"]': ("F = 3", "expected what it depends on"),
    'W = ["x", "t"]': ('W = ["x", "z"]', "depends on t and coordinates"),
    'F = ["t"] ': ('F = ["t", "t"]', "the same twice"),
    'F = ["t"]  ': ("F = []", "expected what it depends on"),
    'F = ["t"]   ': ('sin = ["t"]', "reserved"),
    'F = ["t"]    ': ('m = ["t"]', "also a coordinate or a parameter"),
    'F = ["t"]     ': ('F = {of = ["t"], value = "x"}', "unknown name `x`"),
    'F = ["t"]      ': ('F = {of = ["t"], vale = "t"}', "unknown entry"),
    'F = ["t"]       ': ('F = {value = "t"}', "expected what it depends on"),
    'F = ["t"]        ': ('F = {of = ["t"], value = "F(t)"}', "unknown function `F`"),
    "F(2*t)": ("F", "`F` is a function; write `F(…)`"),
    "W(x, t)": ("W(x)", "`W` takes 2 arguments, got 1"),
    "F(t)": ("F'''''''(t)", "primes"),
}


@pytest.mark.parametrize(("old", "new", "message"), [(old.rstrip(), *new) for old, new in WRONG.items()])
def test_mistakes_have_words_and_lines(old, new, message):
    with pytest.raises(ModelError) as error:
        read(MODEL.replace(old, new))
    assert any(message in problem.text and (problem.line or 0) > 7 for problem in error.value.problems), error.value


def test_derivatives_have_an_end():
    with pytest.raises(ModelError, match="6 derivatives are the limit"):
        _ = System("x", kinetic="x'^2", constraints={"c": "x = F''''''(t)"}, functions={"F": ["t"]}).blocks


def test_values_that_are_wrong():
    system = read(MODEL)
    for given, message in (
        ({"G": "1"}, "no function `G`; did you mean|no function `G`; functions"),
        ("sin(t)", "functions"),
        ({"F": "sin(x)"}, "unknown name `x`"),
        ({"F": "__import__('os')"}, "unexpected"),
        ({"F": float("nan"), "W": 0}, "finite|real"),
    ):
        with pytest.raises(ModelError, match=message):
            system.simulate(1, functions=given)
    with pytest.raises(ModelError, match="has a value, which is in the equations"):
        system.replace(functions=FORMULAS).replace(functions={"F": "t"})


def test_a_check_shows_no_numbers_of_what_has_no_value():
    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        forces={"x": "F(t)"},
        constraints={"path": "y = l*h(x)"},
        functions={"F": ["t"], "h": ["x"]},
        parameters={"l": None},
        initial={"x": 0.25},
    )
    assert "initial state: x = 0.25, the rest depends on `l` and `h`" in str(system.check())
    given = system.replace(parameters={"l": 2}, functions={"h": "x^2"})
    assert "initial state: x = 0.25, y = 0.125" in str(given.check())  # F moves it, later
