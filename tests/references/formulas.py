"""Comparing formulas with what is printed somewhere, as text in the grammar of model files."""

from __future__ import annotations

import symengine as se

from dalembert import System
from dalembert.algebra.rational import Field
from dalembert.language.parser import Vocabulary, parse


def read(system: System, text: str, *more: str):
    """Read a formula of a system; `more` are further symbols in it, such as momenta."""
    return parse(text, Vocabulary(system.coordinates, (*system.parameters, *more)))


def same(a, b) -> bool:
    """Tell whether two expressions are the same formula."""
    difference = se.sympify(a) - se.sympify(b)
    return Field([difference]).read(difference).numerator.is_zero()


def agrees(system: System, expr, text: str, *more: str) -> bool:
    """Tell whether an expression is the formula that a text states."""
    return same(expr, read(system, text, *more))
