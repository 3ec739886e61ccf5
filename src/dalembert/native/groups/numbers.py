"""The blocks as numbers in native code: what `Numeric` evaluates, operation by operation as it is written there.

Starts, checks and pilots are computed by whoever comes first, with native code or without; so both must give the same
bits. The operations of a program are therefore taken one by one, in their order, and none are contracted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array, address
from dalembert.blocks.programs import Programs, programs
from dalembert.language.program import Program
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.routine import Routine

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.native.kernels import Kernels
    from dalembert.native.machine import Compiled


@register
class BlockNumbers(Group):
    """All that the programs of the blocks give out, one after the other."""

    name = "numbers"
    level = 0  # a few calls are all

    def module(self, system: System, builder: Callable[[], Builder]) -> Module:
        """Put it on a tape; nothing of the builder is needed."""
        module, routine, program = Module(exact=True), Routine("numbers"), programs(system).together
        routine.store("out", transcribed(program, routine))
        module.add(routine)
        module.kernel("numbers", ["numbers"], program.inputs)
        return module

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        return self.module(builder.system, lambda: builder)

    def holds(self, kernels: Kernels, compiled: Compiled, values: Mapping[str, float]) -> bool:
        """Say that nothing is chosen."""
        return True


def transcribed(program: Program, routine: Routine) -> list:
    """Put a program on a tape as it is: nothing is simplified, nothing comes in another order."""
    tape = routine.tape
    slots: list[int] = [tape.number(node) for node in routine.loads("in", program.inputs)]
    for name, *operands in program.operations:
        if name == "number":
            slots.append(tape.number(operands[0]))
        elif name in ("max", "min"):
            first, *rest = (slots[k] for k in operands)
            for k in rest:
                first = tape.number(tape.record(name, first, k))
            slots.append(first)
        else:
            slots.append(tape.number(tape.record(name, *(slots[k] for k in operands))))
    return [tape.scalar(slots[k]) for k in program.outputs]


def attach(known: Programs, compiled: Compiled) -> None:
    """Let programs be run by native code from now on."""
    for program, places in known.parts:
        program.native = _Call(compiled, places)
    known.native = compiled


class _Call:
    """Evaluates a program for rows of inputs; the code lives as long as it."""

    def __init__(self, compiled: Compiled, places: Array):
        self._compiled, self._function = compiled, compiled.functions["numbers"]
        first, count = (int(places[0]) if len(places) else 0), len(places)
        in_a_row = np.array_equal(places, np.arange(first, first + count))  # mostly they are, which is quicker to take
        self._places = slice(first, first + count) if in_a_row else places
        self._outputs, self._work = compiled.facts["kernels"]["numbers"][1], compiled.work + 1

    def __call__(self, rows: Array) -> Array:
        out, work = np.empty((len(rows), self._outputs)), np.empty(self._work)
        self._function(address(out), address(rows), address(work), len(rows))
        return out[:, self._places]
