"""Closed forms from SymPy's own tests, the rolling disk, and SymPy's LagrangesMethod on the same systems."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

from dalembert import System, coordinates, dot, example
from dalembert.blocks.numeric import Numeric
from dalembert.forms.multipliers import solve
from dalembert.survey.configurations import Configuration, configurations
from tests.references.formulas import agrees


def test_disc_on_an_inclined_plane():
    """SymPy, test_lagrange: ÿ = 2 g sin α / 3."""
    system = System(
        coordinates="y th",
        kinetic="m*y'^2/2 + m*R^2*th'^2/4",
        potential="m*g*(l - y)*sin(alpha)",
        constraints={"rolling": "y = R*th"},
        parameters=dict.fromkeys(["m", "R", "g", "l", "alpha"]),
    )
    assert agrees(system, system.derive("explicit").expressions[0], "y'' - 2*g*sin(alpha)/3")


def test_pendulum_in_cartesian_coordinates():
    """SymPy, test_nonminimal_pendulum (gravity 9.8 along q1; its multiplier has the other sign)."""
    system = System(
        coordinates="q1 q2",
        kinetic="m*(q1'^2 + q2'^2)/2",
        potential="-98*m*q1/10",
        constraints={"length": "q1^2 + q2^2 = L^2"},
        parameters={"m": None, "L": None},
    )
    reaction = system.derive("reactions").full().reaction_expressions["length"]
    multiplier = "(196*q1/10 + 2*q1'^2 + 2*q2'^2)*m/(4*(q1^2 + q2^2))"
    assert agrees(system, reaction[0], f"-2*q1*{multiplier}")
    assert agrees(system, reaction[1], f"-2*q2*{multiplier}")


def test_cart_and_pendulum_with_the_bob_held():
    """SymPy, test_system_class: the bob is held above one place by moving the cart."""
    system = System(
        coordinates="qc qp",
        kinetic="mc*qc'^2/2 + mp*((qc' + l*cos(qp)*qp')^2 + (l*sin(qp)*qp')^2)/2",
        potential="-mp*g*l*cos(qp)",
        forces={"qc": "-k*qc + F"},
        constraints={"bob": "qc + l*sin(qp) = 0"},
        parameters=dict.fromkeys(["mc", "mp", "l", "g", "k", "F"]),
        guess={"qp": 0.3},
    )
    top = "-g*mp*sin(qp) + l*(mc - mp)*2*sin(qp)*cos(qp)*qp'^2/2 - F*cos(qp)"
    expected = f"({top} + k*qc*cos(qp))/(l*(mc*cos(qp)^2 + mp*sin(qp)^2))"
    assert agrees(system, system.derive("explicit").full().expressions[1], f"qp'' - {expected}")


def test_trolley():
    """Kane and Levinson 1985, example 8.12, in SymPy's test_kane2: a two-wheeled trolley, u1 its turn, u2 its speed."""
    system = System(
        coordinates="x y q1 w1 w2",
        kinetic=(
            "mA*((x' - a*sin(q1)*q1')^2 + (y' + a*cos(q1)*q1')^2)/2 + IA*q1'^2/2"
            " + mB*((x' - b*cos(q1)*q1')^2 + (y' - b*sin(q1)*q1')^2)/2 + J*w1'^2/2 + K*q1'^2/2"
            " + mB*((x' + b*cos(q1)*q1')^2 + (y' + b*sin(q1)*q1')^2)/2 + J*w2'^2/2 + K*q1'^2/2"
        ),
        constraints={
            "across": "-x'*sin(q1) + y'*cos(q1) = 0",
            "left": "x'*cos(q1) + y'*sin(q1) - b*q1' = R*w1'",
            "right": "x'*cos(q1) + y'*sin(q1) + b*q1' = R*w2'",
        },
        parameters={"mA": 3.0, "mB": 0.5, "a": 0.3, "b": 0.4, "IA": 0.2, "J": 0.05, "K": 0.03, "R": 0.2},
        initial={"q1": 0.4, "q1'": 0.7, "x'": 1.1},
    )
    p = system.parameters
    numeric, state = Numeric(system), system.start()
    acceleration, _ = solve(numeric.all(0.0, state.q, state.v))
    u1, q1 = state["q1'"], state["q1"]
    u2 = state["x'"] * np.cos(q1) + state["y'"] * np.sin(q1)
    turn = (
        -p["mA"]
        * p["a"]
        * u1
        * u2
        / (
            p["IA"]
            + 2 * p["J"] * p["b"] ** 2 / p["R"] ** 2
            + 2 * p["K"]
            + p["mA"] * p["a"] ** 2
            + 2 * p["mB"] * p["b"] ** 2
        )
    )
    speed = p["mA"] * p["a"] * u1**2 / (p["mA"] + 2 * p["mB"] + 2 * p["J"] / p["R"] ** 2)
    assert acceleration[2] == pytest.approx(turn, rel=1e-10)
    assert acceleration[0] * np.cos(q1) + acceleration[1] * np.sin(q1) == pytest.approx(speed, rel=1e-10)


