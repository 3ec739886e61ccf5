"""Plain elimination in one piece: no proximal term, for positions far from those where rank is lost."""

from __future__ import annotations

from dalembert.algebra import quasidefinite
from dalembert.model.system import System
from dalembert.native.build import Builder
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.rolled import RolledBuilder
from dalembert.native.routine import Routine


@register
class Direct(Group):
    """Accelerations, multipliers and the condition of the matrix, by plain elimination."""

    name = "direct"

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        module, routine = Module(), direct(builder)
        module.add(routine)
        module.kernel("direct", ["direct"], len(builder.inputs))
        module.facts["operations"] = routine.operations
        return module

    def rolled(self, system: System) -> Module:
        """Put it in loops."""
        builder = RolledBuilder(system, system.repeated)
        solver = builder.solver
        factored = solver.factor(0.0)
        solve = [builder.fill("begin", "y", builder.n + builder.s, source="right"), *factored.solve]
        calls = [*builder.stage("blocks", "forces"), *factored.calls, *solve, *solver.finish("y")]
        builder.kernel("direct", calls, builder.n + builder.s + 3)
        return builder.module


def direct(builder: Builder) -> Routine:
    """Make the routine of plain elimination in one piece: no proximal term, for rows that are independent."""
    routine, b = Routine("direct"), builder.blocks
    M, A, rho = builder.matrices(routine)
    f, c = list(builder.evaluate(routine, b.f)), list(builder.evaluate(routine, b.c))
    factors = builder.solver.factorised(routine, M, A, 0.0)
    x = quasidefinite.solve(factors, [*builder.augmented(f, c, A, rho), *c])
    routine.store("out", [*x[: builder.n], *(-value for value in x[builder.n :])])
    condition = [routine.stores.pop(("condition", k)) for k in range(3)]
    routine.store("out", condition, builder.n + builder.s)
    return routine
