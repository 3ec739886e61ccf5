"""What a group of kernels is, and how to add one.

A group is compiled as a whole, into one object file that is kept on disk. To add one:

1. Write a file here with a subclass of `Group`: its `name`, and `straight(builder)`, which returns a `Module`: the
   routines, of the builder, of its solver or your own, and the kernels that call them.
2. Where large systems have it too, write `rolled(system)`: the same kernels in loops; `rolled_tree(system)` for long
   trees in the coordinates of their joints.
3. `register` it, and name its file in `__init__.py`.

Its kernels are then called by the names of group and kernel: `kernels.run("direct", "direct", rows)`. A group that
depends on more than the system, as on what is watched for, is not registered but given to `Kernels.add`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from dalembert.blocks.assembled import is_large
from dalembert.forms.augment import augmentation, light_coordinates
from dalembert.native.builder import Builder
from dalembert.native.module import Module

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.native.kernels import Kernels
    from dalembert.native.machine import Compiled

_MANY = 120_000  # operations of a group: beyond, straight-line code takes long to compile
_MANY_IN_TREES = 20_000  # the same of long trees, which also take longer to put on tapes
_COARSE = 60  # operations of an instance, beyond which looking up its places hardly matters


class Group(ABC):
    """Kernels that are compiled together.

    hurry: whether a motion needs so little of it that time spent on optimising it is lost. level: of LLVM's
    optimisation, if it is not to be chosen. formulas: whether it needs M, f, A and c as formulas, of which long trees
    have none.
    """

    name: str
    formulas: bool = False
    hurry: bool = False
    level: int | None = None

    def module(self, system: System, builder: Callable[[], Builder]) -> Module:
        """Put the group on tapes: in loops where that is better, else straight by the builder."""
        if self.formulas:
            _ = system.blocks  # what has none is refused
        if module := rolled_module(self, system):
            return module
        module = self.straight(builder())
        module.facts |= {"added": sorted(builder().added), "light": light_coordinates(system)}
        return module

    @abstractmethod
    def straight(self, builder: Builder) -> Module:
        """Put the group on tapes, as straight-line code."""

    def rolled(self, system: System) -> Module | None:
        """Put the group of a large system on tapes, in loops; None if there are none."""
        return None

    def rolled_tree(self, system: System) -> Module | None:
        """Put the group of a long tree on tapes, in loops; None if there are none."""
        return None

    def holds(self, kernels: Kernels, compiled: Compiled, values: Mapping[str, float]) -> bool:
        """Tell whether choices made with other values of the parameters are good for these."""
        return compiled.facts["added"] == kernels.facts("core")["added"]


GROUPS: dict[str, Group] = {}
G = TypeVar("G", bound=Group)


def register(group: type[G]) -> type[G]:
    """Add a group to those that every system has."""
    GROUPS[group.name] = group()
    return group


def rolled_module(group: Group, system: System) -> Module | None:
    """Return a group of a system that is large enough, and repeats itself enough; None if straight code is better."""
    module = None
    if is_large(system):
        module = group.rolled_tree(system) if system.defined else group.rolled(system)
    if module is None:
        return None
    tasks = sum(len(loop.rows) for loop in module.rolled.loops)
    enough = _MANY if module.unrolled < _COARSE * tasks else _MANY // 3
    if system.defined:
        enough = _MANY_IN_TREES
    if not module.unrolled > max(enough, 4 * module.operations):
        return None
    if not system.defined and augmentation(system):
        return None  # nothing is added to M in rolled code
    module.facts |= {"added": [], "rolled": True}
    return module
