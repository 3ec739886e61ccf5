"""Write expressions as text in the grammar of model files, so that what is printed can be read again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import symengine as se

from dalembert.language.building import Expr, ratio
from dalembert.language.functions import function_of
from dalembert.language.state_names import as_written
from dalembert.language.walk import Remembered, fold

_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_FACTOR = re.compile(r"-?(\d[\d.e+-]*\*\(?)?", re.ASCII)  # in front of a term
_LONE = re.compile(r"\w+(/\d+)?", re.ASCII)
_RATE = re.compile(r"\w('+)(?!['(])")
_NAMED_RATE = re.compile(r"\b(a|alpha|v|omega)_[xyz]_")
_CONSTANT = re.compile(r"-?\d[\d.e+/-]*", re.ASCII)
_INERTIA = re.compile(r"m[a-tv-z]?\d*|M[a-z]?\d*|[JI][a-zA-Z]{0,2}\d*|[mMJI]_\w*|mass\w*|inertia\w*", re.ASCII)
_SCALE = re.compile(r"g|k\d*|[gk]_\w*|gravity|stiffness\w*", re.ASCII)
_ANGLE = re.compile(r"(alpha|beta|gamma|delta|theta|phi|psi|chi|angle|distance)(\d*|_\w*)", re.ASCII)
_COEFFICIENT = re.compile(r"mu\d*|mu_\w*", re.ASCII)
_BREAKS = re.compile(r"[(\[)\],]| [-+=] |(?<=.)[*/]")  # brackets, and where a line may end


def to_text(expr: Expr, names: Collection[str] = ()) -> str:
    """Print an expression in the grammar of model files; `names` are those of the model, which win over `pi`.

    >>> x, m = se.symbols("x' m")
    >>> to_text(m * x**2 / 2)
    "m*x'^2/2"
    """
    is_taken = "pi" in names or any(as_written(symbol.name).rstrip("'") == "pi" for symbol in expr.free_symbols)
    return fold(expr, _print_without_pi if is_taken else _print)[0]


def order_text(expr: Expr, memo: dict[Expr, tuple[str, int]]) -> str:
    """Return the text of an expression, by which those that write it otherwise put it in its place.

    memo: what was printed for others of the same formula, of which this is a part.
    """
    return fold(expr, _print, memo)[0]


def without_number(text: str) -> str:
    """Return a term without the number in front of it, by which it is not put in its place.

    >>> without_number("-0.41*y"), without_number("2*(x + y)")
    ('y', 'x + y)')
    """
    return _FACTOR.sub("", text, 1)


def wrap(text: str, width: int, hanging: int = 4) -> list[str]:
    """Break a printed formula into lines of a width, in front of its outermost operators; what follows is indented.

    Nothing is left out: the lines, stripped and joined, are the formula. A name longer than a line stays whole.

    >>> wrap("a*cos(x + y) - b*sin(x) = 0", 16)
    ['a*cos(x + y)', '    - b*sin(x)', '    = 0']
    """
    lines: list[str] = []
    rest = text
    while len(rest) > (room := max(8, width - (hanging if lines else 0))):
        at = _break(rest, room)
        if at is None:
            break
        lines.append(" " * (hanging if lines else 0) + rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*lines, " " * (hanging if lines else 0) + rest]


def _break(text: str, room: int) -> int | None:
    """Return where a line ends: late, and where few brackets are open; beyond the room if there is no other place."""
    places: list[tuple[int, int]] = []  # how much it parts what belongs together, and where
    depth = 0
    for found in _BREAKS.finditer(text):
        sign, at = found[0], found.start()
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif at > room and places:
            break
        else:
            places.append((2 * depth + 3 * (sign in "*/"), at + 1 if sign == "," else at))
    inside = [place for place in places if 0 < place[1] <= room]
    late = [place for place in inside if place[1] > room // 2] or inside or [p for p in places if p[1] > 0][:1]
    return min(late, key=lambda place: (place[0], -place[1]))[1] if late else None


def can_write(node: Expr) -> bool:
    """Tell whether the grammar has a word for the outermost operation of an expression."""
    kind = type(node).__name__
    if node.is_Number:
        return kind == "RealDouble" or node.is_Rational
    if kind in ("Symbol", "Pi", "Exp1", "Add", "Mul", "Pow"):
        return True
    function = function_of(node)
    return function is not None and function.arguments[0] <= len(node.args) <= function.arguments[1]


def _print_without_pi(node: Expr, args: list[tuple[str, int]]) -> tuple[str, int]:
    return ("acos(-1)", _ATOM) if type(node).__name__ == "Pi" else _print(node, args)


def _print(node: Expr, args: list[tuple[str, int]]) -> tuple[str, int]:
    """Return the text of a node and how tightly its outermost operator binds."""
    kind = type(node).__name__
    if node.is_Symbol:
        return as_written(node.name), _ATOM
    if node.is_Number:
        return _number(node)
    if kind == "Pi":
        return "pi", _ATOM
    if kind == "Exp1":
        return "exp(1)", _ATOM
    if node.is_Add:
        return _sum(text for text, _ in args), _SUM
    if node.is_Mul:
        return _product(node, args)
    if node.is_Pow:
        return _power(node, args)
    if function := function_of(node):
        return function.in_text([text for text, _ in args]), _ATOM
    raise ValueError(f"no way to write {kind} in the grammar of model files")


def _number(node: Expr) -> tuple[str, int]:
    if type(node).__name__ == "RealDouble":
        text = repr(float(node))
        return text, _SUM if text.startswith("-") else _ATOM  # also -0.0
    numerator, denominator = _exact(node)
    text = str(numerator) if denominator == 1 else f"{numerator}/{denominator}"
    return text, _SUM if numerator < 0 else _ATOM if denominator == 1 else _PRODUCT


def _exact(node: Expr) -> tuple[int, int]:
    exact = ratio(node)
    if exact is None:
        raise ValueError(f"no way to write the number {node} in the grammar of model files")
    return exact


def _sum(texts: Iterable[str]) -> str:
    """Join terms: accelerations, velocities, lone names, the rest, numbers; a positive one first; by the alphabet."""

    def place(text: str) -> tuple[bool, int, bool, str, str]:
        bare = without_number(text)
        return bool(_CONSTANT.fullmatch(text)), -rates_in(text), not is_lone(bare), bare, text

    terms = sorted(texts, key=place)
    first = next((i for i, text in enumerate(terms) if not text.startswith("-")), 0)
    terms.insert(0, terms.pop(first))
    return terms[0] + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in terms[1:])


def _product(node: Expr, args: list[tuple[str, int]]) -> tuple[str, int]:
    above: list[tuple[float, str]] = []  # with a rank
    below: list[tuple[float, str]] = []
    sign = ""
    for arg, (text, binding) in zip(node.args, args, strict=True):
        if arg.is_Number and type(arg).__name__ != "RealDouble":
            numerator, denominator = _exact(arg)
            sign = "-" if numerator < 0 else ""
            if abs(numerator) != 1:
                above.append((0, str(abs(numerator))))
            if denominator != 1:
                below.append((0, str(denominator)))
        elif arg.is_Number:
            sign = "-" if float(arg) < 0 else ""
            above.append((0, repr(abs(float(arg)))))
        elif arg.is_Pow and arg.args[1].is_Number and float(arg.args[1]) < 0 and arg.args[0] != se.E:
            below.append((_rank(arg), text.removeprefix("1/")))  # as _power writes it
        else:
            above.append((_rank(arg), text if binding >= _PRODUCT else f"({text})"))
    text = sign + ("*".join(factor for _, factor in sorted(above)) or "1")
    if below:
        ordered = [part for _, part in sorted(below)]
        text += "/" + (ordered[0] if len(below) == 1 else f"({'*'.join(ordered)})")
    return text, _SUM if sign else _PRODUCT


def _rank(factor: Expr) -> float:
    """Return where a factor stands: names, time, sums of names, rates, functions, other sums, after numbers."""
    inner = factor.args[0] if factor.is_Pow else factor
    if inner.is_Symbol:
        return 3 if rates_in(inner.name) else 1.5 if inner.name == "t" else 1 + rank_of_name(inner.name)
    if not inner.is_Add:
        return 4
    return (1.05 if is_inertia(inner) else 2) if is_constant_sum(inner) else 5


def rank_of_name(name: str) -> float:
    """Return where a name stands among names, below 0.5: as one writes mu*m*g*l, k*a^2, r*phi, by the letters in use.

    >>> sorted(["a", "g", "J", "k", "phi", "r", "m1", "mu"], key=lambda name: (rank_of_name(name), name))
    ['mu', 'J', 'm1', 'g', 'k', 'a', 'r', 'phi']
    """
    for rank, letters in ((0.0, _COEFFICIENT), (0.02, _INERTIA), (0.1, _SCALE), (0.3, _ANGLE)):
        if letters.fullmatch(name):
            return rank
    return 0.2


def is_inertia(expr: Expr) -> bool:
    """Tell whether a sum is one of masses or moments of inertia: m1 + m2, J + m l²; it stands where a mass does."""

    def has_mass(term: Expr) -> bool:
        factors = term.args if term.is_Mul else (term,)
        return any(factor.is_Symbol and _INERTIA.fullmatch(factor.name) for factor in factors)

    return all(map(has_mass, expr.args))


def is_lone(text: str) -> bool:
    """Tell whether a term without the number in front is a name alone."""
    return bool(_LONE.fullmatch(text))


def is_constant_sum(expr: Expr) -> bool:
    """Tell whether a sum is made of names and numbers only: such as J + m l²."""
    return _is_constant(expr)


def _constant(node: Expr, parts: list[bool]) -> bool:
    if node.is_Symbol:
        return not node.name.endswith("'")
    return bool(node.is_Number or node.is_Add or node.is_Mul or node.is_Pow) and all(parts)


_is_constant = Remembered(_constant)


def rates_in(text: str) -> int:
    """Return the order of the highest derivative in a term: of a coordinate (F'(t) is none), or named for a body.

    >>> rates_in("m*x''*y'"), rates_in("F'(t)"), rates_in("omega_z_top"), rates_in("2*alpha_x_coin")
    (2, 0, 1, 2)
    """
    named = (1 if kind in ("v", "omega") else 2 for kind in _NAMED_RATE.findall(text))
    return max((*map(len, _RATE.findall(text)), *named), default=0)


def _power(node: Expr, args: list[tuple[str, int]]) -> tuple[str, int]:
    base, exponent = node.args
    (base_text, base_binding), (exponent_text, exponent_binding) = args
    if base == se.E:
        return f"exp({exponent_text})", _ATOM
    if exponent.is_Number and float(exponent) < 0:
        if exponent == -1:
            text = base_text if base_binding > _PRODUCT else f"({base_text})"
        else:
            text, _ = _raise(base_text, base_binding, -exponent, *_number(-exponent))
        return f"1/{text}", _PRODUCT
    return _raise(base_text, base_binding, exponent, exponent_text, exponent_binding)


def _raise(base: str, base_binding: int, exponent: Expr, text: str, binding: int) -> tuple[str, int]:
    if exponent == se.Rational(1, 2):
        return f"sqrt({base})", _ATOM
    left = base if base_binding == _ATOM else f"({base})"
    right = text if binding == _ATOM else f"({text})"
    return f"{left}^{right}", _POWER
