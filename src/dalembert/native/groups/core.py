"""The kernels that every motion needs: accelerations with reactions, both projections, residuals, energies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.algebra import quasidefinite
from dalembert.blocks.assembled import is_large
from dalembert.blocks.programs import programs
from dalembert.blocks.symbolic import Blocks
from dalembert.forms.augment import augmentation, light_coordinates, random_places
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.language.program import Program
from dalembert.language.state_names import is_integral
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.system import System
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.rolled import RolledBuilder
from dalembert.native.rolled_recursion import TreeSolver
from dalembert.native.rolled_tree import rolled_tree
from dalembert.native.routine import Routine
from dalembert.native.solver import SOLUTION, Scalar
from dalembert.survey.start import ordinary_start

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels
    from dalembert.native.machine import Compiled


@register
class Core(Group):
    """The kernels that every motion needs."""

    name = "core"
    hurry = True

    def straight(self, builder: Builder) -> Module:
        """Put them on tapes."""
        module, solver, inputs = Module(), builder.solver, len(builder.inputs)
        module.add(builder.stage("blocks", "forces"))
        module.add(builder.stage("gaps", "positions"), builder.stage("rates", "rates"))
        module.add(*solver.routines, solver.finish(), solver.step())
        module.add(_reactions(builder), residuals(builder), _energies(builder))
        module.kernel("accelerations", ["blocks", *solver.motion, "finish"], inputs)
        module.kernel("position_step", ["gaps", *SOLUTION, "step"], inputs)
        module.kernel("velocity_step", ["rates", *SOLUTION, "step"], inputs)
        module.kernel("everything", ["blocks", *solver.motion, "finish", "reactions"], inputs)
        module.kernel("residuals", ["residuals"], inputs)
        solved = ["blocks", *solver.motion] if builder.law else []
        module.kernel("energies", [*solved, "energies"], inputs)
        module.facts["pattern"] = list(builder.blocks.A)
        return module

    def rolled(self, system: System) -> Module:
        """Put them in loops."""
        builder = RolledBuilder(system, system.repeated)
        solver, size = builder.solver, builder.n + builder.s + 3
        solution = solver.solution(solver.factor(quasidefinite.EPSILON))
        blocks, finish, step = builder.stage("blocks", "forces"), solver.finish(), solver.step()
        gaps, rates = builder.stage("gaps", "positions"), builder.stage("rates", "rates")
        builder.kernel("accelerations", [*blocks, *solution, *finish], size)
        builder.kernel("position_step", [builder.offsets, *gaps, *solution, *step], size)
        builder.kernel("velocity_step", [*rates, *solution, *step], size)
        everything = [*blocks, *solution, *finish, *solver.reactions()]
        builder.kernel("everything", everything, size + len(solver.pattern) + builder.s)
        builder.kernel("residuals", [builder.offsets, builder.residuals()], 2 * builder.s)
        builder.kernel("energies", builder.energies(energy_outputs), 5)
        builder.module.facts["pattern"] = list(solver.pattern)
        return builder.module

    def rolled_tree(self, system: System) -> Module | None:
        """Put them in loops over the bodies of a long tree, which has no conditions."""
        builder = rolled_tree(system, energies=True)
        if builder is None:
            return None
        n, outward = builder.n, builder.outward()
        calls = [outward, *builder.added("blocks"), *TreeSolver(builder).refined()]
        builder.kernel("accelerations", calls, n + 3)
        builder.kernel("everything", calls, n + 3)
        nothing = builder.routine("nothing", out=[*(0.0 for _ in range(n + 1)), 1.0, 1.0])
        builder.kernel("position_step", [nothing.name], n + 3)
        builder.kernel("velocity_step", [nothing.name], n + 3)
        builder.kernel("residuals", [], 0)
        builder.kernel("energies", [outward, *builder.energies(energy_outputs)], 5)
        builder.rolled.sizes["energy"] = 5
        builder.module.facts["pattern"] = []
        return builder.module

    def holds(self, kernels: Kernels, compiled: Compiled, values: Mapping[str, float]) -> bool:
        """Tell whether M is still positive, and is still made up for by the same constraints."""
        system = kernels.system
        starter = None if is_large(system) else programs(system).starter
        if starter is not None and starter.core is compiled and ordinary_start(system):
            return True
        if not _has_mass(system, compiled, values):
            return False
        if _same_inertia(system, compiled, values) or compiled.facts["light"] == light_coordinates(system):
            return True  # and the sum is definite still
        return compiled.facts["added"] == sorted(augmentation(system))


def _has_mass(system: System, compiled: Compiled, values: Mapping[str, float]) -> bool:
    places = random_places(system)
    given = np.broadcast_to(list(values.values()), (len(places), len(values)))
    out = compiled.run("accelerations", np.hstack([places, given]))
    return bool(np.all(out[np.all(np.isfinite(out), axis=1), -1] > 0) and np.any(np.isfinite(out)))


def _same_inertia(system: System, compiled: Compiled, values: Mapping[str, float]) -> bool:
    """Tell whether inertias are those the group was built with, or nothing could be added to them."""
    built = compiled.facts["values"]
    inertial = any(built.get(name) != values[name] for name in _inertial(system))
    return not inertial or bool(compiled.facts.get("rolled"))


@fact(STRUCTURE)
def _inertial(system: System) -> list[str]:
    """Return the parameters of which inertias are made."""
    entries = [system.kinetic] if system.mass is None else [entry for row in system.mass for entry in row]
    used = set().union(*(entry.free_symbols for entry in entries if entry is not None))
    return [name for name in system.parameters if se.Symbol(name) in used]


def _reactions(builder: Builder) -> Routine:
    """Make the routine that gives out, behind `finish`, Aᵢⱼ λᵢ entry by entry of A, and the powers λᵢ Aᵢ v."""
    routine = Routine("reactions")
    A = builder.rows(routine)
    v = [routine.tape.load("in", 1 + builder.n + j) for j in range(builder.n)]
    parts = {(i, j): -(value * routine.tape.load("x", builder.n + i)) for (i, j), value in A.items()}
    powers: list[Scalar] = [0.0] * builder.s
    for (i, j), part in parts.items():
        powers[i] = powers[i] + part * v[j]
    routine.store("out", [*parts.values(), *powers], builder.n + builder.s + 3)
    return routine


def residuals(builder: Builder) -> Routine:
    """Make the routine that gives out g and ψ; zero where a constraint has none."""
    routine, b = Routine("residuals"), builder.blocks
    outputs = [ZERO if r is None else r for r in (*b.g, *b.psi)]
    routine.store("out", builder.evaluate(routine, outputs))
    return routine


def _energies(builder: Builder) -> Routine:
    """Make the routine that gives out T, V, T₂ − T₀ + V and the powers of forces and of explicit time."""
    routine, law = Routine("energies"), builder.law
    outputs = energy_outputs(builder.system, builder.written)
    if law is None:
        routine.store("out", builder.evaluate(routine, outputs))
        return routine
    lam = [-routine.tape.load("x", builder.n + i) for i in law.rows]
    program = Program([*builder.inputs, *law.symbols], outputs, builder.system.defined)
    routine.store("out", program([*routine.loads("in", len(builder.inputs)), *lam], routine.tape))
    return routine


def energy_outputs(system: Any, b: Blocks) -> list[Expr]:
    """Return T, V, T₂ − T₀ + V and the powers of forces and of explicit time."""
    calculus = Calculus([b.t])
    rates = []
    for sign, energy in ((-1, system.kinetic), (1, system.potential)):
        terms = calculus.terms(calculus.lift(energy)) if energy is not None else []
        rates += [sign * calculus.lower(calculus.diff(term, b.t)) for term in terms]
    velocity = {q.name: v for q, v in zip(b.q, b.v, strict=True)}
    power = se.Add(*[force * velocity[name] for name, force in system.forces.items() if not is_integral(name)])
    return [system.kinetic or ZERO, system.potential or ZERO, b.energy or ZERO, power, se.Add(*rates)]
