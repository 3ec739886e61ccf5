"""The routines of a long tree without conditions, rolled: bodies that are carried in the same way share their code.

Outwards, one loop for each template of `model/mechanism/outward.py` finds where bodies are, how fast they move, X and S
of their links, and β, their accelerations where the joints have none. Then elements add M and f − Mβ, by kind, as in
`rolled.py`. The recursion of articulated bodies is in `rolled_recursion.py`.

Arrays: `seen`, what is read of bodies; `slope` and `beta`; `K`, the inertia of each body, joint and free body, a
triangle for each; `y`, forces and then accelerations, of the coordinates and of the velocities of bodies behind them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.algebra.tape import Node
from dalembert.blocks.kinds import Elements, Kind
from dalembert.blocks.numeric import pilot_parameters
from dalembert.blocks.symbolic import Blocks
from dalembert.blocks.tree_elements import tree_elements
from dalembert.language.building import TIME, Expr
from dalembert.language.program import Program, definitions_in
from dalembert.model.mechanism.outward import BEFORE, OWN, Carried, Outward, SymbolView, Template
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.native.loops import Loop
from dalembert.native.module import Module
from dalembert.native.rolled import RolledBuilder
from dalembert.native.solver import Scalar

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

Slope = float | tuple[int, float]  # a constant, or its place among those of the body, and its sign


def rolled_tree(system: Any, energies: bool) -> RolledTree | None:
    """Return what puts a long tree in loops; None where there are conditions, or bodies without inertia.

    energies: whether it is to compute these, too.
    """
    if system.constraints or system.states or system.followed or not _all_heavy(system):
        return None
    builder = RolledTree(system, tree_elements(system), energies)
    return builder if builder.apart else None


def _all_heavy(system: Mechanism) -> bool:
    """Tell whether every body has inertia in all directions: then so have the joints, and nothing else moves."""
    values = {se.Symbol(name): value for name, value in pilot_parameters(system).items()}
    bodies = [body for body in system.bodies.values() if body.name != GROUND]
    known: dict[Any, bool] = {}
    for body in bodies:
        if (key := (body.mass, body.inertia, body.view.turns)) not in known:
            J = np.array([[float(x.xreplace(values).n(real=True)) for x in row] for row in body.inertia])
            known[key] = float(body.mass.xreplace(values).n(real=True)) > 0
            if body.view.turns:
                known[key] &= bool(np.linalg.eigvalsh(J)[0] > 0)
    own = {name for body in bodies for name in body.coordinates}
    joints = {name for branch in system.tree.branches for name in branch.names.values()}
    return all(known.values()) and own | joints >= set(system.coordinates)


@dataclass(frozen=True)
class _Shared:
    """The expressions of a template: definitions, and X, S and b of its links, one link after the other."""

    definitions: dict[Expr, Expr]
    outputs: list[Expr]

    @classmethod
    def of(cls, template: Template) -> _Shared:
        """Take those of a template; in the plane, with symbols for cos φ and sin φ of both bodies."""
        outputs = [slope for link in template.links for slope in link.slopes.values()]
        outputs += [bias for link in template.links for bias in link.bias.values()]
        if isinstance(template.view, SymbolView):
            return cls(template.definitions, outputs)
        (_, _, phi), changes, own = template.view.q, {}, {}
        for function in (se.cos, se.sin):
            own[se.Symbol(f"{function.__name__} {OWN}")] = function(phi)
            if template.follows:
                changes[function(template.before.q[2])] = se.Symbol(f"{function.__name__} {BEFORE}")
        changes |= {value: symbol for symbol, value in own.items()}
        definitions: dict[Expr, Expr] = {}
        for symbol, value in template.definitions.items():
            definitions[symbol] = value.xreplace(changes)
            definitions |= own if symbol == phi else {}
        return cls(definitions, [output.xreplace(changes) for output in outputs])


class RolledTree(RolledBuilder):
    """Puts a long tree on tapes, once for each template and each kind of element."""

    def __init__(self, system: Mechanism, elements: Elements, energies: bool):
        self.system, self.elements, self._energetic = system, elements, energies
        self.tree: Outward = system.defined  # pyright: ignore[reportAttributeAccessIssue]
        self.n, self.s = len(system.coordinates), 0
        self.inputs = 1 + 2 * self.n + len(system.parameters)
        self.blocks = [kind.local.blocks for kind in elements.kinds]
        self.bodies = self.tree.carried
        self.wide = len(self.bodies[0].template.rows)
        self.rows = self.n + self.wide * len(self.bodies)
        self.module = Module()
        self.rolled = self.module.rolled
        self.index = {name: i for i, name in enumerate(system.coordinates)}
        self.number = {body.body: k for k, body in enumerate(self.bodies)}
        self._prepared: dict[int, _Shared] = {}
        self._number_blocks()

    def _number_blocks(self) -> None:
        """Number the triangles of K: of each body, the coordinates of each joint, and what moves freely."""
        self.groups: list[list[int]] = [
            list(range(self.n + k * self.wide, self.n + (k + 1) * self.wide)) for k in range(len(self.bodies))
        ]
        self.joints = [[self.index[name] for name in body.joint] for body in self.bodies]
        taken = {i for joint in self.joints for i in joint}
        bodies = self.system.bodies  # pyright: ignore[reportAttributeAccessIssue]
        free = [[self.index[name] for name in body.coordinates if name in self.index] for body in bodies.values()]
        self.free = [group for group in free if group and not taken.intersection(group)]
        self.groups += [*self.joints, *self.free]
        self.home = {i: (number, a) for number, group in enumerate(self.groups) for a, i in enumerate(group)}
        sizes = [len(group) * (len(group) + 1) // 2 for group in self.groups]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()

    def entry_place(self, i: int, j: int) -> int:
        """Return where the inertia between two unknowns of one group lies in K."""
        (group, a), (_, b) = self.home[i], self.home[j]
        a, b = (a, b) if a >= b else (b, a)
        return self.starts[group] + a * (a + 1) // 2 + b

    @cached_property
    def present(self) -> list[set[tuple[int, int]]]:
        """Which entries of each group elements fill, in numbers of the group, the lower triangle."""
        found: list[set[tuple[int, int]]] = [set() for _ in self.groups]
        for kind, blocks in zip(self.elements.kinds, self.blocks, strict=True):
            for coordinates in kind.coordinates.tolist():
                for a, b in blocks.M:
                    (group, i), (_, j) = self.home[coordinates[a]], self.home[coordinates[b]]
                    if i >= j:
                        found[group].add((i, j))
        return found

    @cached_property
    def apart(self) -> bool:
        """Whether M couples nothing but the velocities of one body, or the coordinates of one joint."""
        for kind, blocks in zip(self.elements.kinds, self.blocks, strict=True):
            for coordinates in kind.coordinates.tolist():
                if any(self.home[coordinates[a]][0] != self.home[coordinates[b]][0] for a, b in blocks.M):
                    return False
        return True

    # --- what is read of bodies --------------------------------------------------------------------------------------

    @cached_property
    def _labelled(self) -> dict[str, Expr]:
        """Local symbols of a body, by their labels in elements."""
        view = self.bodies[0].template.view
        return {label: symbol for symbol, label in view.turning.labels.items()} if isinstance(view, SymbolView) else {}

    @cached_property
    def wanted(self) -> dict[Expr, int]:
        """The local symbols of a body that elements or other bodies read, and where they lie."""
        found: set[Expr] = set()
        rows = self.bodies[0].template.rows
        for kind, blocks in zip(self.elements.kinds, self.blocks, strict=True):
            used = _used(kind, self._energetic)
            for a, i in enumerate(kind.coordinates[0].tolist()):
                row = rows[(i - self.n) % self.wide] if i >= self.n else None
                for symbol, prime in ((blocks.q[a], ""), (blocks.v[a], "'")) if row else ():
                    found |= {se.Symbol(f"{row}{prime}")} if symbol in used else set()
            found |= {self._labelled[label] for symbol, (_, label) in kind.local.labels.items() if symbol in used}
        templates = list({id(body.template): body.template for body in self.bodies}.values())
        while True:
            found = {symbol for symbol in found if symbol in self._shared(templates[0]).definitions}
            before = set().union(*(self._inputs(template, found) for template in templates if template.follows))
            more = {se.Symbol(x.name.replace(BEFORE, OWN)) for x in before if BEFORE in x.name}
            if more <= found:
                return {symbol: k for k, symbol in enumerate(sorted(found, key=str))}
            found |= more

    def _inputs(self, template: Template, wanted: set[Expr]) -> set[Expr]:
        """Return what a body needs of the body before, of its joint and of the parameters."""
        shared = self._shared(template)
        outputs = [*wanted, *shared.outputs]
        needed = definitions_in(outputs, shared.definitions)
        used = set().union(*(x.free_symbols for x in (*outputs, *needed.values())))
        return used - needed.keys()

    def _shared(self, template: Template) -> _Shared:
        """Return a template in which cos φ and sin φ of a body are computed once, and then read."""
        if id(template) not in self._prepared:
            self._prepared[id(template)] = _Shared.of(template)
        return self._prepared[id(template)]

    def evaluated(self, loop: Loop, blocks: Blocks, outputs: list[Expr]) -> list[Scalar]:
        """Put expressions of an element on a tape."""
        load, count = loop.routine.tape.load, len(self.system.parameters)
        kind = next(kind for kind, own in zip(self.elements.kinds, self.blocks, strict=True) if own is blocks)
        read: dict[Expr, Callable[[], Scalar]] = {blocks.t: lambda: load("in", 0)}
        for a, i in enumerate(kind.coordinates[0].tolist()):
            for symbol, what in ((blocks.q[a], "q"), (blocks.v[a], "v")):
                array = "in" if i < self.n else "seen"
                read[symbol] = lambda a=a, what=what, array=array: loop.load(array, (what, a))
        for symbol, (a, label) in kind.local.labels.items():
            read[symbol] = lambda a=a, label=label: loop.load("seen", (self._labelled[label], a))
        for k, symbol in enumerate(blocks.parameters):
            read[symbol] = lambda k=k: load("in", self.inputs - count + k)
        used = sorted(set().union(*(output.free_symbols for output in outputs)), key=str)
        return Program(used, outputs)([read[symbol]() for symbol in used], loop.routine.tape)

    def _place(self, key: Any, coordinates: list[int], rows: list[int], offsets: list[int]) -> int:
        match key:
            case ("q" | "v" as what, a) if coordinates[a] >= self.n:
                body, row = divmod(coordinates[a] - self.n, self.wide)
                name = self.bodies[body].template.rows[row]
                return self._seen_place(body, se.Symbol(name if what == "q" else f"{name}'"))
            case ("q", a):
                return 1 + coordinates[a]
            case ("v", a):
                return 1 + self.n + coordinates[a]
            case ("M", a, b):
                return self.entry_place(coordinates[a], coordinates[b])
            case ("f", a):
                return coordinates[a]
            case ("beta", a):
                return coordinates[a] - self.n
            case (symbol, a):
                return self._seen_place((coordinates[a] - self.n) // self.wide, symbol)
        raise KeyError(key)

    def _seen_place(self, body: int, symbol: Expr) -> int:
        return body * len(self.wanted) + self.wanted[symbol]

    # --- outwards ----------------------------------------------------------------------------------------------------

    @cached_property
    def slopes(self) -> dict[int, dict[tuple[str, str], Slope]]:
        """X and S of each template: constants, or places."""
        return {}

    def outward(self) -> str:
        """Return the call that finds the motion of all bodies, X and S, and β."""
        loops: dict[int, Loop] = {}
        tasks = []
        self.most = 1
        for body in self.bodies:
            key = id(body.template)
            if key not in loops:
                loops[key] = self._outward(body.template)
        for number, body in enumerate(self.bodies):
            tasks.append(
                loops[id(body.template)].add(lambda array, key, n=number, b=body: self.body_place(array, key, n, b))
            )
        sizes = {"seen": len(self.wanted), "slope": self.most, "beta": self.wide}
        self.rolled.sizes |= {array: max(1, size * len(self.bodies)) for array, size in sizes.items()}
        self.rolled.sizes |= {"K": self.starts[-1], "y": self.rows}
        return self.sweep("outward", tasks)

    def _outward(self, template: Template) -> Loop:
        loop = self.loop("outward")
        tape, wanted = loop.routine.tape, list(self.wanted)
        used = sorted(self._inputs(template, set(wanted)), key=str)
        shared = self._shared(template)
        program = Program(used, [*wanted, *shared.outputs], shared.definitions)
        values = iter(program([self._read(loop, template, symbol) for symbol in used], tape))
        for symbol in wanted:
            loop.store("seen", symbol, next(values))
        slopes: dict[tuple[str, str], Scalar] = {}
        for link in template.links:
            slopes |= {place: next(values) for place in link.slopes}
        kept, places = self.slopes.setdefault(id(template), {}), dict[int, int]()
        for place, value in slopes.items():
            if not isinstance(value, Node):
                kept[place] = float(value)
                continue
            plain = value.magnitude
            spot = places.setdefault(tape.number(plain), len(places))
            kept[place] = spot, 1.0 if plain is value else -1.0
            loop.store("slope", spot, plain)
        self.most = max(self.most, len(places))
        beta: dict[str, Scalar] = {}
        for link in template.links:
            bias = {row: next(values) for row in link.bias}
            for row in link.rows:
                total = bias.get(row, 0.0)
                for column in link.columns:
                    if (row, column) in slopes and not column.startswith("joint "):
                        known = (
                            beta[column] if column in beta else loop.load("beta", column) if template.follows else 0.0
                        )
                        total = total + slopes[row, column] * known
                beta[row] = total
                loop.store("beta", row, total)
        return loop

    def _read(self, loop: Loop, template: Template, symbol: Expr) -> Scalar:
        name, load = symbol.name, loop.routine.tape.load
        if name == TIME:
            return load("in", 0)
        if " " not in name:
            count = len(self.system.parameters)
            return load("in", self.inputs - count + list(self.system.parameters).index(name))
        return loop.load("seen" if template.follows and BEFORE in name else "in", symbol)

    def body_place(self, array: str, key: Any, number: int, body: Carried) -> int:
        """Find the place of what the loops of a body call by a local name."""
        match array:
            case "seen" if BEFORE in key.name:
                return self._seen_place(self.number[body.before], se.Symbol(key.name.replace(BEFORE, OWN)))
            case "seen":
                return self._seen_place(number, key)
            case "in":
                name = body.name(key.name)
                return 1 + self.index[name] if name in self.index else 1 + self.n + self.index[name[:-1]]
            case "slope":
                return number * self.most + key
            case "beta":
                return self.row_place(key, number, body) - self.n
        raise KeyError(array)

    def row_place(self, name: str, number: int, body: Carried) -> int:
        """Find the place of a velocity among all, by its local name."""
        if name in (rows := body.template.rows):
            return self.n + number * self.wide + rows.index(name)
        if BEFORE in name and body.template.follows:
            return self.n + self.number[body.before] * self.wide + rows.index(name.replace(BEFORE, OWN))
        return self.index[body.name(name)]

    # --- elements ----------------------------------------------------------------------------------------------------

    def added(self, name: str) -> list[str]:
        """Return the calls that add up K and, in y, f − Mβ."""

        def fill(loop: Loop, kind: Kind, b: Blocks) -> None:
            M = {(i, j): entry for (i, j), entry in b.M.items() if i >= j}
            values = iter(self.evaluated(loop, b, [*M.values(), *b.f]))
            entries = {place: next(values) for place in M}
            f = list(values)
            first = kind.coordinates[0].tolist()
            for (i, j), value in entries.items():
                shared = any(self.adding[x[i], x[j]] > 1 for x in kind.coordinates.tolist())
                self._add(loop, "K", ("M", i, j), value, shared)
                for a, c in {(i, j), (j, i)}:
                    if first[c] >= self.n:
                        f[a] = f[a] - value * loop.load("beta", ("beta", c))
            for a, force in enumerate(f):
                if not isinstance(force, float) or force != 0:
                    loop.store("y", ("f", a), loop.load("y", ("f", a)) + force)

        zero = [self.fill(f"{name}.y", "y", self.rows)]
        if any(count > 1 for count in self.adding.values()):
            zero.append(self.fill(f"{name}.K", "K", self.starts[-1]))
        return [*zero, self.over_elements(name, fill)]

    @cached_property
    def adding(self) -> dict[tuple[int, int], int]:
        """How many elements add to an entry of M."""
        found: dict[tuple[int, int], int] = {}
        for kind, blocks in zip(self.elements.kinds, self.blocks, strict=True):
            for coordinates in kind.coordinates.tolist():
                for a, b in blocks.M:
                    place = coordinates[a], coordinates[b]
                    found[place] = found.get(place, 0) + 1
        return found


def _used(kind: Kind, energies: bool) -> set[Expr]:
    """Return the symbols in the equations of an element, and in its energies and powers."""
    b = kind.local.blocks
    parts = [*b.M.values(), *b.f]
    if energies:
        acting = kind.local.forces
        parts += [b.energy, kind.local.kinetic, kind.local.potential, *acting.values()]
        parts += [v for q, v in zip(b.q, b.v, strict=True) if q.name in acting]
    return set().union(*(part.free_symbols for part in parts if part is not None))
