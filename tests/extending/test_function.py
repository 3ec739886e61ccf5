"""A function of the language is one row."""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest

from dalembert import System
from dalembert.language import functions
from dalembert.language.functions import EVEN, ODD, Function, register, symbol_of
from tests.extending.contract import compile_c, journey

ROWS = {
    "asinh": Function(
        "asinh", symbol_of("asinh"), math.asinh, np.arcsinh, lambda call, y, u: [1 / call("sqrt", u * u + 1)],
        parity=ODD, llvm="asinh", numpy="np.arcsinh({0})",
    ),
    "bell": Function(
        "bell", symbol_of("bell"), lambda u: 1 / (1 + u * u), lambda u: 1 / (1 + u * u),
        lambda call, y, u: [-2 * u * y * y],
        parity=EVEN, numpy="1/(1 + ({0})**2)", c_source="static double bell(double u) { return 1/(1 + u*u); }",
        instructions=lambda to, u: [
            f"  {to}.s = fmul double {u}, {u}", f"  {to}.d = fadd double {to}.s, 1.0",
            f"  {to} = fdiv double 1.0, {to}.d",
        ],
    ),
}  # fmt: skip
TABLES = ("OPERATIONS", "FUNCTIONS", "FLOATS", "ARRAYS", "INTERVALS", "_BY_SYMENGINE")


@pytest.fixture(params=ROWS)
def row(request, monkeypatch):
    """Register a function for a while."""
    for name in TABLES:
        monkeypatch.setitem(getattr(functions, name), request.param, None)
    register(ROWS[request.param])
    return ROWS[request.param]


def test_function(row, tmp_path):
    """A bead on a curve of that shape, held by a spring that has the function too."""
    system = System(
        "x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential=f"m*g*y + k*{row.name}(x/2)^2",
        constraints={"wire": f"y = {row.name}(x)"},
        parameters={"m": 1.2, "g": 9.81, "k": 3.5},
        initial={"x": 0.4, "x'": 0.3},
    )
    run = journey(system, tmp_path)
    assert row.name + "(x)" in str(system.derive("multipliers"))
    there = np.array([row.value(x) for x in run["x"]])
    assert np.abs(run["y"] - there).max() < 1e-9
    compile_c(system, tmp_path)
    system.export(tmp_path / "model_numpy.py", to="numpy")
    exported = runpy.run_path(str(tmp_path / "model_numpy.py"))
    state = system.start()
    found = exported["accelerations"](state.t, state.q, state.v)[0]
    assert np.allclose(found, system.compile()(state.t, state.q, state.v).acceleration, rtol=1e-12)
