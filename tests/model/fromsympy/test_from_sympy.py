"""SymPy's own examples through `System.from_sympy`: the accelerations are those that SymPy finds."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics import mechanics as me
from sympy.physics.mechanics import dynamicsymbols
from sympy.physics.mechanics.models import multi_mass_spring_damper, n_link_pendulum_on_cart

from dalembert import ModelError, System
from tests.model.fromsympy import problems

t = dynamicsymbols._t


def numbers(expressions, values):
    """Evaluate SymPy expressions; derivatives are replaced before what is differentiated."""
    symbols = sorted(values, key=lambda s: -getattr(s, "derivative_count", 0))
    plain = {symbol: sp.Symbol(f"s{k}") for k, symbol in enumerate(symbols)}
    matrix = sp.Matrix(expressions)
    for order in (2, 1, 0):
        matrix = matrix.xreplace({s: p for s, p in plain.items() if getattr(s, "derivative_count", 0) == order})
    function = sp.lambdify([plain[s] for s in symbols], matrix, "numpy", cse=True)
    return np.array(function(*[values[s] for s in symbols]), dtype=float)


def expected(problem, q, v, values):
    """Return q̈ as SymPy finds it, for positions and rates of its coordinates and of its other speeds."""
    if isinstance(problem, me.System):
        problem.form_eoms(me.LagrangesMethod if isinstance(problem.u[0], sp.Derivative) else me.KanesMethod)
        problem = problem.eom_method
    elif isinstance(problem, me.KanesMethod):
        problem.kanes_equations(problem.bodies, problem.loads)
    else:
        problem.form_lagranges_equations()
    state = {**values, **q, **v}
    n = len(problem.q)
    if isinstance(problem, me.LagrangesMethod):
        M, f = numbers(problem.mass_matrix_full, state), numbers(problem.forcing_full, state)
        return np.linalg.solve(M, f).ravel()[n : 2 * n]
    kinematic = (
        problem._k_kqdot_implicit * problem.q.diff(t) + problem._k_ku_implicit * problem.u + problem._f_k_implicit
    )
    K, rest = problem._k_ku_implicit, kinematic.xreplace(dict.fromkeys(problem.u, sp.Integer(0)))
    own = [u for u in problem.u if u in v]  # speeds without coordinates
    E = sp.Matrix([[sp.Integer(w == u) for w in problem.u] for u in own]).reshape(len(own), len(problem.u))
    given = {key: value for key, value in state.items() if key not in own}
    left, right = numbers(K.col_join(E), given), np.append(-numbers(rest, given), [v[u] for u in own])
    u = np.linalg.lstsq(left, right, rcond=None)[0]
    state |= dict(zip(problem.u, u, strict=True))
    M, f = numbers(problem.mass_matrix_full, state), numbers(problem.forcing_full, state)
    rates = np.linalg.solve(M, f).ravel()
    assert rates[:n] == pytest.approx([v[x.diff(t)] for x in problem.q], rel=1e-9, abs=1e-9)
    state |= dict(zip(problem.u.diff(t), rates[n:], strict=True))
    twice = kinematic.diff(t)
    zero = dict.fromkeys(problem.q.diff(t, 2), sp.Integer(0))
    a = np.linalg.solve(numbers(problem._k_kqdot_implicit, state), -numbers(twice.xreplace(zero), state)).ravel()
    return np.append(a, [state[u.diff(t)] for u in own])


def compare(problem, seed=1, tolerance=1e-10, inputs=None, guess=(0.2, 0.9)):
    """Compare at a random state that satisfies the constraints; return the system."""
    random = np.random.default_rng(seed)
    system = System.from_sympy(problem, parameters=inputs)
    parameters = {name: random.uniform(0.5, 1.5) for name, x in system.parameters.items() if x is None}
    system = system.replace(parameters=parameters)
    system = system.replace(guess={name: random.uniform(*guess) for name in (*system.coordinates, *system.velocities)})
    state = system.start()
    found = system.compile()(0.0, state.q, state.v).acceleration
    translator = system._translator
    q, v = {}, {}
    for name, x, rate in zip(system.coordinates, state.q, state.v, strict=True):
        if name.startswith("integral_"):
            v[dynamicsymbols(name.removeprefix("integral_"))] = rate
        else:
            symbol = translator.symbol(name)
            q[symbol], v[symbol.diff(t)] = x, rate
    values = {translator.symbol(name): value for name, value in system.parameters.items()}
    values |= {dynamicsymbols(symbol.name): value for symbol, value in values.items() if symbol.name in ("F", "f")}
    reference = expected(problem, q, v, values)
    order = [k for k, name in enumerate(system.coordinates) if not name.startswith("integral_")]
    order += [k for k in range(len(system.coordinates)) if k not in order]
    assert np.abs(found[order] - reference).max() <= tolerance * np.abs(reference).max()
    return system


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("build", "energies"),
    [
        (problems.rolling_disc, False),
        (problems.rolling_disc_with_constraints, False),
        (problems.rolling_disc_with_place, False),
        (problems.constrained_pendulum, True),
        (problems.sleigh_by_lagrange, True),
        (problems.spring_and_damper, True),
        (problems.spatial_pendulum, True),
    ],
)
def test_accelerations(build, energies, seed):
    system = compare(build(), seed)
    assert (system.kinetic is not None) == energies


@pytest.mark.parametrize("links", [1, 3, pytest.param(8, marks=pytest.mark.full)])
def test_chain_on_a_cart(links):
    """SymPy's `n_link_pendulum_on_cart`, with a force on the cart, which is given and no potential."""
    system = compare(n_link_pendulum_on_cart(links), inputs={dynamicsymbols("F"): 2.0})
    assert system.potential != 0
    assert list(system.forces) == ["q0"]


