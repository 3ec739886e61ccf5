"""A mechanism in space as a person writes it: body by body, with angular velocities in place of rates of e.

The blocks are those of Newton and Euler (`model/mechanism/turned.py`): M is constant, and A and c are made of the
rotation matrices R of the bodies. Their entries are names, and so are their rates V = R ω̃, C = V ω̃, the part of R̈ in
which ω does not change, and ω itself; each stands for a line in the coordinates of the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.writing.cost import width
from dalembert.algebra.writing.cutting import WIDEST
from dalembert.arrays import Array
from dalembert.blocks.numeric import Values
from dalembert.blocks.symbolic import Blocks, derive_blocks
from dalembert.forms.augment import held
from dalembert.forms.named_parts import NamedParts
from dalembert.forms.prepared import OnceForAll, Rows, Scene
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.model.constraint import Constraint
from dalembert.model.mechanism.turned import Turned, Turning, turned
from dalembert.model.mechanism.vectors import Vector, cross, multiply
from dalembert.model.mechanism.views import SpatialView

AXES = "xyz"


class TurningNames:
    """The names of what turns with a body, and what they stand for, each made of those before it.

    e: its Euler parameters. own: the numbers of its places x, y, z and of its turns among those that move.
    """

    def __init__(self, one: Turning, scene: Scene):
        self.one, self.body = one, one.body
        self._values = {se.Symbol(name): ZERO for name, value in scene.system.parameters.items() if value == 0}
        self.e, self.own = one.euler(0), one.own[:6]
        view, name = self.body.view, self.body.name
        named = scene.fresh
        self.omega = tuple(named(f"omega_{axis}", name) for axis in AXES)
        self.alpha = tuple(named(f"alpha_{axis}", name) for axis in AXES)
        self.theta = tuple(named(f"theta_{axis}", name) for axis in AXES)
        R, V, C = ([tuple(named(f"{letter}{i}{j}", name) for j in "123") for i in "123"] for letter in "RVC")
        self.R = tuple(R)
        moving = SpatialView(view.q, view.v, view.centre)
        self.known: dict[Expr, Expr] = dict(zip(self.omega, moving.omega, strict=True))
        self.known |= zip(sum(R, ()), sum(moving.R, ()), strict=True)
        self.known |= {x: value for row, rates in zip(R, V, strict=True) for x, value in self._turned(row, rates)}
        self.known |= {x: value for row, rates in zip(V, C, strict=True) for x, value in self._turned(row, rates)}
        # what the mechanism with angular velocities calls them
        self.renamed: dict[Expr, Expr] = dict(zip(one.omega, self.omega, strict=True))
        for order, matrix in enumerate((R, V, C)):
            self.renamed |= zip(sum(one.matrix(order), ()), sum(matrix, ()), strict=True)
        self.renamed |= {bent: -e * self.square for e, bent in zip(self.e, one.euler(2), strict=True)}

    def _turned(self, row: Vector, rates: Vector) -> Iterable[tuple[Expr, Expr]]:
        return zip(rates, cross(row, self.omega), strict=True)

    @property
    def square(self) -> Expr:
        """The square of ė, ω²/4."""
        return se.Add(*[omega**2 for omega in self.omega]) / 4

    @property
    def mean(self) -> Expr:
        """What is put on (e·ė)²/2 in the kinetic energy: 4/3 of the trace of J; 1 for |e| = 1 where that is nothing."""
        trace = se.Add(*[self.body.inertia[k][k] for k in range(3)])
        return se.Integer(1) if trace.xreplace(self._values) == 0 else plain(se.Rational(4, 3) * trace)

    @property
    def rates(self) -> dict[Expr, Expr]:
        """α = 2 E ë by its names; that of E gives nothing."""
        view = self.body.view
        bent = tuple(se.Symbol(f"{e.name}''") for e in self.e)
        faster = SpatialView(view.q, (*view.v[:3], *bent), view.centre).omega
        return dict(zip(self.alpha, faster, strict=True))

    @property
    def momentum(self) -> Vector:
        """Jω."""
        return tuple(plain(x) for x in multiply(self.body.inertia, self.omega))

    def spread(self, u: Iterable[Expr], along: Expr, e: Sequence[Expr] = ()) -> list[Expr]:
        """Return Eᵀu + e a: what is given in body axes, and along e, by Euler parameter; or Ėᵀu with its rates."""
        (u1, u2, u3), (e0, e1, e2, e3) = u, e or self.e
        across = (-e1 * u1 - e2 * u2 - e3 * u3, e0 * u1 - e3 * u2 + e2 * u3,
                  e3 * u1 + e0 * u2 - e1 * u3, e1 * u2 - e2 * u1 + e0 * u3)  # fmt: skip
        return [value + e * along for e, value in zip(self.e, across, strict=True)]


class SpatialScene(Scene):
    """A scene by bodies: coordinates are places and turns, and rows of A are those of the mechanism; |e| = 1 has none.

    stretched: A along the stretch of each body, by row and body. stretching: f along it.
    """

    named_conditions: tuple[str, ...] = ()

    def __init__(self, scene: Scene, given: Turned):
        parts = NamedParts(given, scene)
        other = parts.named()
        self.base, self.system, self.numeric = scene, scene.system, scene.numeric
        self.start, self.places, self.redundancies = scene.start, scene.places, scene.redundancies
        self.kept = [i for i in scene.kept if i in other.rows]
        self.rank = len(self.kept)
        self.memory, self.written = {}, {}
        self.other = other
        self.turns = [TurningNames(one, scene) for one in other.turning]
        self.known = {symbol: plain(value) for turn in self.turns for symbol, value in turn.known.items()}
        self.renamed = {old: new for turn in self.turns for old, new in turn.renamed.items()}
        self.parts = {symbol: plain(value.xreplace(self.renamed)) for symbol, value in parts.known.items()}
        self.known |= self.parts
        self.blocks, self.stretching, self.stretched = self._read(scene.with_reactions(derive_blocks(other)))
        self.given = self.blocks

    def _read(self, found: Blocks) -> tuple[Blocks, list[Expr], dict[tuple[int, int], Expr]]:
        """Name everything; put what is along stretches aside."""
        renamed = self.renamed

        def named(expr: Expr | None) -> Expr | None:
            return None if expr is None else plain(expr.xreplace(renamed))

        moving, rows = self.other.moving, self.other.rows
        q = list(found.q[:moving])
        for turn in self.turns:
            for place, symbol in zip(turn.own[3:], turn.theta, strict=True):
                q[place] = symbol
        v = [renamed.get(x, x) for x in found.v[:moving]]
        count = len(self.system.constraints)
        c: list[Expr] = [ZERO] * count
        g: list[Expr | None] = [None] * count
        psi: list[Expr | None] = [None] * count
        for k, i in enumerate(rows):
            c[i], g[i], psi[i] = named(found.c[k]) or ZERO, named(found.g[k]), named(found.psi[k])
        entries = {(rows[k], j): named(entry) or ZERO for (k, j), entry in found.A.items()}
        blocks = replace(
            found,
            q=tuple(q),
            v=tuple(v),
            M={place: named(entry) or ZERO for place, entry in found.M.items() if max(place) < moving},
            f=tuple(named(entry) or ZERO for entry in found.f[:moving]),
            A={(i, j): entry for (i, j), entry in sorted(entries.items(), key=lambda item: item[0]) if j < moving},
            c=tuple(c),
            g=tuple(g),
            psi=tuple(psi),
            energy=None,
        )
        stretching = [named(entry) or ZERO for entry in found.f[moving:]]
        return blocks, stretching, {(i, j - moving): entry for (i, j), entry in entries.items() if j >= moving}

    def with_parameters(self, names: Sequence[str]) -> SpatialScene:
        """Return the same with some Euler parameters among the coordinates, and ė = ½ Eᵀω as conditions on them."""
        found, b = copy(self), self.blocks
        found.memory, found.written = {}, {}
        found.__dict__.pop("_arrays", None)
        q, v, c, A = list(b.q), list(b.v), list(b.c), dict(b.A)
        for turn in self.turns:
            for k, e in enumerate(turn.e):
                if e.name in names:
                    row = len(c)
                    A[row, len(q)] = se.Integer(1)
                    for axis, place in enumerate(turn.own[3:]):
                        unit = [se.Integer(int(other == axis)) for other in range(3)]
                        A[row, place] = -turn.spread(unit, ZERO)[k] / 2
                    q.append(e)
                    v.append(turn.body.view.v[3 + k])
                    c.append(-e * turn.square)
                    found.named_conditions = (*found.named_conditions, f"rate_{e.name}")
        found.kept = [*self.kept, *range(len(b.c), len(c))]
        found.rank = len(found.kept)
        f = (*b.f, *[ZERO] * (len(q) - len(b.q)))
        found.blocks = replace(b, q=tuple(q), v=tuple(v), f=f, A=dict(sorted(A.items())), c=tuple(c))
        return found

    @property
    def names_of_conditions(self) -> list[str]:
        """What the rows of A are called."""
        return [*super().names_of_conditions, *self.named_conditions]

    def slopes(self, constraint: Constraint, turn: TurningNames) -> list[Expr]:
        """Return a row of A along the Euler parameters of a body: ∂g/∂e, or ∂ψ/∂ė = 2 Eᵀ ∂ψ/∂ω."""
        expr = plain(constraint.expression.xreplace(self.renamed))
        if constraint.level != "position":
            return turn.spread([2 * expr.diff(omega) for omega in turn.omega], ZERO)
        found = self._slopes(expr, turn)
        for part in expr.free_symbols & self.parts.keys():
            inner = self._slopes(self.parts[part], turn)
            found = [x + expr.diff(part) * y for x, y in zip(found, inner, strict=True)]
        return found

    @staticmethod
    def _slopes(expr: Expr, turn: TurningNames) -> list[Expr]:
        by_R = {x: slope for x in sum(turn.R, ()) if (slope := expr.diff(x)) != 0}
        return [se.Add(expr.diff(e), *[slope * turn.known[x].diff(e) for x, slope in by_R.items()]) for e in turn.e]

    @cached_property
    def names(self) -> frozenset[str]:
        """All that has a name in formulas of the system, and what is named here."""
        more = (*self.known, *(symbol for turn in self.turns for symbol in turn.alpha))
        return self.base.names | {symbol.name for symbol in more}

    def name_of_inertia(self, i: int, j: int) -> str:
        """Return what an entry of M is called: moments of inertia by the axes and the body."""
        for turn in self.turns:
            if {i, j} <= {*turn.own[3:]}:
                return f"J_{AXES[i - turn.own[3]]}{AXES[j - turn.own[3]]}_{turn.body.name}"
        return super().name_of_inertia(i, j)

    @property
    def inputs(self) -> list[Expr]:
        """The symbols whose values make a point: those of the mechanism, and what is named here."""
        return [*self.base.inputs, *self.known]

    @OnceForAll
    def points(self) -> Array:
        """The pilot's points."""
        values = Program(self.base.inputs, list(self.known), self.known).arrays(list(self.base.points))
        return np.vstack([self.base.points, *(np.broadcast_to(x, self.base.points.shape[1]) for x in values)])

    @OnceForAll
    def added(self) -> dict[int, int]:
        """The rows of A that make up for what M lacks, if it has no inverse in the mechanism."""
        if not self.base.added:
            return {}
        rows, empty = self._arrays, np.zeros(0)
        count, n = self.points.shape[1], len(self.blocks.f)
        M, A = (_stacked(part, n, count) for part in (rows.M, rows.A))
        return held([Values(sp.csr_array(M[k]), empty, sp.csr_array(A[k]), empty) for k in range(count)])

    @OnceForAll
    def _arrays(self) -> Rows:
        b = self.blocks
        program = Program(self.inputs, [*b.M.values(), *b.f, *b.A.values(), *b.c])
        return self._arranged(Numbers, list(program.arrays(list(self.points))))


