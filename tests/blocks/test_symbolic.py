"""Blocks that can be written down by hand, and published ones."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se
import sympy as sp

from dalembert import ModelError, System, example
from dalembert.blocks.numeric import Numeric
from dalembert.language.parser import Vocabulary, parse
from tests.conftest import pendulum


def reads(system: System, text: str):
    return parse(text, Vocabulary(system.coordinates, tuple(system.parameters)))


def same(system: System, expr, text: str) -> bool:
    return se.expand(expr - reads(system, text)) == 0


def test_pendulum_by_hand():
    system = pendulum()
    b = system.blocks
    assert {(0, 0): se.Symbol("m"), (1, 1): se.Symbol("m"), (2, 2): se.Symbol("J")} == b.M
    assert [same(system, f, text) for f, text in zip(b.f, ["0", "-m*g", "0"], strict=True)] == [True] * 3
    expected = {(0, 0): "1", (0, 2): "-l*cos(phi)", (1, 1): "1", (1, 2): "-l*sin(phi)"}
    assert dict.fromkeys(expected, True) == {key: same(system, b.A[key], expected[key]) for key in b.A}
    assert same(system, b.c[0], "-l*sin(phi)*phi'^2")
    assert same(system, b.c[1], "l*cos(phi)*phi'^2")
    assert same(system, b.psi[0], "x' - l*cos(phi)*phi'")


def test_rheonomic_constraint():
    system = example("moved-pendulum")
    assert same(system, system.blocks.c[0], "-b*w^2*sin(w*t)*(-1) - l*sin(phi)*phi'^2 - 2*b*w^2*sin(w*t)")


def test_pendulum_on_a_slider_matches_its_paper():
    """Do Sanh 1996: the matrix (3.1), the inertia terms (3.8) and, corrected, the matrices (3.6)."""
    system = example("pendulum-on-slider")
    b = system.blocks
    M = [
        ["m0 + m", "0", "m*a*cos(phi)"],
        ["0", "m0 + m", "-m*a*sin(phi)"],
        ["m*a*cos(phi)", "-m*a*sin(phi)", "m*rho^2"],
    ]
    for i in range(3):
        for j in range(3):
            assert same(system, b.M.get((i, j), se.Integer(0)), M[i][j])
    f = ["F + m*a*sin(phi)*phi'^2", "(m0 + m)*g + m*a*cos(phi)*phi'^2", "-m*g*a*sin(phi)"]
    assert all(same(system, entry, text) for entry, text in zip(b.f, f, strict=True))
    G1, G2, G3 = b.inertia_forms()
    assert set(G1) == set(G2) == {(2, 2)}
    assert same(system, G1[2, 2], "m*a*sin(phi)")
    assert same(system, G2[2, 2], "m*a*cos(phi)")
    assert G3 == {}


def test_inertia_forms_give_the_inertia_part_of_f(model):
    """f without forces and potential is vᵀ G₀ₖ v when T is quadratic in v and free of time."""
    if model.kinetic is None:
        return
    bare = System(coordinates=model.coordinates, kinetic=model.kinetic, parameters=dict.fromkeys(model.parameters))
    b = bare.blocks
    for form, f in zip(b.inertia_forms(), b.f, strict=True):
        quadratic = se.Add(*[b.v[i] * entry * b.v[j] for (i, j), entry in form.items()])
        assert se.expand(quadratic - f) == 0


def test_andrews_matches_the_ivp_test_set(random):
    """M and f as printed in the IVP Test Set, at random states."""
    system = example("andrews-squeezer")
    p = {name: sp.Float(value) for name, value in system.parameters.items()}
    numeric = Numeric(system)
    for _ in range(3):
        q, v = random.uniform(-1, 1, 7), random.uniform(-5, 5, 7)
        values = numeric.all(0.0, q, v)
        _, th, ga, ph, _, om, _ = q
        bep, thp, _, php, dep, omp, epp = v
        s, c = np.sin, np.cos
        k = {name: float(value) for name, value in p.items()}
        M = np.zeros((7, 7))
        M[0, 0] = (
            k["m1"] * k["ra"] ** 2
            + k["m2"] * (k["rr"] ** 2 - 2 * k["da"] * k["rr"] * c(th) + k["da"] ** 2)
            + k["I1"]
            + k["I2"]
        )
        M[0, 1] = M[1, 0] = k["m2"] * (k["da"] ** 2 - k["da"] * k["rr"] * c(th)) + k["I2"]
        M[1, 1] = k["m2"] * k["da"] ** 2 + k["I2"]
        M[2, 2] = k["m3"] * (k["sa"] ** 2 + k["sb"] ** 2) + k["I3"]
        h = k["e"] - k["ea"]
        M[3, 3] = k["m4"] * h**2 + k["I4"]
        M[3, 4] = M[4, 3] = k["m4"] * (h**2 + k["zt"] * h * s(ph)) + k["I4"]
        M[4, 4] = (
            k["m4"] * (k["zt"] ** 2 + 2 * k["zt"] * h * s(ph) + h**2)
            + k["m5"] * (k["ta"] ** 2 + k["tb"] ** 2)
            + k["I4"]
            + k["I5"]
        )
        z = k["zf"] - k["fa"]
        M[5, 5] = k["m6"] * z**2 + k["I6"]
        M[5, 6] = M[6, 5] = k["m6"] * (z**2 - k["u"] * z * s(om)) + k["I6"]
        M[6, 6] = (
            k["m6"] * (z**2 - 2 * k["u"] * z * s(om) + k["u"] ** 2)
            + k["m7"] * (k["ua"] ** 2 + k["ub"] ** 2)
            + k["I6"]
            + k["I7"]
        )
        xd = k["sd"] * c(ga) + k["sc"] * s(ga) + k["xb"] - k["xc"]
        yd = k["sd"] * s(ga) - k["sc"] * c(ga) + k["yb"] - k["yc"]
        L = np.hypot(xd, yd)
        F = -k["c0"] * (L - k["l0"]) / L
        f = [
            k["mom"] - k["m2"] * k["da"] * k["rr"] * thp * (thp + 2 * bep) * s(th),
            k["m2"] * k["da"] * k["rr"] * bep**2 * s(th),
            F * xd * (k["sc"] * c(ga) - k["sd"] * s(ga)) + F * yd * (k["sd"] * c(ga) + k["sc"] * s(ga)),
            k["m4"] * k["zt"] * h * dep**2 * c(ph),
            -k["m4"] * k["zt"] * h * php * (php + 2 * dep) * c(ph),
            -k["m6"] * k["u"] * z * epp**2 * c(om),
            k["m6"] * k["u"] * z * omp * (omp + 2 * epp) * c(om),
        ]
        np.testing.assert_allclose(values.M.toarray(), M, rtol=1e-12, atol=1e-18)
        np.testing.assert_allclose(values.f, f, rtol=1e-11, atol=1e-15)


def test_constant_factors_are_multiplied_out():
    """A common factor must not hide that the terms are separate elements."""
    n = 30
    names = [f"x{i}" for i in range(n)]
    kinetic = "m/2*(" + " + ".join(f"{name}'^2" for name in names) + ")"
    system = System(coordinates=names, kinetic=kinetic, parameters={"m": 2})
    assert set(system.blocks.M) == {(i, i) for i in range(n)}


def test_velocities_that_cancel_are_accepted():
    system = System(coordinates="x", kinetic="(x'^2 + x'^3 - x'*x'^2)/2")
    assert system.blocks.M == {(0, 0): 1}
    hidden = System(coordinates="x", kinetic="((1 + x')^2 - 1 - 2*x')/2 + x'*(1 + x')^2 - x'^3 - 2*x'^2 - x'")
    assert float(hidden.blocks.M[0, 0]) == 1


def test_kinetic_energy_must_be_quadratic():
    with pytest.raises(ModelError, match=r"not quadratic in the velocities: its second derivatives still contain x'"):
        _ = System(coordinates="x", kinetic="x'^4").blocks


def test_acceleration_constraint_with_cancelling_terms():
    system = System(coordinates="x y", kinetic="x'^2 + y'^2", constraints={"a": "(x'' + y)^2 - x''^2 = t"})
    assert {(0, 0): 2 * se.Symbol("y")} == system.blocks.A


def test_no_constraints_and_one_coordinate():
    b = System(coordinates="x", kinetic="x'^2/2", potential="x^2/2").blocks
    assert (b.A, b.c, b.g, b.psi) == ({}, (), (), ())
    assert b.f == (-se.Symbol("x"),)


BROKEN = [
    "x'^2/2*if(x' > 2, 3, 1)",
    "x'^2/2*if(x' > 1e30, 3, 1)",
    "max(x', -10)^2/2",
    "m*299792458.0^2*(1 - sqrt(1 - x'^2/299792458.0^2))",
    "x'^2/2 + 1e-12*x'^4",
    "x'^2/2 + max(x - 1e6, 0)*x'^4",
    "x'^2/2 + abs(x')",
    "x'^2/2 + step(x' - 1)",
    "if(x' > 2, x'^2/2 + x', x'^2/2)",
]


@pytest.mark.parametrize("text", BROKEN)
def test_no_kinetic_energy_that_is_not_quadratic_is_taken_for_one(text):
    with pytest.raises(ModelError, match="the kinetic energy is not quadratic in the velocities"):
        _ = System(coordinates="x", kinetic=text, parameters={"m": 1}).blocks


QUADRATIC = [
    "abs(x')^2/2",
    "max(x', -x')^2/2",
    "max(x', 0)^2/2 + min(x', 0)^2/2",
    "if(x' > 0, x'^2, abs(x')^2)/2",
    "if(x > 0, 1, 2)*x'^2/if(x > 0, 2, 4)",
    "((x' + 1e5)^4 - x'^4 - 4e5*x'^3)/12e10",
    "(x' + 1/3)^3/2 - x'^3/2 - x'/6",
    "(x'^4 - x'^2)/(x'^2 - 1)/2",
    "(x'^2*cosh(1/(x' - 1))^2 - x'^2*sinh(1/(x' - 1))^2)/2",
    "(x'^2*cosh(1/x')^2 - x'^2*sinh(1/x')^2)/2",
    "sqrt(m)*(x'^4 - x'^2)/(x'^2 - 1)/2",
]


@pytest.mark.parametrize("text", QUADRATIC)
def test_velocities_that_cancel_in_hidden_ways(text):
    system = System(coordinates="x", kinetic=text, parameters={"m": 1})
    assert Numeric(system).all(0.0, np.array([0.3]), np.array([0.2])).M.toarray() == pytest.approx(np.array([[1.0]]))


STRAIGHT = {
    "(x'^2 - y'^2)/(x' - y') = 0": ([1, 1], 0),
    "x'*(x'^2 - y'^2)/(x'^2 - x'*y') = x*y' + t": ([1, 1 - 0.3], 1 + 0.2 * 0.4),
    "cosh(1/x')^2 - sinh(1/x')^2 + y' = 2": ([0, 1], 0),
    "x'' + (x''^2 - y''^2)/(x'' - y'') = 1": ([2, 1], 1),
    "x'' + abs(x'')^2/x'' = y*y''": None,
    "(x''^2 + x*x'')/(x'' + x) - y''*x' = t": ([1, -0.2], 0),
}


@pytest.mark.parametrize("text", STRAIGHT)
def test_constraints_whose_variables_cancel_in_value_only(text):
    """A and c have values everywhere, also where the expression as written has none."""
    if STRAIGHT[text] is None:  # SymEngine does not differentiate abs
        with pytest.raises(ModelError, match="not linear in the accelerations"):
            System(coordinates="x y", kinetic="x'^2 + y'^2", constraints={"a": text})
        return
    system = System(coordinates="x y", kinetic="x'^2 + y'^2", constraints={"a": text})
    values = Numeric(system).all(0.0, np.array([0.3, 0.7]), np.array([0.2, 0.4]))
    row, c = STRAIGHT[text]
    assert values.A.toarray() == pytest.approx(np.array([row], dtype=float))
    assert values.c == pytest.approx(np.array([c], dtype=float))
    still = Numeric(system).all(0.0, np.zeros(2), np.zeros(2))
    assert np.isfinite(still.A.toarray()).all()
    assert np.isfinite(still.c).all()
    assert system.check().ok


def test_long_sums_of_linear_terms_are_seen_to_be_linear(monkeypatch):
    """Without sampling, which takes all terms together."""
    monkeypatch.setattr("dalembert.model.constraint.is_independent", None)
    names = [f"{letter}{i}" for i in range(3) for letter in "qxy"]
    text = " + ".join(f"q{i}*(x{i}' + y{i}')" for i in range(3)) + " = 0"
    system = System(names, kinetic=" + ".join(f"{name}'^2" for name in names), constraints={"a": text})
    assert system.constraint("a").linear


def test_a_chain_of_acceleration_constraints():
    names = [f"x{i}" for i in range(300)]
    chain = {f"c{i}": f"x{i}'' = x{i + 1}''" for i in range(299)}
    b = System(names, kinetic=" + ".join(f"{name}'^2" for name in names), constraints=chain).blocks
    assert {(i, i + k): 1 - 2 * k for i in range(299) for k in (0, 1)} == b.A


def test_energy_has_a_value_where_the_text_has_none():
    system = System(coordinates="x", kinetic="(x'^4 - x'^2)/(x'^2 - 1)/2", initial={"x": 0, "x'": 1})
    assert system.blocks.energy == se.Symbol("x'") ** 2 / 2


def test_many_parts_that_cancel_apart_from_each_other():
    names = [f"{letter}{i}" for i in range(20) for letter in "xy"]
    kinetic = " + ".join(f"abs({name}')^2/2" for name in names)
    text = " + ".join(f"(x{i}'^2 - y{i}'^2)/(x{i}' - y{i}')" for i in range(20)) + " = 0"
    b = System(names, kinetic=kinetic, constraints={"a": text}).blocks
    assert {(i, i): 1 for i in range(40)} == b.M
    assert {(0, i): 1 for i in range(40)} == b.A
