"""The routines of a large system, rolled: one function per kind of element and per kind of elimination step.

Elements are evaluated by kind. Elimination goes body by body and joint by joint: a step takes out the unknowns of one
and changes the rows of its neighbours, all in straight-line code; steps of the same shape share it. So code and compile
time grow with the number of kinds, and what grows with the system are tables. The arrays are those of `build.py`, with
the filled matrix K (entries of the matrix in front) and the solution of one solve, y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import symengine as se

from dalembert.algebra import quasidefinite
from dalembert.blocks.assembled import is_large
from dalembert.blocks.kinds import Elements, Kind
from dalembert.blocks.symbolic import Blocks
from dalembert.forms.augment import augmentation
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.model.system import System
from dalembert.native.build import ENOUGH, distances, energy_outputs, without_noise
from dalembert.native.codegen import Kernel, Repeat, Rolled
from dalembert.native.fronts import Fronts, Place, Scalar, mass_place
from dalembert.native.groups import REFINEMENTS, Module
from dalembert.native.loops import Fill, Loop, Sweep
from dalembert.native.routine import Routine

_MANY = 120_000  # operations of a group: beyond, straight-line code takes long to compile
_COARSE = 60  # operations of an instance, beyond which looking up its places hardly matters


class RolledBuilder:
    """Puts the elements of a system on tapes, once for each kind."""

    def __init__(self, system: System, elements: Elements):
        self.system, self.elements = system, elements
        self.n, self.s = len(system.coordinates), len(system.constraints)
        self.inputs = 1 + 2 * self.n + len(system.parameters)
        self.blocks: list[Blocks] = [without_noise(kind.local) for kind in elements.kinds]
        self.entry: dict[Place, int] = {}  # of the matrix: M, the lower triangle, and A below it
        self.shares: dict[Place | int, int] = {}  # how many elements add to an entry, or to a component of f
        for kind, blocks in zip(elements.kinds, self.blocks, strict=True):
            for coordinates, rows in zip(kind.coordinates.tolist(), kind.rows.tolist(), strict=True):
                self._number(blocks, coordinates, rows)
        self.module = Module()
        self.rolled = Rolled()

    def _number(self, blocks: Blocks, coordinates: list[int], rows: list[int]) -> None:
        for a, b in blocks.M:
            if a >= b:
                place = mass_place(coordinates[a], coordinates[b])
                self.entry.setdefault(place, len(self.entry))
                self.shares[place] = self.shares.get(place, 0) + 1
        for i, j in blocks.A:
            self.entry.setdefault((self.n + rows[i], coordinates[j]), len(self.entry))
        for a, force in enumerate(blocks.f):
            if force != 0:
                self.shares[coordinates[a]] = self.shares.get(coordinates[a], 0) + 1

    # --- pieces ------------------------------------------------------------------------------------------------------

    def loop(self, name: str) -> Loop:
        """Make a loop, its name made unique."""
        loop = Loop(Routine(f"{name}.{len(self.rolled.loops)}"))
        self.rolled.loops.append(loop)
        return loop

    def sweep(self, name: str, tasks: Iterable[tuple[str, int]]) -> str:
        """Add a sweep over instances, and return its name."""
        self.rolled.sweeps.append(Sweep(name, list(tasks)))
        return name

    def fill(self, name: str, array: str, size: int, start: int = 0, source: str | None = None) -> str:
        """Add the filling of an array, and return its name."""
        self.rolled.fills.append(Fill(name, array, start, size, source))
        return name

    def routine(self, name: str, **stores: list[Scalar]) -> Routine:
        """Add a plain routine, and return it."""
        routine = Routine(name)
        for array, values in stores.items():
            routine.store(array, values)
        self.module.add(routine)
        return routine

    # --- elements ----------------------------------------------------------------------------------------------------

    def evaluated(self, loop: Loop, blocks: Blocks, outputs: list[Expr]) -> list[Scalar]:
        """Put expressions of an element on a tape."""
        tape = loop.routine.tape
        count = len(blocks.q)
        q = [loop.load("in", ("q", a)) for a in range(count)]
        v = [loop.load("in", ("v", a)) for a in range(count)]
        parameters = [tape.load("in", 1 + 2 * self.n + k) for k in range(len(self.system.parameters))]
        parameters += [loop.load("offset", ("offset", k)) for k in range(len(blocks.parameters) - len(parameters))]
        inputs = [blocks.t, *blocks.q, *blocks.v, *blocks.parameters]
        return Program(inputs, outputs)([tape.load("in", 0), *q, *v, *parameters], tape)

    def over_elements(self, name: str, fill: Callable[[Loop, Kind, Blocks], None]) -> str:
        """Make a sweep over all elements with one loop for each kind, filled by a function."""
        tasks = []
        for kind, blocks in zip(self.elements.kinds, self.blocks, strict=True):
            loop = self.loop(name)
            fill(loop, kind, blocks)
            if not loop.routine.stores:
                self.rolled.loops.remove(loop)
                continue
            for where in zip(kind.coordinates.tolist(), kind.rows.tolist(), kind.offsets.tolist(), strict=True):
                tasks.append(loop.add(lambda array, key, where=where: self._place(key, *where)))
        return self.sweep(name, tasks)

    def _place(self, key: Any, coordinates: list[int], rows: list[int], offsets: list[int]) -> int:
        """Find the place of what an element calls by a local name."""
        match key:
            case ("q", a):
                return 1 + coordinates[a]
            case ("v", a):
                return 1 + self.n + coordinates[a]
            case ("M", a, b):
                return self.entry[mass_place(coordinates[a], coordinates[b])]
            case ("A", i, j):
                return self.entry[self.n + rows[i], coordinates[j]]
            case ("f", a):
                return coordinates[a]
            case ("row", i, start):
                return start + rows[i]
            case ("offset", k):
                return offsets[k]
        raise KeyError(key)

    def stage(self, name: str, right: str) -> list[str]:
        """Return calls that fill the matrix and a right side: `forces` f, c; `positions` 0, −g; `rates` 0, −ψ."""

        def fill(loop: Loop, kind: Kind, b: Blocks) -> None:
            M = {(i, j): entry for (i, j), entry in b.M.items() if i >= j}
            residuals = {"positions": b.g, "rates": b.psi}.get(right)
            c = b.c if residuals is None else [ZERO if r is None else -r for r in residuals]
            f = b.f if right == "forces" else ()
            values = iter(self.evaluated(loop, b, [*M.values(), *b.A.values(), *f, *c]))
            for a, k in M:
                shared = any(self.shares[mass_place(x[a], x[k])] > 1 for x in kind.coordinates.tolist())
                self._add(loop, "matrix", ("M", a, k), next(values), shared)
            A = {place: next(values) for place in b.A}
            for (i, j), value in A.items():
                loop.store("matrix", ("A", i, j), value)
            for a, force in enumerate(f):
                value = next(values)
                if force != 0:
                    shared = any(self.shares[x[a]] > 1 for x in kind.coordinates.tolist())
                    self._add(loop, "right", ("f", a), value, shared)
            right_sides = list(values)
            for i, value in enumerate(right_sides):
                loop.store("right", ("row", i, self.n), value)
            if residuals is not None:
                for i, value in enumerate(distances(loop.routine.tape, A, right_sides)):
                    loop.store("out", ("row", i, self.n), value)

        zero = [
            self.fill(f"{name}.matrix", "matrix", len(self.entry)),
            self.fill(f"{name}.right", "right", self.n),
        ]
        return [*zero, self.over_elements(name, fill)]

    @staticmethod
    def _add(loop: Loop, array: str, key: Any, value: Scalar, shared: bool) -> None:
        loop.store(array, key, loop.load(array, key) + value if shared else value)

    def offsets(self) -> str:
        """Return the call that evaluates what does not move."""
        routine = self.routine("offsets")
        values = routine.loads("in", self.inputs)[1 + 2 * self.n :]
        program = Program([se.Symbol(name) for name in self.system.parameters], self.elements.offsets)
        routine.store("offset", program(values, routine.tape))
        return routine.name

    def residuals(self) -> str:
        """Return the call that gives out g and ψ."""

        def fill(loop: Loop, kind: Kind, b: Blocks) -> None:
            values = self.evaluated(loop, b, [ZERO if r is None else r for r in (*b.g, *b.psi)])
            count = len(b.g)
            for k, value in enumerate(values):
                loop.store("out", ("row", k % count, self.s * (k // count)), value)

        return self.over_elements("residuals", fill)

    def energies(self) -> list[str]:
        """Return the calls that give out T, V, T₂ − T₀ + V and the powers of forces and of explicit time."""

        def fill(loop: Loop, kind: Kind, b: Blocks) -> None:
            outputs = energy_outputs(kind.local, b)
            if all(output == 0 for output in outputs):
                return
            values = self.evaluated(loop, b, outputs)
            sums = loop.routine.loads("energy", len(values))
            loop.routine.store("energy", [old + new for old, new in zip(sums, values, strict=True)])

        sweep = self.over_elements("energies", fill)
        end = self.routine("energies.end")
        end.store("out", end.loads("energy", 5))
        return [self.fill("energies.begin", "energy", 5), sweep, end.name]

    # --- products with the matrix ------------------------------------------------------------------------------------

    def over_groups(self, name: str, fill: Callable[[Loop, list[Place], int, bool], None]) -> str:
        """Make a sweep over bodies and rows of elements: loops get the entries in local numbers, how many own unknowns.

        Entries of a body are those of M; of the rows of an element those of A, its coordinates behind the rows.
        """
        kinds: dict[tuple, Loop] = {}
        tasks = []
        for own, others, entries in self._groups():
            is_rows = own[0] >= self.n
            front = [*own, *others]
            key = (len(own), is_rows, tuple(entries))
            if key not in kinds:
                kinds[key] = self.loop(name)
                fill(kinds[key], entries, len(own), is_rows)
            if kinds[key].routine.stores:
                tasks.append(kinds[key].add(lambda array, key, front=front: self._group_place(array, key, front)))
        self.rolled.loops = [loop for loop in self.rolled.loops if loop.rows or loop.routine.stores]
        return self.sweep(name, tasks)

    def _groups(self) -> Iterable[tuple[list[int], list[int], list[Place]]]:
        for body in self.elements.bodies:
            entries = [
                (a, b) for a, i in enumerate(body) for b, j in enumerate(body) if b <= a and (i, j) in self.entry
            ]
            yield list(body), [], entries
        for kind, blocks in zip(self.elements.kinds, self.blocks, strict=True):
            count = kind.rows.shape[1]
            for coordinates, rows in zip(kind.coordinates.tolist(), kind.rows.tolist(), strict=True):
                if rows:
                    yield [self.n + row for row in rows], coordinates, [(i, count + j) for i, j in blocks.A]

    def _group_place(self, array: str, key: Any, front: list[int]) -> int:
        if array == "matrix":
            return self.entry[mass_place(front[key[0]], front[key[1]])]
        if array == "out" and isinstance(key, tuple):  # an entry of the reactions, or a power
            kind, *rest = key
            first = self.n + self.s + 3
            if kind == "entry":
                return first + self.reaction[front[rest[0]] - self.n, front[rest[1]]]
            return first + len(self.reaction) + front[rest[0]] - self.n
        if array == "in":
            return 1 + self.n + front[key]
        return front[key]

    def refine(self) -> list[str]:
        """Return the calls r = right − [[M, Aᵀ], [A, 0]] x."""

        def bodies(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            r: dict[int, Scalar] = {a: loop.load("right" if a < count else "r", a) for a in _touched(entries, count)}
            for a, b in entries:
                value = loop.load("matrix", (a, b))
                r[a] = r[a] - value * loop.load("x", b)
                if a != b:
                    r[b] = r[b] - value * loop.load("x", a)
            for a, total in r.items():
                loop.store("r", a, total)

        return [self.over_groups("refine", bodies)]

    def advance(self) -> list[str]:
        """Return the calls y = r, y = K⁻¹ y, x += y, and the measure of progress."""

        def move(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            measure: Scalar = loop.routine.tape.load("measure", 0)
            for a in range(count):
                y = loop.load("y", a)
                loop.store("x", a, loop.load("x", a) + y)
                if (a, a) in entries:
                    measure = measure + loop.load("matrix", (a, a)) * (y * y)
            loop.routine.store("measure", [measure])

        end = self.routine("solve.end")
        first, last = end.loads("progress", 2)
        measure = end.tape.load("measure", 0)
        call = end.tape.call
        done = call("if_le", measure * measure, ENOUGH * (first * last), 1.0, 0.0)
        end.store("progress", [call("if_lt", first, 0.0, measure, first), measure, done])
        copy = self.fill("solve.begin", "y", self.n + self.s, source="r")
        return [
            copy,
            "forward",
            "backward",
            self.fill("solve.zero", "measure", 1),
            self.over_groups("move", move),
            end.name,
        ]

    def finish(self, source: str = "x") -> list[str]:
        """Return the calls that give out q̈, λ and the condition of the matrix."""

        def give(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            for a in range(count):
                x = loop.load(source, a)
                loop.store("out", a, -x if is_rows else x)

        return [self.over_groups("finish", give), self._condition("finish.condition")]

    def step(self) -> list[str]:
        """Return the calls that give out the correction of a projection and, behind the residuals, the condition."""

        def give(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            if not is_rows:
                for a in range(count):
                    loop.store("out", a, loop.load("x", a))

        return [self.over_groups("step", give), self._condition("step.condition")]

    def _condition(self, name: str) -> str:
        routine = self.routine(name)
        routine.store("out", routine.loads("condition", 3), self.n + self.s)
        return name

    def reactions(self) -> list[str]:
        """Return the calls that give out, behind `finish`, Aᵢⱼ λᵢ entry by entry, and the powers λᵢ Aᵢ v."""
        places = [(i - self.n, j) for i, j in self.entry if i >= self.n]
        self.reaction = {place: k for k, place in enumerate(places)}

        def give(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            if not is_rows:
                return
            powers: dict[int, Scalar] = dict.fromkeys(range(count), 0.0)
            for i, j in entries:
                part = -(loop.load("matrix", (i, j)) * loop.load("x", i))
                loop.store("out", ("entry", i, j), part)
                powers[i] = powers[i] + part * loop.load("in", j)
            for i, power in powers.items():
                loop.store("out", ("power", i), power)

        return [self.over_groups("reactions", give)]


def _touched(entries: list[Place], count: int) -> list[int]:
    return sorted({*range(count), *(b for _, b in entries)})


def _factor(builder: RolledBuilder, epsilon: float | None) -> list[str]:
    """Make the calls that factorise the matrix."""
    fronts = Fronts(builder)
    fronts.eliminate(epsilon)
    size = builder.n + builder.s
    entries = len(builder.entry)
    builder.routine("condition.begin", condition=[0.0, 1.0, 1.0])
    end = builder.routine("condition.end")
    rank, largest, least = end.loads("condition", 3)
    end.store("condition", [rank, 1.0 / largest, end.tape.call("if_lt", 0.0, least, 1.0, 0.0)])
    factor = [
        builder.fill("K.copy", "K", entries, source="matrix"),
        builder.fill("K.zero", "K", len(fronts.K) - entries, entries),
        builder.fill("sizes.zero", "sizes", size),
        "condition.begin",
        "factor",
        "condition.end",
    ]
    sizes = dict.fromkeys(("right", "r", "x", "y", "inverse", "sizes"), size)
    builder.rolled.sizes |= sizes | {"matrix": entries, "K": len(fronts.K), "condition": 3, "energy": 5, "measure": 1}
    builder.rolled.sizes["offset"] = len(builder.elements.offsets)
    return factor


def _finished(builder: RolledBuilder, kernels: Mapping[str, tuple[list, int]]) -> Module:
    module = builder.module
    for name, (calls, outputs) in kernels.items():
        module.kernels[name] = Kernel(name, tuple(calls), builder.inputs, outputs)
    module.rolled = builder.rolled
    return module


def core(builder: RolledBuilder) -> Module:
    """Return the kernels that every motion needs."""
    factor, size = _factor(builder, quasidefinite.EPSILON), builder.n + builder.s
    begin = [
        builder.fill("begin.r", "r", size, source="right"),
        builder.fill("begin.x", "x", size),
        builder.routine("begin.progress", progress=[-1.0, 1.0, 0.0]).name,
    ]
    solve = builder.advance()
    refine = Repeat((*builder.refine(), *solve), REFINEMENTS, "progress", 2)
    solution = [*factor, *begin, *solve, refine]
    size += 3
    blocks, finish, step = builder.stage("blocks", "forces"), builder.finish(), builder.step()
    reactions = builder.reactions()
    kernels = {
        "accelerations": ([*blocks, *solution, *finish], size),
        "position_step": (["offsets", *builder.stage("gaps", "positions"), *solution, *step], size),
        "velocity_step": ([*builder.stage("rates", "rates"), *solution, *step], size),
        "everything": ([*blocks, *solution, *finish, *reactions], size + len(builder.reaction) + builder.s),
        "residuals": ([builder.offsets(), builder.residuals()], 2 * builder.s),
        "energies": (builder.energies(), 5),
    }
    module = _finished(builder, kernels)
    module.facts["pattern"] = list(builder.reaction)
    return module


def direct(builder: RolledBuilder) -> Module:
    """Return plain elimination, for positions far from those where rank is lost."""
    factor = _factor(builder, 0.0)
    solve = [builder.fill("begin", "y", builder.n + builder.s, source="right"), "forward", "backward"]
    calls = [*builder.stage("blocks", "forces"), *factor, *solve, *builder.finish("y")]
    return _finished(builder, {"direct": (calls, builder.n + builder.s + 3)})


def pivots(builder: RolledBuilder) -> Module:
    """Return the kernel of the inverse pivots of the multipliers; ε is an input behind the others."""

    def give(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
        for a in range(count if is_rows else 0):
            loop.store("out", a, -loop.load("inverse", a))

    stage = builder.stage("blocks", "forces")
    calls = [*stage, *_factor(builder, None), builder.over_groups("give", give)]
    module = _finished(builder, {})
    module.kernels["pivots"] = Kernel("pivots", tuple(calls), builder.inputs + 1, builder.n + builder.s)
    return module


GROUPS = {"core": core, "direct": direct, "pivots": pivots}


def rolled_module(system: System, name: str) -> Module | None:
    """Return a group of a system that is large enough, and repeats itself enough; None if straight code is better."""
    if name not in GROUPS or not is_large(system):
        return None
    module = GROUPS[name](RolledBuilder(system, system.repeated))
    tasks = sum(len(loop.rows) for loop in module.rolled.loops)
    enough = _MANY if module.unrolled < _COARSE * tasks else _MANY // 3
    if not module.unrolled > max(enough, 4 * module.operations) or augmentation(system):
        return None  # nothing is added to M in rolled code
    module.facts |= {"added": [], "rolled": True}
    return module
