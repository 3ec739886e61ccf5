"""The equations in quasi-velocities: q̇ = D u + b, DᵀM D u̇ = Dᵀ(f − M(Ḋu + ḃ)).

Maggi wrote them for any u; Kane's equations and those of Gibbs and Appell are the same, row by row; those of Boltzmann
and Hamel are the same with T written in u first. Where all u are velocities of coordinates they are those of Voronets,
and of Chaplygin where nothing depends on the other coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.elimination import factorise
from dalembert.algebra.gramschmidt import Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import Field, TooLarge
from dalembert.document.nodes import Paragraph, Section
from dalembert.errors import quoted
from dalembert.forms.base import Form, Matrix, Solution, Written, dense, holds_where, multiply, register
from dalembert.forms.minimal import Minimal, along
from dalembert.forms.nullspace import by_elimination
from dalembert.forms.pen import Pen
from dalembert.forms.prepared import Rows, Scene, scene_of
from dalembert.forms.quasi_velocities import QuasiVelocities, quasi_velocities
from dalembert.forms.sheet import forces, ledger_of
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.language.program import Program
from dalembert.model.system import System

if TYPE_CHECKING:
    from dalembert.forms.board import Board


@register
class Quasi(Form):
    """Needs constraints on positions, or linear ones on velocities; M may be singular."""

    name = "quasi"
    title = "Quasi-velocities, q̇ = D u + b, DᵀM D u̇ = Dᵀ(f − M(Ḋu + ḃ)) (Maggi, Kane)"
    letters = MappingProxyType({"inertia": "D^T M D", "force": r"D^T (f - M (\dot D u + \dot b))"})
    beside = "u"
    conversion = "velocities"
    solved = False

    def moved(self, system: System) -> str:
        """Return `independent`, where u are velocities of coordinates and nobody asked for these: they may go bad."""
        if system.quasi_velocities or objection(system):
            return self.name
        return "independent" if quasi_velocities(scene_of(system)).plain else self.name

    def refuse(self, scene: Scene) -> str | None:
        """Refuse constraints that give no D and b, and quasi-velocities that do not determine the velocities."""
        return objection(scene.system) or quasi_velocities(scene).objection()

    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Find accelerations and reactions, which are the same for all u, as those of velocities of coordinates."""
        return along(rows, by_elimination(rows, pilot), pilot)

    def write(self, scene: Scene, solution: Callable[[], Solution]) -> Written:
        """Write D, b, the inertia and the force in q, u and t, and the equations with them."""
        found = _written(scene)
        matrices = {"D": found.D, "b": [[entry] for entry in found.b], "inertia": found.inertia}
        matrices["force"] = [[entry] for entry in found.force]
        if all(entry == 0 for entry in found.b):
            del matrices["b"]
        return Written([*found.equations, *found.kinematics], matrices, [*self._names(scene), *self._where(scene)])

    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return DᵀM D u̇ − Dᵀ(f − M(Ḋu + ḃ)) and q̇ − D u − b."""
        found = _written(scene)
        return [*found.equations, *found.kinematics]

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written:
        """Write q̇ − D u − b, q̈ − D u̇ − a₀ and Dᵀ(M q̈ − f), with names for what D and a₀ = Ḋu + ḃ share."""
        velocities, b, names = quasi_velocities(scene), scene.blocks, {}
        rows, ledger = ledger_of(scene, names)
        loaded = [ledger.load(f"w_{k}", expr) for k, expr in enumerate(velocities.expressions, 1)]
        stack = velocities.stacked(rows, loaded)
        null, drift = stack.velocities(velocities.pilot.replay()), stack.accelerations(velocities.pilot.replay())
        columns = [ledger.write(dense(column, rows.n, rows.arithmetic), other="d") for column in null.columns]
        D = [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in b.q]
        moving, resting = (ledger.write(one.particular, other="d") for one in (drift, null))
        count, accelerations = scene.system.mechanical, [se.Symbol(f"{q.name}''") for q in b.q]
        equations = []
        for left, symbols, right in ((b.v, velocities.symbols, resting), (accelerations, velocities.rates, moving)):
            lines = zip(left, D, right, strict=True)
            equations.append([x - se.Add(*map(se.Mul, row, symbols), rest) for x, row, rest in lines][:count])
        products = Minimal.products(scene, D, forces(scene)[0])
        projected = [se.Add(*map(math.prod, pairs)) for pairs in products]
        shown = {} if matrices else {"D": D, "a_0": [[a] for a in moving]}
        said = "too long to be put into each other: q̇ and q̈ = D u̇ + a_0 stand by their names, and D and a_0 in steps"
        return Written([*projected, *equations[0], *equations[1]], shown, [*self._names(scene), said], names=names)

    def solved_for(self, scene: Scene) -> list[Expr]:
        """Return u̇ and q̇."""
        return [*quasi_velocities(scene).rates, *scene.blocks.v[: scene.system.mechanical]]

    def solutions(self, scene: Scene) -> Mapping[str, Expr]:
        """Return u̇ where the equations are coupled, as (DᵀM D)⁻¹ times the force; nothing if that is too long."""
        try:
            return _written(scene).solutions
        except TooLarge:
            return {}

    def symbols(self, scene: Scene) -> list[Expr]:
        """Return u."""
        found = quasi_velocities(scene)
        return found.symbols[: found.count]

    def meanings(self, scene: Scene) -> Mapping[str, Expr]:
        """Return u in velocities."""
        return quasi_velocities(scene).meanings

    def vanishing(self, scene: Scene) -> list[Expr]:
        """Return the constraints on positions; those on velocities hold for every u."""
        return [g for g in scene.blocks.g if g is not None]

    def steps(self, board: Board) -> list[Section]:
        """Show what u are, [A; W], then D, b, Ḋu + ḃ and what remains."""
        velocities = quasi_velocities(board.scene)
        count = velocities.count
        W = [[row.get(j, ZERO) for j in range(board.n)] for row in velocities.W[:count]]
        w_0 = [[w] for w in velocities.w_0[:count]]
        moved = any(w != 0 for (w,) in w_0)
        told = f"They are {'given' if velocities.given else 'found'}: {quoted(velocities.meanings)}." if W else "None."
        choice = [Paragraph(told)]
        if W:
            choice += [board.matrix("W", W), *([board.matrix("w_0", w_0)] if moved else [])]
            choice.append(board.matrix("Z", [*board.A, *W], "[A; W]"))
        solved = (
            "[A; W] q̇ = [−ψ₀; u − w₀], ψ₀ what the constraints ask for at rest: D is the last columns of [A; W]⁻¹, "
        )
        solved += "so that A D = 0 and W D = 1."
        try:
            drift = [board.matrix("a_0", [[entry] for entry in _written(board.scene).drift], "Ḋu + ḃ")]
        except TooLarge:
            drift = []
        return [
            Section("The choice of velocities, u = W q̇ + w₀", choice),
            Section("q̇ = D u + b", [Paragraph(solved), *board.shown("D", "b")]),
            Section("DᵀM D u̇ = Dᵀ(f − M a₀), q̈ = D u̇ + a₀", [*drift, *board.shown("inertia", "force")]),
        ]

    def _where(self, scene: Scene) -> list[str]:
        """Say where u determine the velocities."""
        velocities = quasi_velocities(scene)
        pilot = Pilot()
        velocities.numbers.determinant(pilot)

        def determinant() -> Expr:
            field, stack = velocities.formulas
            return scene.field.read(field.write(stack.determinant(pilot.replay())))

        return holds_where(scene, "D", determinant)

    def _names(self, scene: Scene) -> list[str]:
        """Say what these equations are called."""
        velocities, system, b = quasi_velocities(scene), scene.system, scene.blocks
        rows = velocities.W[: velocities.count]
        nonholonomic = [i for i in scene.kept if b.g[i] is None]
        every = "for all u they are the equations of Maggi, of Kane, and of Gibbs and Appell"
        if not velocities.plain:
            return [f"{every}; with T written in u, those of Boltzmann and Hamel"]
        if not nonholonomic:
            return [f"{every}; as u are velocities of coordinates, they are Lagrange's equations of the second kind"]
        own = {j for row in rows for j in row}
        used = {s for e in (*b.M.values(), *b.f, *b.A.values(), *b.c) for s in e.free_symbols}
        others = [b.q[j] for j in range(system.mechanical) if j not in own]
        moving = any(c.time for c in system.constraints) or nonholonomic != scene.kept
        if not moving and not used & set(others):
            what = f"of Chaplygin, as nothing depends on {quoted(q.name for q in others)}"
        else:
            what = "of Voronets"
        return [f"{every}; as u are velocities of coordinates, also those {what}"]


def objection(system: System) -> str | None:
    """Say why the velocities of a system are not D u + b; None if they are."""
    others = "use `multipliers` or `minimal`"
    for constraint in system.constraints:
        if constraint.level == "acceleration":
            what = f"`{constraint.name}` is one on accelerations"
            return f"the form `quasi` takes constraints on positions and velocities; {what}; {others}"
        if constraint.level == "velocity" and not constraint.linear:
            return (
                "the form `quasi` takes constraints that are linear in the velocities, so that q̇ = D u + b; "
                f"`{constraint.name}` is not; {others}"
            )
    return None


def _written(scene: Scene) -> _Formulas:
    if "quasi" not in scene.written:
        scene.written["quasi"] = _Formulas(scene, quasi_velocities(scene))
    return scene.written["quasi"]


@dataclass(frozen=True, eq=False)
class _Formulas:
    """The equations as formulas of q, u and t; TooLarge is raised where they are too long."""

    scene: Scene
    velocities: QuasiVelocities

    @cached_property
    def _solved(self) -> tuple[list[Vector], list[Expr]]:
        """D, column by column, and b."""
        field, stack = self.velocities.formulas
        with field.bounded():
            null = stack.velocities(self.velocities.pilot.replay())
            columns = [{j: field.write(e) for j, e in c.items() if not field.is_zero(e)} for c in null.columns]
            return columns, [field.write(e) for e in null.particular]

    @property
    def b(self) -> list[Expr]:
        """What velocities are at u = 0."""
        return self._solved[1]

    @property
    def D(self) -> Matrix:
        """The rows of D."""
        columns = [dense(column, len(self.b), _Symbols) for column in self._solved[0]]
        return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in self.b]

    @cached_property
    def v(self) -> list[Expr]:
        """D u + b."""
        u = self.velocities.symbols
        return [se.Add(*map(se.Mul, row, u), b) for row, b in zip(self.D, self.b, strict=True)]

    @cached_property
    def drift(self) -> list[Expr]:
        """Ḋu + ḃ, in q, u and t."""
        b, found = self.scene.blocks, []
        calculus = Calculus([*b.q, b.t])
        for expr in self.v:
            lifted = calculus.lift(expr)
            slopes = [calculus.diff(lifted, q) * v for q, v in zip(b.q, self.v, strict=True)]
            found.append(calculus.lower(se.Add(*slopes, calculus.diff(lifted, b.t))))
        return found

    @cached_property
    def _put_together(self) -> tuple[Field, Matrix, list]:
        """The inertia DᵀM D and the force Dᵀ(f − M(Ḋu + ḃ)), in a field of their own."""
        b = self.scene.blocks
        meant, drift = dict(zip(b.v, self.v, strict=True)), self.drift
        f = [entry.xreplace(meant) for entry in b.f]
        M = {place: entry.xreplace(meant) for place, entry in b.M.items()}
        D = self._solved[0]
        field = Field([*M.values(), *f, *drift, *(e for column in D for e in column.values())], self.velocities.symbols)
        self._set_points(field)
        with field.bounded():
            columns = [{j: field.read(e) for j, e in column.items()} for column in D]
            rows: list[Vector] = [{} for _ in b.q]
            for (i, j), entry in M.items():
                rows[i][j] = field.read(entry)
            moved = multiply(rows, [field.read(e) for e in drift], field)
            rest = [field.read(e) - m for e, m in zip(f, moved, strict=True)]
            each = [multiply(rows, dense(column, len(b.q), field), field) for column in columns]
            return field, [multiply(columns, one, field) for one in each], multiply(columns, rest, field)

    def _set_points(self, field: Field) -> None:
        """Give u the values that they have at the pilot's points."""
        scene, velocities = self.scene, self.velocities
        own = velocities.symbols[: velocities.count]
        values = Program(scene.inputs, list(velocities.meanings.values())).arrays(list(scene.points))
        field.set_points([*scene.inputs, *own], np.vstack([scene.points, *values]) if own else scene.points)

    @property
    def inertia(self) -> Matrix:
        """DᵀM D."""
        field, inertia, _ = self._put_together
        return [[field.write(entry) for entry in row] for row in inertia]

    @property
    def force(self) -> list[Expr]:
        """Dᵀ(f − M(Ḋu + ḃ))."""
        field, _, force = self._put_together
        return [field.write(entry) for entry in force]

    @property
    def equations(self) -> list[Expr]:
        """DᵀM D u̇ − Dᵀ(f − M(Ḋu + ḃ))."""
        rates, rows = self.velocities.rates, zip(self.inertia, self.force, strict=True)
        return [se.Add(*map(se.Mul, row, rates), -force) for row, force in rows]

    @property
    def kinematics(self) -> list[Expr]:
        """q̇ − D u − b; the velocities of states are their own."""
        count = self.scene.system.mechanical
        return [v - value for v, value in zip(self.scene.blocks.v[:count], self.v, strict=False)]

    @cached_property
    def solutions(self) -> dict[str, Expr]:
        """u̇ by name."""
        field, inertia, force = self._put_together
        pilot = Pilot()
        with field.bounded():
            rows = [dict(enumerate(row)) for row in inertia]
            factorise([{j: field.values(e) for j, e in row.items()} for row in rows], Numbers, pilot)
            found = [field.write(e) for e in factorise(rows, field, pilot.replay()).solve(force)]
        pen = Pen(self.scene, found, self.velocities.symbols, [g for g in self.scene.blocks.g if g is not None])
        return {rate.name: pen.value(e) for rate, e in zip(self.velocities.rates, found, strict=True)}


class _Symbols:
    """What `dense` asks of an arithmetic."""

    zero = ZERO
