"""What constraints allow to be written shorter: l² for x² + y², where x² + y² = l²."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import gcd
from typing import Any

Polynomial = Any  # flint's fmpz_mpoly
Powers = tuple[int, ...]
_KEPT = 3  # ways that are followed further
_ROUNDS = 4
_PASSES = 12  # of one replacement, until nothing is left to be replaced
_TERMS = 12  # of a relation; longer ones shorten nothing


class Relations:
    """Polynomials that vanish on the motion.

    moving: for each generator the names in it that change in time. A shorter way has none that were not there before:
    a formula in one angle does not become one in three coordinates.

    """

    def __init__(
        self,
        polynomials: Iterable[Polynomial],
        reduce: Callable[[Polynomial], Polynomial],
        moving: Sequence[frozenset[str]] = (),
    ):
        self._reduce, self._moving = reduce, moving
        self.linear: list[tuple[int, Polynomial, Polynomial]] = []  # x, a and b of a x + b = 0, with a constant
        # terms of relations, by their exponents and those of the generators that they have, and the others beside them
        self._rules: list[tuple[Powers, list[tuple[int, int]], int, dict[Powers, int]]] = []
        for polynomial in polynomials:
            self.linear += self._solvable(polynomial)
            terms = {tuple(map(int, m)): int(c) for m, c in polynomial.to_dict().items()}
            if len(terms) > _TERMS:
                continue
            for lead, factor in terms.items():
                if any(lead):
                    rest = {m: -c for m, c in terms.items() if m != lead}
                    needed = [(k, power) for k, power in enumerate(lead) if power]
                    self._rules.append((lead, needed, factor, rest))

    def _solvable(self, polynomial: Polynomial) -> list[tuple[int, Polynomial, Polynomial]]:
        """Return what a relation can be solved for, with a factor in front that does not change in time."""
        found = []
        degrees = polynomial.degrees()
        for k, names in enumerate(self._moving):
            if not names or k >= len(degrees) or degrees[k] != 1:
                continue
            front = polynomial.derivative(k)
            if not self.names(front):
                rest = polynomial - front * polynomial.context().gens()[k]
                if len(rest) > 1:
                    found.append((k, front, rest))
        return found

    def ways(self, polynomial: Polynomial) -> list[tuple[Polynomial, int]]:
        """Return shorter ways of writing a polynomial, itself first, each with the number that it is multiplied by."""
        best = {str(polynomial): (polynomial, 1)}
        present, least = self.names(polynomial), self._size(polynomial)
        front = list(best.values())
        for _ in range(_ROUNDS):
            found: dict[str, tuple[Polynomial, int]] = {}
            for one, number in front:
                degrees, terms = one.degrees(), None
                for rule in self._rules:
                    if any(power > degrees[k] for k, power in rule[1]):
                        continue
                    terms = terms or {tuple(map(int, m)): int(c) for m, c in one.to_dict().items()}
                    other = self._replaced(one, terms, rule)
                    if other is None or not self.names(other[0]) <= present or (key := str(other[0])) in best:
                        continue
                    found[key] = (other[0], number * other[1])
            sizes = sorted(((self._size(way[0]), k) for k, way in enumerate(found.values())))[:_KEPT]
            ways = list(found.values())
            front = [ways[k] for size, k in sizes if size < least]
            if not front:
                break
            best |= {str(way[0]): way for way in front}
        return sorted(best.values(), key=lambda way: self._size(way[0]))[: _KEPT + 1]

    def equal(self, polynomial: Polynomial) -> list[Polynomial]:
        """Return polynomials that are equal to one on the motion, one relation away, whatever stands in them."""
        degrees, found = polynomial.degrees(), []
        terms = {tuple(map(int, m)): int(c) for m, c in polynomial.to_dict().items()}
        for rule in self._rules:
            if all(power <= degrees[k] for k, power in rule[1]):
                other = self._replaced(polynomial, terms, rule)
                if other is not None and other[1] in (1, -1):
                    found.append(other[0] * other[1])
        return found

    def _size(self, polynomial: Polynomial) -> tuple[int, int, int]:
        monomials = polynomial.to_dict()
        return len(monomials), sum(sum(map(int, m)) for m in monomials), len(self.names(polynomial))

    def names(self, polynomial: Polynomial) -> frozenset[str]:
        """Return what changes in time in a polynomial."""
        if not self._moving:
            return frozenset()
        degrees = polynomial.degrees()
        return frozenset().union(*(names for names, degree in zip(self._moving, degrees, strict=False) if degree))

    def _replaced(self, polynomial: Polynomial, terms: dict[Powers, int], rule: Any) -> tuple[Polynomial, int] | None:
        """Replace a term of a relation by the others; None if it does not appear, or without end.

        Everything is multiplied by the factor of the term whenever it is replaced, so that numbers stay whole.
        """
        (lead, needed, factor, rest), number, changed = rule, 1, False
        for _ in range(_PASSES):
            hits = [m for m in terms if all(m[k] >= power for k, power in needed)]
            if not hits:
                break
            changed, number = True, number * factor
            found = {m: c * factor for m, c in terms.items()}
            for monomial in hits:
                del found[monomial]
            for monomial in hits:
                value = terms[monomial]
                left = [a - b for a, b in zip(monomial, lead, strict=True)]
                for other, ratio in rest.items():
                    key = tuple([a + b for a, b in zip(left, other, strict=True)])
                    found[key] = found.get(key, 0) + value * ratio
            terms = {m: c for m, c in found.items() if c}
            if len(terms) > 4 * len(polynomial) + 20:
                return None
        else:
            return None
        if not changed:
            return None
        shared = gcd(number, *terms.values()) * (1 if number > 0 else -1)
        context = polynomial.context()
        whole = context.from_dict({m: c // shared for m, c in terms.items()}) if terms else context.constant(0)
        return self._reduce(whole), number // shared
