"""Machine code of single routines, against the same operations in Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert.algebra.tape import Tape
from dalembert.language.functions import ARRAYS
from dalembert.native.codegen import Kernel, to_llvm
from dalembert.native.machine import Library, compile_object
from dalembert.native.routine import Routine, Shelf, cut

UNARY = [
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "log",
    "sqrt",
    "abs",
    "sign",
    "step",
]


def run(routines: list[Routine], inputs: np.ndarray, level: int | None = None) -> np.ndarray:
    outputs = 1 + max(i for routine in routines for array, i in routine.stores if array == "out")
    kernel = Kernel("kernel", tuple(routine.name for routine in routines), inputs.shape[1], outputs)
    ir, layout = to_llvm(routines, [kernel])
    library = Library(compile_object(ir, level))
    out, work = np.full((len(inputs), outputs), np.nan), np.full(layout.size + 1, np.nan)
    library.loop("kernel")(out.ctypes.data, inputs.ctypes.data, work.ctypes.data, len(inputs))
    return out


@pytest.mark.parametrize("level", [0, 1])
def test_every_function(level):
    routine = Routine("all")
    x, y, z, w = routine.loads("in", 4)
    values = [routine.tape.call(name, x) for name in UNARY]
    values += [routine.tape.call(name, x, y) for name in ("atan2", "max", "min", "pow")]
    values += [routine.tape.call(name, x, y, z, w) for name in ("if_lt", "if_le")]
    values += [x + y, x - y, x * y, -x, 1.0 / x, x / y]
    routine.store("out", values)
    inputs = np.random.default_rng(0).uniform(0.1, 0.9, (50, 4)) * np.array([1, 1, -1, 5])
    inputs[:3, 0] = inputs[:3, 1]  # equal arguments, for the choices
    x, y, z, w = inputs.T
    expected = [ARRAYS[name](x) for name in UNARY]
    expected += [np.arctan2(x, y), np.maximum(x, y), np.minimum(x, y), x**y]
    expected += [np.where(x < y, z, w), np.where(x <= y, z, w), x + y, x - y, x * y, -x, 1 / x, x / y]
    assert run([routine], inputs, level) == pytest.approx(np.array(expected).T, rel=1e-14, abs=1e-15)


def test_awkward_arguments():
    routine = Routine("awkward")
    (x,) = routine.loads("in", 1)
    call = routine.tape.call
    values = [call("sign", x), call("step", x), call("sqrt", x), call("log", x), 1.0 / x, call("max", x, 1.0)]
    routine.store("out", [*values, 2.5, x])
    zero, negative, undefined = run([routine], np.array([[0.0], [-1.0], [math.nan]]))
    assert zero == pytest.approx([0, 0.5, 0, -math.inf, math.inf, 1, 2.5, 0])
    assert negative == pytest.approx([-1, 0, math.nan, math.nan, -1, 1, 2.5, -1], nan_ok=True)
    assert np.all(np.isnan(np.delete(undefined, 6)))  # nothing hides what is undefined


@pytest.mark.parametrize("size", [1, 7, 50, 500])
def test_cutting_changes_nothing(size, monkeypatch):
    """A long routine, its pieces passing values through the workspace, and overwriting an array that it reads."""
    monkeypatch.setattr("dalembert.native.codegen.cut", lambda routine: cut(routine, size))
    random = np.random.default_rng(1)
    first, second = Routine("first"), Routine("second")
    values = first.loads("in", 5)
    for _ in range(300):
        i, j = random.integers(0, len(values), 2)
        values.append(first.tape.call("sin", values[i] * 1.25 + values[j]))
    first.store("x", values[-10:])
    x = second.loads("x", 10)
    second.store("x", [x[(i + 1) % 10] * 2.0 + x[i] for i in range(10)])
    last = Routine("last")
    last.store("out", last.loads("x", 10))
    inputs = random.normal(size=(4, 5))
    expected = [[*row] for row in inputs]
    random = np.random.default_rng(1)
    pairs = [random.integers(0, 5 + k, 2) for k in range(300)]
    for row in expected:
        for i, j in pairs:
            row.append(math.sin(row[i] * 1.25 + row[j]))
    before = np.array(expected)[:, -10:]
    assert run([first, second, last], inputs) == pytest.approx(2 * np.roll(before, -1, axis=1) + before, abs=1e-12)


def test_shelves_keep_constants_and_share_places():
    first, second = Routine("first"), Routine("second")
    x, y = first.loads("in", 2)
    values = {"a": x * y, "b": -(y * x), "c": 3.0, "d": x}
    shelf = Shelf("shelf", first.tape, values)
    shelf.store(first, values)
    assert len(first.stores) == 2
    read = shelf.read(second)
    assert read["c"] == 3.0
    second.store("out", [read[key] for key in "abcd"])
    assert run([first, second], np.array([[2.0, 5.0]]))[0] == pytest.approx([10, -10, 3, 2])
    shelf.store(first, {"a": x + y, "b": -(x + y), "c": 3.0, "d": y})  # others, in the same places
    assert run([first, second], np.array([[2.0, 5.0]]))[0] == pytest.approx([7, -7, 3, 5])


def test_only_what_is_needed_is_counted():
    routine = Routine("r", Tape())
    x, y = routine.loads("in", 2)
    _ = x * y + 1.0
    routine.store("out", [x + y])
    assert routine.operations == 1
    assert routine.tape.operations == 3


def test_no_states():
    routine = Routine("r")
    routine.store("out", routine.loads("in", 2))
    assert run([routine], np.zeros((0, 2))).shape == (0, 2)
