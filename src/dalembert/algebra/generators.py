"""What formulas are made of: symbols, sines and cosines, square roots, and every other function as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import symengine as se

Expr = Any  # a SymEngine expression


def is_root(node: Expr) -> bool:
    """Tell whether it is a power of a square root."""
    return node.is_Pow and type(node.args[1]).__name__ in ("Rational", "Half") and (2 * node.args[1]).is_Integer


def parts(node: Expr) -> tuple[Expr, ...]:
    """Return the arguments that are formulas of their own; functions are generators as a whole."""
    if node.is_Add or node.is_Mul:
        return node.args
    return node.args[:1] if node.is_Pow and node.args[1].is_Integer else ()


def atoms(expressions: Iterable[Expr]) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """Collect the square roots, the arguments of sines and cosines, and all other generators of some expressions."""
    roots: dict[Expr, None] = {}
    sines: dict[Expr, None] = {}
    others: dict[Expr, None] = {}
    seen = set()
    stack = [se.sympify(expr) for expr in expressions]
    while stack:
        node = stack.pop()
        if node in seen or node.is_Number:
            continue
        seen.add(node)
        if is_root(node):
            roots[se.sqrt(node.args[0])] = None
            stack.append(node.args[0])
        elif isinstance(node, (se.sin, se.cos, se.tan)):
            sines[node.args[0]] = None
        elif parts(node):
            stack.extend(parts(node))
        else:
            others[node] = None

    def by_name(atoms: Iterable[Expr]) -> list[Expr]:
        return sorted(atoms, key=str)

    return by_name(roots), by_name(sines), by_name(others)
