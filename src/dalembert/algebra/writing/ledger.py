"""From a tape to lines that a person could compute: one name for what is used again, the rest written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import symengine as se

from dalembert.algebra.tape import CONSTANT, LOAD, Node, Tape
from dalembert.algebra.writing.cost import operations, width
from dalembert.language.building import Expr

TRIVIAL = 2  # operations of what needs no name
_LINE = 40  # operations of a line; what is longer is cut into two,
WIDE = 220  # and what takes more characters


class Ledger:
    """Writes scalars of a tape of + − × ÷ as expressions.

    loads: what the places of its array stand for, by the names that they get where they are used again.
    named: takes a wish for a name and a value, returns the symbol.
    """

    def __init__(self, tape: Tape, loads: Mapping[str, Expr], named: Callable[[str, Expr], Expr]):
        self.tape, self._named = tape, named
        self._loads = list(loads.items())
        self._written: dict[int, Expr] = {}
        self._count = 0

    def load(self, name: str, value: Expr) -> Node | float:
        """Return a further value as a scalar of the tape, by the name that it gets where it is used again."""
        if value.is_Number:
            return float(value)
        self._loads.append((name, value))
        return self.tape.load("block", len(self._loads) - 1)

    def write(
        self,
        results: Sequence[Node | float],
        names: Mapping[int, str] | None = None,
        other: str = "e",
        least: int = TRIVIAL + 1,
    ) -> list[Expr]:
        """Write results, and lines for what they share.

        names: by number of the node what it is called if it has so many operations, `least`. other: what all else is
        called, numbered.
        """
        names, numbers = names or {}, [self.tape.number(result) for result in results]
        uses = self._uses(numbers)
        divisors = {self.tape.nodes[number][1] for number in uses if self.tape.nodes[number][0] == "inverse"}
        for number in sorted(uses):
            expr = self._short_line(number, other)
            length = operations(expr)
            # a divisor gets a name rather than its reciprocal
            again = length + (number in divisors) > TRIVIAL and (uses[number] > 1 or length > _LINE)
            if again or (number in names and length >= least):
                expr = self._named(names.get(number) or self._own_name(number) or self._next(other), expr)
            self._written[number] = expr
        return [self._written[number] for number in numbers]

    def _next(self, other: str) -> str:
        self._count += 1
        return f"{other}_{self._count}"

    def _own_name(self, number: int) -> str | None:
        name, *below = self.tape.nodes[number]
        return self._loads[below[1]][0] if name == LOAD else None

    def _uses(self, numbers: Sequence[int]) -> Counter[int]:
        """Count how often what is not yet written is used; the reciprocal of a line is written with the line."""
        uses: Counter[int] = Counter(number for number in numbers if number not in self._written)
        for number in range(max(numbers, default=-1), -1, -1):
            if number in uses and number not in self._written:
                name, *below = self.tape.nodes[number]
                for part in below if name not in (CONSTANT, LOAD) else ():
                    if part not in self._written:
                        uses[part] += uses[number] if name == "inverse" else 1
        return uses

    def _short_line(self, number: int, other: str) -> Expr:
        """Write a node; where the line is wide, what it is made of gets names, the widest first."""
        expr, (name, *below) = self._line(number), self.tape.nodes[number]
        parts = [] if name in (CONSTANT, LOAD) else sorted(set(below), key=lambda k: width(self._written[k]))
        while width(expr) > WIDE and parts:
            part = parts.pop()
            if operations(self._written[part]) > TRIVIAL:
                self._written[part] = self._named(self._own_name(part) or self._next(other), self._written[part])
                expr = self._line(number)
        return expr

    def _line(self, number: int) -> Expr:
        name, *below = self.tape.nodes[number]
        if name == CONSTANT:
            value = below[0]
            return se.Integer(int(value)) if value == int(value) else se.RealDouble(value)
        if name == LOAD:
            return self._loads[below[1]][1]
        parts = [self._written[part] for part in below]
        if name == "neg":
            return se.Add(*[-term for term in parts[0].args]) if parts[0].is_Add else -parts[0]
        if name == "inverse":
            return 1 / parts[0]
        return parts[0] + parts[1] if name == "+" else parts[0] - parts[1] if name == "-" else parts[0] * parts[1]
