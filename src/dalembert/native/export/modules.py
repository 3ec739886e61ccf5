"""Which kernels go out: for each form those that someone needs who computes a motion elsewhere."""

from __future__ import annotations

from dalembert.errors import DerivationError
from dalembert.forms import FORMS
from dalembert.model.system import System
from dalembert.native.builder import Builder
from dalembert.native.groups import find
from dalembert.native.groups.base import rolled_module
from dalembert.native.groups.core import residuals
from dalembert.native.module import Module
from dalembert.native.routine import Routine

_KERNELS = ("accelerations", "position_step", "velocity_step", "residuals", "energies", "matrices")


def module_of(system: System, form: str, largest: int | None = None) -> Module:
    """Return the kernels of a form; large systems in loops, or straight up to some number of operations."""
    shared = FORMS[form].shared
    group = find("core" if shared else form)
    if largest is None and (rolled := rolled_module(group, system)):
        return _chosen(system, rolled)
    builder = Builder(system)
    module = group.straight(builder)
    if shared:
        module.add(matrices(builder))
        module.kernel("matrices", ["matrices"], len(builder.inputs))
    else:
        module.add(residuals(builder))
        module.kernel("residuals", ["residuals"], len(builder.inputs))
    if largest is not None and module.operations > largest:
        text = f"the equations take {module.operations:,} operations, and straight code is written for {largest:,}"
        raise DerivationError(f"{text}; export to c, which has loops for such systems")
    return _chosen(system, module)


def matrices(builder: Builder) -> Routine:
    """Make the routine that gives out M, f, A, c, matrices row by row; their zeros are left out."""
    routine, b, n, s = Routine("matrices"), builder.blocks, builder.n, builder.s
    outputs = [*b.M.values(), *b.f, *b.A.values(), *b.c]
    places = [i * n + j for i, j in b.M] + [n * n + i for i in range(n)]
    places += [n * n + n + i * n + j for i, j in b.A] + [n * n + n + s * n + i for i in range(s)]
    for place, value in zip(places, builder.evaluate(routine, outputs), strict=True):
        routine.stores["out", place] = value
    return routine


def _chosen(system: System, module: Module) -> Module:
    """Leave out what nobody needs elsewhere, and energies where there are none."""
    own = [name for name in module.kernels if name not in ("everything", *_KERNELS)]
    wanted = [*own, *_KERNELS]
    if system.kinetic is None:
        wanted.remove("energies")
    module.kernels = {name: module.kernels[name] for name in wanted if name in module.kernels}
    return module
