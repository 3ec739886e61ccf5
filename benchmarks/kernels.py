"""One acceleration with all multipliers as native code, beside other ways to compute it, in one run.

    pip install -e ".[bench]"
    python benchmarks/kernels.py [--quick]

The N-four-bar and the planar chain of rods, both in absolute coordinates. "plain" is elimination without a proximal
term, "proximal" with it and with refinement; both give out the rank. Beside them, as far as they are installed:

CasADi     the same blocks and the same elimination as an SX function, run by its virtual machine
gcc        gcc -O2 -march=native on C written from the same tape as "plain"
Pinocchio  the articulated-body algorithm on the chain, in joint coordinates
numba      a sparse LDLᵀ of the same matrix in the same order, blocks already evaluated
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from dalembert import System, example
from dalembert.algebra import quasidefinite
from dalembert.blocks.numeric import Numeric
from dalembert.language.program import Program
from dalembert.native.builder import Builder
from dalembert.native.codegen import to_llvm
from dalembert.native.csource import to_c
from dalembert.native.groups import GROUPS
from dalembert.native.kernels import Kernels
from dalembert.native.machine import Compiled, Library, compile_object
from dalembert.native.module import Module

STATES = 256
FULL = ["n-four-bar:1", "n-four-bar:2", "n-four-bar:10", "n-four-bar:40", "chain:10", "chain:100", "chain:500"]
QUICK = ["n-four-bar:2", "n-four-bar:10", "chain:10"]


def best(action: Callable[[], object], seconds: float = 0.3) -> float:
    """Return the shortest time of one call, over many."""
    found, start = math.inf, time.perf_counter()
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        action()
        found = min(found, time.perf_counter() - before)
    return found


def states(system: System) -> np.ndarray:
    """Return inputs near the initial state."""
    start = system.start()
    random = np.random.default_rng(0)
    row = np.array([0.0, *start.q, *start.v, *system.parameters.values()])
    rows = np.tile(row, (STATES, 1))
    rows[:, 1 : 1 + 2 * len(start.q)] += 1e-3 * random.normal(size=(STATES, 2 * len(start.q)))
    return rows


def looped(function: Callable[..., object], outputs: int, work: int, rows: np.ndarray) -> tuple[float, np.ndarray]:
    """Time a compiled loop over states; return µs of one and the outputs."""
    out, space = np.empty((len(rows), outputs)), np.empty(work + 1)
    seconds = best(lambda: function(out.ctypes.data, rows.ctypes.data, space.ctypes.data, len(rows)))
    return seconds / len(rows) * 1e6, out


def ours(name: str, result: dict) -> tuple[System, Module, np.ndarray]:
    """Derive, compile, load and run; fill in what is measured."""
    system = example(name)
    before = time.perf_counter()
    module = GROUPS["direct"].straight(Builder(system))
    ir, layout = to_llvm(list(module.routines.values()), module.kernels.values())
    result["derive s"] = time.perf_counter() - before
    before = time.perf_counter()
    code = compile_object(ir)
    result["compile s"] = time.perf_counter() - before
    result["operations"] = module.operations
    kernel, rows, library = module.kernels["direct"], states(system), Library(code)
    result["plain"], out = looped(library.loop("direct"), kernel.outputs, layout.size, rows)
    before = time.perf_counter()
    kernels = Kernels(system)
    result["all kernels s"] = time.perf_counter() - before
    again = example(name)  # a system that has no blocks yet
    before = time.perf_counter()
    Kernels(again)
    result["load ms"] = (time.perf_counter() - before) * 1e3
    core: Compiled = kernels._group("core")
    size = core.facts["kernels"]["accelerations"][1]
    result["proximal"], again = looped(core.library.loop("accelerations"), size, core.work, rows)
    unknowns = len(system.coordinates) + len(system.constraints)
    scale = np.abs(out[:, :unknowns]).max()
    result["difference"] = np.abs(out - again)[:, :unknowns].max() / scale
    return system, module, out[:, :unknowns]


def with_gcc(module: Module, rows: np.ndarray) -> float:
    """Compile the same tape as C."""
    text, layout = to_c(list(module.routines.values()), module.kernels.values())
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "kernel.c"), Path(folder, "kernel.so")
        source.write_text(text)
        subprocess.run(["gcc", "-O2", "-march=native", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        function = ctypes.CDLL(str(library)).direct_loop
        function.argtypes, function.restype = [ctypes.c_void_p] * 3 + [ctypes.c_longlong], None
        return looped(function, module.kernels["direct"].outputs, layout.size, rows)[0]


def with_casadi(system: System, rows: np.ndarray, expected: np.ndarray) -> float:
    """Let CasADi run the same blocks and the same elimination."""
    import casadi

    b = system.blocks
    n, s = len(b.q), len(b.c)
    x = casadi.SX.sym("x", rows.shape[1])
    functions = {name: getattr(casadi, name) for name in ("sin", "cos", "sqrt", "tan")}
    inputs = [b.t, *b.q, *b.v, *b.parameters]
    program = Program(inputs, [*b.M.values(), *b.A.values(), *b.f, *b.c])
    values = iter(program([x[i] for i in range(rows.shape[1])], functions))
    W, J = {place: next(values) for place in b.M}, {place: next(values) for place in b.A}
    order = quasidefinite.elimination_order([*W, *((n + i, j) for i, j in J)], n, s)
    sx = type("SX", (), {"zero": casadi.SX(0), "one": casadi.SX(1)})
    factors = quasidefinite.factorise(W, J, n, s, order, sx, lambda k, pivot, size: 1 / pivot, 0.0)
    found = quasidefinite.solve(factors, list(values))
    out = casadi.vertcat(*found[:n], *(-value for value in found[n:]))
    function = casadi.Function("f", [x], [out])
    buffer, run = function.buffer()
    given, result = rows[0].copy(), np.empty(n + s)
    buffer.set_arg(0, memoryview(given))
    buffer.set_res(0, memoryview(result))
    run()
    assert np.abs(result - expected[0]).max() < 1e-8 * np.abs(expected[0]).max()

    def many():
        for _ in range(50):
            run()

    return best(many) / 50 * 1e6


def with_pinocchio(bodies: int) -> float:
    """Run the articulated-body algorithm on the same chain."""
    import pinocchio as pin

    model = pin.Model()
    parent = 0
    length, mass = 1.0, 1.0
    inertia = pin.Inertia(mass, np.array([length / 2, 0, 0]), np.diag([0.0, mass / 12, mass / 12]))
    for i in range(bodies):
        placement = pin.SE3(np.eye(3), np.array([length if i else 0.0, 0, 0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, f"joint{i}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    model.gravity.linear = np.array([0, -9.81, 0])
    data = model.createData()
    q, v, tau = np.linspace(0, 1, bodies), np.zeros(bodies), np.zeros(bodies)

    def many():
        for _ in range(50):
            pin.aba(model, data, q, v, tau)

    return best(many) / 50 * 1e6


def with_numba(system: System) -> float:
    """Factorise the same matrix in the same order by a sparse LDLᵀ (up-looking, pattern known), and solve."""
    import scipy.sparse as sp
    from sparse_ldl import analyse, factorise_and_solve

    start = system.start()
    values = Numeric(system).all(0.0, start.q, start.v)
    n, s = len(values.f), len(values.c)
    K = sp.csc_array(sp.block_array([[values.M, values.A.T], [values.A, -1e-300 * sp.eye_array(s)]]))
    entries = [(int(i), int(j)) for i, j in zip(*K.nonzero(), strict=True)]
    order = np.array(quasidefinite.elimination_order(entries, n, s))
    K = sp.csc_array(sp.triu(sp.csc_array(K[order][:, order])))
    right = np.concatenate([values.f, values.c])[order]
    parents, starts = analyse(K)

    def many():
        for _ in range(50):
            factorise_and_solve(K.indptr, K.indices, K.data, right, parents, starts)

    many()
    return best(many) / 50 * 1e6


def installed(name: str) -> bool:
    """Tell whether a package can be imported."""
    return importlib.util.find_spec(name) is not None


def measure(name: str) -> dict:
    """Measure everything for one system."""
    result: dict = {"system": name}
    system, module, expected = ours(name, result)
    rows = states(system)
    if shutil.which("gcc"):
        result["gcc"] = with_gcc(module, rows)
    if installed("casadi"):
        result["CasADi"] = with_casadi(system, rows, expected)
    if installed("pinocchio") and name.startswith("chain"):
        result["Pinocchio"] = with_pinocchio(int(name.split(":")[1]))
    if installed("numba"):
        result["numba"] = with_numba(system)
    return result


def growth() -> float:
    """Return the exponent with which derivation and compilation grow from 50 to 500 bodies."""
    seconds = {}
    for bodies in (50, 500):
        result: dict = {}
        ours(f"chain:{bodies}", result)
        seconds[bodies] = result["derive s"] + result["compile s"]
    return math.log(seconds[500] / seconds[50]) / math.log(10)


def main() -> None:
    """Print the table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small systems only")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DALEMBERT_CACHE"] = folder
        print(
            "seconds to derive and to compile one kernel, and all kernels; µs per acceleration with all multipliers\n"
        )
        print(f"{'':25}{'derive':>8}{'compile':>8}{'all':>7}{'load':>7}")
        columns = ("plain", "proximal", "gcc", "CasADi", "Pinocchio", "numba")
        print(
            f"{'system':15}{'operations':>10}{'s':>8}{'s':>8}{'s':>7}{'ms':>7}" + "".join(f"{c:>10}" for c in columns)
        )
        results = {}
        for name in QUICK if quick else FULL:
            r = results[name] = measure(name)
            times = "".join(f"{r[c]:>10.3f}" if c in r else f"{'–':>10}" for c in columns)
            print(
                f"{name:15}{r['operations']:>10,}{r['derive s']:>8.3f}{r['compile s']:>8.3f}"
                f"{r['all kernels s']:>7.2f}{r['load ms']:>7.1f}{times}"
            )
        print()
        for name, r in results.items():
            ratios = [f"{r[c] / r['plain']:.1f} × {c}" for c in columns[2:] if c in r]
            note = f"plain and proximal agree to {r['difference']:.0e}"
            print(f"{name:15} plain is faster by {', '.join(ratios)}; {note}")
        if not quick:
            print(f"\nderive + compile grows as n^{growth():.2f} from 50 to 500 bodies of the chain")


if __name__ == "__main__":
    main()
