"""What `stabilise` makes of the explicit form: K, C = K ψ − ∂ψ/∂t and R = N C (Beshaw 6, 7, 18 and 19).

On positions y = (g, ġ) obeys ẏ = K y with K = [[0, E], [−β², −2α]]. The gains are those of the model; where it gives
none they are letters, as a motion chooses them by its method and its step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import symengine as se

from dalembert.document.nodes import Block, Paragraph, Section
from dalembert.errors import ModelError
from dalembert.forms.base import Matrix, product
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.model.given_gains import GAINS_OF, gain_matrices, rows_of

if TYPE_CHECKING:
    from dalembert.forms.board import Board

_WORDS = {
    "velocity": "On velocities residuals decay with the gains K, ψ̇ = K ψ in place of ψ̇ = 0:",
    "position": "On positions y = (g, ġ) decays, g̈ = −2α ġ − β² g, which is ẏ = K_y y:",
}
_CHOSEN = (
    "The model gives no gains. A motion takes those it is told, else by its step τ κ = −1/τ, β = 1/τ and α = ¾/τ, "
    "with Euler's method α = 1/τ."
)
_SHOWN = 3  # constraints, of more of which a gain that is one for all is shown once


def gain_steps(board: Board, C: Matrix | None = None, N: Matrix | None = None) -> list[Section]:
    """Show K; and of C and N that can be read C and R with it, as they are where a motion is kept by `stabilise`."""
    title, given = "Kept by `stabilise`, ψ̇ = K ψ", board.system.simulation.get("gains")
    try:
        whole = gain_matrices(board.system, given) if given else _letters(board)
    except ModelError as error:  # gains of another variant of the model
        return [Section(title, [Paragraph(error.problems[0].text)])]
    gains = {name: _of_kept(board, name, matrix) for name, matrix in whole.items()}
    rows = {level: [i for i in rows_of(board.system)[level] if i in board.kept] for level in GAINS_OF}
    added: dict[int, Expr] = dict.fromkeys(board.kept, ZERO)
    parts: list[Block] = []
    b = board.scene.blocks
    for level, own in rows.items():
        if not own:
            continue
        psi, K = [[b.psi[i] or ZERO] for i in own], gains[GAINS_OF[level][0]]
        if level == "position":
            alpha, beta = gains["alpha"], product(gains["beta"], gains["beta"])
            g = [[b.g[i] or ZERO] for i in own]
            more = [-2 * x[0] - y[0] for x, y in zip(product(alpha, psi), product(beta, g), strict=True)]
            alike = len(own) > _SHOWN and _is_scalar(alpha) and _is_scalar(beta)
            K = _of_positions(*([[matrix[0][0]]] if alike else matrix for matrix in (alpha, beta)))
        else:
            more = [value for (value,) in product(K, psi)]
            alike = len(own) > _SHOWN and _is_scalar(K)
            K = [[K[0][0]]] if alike else K
        added |= dict(zip(own, more, strict=True))
        name, said = "K" if level == "velocity" else "K_y", "for each of the constraints" if alike else ""
        parts += [Paragraph(_WORDS[level]), board.matrix(name, K, said)]
    if not parts:
        return []
    if C is not None:
        changed = [[old[0] + added[i]] for i, old in zip(board.kept, C, strict=True)]
        parts.append(board.matrix("C_K", changed, "C with K ψ"))
        if N and any(map(any, N)):
            parts.append(board.matrix("R_K", product(N, changed), "N C with it"))
    if not given:
        parts.append(Paragraph(_CHOSEN, "faint"))
    return [Section(title, parts)]


def _letters(board: Board) -> dict[str, Matrix]:
    """Return letters for the gains, such as are free, one for all constraints of a level."""
    found = {}
    for level, own in rows_of(board.system).items():
        for name in GAINS_OF[level] if own else ():
            letter = board.scene.free_name(name)
            found[name] = [[letter if i == j else ZERO for j in range(len(own))] for i in range(len(own))]
    return found


def _of_kept(board: Board, name: str, matrix: Matrix) -> Matrix:
    """Return the rows and columns of the constraints that are not redundant."""
    level = next(level for level, names in GAINS_OF.items() if name in names)
    places = [k for k, i in enumerate(rows_of(board.system)[level]) if i in board.kept]
    return [[matrix[i][j] for j in places] for i in places]


def _is_scalar(matrix: Matrix) -> bool:
    """Tell whether a matrix is a multiple of the unit matrix."""
    return all(entry == (matrix[0][0] if i == j else 0) for i, row in enumerate(matrix) for j, entry in enumerate(row))


def _of_positions(alpha: Matrix, beta: Matrix) -> Matrix:
    size = len(alpha)
    above = [[ZERO] * size + [se.Integer(int(i == j)) for j in range(size)] for i in range(size)]
    below = [[-x for x in squared] + [-2 * x for x in row] for squared, row in zip(beta, alpha, strict=True)]
    return [*above, *below]