def _stacked(rows: Sequence[Mapping[int, Any]], columns: int, count: int) -> Array:
    """Return sparse rows of values at several points as one matrix for each."""
    found = np.zeros((count, len(rows), columns))
    for i, row in enumerate(rows):
        for j, values in row.items():
            found[:, i, j] = values
    return found


def _by_matrices(other: Turned) -> Turned:
    """Return the same with rotation matrices and angular velocities where springs and loads have Euler parameters."""
    known: dict[Expr, Expr] = {}
    for one in other.turning:
        view = one.body.view
        moving = SpatialView(view.q, view.v, view.centre)
        for i, (row, symbols) in enumerate(zip(moving.R, one.matrix(0), strict=True)):
            for j, (entry, symbol) in enumerate(zip(row, symbols, strict=True)):
                known |= {entry: symbol} if i == j else _both(entry / 2, symbol / 2)
        spins = (se.Add(*[x * y for x, y in zip(row, one.omega, strict=True)]) for row in one.matrix(0))
        for rate, symbol in zip((*moving.omega, *moving.spin), (*one.omega, *spins), strict=True):
            known |= _both(rate / 2, symbol / 2)
    potential = None if other.potential is None else other.potential.xreplace(known)
    return replace(other, potential=potential, forces={q: f.xreplace(known) for q, f in other.forces.items()})


def _both(part: Expr, value: Expr) -> dict[Expr, Expr]:
    """Return what a sum stands for, and the same sum with all signs changed."""
    return {part: value, se.Add(*[-term for term in part.args]): -value}


def conditions_by_bodies(scene: Scene) -> dict[str, Expr]:
    """Return the conditions of a mechanism in space by R and ω, which are too wide for a line in its coordinates."""
    inner, found = spatial_scene(scene), {}
    if inner is None:
        return found
    for constraint in inner.other.constraints:
        i = scene.names_of_conditions.index(constraint.name)
        if width(plain(scene.system.constraints[i].expression)) > WIDEST - len(constraint.name):
            found[constraint.name] = plain(constraint.expression.xreplace(inner.renamed))
    return found


def spatial_scene(scene: Scene) -> SpatialScene | None:
    """Return a scene by bodies, found once; None where no body turns in space, or not by angular velocities."""
    if "bodies" not in scene.written:
        other = turned(scene.system)
        found = SpatialScene(scene, _by_matrices(other)) if other is not None and other.turning else None
        scene.written["bodies"] = found
    return scene.written["bodies"]
