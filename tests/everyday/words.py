"""Expressions written once and used twice: as the text that a user writes, and as values that the oracle computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.everyday.jets import FUNCTIONS

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
Values = Mapping[str, Any]


class Word:
    """A text of the model language, and its value given those of the names in it."""

    def __init__(self, text: str, value: Callable[[Values], Any], binds: int = _ATOM):
        self.text, self.value, self.binds = text, value, binds

    def __repr__(self) -> str:
        return self.text

    def inside(self, binds: int) -> str:
        """Return the text, in parentheses where an operation needs them."""
        return self.text if self.binds >= binds else f"({self.text})"

    def __add__(self, other: Any) -> Word:
        b = word(other)
        return Word(f"{self.text} + {b.inside(_PRODUCT)}", lambda z: self.value(z) + b.value(z), _SUM)

    def __sub__(self, other: Any) -> Word:
        b = word(other)
        return Word(f"{self.text} - {b.inside(_PRODUCT)}", lambda z: self.value(z) - b.value(z), _SUM)

    def __mul__(self, other: Any) -> Word:
        b = word(other)
        text = f"{self.inside(_PRODUCT)}*{b.inside(_POWER)}"
        return Word(text, lambda z: self.value(z) * b.value(z), _PRODUCT)

    def __truediv__(self, other: Any) -> Word:
        b = word(other)
        text = f"{self.inside(_PRODUCT)}/{b.inside(_POWER)}"
        return Word(text, lambda z: self.value(z) / b.value(z), _PRODUCT)

    def __pow__(self, power: int) -> Word:
        return Word(f"{self.inside(_ATOM)}^{power}", lambda z: self.value(z) ** power, _POWER)

    def __neg__(self) -> Word:
        return Word(f"-{self.inside(_POWER)}", lambda z: -1.0 * self.value(z), _SIGN)

    def __radd__(self, other: Any) -> Word:
        return word(other) + self

    def __rsub__(self, other: Any) -> Word:
        return word(other) - self

    def __rmul__(self, other: Any) -> Word:
        return word(other) * self

    def __rtruediv__(self, other: Any) -> Word:
        return word(other) / self


def word(x: Any) -> Word:
    """Return a name, a number, or what is an expression already."""
    if isinstance(x, Word):
        return x
    if isinstance(x, str):
        return Word(x, lambda z: z[x])
    return Word(repr(x), lambda z: x, _ATOM if x >= 0 else _SIGN)


def call(name: str, *arguments: Any) -> Word:
    """Apply a function of the model language."""
    parts = [word(x) for x in arguments]
    text = f"{name}({', '.join(part.text for part in parts)})"
    return Word(text, lambda z: FUNCTIONS[name](*(part.value(z) for part in parts)))


def when(left: Any, right: Any, yes: Any, no: Any) -> Word:
    """Choose by a comparison: if(left > right, yes, no)."""
    a, b, x, y = map(word, (left, right, yes, no))
    return Word(
        f"if({a.text} > {b.text}, {x.text}, {y.text})",
        lambda z: x.value(z) if float(a.value(z)) > float(b.value(z)) else y.value(z),
    )


def total(words: list[Word]) -> Word:
    """Add some expressions."""
    if not words:
        return word(0)
    sum_ = words[0]
    for other in words[1:]:
        sum_ = sum_ + other
    return sum_


def number(x: Any, parameters: Values) -> Any:
    """Return the numbers of a table entry: an expression of parameters, a number, or nested lists of them."""
    if isinstance(x, Word):
        return float(x.value(parameters))
    if isinstance(x, (list, tuple)):
        return [number(item, parameters) for item in x]
    return float(x)


def plain(x: Any) -> Any:
    """Return a table as a user types it: expressions as text."""
    if isinstance(x, Word):
        return x.text
    if isinstance(x, dict):
        return {key: plain(item) for key, item in x.items()}
    return [plain(item) for item in x] if isinstance(x, (list, tuple)) else x
