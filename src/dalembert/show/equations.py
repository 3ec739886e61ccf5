"""Equations, matrices and reactions as Markdown with LaTeX: what notebooks typeset wherever they are opened.

Only `$$…$$` and environments that both MathJax and KaTeX know. Long formulas are shortened, with words that say where
the whole is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import symengine as se
import sympy as sp

from dalembert.characters import visible
from dalembert.errors import DerivationError
from dalembert.forms.shortened import MATRIX, matrix, stacked, tex
from dalembert.forms.typeset import name as symbol
from dalembert.forms.typeset import upright
from dalembert.language.translate import Translator
from dalembert.show.html import ROWS

if TYPE_CHECKING:
    from dalembert.blocks.symbolic import Blocks
    from dalembert.forms.derivation import Derivation
    from dalembert.forms.release import Release

_ZERO = se.Integer(0)


def derivation_markdown(derivation: Derivation) -> str:
    """Show equations, constraints, matrices, reactions and notes."""
    system, outward = derivation.system, derivation.system.sympy
    parts = [f"**{plain(system.name or 'A system')}** — {plain(derivation.title)}"]
    parts += _section("Equations", [(tex(e), "0", "") for e in derivation.equations])
    rows = [(tex(outward(c.expression)), "0", upright(c.name)) for c in system.constraints[: ROWS + 1]]
    parts += _section("Constraints", rows, len(system.constraints))
    parts += [
        f"$$ {derivation.letters(key)} = {matrix(value)} $$" for key, value in derivation.matrices.items() if any(value)
    ]
    rows = []
    for key, row in derivation.reactions.items():
        acting = [(q, e) for q, e in zip(system.coordinates, row, strict=True) if e != 0]
        rows += [(f"r_{{{symbol(q)}}}", tex(e), upright(key)) for q, e in acting]
    parts += _section("Reactions", rows)
    rows = [(symbol(key), tex(outward(e)), "") for key, e in derivation.abbreviations.items()]
    parts += _section("where", rows)
    if derivation.structure:
        parts.append(f"{plain(', '.join(derivation.structure))}: too long; `print` shows the values at a state")
    parts += [f"- {_sentence(note)}" for note in derivation.notes]
    text = "\n\n".join(parts)
    if r"\cdots" in text:
        text += "\n\n*Shortened: `.equations`, `.reactions` and `.matrices` have all of it.*"
    return text


def release_markdown(release: Release) -> str:
    """Show the freed system and the reactions of what was released."""
    system = release.system
    parts = [f"**{plain(release.original.name or 'A system')}** — released: {plain(', '.join(release.conditions))}"]
    shown = ", ".join(symbol(q) for q in system.coordinates[:ROWS])
    parts.append(f"in the coordinates ${shown}{', …' if len(system.coordinates) > ROWS else ''}$")
    parts += _section(
        "Constraints", [(tex(system.sympy(c.expression)), "0", upright(c.name)) for c in system.constraints]
    )
    try:
        found = [(f"\\lambda_{{{upright(key)}}}", tex(value), "") for key, value in release.multipliers.items()]
        parts += _section("Reactions", found)
        parts += _section("where", [(symbol(key), tex(value), "") for key, value in release.abbreviations.items()])
    except DerivationError as error:
        parts.append(f"- {_sentence(str(error))}")
    return "\n\n".join(parts)


def blocks_markdown(blocks: Blocks) -> str:
    """Show M, f, A and c."""
    outward = Translator({}, [x.name for x in blocks.q], [x.name for x in blocks.parameters]).outward
    n, s = len(blocks.q), len(blocks.c)
    parts = [f"$M\\ddot q = f + A^T\\lambda$, $A\\ddot q = c$ with {n} coordinates and {s} constraints"]
    for key, entries, rows, columns in (("M", blocks.M, n, n), ("A", blocks.A, s, n)):
        if rows and max(rows, columns) <= MATRIX:
            made = sp.Matrix(rows, columns, lambda i, j, e=entries: outward(e.get((i, j), _ZERO)))
            parts.append(f"$$ {key} = {matrix(made)} $$")
    for key, entries in (("f", blocks.f), ("c", blocks.c)):
        if entries and len(entries) <= MATRIX:
            parts.append(f"$$ {key} = {matrix(sp.Matrix([outward(e) for e in entries]))} $$")
    if n > MATRIX:
        parts.append("too large to be written; `M[i, j]`, `f[i]`, `A[i, j]`, `c[i]` are the entries")
    return "\n\n".join(parts)


def plain(text: str) -> str:
    """Return text of the user as Markdown that shows it as it is."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|$~-])", r"\\\1", visible(text))


def _sentence(text: str) -> str:
    """Return a sentence of the program as Markdown: names stay between backticks."""
    parts = text.split("`")
    return "`".join(part if k % 2 else plain(part) for k, part in enumerate(parts))


def _section(title: str, rows: Sequence[tuple[str, str, str]], total: int | None = None) -> list[str]:
    """Return equations one below the other; what belongs to them stands at the right."""
    if not rows:
        return []
    lines = [f"{left} &= {right}" + (f" && {beside}" if beside else "") for left, right, beside in rows[:ROWS]]
    parts = [f"{title}\n\n$$\\begin{{aligned}}\n{stacked(lines)}\n\\end{{aligned}}$$"]
    left = (len(rows) if total is None else total) - len(lines)
    return [*parts, f"… and {left} more"] if left > 0 else parts
