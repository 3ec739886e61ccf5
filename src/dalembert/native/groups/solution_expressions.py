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
    """A kernel `observed` for expressions in which nothing is left to be solved: it costs their own operations.

    inputs: the symbols that they use, in the order in which values are given.
    """

    hurry = True

    def __init__(self, inputs: Sequence[Expr], outputs: Sequence[Expr]):
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.name = f"observed {', '.join(map(str, inputs))} : {' ; '.join(map(str, outputs))}"

    def module(self, system: System, builder: Callable[[], Builder]) -> Module:
        """Put it on a tape; the equations are not needed."""
        module, routine, count = Module(), Routine("observed"), len(self.inputs)
        program = Program(self.inputs, self.outputs, system.defined)
        routine.store("out", program(routine.loads("in", count), routine.tape))
        module.add(routine)
        module.kernel("observed", ["observed"], count)
        return module

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        return self.module(builder.system, lambda: builder)

    def holds(self, kernels: object, compiled: Compiled, values: object) -> bool:
        """Say that nothing was chosen that depends on values."""
        return True


def observable(system: System) -> list[list[Expr]]:
    """Return what expressions can be made of: t, q, v, parameters, q̈, λ."""
    rates = [name + "'" for name in system.velocities]
    names = [TIME], system.coordinates, system.velocities, system.parameters, rates
    return [*([*map(se.Symbol, some)] for some in names), [*map(multiplier, system.reacting)]]
