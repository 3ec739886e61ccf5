"""Long formulas in named steps: short enough to be read, and true along the motion."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se

from dalembert import System, example
from dalembert.algebra.tape import Tape
from dalembert.algebra.writing.cost import total
from dalembert.algebra.writing.ledger import Ledger
from dalembert.forms.work import derive

PLACES = {"x1": "l*sin(a)", "y1": "-l*cos(a)", "x2": "x1 + l*sin(b)", "y2": "y1 - l*cos(b)"}
THIRD = {"x3": "x2 + l*sin(c)", "y3": "y2 - l*cos(c)"}
SYSTEMS = {
    "double pendulum by places": {
        "coordinates": "a b",
        "define": PLACES,
        "kinetic": "m*(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2",
        "potential": "m*g*(y1 + y2)",
        "parameters": {"l": 0.7, "m": 1.3, "g": 9.81},
        "initial": {"a": 0.4, "b": 1.1, "a'": 0.5, "b'": -0.8},
    },
    "triple pendulum by places": {
        "coordinates": "a b c",
        "define": PLACES | THIRD,
        "kinetic": "m*(x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2",
        "potential": "m*g*(y1 + y2 + y3)",
        "parameters": {"l": 0.7, "m": 1.3, "g": 9.81},
        "initial": {"a": 0.4, "b": 1.1, "c": -0.3, "a'": 0.5, "b'": -0.8, "c'": 0.2},
    },
    "double pendulum by rods": {
        "coordinates": "x1 y1 x2 y2",
        "kinetic": "m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2",
        "potential": "m1*g*y1 + m2*g*y2",
        "constraints": {"r1": "x1^2 + y1^2 = l1^2", "r2": "(x2 - x1)^2 + (y2 - y1)^2 = l2^2"},
        "parameters": {"m1": 1.2, "m2": 0.8, "g": 9.81, "l1": 1, "l2": 0.9},
        "initial": {"x1": 0.6, "x2": 1.2, "x1'": 0.4, "x2'": 0.9},
        "guess": {"y1": -0.8, "y2": -1.5},
    },
    "four-bar by angles": {
        "coordinates": "a b c",
        "kinetic": "J1*a'^2/2 + J2*b'^2/2 + J3*c'^2/2",
        "constraints": {
            "x": "l1*cos(a) + l2*cos(b) - l3*cos(c) = d",
            "y": "l1*sin(a) + l2*sin(b) - l3*sin(c) = 0",
        },
        "forces": {"a": "tau"},
        "parameters": {"J1": 1.1, "J2": 2, "J3": 1.4, "l1": 1, "l2": 3, "l3": 3.2, "d": 3, "tau": 1.5},
        "initial": {"a": 1.0, "a'": 2.0},
        "guess": {"b": 0.3, "c": 1.2},
    },
    "car with a trailer": {
        "coordinates": "x y th ph",
        "kinetic": "m*(x'^2 + y'^2)/2 + J*th'^2/2 + K*ph'^2/2",
        "constraints": {"a": "x'*sin(th) - y'*cos(th) = 0", "b": "x'*sin(ph) - y'*cos(ph) - d*th'*cos(th - ph) = 0"},
        "parameters": {"m": 1.5, "J": 1.1, "K": 0.5, "d": 1.2},
        "initial": {"th": 0.4, "ph": 0.9, "x'": 1.0},
    },
    "three rods": {
        "coordinates": "x1 y1 x2 y2 x3 y3",
        "kinetic": "m*(x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2",
        "potential": "m*g*(y1 + y2 + y3)",
        "constraints": {
            "r1": "x1^2 + y1^2 = l^2",
            "r2": "(x2 - x1)^2 + (y2 - y1)^2 = l^2",
            "r3": "(x3 - x2)^2 + (y3 - y2)^2 = l^2",
        },
        "parameters": {"m": 1.2, "g": 9.81, "l": 1},
        "initial": {"x1": 0.6, "x2": 1.2, "x3": 1.5, "x1'": 0.4, "x2'": 0.9, "x3'": 0.2},
        "guess": {"y1": -0.8, "y2": -1.5, "y3": -2.3},
    },
}
MOST = {"canonical": 260, "explicit": 320, "independent": 330, "reactions": 260}  # operations of all, with the names
CASES = [
    pytest.param(name, form, marks=[pytest.mark.full] if name in ("three rods", "car with a trailer") else [])
    for name in SYSTEMS
    for form in MOST
    if "constraints" in SYSTEMS[name] or form != "reactions"
]


@pytest.fixture(scope="module")
def systems():
    return {name: System(**parts) for name, parts in SYSTEMS.items()}


def values(system):
    """Return what every symbol is at the start, with accelerations, momenta, their rates, and reactions."""
    run, b = system.simulate(1e-3), system.blocks
    q, v, a = run.q[0], run.v[0], run.accelerations[0]
    known = {b.t: 0.0, **dict(zip(b.q, q, strict=True)), **dict(zip(b.v, v, strict=True))}
    known |= {se.Symbol(name): value for name, value in system.parameters.items()}
    for i, name in enumerate(system.coordinates):
        known[se.Symbol(f"{name}''")] = a[i]
        row = {j: entry for (k, j), entry in b.M.items() if k == i}
        known[se.Symbol(f"p_{name}")] = sum(float(entry.subs(known)) * v[j] for j, entry in row.items())
        rates = [se.Add(*[entry.diff(x) * u for x, u in zip(b.q, v, strict=True)]) for entry in row.values()]
        known[se.Symbol(f"p_{name}'")] = sum(
            float(entry.subs(known)) * a[j] + float(rate.subs(known)) * v[j]
            for (j, entry), rate in zip(row.items(), rates, strict=True)
        )
        known[se.Symbol(f"r_{name}")] = sum(float(e.subs(known)) * a[j] for j, e in row.items()) - float(
            b.f[i].subs(known)
        )
    return known, {c.name: run.multipliers[c.name][0] for c in system.constraints}


@pytest.mark.parametrize(("name", "form"), CASES)
def test_short_and_true(name, form, systems):
    system = systems[name]
    derivation = derive(system, form)
    known, multipliers = values(system)
    for symbol, expr in derivation.abbreviation_expressions.items():
        known[se.Symbol(symbol)] = float(expr.subs(known))
    shown = [*derivation.expressions, *derivation.names_in(derivation.expressions).values()]
    assert total(shown) <= MOST[form]
    sizes = [
        np.abs([float(t.subs(known)) for t in (e.args if e.is_Add else (e,))]).max() for e in derivation.expressions
    ]
    for expr, size in zip(derivation.expressions, sizes, strict=True):
        assert abs(float(expr.subs(known))) <= 1e-7 * max(size, 1)
    for constraint, row in derivation.reaction_expressions.items():
        i = [c.name for c in system.constraints].index(constraint)
        for j, entry in enumerate(row):
            expected = float(system.blocks.A.get((i, j), se.Integer(0)).subs(known)) * multipliers[constraint]
            assert float(entry.subs(known)) == pytest.approx(expected, rel=1e-7, abs=1e-7)
    for constraint, expr in derivation.multiplier_expressions.items():
        assert float(expr.subs(known)) == pytest.approx(multipliers[constraint], rel=1e-7)
    full = derivation.full()
    for ours, theirs in zip(_entries(derivation), _entries(full), strict=True):
        assert float(ours.subs(known)) == pytest.approx(float(theirs.subs(known)), rel=1e-6, abs=1e-7)


def test_names_of_steps_are_nobody_elses():
    parts = SYSTEMS["double pendulum by rods"]
    system = System(**parts, states={"W_11": "x1 - W_11", "b_1": "-b_1"}, forces={"x1": "W_11 + b_1"})
    names = derive(system, "explicit").abbreviation_expressions
    assert "W_11_" in names and "b_1_" in names and not {"W_11", "b_1"} & names.keys()


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "independent"])
@pytest.mark.parametrize("name", ["four-bar", "slider-crank-joints"])
def test_many_conditions_are_a_sheet_of_steps(name, form):
    """Every line can be read, names are explained before they are used, and all are what the kernel computes."""
    system = example(name)
    derivation = derive(system, form)
    known, multipliers = values(system)
    for symbol, expr in derivation.abbreviation_expressions.items():
        assert total([expr]) <= 100
        known[se.Symbol(symbol)] = float(expr.subs(known))
    known |= {se.Symbol(f"lambda_{c.replace('.', '_')}"): value for c, value in multipliers.items()}
    assert derivation.expressions and not any("too long" in note for note in derivation.notes)
    for expr in derivation.expressions:
        size = max(abs(float(t.subs(known))) for t in (expr.args if expr.is_Add else (expr,)))
        assert abs(float(expr.subs(known))) <= 1e-8 * max(size, 1)
    assert set(derivation.multiplier_expressions) == set(multipliers)
    for constraint, expr in derivation.multiplier_expressions.items():
        assert float(expr.subs(known)) == pytest.approx(multipliers[constraint], rel=1e-7, abs=1e-9)


def test_a_ledger_names_what_is_used_again():
    tape = Tape(rounds=False)
    x, y = (tape.load("block", k) for k in range(2))
    a, b, c = se.symbols("a b c")
    found = {}

    def named(name, value):
        found[name] = value
        return se.Symbol(name)

    pivot = x * x + y
    results = Ledger(tape, {"f_x": a + b + c + a * b, "f_y": b}, named).write([y / pivot, x / pivot])
    assert found == {"f_x": a + b + c + a * b, "e_1": b + se.Symbol("f_x") ** 2}
    assert results == [b / se.Symbol("e_1"), se.Symbol("f_x") / se.Symbol("e_1")]


def _entries(derivation):
    return [e for rows in derivation._formulas.entries.values() for row in rows for e in row]
