"""The inertia without Christoffel symbols: G₀ₖ, read off the mass matrix, and G (Do Sanh 1996, 2.14 to 2.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import symengine as se

from dalembert.algebra.writing.cost import total
from dalembert.document.nodes import Block, Paragraph, Section
from dalembert.errors import quoted
from dalembert.forms.pen import MAX_TOTAL
from dalembert.forms.tidy import plain
from dalembert.language.calculus import ZERO, Calculus

if TYPE_CHECKING:
    from dalembert.forms.board import Board


def inertia_steps(board: Board) -> list[Section]:
    """Show f = Q + G: the forces, and of the inertia one quadratic form for each coordinate."""
    b, system = board.scene.blocks, board.system
    if system.kinetic is None or total(b.f) > MAX_TOTAL:
        return []
    calculus = Calculus([*b.q, b.t])
    V = calculus.lift(plain(system.potential or ZERO))
    Q = [plain(system.forces.get(q.name, ZERO)) - calculus.lower(calculus.diff(V, q)) for q in b.q]
    forms = b.inertia_forms()
    G = [se.Add(*[entry * b.v[i] * b.v[j] for (i, j), entry in form.items()]) for form in forms]
    rest = board.written([f - force - inertia for f, force, inertia in zip(b.f, Q, G, strict=True)])
    words = "(G₀ₖ)ᵢⱼ = ½ ∂mᵢⱼ/∂qₖ − ½ (∂mₖᵢ/∂qⱼ + ∂mₖⱼ/∂qᵢ), read off the mass matrix; Gₖ = q̇ᵀG₀ₖ q̇."
    parts: list[Block] = [board.matrix("Q", [[force] for force in Q]), Paragraph(words)]
    for k, form in enumerate(forms, 1):
        matrix = [[form.get((i, j), ZERO) for j in range(board.n)] for i in range(board.n)]
        parts += [board.matrix(f"G_0{k}", matrix, f"of {b.q[k - 1].name}", f"G_{{0{k}}}")] if form else []
    if still := [q.name for q, form in zip(b.q, forms, strict=True) if not form]:
        parts.append(Paragraph(f"Zero: those of {quoted(still)}."))
    parts.append(board.matrix("G", [[value] for value in G]))
    if any(e != 0 for e in rest):
        parts.append(Paragraph("What T adds besides, as it depends on time or is not of the second degree:"))
        parts.append(board.matrix("G_t", [[e] for e in rest]))
    return [Section("f = Q + G, without Christoffel symbols", parts)]
