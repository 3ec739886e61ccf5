"""Functions that a model leaves open, F(t), and those that it is given later by an expression.

A function that is open has no value. Where places and pivots are chosen by numbers, a wave stands in for it, with its
own length and phase, so that nothing cancels by chance; who needs values asks `left_open` of a system first. One that
is given is never met in an expression: where it is called its expression is put in, with the arguments of the call.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import symengine as se

from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.language.calculus import Calculus
from dalembert.language.curve_code import literal
from dalembert.language.functions import Function, lend
from dalembert.language.table_functions import PRIME

HIGHEST = 6  # derivative that is known
Orders = tuple[int, ...]  # how often it is differentiated by each argument


def unknown(name: str, arguments: Sequence[str]) -> dict[str, tuple[Function, ...]]:
    """Make an open function known for as long as what this returns: it and its derivatives, as they are written."""
    digest = _digest("open", name, *arguments)
    made: dict[Orders, Function] = {}  # the highest derivatives first, for each holds those above it
    for orders in reversed(list(_all_orders(len(arguments)))):
        made[orders] = lend(_open(name, arguments, orders, digest, made))
    return _named(arguments, made.__getitem__)


def known(name: str, arguments: Sequence[str], body: Expr) -> dict[str, tuple[Function, ...]]:
    """Make a function known that stands for an expression of its arguments."""
    digest = _digest("given", name, *arguments, str(body))

    @cache
    def slope(orders: Orders) -> Expr:
        k = next((k for k, order in enumerate(orders) if order), None)
        if k is None:
            return body
        calculus = Calculus([se.Symbol(arguments[k])])
        inner = slope(_raised(orders, k, -1))
        return calculus.lower(calculus.diff(calculus.lift(inner), se.Symbol(arguments[k])))

    def row(orders: Orders) -> Function:
        symbols = [se.Symbol(argument) for argument in arguments]
        return Function(
            f"{_written(name, arguments, orders)}#{digest}",
            lambda *args: slope(orders).xreplace(dict(zip(symbols, args, strict=True))),
            lambda *args: math.nan,
            lambda *args: np.nan,
            arguments=(len(arguments), len(arguments)),
            called=False,
            owner=_written(name, arguments, orders).rstrip(PRIME),
            order=orders[0] if len(orders) == 1 else 0,
        )

    return _named(arguments, row)


def _named(arguments: Sequence[str], row: Callable[[Orders], Function]) -> dict[str, tuple[Function, ...]]:
    """Lend a function and its derivatives: those by one argument are told by primes, others by their names."""
    found: dict[str, list[Function]] = {}
    for orders in _all_orders(len(arguments)):
        made = lend(row(orders))
        found.setdefault(made.owner, []).append(made)
    return {owner: tuple(rows) for owner, rows in found.items()}


def _all_orders(count: int) -> Iterator[Orders]:
    """Return all derivatives, the lower ones first."""
    for total in range(HIGHEST + 1):
        for chosen in combinations_with_replacement(range(count), total):
            yield tuple(chosen.count(k) for k in range(count))


def _raised(orders: Orders, k: int, by: int = 1) -> Orders:
    return tuple(order + by * (i == k) for i, order in enumerate(orders))


def _written(name: str, arguments: Sequence[str], orders: Orders) -> str:
    """Return how a derivative is written: F'' of one argument, F_x_t of several."""
    if len(arguments) == 1:
        return name + PRIME * orders[0]
    return "_".join([name, *(arguments[k] for k, order in enumerate(orders) for _ in range(order))])


def _open(
    name: str, arguments: Sequence[str], orders: Orders, digest: str, above: Mapping[Orders, Function]
) -> Function:
    written = _written(name, arguments, orders)
    seed = [int(digest[2 * k : 2 * k + 2], 16) / 256 for k in range(len(arguments) + 1)]
    lengths, phase = [0.7 + x for x in seed[1:]], 6 * seed[0] + sum(orders) * math.pi / 2
    size = math.prod(a**order for a, order in zip(lengths, orders, strict=True))

    raised = [above[one] for k in range(len(orders)) if (one := _raised(orders, k)) in above]

    def wave(sine: Callable[[Any], Any], *args: Any) -> Any:
        return size * sine(sum(a * u for a, u in zip(lengths, args, strict=True)) + phase)

    def slopes(call: Any, y: Any, *args: Any) -> list[Any]:
        if sum(orders) == HIGHEST:
            raise ModelError(f"`{written}` would have to be differentiated; {HIGHEST} derivatives are the limit")
        return [call(one.name, *args) for one in raised]

    def instructions(to: str, *args: str) -> list[str]:
        lines, total = [], literal(phase)
        for k, (a, u) in enumerate(zip(lengths, args, strict=True)):
            lines += [f"  {to}.m{k} = fmul double {u}, {literal(a)}", f"  {to}.a{k} = fadd double {to}.m{k}, {total}"]
            total = f"{to}.a{k}"
        lines.append(f"  {to}.s = call double @llvm.sin.f64(double {total})")
        return [*lines, f"  {to} = fmul double {to}.s, {literal(size)}"]

    own = f"{written}#{digest}"
    shown = f"<mi>{written.replace(PRIME, '′')}</mi><mo>(</mo>"
    shown += "<mo>,</mo>".join(f"{{{k}}}" for k in range(len(arguments)))
    return Function(
        own,
        lambda *args: se.Function(own)(*args),
        lambda *args: wave(math.sin, *args),
        lambda *args: wave(np.sin, *args),
        slopes,
        arguments=(len(arguments), len(arguments)),
        instructions=instructions,
        text=f"{written}({', '.join(f'{{{k}}}' for k in range(len(arguments)))})",
        mathml=f"<mrow>{shown}<mo>)</mo></mrow>",
        called=False,
        owner=written.rstrip(PRIME),
        order=orders[0] if len(orders) == 1 else 0,
        open=True,
    )


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]
