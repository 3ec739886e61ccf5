"""Equations in quasi-velocities on tapes: v from [A; W] v = [−ψ₀; u − w₀], then q̈ by the shared solver, u̇ = W q̈ + ẇ.

Pivots of [A; W] that are ±1 hold everywhere and are taken first. What is left is solved with pivots that are chosen at
each state: an order that the pilot chose would fail where one of its pivots vanishes, though u determine v there.
"""

from __future__ import annotations

from dalembert.algebra import pivoted
from dalembert.algebra.elimination import reduce_rows, subtract
from dalembert.algebra.gramschmidt import Vector
from dalembert.algebra.tape import Node, Tape, TapeFull
from dalembert.algebra.writing.numerals import numbers
from dalembert.errors import DerivationError
from dalembert.forms.prepared import scene_of
from dalembert.forms.quasi import Quasi
from dalembert.forms.quasi_velocities import QuasiVelocities, quasi_velocities
from dalembert.language.building import Expr
from dalembert.native.builder import Builder
from dalembert.native.module import Module
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar

_MOST = 200_000  # operations that find the velocities
_FULL = 24  # unknowns up to which pivots are chosen at each state; of more it is the pilot's order


def quasi_module(builder: Builder) -> Module:
    """Put the form on tapes: q̇, u̇ and r from t, q, u; and u from t, q, v. Behind u there are zeros, up to n."""
    scene = scene_of(builder.system)
    if reason := Quasi().refuse(scene):
        raise DerivationError(reason)
    velocities, n = quasi_velocities(scene), builder.n
    W, m = [{j: numbers(w) for j, w in row.items()} for row in velocities.W], len(velocities.W)
    stage = Routine("blocks", Tape(_MOST))
    try:
        v = _velocities(builder, stage, velocities)
    except TapeFull:
        text = f"the velocities of {n} coordinates take more than {_MOST:,} operations in quasi-velocities"
        raise DerivationError(f"{text}; use `multipliers` or `independent`") from None
    stage.store("velocity", v.values())
    entries = builder.evaluate(stage, [w for row in W for w in row.values()])
    stage.store("combination", entries)
    stage.store("turning", builder.evaluate(stage, list(map(numbers, velocities.turning)), v))
    module = Module()
    module.add(builder.filled(stage, "forces", v), *builder.solver.routines)
    finish = Routine("finish")
    _, r, x = builder.solver.reaction(finish)
    rest = iter(finish.loads("combination", len(entries)))
    rates: list[Scalar] = list(finish.loads("turning", m))
    for k, row in enumerate(W):
        for j in row:
            rates[k] = rates[k] + next(rest) * x[j]
    finish.store("out", [*finish.loads("velocity", n), *rates, *_none(n - m), *r])
    module.add(finish)
    module.kernel(Quasi.name, ["blocks", *builder.solver.motion, "finish"], len(builder.inputs))
    convert = Routine("velocities")
    u = [numbers(expr) for expr in (*velocities.meanings.values(), *velocities.symbols[velocities.count :])]
    convert.store("out", [*builder.evaluate(convert, u), *_none(n - m)])
    module.add(convert)
    module.kernel("velocities", ["velocities"], len(builder.inputs))
    module.facts |= {"kept": scene.kept, "count": m}
    return module


def _velocities(builder: Builder, routine: Routine, velocities: QuasiVelocities) -> dict[Expr, Scalar]:
    """Solve for v on the tape; the quasi-velocities stand where kernels otherwise read velocities."""
    b, kept = builder.blocks, velocities.scene.kept
    A = builder.conditions(routine)
    combined = [numbers(w) for row in velocities.W for w in row.values()]
    values = iter(builder.evaluate(routine, [*combined, *map(numbers, (*velocities.w_0, *velocities.resting))]))
    rows = [{j: value for (k, j), value in A.items() if k == i} for i in kept]
    rows += [{j: next(values) for j in row} for row in velocities.W]
    u = [routine.tape.load("in", 1 + builder.n + k) for k in range(len(velocities.W))]
    asked = [symbol - next(values) for symbol in u]
    right = [*(-next(values) for _ in kept), *asked]
    found = _solved(rows, right, routine.tape)
    if found is None:
        solved = reduce_rows(rows, right, routine.tape, velocities.pilot.replay())
        found = dict(zip(solved.pivots, solved.right, strict=True))
    return {symbol: found[j] for j, symbol in enumerate(b.v)}


def _solved(rows: list[Vector], right: list[Scalar], tape: Tape) -> dict[int, Scalar] | None:
    """Return the unknowns of as many rows, by their columns; None if too many are left behind pivots that are ±1."""
    rest = [(dict(row), value) for row, value in zip(rows, right, strict=True)]
    taken: list[tuple[int, Vector, Scalar]] = []
    while place := _unit(rest):
        row, value = rest.pop(place[0])
        pivot = row.pop(place[1])
        row, value = {j: entry * pivot for j, entry in row.items()}, value * pivot
        for k, (other, known) in enumerate(rest):
            if place[1] in other:
                factor = other.pop(place[1])
                rest[k] = subtract(other, factor, row), known - factor * value
        taken.append((place[1], row, value))
    columns = sorted({j for row in rows for j in row} - {column for column, _, _ in taken})
    if len(rest) > _FULL:
        return None
    matrix, values = [], []
    for row, value in rest:
        size: Scalar = 0.0
        for entry in row.values():
            size = tape.call("max", size, tape.call("abs", entry))
        matrix.append([row.get(j, 0.0) / size for j in columns])
        values.append(value / size)
    found = dict(zip(columns, pivoted.solve(matrix, values, tape.call), strict=True)) if rest else {}
    for column, row, value in reversed(taken):
        for j, entry in row.items():
            value = value - entry * found[j]
        found[column] = value
    return found


def _unit(rest: list[tuple[Vector, Scalar]]) -> tuple[int, int] | None:
    """Choose an entry that is ±1 for good, in the row and column that are shared least."""
    shared: dict[int, int] = {}
    for row, _ in rest:
        for j in row:
            shared[j] = shared.get(j, 0) + 1
    places = [
        ((len(row) - 1) * (shared[j] - 1), i, j)
        for i, (row, _) in enumerate(rest)
        for j, entry in row.items()
        if not isinstance(entry, Node) and abs(entry) == 1
    ]
    return min(places)[1:] if places else None


def _none(count: int) -> list[float]:
    return [0.0] * count
