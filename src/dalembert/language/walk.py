"""The walk over an expression: bottom-up and without recursion, however deep it is nested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import symengine as se

from dalembert.language.building import Expr


def operands(node: Any) -> Sequence[Any]:
    """Return what an operation is applied to; a number has parts of its own, which are none."""
    return () if node.is_Number or node.is_Symbol else node.args


def fold(
    root: Any,
    combine: Callable[[Any, list], object],
    memo: dict | None = None,
    parts: Callable[[Any], Sequence[Any]] = operands,
):
    """Combine an expression from its leaves to its root: `combine(node, results of its parts)`, each node once."""
    memo = {} if memo is None else memo
    stack: list[tuple[Any, Sequence[Any] | None]] = [(root, None)]  # nodes, and their parts once these are on their way
    while stack:
        node, below = stack.pop()
        if below is not None:
            memo[node] = combine(node, [memo[part] for part in below])
        elif node not in memo:
            below = parts(node)  # asked for once: SymEngine makes them anew each time
            stack.append((node, below))
            stack.extend([(part, None) for part in below if part not in memo])
    return memo[root]


def has(root: Any, kinds: type | tuple[type, ...]) -> bool:
    """Tell whether a node of some kinds stands in an expression; shared parts are looked at once."""
    seen, stack = set(), [root]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        if isinstance(node, kinds):
            return True
        seen.add(node)
        stack.extend(operands(node))
    return False


class Remembered:
    """Combines expressions as `fold` does, and remembers what it found of their parts, which come again and again."""

    _KEPT = 100_000  # parts; then it begins anew

    def __init__(self, combine: Callable[[Any, list], object]):
        self._combine = combine
        self._known: dict = {}

    def __call__(self, root: Any) -> Any:
        """Combine an expression."""
        if len(self._known) > self._KEPT:
            self._known = {}  # another one: who is at work with the old one keeps it
        return fold(root, self._combine, self._known)


def rebuild(node: Expr, args: Sequence[Expr]) -> Expr:
    """Make a node of the same kind with other arguments; without arguments, or with the same, it stays as it is."""
    if not args or all(new is old or new == old for new, old in zip(args, node.args, strict=True)):
        return node
    if node.is_Add:
        return se.Add(*args)
    if node.is_Mul:
        return se.Mul(*args)
    return args[0] ** args[1] if node.is_Pow else node.func(*args)
