"""Quasi-velocities against Kane's method of SymPy: moved constraints, speeds along a sphere, wheels, a rolling ball."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

from dalembert import System
from dalembert.forms.prepared import Scene
from tests.contracts.test_forms import states

T = dynamicsymbols._t
m, g, l, k = sp.symbols("m g l k")


def compare(kane: KanesMethod, system: System) -> None:
    """Compare u̇; speeds that are no quasi-velocities here are v_ and a coordinate."""
    kernel, names = system.compile("quasi"), list(system.quasi_velocities)
    rhs = sp.lambdify([*kane.q, *kane.u, T, *map(sp.Symbol, system.parameters)], (kane.mass_matrix, kane.forcing))
    for place in states(Scene(system), 3):
        u = kernel.to_state(place.t, place.q, place.v)
        found = kernel(place.t, place.q, u)
        known = dict(zip(system.coordinates, place.q, strict=True))
        known |= {f"v_{q}": v for q, v in zip(system.coordinates, place.v, strict=True)}
        known |= dict(zip(names, u, strict=False))
        M, f = rhs(*(known[s.name] for s in (*kane.q, *kane.u)), place.t, *system.parameters.values())
        rates = dict(zip([s.name for s in kane.u], np.linalg.solve(M, f)[:, 0], strict=True))
        expected = [rates[name] for name in names]
        assert found.velocity == pytest.approx(place.v, rel=1e-9, abs=1e-9)
        assert found.rate[: len(names)] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_speeds_along_a_sphere():
    theta, phi, w1, w2 = dynamicsymbols("theta phi w1 w2")
    N, P = ReferenceFrame("N"), Point("P")
    A = N.orientnew("A", "Axis", [phi, N.z])
    P.set_vel(N, w1 * (sp.cos(theta) * A.x - sp.sin(theta) * A.z) + w2 * A.y)
    rates = [l * theta.diff(T) - w1, l * sp.sin(theta) * phi.diff(T) - w2]
    A.set_ang_vel(N, w2 / (l * sp.sin(theta)) * N.z)
    kane = KanesMethod(N, [theta, phi], [w1, w2], rates)
    kane.kanes_equations([Particle("P", P, m)], [(P, m * g * N.z)])
    system = System(
        "theta phi", kinetic="m*l^2*(theta'^2 + sin(theta)^2*phi'^2)/2", potential="-m*g*l*cos(theta)",
        velocities={"w1": "l*theta'", "w2": "l*sin(theta)*phi'"}, parameters={"m": 0.7, "l": 0.6, "g": 9.81},
        initial={"theta": 0.7, "phi'": 2, "theta'": 0.3},
    )  # fmt: skip
    compare(kane, system)


def test_a_bead_on_a_hoop_that_turns_faster_and_faster():
    """In three coordinates and an angle, with b and its rate."""
    q, s = dynamicsymbols("q s")
    R, w = sp.symbols("R w")
    N, B = ReferenceFrame("N"), Point("B")
    H = N.orientnew("H", "Axis", [w * T**2 / 2, N.z])
    H.set_ang_vel(N, w * T * N.z)
    B.set_vel(N, s * (sp.cos(q) * H.x + sp.sin(q) * H.z) + R * sp.sin(q) * w * T * H.y)
    kane = KanesMethod(N, [q], [s], [R * q.diff(T) - s])
    kane.kanes_equations([Particle("B", B, m)], [(B, -m * g * N.z)])
    system = System(
        "x y z q", kinetic="m*(x'^2 + y'^2 + z'^2)/2", potential="m*g*z",
        constraints={"x": "x = R*sin(q)*cos(w*t^2/2)", "y": "y = R*sin(q)*sin(w*t^2/2)", "z": "z = -R*cos(q)"},
        velocities={"s": "R*q'"}, parameters={"m": 0.3, "R": 0.5, "g": 9.81, "w": 1.7}, initial={"q": 0.6, "q'": 0.8},
    )  # fmt: skip
    compare(kane, system)


@pytest.mark.full
def test_roller_racer():
    """Two bodies on two wheels; two speeds depend on the others there."""
    x, y, t1, t2, v_x, v_y, o1, o2 = dynamicsymbols("x y t1 t2 v_x v_y o1 o2")
    m0, J1, J2, a1, a2 = sp.symbols("m0 J1 J2 a1 a2")
    N, G = ReferenceFrame("N"), Point("G")
    first, second = N.orientnew("first", "Axis", [t1, N.z]), N.orientnew("second", "Axis", [t2, N.z])
    first.set_ang_vel(N, o1 * N.z)
    second.set_ang_vel(N, o2 * N.z)
    G.set_vel(N, v_x * N.x + v_y * N.y)
    rear, front = G.locatenew("rear", -a1 * first.x), G.locatenew("front", a2 * second.x)
    rear.v2pt_theory(G, N, first)
    front.v2pt_theory(G, N, second)
    rates = [x.diff(T) - v_x, y.diff(T) - v_y, t1.diff(T) - o1, t2.diff(T) - o2]
    wheels = [rear.vel(N).dot(first.y), front.vel(N).dot(second.y)]
    kane = KanesMethod(N, [x, y, t1, t2], [o1, o2], rates, u_dependent=[v_x, v_y], velocity_constraints=wheels)
    bodies = [
        RigidBody("first", G, first, m, (inertia(first, 0, 0, J1), G)),
        RigidBody("second", front, second, m0, (inertia(second, 0, 0, J2), front)),
    ]
    kane.kanes_equations(bodies, [(first, k * (t2 - t1) * N.z), (second, -k * (t2 - t1) * N.z)])
    system = System(
        "x y t1 t2", kinetic="m*(x'^2 + y'^2)/2 + J1*t1'^2/2 + J2*t2'^2/2"
        " + m0*((x' - a2*t2'*sin(t2))^2 + (y' + a2*t2'*cos(t2))^2)/2", potential="k*(t1 - t2)^2/2",
        constraints={"rear": "-x'*sin(t1) + y'*cos(t1) - a1*t1' = 0", "front": "-x'*sin(t2) + y'*cos(t2) + a2*t2' = 0"},
        velocities={"o1": "t1'", "o2": "t2'"},
        parameters={"m": 1.3, "m0": 0.4, "J1": 0.2, "J2": 0.05, "a1": 0.5, "a2": 0.3, "k": 3},
        initial={"t1": 0.2, "t2": 1.1, "t1'": 0.7, "t2'": -0.4},
    )  # fmt: skip
    compare(kane, system)


@pytest.mark.full
def test_a_ball_that_is_no_sphere_inside():
    """Rolling, by its angular velocity in axes of space."""
    x, y, q1, q2, q3, n1, n2, n3 = dynamicsymbols("x y q1 q2 q3 n1 n2 n3")
    I, r = sp.symbols("I r")
    N, contact = ReferenceFrame("N"), Point("contact")
    body = N.orientnew("body", "Body", [q1, q2, q3], "ZXZ")
    w = body.ang_vel_in(N)
    space, own = ([sp.simplify(w.dot(axis)) for axis in (F.x, F.y, F.z)] for F in (N, body))
    turning = n1 * N.x + n2 * N.y + n3 * N.z
    body.set_ang_vel(N, turning)
    contact.set_vel(N, 0)
    centre = contact.locatenew("centre", r * N.z)
    centre.set_vel(N, turning.cross(r * N.z))
    rates = [x.diff(T) - r * n2, y.diff(T) + r * n1, *(w - n for w, n in zip(space, (n1, n2, n3), strict=True))]
    kane = KanesMethod(N, [x, y, q1, q2, q3], [n1, n2, n3], rates)
    ball = RigidBody("ball", centre, body, m, (inertia(body, I, I, 2 * I), centre))
    kane.kanes_equations([ball], [(centre, -m * g * N.z + k * N.x)])
    system = System(
        [x, y, q1, q2, q3], kinetic=m * (x.diff(T) ** 2 + y.diff(T) ** 2) / 2 + I * (own[0] ** 2 + own[1] ** 2 + 2 * own[2] ** 2) / 2,
        potential=-k * x, constraints={"x": x.diff(T) - r * space[1], "y": y.diff(T) + r * space[0]},
        velocities=dict(zip(("n1", "n2", "n3"), space, strict=True)),
        parameters={m: 1.1, I: 0.2, r: 0.3, k: 0.7, g: 9.81}, initial={"q2": 0.9, "q1'": 1, "q2'": 0.4, "q3'": -2},
    )  # fmt: skip
    compare(kane, system)
