"""Forces in joints that carry bodies, as formulas: the balance of all that hangs on a joint.

Where coordinates are those of a tree, its joints have no conditions, and so no multipliers. But what hangs on a joint
can be moved as if it were one rigid body: along x, along y, and about the joint. Then nothing inside of it does work,
and what acts on it is W = Σ δᵀ(M ẍ − f − Aᵀλ) over its bodies, with the λ of whatever closes loops. The conditions of
the joint act in directions G, W = Gᵀλ, which gives their λ in accelerations and in the λ of loops.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.pilot import Pilot
from dalembert.algebra.writing.numerals import numbers
from dalembert.blocks.symbolic import Blocks
from dalembert.forms.multipliers import Multipliers, multiplier
from dalembert.forms.pen import Pen
from dalembert.forms.prepared import MAX_UNKNOWNS, Scene
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.calculus import ONE, ZERO
from dalembert.language.program import Program
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tree import Branch
from dalembert.survey.redundancy import redundancies_of

_NOTHING = 1e-10  # part of the sum of its terms that is nothing
_NOTICED = 1e-6  # and that says something
Wrench = list[Expr]  # a force along x and along y, and a moment about a joint


def carrying_forces(scene: Scene) -> dict[str, Expr]:
    """Return λ of the conditions of joints that carry, and of drives whose coordinate is none; in the plane.

    Those that share their load with others are left out.
    """
    system = scene.system
    if not isinstance(system, Mechanism) or system.dimensions != 2 or not system.tree.branches:
        return {}
    if len(scene.blocks.q) + scene.rank > MAX_UNKNOWNS:
        return {}
    return _Balances(scene, system).all()


class _Balances:
    """What acts on all that hangs on each joint of a tree, seen in its coordinates."""

    def __init__(self, scene: Scene, mechanism: Mechanism):
        self.scene, self.mechanism, self.whole = scene, mechanism, mechanism.absolute
        self.index = {name: j for j, name in enumerate(self.whole.coordinates)}
        self.rows = {constraint.name: i for i, constraint in enumerate(self.whole.constraints)}
        self.behind: dict[str, list[str]] = {}  # the bodies that hang on a body, and itself
        for branch in reversed(mechanism.tree.branches):
            self.behind.setdefault(branch.body, []).insert(0, branch.body)
            self.behind.setdefault(branch.parent, []).extend(self.behind[branch.body])

    def all(self) -> dict[str, Expr]:
        """Return λ by condition."""
        found: dict[str, Expr] = {}
        shared, rest = self._shared(), self._rest()
        for branch in self.mechanism.tree.branches:
            names = self._conditions(branch)
            if not shared.issuperset(names):
                found |= self._solved(branch, names, rest)
        known = {name: value for name, value in found.items() if name not in shared}
        return {name: ZERO if self._vanishes(value) else value for name, value in known.items()}

    def _vanishes(self, expr: Expr) -> bool:
        """Tell whether equations of motion make nothing of it: no moment is needed where what hangs on it turns.

        That is seen at the pilot's points, if they are like all others. A term that is next to nothing at all of them
        need not be so elsewhere: then the formula stays.
        """
        if expr == 0 or not self._is_alike_everywhere(expr):
            return expr == 0
        symbols, values = self._solution
        terms = se.expand(numbers(expr))
        outputs = terms.args if terms.is_Add else (terms,)
        found = np.abs(Program([*self.scene.inputs, *symbols], outputs).arrays([*self.scene.points, *values]))
        whole = np.abs(Program([*self.scene.inputs, *symbols], [terms]).arrays([*self.scene.points, *values])[0])
        noticed = np.any(found > _NOTICED * found.sum(axis=0), axis=1)
        return bool(np.all(noticed) and np.all(whole <= _NOTHING * found.sum(axis=0)))

    def _is_alike_everywhere(self, expr: Expr) -> bool:
        """Tell whether nothing in a formula and in the equations switches, is a pulse, depends on time, or is zero."""
        scene, b = self.scene, self.scene.blocks
        for formula in (expr, *b.M.values(), *b.f, *b.A.values(), *b.c):
            if b.t in formula.free_symbols or formula.atoms(se.Function) - formula.atoms(se.sin, se.cos):
                return False
        return bool(np.all(np.any(scene.points[1:] != 0, axis=1)))

    @cached_property
    def _solution(self) -> tuple[list[Expr], list[Any]]:
        """The accelerations and λ at the pilot's points, by their symbols."""
        scene, found = self.scene, Multipliers().solve(self.scene.arrays, Pilot())
        symbols = [se.Symbol(f"{q.name}''") for q in scene.blocks.q]
        symbols += [multiplier(scene, i) for i in scene.kept]
        return symbols, [*found.acceleration, *(found.multipliers or [])]

    def _conditions(self, branch: Branch) -> list[str]:
        """Return the conditions that hold in a joint because it carries, those of drives in it among them."""
        drives = [self.whole.drives[drive] for _, drive in branch.driven.values()]
        return [name for part in (self.whole.joints[branch.joint], *drives) for name in part.conditions]

    def _shared(self) -> set[str]:
        """Return the conditions that share their load; there are such only where what closes loops is redundant."""
        carrying = {name for branch in self.mechanism.tree.branches for name in self._conditions(branch)}
        closing = self.rows.keys() - carrying
        if not self.scene.redundancies and closing == {c.name for c in self.mechanism.constraints}:
            return set()
        return {name for one in redundancies_of(self.mechanism.placed) for name in (one.name, *one.others)}

    def _rest(self) -> list[Expr]:
        """Return M ẍ − f − Aᵀλ by coordinate of bodies, with the λ of what closes loops, in coordinates of the tree."""
        b: Blocks = self.whole.blocks
        constraints = self.mechanism.constraints
        names = {constraints[i].name: self.scene.fresh("lambda", constraints[i].name) for i in self.scene.kept}
        closing = {self.rows[name]: symbol for name, symbol in names.items()}
        parts: list[list[Expr]] = [[-f, -self.scene.named(b.rho.get(i, ZERO))] for i, f in enumerate(b.f)]
        for (i, j), entry in b.M.items():
            parts[i].append(entry * se.Symbol(f"{b.q[j].name}''"))
        for (i, j), entry in b.A.items():
            if i in closing:
                parts[j].append(-entry * closing[i])
        return [self.mechanism.meant(se.Add(*terms)) for terms in parts]

    def _solved(self, branch: Branch, names: list[str], rest: list[Expr]) -> dict[str, Expr]:
        """Return λ of the conditions of a joint: (G Gᵀ)⁻¹ G W, where G Gᵀ is mostly 1."""
        W = self._wrench(branch, lambda j: rest[j])
        meant, A = self.mechanism.meant, self.whole.blocks.A
        G = [self._wrench(branch, lambda j, i=self.rows[name]: meant(A.get((i, j), ZERO))) for name in names]
        G = [self._written(row) for row in G]
        products = [self._written([_dot(one, other) for other in G]) for one in G]
        right = [_dot(row, W) for row in G]
        if products != [[ONE if i == j else ZERO for j in range(len(G))] for i in range(len(G))]:
            right = list(se.DenseMatrix(products).inv() * se.DenseMatrix(right))
        return dict(zip(names, self._written(right), strict=True))

    def _wrench(self, branch: Branch, of: Callable[[int], Expr]) -> Wrench:
        """Add up what acts on the coordinates of all bodies that hang on a joint: force, and moment about the joint."""
        X, Y = self.mechanism.joints[branch.joint].markers[1].place
        along_x, along_y, about = [], [], []
        for name in self.behind[branch.body]:
            body = self.mechanism.bodies[name]
            (x, y, _), (fx, fy, m) = body.view.q, (of(self.index[q]) for q in body.coordinates)
            along_x.append(fx)
            along_y.append(fy)
            about += [m, (x - X) * fy, -(y - Y) * fx]
        return [se.Add(*along_x), se.Add(*along_y), se.Add(*about)]

    def _written(self, expressions: list[Expr]) -> list[Expr]:
        """Write expressions in few operations."""
        given = [plain(expr) for expr in expressions]
        pen = Pen(self.scene, given)
        return [pen.value(expr) for expr in given]


def _dot(one: Wrench, other: Wrench) -> Expr:
    return se.Add(*[a * b for a, b in zip(one, other, strict=True)])
