"""Systems in which forces depend on reactions, and a dense solution of their equations by Newton's method.

Each has its closed form in `test_closed_forms.py`, or is only compared with the dense solution.
"""

from __future__ import annotations

import numpy as np
import symengine as se

from dalembert import Mechanism, System
from dalembert.language.program import Program

BLOCK = System(
    "x y",
    kinetic="m*(x'^2 + y'^2)/2",
    potential="m*g*(x*sin(a) + y*cos(a))",
    forces={"x": "-mu*abs(lambda_floor)*sign(x')"},
    constraints={"floor": "y = 0"},
    parameters={"m": 2, "g": 9.81, "a": 0.35, "mu": 0.2},
    initial={"x": 0, "x'": 3},
)
# a ladder on a floor and against a wall, which slides down: friction at both ends
LADDER = System(
    "x y phi",
    kinetic="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
    potential="m*g*y",
    constraints={"floor": "y = l*sin(phi)", "wall": "x = l*cos(phi)"},
    loads={
        "foot": {"at": ["x + l*cos(phi)", 0], "force": ["-mu*abs(lambda_floor)*sign(x' - l*sin(phi)*phi')", 0]},
        "head": {"at": [0, "y + l*sin(phi)"], "force": [0, "-nu*abs(lambda_wall)*sign(y' + l*cos(phi)*phi')"]},
    },
    parameters={"m": 3, "J": 3 * 0.35**2 / 3, "g": 9.81, "l": 0.35, "mu": 0.3, "nu": 0.25},
    initial={"phi": 0.9, "phi'": -0.4},
)
# a drum, braked by a band around it: the tight side pulls e^{mu theta} times as much as the slack side, which is held
BRAKE = System(
    "phi s",
    kinetic="J*phi'^2/2 + m*s'^2/2",
    forces={"phi": "-r*(exp(mu*theta) - 1)*lambda_band", "s": "-F"},
    constraints={"band": "s = 0"},
    parameters={"J": 0.5, "m": 0.35, "r": 0.2, "mu": 0.3, "theta": 4, "F": 12},
    initial={"phi": 0, "phi'": 10},
)
# a load m on a wedge M, pushed along the floor by F; friction between wedge and load
WEDGE = System(
    "X x y",
    kinetic="M*X'^2/2 + m*(x'^2 + y'^2)/2",
    potential="m*g*y",
    constraints={"face": "(x - X)*sin(b) - y*cos(b) = 0", "guide": "x = 0"},
    loads={
        "on_load": {
            "at": ["x", "y"],
            "force": ["-T*cos(b)*mu*abs(lambda_face)", "-T*sin(b)*mu*abs(lambda_face)"],
        },
        "on_wedge": {"at": ["X", 0], "force": ["T*cos(b)*mu*abs(lambda_face) + F", 0]},
    },
    parameters={"M": 2, "m": 5, "g": 9.81, "b": 0.35, "mu": 0.15, "T": 1, "F": 0},
    initial={"X": 0, "X'": -0.5},
)
# a rod with one end in a guide on rough ground (Painlevé): the half length is 1
ROD = System(
    "x y phi",
    kinetic="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
    potential="m*g*y",
    constraints={"ground": "y - s*sin(phi) = 0"},
    loads={
        "friction": {
            "at": ["x + s*cos(phi)", "y - s*sin(phi)"],
            "force": ["-mu*abs(lambda_ground)*sign(x' - s*sin(phi)*phi')", 0],
        }
    },
    parameters={"m": 1, "J": "1/3", "g": 10, "s": 1, "mu": 1.2},
    initial={"x": 0, "phi": "31*pi/180", "x'": 30, "phi'": 0},
)
# the Chaplygin sleigh with friction along its blade
SLEIGH = System(
    "x y phi",
    kinetic="m*(x'^2 + y'^2)/2 + I*phi'^2/2",
    forces={
        "x": "-mu*abs(lambda_blade)*cos(phi)*sign(x'*cos(phi) + y'*sin(phi))",
        "y": "-mu*abs(lambda_blade)*sin(phi)*sign(x'*cos(phi) + y'*sin(phi))",
    },
    constraints={"blade": "x'*sin(phi) - y'*cos(phi) + a*phi' = 0"},
    parameters={"m": 1.5, "I": 0.35, "a": 0.2, "mu": 0.4},
    initial={"x": 0, "y": 0, "phi": 0.3, "x'": 2, "phi'": 1},
)
# a bearing with friction: a pendulum on a shaft of radius r, by all of its reaction
BEARING = System(
    "x y phi",
    kinetic="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
    potential="m*g*y",
    forces={"phi": "-mu*r*sqrt(lambda_px^2 + lambda_py^2)*sign(phi')"},
    constraints={"px": "x - l*sin(phi) = 0", "py": "y + l*cos(phi) = 0"},
    parameters={"m": 2, "J": 0.1, "g": 9.81, "l": 0.35, "mu": 0.3, "r": 0.05},
    initial={"phi": 0.4, "phi'": 2},
)
# a wheelset on two rails whose creep forces saturate with the loads of the rails; driven supports and a moving rail
WHEELSET = System(
    "y psi z rho",
    kinetic="m*(y'^2 + z'^2)/2 + I*(psi'^2 + rho'^2)/2",
    potential="m*g*z + k*y^2/2",
    constraints={
        "left": "z + b*rho - c*y^2 - e*sin(w*t) = 0",
        "right": "z - b*rho - c*y^2 + e*sin(w*t) = 0",
    },
    forces={
        "y": "-mu*lambda_left*tanh((y'/V - psi)/d) - mu*lambda_right*tanh((y'/V - psi)/d)",
        "psi": "-mu*b*(lambda_left*tanh((b*psi'/V + G*y)/d) + lambda_right*tanh((b*psi'/V + G*y)/d))",
    },
    parameters={"m": 100, "I": 60, "g": 9.81, "k": 2000, "c": 0.35, "b": 0.75, "e": 0.001, "w": 3}
    | {"mu": 0.3, "V": 10, "d": 0.01, "G": 0.1},
    initial={"y": 0.004, "y'": 0, "psi": 0, "psi'": 0},
)
# a block in a prismatic guide with a brake, a mechanism: joints by their names
GUIDED = Mechanism(
    bodies={"block": {"mass": "m", "inertia": 0.35, "at": [0, 0], "velocity": [1, 0]}},
    joints={"guide": {"kind": "prismatic", "bodies": ["ground", "block"], "at": [0, 0], "axis": [1, 0]}},
    actuators={"brake": {"joint": "guide", "force": "-mu*abs(guide.normal)*sign(rate)"}},
    parameters={"m": 2, "mu": 0.2},
)
MODELS = {
    "block": BLOCK,
    "ladder": LADDER,
    "brake": BRAKE,
    "wedge": WEDGE,
    "rod": ROD,
    "sleigh": SLEIGH,
    "bearing": BEARING,
    "wheelset": WHEELSET,
    "guided": GUIDED,
}


