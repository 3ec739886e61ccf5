"""Plain elimination in one piece: no proximal term, for positions far from those where rank is lost."""

from __future__ import annotations

from dalembert.model.system import System
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.rolled import RolledBuilder
from dalembert.native.rolled_recursion import TreeSolver
from dalembert.native.rolled_tree import rolled_tree
from dalembert.native.rolled_turned import rolled_turned
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
        if module := rolled_turned(system):
            return module
        builder = RolledBuilder(system, system.repeated)
        solver = builder.solver
        calls = [*builder.stage("blocks", "forces"), *solver.solved(), *solver.finish("y")]
        builder.kernel("direct", calls, builder.n + builder.s + 3)
        return builder.module

    def rolled_tree(self, system: System) -> Module | None:
        """Put it in loops over the bodies of a long tree."""
        builder = rolled_tree(system, energies=False)
        if builder is None:
            return None
        calls = [builder.outward(), *builder.added("blocks"), *TreeSolver(builder).solved()]
        builder.kernel("direct", calls, builder.n + 3)
        return builder.module


def direct(builder: Builder) -> Routine:
    """Make the routine of plain elimination in one piece: no proximal term, for rows that are independent."""
    quick, routine = builder.quick, Routine("direct")
    routine.store("out", quick.solved(routine))
    rank, *condition = [routine.stores.pop(("condition", k)) for k in range(3)]
    routine.store("out", [rank + float(builder.s - quick.s), *condition], builder.n + builder.s)
    return routine
