"""The kernels of structure-preserving methods: Hamilton's equations without reactions, and impulses of constraints."""

from __future__ import annotations

from dalembert.algebra import quasidefinite, twosided
from dalembert.algebra.tape import Node
from dalembert.native.builder import Builder, distances
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.routine import Routine, Shelf
from dalembert.native.solver import SOLUTION, VANISHED, Scalar


@register
class Symplectic(Group):
    """The kernels that RATTLE needs, from t, q, p, of holonomic systems.

    force: ∂H/∂p and −∂H/∂q + Q, without reactions. velocity: ∂H/∂p.
    velocity_impulse: the velocity on ψ = 0, the impulse Aᵀλ on the momenta that leads there, the condition of the
    matrix [[M, Aᵀ], [A, 0]], which stays in the workspace, and what is left of ψ and of g, as distances.
    position_impulse: with that matrix, of other positions q0, the x and A(q0)ᵀλ of M x = d + Aᵀλ, A x = −g(q);
    d stands behind the other inputs. One solution is enough: the iteration around it removes the proximal term too.
    near_impulse: the same with A(q1) x = −g(q), of the positions q1 for which `near` was called last.
    """

    name = "symplectic"
    formulas = True

    def straight(self, builder: Builder) -> Module:
        """Put them on tapes."""
        module, b, n, inputs = Module(), builder.blocks, builder.n, len(builder.inputs)
        linear, slopes = builder.momenta.lagrangian
        force, velocity, rates = Routine("force"), Routine("velocity"), Routine("rates")
        velocities = builder.momenta.velocities(force)
        force.store("out", [*velocities.values(), *builder.evaluate(force, slopes, velocities)])
        velocity.store("out", builder.momenta.velocities(velocity).values())
        builder.placed(rates)
        velocities = builder.momenta.velocities(rates)
        psi = builder.evaluate(rates, [b.psi[i] for i in range(builder.s)], velocities)
        rates.store("right", [*[0.0] * n, *(-value for value in psi)])
        rates.store("velocity", velocities.values())
        module.add(force, velocity, rates, *builder.solver.routines)
        module.add(_gaps(builder), _turned(builder), _moved(builder), *_near(builder))
        module.kernel("force", ["force"], inputs)
        module.kernel("velocity", ["velocity"], inputs)
        module.kernel("velocity_impulse", ["rates", *SOLUTION, "turned"], inputs)
        module.kernel("position_impulse", ["gaps", "begin", "solve", "moved"], inputs + n)
        module.kernel("near", ["near"], inputs)
        module.kernel("near_impulse", ["gaps", "begin", "near_solve", "moved"], inputs + n)
        plain = not any(entry.free_symbols & {b.t, *b.q, *b.v} for entry in (*b.M.values(), *linear))
        module.facts["separable"] = plain and not any(slope.free_symbols & {*b.v} for slope in slopes)
        return module


def _gaps(builder: Builder) -> Routine:
    """Make the routine of the right side d, −g."""
    routine, b, n = Routine("gaps"), builder.blocks, builder.n
    d = [routine.tape.load("in", len(builder.inputs) + j) for j in range(n)]
    g = builder.evaluate(routine, [b.g[i] for i in range(builder.s)])
    routine.store("right", [*d, *(-value for value in g)])
    return routine


def _moved(builder: Builder) -> Routine:
    """Make the routine that gives out x and Aᵀλ."""
    routine = Routine("moved")
    _, impulse, x = builder.solver.reaction(routine)
    routine.store("out", [*x, *impulse])
    return routine


def _turned(builder: Builder) -> Routine:
    """Make the routine that gives out the velocity, Aᵀλ, the condition of the matrix, what is left of ψ, and of g."""
    routine, n = Routine("turned"), builder.n
    rows, impulse, x = builder.solver.reaction(routine)
    v = [old + new for old, new in zip(routine.loads("velocity", n), x, strict=True)]
    left: list[Scalar] = []
    for i, row in rows.items():
        left.append(sum((value * x[j] for j, value in row.items()), -routine.tape.load("right", n + i)))
    g = builder.evaluate(routine, [builder.blocks.g[i] for i in range(builder.s)])
    A = {(i, j): value for i, row in rows.items() for j, value in row.items()}
    distant = [*distances(routine.tape, A, left), *distances(routine.tape, A, g)]
    routine.store("out", [*v, *impulse, *routine.loads("condition", 3), *distant])
    return routine


def _near(builder: Builder) -> tuple[Routine, Routine]:
    """Make the routines that factorise with the rows of A from here below, and solve."""
    routine, solver = Routine("near"), Routine("near_solve")
    n, s, order, call = builder.n, builder.s, builder.order, routine.tape.call

    def invert(k: int, pivot: Scalar, size: Scalar) -> Scalar:
        if k < n:
            return 1.0 / pivot
        if not isinstance(size, Node) and size == 0:
            return 0.0
        part = quasidefinite.EPSILON * size
        safe = call("if_lt", pivot, 0.0, pivot - part, pivot + part)
        return call("if_lt", VANISHED * size, call("abs", safe), 1.0 / safe, 0.0)

    M, K = builder.loaded(routine)
    J = dict(zip(builder.blocks.A, builder.evaluate(routine, list(builder.blocks.A.values())), strict=True))
    full = {**M, **{(j, i): value for (i, j), value in M.items()}}
    found = twosided.factorise(full, J, K, n, s, order, routine.tape, invert)
    entries = {(i, k): value for k in order for i, value in found.columns[k].items()}
    entries |= {(k, j): value for k in order for j, value in found.rows[k].items()}
    entries |= {(k, k): found.inverses[k] for k in order}
    shelf = Shelf("near", routine.tape, entries)
    shelf.store(routine, entries)
    factors = twosided.TwoSidedFactors(order, {k: {} for k in order}, {k: {} for k in order})
    place = {k: position for position, k in enumerate(order)}
    for (i, j), value in shelf.read(solver).items():
        if i == j:
            factors.inverses[i] = value
        elif place[i] > place[j]:
            factors.columns[j][i] = value
        else:
            factors.rows[i][j] = value
    step = twosided.solve(factors, list(solver.loads("r", n + s)))
    solver.store("x", step)
    return routine, solver
