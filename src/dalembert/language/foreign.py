"""Expressions that come from SymPy or SymEngine, held to the bounds of text."""

from __future__ import annotations

import symengine as se
from symengine.lib.symengine_wrapper import FunctionSymbol

from dalembert.errors import ModelError, nearest
from dalembert.language.bounds import MAX_DEPTH, check_number, check_power
from dalembert.language.building import Expr, number
from dalembert.language.functions import FUNCTIONS, Calls, function_of
from dalembert.language.parser import cut
from dalembert.language.printing import can_write
from dalembert.language.table_functions import renewed
from dalembert.language.tokens import Failure
from dalembert.language.vocabulary import Value
from dalembert.language.walk import fold


class Admission:
    """Holds expressions that were not read from text to the bounds of text, so that they can be written and read."""

    def __init__(self, calls: Calls | None = None) -> None:
        """Admit functions of a model's own too, `calls`; those of another become the ones of the same names here."""
        self._memo: dict[Expr, int] = {}  # for what expressions share
        self._calls: Calls = {} if calls is None else calls
        self._others = False  # whether functions of another model were met

    def __call__(self, expr: Expr) -> Expr:
        """Return the expression, or raise ModelError."""
        try:
            depth = fold(expr, self._examine, self._memo)
            if abs(depth) > MAX_DEPTH:
                raise Failure(0, f"nested deeper than {MAX_DEPTH} levels")
        except Failure as failure:
            raise ModelError(failure.text) from None
        return renewed(expr, self._calls) if self._others else expr

    def _examine(self, node: Expr, depths: list[int]) -> int:
        """Check one operation; return how deep it is, below zero if it is constant."""
        if node.is_Symbol:
            return 1
        if not can_write(node):
            if node.is_Number:
                raise Failure(0, f"expected real numbers in double precision, got {cut(str(node))}")
            kind = node.get_name() if isinstance(node, FunctionSymbol) else type(node).__name__
            if "#" in kind:
                text = "is a function of a system that is gone; keep that one, or give the expression as text"
                raise Failure(0, f"`{cut(kind.partition('#')[0])}` {text}")
            raise Failure(0, f"`{cut(kind)}` cannot be used in a model; {nearest(kind, list(FUNCTIONS), 'functions')}")
        if node.is_Number:
            check_number(0, node)
            return -1
        if isinstance(node, FunctionSymbol) and (row := function_of(node)) is not None and row.owner:
            self._others |= row not in self._calls.get(row.owner, ())
        if node.is_Pow and node.args[0] != se.E:
            base, exponent = (Value(arg, constant=depth < 0) for arg, depth in zip(node.args, depths, strict=True))
            check_power(0, base, exponent)
        if max(depths, default=0) > 0:
            return 1 + max(max(depths), -min(depths))
        if number(node) is None:
            raise Failure(0, f"the constant {cut(str(node))} is not a finite real number")
        return min(depths, default=0) - 1
