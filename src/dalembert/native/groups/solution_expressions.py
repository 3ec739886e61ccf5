"""Expressions of what is known once a state is solved: t, q, v, parameters, q̈ and λ are all given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import symengine as se

from dalembert.language.building import TIME, Expr
from dalembert.language.program import Program
from dalembert.model.quantity import multiplier
from dalembert.model.system import System
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group
from dalembert.native.machine import Compiled
from dalembert.native.module import Module
from dalembert.native.routine import Routine


class Observations(Group):
    """A kernel `observed` for expressions in which nothing is left to be solved: it costs their own operations."""

    hurry = True

    def __init__(self, outputs: Sequence[Expr]):
        self.outputs = list(outputs)
        self.name = "observed " + " ; ".join(map(str, outputs))

    def module(self, system: System, builder: Callable[[], Builder]) -> Module:
        """Put it on a tape; the equations are not needed."""
        inputs = observed_inputs(system)
        module, routine = Module(), Routine("observed")
        routine.store(
            "out", Program(inputs, self.outputs, system.defined)(routine.loads("in", len(inputs)), routine.tape)
        )
        module.add(routine)
        module.kernel("observed", ["observed"], len(inputs))
        return module

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        return self.module(builder.system, lambda: builder)

    def holds(self, kernels: object, compiled: Compiled, values: object) -> bool:
        """Say that nothing was chosen that depends on values."""
        return True


def observed_inputs(system: System) -> list[Expr]:
    """Return what such a kernel is given, in this order: t, q, v, parameters, q̈, λ."""
    names = [TIME, *system.coordinates, *system.velocities, *system.parameters]
    names += [name + "'" for name in system.velocities]
    return [*map(se.Symbol, names), *map(multiplier, system.reacting)]
