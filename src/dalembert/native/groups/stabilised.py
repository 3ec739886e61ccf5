"""Accelerations with something added to c, behind the other inputs; what, is for the motion to choose."""

from __future__ import annotations

from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.routine import Routine


@register
class Stabilised(Group):
    """Accelerations with something added to c."""

    name = "stabilised"

    def straight(self, builder: Builder) -> Module:
        """Put them on a tape."""
        module = Module()
        module.add(builder.filled(Routine("blocks"), "forces", offset=True))
        module.add(*builder.solver.routines, builder.solver.finish())
        module.kernel("stabilised", ["blocks", *builder.solver.motion, "finish"], len(builder.inputs) + builder.s)
        return module