def test_masses_on_springs():
    assert compare(multi_mass_spring_damper(3, True, False)).potential != 0


@pytest.mark.parametrize("seed", [1, 2])
def test_four_bar(seed):
    system = compare(problems.four_bar(), seed, guess=(1.0, 1.9))
    assert [constraint.name for constraint in system.constraints] == ["holonomic_1", "holonomic_2"]
    assert system.kinetic is not None


def test_cart_pole():
    compare(problems.cart_pole(), inputs={dynamicsymbols("F"): 0.7})


@pytest.mark.full
def test_bicycle():
    """Of the velocity of the front contact one component is the rate of its height, which is given already."""
    system = compare(problems.bicycle())
    assert [constraint.name for constraint in system.constraints] == ["holonomic_1", "velocity_1", "velocity_2"]
    assert system.coordinates == ("q1", "q2", "q5", "q4", "integral_u3", "integral_u6")


def test_parameters_initial_values_and_names():
    system = System.from_sympy(
        problems.rolling_disc(),
        parameters={"r": 0.5, sp.Symbol("m"): 2, sp.Symbol("g"): 9.81},
        initial={"q1": 0, "q2": 0.3, "q3": 0, "q1'": 0.5, "q2'": 0, "q3'": 8},
        name="Disc",
    )
    assert system.name == "Disc"
    assert dict(system.parameters) == {"r": 0.5, "m": 2.0, "g": 9.81}
    run = system.simulate(1.0)
    q2, spin = run["q2"], run["q1'"] * np.sin(run["q2"]) + run["q3'"]
    around, lean = run["q1'"] * np.cos(q2), run["q2'"]
    r, m = 0.5, 2.0
    inertia = m * r**2 / 4 + m * r**2, m * r**2 / 2 + m * r**2, m * r**2 / 4
    energy = (inertia[0] * lean**2 + inertia[1] * spin**2 + inertia[2] * around**2) / 2 + m * 9.81 * r * np.cos(q2)
    assert energy == pytest.approx(np.full(len(q2), energy[0]), rel=1e-8)