def dense(system: System, t: float, q, v) -> tuple[np.ndarray, np.ndarray]:
    """Solve M q̈ = f + ρ(λ) + Aᵀλ, A q̈ = c for all unknowns at once by Newton's method with differences."""
    b = system.blocks
    names = [constraint.name for constraint in system.constraints]
    values = dict(zip([b.t, *b.q, *b.v, *b.parameters], [t, *q, *v, *system.parameters.values()], strict=True))
    n, s = len(b.q), len(names)

    def number(expr, more=()):
        expr = expr.xreplace({k: se.RealDouble(float(x)) for k, x in {**values, **dict(more)}.items()})
        return float(Program([], [expr])([])[0])

    M, A = np.zeros((n, n)), np.zeros((s, n))
    for (i, j), entry in b.M.items():
        M[i, j] = number(entry)
    for (i, j), entry in b.A.items():
        A[i, j] = number(entry)
    f, c = np.array([number(e) for e in b.f]), np.array([number(e) for e in b.c])

    def residual(x):
        a, lam = x[:n], x[n:]
        more = {se.Symbol(f"lambda {name}"): value for name, value in zip(names, lam, strict=True)}
        rho = np.zeros(n)
        for i, expr in b.rho.items():
            rho[i] = number(expr, more)
        return np.concatenate([M @ a - f - rho - A.T @ lam, A @ a - c])

    K = np.block([[M, -A.T], [A, np.zeros((s, s))]])
    x = np.linalg.lstsq(K, np.concatenate([f, c]), rcond=None)[0]
    for _ in range(50):
        r = residual(x)
        size = np.abs(x).max() + 1
        h = 1e-7 * size
        J = np.array([(residual(x + h * e) - residual(x - h * e)) / (2 * h) for e in np.eye(n + s)]).T
        step = np.linalg.solve(J, -r)
        x = x + step
        if np.abs(step).max() < 1e-13 * size:
            break
    return x[:n], x[n:]


def states(system: System, count: int, seed: int = 0):
    """Return admissible states: the start, and states near it with other velocities that the constraints allow."""
    start, random, kernels = system.start(), np.random.default_rng(seed), system.compile()
    found = [(start.t, start.q, start.v)]
    while len(found) < count:
        q = kernels.project_positions(0.3, start.q + 0.1 * random.normal(size=len(start.q)), start.v)
        v = kernels.project_velocities(0.3, q, start.v + random.normal(size=len(start.v)) * 0.3)
        found.append((0.3, q, v))
    return found
