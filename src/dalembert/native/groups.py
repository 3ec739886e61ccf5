"""Groups of kernels: what is compiled together, and in which order its routines are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.native.build import Builder, DependentBuilder, Scalar
from dalembert.native.codegen import Kernel, Repeat, Rolled
from dalembert.native.routine import Routine

REFINEMENTS = 3  # solves on the residual, at most: they remove the proximal term, but for where rank is nearly lost


@dataclass
class Module:
    """Everything that becomes one object file."""

    routines: dict[str, Routine] = field(default_factory=dict)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)  # what a user of the kernels must know, as JSON holds it
    rolled: Rolled = field(default_factory=Rolled)
    exact: bool = False  # whether every operation is rounded for itself

    @property
    def operations(self) -> int:
        """Count the operations of all routines."""
        plain = sum(routine.operations for routine in self.routines.values())
        return plain + sum(loop.routine.operations for loop in self.rolled.loops)

    @property
    def unrolled(self) -> int:
        """Count the operations that run, each time a loop comes to them."""
        return sum(loop.routine.operations * len(loop.rows) for loop in self.rolled.loops)

    def add(self, *routines: Routine) -> None:
        """Add routines that kernels can call."""
        self.routines |= {routine.name: routine for routine in routines}

    def kernel(self, name: str, calls: Sequence[str | Repeat], inputs: int) -> None:
        """Add a kernel whose last routines fill `out`."""
        called = [self.routines[call] for call in calls if isinstance(call, str)]
        outputs = [i for routine in called for array, i in routine.stores if array == "out"]
        self.kernels[name] = Kernel(name, tuple(calls), inputs, max(outputs, default=-1) + 1)


def solution() -> list[str | Repeat]:
    """Return the calls that solve with the matrix of the workspace, and refine until nothing changes any more."""
    return ["factor", "begin", "solve", Repeat(("refine", "solve"), REFINEMENTS, "progress", 2)]


def core(builder: Builder) -> Module:
    """Return the kernels that every motion needs."""
    module = Module()
    module.add(builder.stage("blocks", "forces"), builder.stage("gaps", "positions"), builder.stage("rates", "rates"))
    module.add(builder.factor(), builder.solve(), builder.begin(), builder.refine())
    module.add(builder.finish(), builder.step(), builder.reactions(), builder.residuals(), builder.energies())
    inputs = len(builder.inputs)
    module.kernel("accelerations", ["blocks", *solution(), "finish"], inputs)
    module.kernel("position_step", ["gaps", *solution(), "step"], inputs)
    module.kernel("velocity_step", ["rates", *solution(), "step"], inputs)
    module.kernel("everything", ["blocks", *solution(), "finish", "reactions"], inputs)
    module.kernel("residuals", ["residuals"], inputs)
    module.kernel("energies", ["energies"], inputs)
    module.facts["pattern"] = list(builder.blocks.A)
    return module


def stabilised(builder: Builder) -> Module:
    """Return accelerations with something added to c, behind the other inputs; what, is for the motion to choose."""
    module = Module()
    module.add(builder.filled(Routine("blocks"), "forces", offset=True))
    module.add(builder.factor(), builder.solve(), builder.begin(), builder.refine(), builder.finish())
    module.kernel("stabilised", ["blocks", *solution(), "finish"], len(builder.inputs) + builder.s)
    return module


def expressions(builder: Builder, outputs: Sequence[Expr], multipliers: dict[Expr, int]) -> Module:
    """Return a kernel of expressions of t, q, v, parameters, and of symbols that stand for multipliers."""
    module, routine = Module(), Routine("expressions")
    used = set().union(*(output.free_symbols for output in outputs)) & multipliers.keys()
    loads: list[Scalar] = list(routine.loads("in", len(builder.inputs)))
    loads += [-routine.tape.load("x", builder.n + i) for i in multipliers.values()]
    program = Program([*builder.inputs, *multipliers], list(outputs))
    routine.store("out", program(loads, routine.tape))
    if used:
        module.add(builder.stage("blocks", "forces"), builder.factor(), builder.solve())
        module.add(builder.begin(), builder.refine())
    module.add(routine)
    calls = ["blocks", *solution(), "expressions"] if used else ["expressions"]
    module.kernel("expressions", calls, len(builder.inputs))
    return module


def dependent(builder: Builder) -> Module:
    """Return Newton's steps that find dependent positions and velocities from the others; and A, to choose them."""
    other, module, entries = DependentBuilder(builder.system), Module(), Routine("entries")
    entries.store("out", builder.matrices(entries)[1].values())
    module.add(entries)
    module.kernel("entries", ["entries"], len(builder.inputs))
    module.facts["pattern"] = list(builder.blocks.A)
    module.add(other.stage("gaps", "positions"), other.stage("rates", "rates"))
    module.add(other.factor(), other.solve(), other.begin(), other.refine(), other.step())
    inputs = len(other.inputs) + other.n + other.s
    module.kernel("dependent_positions", ["gaps", *solution(), "step"], inputs)
    module.kernel("dependent_velocities", ["rates", *solution(), "step"], inputs)
    return module


def direct(builder: Builder) -> Module:
    """Return plain elimination, for positions far from those where rank is lost."""
    module = Module()
    routine = builder.direct()
    module.add(routine)
    module.kernel("direct", ["direct"], len(builder.inputs))
    module.facts["operations"] = routine.operations
    return module


def jacobian(builder: Builder) -> Module:
    """Return what implicit methods need: F, the conditions C, and their Jacobians."""
    module = Module()
    module.add(builder.balanced(), builder.jacobian())
    for name in ("balance", "jacobian"):
        module.kernel(name, [name], len(builder.inputs) + builder.n + builder.s)
    module.facts["patterns"] = builder.patterns
    return module


GROUPS: dict[str, Callable[[Builder], Module]] = {
    "core": core,
    "direct": direct,
    "stabilised": stabilised,
    "dependent": dependent,
    "jacobian": jacobian,
}
