"""The routines of a large system, rolled: one function per kind of element and per kind of elimination step.

Elements are evaluated by kind. Elimination goes body by body and joint by joint: a step takes out the unknowns of one
and changes the rows of its neighbours, all in straight-line code; steps of the same shape share it. So code and compile
time grow with the number of kinds, and what grows with the system are tables. Here are the elements; elimination is in
`fronts.py`, all else that is done with the matrix in `rolled_solver.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import symengine as se

from dalembert.blocks.kinds import Elements, Kind
from dalembert.blocks.symbolic import Blocks
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.model.system import System
from dalembert.native.builder import distances, without_noise
from dalembert.native.codegen import Kernel, Repeat
from dalembert.native.fronts import Place, mass_place
from dalembert.native.loops import Fill, Loop, Sweep
from dalembert.native.module import Module
from dalembert.native.rolled_solver import RolledSolver
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar


class RolledBuilder:
    """Puts the elements of a system on tapes, once for each kind."""

    def __init__(self, system: System, elements: Elements):
        self.system, self.elements = system, elements
        self.n, self.s = len(system.coordinates), len(system.constraints)
        self.inputs = 1 + 2 * self.n + len(system.parameters)
        self._settle([without_noise(kind.local) for kind in elements.kinds])

    def _settle(self, blocks: list[Blocks]) -> None:
        """Number the entries of the matrix."""
        self.blocks = blocks
        self.entry: dict[Place, int] = {}  # of the matrix: M, the lower triangle, and A below it
        self.shares: dict[Place | int, int] = {}  # how many elements add to an entry, or to a component of f
        for kind, own in zip(self.elements.kinds, blocks, strict=True):
            for coordinates, rows in zip(kind.coordinates.tolist(), kind.rows.tolist(), strict=True):
                self._number(own, coordinates, rows)
        self.module = Module()
        self.rolled = self.module.rolled

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

    @cached_property
    def apart(self) -> bool:
        """Whether M couples no bodies, so that no elimination of others changes the inertia of one."""
        home = {i: k for k, body in enumerate(self.elements.bodies) for i in body}
        return all(home[i] == home[j] for i, j in self.entry if i < self.n)

    @cached_property
    def solver(self) -> RolledSolver:
        """What solves with the matrix, and multiplies by it."""
        return RolledSolver(self)

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

    def kernel(self, name: str, calls: Sequence[str | Repeat], outputs: int, further: int = 0) -> None:
        """Add a kernel, which may have further inputs behind the others."""
        self.module.kernels[name] = Kernel(name, tuple(calls), self.inputs + further, outputs)

    # --- elements ----------------------------------------------------------------------------------------------------

    def evaluated(self, loop: Loop, blocks: Blocks, outputs: list[Expr]) -> list[Scalar]:
        """Put expressions of an element on a tape."""
        tape = loop.routine.tape
        count = len(blocks.q)
        q = [loop.load("in", ("q", a)) for a in range(count)]
        v = [loop.load("in", ("v", a)) for a in range(count)]
        count = len(self.system.parameters)
        parameters = [tape.load("in", self.inputs - count + k) for k in range(count)]
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

        zero = [self.fill(f"{name}.right", "right", self.n)]
        if any(count > 1 for place, count in self.shares.items() if isinstance(place, tuple)):
            zero.append(self.fill(f"{name}.matrix", "matrix", len(self.entry)))  # to which several elements add
        return [*zero, self.over_elements(name, fill)]

    @staticmethod
    def _add(loop: Loop, array: str, key: Any, value: Scalar, shared: bool) -> None:
        loop.store(array, key, loop.load(array, key) + value if shared else value)

    @cached_property
    def offsets(self) -> str:
        """The call that evaluates what does not move."""
        routine = self.routine("offsets")
        values = routine.loads("in", self.inputs)[self.inputs - len(self.system.parameters) :]
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

    def energies(self, parts: Callable[[System, Blocks], list[Expr]]) -> list[str]:
        """Return the calls that give out energies and powers, of which those of an element are a function."""

        def fill(loop: Loop, kind: Kind, b: Blocks) -> None:
            outputs = parts(kind.local, b)
            if all(output == 0 for output in outputs):
                return
            values = self.evaluated(loop, b, outputs)
            sums = loop.routine.loads("energy", len(values))
            loop.routine.store("energy", [old + new for old, new in zip(sums, values, strict=True)])

        sweep = self.over_elements("energies", fill)
        end = self.routine("energies.end")
        end.store("out", end.loads("energy", 5))
        return [self.fill("energies.begin", "energy", 5), sweep, end.name]
