"""Sums in few operations: what terms share stands in front of a parenthesis.

    m₁ l₁ φ″ + m₂ l₁ φ″ + m₁ g s + m₂ g s  →  (m₁ + m₂)(l₁ φ″ + g s)

Terms whose products of two sums are all there form a rectangle; the one that saves most is taken out, again and again,
its sum being an atom from then on (kernels of Brayton and McMullen 1982, for formulas that people read). What is left
is collected by the atoms that most terms share. Squares are completed: x² − 2xy + y² is (x − y)².
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from math import gcd, isqrt

import symengine as se

from dalembert.algebra.writing.cost import operations, shortest
from dalembert.algebra.writing.terms import (
    Factor,
    Monomial,
    Sum,
    add,
    common_of,
    content,
    divided,
    over,
    parted,
    product,
    quotient,
)
from dalembert.language.building import Expr

MAX_SEARCHED = 40  # terms; more are collected first
_FEWEST = 4  # terms in which there may be a rectangle
MAX_EFFORT = 60_000  # pairs of terms that are compared for one formula; beyond this terms are only collected


# what two monomials share, what each has beside it, and the square roots of that if both have one
_Pair = tuple[Monomial, Monomial, Monomial, tuple[Monomial, Monomial] | None]
_Pairs = Sequence[tuple[Monomial, Monomial, _Pair]]


class Atoms:
    """What is written in one piece, with the operations that it takes and the rank in which it is preferred."""

    def __init__(self, rank: Callable[[Expr], int] = lambda _: 0):
        self._rank = rank
        self._index: dict[Expr, int] = {}
        self.written: list[Expr] = []
        self.costs: list[int] = []
        self.ranks: list[int] = []
        self.effort = MAX_EFFORT
        self.arranged: dict[frozenset, Expr] = {}  # sums that were written before
        self.collected: dict[frozenset, Expr] = {}
        self._pairs: dict[tuple[Monomial, Monomial], _Pair] = {}

    def index(self, expr: Expr) -> int:
        """Return the number of an atom, a new one if it was not there."""
        if expr not in self._index:
            self._index[expr] = len(self.written)
            self.written.append(expr)
            self.costs.append(operations(expr))
            self.ranks.append(self._rank(expr))
        return self._index[expr]

    def pair(self, one: Monomial, other: Monomial) -> _Pair:
        """Compare two monomials, which meet again and again."""
        key = one, other
        if key not in self._pairs:
            shared, first, second = parted(one, other)
            A, B = _half(first), _half(second)
            self._pairs[key] = (shared, first, second, None if A is None or B is None else (A, B))
        return self._pairs[key]

    def cost(self, monomial: Monomial, factor: Factor = 1) -> int:
        """Return the operations of a term, without its sign."""
        if not monomial:
            return 0
        total = len(monomial) - 1 + (abs(factor.numerator) != 1) + (factor.denominator != 1)
        for atom, power in monomial:
            total += self.costs[atom] + (power > 1)
        return total

    def term(self, monomial: Monomial, factor: Factor = 1) -> Expr:
        """Write a term."""
        powers = [self.written[atom] ** power for atom, power in monomial]
        return se.Mul(se.Rational(factor.numerator, factor.denominator), *powers)


class Arrangement:
    """Writes one sum over atoms."""

    def __init__(self, atoms: Atoms, rectangles: bool = True):
        self.atoms, self.rectangles = atoms, rectangles

    def write(self, terms: Sum) -> Expr:
        """Write a sum in few operations."""
        if not terms:
            return se.Integer(0)
        number, shared, rest = _primitive(terms)
        if len(rest) == 1:
            return self.atoms.term(shared, number * next(iter(rest.values())))
        work = self._extracted(rest)
        if len(work) == 1:
            return self.atoms.term(product(shared, next(iter(work))), number * next(iter(work.values())))
        inner = self._collected(work)
        front = self.atoms.term(shared, number)
        return inner if front == 1 else front * inner

    # --- rectangles and squares -----------------------------------------------------------------------------------

    def _extracted(self, terms: Sum) -> Sum:
        """Put new atoms in the place of sums that appear in several products, and of complete squares."""
        while self.rectangles and 2 < len(terms) <= MAX_SEARCHED and self.atoms.effort > 0:
            self.atoms.effort -= len(terms) ** 2 // 2
            pairs = [(a, b, self.atoms.pair(a, b)) for a, b in combinations(terms, 2)]
            options = (*self._squares(terms, pairs), *self._rectangles(terms, pairs))
            found = max(options, key=lambda option: option[0], default=(0, None))
            if found[0] <= 0 or found[1] is None:
                break
            terms = found[1]()
        return terms

    def _rectangles(self, terms: Sum, pairs: _Pairs) -> Iterable[tuple[float, Callable[[], Sum]]]:
        """Give what the sums that appear in two or more products save, and what is left with them as atoms."""
        together: dict[tuple[Monomial, Monomial], list[tuple[Monomial, Factor, Factor]]] = {}
        for one, other, (shared, a, b, _) in pairs:
            if a <= b:
                together.setdefault((a, b), []).append((shared, terms[one], terms[other]))
            else:
                together.setdefault((b, a), []).append((shared, terms[other], terms[one]))
        sums: dict[tuple[Monomial, Monomial, int, int], list[Monomial]] = {}
        for key, products in together.items():
            for shared, x, y in products if len(products) > 1 else ():
                sums.setdefault((*key, *_lowest(x, y)), []).append(shared)
        seen: set[tuple] = set()
        for (a, b, x, y), rows in sums.items():
            if len(rows) < 2:
                continue
            columns = self._columns(terms, rows, {a: x, b: y})
            key = (tuple(sorted(rows)), tuple(sorted(columns)))
            if key in seen:
                continue
            seen.add(key)
            saved = self._saving(terms, rows, columns)
            if saved > 0:
                yield saved, partial(self._replaced, terms, rows, columns, a)

    @staticmethod
    def _columns(terms: Sum, rows: list[Monomial], columns: Sum) -> Sum:
        """Return all that every row is multiplied by, in the same proportions."""
        first, others = rows[0], rows[1:]
        a, x = next(iter(columns.items()))
        unit, units = terms[product(first, a)], [terms[product(row, a)] for row in others]
        for monomial, factor in terms.items():
            column = quotient(monomial, first)
            if column is None or column in columns:
                continue
            if all(terms.get(product(r, column), 0) * unit == factor * u for r, u in zip(others, units, strict=True)):
                columns[column] = over(factor * x, unit)
        return columns

    def _saving(self, terms: Sum, rows: list[Monomial], columns: Sum) -> float:
        cost = self.atoms.cost
        used = {product(row, column) for row in rows for column in columns}
        if len(used) < len(rows) * len(columns):
            return 0
        before = sum(cost(m, terms[m]) for m in used) + len(used) - 1
        a, x = next(iter(columns.items()))
        factors = [over(terms[product(row, a)], x) for row in rows]
        inside = sum(cost(c, f) for c, f in columns.items()) + len(columns) - 1
        shared = common_of(rows)
        front = cost(shared) + 1 if shared else 0
        outside = sum(cost(quotient(r, shared) or (), f) for r, f in zip(rows, factors, strict=True)) + len(rows) - 1
        ranks = [self.atoms.ranks[atom] for column in columns for atom, _ in column]
        return before - inside - outside - front - 1 - 0.01 * max(ranks, default=0)

    def _replaced(self, terms: Sum, rows: list[Monomial], columns: Sum, a: Monomial) -> Sum:
        number = content(columns.values())
        if sum(f < 0 for f in columns.values()) * 2 > len(columns):
            number = -number
        inner = {column: over(factor, number) for column, factor in columns.items()}
        atom, used = self.atoms.index(self.write(inner)), {product(r, c) for r in rows for c in columns}
        left = {m: f for m, f in terms.items() if m not in used}
        for row in rows:
            add(left, product(row, ((atom, 1),)), over(terms[product(row, a)] * number, columns[a]))
        return left

    def _squares(self, terms: Sum, pairs: _Pairs) -> Iterable[tuple[float, Callable[[], Sum]]]:
        """Give what complete squares save: γ(α²A² ± 2αβ AB + β²B²) = γ(αA ± βB)²."""
        for one, other, (shared, _, _, roots) in pairs:
            if roots is None:
                continue
            A, B = roots
            between = product(shared, product(A, B))
            if between not in terms:
                continue
            x, y, cross = terms[one], terms[other], terms[between]
            number = content([x, y]) * (1 if x > 0 else -1)
            a, b = _root(over(x, number)), _root(over(y, number))
            if a is None or b is None or abs(cross) != abs(2 * a * b * number):
                continue
            root: Sum = {A: a, B: b if cross * number > 0 else -b}
            used = (one, other, between)
            saved = sum(self.atoms.cost(m, terms[m]) for m in used) + 2
            saved -= self.atoms.cost(A, a) + self.atoms.cost(B, b) + 2 + (abs(number) != 1)
            saved -= self.atoms.cost(shared) + 1 if shared else 0
            yield saved, partial(self._squared, terms, used, root, shared, number)

    def _squared(self, terms: Sum, used: Sequence[Monomial], root: Sum, shared: Monomial, number: Factor) -> Sum:
        left = {m: f for m, f in terms.items() if m not in used}
        add(left, product(shared, ((self.atoms.index(self.write(root)), 2),)), number)
        return left

    # --- collecting -----------------------------------------------------------------------------------------------

    def _collected(self, terms: Sum) -> Expr:
        """Collect terms by what most of them share, that of the highest rank first where it makes no difference."""
        if len(terms) == 1:
            ((monomial, factor),) = terms.items()
            return self.atoms.term(monomial, factor)
        best, most = None, 0.0
        places: dict[int, list[Monomial]] = {}
        for monomial in terms:
            for atom, _ in monomial:
                places.setdefault(atom, []).append(monomial)
        for atom, having in places.items():
            if len(having) < 2:
                continue
            shared = common_of(having)
            alone = shared in having  # a term that is nothing else
            saved = (len(having) - 1) * (self.atoms.cost(shared) + 1) - alone + 0.01 * self.atoms.ranks[atom]
            if saved > most:
                best, most = shared, saved
        if best is None:
            return se.Add(*[self.atoms.term(m, f) for m, f in terms.items()])
        inside = {m: f for m, f in terms.items() if quotient(m, best) is not None}
        outside = {m: f for m, f in terms.items() if m not in inside}
        inner = self.write(divided(inside, best, 1))
        first = self.atoms.term(best) * inner
        return first + self._collected(outside) if outside else first


def _primitive(terms: Sum) -> tuple[Factor, Monomial, Sum]:
    """Take out the number and the monomial that all terms share; more of them positive than negative."""
    number, shared = content(terms.values()), common_of(terms)
    if sum(factor < 0 for factor in terms.values()) * 2 > len(terms):
        number = -number
    return number, shared, divided(terms, shared, number)


def _lowest(x: Factor, y: Factor) -> tuple[int, int]:
    """Return two whole factors in lowest terms, the first one positive."""
    common = gcd(x, y) if x > 0 else -gcd(x, y)  # pyright: ignore[reportArgumentType]
    return x // common, y // common


def _half(monomial: Monomial) -> Monomial | None:
    """Return the square root of a monomial, if it has one."""
    if any(power % 2 for _, power in monomial):
        return None
    return tuple((atom, power // 2) for atom, power in monomial)


def _root(value: Factor) -> int | None:
    """Return the square root of a whole number, if it has one."""
    if value < 0 or value.denominator != 1:
        return None
    root = isqrt(value.numerator)
    return root if root**2 == value else None


def arranged(terms: Sum, atoms: Atoms) -> Expr:
    """Write a sum by the shortest of some ways."""
    key = frozenset(terms.items())
    if key not in atoms.arranged:
        ways = [Arrangement(atoms).write(terms)] if len(terms) >= _FEWEST else []
        atoms.arranged[key] = shortest([*ways, collected(terms, atoms)])
    return atoms.arranged[key]


def collected(terms: Sum, atoms: Atoms) -> Expr:
    """Write a sum at once, by what most terms share: seldom much longer than the shortest way."""
    key = frozenset(terms.items())
    if key not in atoms.collected:
        atoms.collected[key] = Arrangement(atoms, rectangles=False).write(terms)
    return atoms.collected[key]
