"""Blocks against finite differences of what they were derived from, in 60 digits, along a random smooth path.

The path is q(τ) = q₀ + v₀ τ + a₀ τ²/2, t = t₀ + τ. Along it d/dt ∂T/∂v − ∂T/∂q + ∂V/∂q − Q must be M a − f, the second
derivative of g must be A a − c, and so on.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import symengine as se

from dalembert import System
from dalembert.blocks.numeric import pilot_parameters
from dalembert.language.program import Program

H = mpmath.mpf(10) ** -12  # step of differences; their error is of the order H²
MP = {
    name: getattr(mpmath, name)
    for name in ["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt"]
}
MP |= {
    "abs": abs,
    "sign": mpmath.sign,
    "max": max,
    "min": min,
    "pow": lambda a, b: a**b,
    "step": lambda u: (1 + mpmath.sign(u)) / 2,
    "if_lt": lambda a, b, u, v: u if a < b else v,
    "if_le": lambda a, b, u, v: u if a <= b else v,
}

EXTRA = {
    "rotating frame": System(
        coordinates="x y",
        kinetic="m*((x' - w*y*cos(t))^2 + (y' + w*x)^2)/2 + t*x*y' + x^2*t",
        potential="k*x^2*t/2",
        forces={"x": "-c*x'*abs(x')", "y": "sin(t)*y'"},
        constraints={"moving": "x*y = t^2 + 1", "speed": "x'^2 + t*y'^2 + x*y' = 3 + t"},
        parameters={"m": 1.3, "w": 0.7, "k": 2.0, "c": 0.1},
    ),
    "switches": System(
        coordinates="x y",
        kinetic="m*x'^2/2 + (1 + max(x, y, 0))*y'^2/2 + abs(x)*x'*y'/10",
        potential="if(x > 0.2 and y < 3, x^3, y^2) + min(x, y)^2 + step(x - y)*x",
        forces={"x": "sign(x')*abs(x')^1.5", "y": "max(x', y')"},
        constraints={"bent": "abs(x - 2)*y = if(x <= y, x, y^2)", "servo": "x''*y + sin(x)*y'' = x'*t"},
        parameters={"m": 2.0},
    ),
    "matrices": System(
        coordinates="x y",
        mass=[["2 + cos(y)", "sin(x)"], ["sin(x)", "3"]],
        force=["x*y'^2", "t"],
        forces={"y": "-y'"},
        constraints={"c": "x' = y*y' + t"},
    ),
    "exponentials": System(
        coordinates="x",
        kinetic="exp(x)*x'^2/2 + atan2(x, 2)*x'^2/10",
        potential="log(1 + x^2) + tanh(x) + asin(x/10) + cosh(x)*sinh(x) + acos(x/9) + atan(x)^(1/3) + sqrt(2 + x) + tan(x/7) + 2^x",
    ),
}


class Path:
    def __init__(self, system: System, random: np.random.Generator):
        n = len(system.coordinates)
        self.system, self.blocks = system, system.blocks
        self.q0, self.v0, self.a0 = ([mpmath.mpf(x) for x in random.uniform(0.3, 1.7, n)] for _ in range(3))
        self.t0 = mpmath.mpf(0.4)
        self.parameters = [mpmath.mpf(value) for value in pilot_parameters(system).values()]
        self.accelerations = [se.Symbol(name + "''") for name in system.coordinates]

    def program(self, expressions) -> Program:
        b = self.blocks
        return Program([b.t, *b.q, *b.v, *self.accelerations, *b.parameters], list(expressions))

    def at(self, tau, dq=None, dv=None):
        q = [q + v * tau + a * tau**2 / 2 for q, v, a in zip(self.q0, self.v0, self.a0, strict=True)]
        v = [v + a * tau for v, a in zip(self.v0, self.a0, strict=True)]
        q = [x + d for x, d in zip(q, dq, strict=True)] if dq else q
        v = [x + d for x, d in zip(v, dv, strict=True)] if dv else v
        return [self.t0 + tau, *q, *v, *self.a0, *self.parameters]

    def values(self, program: Program, tau=0, dq=None, dv=None):
        return program(self.at(mpmath.mpf(tau), dq, dv), MP)

    def dot(self, program: Program):
        """Differentiate along the path."""
        return [(b - a) / (2 * H) for a, b in zip(self.values(program, -H), self.values(program, H), strict=True)]


def unit(n: int, i: int, size):
    return [size if j == i else mpmath.mpf(0) for j in range(n)]


def close(a, b) -> bool:
    return abs(a - b) <= 1e-15 * (1 + abs(a) + abs(b))


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(60):
        yield


@pytest.fixture(params=EXTRA)
def extra(request) -> System:
    return EXTRA[request.param]


def check_dynamics(path: Path) -> None:
    system, b, n = path.system, path.blocks, len(path.q0)
    M = path.values(path.program(b.M.values()))
    f = path.values(path.program(b.f))
    left = [-x for x in f]
    for (i, j), entry in zip(b.M, M, strict=True):
        left[i] += entry * path.a0[j]
    Q = path.values(path.program([system.forces.get(name, se.Integer(0)) for name in system.coordinates]))
    T = path.program([system.kinetic])
    V = path.program([system.potential or se.Integer(0)])

    def momentum(i, tau):
        up, down = (path.values(T, tau, dv=unit(n, i, sign * H))[0] for sign in (1, -1))
        return (up - down) / (2 * H)

    for i in range(n):
        rate = (momentum(i, H) - momentum(i, -H)) / (2 * H)
        up, down = (
            path.values(T, dq=unit(n, i, sign * H))[0] - path.values(V, dq=unit(n, i, sign * H))[0] for sign in (1, -1)
        )
        assert close(left[i], rate - (up - down) / (2 * H) - Q[i]), system.coordinates[i]


def check_constraints(path: Path) -> None:
    system, b = path.system, path.blocks
    rows = [mpmath.mpf(0)] * len(b.c)
    for (i, j), entry in zip(b.A, path.values(path.program(b.A.values())), strict=True):
        rows[i] += entry * path.a0[j]
    c = path.values(path.program(b.c))
    for i, constraint in enumerate(system.constraints):
        left = rows[i] - c[i]
        if constraint.level == "acceleration":
            assert close(left, path.values(path.program([constraint.expression]))[0])
            assert b.g[i] is None
            assert b.psi[i] is None
            continue
        assert close(left, path.dot(path.program([b.psi[i]]))[0]), constraint.name
        if constraint.level == "position":
            assert b.g[i] == constraint.expression
            psi = path.values(path.program([b.psi[i]]))[0]
            assert close(psi, path.dot(path.program([b.g[i]]))[0]), constraint.name
        else:
            assert b.psi[i] == constraint.expression


def test_dynamics_of_the_gallery(model, random):
    if model.kinetic is not None:
        check_dynamics(Path(model, random))


def test_constraints_of_the_gallery(model, random):
    if model.calls:
        pytest.skip("tables have no values of high precision")
    check_constraints(Path(model, random))


def test_dynamics_of_awkward_systems(extra, random):
    if extra.kinetic is not None:
        check_dynamics(Path(extra, random))


def test_constraints_of_awkward_systems(extra, random):
    check_constraints(Path(extra, random))


def test_power_balance(model, random):
    """Along any path, d/dt (T₂ − T₀ + V) is the power of Q and of whatever forces r = M a − f keep the path."""
    if model.kinetic is None:
        pytest.skip("a model by matrices has no energies")
    path = Path(model, random)
    b = path.blocks
    assert b.t not in b.energy.free_symbols  # otherwise −∂L/∂t belongs to the balance
    power = mpmath.mpf(0)
    Q = path.values(path.program([model.forces.get(name, se.Integer(0)) for name in model.coordinates]))
    for f, q, v in zip(path.values(path.program(b.f)), Q, path.v0, strict=True):
        power += (q - f) * v
    for (i, j), entry in zip(b.M, path.values(path.program(b.M.values())), strict=True):
        power += entry * path.a0[j] * path.v0[i]
    assert close(path.dot(path.program([b.energy]))[0], power)
