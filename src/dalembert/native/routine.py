"""A routine: straight-line code that reads places of arrays and writes others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.algebra.tape import FREE, LOAD, Node, Tape

CHUNK = 400  # operations of one machine function: with more, compile time grows faster than the code


@dataclass
class Routine:
    """A tape with loads at its leaves, and what is stored in the end: values by array and index."""

    name: str
    tape: Tape = field(default_factory=Tape)
    stores: dict[tuple[str, int], Node | float] = field(default_factory=dict)

    @property
    def operations(self) -> int:
        """Count the operations that the stores need."""
        stores = [(*place, self.tape.number(value)) for place, value in self.stores.items()]
        return sum(self.tape.nodes[number][0] != LOAD for number in _needed(self.tape.nodes, stores))

    def loads(self, array: str, size: int) -> list[Node]:
        """Return the nodes that read an array."""
        return [self.tape.load(array, i) for i in range(size)]

    def store(self, array: str, values: Iterable[Node | float], start: int = 0) -> None:
        """Write values to an array, one after the other."""
        for i, value in enumerate(values, start):
            self.stores[array, i] = value


class Shelf:
    """Where values lie that a routine leaves in an array for others: equal ones share a place, constants need none."""

    def __init__(self, array: str, tape: Tape, values: Mapping[Any, Node | float]):
        self._array = array
        self._places: dict[Any, float | tuple[int, bool]] = {}  # a constant, or a place and whether it is negated
        found: dict[int, int] = {}
        for key, value in values.items():
            if not isinstance(value, Node):
                self._places[key] = value
                continue
            plain = value.magnitude
            place = found.setdefault(tape.number(plain), len(found))
            self._places[key] = (place, plain is not value)

    def store(self, routine: Routine, values: Mapping[Any, Node | float]) -> None:
        """Let a routine write values, which may be others than those by which the places were found."""
        for key, place in self._places.items():
            if isinstance(place, tuple):
                routine.stores[self._array, place[0]] = -values[key] if place[1] else values[key]

    def read(self, routine: Routine) -> dict[Any, Node | float]:
        """Return the values as nodes of another routine."""
        return {key: self._node(routine, place) for key, place in self._places.items()}

    def _node(self, routine: Routine, place: float | tuple[int, bool]) -> Node | float:
        if not isinstance(place, tuple):
            return place
        node = routine.tape.load(self._array, place[0])
        return -node if place[1] else node


@dataclass
class Chunk:
    """A piece of a routine that becomes one function.

    `lines`: numbers of the nodes to compute, in order. `stores`: (array, index, number of the node). Values that are
    computed in one piece and used in another pass through the array `spill`.
    """

    lines: list[int] = field(default_factory=list)
    stores: list[tuple[str, int, int]] = field(default_factory=list)
    fetched: dict[int, int] = field(default_factory=dict)  # node -> place in `spill`
    spilled: dict[int, int] = field(default_factory=dict)


def whole(routine: Routine) -> Chunk:
    """Return a routine in one piece: what is written first comes first, so that few values wait for their use."""
    nodes, chunk = routine.tape.nodes, Chunk()
    chunk.stores = [(*place, routine.tape.number(value)) for place, value in routine.stores.items()]
    done: set[int] = set()
    for _, _, last in chunk.stores:
        stack = [last]
        while stack:
            number = stack[-1]
            missing = [k for k in operands(nodes[number]) if k not in done] if number not in done else []
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if number not in done:
                done.add(number)
                if nodes[number][0] not in FREE:
                    chunk.lines.append(number)
    return chunk


def cut(routine: Routine, size: int = CHUNK) -> list[Chunk]:
    """Leave out what no store needs, and cut the rest into pieces."""
    nodes = routine.tape.nodes
    stores = [(*place, routine.tape.number(value)) for place, value in routine.stores.items()]
    waiting: dict[int, list[tuple[str, int, int]]] = {}
    for store in stores:
        waiting.setdefault(store[2], []).append(store)
    chunks, room = [Chunk()], size
    for number in _needed(nodes, stores):
        if room <= 0:
            chunks.append(Chunk())
            room = size
        chunks[-1].lines.append(number)
        chunks[-1].stores += waiting.get(number, ())
        room -= 1 + len(waiting.pop(number, ()))
    for store in (store for rest in waiting.values() for store in rest):  # constants, and what is only passed on
        if room <= 0:
            chunks.append(Chunk())
            room = size
        chunks[-1].stores.append(store)
        room -= 1
    home = {number: k for k, chunk in enumerate(chunks) for number in chunk.lines}
    places: dict[int, int] = {}
    for k, chunk in enumerate(chunks):
        for number in chunk.lines:
            for operand in operands(nodes[number]):
                if home.get(operand, k) != k:
                    place = places.setdefault(operand, len(places))
                    chunk.fetched[operand] = chunks[home[operand]].spilled[operand] = place
    return chunks


def _needed(nodes: list[tuple], stores: list[tuple[str, int, int]]) -> list[int]:
    """Return the numbers of the nodes to compute, in order."""
    needed = [False] * len(nodes)
    for _, _, number in stores:
        needed[number] = True
    for number in reversed(range(len(nodes))):
        if needed[number]:
            for operand in operands(nodes[number]):
                needed[operand] = True
    written = {array for array, _, _ in stores}
    there = [(number, node) for number, node in enumerate(nodes) if needed[number]]
    first = [number for number, node in there if node[0] == LOAD and node[1] in written]  # read before overwritten
    return first + [number for number, node in there if node[0] not in FREE]


def operands(node: tuple) -> tuple[int, ...]:
    """Return the numbers of the nodes that an operation uses."""
    return () if node[0] in FREE else node[1:]
