"""Phong's algorithm step by step: the bᵢ of the rows of A, the xᵢ with the reason for each, the dᵢ, and D.

Vectors are not normalised, so that formulas have no roots: bᵢ and dᵢ are those of the paper times |bᵢ| and |dᵢ|.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.algebra.gramschmidt import Vector, complement, dot, orthogonalise, remainders
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import TooLarge
from dalembert.document.nodes import Block, Equation, Equations, Paragraph, Section
from dalembert.forms.base import MAX_OPERATIONS, dense
from dalembert.forms.prepared import Rows
from dalembert.language.building import Expr

if TYPE_CHECKING:
    from dalembert.forms.board import Board

_TERMS = 60  # of an entry of a vector; longer ones are not read


def orthogonal_steps(board: Board) -> list[Section]:
    """Show steps 1 and 2 of the algorithm, or say that they are too long."""
    scene = board.scene
    if not board.kept:
        return [Section("No constraints", [Paragraph("There is nothing to be orthogonal to: D is the unit matrix.")])]
    pilot, counted = Pilot(), scene.counted()
    made, numbers = _found(scene.arrays, pilot)
    try:
        _found(counted, pilot.replay())
        if counted.arithmetic.operations > MAX_OPERATIONS:
            raise TooLarge
        with scene.field.bounded():
            b, d = _found(scene.formulas, pilot.replay())
        if max((scene.field.length(e) for vector in (*b, *d) for e in vector.values()), default=0) > _TERMS:
            raise TooLarge
    except TooLarge:
        words = "The vectors of Gram and Schmidt are too long to be written; D is found by elimination, in fewer terms."
        return [Section("Gram–Schmidt", [Paragraph(words)])]
    return [_first(board, b), _second(board, made, numbers, d)]


def _found(rows: Rows, pilot: Pilot) -> tuple[list[Vector], list[Vector]]:
    """Return the bᵢ and the dᵢ over any arithmetic."""
    basis = orthogonalise(rows.A, rows.c, rows.arithmetic, pilot)
    return basis.vectors, complement(basis, rows.n, rows.arithmetic, pilot)


def _vector(board: Board, vector: Vector) -> list[Expr]:
    return [board.scene.field.write(e) for e in dense(vector, board.n, board.scene.field)]


def _first(board: Board, b: list[Vector]) -> Section:
    """Show the rows of A made orthogonal."""
    field, constraints = board.scene.field, board.system.constraints
    words = "bᵢ = aᵢ − Σ (aᵢ·bⱼ/|bⱼ|²) bⱼ over the rows before; a row without remainder would be redundant."
    parts: list[Block] = [Paragraph(words)]
    for k, (i, vector) in enumerate(zip(board.kept, b, strict=True), 1):
        parts.append(board.matrix(f"b_{k}", [_vector(board, vector)], f"of {constraints[i].name}"))
        square = board.written([field.write(dot(vector, vector, field))])
        parts.append(
            Equations([Equation(f"s_{k}", square[0], said=f"the square |b_{k}|²")], board.names, own=board.own)
        )
    return Section("Step 1: the rows of A made orthogonal", parts)


def _second(board: Board, b: list[Vector], d: list[Vector], formulas: list[Vector]) -> Section:
    """Show the xᵢ with the reason for each choice, and the dᵢ."""
    arithmetic, names = board.scene.arrays.arithmetic, [q.name for q in board.scene.blocks.q]
    words = (
        "dᵢ = xᵢ − Σ (xᵢ·bⱼ/|bⱼ|²) bⱼ − Σ (xᵢ·dⱼ/|dⱼ|²) dⱼ. A vector xᵢ must not lie in the span of those that there "
        "are; among the unit vectors the first is taken that has at least half of the largest remainder, which is the "
        "part of its square that is left, the least over the states that were looked at."
    )
    parts: list[Block] = [Paragraph(words)]
    vectors, chosen = list(b), set()
    for i, (vector, formula) in enumerate(zip(d, formulas, strict=True), 1):
        squares = [dot(v, v, arithmetic) for v in vectors]
        rest = [arithmetic.weight(r) for r in remainders(vectors, squares, board.n, arithmetic)]
        left = {k: rest[k] for k in range(board.n) if k not in chosen}
        taken = next(k for k in left if rest[k] >= 0.5 * max(left.values()))
        others = ", ".join(f"{names[k]} {left[k]:.2g}" for k in left)
        parts.append(Paragraph(f"x_{i} is the unit vector of `{names[taken]}`; remainders: {others}."))
        parts.append(board.matrix(f"d_{i}", [_vector(board, formula)]))
        vectors.append(vector)
        chosen.add(taken)
    return Section("Step 2: completed by vectors that are orthogonal to them", parts)
