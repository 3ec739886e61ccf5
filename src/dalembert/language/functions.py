"""The functions of the model language, each with all that is to be known of it, in one row.

To add one, `register` a row: it can then be written in models, derived, printed, saved, moved and exported. One that
SymEngine lacks is built by `symbol_of(name)`, and its `slopes` are its derivatives:

    register(
        Function("asinh", symbol_of("asinh"), math.asinh, np.arcsinh, lambda call, y, u: [1 / call("sqrt", u * u + 1)],
                 parity=ODD, llvm="asinh", numpy="np.arcsinh({0})")
    )
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import symengine as se

from dalembert.language import building, intervals
from dalembert.language.building import IF_LESS, IF_LESS_EQUAL, STEP, TIME, Expr

EVEN, ODD = "even", "odd"
MANY = 100  # arguments
_PAIRS = 40  # of arguments of min and max that are compared with each other


@dataclass(frozen=True)
class Function:
    """A function: `f(u, …)`.

    build: makes its expression. value, array: of floats and of arrays. called: whether it is written by its name.
    slopes: its derivatives by each argument, `slopes(call, f(u, …), u, …)`, over any scalars, where
    `call(name, …)` applies other functions; None for what chooses between its arguments.

    interval: encloses its values over ranges, all numbers if it is not given. switches: what passes zero where it
    switches. parity: even or odd in its argument.

    llvm: the name of an intrinsic or of a function of the C library; else instructions writes those of LLVM. c: the
    name of a function of C, with its source in c_source if the library has none, or an expression of {0}, {1}, ….
    numpy: an expression of {0}, {1}, …, with `np`, in which JAX has the same. sources: defines what is called of these
    where it is neither in a library nor in c_source, by the language: llvm, c or numpy.

    symengine, sympy: what the others call it. text, mathml, latex: how it is written, with {0}, {1}, …; shown: its
    name in formulas that are typeset. raised: whether its powers are written sin² u. owner: its name in the one model
    that it belongs to, such as that of a table; order: of what derivative of that; open: whether it has no value;
    inside: the one of the same values that has none beyond the ends of a table.
    """

    name: str
    build: Callable[..., Expr]
    value: Callable[..., Any]
    array: Callable[..., Any]
    slopes: Callable[..., list[Any]] | None = None
    arguments: tuple[int, int] = (1, 1)
    interval: Callable[..., Any] = intervals.anything
    switches: Callable[..., list[Expr]] | None = None
    parity: str = ""
    llvm: str = ""
    instructions: Callable[..., list[str]] | None = None
    c: str = ""
    c_source: str = ""
    numpy: str = ""
    sources: Callable[[str], str] | None = None
    symengine: str = ""
    sympy: str = ""
    text: str = ""
    mathml: str = ""
    latex: str = ""
    shown: str = ""
    raised: bool = False
    called: bool = True
    owner: str = ""
    order: int = 0
    open: bool = False
    inside: Function | None = None

    def in_c(self, args: Sequence[str]) -> str:
        """Write a call in C."""
        given = self.c or self.name
        return given.format(*args) if "{" in given else f"{given}({', '.join(args)})"

    def in_numpy(self, args: Sequence[str]) -> str:
        """Write a call in NumPy."""
        return self.numpy.format(*args) if self.numpy else f"np.{self.name}({', '.join(args)})"

    def in_text(self, args: Sequence[str]) -> str:
        """Write a call in the grammar of model files."""
        return self.text.format(*args) if self.text else f"{self.name}({', '.join(args)})"


Calls = Mapping[str, tuple[Function, ...]]  # functions of a model by their names there: each, and its derivatives


class Called(dict[str, Callable[..., Any]]):
    """What a `Program` calls, by name: of the language here; of models where their rows are."""

    def __init__(self, column: str):
        super().__init__()
        self.column = column

    def __missing__(self, name: str) -> Callable[..., Any]:
        return getattr(operation(name), self.column)


OPERATIONS: dict[str, Function] = {}  # all of the language
FUNCTIONS: dict[str, Function] = {}  # those that are called by their names
FLOATS, ARRAYS, INTERVALS = Called("value"), Called("array"), Called("interval")
_BY_SYMENGINE: dict[str, Function] = {}
_OF_MODELS: WeakValueDictionary[str, Function] = WeakValueDictionary()  # as long as a model has them


def register(*rows: Function) -> None:
    """Add functions to the language."""
    for row in rows:
        OPERATIONS[row.name] = _BY_SYMENGINE[row.symengine or row.name] = row
        FLOATS[row.name], ARRAYS[row.name], INTERVALS[row.name] = row.value, row.array, row.interval
        if row.called:
            FUNCTIONS[row.name] = row


def lend(row: Function) -> Function:
    """Make a function of a model known in expressions for as long as somebody keeps what this returns.

    Its name holds a digest of what it is, so that models which are equal in it share it, and others do not meet it.
    """
    return _OF_MODELS.setdefault(row.name, row)


def lent(name: str) -> Function | None:
    """Return the function of a model with such a name, if there is a model that has it."""
    return _OF_MODELS.get(name)


def operation(name: str) -> Function:
    """Return the row of an operation of the language or of a model; raise KeyError if there is none."""
    return OPERATIONS.get(name) or _OF_MODELS[name]


def added_functions() -> list[str]:
    """Return the names of those that are not of the language itself."""
    return [name for name, row in OPERATIONS.items() if row and row is not _OWN.get(name)]


def function_of(node: Expr) -> Function | None:
    """Return the row of an expression that is a call; None if it is none, or of a function that is not known."""
    kind = type(node).__name__
    if kind != "FunctionSymbol":
        return _BY_SYMENGINE.get(kind)
    return _BY_SYMENGINE.get(name := node.get_name()) or _OF_MODELS.get(name)


def sources(used: Iterable[str], language: str) -> list[str]:
    """Return what must be defined for some operations, each once."""
    rows = [row for name in sorted(set(used)) if (row := OPERATIONS.get(name) or lent(name))]
    made = [row.sources(language) if row.sources else row.c_source if language == "c" else "" for row in rows]
    return [text for text in dict.fromkeys(made) if text]


def symbol_of(name: str) -> Callable[..., Expr]:
    """Return what makes expressions of a function that SymEngine does not have."""
    return lambda *args: se.Function(name)(*args)


def is_reserved(name: str) -> bool:
    """Tell whether a name means something in the language, so that no part of a model can have it."""
    return name in FUNCTIONS or name in (TIME, "if", "and", "or", "not")


def _select(to: str, relation: str, a: str, b: str, yes: str, no: str) -> list[str]:
    return [f"  {to}.c = fcmp {relation} double {a}, {b}", f"  {to} = select i1 {to}.c, double {yes}, double {no}"]


def _side(to: str, u: str, below: str, middle: str) -> list[str]:
    """Write 1 above zero, something below and something at it; of what is no number, that."""
    return [
        f"  {to}.z = fmul double {u}, 0.0",
        f"  {to}.h = fadd double {to}.z, {middle}",
        *_select(f"{to}.n", "olt", u, "0.0", below, f"{to}.h"),
        *_select(to, "ogt", u, "0.0", "1.0", f"{to}.n"),
    ]


def _cases(sign: str) -> str:
    rows = f"<mtr><mtd>{{2}}</mtd><mtd><mtext>if </mtext>{{0}}<mo>{sign}</mo>{{1}}</mtd></mtr>"
    rows += "<mtr><mtd>{3}</mtd><mtd><mtext>else</mtext></mtd></mtr>"
    return f"<mrow><mo>{{{{</mo><mtable>{rows}</mtable></mrow>"


def _latex_cases(sign: str) -> str:
    rows = rf"{{2}} & \text{{{{if }}}} {{0}} {sign} {{1}} \\ {{3}} & \text{{{{else}}}}"
    return rf"\begin{{{{cases}}}} {rows} \end{{{{cases}}}}"


def _differences(*args: Expr) -> list[Expr]:
    return [a - b for a, b in list(combinations(args, 2))[:_PAIRS]]


def _argument(u: Expr) -> list[Expr]:
    return [u]


register(
    Function(
        "sin", se.sin, math.sin, np.sin, lambda call, y, u: [call("cos", u)],
        interval=intervals.wave(np.sin, np.pi / 2), parity=ODD, llvm="llvm.sin.f64", raised=True,
    ),
    Function(
        "cos", se.cos, math.cos, np.cos, lambda call, y, u: [-call("sin", u)],
        interval=intervals.wave(np.cos, 0.0), parity=EVEN, llvm="llvm.cos.f64", raised=True,
    ),
    Function(
        "tan", building.tangent, math.tan, np.tan, lambda call, y, u: [y * y + 1.0],
        interval=intervals.tangent, parity=ODD, llvm="tan", raised=True,
    ),
    Function(
        "asin", se.asin, math.asin, np.arcsin, lambda call, y, u: [1.0 / call("sqrt", 1.0 - u * u)],
        interval=intervals.rising(np.arcsin, -1.0, 1.0), parity=ODD, llvm="asin", numpy="np.arcsin({0})",
        shown="arcsin",
    ),
    Function(
        "acos", se.acos, math.acos, np.arccos, lambda call, y, u: [-1.0 / call("sqrt", 1.0 - u * u)],
        interval=intervals.arccosine, llvm="acos", numpy="np.arccos({0})", shown="arccos",
    ),
    Function(
        "atan", se.atan, math.atan, np.arctan, lambda call, y, u: [1.0 / (u * u + 1.0)],
        interval=intervals.rising(np.arctan), parity=ODD, llvm="atan", numpy="np.arctan({0})", shown="arctan",
    ),
    Function(
        "atan2", building.angle, math.atan2, np.arctan2,
        lambda call, y, u, v: [v / (u * u + v * v), -u / (u * u + v * v)],
        arguments=(2, 2), interval=intervals.angle, llvm="atan2", numpy="np.arctan2({0}, {1})",
    ),
    Function(
        "sinh", se.sinh, math.sinh, np.sinh, lambda call, y, u: [call("cosh", u)],
        interval=intervals.rising(np.sinh), parity=ODD, llvm="sinh", raised=True,
    ),
    Function(
        "cosh", se.cosh, math.cosh, np.cosh, lambda call, y, u: [call("sinh", u)],
        interval=intervals.hyperbolic_cosine, parity=EVEN, llvm="cosh", raised=True,
    ),
    Function(
        "tanh", se.tanh, math.tanh, np.tanh, lambda call, y, u: [1.0 - y * y],
        interval=intervals.rising(np.tanh), parity=ODD, llvm="tanh", raised=True,
    ),
    Function(
        "exp", building.exponential, math.exp, np.exp, lambda call, y, u: [y],
        interval=intervals.rising(np.exp), llvm="llvm.exp.f64",
    ),
    Function(
        "log", se.log, math.log, np.log, lambda call, y, u: [1.0 / u],
        interval=intervals.rising(np.log, 0.0), llvm="llvm.log.f64",
    ),
    Function(
        "sqrt", building.root, math.sqrt, np.sqrt, lambda call, y, u: [0.5 / y],
        interval=intervals.rising(np.sqrt, 0.0), llvm="llvm.sqrt.f64",
    ),
    Function(
        "abs", building.absolute, abs, np.abs, lambda call, y, u: [call("sign", u)],
        interval=intervals.absolute, switches=_argument, parity=EVEN, llvm="llvm.fabs.f64", c="fabs",
        symengine="Abs", sympy="Abs", mathml="<mrow><mo>|</mo>{0}<mo>|</mo></mrow>", latex=r"\left|{0}\right|",
    ),
    Function(
        "sign", building.sign, lambda u: float((u > 0) - (u < 0)), np.sign, lambda call, y, u: [0.0],
        interval=intervals.rising(np.sign), switches=_argument, parity=ODD, shown="sgn",
        instructions=lambda to, u: _side(to, u, "-1.0", "0.0"),
        c_source="static double sign(double u) { return u > 0 ? 1.0 : u < 0 ? -1.0 : 0.0 * u; }",
    ),
    Function(
        "step", building.step, lambda u: 1.0 if u > 0 else 0.0 if u < 0 else 0.5, lambda u: np.heaviside(u, 0.5),
        lambda call, y, u: [0.0],
        interval=intervals.rising(lambda u: np.heaviside(u, 0.5)), switches=_argument,
        numpy="np.heaviside({0}, 0.5)", symengine=STEP, sympy="Heaviside",
        instructions=lambda to, u: _side(to, u, "0.0", "0.5"),
        c_source="static double step(double u) { return u > 0 ? 1.0 : u < 0 ? 0.0 : 0.5 + 0.0 * u; }",
    ),
    Function(
        "max", building.maximum, max, lambda *args: np.maximum.reduce(np.broadcast_arrays(*args)),
        arguments=(2, MANY), interval=intervals.extreme(np.maximum), switches=_differences,
        llvm="llvm.maximum.f64", numpy="np.maximum({0}, {1})", symengine="Max", sympy="Max", c="largest",
        c_source="static double largest(double a, double b) { return a > b || a != a ? a : b; }",
    ),
    Function(
        "min", building.minimum, min, lambda *args: np.minimum.reduce(np.broadcast_arrays(*args)),
        arguments=(2, MANY), interval=intervals.extreme(np.minimum), switches=_differences,
        llvm="llvm.minimum.f64", numpy="np.minimum({0}, {1})", symengine="Min", sympy="Min", c="smallest",
        c_source="static double smallest(double a, double b) { return a < b || a != a ? a : b; }",
    ),
    Function(
        "pow", building.power, math.pow, np.power,
        lambda call, y, u, n: [n * call("pow", u, n - 1.0), y * call("log", u)],
        arguments=(2, 2), interval=intervals.power, llvm="llvm.pow.f64", numpy="np.power({0}, {1})",
        called=False,
    ),
    Function(
        IF_LESS, lambda a, b, u, v: building.choose(a, b, True, u, v),
        lambda a, b, u, v: u if a < b else v, lambda a, b, u, v: np.where(a < b, u, v),
        arguments=(4, 4), interval=intervals.choice, switches=lambda a, b, u, v: [a - b],
        instructions=lambda to, a, b, u, v: _select(to, "olt", a, b, u, v), c="{0} < {1} ? {2} : {3}",
        numpy="np.where({0} < {1}, {2}, {3})", text="if({0} < {1}, {2}, {3})", mathml=_cases("&lt;"),
        latex=_latex_cases("<"), called=False,
    ),
    Function(
        IF_LESS_EQUAL, lambda a, b, u, v: building.choose(a, b, False, u, v),
        lambda a, b, u, v: u if a <= b else v, lambda a, b, u, v: np.where(a <= b, u, v),
        arguments=(4, 4), interval=intervals.choice, switches=lambda a, b, u, v: [a - b],
        instructions=lambda to, a, b, u, v: _select(to, "ole", a, b, u, v), c="{0} <= {1} ? {2} : {3}",
        numpy="np.where({0} <= {1}, {2}, {3})", text="if({0} <= {1}, {2}, {3})", mathml=_cases("≤"),
        latex=_latex_cases(r"\le"), called=False,
    ),
)  # fmt: skip

_OWN = dict(OPERATIONS)  # before anybody adds one

# what others call them
ALIASES = {"ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "sgn": "sign"} | {
    "heaviside": "step",
    "fabs": "abs",
    "where": "if",
    "piecewise": "if",
}
