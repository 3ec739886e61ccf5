"""Expressions of t, q, v, q̈, parameters, and of symbols that stand for multipliers: events, switches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.program import Program, definitions_in
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group
from dalembert.native.module import Module
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar


class Expressions(Group):
    """A kernel `expressions`; `multipliers` says which names stand for the multipliers of which constraints."""

    def __init__(self, outputs: Sequence[Expr], multipliers: Mapping[str, int]):
        self.outputs, self.multipliers = list(outputs), {se.Symbol(key): i for key, i in multipliers.items()}
        self.name = "expressions " + " ; ".join(map(str, outputs))

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        module, routine = Module(), Routine("expressions")
        accelerations = [se.Symbol(f"{q.name}''") for q in builder.blocks.q]
        solved = {*self.multipliers, *accelerations}
        defined = builder.system.defined
        parts = [*self.outputs, *definitions_in(self.outputs, defined).values()]
        asked = set().union(*(part.free_symbols for part in parts)) & solved
        loads: list[Scalar] = list(routine.loads("in", len(builder.inputs)))
        loads += [-routine.tape.load("x", builder.n + i) for i in self.multipliers.values()]
        loads += [routine.tape.load("x", j) for j in range(builder.n)]
        program = Program([*builder.inputs, *self.multipliers, *accelerations], self.outputs, defined)
        routine.store("out", program(loads, routine.tape))
        if asked:
            module.add(builder.stage("blocks", "forces"), *builder.solver.routines)
        module.add(routine)
        calls = ["blocks", *builder.solver.motion, "expressions"] if asked else ["expressions"]
        module.kernel("expressions", calls, len(builder.inputs))
        return module
