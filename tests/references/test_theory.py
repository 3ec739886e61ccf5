"""The worked examples: D, equations and reactions exactly as they should be, at the awkward points too."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se

from dalembert import example
from dalembert.blocks.numeric import Numeric
from dalembert.forms.derivation import Derivation
from dalembert.forms.multipliers import solve
from tests.references.formulas import agrees, read, same


def columns(derivation: Derivation) -> list[list]:
    return [list(column) for column in zip(*derivation.entries["D"], strict=True)]


EXAMPLES = [
    ("rolling-disk", [["r", "0", "-1"]], ["m*r*s'' - r*F - J*phi''"]),
    ("pendulum", [["l*cos(phi)", "l*sin(phi)", "1"]], ["l*m*cos(phi)*x'' + l*m*sin(phi)*(y'' + g) + J*phi''"]),
    (
        "upright-disk",
        [["r*sin(theta)", "-r*cos(theta)", "1", "0"], ["0", "0", "0", "1"]],
        ["m*r*sin(theta)*x'' - m*r*cos(theta)*y'' + m*r^2*phi''/2", "m*r^2*theta''/4"],
    ),
    (
        "rod-with-knife-edge",
        [["q2", "0", "q4", "0"], ["0", "q4", "0", "-q2"]],
        ["q2*q1'' + q4*q3''", "q4*q2'' - q2*q4''"],
    ),
    (
        "platform-on-incline",
        [["cos(phi)", "sin(phi)", "0"], ["0", "0", "1"]],
        [
            "m*(cos(phi)*x'' + sin(phi)*y'' - a*phi'^2 + g*sin(alpha)*cos(phi))",
            "m*(rho^2*phi'' + a*(cos(phi)*y'' - sin(phi)*x'') - g*a*sin(alpha)*sin(phi))",
        ],
    ),
    ("pendulum-on-slider", [["1", "0", "0"], ["0", "0", "1"]], None),
]


@pytest.mark.parametrize(("name", "D", "equations"), EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_minimal_form(name, D, equations):
    system = example(name)
    derivation = system.derive("minimal").full()  # an identity in q and v, not only where the constraints hold
    assert [
        [agrees(system, d, text) for d, text in zip(*pair, strict=True)]
        for pair in zip(columns(derivation), D, strict=True)
    ] == [[True] * len(column) for column in D]
    if equations is not None:
        assert all(agrees(system, e, text) for e, text in zip(derivation.expressions, equations, strict=True))
    assert not any("holds where" in note for note in derivation.notes)  # valid everywhere


def test_rolling_disk_reactions():
    system = example("rolling-disk")
    total = system.derive("explicit").total_expressions
    expected = ["-J*F/(m*r^2 + J)", "m*g", "-J*r*F/(m*r^2 + J)"]
    assert all(agrees(system, r, text) for r, text in zip(total, expected, strict=True))


def test_rolling_disk_acceleration():
    system = example("rolling-disk")
    assert agrees(system, system.derive("explicit").expressions[0], "s'' - r^2*F/(m*r^2 + J)")


def test_pendulum_acceleration():
    system = example("pendulum")
    assert agrees(system, system.derive("explicit").full().expressions[2], "phi'' + m*g*l*sin(phi)/(J + m*l^2)")


def test_upright_disk_reactions():
    system = example("upright-disk")
    reactions = system.derive("reactions").reaction_expressions
    assert agrees(system, reactions["rolling_x"][0], "m*r*phi'*theta'*cos(theta)")
    assert agrees(system, reactions["rolling_y"][1], "m*r*phi'*theta'*sin(theta)")
    assert system.derive("reactions").total_expressions[2:] == [0, 0]


def test_knife_edge_rod_in_canonical_form():
    system = example("rod-with-knife-edge")
    derivation = system.derive("canonical").full()
    p = [f"p_q{i}" for i in range(1, 5)]
    turn = "(p_q2*p_q3 - p_q1*p_q4)/(q2^2 + q4^2)"
    pull = "(p_q2^2 + p_q4^2)/(q2^2 + q4^2)"
    expected = [f"q4*{turn}", f"-q2*{pull}", f"-q2*{turn}", f"-q4*{pull}"]
    assert all(agrees(system, row[0], text, *p) for row, text in zip(derivation.entries["R"], expected, strict=True))
    assert not any("holds where" in note for note in derivation.notes)


def test_platform_in_the_variables_of_the_blade():
    """u̇ = aω² − g sin α cos φ and ρ²ω̇ = −auω + ga sin α sin φ for v = u (cos φ, sin φ)."""
    system = example("platform-on-incline")
    derivation = system.derive("explicit")
    u = se.Symbol("u")
    x2, y2, phi2 = (
        se.Symbol(name + "''") - expr for name, expr in zip(system.coordinates, derivation.expressions, strict=True)
    )
    phi, x1, y1, w = (se.Symbol(name) for name in ("phi", "x'", "y'", "phi'"))
    on_blade = {x1: u * se.cos(phi), y1: u * se.sin(phi)}
    forward = se.cos(phi) * x2 + se.sin(phi) * y2  # u̇, since v = u e and ė is across
    assert same(forward.xreplace(on_blade), read(system, "a*phi'^2 - g*sin(alpha)*cos(phi)"))
    a, rho, g, alpha = (se.Symbol(name) for name in ("a", "rho", "g", "alpha"))
    assert same((rho**2 * phi2).xreplace(on_blade), -a * u * w + g * a * se.sin(alpha) * se.sin(phi))


def test_pendulum_on_a_slider_reaction():
    system = example("pendulum-on-slider")
    derivation = system.derive("reactions")
    text = (
        "-(m0 + m)*g + (m/(m0 + m)*a^2*sin(phi)*cos(phi)*F + m*g*a^2*sin(phi)^2"
        " - m*a*cos(phi)*phi'^2*(rho^2 - m/(m0 + m)*a^2))/(rho^2 - m/(m0 + m)*a^2*cos(phi)^2)"
    )
    assert derivation.total_expressions[0] == derivation.total_expressions[2] == 0
    assert agrees(system, derivation.total_expressions[1], text)
    assert same(system._translator.inward(system.reaction("ground")[1]), derivation.total_expressions[1])


@pytest.mark.parametrize(
    ("name", "changes", "initial"),
    [
        ("rolling-disk", {"r": 1.0}, {}),
        ("pendulum", {}, {"phi": 0.0}),
        ("pendulum", {}, {"phi": "pi/2"}),
        ("rod-with-knife-edge", {"theta0": 0.0}, {}),
        ("rod-with-knife-edge", {"theta0": np.pi / 2}, {"q1'": None, "q3'": 1.6}),
        ("platform-on-incline", {"rho": 0.4}, {}),
        ("platform-on-incline", {}, {"phi": 0.0}),
        ("platform-on-incline", {}, {"phi": "pi/2", "x'": None, "y'": 0.3}),
    ],
)
def test_awkward_points(name, changes, initial):
    """The formulas of the minimal form hold where the papers' choices fail: there Dᵀ(M q̈ − f) = 0 and D has full rank."""
    base = example(name)
    system = base.replace(parameters=changes, initial=initial)
    numeric, state = Numeric(system), system.start()
    values = numeric.all(0.0, state.q, state.v)
    acceleration, _ = solve(values)
    derivation = base.derive("minimal")
    D = numeric.evaluate(numeric.program([e for row in derivation.entries["D"] for e in row]), 0.0, state.q, state.v)
    D = D.reshape(numeric.n, -1)
    assert np.linalg.matrix_rank(D) == D.shape[1]
    assert np.abs(values.A @ D).max() < 1e-12
    assert np.abs(D.T @ (values.M @ acceleration - values.f)).max() < 1e-9
