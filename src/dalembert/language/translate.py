"""Between the SymPy in which users write mechanics and the plain SymEngine symbols that dalembert computes with.

A coordinate x(t) is the symbol `x` inside, its derivatives are `x'` and `x''`, time is `t`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any, cast
from weakref import WeakValueDictionary

import symengine as se

from dalembert.arguments import names as names_of
from dalembert.arguments import shown, whole
from dalembert.errors import ModelError, nearest
from dalembert.language.building import IF_LESS, IF_LESS_EQUAL, TIME, Expr, choose, is_numeral
from dalembert.language.functions import FUNCTIONS, Calls, Function, function_of, operation
from dalembert.language.late_sympy import dynamicsymbols, is_coordinate, is_sympy, sp
from dalembert.language.state_names import as_written, inner, integral
from dalembert.language.tokens import NAME
from dalembert.language.walk import fold


def coordinates(names: str | Iterable[str]) -> tuple[Any, ...]:
    """Make coordinates, functions of time, for use in SymPy expressions.

    >>> coordinates("x phi")
    (x(t), phi(t))
    """
    words = " ".join(names_of("names", names)).replace(",", " ").split()
    wrong = [word for word in words if not NAME.fullmatch(word)]
    if wrong or not words:
        found = f"got {wrong[0][:60]!r}" if wrong else "got none"
        raise ModelError(f"`names` are names of coordinates, of letters, digits and _; {found}")
    return tuple(dynamicsymbols()(word) for word in words)


def dot(x: Any, order: int = 1) -> Any:
    """Differentiate a coordinate by time.

    >>> dot(coordinates("x")[0])
    Derivative(x(t), t)
    """
    if not is_sympy(x):  # text would be evaluated
        raise ModelError(f"`x` is an expression of SymPy, made of `coordinates`; got {shown(x)}")
    return sp.diff(x, dynamicsymbols()._t, whole("order", order, 0, 100))


def plain_name(symbol: Any) -> str:
    """Return the name by which a symbol is called in text: `\\theta_{1}` becomes `theta_1`."""
    name = re.sub(r"[\\{}$ ]", "", _called(symbol))
    name = re.sub(r"\W", "_", name)
    return name if NAME.fullmatch(name) else f"_{name}"


def _called(symbol: Any) -> str:
    return symbol.func.__name__ if is_coordinate(symbol) else str(symbol)


class Translator:
    """Translates expressions of one system; symbols that are neither coordinates nor time become parameters.

    `symbols` holds the user's own SymPy symbols by plain name; where there is none, one is made on demand.
    """

    def __init__(
        self,
        symbols: Mapping[str, Any],
        coordinates: Iterable[str],
        parameters: Iterable[str] = (),
        calls: Calls | None = None,
    ):
        self.symbols = dict(symbols)
        self.names = {symbol: name for name, symbol in self.symbols.items()}
        self.coordinates = frozenset(coordinates)
        self.parameters = dict.fromkeys(parameters)  # in order; grows by the symbols that appear
        times = {symbol.args[0] for name, symbol in self.symbols.items() if self._moves(name)}
        if len(times) > 1:
            raise ModelError(f"coordinates depend on different times: {', '.join(sorted(map(str, times)))}")
        self._times = times
        self._calls: Calls = {} if calls is None else calls  # functions of the model's own
        self._inward: dict[Any, Expr] = {}
        self._outward: dict[Expr, Any] = {}

    @cached_property
    def time(self) -> Any:
        """The symbol of the time."""
        return next(iter(self._times), None) or dynamicsymbols()._t

    @property
    def own(self) -> dict[str, str]:
        """What the user's own symbols are called, where text has other names for them."""
        called = {name: _called(symbol) for name, symbol in self.symbols.items()}
        return {name: own for name, own in called.items() if own != name}

    # --- SymPy to SymEngine --------------------------------------------------------------------------------------

    def inward(self, expr: Any) -> Expr:
        """Translate a SymPy expression (or equation, taken as left − right); collect new parameters."""
        root: Any = sp.sympify(expr, strict=True)  # strict: text is never evaluated
        if isinstance(root, sp.Equality):
            left, right = root.args
            root = cast(Any, left) - cast(Any, right)
        if not isinstance(root, sp.Expr):
            raise ModelError(f"expected an expression, got {type(root).__name__}: {str(root)[:60]}")
        memo = self._inward
        stack: list[Any] = [root]
        while stack:
            node = stack[-1]
            if node in memo:
                stack.pop()
                continue
            whole = is_coordinate(node) and node.func.__name__ not in self._calls
            args = () if whole or isinstance(node, (sp.Derivative, sp.Piecewise)) else node.args
            missing = [arg for arg in args if arg not in memo]
            if missing:
                stack.extend(missing)
            else:
                memo[node] = self._node_inward(node, [memo[arg] for arg in args])
                stack.pop()
        return memo[root]

    def _node_inward(self, node: Any, args: list[Expr]) -> Expr:
        if isinstance(node, sp.Symbol):
            return se.Symbol(TIME if node == self.time else self._parameter(node))
        if isinstance(node, sp.Float):
            return se.RealDouble(float(node))
        if node.is_Number or node in (sp.pi, sp.E):
            if not node.is_finite:
                raise ModelError(f"expected finite numbers, got {node}")
            return se.sympify(node)
        own = self._own(node)
        if own is not None:
            return own.build(*args)
        if is_coordinate(node):
            return self._moving(node)
        if isinstance(node, sp.Derivative):
            return self._derivative(node)
        if node.is_Add:
            return se.Add(*args)
        if node.is_Mul:
            return se.Mul(*args)
        if node.is_Pow:
            return args[0] ** args[1]
        if isinstance(node, sp.Piecewise):
            return self._piecewise(node)
        rewritten = {"sec": sp.cos, "csc": sp.sin, "cot": sp.tan}.get(node.func.__name__)
        if rewritten is not None:
            return 1 / self.inward(rewritten(*node.args))
        name = str(node.func.__name__)
        function = next((row for row in FUNCTIONS.values() if name == (row.sympy or row.name)), None)
        if function is not None:
            return function.build(*args[: function.arguments[1]])
        raise ModelError(
            f"`{node.func.__name__}` cannot be used in a model; {nearest(name, list(FUNCTIONS), 'functions')}"
        )

    def _own(self, node: Any) -> Function | None:
        """Return the row of a function of the model's own, as it is given outward or written by its name."""
        row = getattr(node.func, "row", None)
        if row is None and is_coordinate(node) and (rows := self._calls.get(node.func.__name__)):
            row = rows[0]
        if row is not None and not row.arguments[0] <= len(node.args) <= row.arguments[1]:
            raise ModelError(f"`{row.owner}` takes {row.arguments[0]} arguments, got {len(node.args)}")
        return row

    def _parameter(self, symbol: Any) -> str:
        if symbol in self.names:
            return self.names[symbol]
        name = plain_name(symbol)
        if self._moves(name):
            function = self.symbol(name)
            raise ModelError(
                f"`{name}` is used both as a coordinate {function} and as a plain symbol; write {function}"
            )
        if name in self.symbols:
            raise ModelError(f"two different symbols are called `{name}` (assumptions differ?); use one of them")
        self.symbols[name], self.names[symbol] = symbol, name
        self.parameters.setdefault(name)
        return name

    def _coordinate(self, function: Any) -> str:
        if function in self.names:
            return self.names[function]
        name = plain_name(function)
        if self._moves(name) and function == self.symbol(name):
            self.names[function] = name
            return name
        known = ", ".join(f"{as_written(name)}({self.time})" for name in sorted(self.coordinates)[:12])
        raise ModelError(
            f"`{function}` is a function of time but no coordinate of this system ({known}); "
            "add it to the coordinates or put an expression in its place"
        )

    def symbol(self, name: str) -> Any:
        """Return the SymPy symbol of a coordinate or parameter."""
        if name not in self.symbols:
            self.symbols[name] = sp.Function(name)(self.time) if self._moves(name) else sp.Symbol(name)
        return self.symbols[name]

    def _moves(self, name: str) -> bool:
        """Tell whether it is the name of a coordinate or of a state."""
        return name in self.coordinates or integral(name) in self.coordinates

    def _moving(self, function: Any, order: int = 0) -> Expr:
        """Return a coordinate or a state, or a time derivative of it."""
        name = self._coordinate(function)
        return se.Symbol(inner(name, order) if integral(name) in self.coordinates else name + "'" * order)

    def _derivative(self, node: Any) -> Expr:
        moving, order = node.expr, node.derivative_count
        if not is_coordinate(moving) or moving.func.__name__ in self._calls:
            known = {
                call: _own_function(row)(*call.args) for call in moving.atoms(sp.Function) if (row := self._own(call))
            }
            done = node.xreplace(known).doit()
            if done == node:
                raise ModelError(f"cannot differentiate `{node}`")
            return self.inward(done)
        if set(node.variables) != {self.time}:
            raise ModelError(f"expected time derivatives only, got `{node}`")
        if order > 2:
            raise ModelError(f"`{node}`: derivatives beyond accelerations cannot be used")
        if order > 1 and integral(self._coordinate(moving)) in self.coordinates:
            raise ModelError(f"`{node}`: the rate of a state is the highest derivative that can be used")
        return self._moving(moving, order)

    def _piecewise(self, node: Any) -> Expr:
        result = None
        for value, condition in reversed(node.args):
            value = self.inward(value)
            if condition == sp.true:
                result = value
            elif result is None:
                raise ModelError(
                    f"the last branch of `{node}` needs the condition True, so that it has a value everywhere"
                )
            else:
                result = self._choice(condition, value, result)
        if result is None:
            raise ModelError(f"`{node}` has no branches")
        return result

    def _choice(self, condition: Any, yes: Expr, no: Expr) -> Expr:
        if isinstance(condition, sp.And):
            for part in condition.args:
                yes = self._choice(part, yes, no)
            return yes
        if isinstance(condition, sp.Or):
            for part in condition.args:
                no = self._choice(part, yes, no)
            return no
        if isinstance(condition, sp.Not):
            return self._choice(condition.args[0], no, yes)
        if isinstance(condition, (sp.StrictLessThan, sp.LessThan, sp.StrictGreaterThan, sp.GreaterThan)):
            left, right = self.inward(condition.lts), self.inward(condition.gts)
            return choose(left, right, isinstance(condition, (sp.StrictLessThan, sp.StrictGreaterThan)), yes, no)
        raise ModelError(f"conditions are comparisons with < <= > >=, joined by And, Or, Not; got `{condition}`")

    # --- SymEngine to SymPy --------------------------------------------------------------------------------------

    def outward(self, expr: Expr) -> Any:
        """Translate back, with the user's own symbols."""
        return fold(se.sympify(expr), self._node_outward, self._outward)

    def _node_outward(self, node: Expr, args: list[Any]) -> Any:
        if node.is_Symbol:
            return sp.Float(float(node.name)) if is_numeral(node) else self._symbol_outward(node.name)
        if type(node).__name__ == "RealDouble":
            return sp.Float(float(node))
        if node.is_Number or not args:
            return node._sympy_()
        if node.is_Add:
            return sp.Add(*args)
        if node.is_Mul:
            return sp.Mul(*args)
        if node.is_Pow:
            return sp.Pow(*args)
        function = function_of(node)
        if function is None:
            return getattr(sp, type(node).__name__)(*args)
        if function.name in (IF_LESS, IF_LESS_EQUAL):
            condition = sp.StrictLessThan if function.name == IF_LESS else sp.LessThan
            return sp.Piecewise((args[2], condition(args[0], args[1])), (args[3], True))
        if function.open and args == [self.time]:
            call = sp.Function(function.owner)(self.time)
            return sp.Derivative(call, (self.time, function.order)) if function.order else call
        return (_own_function(function) if function.owner else _sympy_function(function.sympy or function.name))(*args)

    def _symbol_outward(self, name: str) -> Any:
        if name == TIME:
            return self.time
        name = as_written(name)
        plain = name.rstrip("'")
        order = len(name) - len(plain)
        symbol = self.symbol(plain)
        return sp.Derivative(symbol, (self.time, order)) if order else symbol


@cache
def _sympy_function(name: str) -> Any:
    """Return a function of SymPy, or one of its kind under a name that it does not have."""
    found = getattr(sp, name, None)
    return found if isinstance(found, type) and issubclass(found, sp.Function) else type(name, (sp.Function,), {})


_own_functions: WeakValueDictionary[str, Any] = WeakValueDictionary()  # as long as expressions of SymPy hold them


def _own_function(row: Function) -> Any:
    """Return a function of a model's own as one that SymPy can differentiate; it is one for equal rows."""
    if (known := _own_functions.get(row.name)) is not None:
        return known

    def fdiff(self: Any, argindex: int = 1) -> Any:
        slope = (row.slopes or _no_slopes)(_named, None, *self.args)[argindex - 1]
        return sp.Integer(0) if slope == 0 else slope

    made = type(row.name.partition("#")[0], (sp.Function,), {"row": row, "fdiff": fdiff})
    return _own_functions.setdefault(row.name, made)


def _named(name: str, *args: Any) -> Any:
    return _own_function(operation(name))(*args)


def _no_slopes(call: Any, value: Any, *args: Any) -> list[Any]:
    return [0] * len(args)
