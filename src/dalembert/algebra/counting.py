"""How large would it be? Operations counted on a shared graph, before any formula is expanded."""

from __future__ import annotations


class Counting:
    """An arithmetic whose scalars are nodes of a graph in which equal operations are one node."""

    def __init__(self) -> None:
        self._nodes: dict[tuple, Node] = {}
        self.zero, self.one = self.leaf(), self.leaf()

    @property
    def operations(self) -> int:
        """Count the operations made so far."""
        return len(self._nodes)

    def leaf(self) -> Node:
        """Return something that costs nothing."""
        return Node(self)

    def operation(self, kind: str, *args: Node) -> Node:
        """Return the node of an operation; trivial ones cost nothing."""
        if kind in "+-" and args[-1] is self.zero:
            return args[0]
        if kind == "+" and args[0] is self.zero:
            return args[1]
        if kind == "*" and self.zero in args:
            return self.zero
        if kind in "*/" and args[-1] is self.one:
            return args[0]
        key = (kind, *map(id, args))
        if key not in self._nodes:
            self._nodes[key] = Node(self)
        return self._nodes[key]


class Node:
    """A scalar that only counts."""

    __slots__ = ("_graph",)

    def __init__(self, graph: Counting):
        self._graph = graph

    def __add__(self, other: Node) -> Node:
        return self._graph.operation("+", self, other)

    def __sub__(self, other: Node) -> Node:
        return self._graph.operation("-", self, other)

    def __mul__(self, other: Node) -> Node:
        return self._graph.operation("*", self, other)

    def __truediv__(self, other: Node) -> Node:
        return self._graph.operation("/", self, other)

    def __neg__(self) -> Node:
        return self._graph.operation("n", self)
