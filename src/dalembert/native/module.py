"""What becomes one object file: routines, and kernels that call them in some order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.native.codegen import Kernel, Repeat, Rolled
from dalembert.native.routine import Routine


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
