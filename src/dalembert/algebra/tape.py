"""A tape: scalar operations recorded as they are made, each once.

Scalars of a tape are nodes, or plain floats where a value is known: what can be computed now is computed now, what is
zero by structure is never recorded, and equal operations are one node. An algorithm written over any scalars, run on
nodes, leaves behind the straight-line program that it stands for.
"""

from __future__ import annotations

import math
from typing import Any

from dalembert.language.functions import EVEN, FLOATS, ODD, operation

CONSTANT, LOAD = "constant", "load"
FREE = (CONSTANT, LOAD)  # what costs no operation
_COMMUTATIVE = frozenset(["+", "*", "max", "min"])


class TapeFull(Exception):
    """More operations than were allowed."""


class Tape:
    """Records operations; also the arithmetic in which generic algorithms run on nodes.

    `nodes[k]` is a name with its operands: numbers of earlier nodes, or ("constant", value), ("load", array, index).

    >>> tape = Tape()
    >>> x, y = tape.load("in", 0), tape.load("in", 1)
    >>> z = x * y + 0.0 * x - y * x
    >>> z, tape.operations
    (0.0, 1)
    """

    zero, one = 0.0, 1.0

    def __init__(self, limit: int | None = None, rounds: bool = True) -> None:
        self.nodes: list[tuple] = []
        self.rounds = rounds  # whether the operations will be done with rounded numbers
        self._limit = limit
        self._known: dict[tuple, Node] = {}

    @property
    def operations(self) -> int:
        """Count what costs time."""
        return sum(node[0] not in FREE for node in self.nodes)

    def load(self, array: str, index: int) -> Node:
        """Return the node that reads a place of an array."""
        return self.record(LOAD, array, index)

    def record(self, *key: Any) -> Node:
        """Return the node of an operation, the present one if there is one."""
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(self, len(self.nodes))
            self.nodes.append(key)
            if node._number == self._limit:
                raise TapeFull(f"more than {self._limit} operations")
        return node

    def number(self, value: Node | float) -> int:
        """Return the number of a node, or of the one that holds a constant."""
        return value._number if isinstance(value, Node) else self.record(CONSTANT, float(value))._number

    def scalar(self, number: int) -> Node | float:
        """Return the node of a number, or the constant that it holds."""
        name, *rest = self.nodes[number]
        return rest[0] if name == CONSTANT else Node(self, number)

    def operation(self, name: str, *args: Node | float) -> Node:
        """Record an operation."""
        numbers = [self.number(arg) for arg in args]
        if name in _COMMUTATIVE:
            numbers.sort()
        return self.record(name, *numbers)

    def __getitem__(self, name: str) -> Any:
        """Return a function by its name, as `Program` asks for it."""
        return lambda *args: self.call(name, *args)

    def call(self, name: str, *args: Node | float) -> Node | float:
        """Apply a function; to constants, if it has a value there."""
        if not any(isinstance(arg, Node) for arg in args):
            try:
                return FLOATS[name](*args)
            except (ArithmeticError, ValueError):
                return math.nan
        if name in ("if_lt", "if_le") and _same(args[2], args[3]):
            return args[2]
        if name in ("max", "min"):
            first, *rest = args
            for arg in rest:
                first = first if _same(first, arg) else self.operation(name, first, arg)
            return first
        negated = args[0]._operands("neg") if isinstance(args[0], Node) else None
        parity = operation(name).parity if negated else ""
        if negated and parity == EVEN:
            return self.operation(name, *negated)
        if negated and parity == ODD:
            return -self.operation(name, *negated)
        return self.operation(name, *args)


class Node:
    """A scalar on a tape."""

    __slots__ = ("_number", "_tape")

    def __init__(self, tape: Tape, number: int):
        self._tape, self._number = tape, number

    def __repr__(self) -> str:
        return f"%{self._number}"

    def _operands(self, name: str) -> list[Node] | None:
        """Return the operands if this is an operation of the given name."""
        entry = self._tape.nodes[self._number]
        return [Node(self._tape, k) for k in entry[1:]] if entry[0] == name else None

    def _negated(self) -> Node | None:
        """Return what this is the negative of; asked for so often that it is written without detours."""
        entry = self._tape.nodes[self._number]
        return Node(self._tape, entry[1]) if entry[0] == "neg" else None

    def _constant(self) -> float | None:
        entry = self._tape.nodes[self._number]
        return entry[1] if entry[0] == CONSTANT else None

    @property
    def magnitude(self) -> Node:
        """The node without a minus in front."""
        return self._negated() or self

    def _pair(self, name: str, a: int, b: int) -> Node:
        return self._tape.record(name, a, b) if a < b else self._tape.record(name, b, a)

    def __add__(self, other: Node | float) -> Node | float:
        if not isinstance(other, Node):
            return self if other == 0 else self._tape.operation("+", self, other)
        if negated := other._negated():
            return self - negated
        if negated := self._negated():
            return other - negated
        return self._pair("+", self._number, other._number)

    __radd__ = __add__

    def __sub__(self, other: Node | float) -> Node | float:
        if not isinstance(other, Node):
            return self + -other
        if self._number == other._number:
            return 0.0
        if negated := other._negated():
            return self + negated
        if negated := self._negated():
            return -(negated + other)
        return self._tape.record("-", self._number, other._number)

    def __rsub__(self, other: float) -> Node | float:
        return -self if other == 0 else self._tape.operation("-", other, self)

    def __neg__(self) -> Node:
        if negated := self._negated():
            return negated
        if difference := self._operands("-"):
            return self._tape.record("-", difference[1]._number, difference[0]._number)
        return self._tape.record("neg", self._number)

    def __mul__(self, other: Node | float) -> Node | float:
        if not isinstance(other, Node):
            return self._scaled(other)
        if negated := other._negated():
            return -(self * negated)
        if negated := self._negated():
            return -(negated * other)
        return self._pair("*", self._number, other._number)

    __rmul__ = __mul__

    def _scaled(self, factor: float) -> Node | float:
        if factor in (0, 1, -1):
            return 0.0 if factor == 0 else self if factor == 1 else -self
        if factor < 0:
            return -self._scaled(-factor)
        if negated := self._negated():
            return -negated._scaled(factor)
        if product := self._operands("*"):
            for inner, rest in (product, product[::-1]):
                if (value := inner._constant()) is not None:
                    return rest._scaled(value * factor)
        return self._tape.operation("*", self, factor)

    def __truediv__(self, other: Node | float) -> Node | float:
        """Multiply by the reciprocal: it is computed once, and a division takes as long as many products."""
        if isinstance(other, Node):
            return 1.0 if self._number == other._number else self * (1.0 / other)
        return self * (1.0 / other if other else math.inf)

    def __rtruediv__(self, other: float) -> Node | float:
        if other == 0:
            return 0.0
        if negated := self._negated():
            return -(other / negated)
        inverse = self._operands("inverse")
        return (inverse[0] if inverse else self._tape.operation("inverse", self)) * other


def _same(a: Node | float, b: Node | float) -> bool:
    if isinstance(a, Node) and isinstance(b, Node):
        return a._number == b._number
    return not isinstance(a, Node) and not isinstance(b, Node) and a == b
