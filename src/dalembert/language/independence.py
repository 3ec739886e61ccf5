"""Does an expression keep its value when some variables change? And if it does, what is left of it without them?

Decided by numbers, as variables may cancel in ways that no simplification finds in bounded time. Variables are taken
over many orders of magnitude, as what is nearly constant at 1 need not be so at 10⁶; rounding is carried along, as what
cancels exactly leaves noise there; and both branches of every choice count, also those that no sample would meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.language.building import IF_LESS, IF_LESS_EQUAL, STEP, Expr, number, step, total
from dalembert.language.calculus import SWITCHING, ZERO
from dalembert.language.functions import ARRAYS, function_of
from dalembert.language.program import Program
from dalembert.language.walk import fold, rebuild

_GROUPS = 8  # of values for everything that does not vary
_SCALES = 10.0 ** np.array([*range(-3, 10), 0, 0, 0])
_EACH = 3  # points of every scale
_SAME = 1e-9
_EPSILON = 2.0**-52


def is_independent(expression: Expr, variables: Set[Expr]) -> bool:
    """Tell whether an expression keeps its value when the variables change."""
    if not expression.free_symbols & variables:
        return True
    choices = _Choices(variables)
    try:
        expression = fold(expression, choices.open)
        order = sorted(expression.free_symbols, key=str)
        program = Program(order, [expression])
    except (ValueError, RuntimeError):  # an undone derivative of abs, …, or a constant that is not real
        return False
    inputs = [_Rounded(row, np.zeros_like(row)) for row in _points(order, choices)]
    with np.errstate(all="ignore"):
        result = _Rounded.of(program(inputs, _Rounding())[0])
    shape = (_GROUPS, len(_SCALES) * _EACH)
    return _agree(np.broadcast_to(result.value, shape), np.broadcast_to(result.error, shape))


def without(expression: Expr, variables: Set[Expr]) -> Expr | None:
    """Remove variables that cancel, by values in their place; None if no value has a meaning there."""
    symbols = sorted(expression.free_symbols & variables, key=str)
    if not symbols:
        return expression
    values = [[se.Rational(7310 + 613 * k + 101 * i, 9973) for i in range(len(symbols))] for k in range(4)]
    if not expression.atoms(*SWITCHING):  # there, zero is a place where things change
        values.insert(0, [ZERO] * len(symbols))
    for row in values:
        try:
            result = _substitute(expression, dict(zip(symbols, row, strict=True)))
        except RuntimeError:  # of SymEngine: cosh(1/0)
            continue
        if _is_finite(result):
            return result
    return None


# --- values ----------------------------------------------------------------------------------------------------------


def _substitute(expression: Expr, values: Mapping[Expr, Expr]) -> Expr:
    expression = expression.xreplace(dict(values))
    return fold(expression, _evaluate) if expression.atoms(*SWITCHING) else expression


def _evaluate(node: Expr, args: Sequence[Expr]) -> Expr:
    """Build a node again, so that choices between numbers are made."""
    function = function_of(node)
    if function is None or function.switches is None:
        return rebuild(node, args)
    return function.build(*args)


def _is_finite(expression: Expr) -> bool:
    def check(node: Expr, args: Sequence[bool]) -> bool:
        return number(node) is not None if node.is_Number else all(args)

    return fold(expression, check)


# --- choices ---------------------------------------------------------------------------------------------------------


class _Choices:
    """Makes min, max, step and if free to take either branch, by symbols that are 0 or 1.

    sign and abs keep their meaning: they cancel in powers, and the samples have both signs.
    """

    def __init__(self, variables: Set[Expr]):
        self.variables = set(variables)  # grows by the choices that depend on them
        self.symbols: dict[Expr, Expr] = {}  # what is compared with zero -> whether it is above

    def open(self, node: Expr, args: Sequence[Expr]) -> Expr:
        if isinstance(node, (se.Max, se.Min)):
            return self.extreme(args, isinstance(node, se.Max))
        function = function_of(node)
        if function is not None and function.name == STEP:
            return self.above(args[0])
        if function is None or function.name not in (IF_LESS, IF_LESS_EQUAL):
            return rebuild(node, args)
        left, right, yes, no = args
        return self.pick(total(right, -left), yes, no)

    def extreme(self, args: Sequence[Expr], largest: bool) -> Expr:
        """Pick in halves, as the slopes are picked."""
        if len(args) == 1:
            return args[0]
        first, second = (self.extreme(half, largest) for half in (args[: len(args) // 2], args[len(args) // 2 :]))
        return self.pick(total(first, -second) if largest else total(second, -first), first, second)

    def pick(self, condition: Expr, yes: Expr, no: Expr) -> Expr:
        return no + self.above(condition) * (yes - no)

    def above(self, u: Expr) -> Expr:
        value = number(u)
        if value is not None:
            return step(u)
        if u in self.symbols:
            return self.symbols[u]
        opposite = total(*[-term for term in u.args]) if u.is_Add else -u
        if opposite in self.symbols:
            return 1 - self.symbols[opposite]
        symbol = se.Symbol(f"?{len(self.symbols)}")
        if u.free_symbols & self.variables:
            self.variables.add(symbol)
        self.symbols[u] = symbol
        return symbol


# --- samples ---------------------------------------------------------------------------------------------------------


def _points(order: Sequence[Expr], choices: _Choices) -> Array:
    """Return values of every symbol, group by group; within a group only the variables vary."""
    random = np.random.default_rng(0)
    scales = np.repeat(_SCALES, _EACH)
    is_choice = set(choices.symbols.values())
    rows = []
    for symbol in order:
        varies = symbol in choices.variables
        shape = (_GROUPS, len(scales)) if varies else (_GROUPS, 1)
        if symbol in is_choice:
            row = random.integers(0, 2, shape).astype(float)
        elif varies:
            row = scales * random.uniform(0.5, 1.5, shape) * random.choice([-1.0, 1.0], shape)
        else:
            row = random.uniform(0.5, 1.5, shape)
            row[2:] *= 10.0 ** random.uniform(-2, 2, (_GROUPS - 2, 1))  # the first are moderate,
            row[1::2] *= random.choice([-1.0, 1.0], (_GROUPS // 2, 1))  # and every other is positive
        rows.append(np.broadcast_to(row, (_GROUPS, len(scales))))
    return np.array(rows)


def _agree(values: Array, errors: Array) -> bool:
    """Tell whether each row holds one value, as far as rounding lets it be seen, in some row of two or more."""
    seen = False
    for value, error in zip(values, errors, strict=True):
        use = np.isfinite(value) & np.isfinite(error)
        value, error = value[use], error[use]
        if not value.size:
            continue
        best = np.argmin(error)
        if np.any(np.abs(value - value[best]) > _SAME * np.abs(value[best]) + 8 * (error + error[best])):
            return False
        seen = seen or np.sum((error <= 1e-6 * np.abs(value)) | (np.abs(value) <= 8 * error)) > 1
    return bool(seen)


class _Rounded:
    """Values with a bound of their rounding errors, to first order."""

    def __init__(self, value: Any, error: Any):
        self.value, self.error = value, error

    @classmethod
    def of(cls, other: Any) -> _Rounded:
        return other if isinstance(other, _Rounded) else cls(np.float64(other), _EPSILON * np.abs(other))

    def __add__(self, other: Any) -> _Rounded:
        other = _Rounded.of(other)
        value = self.value + other.value
        return _Rounded(value, self.error + other.error + _EPSILON * np.abs(value))

    def __mul__(self, other: Any) -> _Rounded:
        other = _Rounded.of(other)
        value = self.value * other.value
        spread = np.abs(self.value) * other.error + np.abs(other.value) * self.error
        return _Rounded(value, spread + self.error * other.error + _EPSILON * np.abs(value))

    def __truediv__(self, other: Any) -> _Rounded:
        other = _Rounded.of(other)
        value = self.value / other.value
        room = np.maximum(np.abs(other.value) - other.error, 0.0)
        return _Rounded(value, (self.error + np.abs(value) * other.error) / room + _EPSILON * np.abs(value))

    def __rtruediv__(self, other: Any) -> _Rounded:
        return _Rounded.of(other) / self

    __radd__, __rmul__ = __add__, __mul__


def _carried(function: Any) -> Any:
    """Make a function of arrays one of rounded values: its arguments are moved by their errors."""

    def apply(*args: Any) -> _Rounded:
        rounded = [_Rounded.of(arg) for arg in args]
        values = [arg.value for arg in rounded]
        value = function(*values)
        error = 2 * _EPSILON * np.abs(value)
        for i, arg in enumerate(rounded):
            moved = [function(*values[:i], arg.value + side * arg.error, *values[i + 1 :]) for side in (-1, 1)]
            error = error + np.fmax(*[np.abs(end - value) for end in moved])
        return _Rounded(value, error)

    return apply


class _Rounding:
    """Supplies the functions of rounded values."""

    def __getitem__(self, name: str) -> Any:
        return _carried(ARRAYS[name])
