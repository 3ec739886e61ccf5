"""Seconds from energies to blocks, beside SymPy's LagrangesMethod on the same SymPy expressions, in one run.

    python benchmarks/derive.py [--quick]

The chain of n rods in its angles ("minimal") and in absolute coordinates. Writing the energies down is not timed;
translating them, deriving M, f, A and c is. Where SymPy would take minutes it is left out.
"""

from __future__ import annotations

import argparse
import gc
import math
import time
from collections.abc import Callable

import sympy as sp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

from dalembert import System

T = dynamicsymbols._t
M, L, G = sp.symbols("m l g")
SYMPY_LIMIT = {"minimal": 8, "absolute": 10}


def minimal(n: int):
    """Write down the chain in its angles: T, V, coordinates, no constraints."""
    a = dynamicsymbols(f"a1:{n + 1}")
    kinetic, potential, x, y = [], [], sp.S.Zero, sp.S.Zero
    for angle in a:
        cx, cy = x + L * sp.cos(angle) / 2, y + L * sp.sin(angle) / 2
        kinetic += [M * cx.diff(T) ** 2 / 2, M * cy.diff(T) ** 2 / 2, M * L**2 * angle.diff(T) ** 2 / 24]
        potential.append(M * G * cy)
        x, y = x + L * sp.cos(angle), y + L * sp.sin(angle)
    return sp.Add(*kinetic), sp.Add(*potential), list(a), {}


def absolute(n: int):
    """Write down the chain in absolute coordinates: T, V, coordinates, constraints."""
    kinetic, potential, coordinates, constraints = [], [], [], {}
    end = (sp.S.Zero, sp.S.Zero)
    for i in range(1, n + 1):
        x, y, a = dynamicsymbols(f"x{i} y{i} a{i}")
        coordinates += [x, y, a]
        kinetic += [M * x.diff(T) ** 2 / 2, M * y.diff(T) ** 2 / 2, M * L**2 * a.diff(T) ** 2 / 24]
        potential.append(M * G * y)
        dx, dy = L * sp.cos(a) / 2, L * sp.sin(a) / 2
        constraints[f"joint{i}_x"], constraints[f"joint{i}_y"] = x - dx - end[0], y - dy - end[1]
        end = (x + dx, y + dy)
    return sp.Add(*kinetic), sp.Add(*potential), coordinates, constraints


def ours(kinetic, potential, coordinates, constraints) -> None:
    """Derive the blocks."""
    _ = System(coordinates=coordinates, kinetic=kinetic, potential=potential, constraints=constraints).blocks


def sympys(kinetic, potential, coordinates, constraints) -> None:
    """Derive the same with SymPy: mass matrix, forcing, constraint matrix."""
    options = {"hol_coneqs": list(constraints.values())} if constraints else {}
    method = LagrangesMethod(kinetic - potential, coordinates, **options)
    method.form_lagranges_equations()
    _ = method.mass_matrix, method.forcing


def seconds(action: Callable[..., None], model, repeat: int) -> float:
    """Return the shortest of several times."""
    best = math.inf
    for _ in range(repeat):
        sp.core.cache.clear_cache()
        gc.collect()
        begin = time.perf_counter()
        action(*model)
        best = min(best, time.perf_counter() - begin)
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    quick = parser.parse_args().quick
    cases = [
        ("minimal", minimal, (4, 8) if quick else (4, 8, 20)),
        ("absolute", absolute, (10, 100) if quick else (10, 100, 1000)),
    ]
    print(f"{'chain':10}{'rods':>6}{'dalembert s':>14}{'SymPy s':>10}{'ratio':>8}{'growth':>8}")
    for name, write, sizes in cases:
        before: tuple[int, float] | None = None
        for n in sizes:
            model = write(n)
            own = seconds(ours, model, 3)
            peer = seconds(sympys, model, 1) if n <= SYMPY_LIMIT[name] else None
            growth = "" if before is None else f"{math.log(own / before[1]) / math.log(n / before[0]):8.2f}"
            columns = f"{peer:10.2f}{peer / own:8.0f}" if peer is not None else f"{'–':>10}{'–':>8}"
            print(f"{name:10}{n:6}{own:14.4f}{columns}{growth}", flush=True)
            before = (n, own)


if __name__ == "__main__":
    main()
