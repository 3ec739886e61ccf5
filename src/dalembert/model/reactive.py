"""What forces may name besides coordinates, time and parameters: multipliers, and quantities of parts.

    [forces]
    x = "-mu*abs(lambda_floor)*sign(x')"          # in a mechanism also D.normal, A.force, A.angle

Constraints and parts are known only when all has been read. So such names stay as they are written, for files and
`replace`, and `put_reactions` puts in what they stand for, at the end.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.late_sympy import is_sympy, sp
from dalembert.language.parser import parse_value
from dalembert.language.state_names import as_written
from dalembert.language.translate import Translator
from dalembert.language.vocabulary import Vocabulary
from dalembert.model.observed import Observed
from dalembert.model.quantity import MULTIPLIER, as_names, multipliers_in
from dalembert.model.sections.friction import add_friction

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

_WHY = "a force depends on accelerations; bring them into the kinetic energy"


class ForceReader:
    """Reads forces for a reader of a model; to the parser it lets pass what is known when all has been read."""

    outputs: Collection[str] = ()

    def __init__(self, reader: Reader):
        self._reader = reader
        self._met: dict[tuple[str, ...], list[str]] = {}  # names of multipliers and quantities, by entry
        self._vocabularies: dict[tuple[str, ...], Vocabulary] = {}
        self._rubs = False  # whether friction has been added to the forces

    def knows(self, name: str) -> bool:
        """Tell whether a name is one of a multiplier or of a quantity; nothing that is declared is one."""
        return "." in name or (name.startswith(MULTIPLIER) and self._reader.vocabulary.kind(name) is None)

    def wrong(self, name: str, primes: int) -> str:
        """Say nothing: what is wrong with such a name is seen when all has been read."""
        return ""

    def read(self, value: Any, key: tuple[str, ...], why: str = _WHY, local: tuple[str, ...] = ()) -> Expr:
        """Read a force in which `local` names may stand too; names of reactions stay as they are written."""
        reader = self._reader
        expr = reader.expression(value, key, reader.accelerations, why, lambda value: self._translate(value, local))
        if names := sorted(symbol.name for symbol in expr.free_symbols if self.knows(symbol.name.rstrip("'"))):
            self._met.setdefault(key, []).extend(names)
        return expr

    def _translate(self, value: Any, local: tuple[str, ...]) -> Expr:
        reader = self._reader
        if isinstance(value, str):
            if local not in self._vocabularies:
                parameters = (*reader.parameters, *local)
                self._vocabularies[local] = replace(reader.vocabulary, parameters=parameters, parts=self, rates={})
            return parse_value(value, self._vocabularies[local]).expr
        if isinstance(value, se.Basic):
            expr: Expr = as_names(reader.examine(value))
            for symbol in expr.free_symbols:
                if symbol.name not in local and not self.knows(symbol.name.rstrip("'")):
                    reader.read_symbol(symbol.name)
            return expr
        return self._inward(value, local) if is_sympy(value) else reader.translate(value)

    def _inward(self, value: Any, local: tuple[str, ...]) -> Expr:
        """Translate an expression of SymPy in which some symbols are no parameters."""
        reader = self._reader
        own = {symbol.name: symbol for symbol in value.free_symbols if self.knows(symbol.name)}
        symbols = {name: sp.Symbol(name) for name in local} | own | reader.translator.symbols
        inner = Translator(symbols, (*reader.coordinates, *reader.aliases), reader.parameters, reader.calls)
        expr = reader.examine(inner.inward(value))
        for name in inner.parameters:
            if name not in local and name not in reader.translator.parameters:
                reader.translator.inward(inner.symbols[name])
        return expr

    # --- when all has been read --------------------------------------------------------------------------------------

    def put_reactions(self, fields: dict[str, Any]) -> None:
        """Put in what names of multipliers and parts in forces stand for."""
        reader = self._reader
        rubs = bool(fields["sections"].get("friction"))
        if not self._met and not rubs:
            return
        observed = Observed(reader.scope({}, reader.laws))
        for key, names in self._met.items():
            for name in names:
                reader.attempt(key, lambda name=name: observed.check(name))
                part, _, asked = name.rstrip("'").partition(".")
                if part in reader.touching and asked in ("normal", "status"):
                    text = f"a force cannot follow what contact `{part}` carries, which is decided after the forces"
                    reader.problem(f"{text}; let it depend on `{part}.gap` and `{part}.speed`", *key)
        if reader.problems:
            return
        forces = fields["forces"].items()
        fields["forces"] = MappingProxyType({name: self._meant(observed, "forces", f) for name, f in forces})
        if fields["force"] is not None:
            fields["force"] = tuple(self._meant(observed, "matrices", entry) for entry in fields["force"])
        if rubs and not self._rubs:  # of a mechanism they are among those of its own parts already
            self._rubs = True
            add_friction(reader, fields, observed.resolved)

    def _meant(self, observed: Observed, part: str, force: Expr) -> Expr:
        reader = self._reader
        meant = reader.attempt((part,), lambda: observed.resolved(force))
        if meant is None:
            return force
        if found := sorted(as_written(s.name) for s in meant.free_symbols if s.name in reader.accelerations):
            reader.problem(f"{_WHY} (found {', '.join(found[:6])})", part)
        return meant

    def refuse_carrying(self, forces: Mapping[str, Expr], constraints: Collection[str], is_long: bool) -> None:
        """Refuse multipliers of joints that carry bodies: in the coordinates of joints these have none.

        is_long: whether bodies carry each other in long rows, of which nothing is known but how they are solved.
        """
        found = multipliers_in(*forces.values())
        if self._reader.holding and is_long:
            text = "bodies carry each other in long rows, where no programme can be held"
            self._reader.problem(f'{text}; take coordinates = "absolute"', "programme")
            return
        if found and is_long:
            text = f"`{min(found)}` stands in a force, which is not computed where bodies carry each other in long rows"
            self._reader.problem(f'{text}; take coordinates = "absolute"', "joints", min(found).partition(".")[0])
            return
        for name in sorted(found - set(constraints)):
            text = f"`{name}` stands in a force, but the joint carries a body, and its reaction is none of the unknowns"
            self._reader.problem(f'{text}; take coordinates = "absolute"', "joints", name.partition(".")[0])