ROLLING_DISK = System(
    name="Disk rolling on a plane",
    coordinates="x y z q1 q2 q3",
    define={"u1": "q2'", "u2": "q3' + q1'*sin(q2)", "u3": "q1'*cos(q2)"},
    kinetic="m*(x'^2 + y'^2 + z'^2)/2 + m*r^2*(u1^2 + 2*u2^2 + u3^2)/8",
    potential="m*g*z",
    constraints={
        "height": "z = r*cos(q2)",
        "rolling_x": "x' = r*(u2*cos(q1) + u1*cos(q2)*sin(q1))",
        "rolling_y": "y' = r*(u2*sin(q1) - u1*cos(q2)*cos(q1))",
    },
    parameters={"m": 3.43, "r": 0.26, "g": 9.81},
    initial={"q1": 0.3, "q2": 0.1, "q3": 1.97, "q1'": 0.8, "q2'": -0.2, "q3'": 1.3},
)


def test_rolling_disk_closed_form():
    """SymPy, test_kane: u̇ of a thin disk that rolls without slipping, at random admissible states."""
    numeric, state = Numeric(ROLLING_DISK), ROLLING_DISK.start()
    r, g = 0.26, 9.81
    for place in configurations(numeric, Configuration(0.0, state.q, state.v), count=5):
        acceleration, _ = solve(numeric.all(place.t, place.q, place.v))
        q2, (d1, d2, d3), (a1, a2, a3) = place.q[4], place.v[3:], acceleration[3:]
        u1, u2, u3 = d2, d3 + d1 * np.sin(q2), d1 * np.cos(q2)
        rates = [a2, a3 + a1 * np.sin(q2) + d1 * d2 * np.cos(q2), a1 * np.cos(q2) - d1 * d2 * np.sin(q2)]
        expected = [
            (6 * u2 * u3 * r - u3**2 * r * np.tan(q2) + 4 * g * np.sin(q2)) / (5 * r),
            -2 * u1 * u3 / 3,
            u1 * (-2 * u2 + u3 * np.tan(q2)),
        ]
        assert rates == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_steady_rolling():
    """A coin that leans by 20° and turns at 3 rad/s rolls steadily at the spin −80.20056142834625 rad/s."""
    lean = np.deg2rad(20)
    spin = {"q1": 0, "q2": lean, "q3": 0, "q1'": 3, "q2'": 0, "q3'": -80.20056142834625}
    coin = ROLLING_DISK.replace(parameters={"r": 0.01, "m": 1}, initial=spin)
    numeric, state = Numeric(coin), coin.start()
    acceleration, _ = solve(numeric.all(0.0, state.q, state.v))
    assert acceleration[3:] == pytest.approx([0, 0, 0], abs=1e-8)


