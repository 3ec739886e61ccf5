"""Lagrange's equations with multipliers: [[M, Aᵀ], [A, 0]] [q̈; −λ] = [f; c] (theory, 4.2)."""

from __future__ import annotations

from dalembert.algebra.saddle import Saddle
from dalembert.algebra.types import Array
from dalembert.model.numeric import Values
from dalembert.model.printing import to_text
from dalembert.model.system import System


def solve(values: Values) -> tuple[Array, Array]:
    """Return q̈ and λ; where constraints are redundant, λ is the one of least norm."""
    acceleration, minus = Saddle(values.M, values.A).solve(values.f, values.c)
    return acceleration, -minus


def equations(system: System) -> list[str]:
    """Write M q̈ − f − Aᵀλ = 0, one equation per coordinate, with multipliers lambda_<constraint>."""
    blocks = system.blocks
    names = system.coordinates
    left: list[list[str]] = [[] for _ in names]
    for (i, j), entry in blocks.M.items():
        left[i].append(_times(to_text(entry), f"{names[j]}''"))
    for i, f in enumerate(blocks.f):
        if f != 0:
            left[i].append(f"-({to_text(f)})" if f.is_Add else to_text(-f))
    for (k, j), entry in blocks.A.items():
        left[j].append(_times(to_text(-entry), f"lambda_{system.constraints[k].name}"))
    return [_join(terms) + " = 0" for terms in left]


def _times(factor: str, symbol: str) -> str:
    if factor in ("1", "-1"):
        return factor[:-1] + symbol
    return f"({factor})*{symbol}" if " " in factor else f"{factor}*{symbol}"


def _join(terms: list[str]) -> str:
    text = " + ".join(terms) or "0"
    return text.replace("+ -", "- ")
