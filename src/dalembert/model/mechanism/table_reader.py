"""Reading the tables of a mechanism: every value under its key, every mistake at once, and what was read for saving.

A table remembers what it was asked for. What is left over at the end is a key that nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.errors import quoted
from dalembert.language.building import Expr
from dalembert.model.mechanism.judgements import Judgement
from dalembert.model.mechanism.vectors import ZERO, Matrix, Vector, zeros

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly

GROUND = "ground"


def as_sequence(value: Any) -> list[Any] | None:
    """Return the entries of a list, tuple, array or SymPy vector; None of anything else."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    return [item[0] if isinstance(item, list) and len(item) == 1 else item for item in value]


class TableReader:
    """One table such as [joints.A]: `kept` gathers its values as they were read."""

    def __init__(self, reader: Assembly, key: tuple[str, ...], given: Any):
        self.reader, self.key = reader, key
        self.given: dict[Any, Any] = {}
        if isinstance(given, Mapping):
            self.given = dict(given)
        else:
            self.problem(f"expected a table with keys and values, got {_kind(given)}")
        self.kept: dict[str, Any] = {}
        self.known: dict[str, None] = {}

    @property
    def name(self) -> str:
        """The last part of the path, by which the user calls it."""
        return self.key[-1]

    def problem(self, text: str, *key: str) -> None:
        """Report a mistake in the value of a key, or in the table as a whole."""
        self.reader.problem(text, *self.key, *key)

    def has(self, key: str) -> bool:
        """Tell whether a key is given; it is known from then on."""
        self.known[key] = None
        return self.given.get(key) is not None

    def one_of(self, *keys: str, needed: bool = True) -> str | None:
        """Return which one of several keys is given; report none (if needed) and more than one."""
        given = [key for key in keys if self.has(key)]
        if len(given) > 1:
            self.problem(f"{quoted(given)} say the same thing twice; give one of them", given[1])
        if not given and needed:
            self.problem(f"nothing is given for {quoted(keys, 'or')}; give one of them")
        return given[0] if given else None

    # --- values ------------------------------------------------------------------------------------------------------

    def constant(self, key: str, default: Expr | None = None) -> Expr:
        """Read a number or an expression of parameters; without a default the key must be there."""
        if not self.has(key):
            if default is None:
                self.problem(f"`{key}` is missing: a number, or an expression of parameters", key)
            return ZERO if default is None else default
        self.kept[key] = self._constant(self.given[key], key)
        return self.kept[key]

    def vector(self, key: str, default: Sequence[Expr] | None = None, size: int | None = None) -> Vector:
        """Read a vector of constants, one for each dimension unless said otherwise."""
        size = size or self.reader.dimensions
        if not self.has(key):
            if default is None:
                self.problem(f"`{key}` is missing: a list of {size} numbers or expressions", key)
            return zeros(size) if default is None else tuple(default)
        self.kept[key] = self._vector(self.given[key], key, size)
        return self.kept[key]

    def matrix(self, key: str, rows: int, columns: int) -> Matrix:
        """Read a list of rows."""
        given = as_sequence(self.given[key]) if self.has(key) else None
        if given is None or len(given) != rows:
            self.problem(f"expected a list of {rows} rows, got {_kind(self.given.get(key))}", key)
            return (zeros(columns),) * rows
        self.kept[key] = tuple(self._vector(row, key, columns) for row in given)
        return self.kept[key]

    def positive(self, key: str, default: Expr | None = None) -> Expr:
        """Read a constant that must be above zero, such as a radius."""
        expr = self.constant(key, default)
        if key in self.kept:
            self.judge(key, [expr], lambda x: "" if x > 0 else f"`{key}` must be positive, got {x:g}")
        return expr

    def judge(self, key: str, expressions: Sequence[Expr], wrong: Callable[..., str]) -> None:
        """Report what is wrong with values, if they have some; nothing else may depend on them."""
        self.reader.judge(Judgement((*self.key, key), tuple(expressions), wrong))

    def expression(self, key: str, local: Collection[str] = ()) -> Expr:
        """Read an expression of time, coordinates, velocities and parameters, and of `local` names."""
        self.has(key)
        self.kept[key] = self.reader.moving_expression(self.given.get(key), (*self.key, key), local)
        return self.reader.meant(self.kept[key])

    def expressions(self, key: str, size: int) -> Vector:
        """Read a vector of such expressions."""
        given = as_sequence(self.given[key]) if self.has(key) else None
        if given is None or len(given) != size:
            self.problem(_expected(size, self.given.get(key), given), key)
            return zeros(size)
        self.kept[key] = tuple(self.reader.moving_expression(item, (*self.key, key)) for item in given)
        return tuple(map(self.reader.meant, self.kept[key]))

    def word(self, key: str, choices: Collection[str], default: str | None = None, what: str = "choices") -> str | None:
        """Read one of several names."""
        if not self.has(key):
            if default is None:
                self.problem(f"`{key}` is missing; {what}: {', '.join(choices)}", key)
            return default
        value = self.given[key]
        if not isinstance(value, str) or value not in choices:
            hint = self.reader.hint(str(value), choices, what)
            self.problem(f"got {_kind(value)}{hint}", key)
            return default
        self.kept[key] = value
        return value

    def flag(self, key: str) -> bool:
        """Read true or false; false where nothing is given."""
        if not self.has(key):
            return False
        if not isinstance(self.given[key], bool):
            self.problem(f"expected true or false, got {_kind(self.given[key])}", key)
            return False
        self.kept[key] = self.given[key]
        return self.given[key]

    def list(self, key: str, size: int | None, what: str) -> list[Any] | None:
        """Return the items of a list, not read yet; None, after a report, where it has not the right length."""
        given = as_sequence(self.given[key]) if self.has(key) else None
        if given is None or (size is not None and len(given) != size):
            self.problem(f"expected {what}, got {_kind(self.given.get(key))}", key)
            return None
        return given

    def table(self, key: str) -> TableReader:
        """Return the table inside this one under a key; what is read of it is kept here."""
        self.has(key)
        inner = TableReader(self.reader, (*self.key, key), self.given.get(key, {}))
        self.kept[key] = inner.kept
        return inner

    def finish(self) -> Mapping[str, Any]:
        """Report the keys that nobody asked for; return what was read."""
        for key in self.given:
            if key not in self.known:
                self.problem(f"unknown entry{self.reader.hint(str(key), self.known, 'entries')}", str(key))
        return freeze(self.kept)

    def _constant(self, value: Any, key: str) -> Expr:
        return self.reader.constant_expression(value, (*self.key, key))

    def _vector(self, value: Any, key: str, size: int) -> Vector:
        given = as_sequence(value)
        if given is None or len(given) != size:
            self.problem(_expected(size, value, given), key)
            return zeros(size)
        return tuple(self._constant(item, key) for item in given)

    def read_vector(self, value: Any, key: str) -> Vector:
        """Read a vector that is an item of a list."""
        return self._vector(value, key, self.reader.dimensions)


def freeze(value: Any) -> Any:
    """Return nested tables that cannot be changed."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: freeze(item) for key, item in value.items()})
    return tuple(map(freeze, value)) if isinstance(value, (list, tuple)) else value


def _expected(size: int, value: Any, given: list[Any] | None) -> str:
    got = f"{len(given)} values" if given is not None else _kind(value)
    return f"expected a list of {size} numbers or expressions, got {got}"


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, (str, int, float, se.Basic)):
        return f"`{str(value)[:40]}`"
    if isinstance(value, Mapping):
        return "a table"
    items = as_sequence(value)
    return type(value).__name__ if items is None else f"a list of {len(items)}"
