"""Accelerations of large mechanisms in space by angular velocities, in loops; see `angular_velocities.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dalembert.blocks.kinds import Kind, find_elements
from dalembert.blocks.symbolic import Blocks
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.model.mechanism.turned import TURNS, Turned, known, turned
from dalembert.model.system import System
from dalembert.native.angular_velocities import BENT, bent, split
from dalembert.native.builder import without_noise
from dalembert.native.loops import Loop
from dalembert.native.module import Module
from dalembert.native.rolled import RolledBuilder
from dalembert.native.solver import Scalar


def rolled_turned(system: System) -> Module | None:
    """Put plain elimination of a large mechanism with angular velocities in loops, if that is possible."""
    other = turned(system)
    if other is None or any(without_noise(kind.local) is not kind.local.blocks for kind in system.repeated.kinds):
        return None
    builder = RolledTurned(system, other)
    solver = builder.solver
    calls = [*builder.stage("blocks", "forces"), *solver.solved(), *builder.finish()]
    builder.kernel("direct", [builder.seen(), *calls], builder.whole_n + builder.whole_s + 3)
    return builder.module


class RolledTurned(RolledBuilder):
    """Puts the elements of a mechanism with angular velocities on tapes, once for each kind."""

    def __init__(self, system: System, other: Turned):
        elements = find_elements(other)
        bodies = tuple(tuple(i for i in body if i < other.moving) for body in elements.bodies)
        self.system, self.turned, self.elements = system, other, replace(elements, bodies=bodies)
        self.n, self.s = other.moving, len(other.rows)
        self.whole_n, self.whole_s = len(system.coordinates), len(system.constraints)  # of the mechanism itself
        self.inputs = 1 + 2 * self.whole_n + len(system.parameters)
        parts = [split(kind.local.blocks, self._moves(kind)) for kind in elements.kinds]
        self._stretched = {id(blocks): (radial, stretching) for blocks, radial, stretching in parts}
        self._kinds = {id(blocks): kind for kind, (blocks, *_) in zip(elements.kinds, parts, strict=True)}
        self._labels: dict[str, int] = {}  # what elements read of each body, and where it lies
        self._first = {one.own[3]: k for k, one in enumerate(other.turning)}  # turns by body
        self._stretches = {one.own[6]: k for k, one in enumerate(other.turning)}
        self._settle([blocks for blocks, *_ in parts])

    def _moves(self, kind: Kind) -> Callable[[int], bool]:
        first = kind.coordinates[0].tolist()
        return lambda j: first[j] < self.turned.moving

    def evaluated(self, loop: Loop, blocks: Blocks, outputs: list[Expr]) -> list[Scalar]:
        """Put expressions of an element on a tape."""
        load, kind, count = loop.routine.tape.load, self._kinds[id(blocks)], len(self.system.parameters)
        turns = {a + k: (a, turn) for a, _ in kind.local.labels.values() for k, turn in enumerate(TURNS)}
        read: dict[Expr, Callable[[], Scalar]] = {blocks.t: lambda: load("in", 0)}
        for a, (q, v) in enumerate(zip(blocks.q, blocks.v, strict=True)):
            read[q] = lambda a=a: loop.load("in", ("q", a))
            read[v] = lambda a=a: self._read(loop, *turns[a]) if a in turns else loop.load("in", ("v", a))
        for symbol, (a, label) in kind.local.labels.items():
            read[symbol] = lambda a=a, label=label: self._read(loop, a, label)
        for k, symbol in enumerate(blocks.parameters):
            if k < count:
                read[symbol] = lambda k=k: load("in", self.inputs - count + k)
            else:
                read[symbol] = lambda k=k: loop.load("offset", ("offset", k - count))
        used = sorted(set().union(*(output.free_symbols for output in outputs)), key=str)
        return Program(used, outputs)([read[symbol]() for symbol in used], loop.routine.tape)

    def _read(self, loop: Loop, a: int, label: str) -> Scalar:
        self._labels.setdefault(label, len(self._labels))
        return loop.load("seen", ("seen", a, label))

    def _place(self, key: Any, coordinates: list[int], rows: list[int], offsets: list[int]) -> int:
        match key:
            case ("q", a):
                return 1 + self.turned.places[coordinates[a]]
            case ("v", a):
                return 1 + self.whole_n + self.turned.places[coordinates[a]]
            case ("seen", a, label):
                return self._first[coordinates[a]] + len(self.turned.turning) * self._labels[label]
            case ("norm", a):
                return self._stretches[coordinates[a]]
            case ("multiplier", i):
                return self.whole_n + self.turned.rows[rows[i]]
        return super()._place(key, coordinates, rows, offsets)

    def seen(self) -> str:
        """Return the call that finds what elements read of each body; it is made after them."""
        loop = self.loop("seen")
        values = known([loop.load("in", f"e{k}") for k in range(4)], [loop.load("in", f"e{k}'") for k in range(4)])
        for label in self._labels:
            loop.store("seen", label, values[label])
        self.rolled.sizes["seen"] = len(self._labels) * len(self.turned.turning)
        return self._over_bodies("seen", loop)

    def _over_bodies(self, name: str, loop: Loop) -> str:
        """Make a sweep over the bodies that turn."""
        numbers = {coordinate: i for i, coordinate in enumerate(self.system.coordinates)}
        tasks = []
        for k, one in enumerate(self.turned.turning):
            e = [numbers[coordinate] for coordinate in one.body.coordinates[3:]]
            places = {f"e{i}": 1 + e[i] for i in range(4)} | {f"e{i}'": 1 + self.whole_n + e[i] for i in range(4)}
            places |= {f"{name}''": i for name, i in zip((*"xyz", *TURNS), one.own, strict=False)} | {"norm": k}
            out = {f"e{i}": e[i] for i in range(4)} | {"norm": self.whole_n + one.norm}
            out |= {name: self.turned.places[i] for name, i in zip("xyz", one.own, strict=False)}
            stored = {label: k + len(self.turned.turning) * place for label, place in self._labels.items()}
            tables = {"out": out, "seen": stored}
            tasks.append(loop.add(lambda array, key, places=places, t=tables: t.get(array, places)[key]))
        return self.sweep(name, tasks)

    def finish(self) -> list[str]:
        """Return the calls that give out q̈, λ and the condition of the matrix."""

        def multiplied(loop: Loop, kind: Kind, blocks: Blocks) -> None:
            """Give out multipliers, and add up those of |e| = 1."""
            radial, stretching = self._stretched[id(blocks)]
            values = self.evaluated(loop, blocks, [*stretching.values(), *radial.values()])
            x = [loop.load("y", ("row", i, self.n)) for i in range(len(blocks.c))]
            norms: dict[int, Scalar] = {j: -force for j, force in zip(stretching, values, strict=False)}
            for (i, j), entry in zip(radial, values[len(stretching) :], strict=True):
                norms[j] = norms[j] + entry * x[i]
            for j, value in norms.items():
                if not isinstance(value, float) or value != 0:
                    loop.store("norms", ("norm", j), loop.load("norms", ("norm", j)) + value)
            for i, value in enumerate(x):
                loop.store("out", ("multiplier", i), -value)

        count = len(self.turned.turning)
        begin = self.fill("norms.begin", "norms", count)
        self.rolled.sizes["norms"] = count
        plain, turning = self.loop("finish"), self.loop("finish")
        plain.store("out", "x", plain.load("y", "x"))
        for name in "xyz":
            turning.store("out", name, turning.load("y", f"{name}''"))
        e, rates = ([turning.load("in", f"e{k}{prime}") for k in range(4)] for prime in ("", "'"))
        values = known(e, rates)
        found = bent(e, [turning.load("y", f"{turn}''") for turn in TURNS], [values[label] for label in BENT])
        for k, value in enumerate(found):
            turning.store("out", f"e{k}", value)
        turning.store("out", "norm", turning.load("norms", "norm"))
        own = {i for one in self.turned.turning for i in one.own}
        others = [(old, new) for new, old in self.turned.places.items() if new not in own]
        tasks = [plain.add(lambda array, _, to=to, of=of: to if array == "out" else of) for to, of in others]
        end = self.routine("finish.condition")
        rank, *condition = end.loads("condition", 3)
        end.store("out", [rank + float(count), *condition], self.whole_n + self.whole_s)
        rows = self.over_elements("multipliers", multiplied)
        return [begin, rows, self.sweep("finish.x", tasks), self._over_bodies("finish.e", turning), end.name]
