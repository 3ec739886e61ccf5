"""The formulas of a derivation as the algebra leaves them: right in every place, and as long as they come."""

from __future__ import annotations

from dataclasses import dataclass, field

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