def test_double_pendulum_with_torques():
    """SymPy, test_kane4: M = m l² [[2, cos(q2 − q1)], [., 1]] for two equal particles on equal rods."""
    system = System(
        coordinates="q1 q2",
        kinetic="m*l^2*(2*q1'^2 + q2'^2 + 2*q1'*q2'*cos(q2 - q1))/2",
        forces={"q1": "T1 - T2", "q2": "T2"},
        parameters=dict.fromkeys(["m", "l", "T1", "T2"]),
    )
    assert agrees(system, system.blocks.M[0, 0], "2*m*l^2")
    assert agrees(system, system.blocks.M[0, 1], "m*l^2*cos(q1 - q2)")
    assert agrees(system, system.blocks.f[1], "T2 - m*l^2*sin(q2 - q1)*q1'^2")


def test_rolling_disk_is_nonholonomic():
    classes = ROLLING_DISK.check().as_dict()["classes"]
    assert [classes[name]["integrable"] for name in ("height", "rolling_x", "rolling_y")] == [None, False, False]


def lagranges_method(system: System) -> LagrangesMethod:
    t = dynamicsymbols._t
    q = [dynamicsymbols(name) for name in system.coordinates]
    lagrangian = system.sympy(system.kinetic) - system.sympy(system.potential or 0)
    holonomic = [system.sympy(c.expression) for c in system.constraints if c.level == "position"]
    nonholonomic = [system.sympy(c.expression) for c in system.constraints if c.level == "velocity"]
    options = {"hol_coneqs": holonomic} if holonomic else {}
    if nonholonomic:
        options["nonhol_coneqs"] = nonholonomic
    method = LagrangesMethod(lagrangian, q, **options)
    method.form_lagranges_equations()
    assert t == dynamicsymbols._t
    return method


@pytest.mark.parametrize(
    "name",
    [
        "pendulum",
        "simple-pendulum",
        "double-pendulum",
        "moved-pendulum",
        "chaplygin-sleigh",
        "rod-with-knife-edge",
        "chain:2",
        "nonholonomic-particle",
    ],
)
def test_lagranges_method_agrees(name):
    """SymPy's mass matrix, forcing and constraint matrix give the same accelerations."""
    system = example(name)
    method = lagranges_method(system)
    n, s = len(system.coordinates), len(system.constraints)
    matrix, forcing = sp.Matrix(method.mass_matrix_full)[n:, n:], sp.Matrix(method.forcing_full)[n:, :]
    t = dynamicsymbols._t
    q = [dynamicsymbols(name) for name in system.coordinates]
    names = [*(x.diff(t) for x in q), *q]
    plain = sp.symbols(f"s0:{2 * n}")
    order = dict(zip(names, plain, strict=True))
    parameters = {sp.Symbol(name): value for name, value in system.parameters.items()}
    function = sp.lambdify([t, *plain], [part.xreplace(order).subs(parameters) for part in (matrix, forcing)])
    numeric, state = Numeric(system), system.start()
    for place in configurations(numeric, Configuration(0.0, state.q, state.v)):
        left, right = function(place.t, *place.v, *place.q)
        theirs = np.linalg.solve(left, right).ravel()[:n]
        ours, _ = solve(numeric.all(place.t, place.q, place.v))
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
        assert s == len(system.constraints)


def test_substituting_nonholonomic_constraints_into_the_energy_is_wrong():
    """The upright disk with its constraints put into T loses the reactions; with multipliers it has them."""
    x, y, phi, theta = coordinates("x y phi theta")
    T = (dot(x) ** 2 + dot(y) ** 2) / 2 + dot(phi) ** 2 / 4 + dot(theta) ** 2 / 8
    substituted = T.subs({dot(x): dot(phi) * sp.sin(theta), dot(y): -dot(phi) * sp.cos(theta)})
    reduced = System(coordinates=[phi, theta], kinetic=sp.simplify(substituted))
    assert set(reduced.blocks.M) == {(0, 0), (1, 1)}
    assert example("upright-disk").derive("reactions").total_expressions[0] != 0
