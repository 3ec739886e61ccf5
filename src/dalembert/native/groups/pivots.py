"""The pivots from which the rank of A is counted, see `native/constraint_rank.py`."""

from __future__ import annotations

from dalembert.model.system import System
from dalembert.native.builder import Builder
from dalembert.native.fronts import Place
from dalembert.native.groups.base import Group, register
from dalembert.native.loops import Loop
from dalembert.native.module import Module
from dalembert.native.rolled import RolledBuilder
from dalembert.native.routine import Routine


@register
class Pivots(Group):
    """The inverse pivots of the multipliers; ε is an input behind the others."""

    name = "pivots"

    def straight(self, builder: Builder) -> Module:
        """Put them on a tape."""
        module, routine = Module(), Routine("pivots")
        M, A, _ = builder.matrices(routine)
        epsilon = routine.tape.load("in", len(builder.inputs))
        factors = builder.solver.factorised(routine, M, A, epsilon)
        for k in range(3):
            routine.stores.pop(("condition", k))
        routine.store("out", [-factors.inverses[builder.n + i] for i in range(builder.s)])
        module.add(routine)
        module.kernel("pivots", ["pivots"], len(builder.inputs) + 1)
        return module

    def rolled(self, system: System) -> Module:
        """Put them in loops."""

        def give(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            for a in range(count if is_rows else 0):
                loop.store("out", a, -loop.load("inverse", a))

        builder = RolledBuilder(system, system.repeated)
        stage = builder.stage("blocks", "forces")
        calls = [*stage, *builder.solver.factor(None).calls, builder.solver.over_groups("give", give)]
        builder.kernel("pivots", calls, builder.n + builder.s, further=1)
        return builder.module