def test_initial_speeds_become_rates():
    problem = problems.rolling_disc()
    q1, q2, q3 = problem.q
    u1, u2, u3 = problem.u
    initial = {q1: 0, q2: 0.3, q3: 0, u1: 0.1, u2: 4, u3: 0.5}
    system = System.from_sympy(problem, parameters={"r": 1, "m": 1, "g": 1}, initial=initial)
    rate = 0.5 / np.cos(0.3)
    state = system.start()
    assert [state["q1'"], state["q2'"], state["q3'"]] == pytest.approx([rate, 0.1, 4 - rate * np.sin(0.3)])
    with pytest.raises(ModelError, match="the values of the speeds u2 do not determine the rates of coordinates"):
        System.from_sympy(problem, initial={q2: 0.3, u2: 1})


def test_energy_balance_of_what_comes_from_kane():
    """The chain on a cart is a system with energies: a force that depends on time does work."""
    F = dynamicsymbols("F")
    system = System.from_sympy(
        n_link_pendulum_on_cart(2),
        parameters={F: sp.sin(3 * t), **dict.fromkeys(("g", "l0", "l1", "m0", "m1", "m2"), 1)},
        initial={"q1": 0.4},
    )
    assert "F" not in system.parameters
    run = system.simulate(2.0)
    assert run.certificate.ok
    assert np.ptp(run.energy) > 1e-3


def test_constraint_names():
    system = System.from_sympy(problems.four_bar(), constraint_names=["loop_x", "loop_y"])
    assert [constraint.name for constraint in system.constraints] == ["loop_x", "loop_y"]
    with pytest.raises(ModelError, match=r"the problem has 2 constraints .* needs as many names, got 1"):
        System.from_sympy(problems.four_bar(), constraint_names=["loop"])


def test_symbols_are_those_of_the_user():
    system = System.from_sympy(problems.constrained_pendulum())
    x = dynamicsymbols("x")
    assert system.sympy(system.constraints[0].expression).has(x)
    assert system.sympy(system.kinetic).has(x.diff(t))


def test_auxiliary_speeds_and_unknown_contact_forces():
    """A speed that only brings a force into evidence is zero, and the force has no place in the motion."""
    q, u, aux = dynamicsymbols("q u u_a")
    f, m, g = dynamicsymbols("f"), *sp.symbols("m g")
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, u * N.x + aux * N.y)
    body = me.Particle("P", P, m)
    method = me.KanesMethod(
        N, q_ind=[q], u_ind=[u], kd_eqs=[q.diff() - u], u_auxiliary=[aux], bodies=[body],
        forcelist=[(P, -m * g * N.y + f * N.y - q * N.x)],
    )  # fmt: skip
    system = System.from_sympy(method, parameters={m: 2.0})
    assert system.compile()(0.0, [3.0], [0.0]).acceleration == pytest.approx([-1.5])


def refused(problem, **settings) -> str:
    with pytest.raises(ModelError) as error:
        System.from_sympy(problem, **settings)
    return str(error.value)


def test_refusals():
    assert "expected a System, KanesMethod or LagrangesMethod of sympy.physics.mechanics, got int" in refused(3)
    one, two = me.RigidBody("A"), me.RigidBody("B")
    assert "joints alone are no problem" in refused([me.PinJoint("J", one, two)])
    assert "the system has no coordinates" in refused(me.System())
    assert "no parameter `mm` in the problem" in refused(problems.constrained_pendulum(), parameters={"mm": 1})
    chain = n_link_pendulum_on_cart(1)
    assert "`F` is a function of time, but neither a coordinate nor a speed; give it in `parameters`" in refused(chain)
    q, u = dynamicsymbols("q u")
    N = me.ReferenceFrame("N")
    empty = me.KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=[q.diff() - u])
    assert "the KanesMethod has no bodies" in refused(empty)
    body = me.Particle("P", me.Point("P"), sp.Symbol("m"))
    lost = me.KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=[q.diff() - u], bodies=[body])
    assert "the velocity of point P in N is not known" in refused(lost)
    body.potential_energy = q
    assert "the potential energy of P has no place in Kane's method" in refused(lost)
    loaded = me.LagrangesMethod(q.diff() ** 2, [q], forcelist=[(me.Point("P"), N.x)])
    assert "loads need the inertial frame" in refused(loaded)
