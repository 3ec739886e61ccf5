"""Tables as functions of the language: one row for a curve, and one for each of its derivatives.

The rows belong to models, not to the language: what is written `road(x)` is looked up in the vocabulary of a model,
and rows are gone with the last model that has them. Their own names hold a digest of the data, so that models with
different tables of one name keep apart, compiled code too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import symengine as se
from symengine.lib.symengine_wrapper import FunctionSymbol

from dalembert.errors import ModelError
from dalembert.language.building import Expr, number
from dalembert.language.curve_code import source
from dalembert.language.curves import STOP, Interpolant
from dalembert.language.functions import Calls, Function, function_of, lend, lent
from dalembert.language.walk import fold, rebuild

PRIME = "'"
_KINKS, _BOUNDED = ".kinks", ".bounded"  # what switches, and what has no values beyond the ends


def table(name: str, curve: Interpolant) -> tuple[Function, ...]:
    """Make a curve known as a function of some name for as long as what this returns: it, and its derivatives."""
    content = repr((name, curve.kind, curve.beyond)).encode() + curve.breaks.tobytes() + curve.pieces.tobytes()
    digest = hashlib.sha256(content).hexdigest()[:20]
    names = tuple(f"{name}{PRIME * order}#{digest}" for order in range(curve.order + 1))
    known = [row for own in names if (row := lent(own))]
    if len(known) == len(names):
        return tuple(known)
    switches = [
        lend(_row(f"{name}#{digest}{_KINKS}{k}", tent, f"{digest}k{k}")) for k, tent in enumerate(curve.tents())
    ]
    inner = curve.bounded() if curve.beyond == STOP else None
    rows: list[Function] = []  # the highest derivative first, for each holds the next
    for order, own in reversed(list(enumerate(names))):
        inside = lend(_row(own + _BOUNDED, inner, f"{digest}b", order, switches)) if inner else None
        rows.append(lend(_row(own, curve, digest, order, switches, rows[-1] if rows else None, inside)))
    return tuple(reversed(rows))


def _row(
    own: str,
    curve: Interpolant,
    digest: str,
    order: int = 0,
    switches: Sequence[Function] = (),
    slope: Function | None = None,
    inside: Function | None = None,
) -> Function:
    """Return the row of a curve or of a derivative."""
    written, place = own.partition("#")[0], f"table_{digest}"

    def build(u: Expr) -> Expr:
        value = number(u)
        return se.Function(own)(u) if value is None else se.RealDouble(curve.value(value, order))

    return Function(
        own,
        build,
        lambda u: curve.value(float(u), order),
        lambda u: curve.at(u, order),
        lambda call, y, u: [call(slope.name, u) if slope else 0.0],
        interval=curve.over(order),
        switches=(lambda u: [switch.build(u) for switch in switches]) if switches else None,
        instructions=lambda to, u: [f"  {to} = call double @{place}.{order}(double {u})"],
        c=f"{place}({{0}}, {order})",
        numpy=f"_{place}({{0}}, {order})",
        sources=lambda language: source(language, place, curve),
        text=f"{written}({{0}})",
        mathml=f"<mrow><mi>{written.replace(PRIME, '′')}</mi><mo>(</mo>{{0}}<mo>)</mo></mrow>",
        called=False,
        owner=written.rstrip(PRIME),
        order=order,
        inside=inside,
    )


def bounded(expr: Expr) -> Expr:
    """Return an expression whose tables have no value beyond their ends, where they stop."""

    def combine(node: Expr, args: Sequence[Expr]) -> Expr:
        row = function_of(node)
        return row.inside.build(*args) if row is not None and row.inside else rebuild(node, args)

    return fold(expr, combine) if any(True for _ in calls_in([expr])) else expr


def calls_in(expressions: Iterable[Expr]) -> Iterator[tuple[str, Expr]]:
    """Return the functions of a model's own that are called, by their names there, and with what."""
    for expr in expressions:
        for node in expr.atoms(FunctionSymbol):
            row = function_of(node)
            if row is not None and row.owner:
                yield from ((row.owner, arg) for arg in node.args)


def is_open(name: str, calls: Calls) -> bool:
    """Tell whether a function of a model's own has no value."""
    return name in calls and calls[name][0].open


def renewed(expr: Expr, calls: Calls) -> Expr:
    """Return an expression with the present functions of a model in the place of others that have the same names."""

    def combine(node: Expr, args: Sequence[Expr]) -> Expr:
        row = function_of(node)
        if row is None or not row.owner:
            return rebuild(node, args)
        if row.owner not in calls:
            raise ModelError(f"`{row.owner}` is a function of another system; give it to this one too")
        rows = calls[row.owner]
        return rows[row.order].build(*args) if row.order < len(rows) else se.Integer(0)

    return fold(expr, combine)
