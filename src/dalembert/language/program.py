"""A program: symbolic expressions as a list of scalar operations, run over any arithmetic.

Common subexpressions are shared, nothing is compiled, and the operations are ordinary Python operators and a table of
functions: with floats this is the slow, obvious oracle; with arrays it evaluates many states at once; with other
scalars it carries the expressions into their arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import symengine as se

from dalembert.language.building import is_numeral
from dalembert.language.functions import ARRAYS, FLOATS, function_of
from dalembert.language.walk import fold

Scalar = Any


class Arithmetic(Protocol):
    """Supplies the functions of some scalars, by name."""

    def __getitem__(self, name: str, /) -> Callable[..., Scalar]:
        """Return a function."""
        ...


_NUMBER, _ADD, _MUL, _DIV, _CALL = range(5)


class Program:
    """Expressions over given input symbols, ready to be run.

    definitions: what other symbols in them stand for, each in inputs and in symbols that are defined before it.

    >>> x, y = se.Symbol("x"), se.Symbol("y")
    >>> Program([x], [x**2, 1 / y], {y: 2 * x})([2.0])
    [4.0, 0.25]
    """

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Any], definitions: Mapping[Any, Any] | None = None):
        self.native: Callable[[np.ndarray], np.ndarray] | None = None  # the same for rows of inputs, in native code
        self._index: dict[Any, int] = {symbol: i for i, symbol in enumerate(inputs)}
        self._operations: list[tuple] = []
        self._count = len(inputs)
        self.inputs = len(inputs)
        for symbol, meaning in definitions_in(outputs, definitions).items() if definitions else ():
            if symbol not in self._index:
                self._index[symbol] = self._place(meaning)
        self.outputs = [self._place(se.sympify(output)) for output in outputs]

    def __len__(self) -> int:
        return len(self._operations)

    def __call__(self, values: Sequence[Scalar], arithmetic: Arithmetic = FLOATS) -> list[Scalar]:
        """Run over any scalars that know the operators; `arithmetic` supplies the functions."""
        if len(values) != self.inputs:
            raise ValueError(f"got {len(values)} values for {self.inputs} inputs")
        work = list(values)
        push = work.append
        for code, a, b in self._operations:
            if code == _MUL:
                push(work[a] * work[b])
            elif code == _ADD:
                push(work[a] + work[b])
            elif code == _CALL:
                push(arithmetic[a](*[work[i] for i in b]))
            elif code == _NUMBER:
                push(a)
            else:
                push(work[a] / work[b])
        return [work[i] for i in self.outputs]

    @property
    def operations(self) -> Iterator[tuple]:
        """The operations in order, by name, each with the places of its operands; the inputs have the first places."""
        names = {_ADD: "+", _MUL: "*", _DIV: "inverse"}
        for code, a, b in self._operations:
            if code == _NUMBER:
                yield "number", a
            elif code == _CALL:
                yield a, *b
            else:
                yield (names[code], b) if code == _DIV else (names[code], a, b)  # only 1 is divided

    def floats(self, values: Sequence[float] | np.ndarray) -> np.ndarray:
        """Run over floats; what is undefined there comes out as nan or inf instead of an exception."""
        if self.native is not None:
            return self.native(np.array(values, dtype=float)[None])[0]
        try:
            return np.array(self([float(value) for value in values]))
        except (ArithmeticError, ValueError):
            with np.errstate(all="ignore"):
                return np.array(self([np.float64(value) for value in values], ARRAYS), dtype=float)

    def arrays(self, values: Sequence[Any]) -> np.ndarray:
        """Run over arrays: each input a number or an array of k values; the result has shape (outputs, k)."""
        values = [np.asarray(value, dtype=float) for value in values]
        if any(value.shape != values[0].shape for value in values):
            values = list(np.broadcast_arrays(*values))
        with np.errstate(all="ignore"):
            rows = self(values, ARRAYS)
        found = np.empty((len(rows), *(values[0].shape if values else ())))
        for place, row in enumerate(rows):
            found[place] = row  # numbers stay the same everywhere
        return found

    def rows(self, inputs: np.ndarray) -> np.ndarray:
        """Run over rows of inputs, in native code if there is some; one row of outputs for each."""
        return self.arrays(list(inputs.T)).T if self.native is None else self.native(np.ascontiguousarray(inputs))

    # --- building ------------------------------------------------------------------------------------------------

    def _emit(self, code: int, a: Any, b: Any = None) -> int:
        self._operations.append((code, a, b))
        self._count += 1
        return self._count - 1

    def _number(self, value: float) -> int:
        key = ("number", value)
        if key not in self._index:
            self._index[key] = self._emit(_NUMBER, value)
        return self._index[key]

    def _place(self, expr: Any) -> int:
        """Return the slot of an expression, emitting what is missing."""
        return fold(expr, self._node, self._index, _operands)

    def _node(self, node: Any, args: Sequence[int]) -> int:
        kind = type(node).__name__
        if node.is_Number or kind in ("Pi", "Exp1"):
            return self._number(float(node.n(53, real=True)))
        if node.is_Symbol:
            if is_numeral(node):
                return self._number(float(node.name))
            raise ValueError(f"`{node}` is no input of this program")
        if node.is_Pow:
            return self._power(*node.args)
        if node.is_Add or node.is_Mul:
            slot = args[0]
            for arg in args[1:]:
                slot = self._emit(_ADD if node.is_Add else _MUL, slot, arg)
            return slot
        function = function_of(node)
        if function is None:
            raise ValueError(f"the function in `{node}` cannot be evaluated")
        return self._emit(_CALL, function.name, tuple(args))

    def _power(self, base: Any, exponent: Any) -> int:
        if base == se.E:
            return self._emit(_CALL, "exp", (self._index[exponent],))
        slot = self._index[base]
        if exponent.is_Number and float(exponent) < 0:
            return self._emit(_DIV, self._number(1.0), self._place(base ** (-exponent)))
        if exponent == se.Rational(1, 2):
            return self._emit(_CALL, "sqrt", (slot,))
        if exponent.is_Integer and int(exponent) <= 16:
            return self._integer_power(slot, int(exponent))
        return self._emit(_CALL, "pow", (slot, self._place(exponent)))

    def _integer_power(self, slot: int, exponent: int) -> int:
        """Multiply by repeated squaring."""
        result = None
        while exponent:
            if exponent & 1:
                result = slot if result is None else self._emit(_MUL, result, slot)
            exponent >>= 1
            if exponent:
                slot = self._emit(_MUL, slot, slot)
        return self._number(1.0) if result is None else result


def definitions_in(outputs: Sequence[Any], definitions: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the definitions that expressions need, in order."""
    wanted = set().union(*(se.sympify(output).free_symbols for output in outputs))
    found = []
    for symbol in reversed(definitions):
        if symbol in wanted:
            found.append(symbol)
            wanted |= definitions[symbol].free_symbols
    return {symbol: definitions[symbol] for symbol in reversed(found)}


def _operands(node: Any) -> tuple[Any, ...]:
    """Return the arguments that must be computed before a node."""
    if node.is_Number:
        return ()
    if node.is_Pow:
        base, exponent = node.args
        return (exponent,) if base == se.E else (base,) if exponent.is_Number else (base, exponent)
    return node.args
