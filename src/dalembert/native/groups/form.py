"""The forms as native code: small systems by the algorithm of the form, large ones by sparse elimination.

The algorithm of a form runs on the tape with the choices that its pilot made on numbers. Where it would grow too long
(Gram–Schmidt grows with the square of the size) the same accelerations and reactions come from the solver that all
kernels share. Beside them stands the *defect*, the largest |A q̈ − c| in the size of its terms: it tells when a choice
of the pilot has gone bad.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.pilot import Pilot
from dalembert.algebra.tape import Node, Tape, TapeFull
from dalembert.errors import DerivationError
from dalembert.forms import FORMS
from dalembert.forms.canonical import objection
from dalembert.forms.prepared import Scene, scene_of
from dalembert.language.program import Program
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group
from dalembert.native.module import Module
from dalembert.native.quasi_tapes import quasi_module
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels
    from dalembert.native.machine import Compiled

MAX_UNKNOWNS = 60  # coordinates and constraints, up to which the algorithm of the form itself is tried
MAX_NODES = 20_000
_DIGITS = 1e-8  # conditioning below which multipliers in forces, by plain elimination, have lost half of their digits
DEFECT = 1e-6  # beyond which the choices of the pilot have failed


class FormGroup(Group):
    """The kernel of a form: q̈, r and the defect from t, q, v; of one in momenta p, q̇, ṗ and r from t, q, p.

    Quasi-velocities u stand in their state as momenta do.
    """

    def __init__(self, name: str):
        self.name, self.formulas = name, bool(FORMS[name].conversion)

    def straight(self, builder: Builder) -> Module:
        """Put it on tapes."""
        if FORMS[self.name].conversion:
            return _canonical(builder, self.name) if FORMS[self.name].beside == "p" else quasi_module(builder)
        alone = builder.law is None or len(scene_of(builder.system).kept) == builder.s  # else loads are shared
        steady = not builder.system.defined and not builder.loose  # else choices of the pilot hold for some modes only
        if builder.n + builder.s <= MAX_UNKNOWNS and steady and alone:
            try:
                return _own(builder, self.name)
            except (TapeFull, ZeroDivisionError):  # the latter where sizes are so different that a pivot is lost
                pass
        return _sparse(builder, self.name)

    def holds(self, kernels: Kernels, compiled: Compiled, values: Mapping[str, float]) -> bool:
        """Tell whether the choices of the pilot are good for other values too."""
        if "kept" not in compiled.facts:
            return super().holds(kernels, compiled, values)
        scene = scene_of(kernels.system)
        if compiled.facts["kept"] != scene.kept:  # other constraints are redundant with these values
            return False
        if FORMS[self.name].conversion:
            return super().holds(kernels, compiled, values) and _recovers(compiled, scene, self.name)
        out = compiled.run(self.name, np.array([scene.point(scene.numeric, place) for place in scene.places]))
        return bool(np.all(np.isfinite(out)) and np.all(out[:, -1] < DEFECT))


def _recovers(compiled: Compiled, scene: Scene, form: str) -> bool:
    """Tell whether velocities are found again from what stands for them in the state."""
    n, rows = len(scene.blocks.q), np.array([scene.point(scene.numeric, place) for place in scene.places])
    v = rows[:, 1 + n : 1 + 2 * n].copy()
    rows[:, 1 + n : 1 + 2 * n] = compiled.run(FORMS[form].conversion, rows)[:, :n]
    found = compiled.run(form, rows)[:, :n]
    return bool(np.all(np.abs(found - v) <= DEFECT * np.abs(v).max(initial=0.0)))


def _own(builder: Builder, form: str) -> Module:
    """Run the algorithm of a form on the tape, as its pilot did on numbers."""
    scene, method = scene_of(builder.system), FORMS[form]()
    if reason := method.refuse(scene):
        raise DerivationError(reason)
    pilot = Pilot()
    method.solve(scene.arrays, pilot)
    routine = Routine(form, Tape(MAX_NODES))
    b = scene.given
    inputs: list[Scalar] = list(routine.loads("in", len(builder.inputs)))
    if builder.law is not None:  # found first; then the form has all of its forces
        solved = builder.solved(routine)
        inputs += [solved[builder.n + i] for i in builder.law.rows]
    blocks = Program(scene.inputs, [*b.M.values(), *b.f, *b.A.values(), *b.c])
    rows = scene.rows(routine.tape, blocks(inputs, routine.tape))
    found = method.solve(rows, pilot.replay())
    inertia = [row.get(j, 0.0) for j, row in enumerate(rows.M)]
    defect = _defect(routine, dict(enumerate(rows.A)), rows.c, found.acceleration, inertia)
    out = [*found.acceleration, *found.reaction, defect]
    if builder.law is not None:
        _, well, _ = (routine.stores.pop(("condition", k)) for k in range(3))
        out = [routine.tape.call("if_lt", _DIGITS, well, value, math.nan) for value in out]
    routine.store("out", out)
    module = Module()
    module.add(routine)
    module.kernel(form, [form], len(builder.inputs))
    module.facts |= {"own": True, "kept": scene.kept}
    return module


def _sparse(builder: Builder, form: str) -> Module:
    """Take accelerations and reactions from the shared solver."""
    module = Module()
    module.add(builder.stage("blocks", "forces"), *builder.solver.routines)
    finish = Routine("finish")
    A, r, x = builder.solver.reaction(finish)
    c = [finish.tape.load("right", builder.n + i) for i in range(builder.s)]
    M = builder.loaded(finish)[0]
    finish.store("out", [*x, *r, _defect(finish, A, c, x, [M.get((j, j), 0.0) for j in range(builder.n)])])
    module.add(finish)
    module.kernel(form, ["blocks", *builder.solver.motion, "finish"], len(builder.inputs))
    return module


def _canonical(builder: Builder, form: str) -> Module:
    """Solve p = M v + l for v; then q̇ = v and ṗ = ∂L/∂q + Q + R, as −∂H/∂q at constant p is ∂L/∂q at constant v."""
    system, n = builder.system, builder.n
    if reason := objection(system, builder.added):
        raise DerivationError(reason)
    stage = Routine("blocks")
    _, slopes = builder.momenta.lagrangian
    velocities = builder.momenta.velocities(stage)
    stage.store("velocity", velocities.values())
    stage.store("force", builder.evaluate(stage, slopes, velocities))
    module = Module()
    module.add(builder.filled(stage, "forces", velocities), *builder.solver.routines)
    finish = Routine("finish")
    _, r, _ = builder.solver.reaction(finish)
    rates = [force + reaction for force, reaction in zip(finish.loads("force", n), r, strict=True)]
    for j, force in builder.solver.followed(finish).items():
        rates[j] = rates[j] + force
    finish.store("out", [*finish.loads("velocity", n), *rates, *r])
    module.add(finish)
    module.kernel(form, ["blocks", *builder.solver.motion, "finish"], len(builder.inputs))
    momenta = Routine("momenta")
    v = [momenta.tape.load("in", 1 + n + j) for j in range(n)]
    M, A, rho = builder.matrices(momenta)
    p = builder.momenta.resting(momenta, A, rho)
    for (i, j), value in M.items():
        p[i] = p[i] + value * v[j]
        if i != j:
            p[j] = p[j] + value * v[i]
    momenta.store("out", p)
    module.add(momenta)
    module.kernel("momenta", ["momenta"], len(builder.inputs))
    return module


def _defect(
    routine: Routine, rows: dict[int, dict], c: Sequence[Scalar], a: Sequence[Scalar], inertia: Sequence[Scalar]
) -> Scalar:
    """Return the largest |A q̈ − c| in the size of its terms, where each q̈ has its part of the largest √Mⱼⱼ |q̈ⱼ|.

    So lengths beside angles are as they are in any unit.
    """
    call = routine.tape.call
    worst: Scalar = 0.0
    largest, plain = 0.0, 0.0
    roots = [call("sqrt", call("max", m, 0.0)) for m in inertia]
    for value, root in zip(a, roots, strict=True):
        largest = call("max", largest, root * call("abs", value))
        plain = call("max", plain, call("abs", value))
    parts = [call("if_lt", 0.0, root, largest / root, plain) if _may_be(root) else plain for root in roots]
    for i, row in rows.items():
        left, size = -c[i], call("abs", c[i])
        for j, value in row.items():
            left, size = left + value * a[j], size + call("abs", value) * parts[j]
        if _may_be(size):
            worst = call("max", worst, call("if_lt", 0.0, size, call("abs", left) / size, 0.0))
    return worst


def _may_be(value: Scalar) -> bool:
    """Tell whether something may be other than zero."""
    return isinstance(value, Node) or value > 0
