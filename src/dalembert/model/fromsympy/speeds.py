"""Generalized speeds as functions of coordinates and their rates.

Kane's kinematic equations K_q q̇ + K_u u + k = 0 are solved for as many speeds as they determine. A speed that no
equation determines gets a coordinate of its own, its integral; an equation that determines no speed is a constraint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from dalembert.errors import ModelError
from dalembert.language.translate import plain_name
from dalembert.model.fromsympy.identities import values_at_random
from dalembert.model.fromsympy.ingredients import TIME, dynamicsymbols
from dalembert.model.fromsympy.plain_symbols import Reading

_SIMPLIFIED = 6  # speeds that are solved for together, up to which the result is simplified


def solve_speeds(q: Sequence[Any], u: Sequence[Any], kinematic: Sequence[Any]) -> tuple[dict, list, dict]:
    """Return the speeds as SymPy expressions of rates, the coordinates that are added, and constraints by name."""
    u = [speed for speed in u if not isinstance(speed, sp.Derivative)]
    equations: Any = sp.Matrix(list(kinematic))
    K: Any = equations.jacobian(u) if len(equations) and u else sp.zeros(len(equations), len(u))
    rest = equations.xreplace(dict.fromkeys(u, sp.Integer(0)))
    if K.atoms(sp.Function) & set(u):
        raise ModelError("the kinematic differential equations are not linear in the speeds")
    rows, columns = _pivots(K, [*q, *u])
    free = [k for k in range(len(u)) if k not in columns]
    added = {k: dynamicsymbols(f"integral_{plain_name(u[k])}") for k in free}
    speeds = {u[k]: sp.diff(symbol, TIME) for k, symbol in added.items()}
    right = -(rest + K[:, free] * sp.Matrix([speeds[u[k]] for k in free])) if free and len(equations) else -rest
    found = _solved(K.extract(rows, columns), sp.Matrix([right[i] for i in rows])) if rows else []
    speeds |= {u[k]: value for k, value in zip(columns, found, strict=True)}
    left = [i for i in range(len(equations)) if i not in rows]
    constraints = {f"kinematic_{i + 1}": equations[i].xreplace(speeds) for i in left}
    return speeds, [added[k] for k in free], constraints


def _pivots(K: Any, functions: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Choose rows and columns that determine speeds, at random values; rows with few entries first."""
    if 0 in K.shape:
        return [], []
    reading = Reading(functions, [], {})
    entries = [reading.inward(entry) for entry in K]
    with mpmath.workdps(30):
        numbers = [float(value) for value in values_at_random(entries)[0]]
    A = np.array(numbers).reshape(K.shape)
    order = sorted(range(len(A)), key=lambda i: np.count_nonzero(A[i]))
    rows: list[int] = []
    columns: list[int] = []
    A = A / np.maximum(np.abs(A).max(axis=1, keepdims=True), 1e-300)
    for i in order:
        k = int(np.argmax(np.abs(A[i])))
        if abs(A[i, k]) < 1e-9:
            continue
        rows.append(i)
        columns.append(k)
        for j in range(len(A)):
            if j != i:
                A[j] -= A[i] * (A[j, k] / A[i, k])
    return rows, columns


def _solved(K: Any, right: Any) -> list[Any]:
    """Solve K x = right, block by block."""
    count = K.shape[0]
    found: list[Any] = [None] * count
    links = sp.Matrix(count, count, lambda i, j: 1 if K[i, j] != 0 or K[j, i] != 0 else 0)
    for block in links.connected_components():
        part, b = K.extract(block, block), sp.Matrix([right[i] for i in block])
        if len(block) == 1:
            values = [b[0] / part[0, 0]]
        else:
            inverse = part.inv(method="LU")
            inverse = sp.simplify(inverse) if len(block) <= _SIMPLIFIED else inverse
            values = list(inverse * b)
        for k, value in zip(block, values, strict=True):
            found[k] = value
    return found
