"""The formulas of a derivation as the algebra leaves them: right in every place, and as long as they come."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import symengine as se

from dalembert.forms.base import Matrix
from dalembert.language.building import Expr


@dataclass
class Raw:
    """Formulas of a derivation; what each is, `Derivation` says.

    followed: the multipliers in forces by their names in formulas, where they could be solved for.

    products: for each equation that is a sum of products, its terms (factor, what it multiplies): Dᵀ times M q̈ − f.
    """

    expressions: list[Expr] = field(default_factory=list)
    products: list[list[tuple[Expr, Expr]]] = field(default_factory=list)
    entries: dict[str, Matrix] = field(default_factory=dict)
    reaction_expressions: dict[str, list[Expr]] = field(default_factory=dict)
    multiplier_expressions: dict[str, Expr] = field(default_factory=dict)
    total_expressions: list[Expr] = field(default_factory=list)
    abbreviation_expressions: dict[str, Expr] = field(default_factory=dict)
    followed: dict[str, Expr] = field(default_factory=dict)

    def beside(self, names: Mapping[str, Expr], free: Callable[[str, Collection[str]], Expr]) -> None:
        """Take names of other formulas in; equations get another one from `free` where theirs means something else."""
        own, both = self.abbreviation_expressions, self.abbreviation_expressions.keys() & names.keys()
        clash = {name for name in both if names[name] != own[name]}
        while more := {name for name in both - clash if any(x.name in clash for x in own[name].free_symbols)}:
            clash |= more
        renamed, taken = dict[Expr, Expr](), {*own, *names}
        for name in own:
            if name in clash:
                symbol = renamed[se.Symbol(name)] = free(name, taken)
                taken.add(symbol.name)
        if renamed:
            self.expressions = [e.xreplace(renamed) for e in self.expressions]
            self.products = [[(x.xreplace(renamed), y.xreplace(renamed)) for x, y in pairs] for pairs in self.products]
            self.entries = {
                name: [[e.xreplace(renamed) for e in row] for row in rows] for name, rows in self.entries.items()
            }
            own = {str(renamed.get(se.Symbol(name), name)): e.xreplace(renamed) for name, e in own.items()}
        self.abbreviation_expressions = {**own, **names}
