"""The canonical form, complete: every matrix of the examples of Do Sanh 1993 against closed forms typed by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
import symengine as se

from dalembert import System, example
from dalembert.language.parser import Vocabulary, parse
from tests.references.formulas import agrees

ROD = {
    "H": [["(p_q1^2 + p_q2^2 + p_q3^2 + p_q4^2)/2"]],
    "M_inverse": [["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "0", "1"]],
    "psi": [["q2*p_q3 - q4*p_q1"], ["2*(q2*p_q2 + q4*p_q4)"]],
    "B": [["-q4", "0", "q2", "0"], ["0", "2*q2", "0", "2*q4"]],  # g, not g/2 as he writes (2.16)
    "B_0": [["p_q2*p_q3 - p_q4*p_q1"], ["2*(p_q2^2 + p_q4^2)"]],
    "D": [["q2", "0"], ["0", "q4"], ["q4", "0"], ["0", "-q2"]],  # his columns times q2 and q4
    "R": [
        ["q4*(p_q2*p_q3 - p_q1*p_q4)/(q2^2 + q4^2)"],
        ["-q2*(p_q2^2 + p_q4^2)/(q2^2 + q4^2)"],
        ["-q2*(p_q2*p_q3 - p_q1*p_q4)/(q2^2 + q4^2)"],
        ["-q4*(p_q2^2 + p_q4^2)/(q2^2 + q4^2)"],
    ],
}
_S, _C, _N = "sin(phi)", "cos(phi)", "(m*(rho^2 - a^2))"
PLATFORM = {
    "M_inverse": [
        [f"(rho^2 - a^2*{_C}^2)/{_N}", f"-a^2*{_S}*{_C}/{_N}", f"a*{_S}/{_N}"],
        [f"-a^2*{_S}*{_C}/{_N}", f"(rho^2 - a^2*{_S}^2)/{_N}", f"-a*{_C}/{_N}"],
        [f"a*{_S}/{_N}", f"-a*{_C}/{_N}", f"1/{_N}"],
    ],
    "psi": [[f"(rho^2*{_S}*p_x - rho^2*{_C}*p_y + a*p_phi)/{_N}"]],
    "B": [[f"rho^2*{_S}/{_N}", f"-rho^2*{_C}/{_N}", f"a/{_N}"]],
    "B_0": [[
        f"(({_C}*p_x + {_S}*p_y)*(a*{_S}*p_x - a*{_C}*p_y + p_phi)/m - m*(rho^2 - a^2)*g*sin(alpha)*{_S})/{_N}"
    ]],
    "D": [[_C, "0"], [_S, "0"], ["0", "1"]],
}  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), [("rod-with-knife-edge", ROD), ("platform-on-incline", PLATFORM)])
def test_matrices_of_the_examples(name, expected):
    derivation = example(name).derive("canonical")
    entries, momenta = derivation.full().entries, [f"p_{q}" for q in derivation.system.coordinates]
    for matrix, rows in expected.items():
        for found, texts in zip(entries[matrix], rows, strict=True):
            assert all(agrees(derivation.system, e, text, *momenta) for e, text in zip(found, texts, strict=True)), (
                matrix
            )


def test_conditions_of_the_rod():
    """B R + B⁰ = 0 and Dᵀ R = 0 as the paper writes them, by the symbols of R; on R they vanish."""
    derivation = example("rod-with-knife-edge").derive("canonical")
    found, names = derivation.condition_expressions, [f"{letter}_q{k}" for letter in "Rp" for k in range(1, 5)]
    assert list(found) == ["B R + B⁰ = 0", "Dᵀ R = 0"]
    compatible, ideal = found.values()
    assert agrees(derivation.system, compatible[0], "-q4*R_q1 + q2*R_q3 + p_q2*p_q3 - p_q4*p_q1", *names)
    assert agrees(derivation.system, compatible[1], "2*(q2*R_q2 + q4*R_q4 + p_q2^2 + p_q4^2)", *names)
    assert agrees(derivation.system, ideal[0], "q2*R_q1 + q4*R_q3", *names)
    assert agrees(derivation.system, ideal[1], "q4*R_q2 - q2*R_q4", *names)
    R = {se.Symbol(f"R_q{k + 1}"): row[0] for k, row in enumerate(derivation.full().entries["R"])}
    full = derivation.full().condition_expressions
    assert all(agrees(derivation.system, e.xreplace(R), "0") for rows in full.values() for e in rows)


IDENTITIES = (
    *("pendulum", "upright-disk", "appell-hamel", "moved-pendulum", "four-bar"),
    *("rod-with-knife-edge", "platform-on-incline"),
)


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_on_numbers(name):
    """ψ̂ = ψ at v = M⁻¹(p − l), B = A M⁻¹, B⁰ = ψ̂̇ − B R, Dᵀ R = 0: at a state of a motion."""
    system = example(name)
    derivation = system.derive("canonical")
    run = system.simulate(0.4, samples=1)
    values = {q: run[q][-1] for q in system.coordinates} | {f"{q}'": run[f"{q}'"][-1] for q in system.coordinates}
    values |= {f"p_{q}": run[f"p_{q}"][-1] for q in system.coordinates} | {"t": 0.4, **system.parameters}
    known = {se.Symbol(key): value for key, value in values.items()}
    for key, expr in derivation.abbreviation_expressions.items():  # each is made of those before it
        known[se.Symbol(key)] = float(expr.xreplace(known).n(real=True))

    def at(rows):
        return np.array([[float(e.xreplace(known).n(real=True)) for e in row] for row in rows])

    found = {key: at(rows) for key, rows in derivation.entries.items()}
    blocks = system.blocks
    A = at([[blocks.A.get((i, j), se.Integer(0)) for j in range(len(blocks.q))] for i in range(len(blocks.c))])
    M = at([[blocks.M.get((i, j), se.Integer(0)) for j in range(len(blocks.q))] for i in range(len(blocks.q))])
    scene = derivation.scene
    M = M + sum(10.0**k * np.outer(A[scene.kept[i]], A[scene.kept[i]]) for i, k in scene.added.items())  # if singular
    assert found["H"][0, 0] == pytest.approx(run["H"][-1], rel=1e-9)
    assert np.allclose(found["M_inverse"], np.linalg.inv(M), rtol=1e-9)
    assert np.allclose(found["psi"], 0, atol=1e-8)
    assert np.allclose(found["B"], A @ np.linalg.inv(M), rtol=1e-8, atol=1e-9)
    assert np.allclose(A @ found["D"], 0, atol=1e-9) and np.allclose(found["D"].T @ found["R"], 0, atol=1e-7)
    assert np.linalg.matrix_rank(found["D"]) == derivation.degrees_of_freedom
    assert np.allclose(found["B"] @ found["R"] + found["B_0"], 0, atol=1e-7)


def test_everywhere_it_is_shown():
    derivation = example("rod-with-knife-edge").derive("canonical")
    text, latex, data = derivation.text(), derivation.latex(), json.loads(json.dumps(derivation.as_dict()))
    assert "Dᵀ R = 0" in text and "q2*R_q1" in text.replace("R_q1*q2", "q2*R_q1")
    assert r"\hat\psi" in latex and r"M^{-1}" in latex
    assert set(data["matrices"]) == {"H", "M_inverse", "psi", "B", "B_0", "D", "R"}
    names = Vocabulary(derivation.system.coordinates, tuple(f"{x}_q{k}" for x in "pR" for k in range(1, 5)))
    for row in data["conditions"]["Dᵀ R = 0"]:
        parse(row.removesuffix(" = 0"), names)
    assert str(derivation.M_inverse) == str(derivation.matrices["M_inverse"])


def test_h_is_a_formula_of_large_systems_too():
    """63 coordinates and 62 constraints: H with momenta, the canonical equations with multipliers; M is diagonal."""
    system = example("n-four-bar:10")
    derivation = system.derive("canonical")
    H = derivation.entries["H"][0][0]
    assert {f"p_{q}" for q in system.coordinates} <= {symbol.name for symbol in H.free_symbols}
    assert len(derivation.expressions) == 2 * len(system.coordinates)
    p = {se.Symbol(f"p_{q}"): k + 1.0 for k, q in enumerate(system.coordinates)}
    rest = {se.Symbol(q): 0.0 for q in system.coordinates} | {se.Symbol(k): v for k, v in system.parameters.items()}
    mass = [float(system.blocks.M[k, k].xreplace(rest)) for k in range(len(system.coordinates))]
    expected = sum((k + 1.0) ** 2 / 2 / m for k, m in enumerate(mass))
    assert float(H.xreplace(p | rest)) == pytest.approx(expected, rel=1e-12)


def test_without_constraints():
    derivation = System(coordinates="x", kinetic="m*x'^2/2", potential="k*x^2/2", parameters={"m": 1, "k": 2}).derive(
        "canonical"
    )
    assert derivation.condition_expressions == {} and "D" not in derivation.entries
    assert agrees(derivation.system, derivation.entries["M_inverse"][0][0], "1/m")


def test_where_the_constraints_were_used_it_is_said():
    derivation = example("platform-on-incline").derive("canonical")
    assert "B⁰, as it is where the constraints hold" in derivation.steps.text()
    assert "where the constraints hold" not in derivation.full().steps.text()
