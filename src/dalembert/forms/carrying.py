"""Forces in joints that carry bodies, as formulas: the balance of all that hangs on a joint.

Where coordinates are those of a tree, its joints have no conditions, and so no multipliers. But what hangs on a joint
can be moved as if it were one rigid body: along the axes of the world, and about the joint. Then nothing inside of it
does work, and what acts on it is W = Σ δᵀ(M ẍ − f − Aᵀλ) over its bodies, with the λ of whatever closes loops. The
conditions of the joint act in directions G, W = Gᵀλ, which gives their λ in accelerations and in the λ of loops. In
space the equations of bodies are those of Newton and Euler, with angular velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.pilot import Pilot
from dalembert.algebra.writing.cost import operations, total
from dalembert.algebra.writing.numerals import numbers
from dalembert.blocks.symbolic import Blocks, derive_blocks
from dalembert.forms.carrying_steps import SteppedLines, WholeLines, can_be_whole, is_better, short
from dalembert.forms.multipliers import Multipliers, multiplier
from dalembert.forms.pen import MAX_TOTAL
from dalembert.forms.prepared import MAX_UNKNOWNS, Scene
from dalembert.forms.sheet import needed
from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import ONE, ZERO
from dalembert.language.program import Program
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.pairs.base import rate_by
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.tree import Branch
from dalembert.model.mechanism.turned import TURNS, Turned, Turning, turned
from dalembert.model.mechanism.vectors import add, cross, multiply, sub
from dalembert.model.mechanism.views import EULER, SpatialView
from dalembert.survey.redundancy import redundancies_of

_NOTHING = 1e-10  # part of the sum of its terms that is nothing
_NOTICED = 1e-6  # and that says something
_SHORT = 15  # operations of a formula that is written whole, also beside others in steps
Wrench = list[Expr]  # a force, and a moment about a joint, along the axes of the world


@dataclass(frozen=True)
class CarryingForces:
    """λ by condition, and what names in it stand for, in the order in which one computes."""

    values: dict[str, Expr] = field(default_factory=dict)
    names: dict[str, Expr] = field(default_factory=dict)


def carrying_forces(scene: Scene, taken: Collection[str] = (), whole: bool = False) -> CarryingForces:
    """Return λ of the conditions of joints that carry, and of drives whose coordinate is none.

    Those that share their load with others are left out. In space there are none where users add to the kinetic energy,
    or to the rates of Euler parameters. taken: names that mean something else; whole: without names, however long.
    """
    system = scene.system
    if not isinstance(system, Mechanism) or not system.tree.branches:
        return CarryingForces()
    if len(scene.blocks.q) + scene.rank > MAX_UNKNOWNS:
        return CarryingForces()
    if system.dimensions == 2:
        return _Balances(scene, system, system.absolute).all(taken, whole)
    other = turned(system.absolute)
    return CarryingForces() if other is None else _SpatialBalances(scene, system, other).all(taken, whole)


class _Balances:
    """What acts on all that hangs on each joint of a tree, seen in its coordinates; `bodies` has them one by one."""

    def __init__(self, scene: Scene, mechanism: Mechanism, bodies: Mechanism | Turned):
        self.scene, self.mechanism, self.whole = scene, mechanism, mechanism.absolute
        self.blocks: Blocks = derive_blocks(bodies)  # pyright: ignore[reportArgumentType]
        self.index = {name: j for j, name in enumerate(bodies.coordinates)}
        self.rows = {constraint.name: i for i, constraint in enumerate(bodies.constraints)}
        self.behind: dict[str, list[str]] = {}  # the bodies that hang on a body, and itself
        for branch in reversed(mechanism.tree.branches):
            self.behind.setdefault(branch.body, []).insert(0, branch.body)
            self.behind.setdefault(branch.parent, []).extend(self.behind[branch.body])

    def all(self, taken: Collection[str], whole: bool) -> CarryingForces:
        """Return λ by condition: whole, or in steps where that is long and not asked for."""
        shared = self._shared()
        if whole:
            return CarryingForces(self._found(WholeLines(self.scene, self._seen), shared))
        way = SteppedLines(self.scene, self._seen, taken, self._carriers(), self._angles(), self._says)
        steps, names = self._found(way, shared), way.ordered
        if not can_be_whole(list(steps.values()), names):
            return CarryingForces(steps, names)
        values = self._found(WholeLines(self.scene, self._seen), shared)
        values = {name: ZERO if self._vanishes(value) else value for name, value in values.items()}
        mixed = {name: value if operations(value) <= _SHORT else steps[name] for name, value in values.items()}
        used = needed(mixed.values(), names)
        return (
            CarryingForces(mixed, used)
            if is_better(list(mixed.values()), used, list(values.values()))
            else CarryingForces(values)
        )

    def _found(self, way: WholeLines, shared: Collection[str]) -> dict[str, Expr]:
        """Return λ by condition, written in one way; without those that share their load."""
        found: dict[str, Expr] = {}
        rest = self._rest(way)
        for branch in self.mechanism.tree.branches:
            names = self._conditions(branch)
            if not set(shared).issuperset(names):
                found |= self._solved(branch, names, rest, way)
        return {name: value for name, value in found.items() if name not in shared}

    def _carriers(self) -> dict[str, str]:
        """Return by coordinate of the place of a body that of the body which carries it."""
        bodies, count = self.mechanism.bodies, self.mechanism.dimensions
        pairs = [(bodies[branch.body], bodies[branch.parent]) for branch in self.mechanism.tree.branches]
        return {
            x: y
            for body, carrier in pairs
            for x, y in zip(body.coordinates[:count], carrier.coordinates[:count], strict=False)  # the ground has none
        }

    def _angles(self) -> dict[Expr, Expr]:
        """Return the symbols of angles of bodies by what they are, if that is more than a symbol."""
        bodies = self.mechanism.bodies
        symbols = (se.Symbol(bodies[b.body].coordinates[-1]) for b in self.mechanism.tree.branches)
        return {value: angle for angle in symbols if (value := self._seen(angle)).is_Add}

    @staticmethod
    def _says(name: str) -> str:
        """Return how a coordinate of a body is called."""
        return name

    def _vanishes(self, expr: Expr) -> bool:
        """Tell whether equations of motion make nothing of it: no moment is needed where what hangs on it turns.

        That is seen at the pilot's points, if they are like all others. A term that is next to nothing at all of them
        need not be so elsewhere: then the formula stays.
        """
        if expr == 0 or total([expr]) > MAX_TOTAL or not self._is_alike_everywhere(expr):
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
        if not self.scene.redundancies and closing <= {c.name for c in self.mechanism.constraints}:
            return set()
        return {name for one in redundancies_of(self.mechanism.placed) for name in (one.name, *one.others)}

    def _rest(self, way: WholeLines) -> list[Expr]:
        """Return M ẍ − f − Aᵀλ by coordinate of bodies, with the λ of what closes loops, in coordinates of the tree."""
        b = self.blocks
        names = [self.mechanism.constraints[i].name for i in self.scene.kept]
        closing = {self.rows[name]: self.scene.fresh("lambda", name) for name in names if name in self.rows}
        parts: list[list[Expr]] = [[-way.seen(self.scene.named(b.rho.get(i, ZERO)))] for i in range(len(b.q))]
        given = {q.name: f for q, f in zip(b.q, b.f, strict=True)}
        rest, named = way.apart(given, self.whole.elements) if self.whole.dimensions == 2 else (given, {})
        for i, (f, q) in enumerate(zip(way.forces(rest), b.q, strict=True)):
            parts[i].append(-f - named.get(q.name, ZERO))
        for (i, j), entry in b.M.items():
            parts[i].append(way.seen(entry * se.Symbol(f"{b.q[j].name}''")))
        for (i, j), entry in b.A.items():
            if i in closing:
                parts[j].append(-way.seen(entry) * closing[i])
        return [se.Add(*terms) for terms in parts]

    def _seen(self, expr: Expr) -> Expr:
        """Return an expression of bodies one by one in coordinates of the tree."""
        return self.mechanism.meant(expr)

    def _solved(self, branch: Branch, names: list[str], rest: list[Expr], way: WholeLines) -> dict[str, Expr]:
        """Return λ of the conditions of a joint: (G Gᵀ)⁻¹ G W, where G Gᵀ is mostly 1."""
        seen, A, plainly = self._seen, self.blocks.A, WholeLines(self.scene, self._seen)
        G = [self._wrench(branch, lambda j, i=self.rows[name]: seen(A.get((i, j), ZERO)), plainly) for name in names]
        G = [self._constant(self._written(row)) for row in G]
        W = self._wrench(branch, lambda j: rest[j], way)
        products = [self._constant(self._written([_dot(one, other) for other in G])) for one in G]
        right = [_dot(row, W) for row in G]
        if products != [[ONE if i == j else ZERO for j in range(len(G))] for i in range(len(G))]:
            right = list(se.DenseMatrix(products).inv() * se.DenseMatrix(right))
        return dict(zip(names, way.lines(right, names), strict=True))

    def _constant(self, expressions: list[Expr]) -> list[Expr]:
        """Put 0, 1 and −1 in the place of what is that wherever the joints of the tree are, and at any time."""
        known = Program(self.scene.inputs, [numbers(expr) for expr in expressions]).arrays(list(self._anywhere))
        found = []
        for expr, values in zip(expressions, known, strict=True):
            whole = np.round(values[0])
            constant = abs(whole) <= 1 and np.all(np.abs(values - whole) < _NOTHING)
            found.append(se.Integer(int(whole)) if constant else expr)
        return found

    @cached_property
    def _anywhere(self) -> Any:
        """Values of t, q, v and parameters at random places of the joints of the tree, whether or not loops close."""
        points, names = self.scene.points.copy(), [symbol.name for symbol in self.scene.inputs]
        random = np.random.default_rng(5)
        count = 1 + len(self.mechanism.coordinates)
        points[:count] = random.uniform(0.3, 1.2, (count, points.shape[1]))
        tree = self.mechanism.tree
        quadruples = [[branch.names[e] for e in EULER] for branch in tree.branches if EULER[0] in branch.names]
        quadruples += [list(self.mechanism.bodies[name].coordinates[3:]) for name in tree.free]
        for e in filter(None, quadruples):  # none of particles, and in the plane
            rows = [names.index(name) for name in e]
            points[rows] /= np.linalg.norm(points[rows], axis=0)
        return points

    def _wrench(self, branch: Branch, of: Callable[[int], Expr], way: WholeLines) -> Wrench:
        """Add up what acts on the coordinates of all bodies that hang on a joint: force, and moment about the joint."""
        X, Y = self.mechanism.joints[branch.joint].markers[1].place
        along_x, along_y, about = [], [], []
        for name in self.behind[branch.body]:
            body = self.mechanism.bodies[name]
            (x, y, _), (fx, fy, *m) = body.view.q, (of(self.index[q]) for q in body.coordinates)
            along_x.append(fx)
            along_y.append(fy)
            beside, above = (
                way.arm(f"{c}_{name}_{branch.joint}", d) for c, d in zip("xy", (x - X, y - Y), strict=True)
            )
            about += [*m, beside * fy, -above * fx]  # no moment of a particle
        return [se.Add(*along_x), se.Add(*along_y), se.Add(*about)]

    def _written(self, expressions: list[Expr]) -> list[Expr]:
        """Write expressions in few operations."""
        return [short(self.scene, expr) for expr in expressions]


class _SpatialBalances(_Balances):
    """The same in space, with forces along the axes of the world, and moments about those of each body."""

    @cached_property
    def _known(self) -> dict[Expr, Expr]:
        """What symbols of bodies one by one are in coordinates of the tree."""
        mechanism = self.mechanism
        rates = dict(zip(map(se.Symbol, mechanism.coordinates), map(se.Symbol, mechanism.velocities), strict=True))
        rates |= {v: se.Symbol(f"{v.name}'") for v in rates.values()} | {se.Symbol(TIME): ONE}
        found: dict[Expr, Expr] = {}
        for name, body in mechanism.bodies.items():
            if name == GROUND:
                continue
            view, turning, q, v = body.view, Turning(body, (), 0), body.coordinates, body.view.v
            found |= {se.Symbol(x): value for x, value in zip(q, view.q, strict=False)}  # a particle has a place only
            found |= {se.Symbol(f"{x}'"): value for x, value in zip(q, v, strict=False)}
            found |= {se.Symbol(f"{x}''"): rate_by(value, rates) for x, value in zip(q[:3], v, strict=False)}
            if isinstance(view, SpatialView) and view.turns:
                found |= zip(sum(turning.matrix(0), ()), sum(view.R, ()), strict=True)
                found |= zip(turning.omega, view.omega, strict=True)
                faster = [se.Symbol(f"{w.name}'") for w in turning.omega]
                found |= zip(faster, (rate_by(w, rates) for w in view.omega), strict=True)
        return {symbol: value for symbol, value in found.items() if symbol != value}

    def _angles(self) -> dict[Expr, Expr]:
        return {}

    @staticmethod
    def _says(name: str) -> str:
        """Return how a coordinate is called, turns and rotation matrices by the letters of theory."""
        what, _, body = name.partition(" ")
        if what in TURNS:
            return f"{'xyz'[TURNS.index(what)]}_{body}"
        return f"R_{body}_{what.removeprefix('R')}" if body else name

    def _seen(self, expr: Expr) -> Expr:
        return expr.xreplace({s: self._known[s] for s in expr.free_symbols if s in self._known})

    def _wrench(self, branch: Branch, of: Callable[[int], Expr], way: WholeLines) -> Wrench:
        place = self.mechanism.joints[branch.joint].markers[1].place
        force, moment = (ZERO,) * 3, (ZERO,) * 3
        for name in self.behind[branch.body]:
            body = self.mechanism.bodies[name]
            push = tuple(of(self.index[q]) for q in body.coordinates[:3])
            away = zip("xyz", sub(body.view.q[:3], place), strict=True)
            arm = tuple(way.arm(f"{c}_{name}_{branch.joint}", distance) for c, distance in away)
            force, moment = add(force, push), add(moment, cross(arm, push))
            if body.view.turns:
                turning = Turning(body, (), 0)
                R = tuple(tuple(map(way.seen, row)) for row in turning.matrix(0))
                moment = add(moment, multiply(R, tuple(of(self.index[turn]) for turn in turning.names[:3])))
        return [*force, *moment]


def _dot(one: Wrench, other: Wrench) -> Expr:
    return se.Add(*[a * b for a, b in zip(one, other, strict=True)])
