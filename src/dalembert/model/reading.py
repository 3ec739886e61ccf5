"""Turn what a user gave — SymPy, text, numbers — into the canonical fields of a System; report all mistakes at once."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import symengine as se

from dalembert.arguments import shown
from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.building import TIME, Expr
from dalembert.language.foreign import Admission
from dalembert.language.functions import Function, is_reserved
from dalembert.language.late_sympy import is_coordinate, is_sympy
from dalembert.language.parser import parse_equation, parse_value
from dalembert.language.state_names import as_written, inner, integral, is_integral
from dalembert.language.tokens import NAME
from dalembert.language.translate import Translator, plain_name
from dalembert.language.vocabulary import MAX_HINTS, Value, Vocabulary
from dalembert.model.constants import parse_constant
from dalembert.model.contact import Contact
from dalembert.model.drawing import Drawing
from dalembert.model.feed_forward import fed_forward, led_in
from dalembert.model.first_order import put_rates, states_in, with_meanings
from dalembert.model.given import Given
from dalembert.model.momenta import energies_to_come
from dalembert.model.observed import Scope
from dalembert.model.reactive import ForceReader
from dalembert.model.reading_equations import read_constraints, read_energy, read_forces, read_matrices
from dalembert.model.reading_settings import read_settings
from dalembert.model.sections import SECTIONS
from dalembert.model.sections.base import in_expressions, kept_sections
from dalembert.model.sections.controls import laws_in, put_laws
from dalembert.model.sections.friction import asked_in
from dalembert.model.sections.programme import holding_in, meanings_of, written_as
from dalembert.model.sketch import read_drawing
from dalembert.model.tomlscan import MAX_NAME


def read_system(given: Given) -> dict[str, Any]:
    """Return the canonical fields of a system; raise ModelError with everything that is wrong."""
    return Reader(given).fields()


class Reader:
    """Knows the names of a model from the start, reads its parts on request and keeps all problems it meets.

    aliases: names that stand for expressions of coordinates, which are put in when these are known.
    """

    aliases: tuple[str, ...] = ()

    def __init__(self, given: Given):
        self.given = given
        self.problems: dict[Problem, None] = {}  # in the order found, each once
        self.hints = 0
        self._texts: dict[str, Expr] = {}
        self.calls: dict[str, tuple[Function, ...]] = {}  # functions of its own
        self.own_tables: dict[str, Mapping[str, Any]] = {}
        self.own_functions: dict[str, Mapping[str, Any]] = {}
        self.examine = Admission(self.calls)
        symbols = dict(given.symbols) if isinstance(given.symbols, Mapping) else {}
        names = self.read_coordinates(given.coordinates, symbols)
        if not names:
            raise ModelError(self.problems)
        self.states = states_in(given.sections.get("states"), symbols)
        self.rates: dict[Expr, Expr] = {}  # of states, by the symbols of the rates
        self.late: dict[str, Any] = {}  # those that are not read yet
        self.late_rates: dict[Expr, Expr] = {}  # those that were, after others
        names = (*names, *map(integral, self.states))
        self.coordinates = dict.fromkeys(names)
        self.velocities = dict.fromkeys(name + "'" for name in names)
        self.accelerations = dict.fromkeys(name + "''" for name in names)
        self.outputs: dict[str, Expr] = {}  # those that were read so far
        self.quasi_velocities: dict[str, Expr] = {}
        self.check_mappings(given)
        self.parameters = self.read_parameters(given.parameters, symbols)
        self.holding = holding_in(given.sections, self.parameters)  # controls that hold programmes
        self.laws = laws_in(given.sections.get("controls"), self.parameters, self.holding)  # of controls that have one
        self.written_laws = written_as(self.holding)  # those that were read so far
        self.meanings = meanings_of(self.holding)  # what they stand for, by the symbols of controls
        self.joint_directions: dict[str, Mapping[str, Expr]] = {}  # of controls
        self.touching: Mapping[str, Contact] = {}  # contacts
        self.rubbing: Mapping[str, Any] = {}  # friction, as it was read
        self.rubbing_asked: list[str] = []  # friction of which something is being looked up
        try:
            self.translator = Translator(symbols, (*names, *self.aliases), self.parameters, self.calls)
        except ModelError as error:
            raise ModelError([*self.problems, *error.problems]) from None
        self.definitions: dict[str, Value] = {}
        known = tuple(self.parameters), self.definitions
        self.vocabulary = Vocabulary((*names, *self.aliases), *known, calls=self.calls, controls=tuple(self.laws))
        self.acting = ForceReader(self)
        for name, section in SECTIONS.items():
            if given.sections.get(name) is not None:
                section.declare(self, given.sections[name])

    def fields(self) -> dict[str, Any]:
        """Read everything that was given; raise ModelError with all problems."""
        given = self.given
        fields: dict[str, Any] = {"coordinates": tuple(self.coordinates), "name": str(given.name)}
        fields["kinetic"] = read_energy(self, given.kinetic, "kinetic")
        fields["potential"] = read_energy(self, given.potential, "potential")
        fields |= self.read_matrices(given)
        fields["forces"] = read_forces(self, given.forces)
        fields["constraints"] = self.constraints = read_constraints(self, given.constraints)
        fields["sections"] = kept_sections(self, given.sections)
        fields["initial"] = self.read_values(given.initial, "initial")
        fields["guess"] = self.read_values(given.guess, "guess")
        fields["simulation"] = read_settings(self, given.simulation)
        fields["drawing"] = read_drawing(self, given.drawing)
        for name in self.translator.parameters:  # also those that appeared without being declared
            if name not in self.parameters and name not in self.laws:
                self.check_name(name, "parameter", "parameters", name)
                self.parameters[name] = None
        written = {name: value for name, value in fields.items() if name != "coordinates"}
        written |= {"parameters": {}, "symbols": {}, "coordinates": self.own_coordinates}
        fields["own"] = replace(given, **written)
        fields["forces"] = self.all_forces(fields["forces"], fields["sections"])
        fields["parameters"] = MappingProxyType(self.parameters)
        fields["calls"] = MappingProxyType(self.calls)
        fields["symbols"] = MappingProxyType(self.translator.symbols)
        put_rates(self, fields)
        put_laws(self, fields)
        self.acting.put_reactions(fields)
        if self.problems:
            raise ModelError(self.problems)
        return fields

    def scope(self, outputs: dict[str, Expr], written: Collection[str] = ()) -> Scope:
        """Return the names that outputs may use; `written` are all outputs, also those that are not read yet."""
        parameters = tuple(dict.fromkeys((*self.parameters, *self.translator.parameters)))
        parts = *self.kinds, asked_in(self), fed_forward(led_in(self.given.sections)), self.touching
        return Scope(
            tuple(self.coordinates), parameters, tuple(self.constraint_names()), parts,
            self.translator.inward,
            self.definitions, ChainMap(outputs, self.written_laws, self.quasi_velocities), written, self.calls,
            self.aliases, self.meant, energies_to_come(self.given, self.coordinates),
        )  # fmt: skip

    def read_joint_control(self, key: tuple[str, ...], entries: Mapping[str, Any]) -> dict[str, Any]:
        """Read the joint in which a control acts; return the entries that say so."""
        self.problem("a joint is one of a mechanism; say by coordinates where it acts, in `acts`", *key, "joint")
        return {}

    @property
    def kinds(self) -> Sequence[Mapping[str, Any]]:
        """The parts of which quantities can be asked."""
        return ()

    def constraint_names(self) -> list[str]:
        """Return the names of all constraints, programmes among them."""
        programmes = self.given.sections.get("programme")
        names = (n for n in programmes if isinstance(n, str)) if isinstance(programmes, Mapping) else ()
        return [*(constraint.name for constraint in self.constraints), *names]

    @property
    def own_coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates that the user gave."""
        return tuple(name for name in self.coordinates if not is_integral(name))

    def all_forces(self, own: Mapping[str, Expr], sections: Mapping[str, Any]) -> Mapping[str, Expr]:
        """Return the forces by coordinate with those that further tables add."""
        forces = {name: [force] for name, force in own.items()}
        for name, kept in sections.items():
            kept = in_expressions(kept, self.meant) if self.aliases else kept
            added = self.attempt(SECTIONS[name].path, lambda n=name, k=kept: SECTIONS[n].forces(self, k)) or {}
            for coordinate, force in added.items():
                forces.setdefault(coordinate, []).append(force)
        return MappingProxyType({name: se.Add(*terms) for name, terms in forces.items()})

    def problem(self, text: str, *key: str, column: int | None = None) -> None:
        """Note a mistake in an entry."""
        self.problems[Problem(text, key=key, column=column)] = None

    def hint(self, name: str, known: Collection[str], what: str = "known names") -> str:
        """Say which name may have been meant; for the first few only, as the search takes time."""
        self.hints += 1
        return f"; {nearest(name, known, what)}" if self.hints <= MAX_HINTS else ""

    def check_mappings(self, given: Given) -> None:
        """Refuse lists and texts where values are given by name: nothing could be read of them."""
        before = len(self.problems)
        for part in ("parameters", "forces", "initial", "guess", "simulation", "symbols"):
            value = getattr(given, part)
            if not isinstance(value, Mapping):
                self.problem(f'expected values by name, as in {{"x": 1}}, got {type(value).__name__}', part)
        if not isinstance(given.drawing, (Drawing, Mapping, type(None))):
            self.problem(f'expected {{"points": …, "lines": …}}, got {type(given.drawing).__name__}', "draw")
        if isinstance(given.constraints, (str, bytes)) or not isinstance(given.constraints, Iterable):
            what = "a text" if isinstance(given.constraints, str) else type(given.constraints).__name__
            self.problem(f'expected equations by name, as in {{"a": "x = 1"}}, got {what}', "constraints")
        if not isinstance(given.name, str):
            self.problem(f"expected a text, got {type(given.name).__name__}", "name")
        if isinstance(given.symbols, Mapping) and not all(map(is_sympy, given.symbols.values())):
            self.problem("expected symbols of SymPy by name", "symbols")
        for part in ("simulation", "drawing"):
            if isinstance(value := getattr(given, part), Mapping):
                for key in value:
                    if not isinstance(key, str):
                        self.problem(f"expected names in quotes, got {shown(key)}", part)
        if len(self.problems) > before:
            raise ModelError(self.problems)

    # --- names -------------------------------------------------------------------------------------------------------

    def check_name(self, name: str, what: str, *key: str) -> None:
        """Refuse what cannot be a name, or is taken by the language."""
        if len(name) > MAX_NAME:
            self.problem(f"{what} `{name[:40]}…`: a name of {len(name)} characters; at most {MAX_NAME} are read", *key)
        elif not NAME.fullmatch(name):
            self.problem(f"{what} {name!r}: a name is letters, digits and _, and does not begin with a digit", *key)
        elif is_reserved(name):
            reason = "time" if name == TIME else "a word of the expression language"
            self.problem(f"{what} `{name}`: this name is reserved for {reason}; choose another", *key)
        elif name in self.calls:
            self.problem(f"{what} `{name}` is also a table or a function; rename one of them", *key)

    def read_coordinates(self, given: Any, symbols: dict[str, Any]) -> tuple[str, ...]:
        """Read the names of the coordinates."""
        if isinstance(given, str):
            given = given.replace(",", " ").split()
        elif is_coordinate(given) or not isinstance(given, Iterable):
            given = [given]
        names: dict[str, None] = {}
        for item in given:  # a SymPy matrix gives its entries
            if isinstance(item, str):
                name = item
            elif is_coordinate(item) and len(item.args) == 1:
                name = plain_name(item)
            else:
                self.problem(f"a coordinate is a dynamicsymbol or a name, got {str(item)[:60]!r}", "coordinates")
                continue
            self.check_name(name, "coordinate", "coordinates")
            if name in names:
                self.problem(f"coordinate `{name}` is listed twice", "coordinates")
                continue
            names[name] = None
            if not isinstance(item, str):
                symbols.setdefault(name, item)
        if not names and not self.problems:
            self.problem("a system needs at least one coordinate", "coordinates")
        return tuple(names)

    def read_parameters(self, given: Mapping[Any, Any], symbols: dict[str, Any]) -> dict[str, float | None]:
        """Read values by name; None for a parameter without one."""
        parameters: dict[str, float | None] = {}
        for key, value in dict(given).items():
            if not (isinstance(key, str) or getattr(key, "is_Symbol", False) or is_coordinate(key)):
                self.problem(
                    f'a parameter is given by its name or symbol, as in {{"l": 2}}; got {shown(key)}', "parameters"
                )
                continue
            name = key if isinstance(key, str) else plain_name(key)
            self.check_name(name, "parameter", "parameters", name)
            if name in self.coordinates:
                self.problem(f"parameter `{name}` is also a coordinate; rename one of them", "parameters", name)
                continue
            if name in parameters:
                self.problem(f"parameter `{name}` is given twice", "parameters", name)
            if not isinstance(key, str):
                symbols.setdefault(name, key)
            parameters[name] = None if value is None else self.constant(value, "parameters", name)
        return parameters

    # --- expressions -------------------------------------------------------------------------------------------------

    def attempt(self, key: tuple[str, ...], action: Any) -> Any:
        """Run an action; collect its mistakes under the key and return None if there are any."""
        try:
            return action()
        except ModelError as error:
            for problem in error.problems:
                self.problem(problem.text, *key, column=problem.column)
        except (ValueError, TypeError, AttributeError, RuntimeError) as error:
            self.problem(
                f"expected an expression, got something else ({type(error).__name__}: {str(error)[:80]})",
                *key,
            )
        return None

    def expression(
        self,
        value: Any,
        key: tuple[str, ...],
        forbidden: Collection[str] = (),
        why: str = "",
        translate: Callable[[Any], Expr] | None = None,
    ) -> Expr:
        """Translate text, SymPy, SymEngine or a number; refuse what must not appear in it."""
        rates = {symbol: rate for symbol, rate in self.rates.items() if symbol.name in forbidden}
        expr = self.attempt(key, lambda: with_meanings((translate or self.translate)(value), rates))
        if expr is None:
            return se.Integer(0)
        used = self.meant(expr).free_symbols if forbidden else ()
        names = [s.name for s in used if s.name in forbidden and s.name not in self.late]
        found = sorted(map(as_written, names))
        if found:
            self.problem(f"{why} (found {', '.join(found[:6])})", *key)
        return expr

    def translate(self, value: Any, equation: bool = False) -> Expr:
        """Turn text, SymPy, SymEngine or a number into an expression."""
        if isinstance(value, str):
            if equation:
                return parse_equation(value, self.vocabulary)
            if value not in self._texts:  # parts of a kind say the same
                self._texts[value] = parse_value(value, self.vocabulary).expr
            return self._texts[value]
        if isinstance(value, bool) or not (isinstance(value, (int, float, np.number, se.Basic)) or is_sympy(value)):
            got = str(value).lower() if isinstance(value, bool) else f"{type(value).__name__}: {str(value)[:60]}"
            raise ModelError(f"expected an expression or a number, got {got}")
        if type(value) is int and abs(value) < 2**53:
            return se.Integer(value)
        if type(value) is float and math.isfinite(value):
            return se.RealDouble(value)
        if isinstance(value, se.Basic):
            expr: Expr = self.examine(value)
            for symbol in expr.free_symbols:
                self.read_symbol(symbol.name)
            return expr
        return self.examine(self.translator.inward(value))

    def meant(self, expr: Expr) -> Expr:
        """Return an expression with what aliases stand for; what was written is kept with their names."""
        return expr

    def read_symbol(self, name: str) -> None:
        """Take an unknown symbol of SymEngine for a parameter without a value."""
        plain = name.rstrip("'")
        if plain in self.translator.coordinates:
            primes = len(name) - len(plain)
            if primes > 2:
                raise ModelError(f"`{plain}` has {primes} primes; accelerations (two) are the limit")
        elif is_integral(name):
            raise ModelError(f"`{as_written(name)}` is no state of this system")
        elif name != TIME:
            self.translator.parameters.setdefault(name)

    def constant(self, value: Any, section: str, name: str) -> float | None:
        """Read a number, or text without names."""
        if isinstance(value, str):
            advice = f"`{name}` needs a constant; what depends on parameters or time belongs into [define]"
            parsed = self.attempt((section, name), lambda: parse_constant(value, advice))
            return None if parsed is None else parsed
        try:
            result = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            result = math.nan
        if not math.isfinite(result):
            self.problem(f"`{name}` needs a finite number, got {shown(value)}", section, name)
            return None
        return result

    def name_of(self, key: Any, section: str) -> str:
        """Return the plain name of a coordinate or velocity given as SymPy or text."""
        if isinstance(key, str):
            return key
        translated = self.attempt((section,), lambda: self.translate(key))
        return translated.name if translated is not None and translated.is_Symbol else str(key)

    # --- the parts ---------------------------------------------------------------------------------------------------

    def read_matrices(self, given: Given) -> dict[str, Any]:
        """Read the mass matrix and the force, given instead of energies."""
        return read_matrices(self, given)

    def read_values(self, given: Mapping[Any, Any], section: str) -> Mapping[str, Expr]:
        """Read initial values or guesses."""
        allowed = self.names_of_values(section)
        forbidden = self.coordinates | self.velocities | self.accelerations | {TIME: None}
        result = {}
        for key, value in dict(given).items():
            name = self.name_of(key, section)
            name = inner(name) if name in self.states else name
            if name not in allowed:
                self.problem(self.unknown_value(name, allowed), section, name)
            why = f"the value of `{as_written(name)}` must be a number or an expression of parameters"
            result[name] = self.expression(value, (section, as_written(name)), forbidden, why)
        return MappingProxyType(result)

    def names_of_values(self, section: str) -> dict[str, None]:
        """Return of what initial values or guesses may be given; a state starts where it is said to, else at zero."""
        found = self.coordinates | self.velocities
        return {name: None for name in found if not is_integral(name) or (name.endswith("'") and section == "initial")}

    def unknown_value(self, name: str, allowed: Collection[str]) -> str:
        """Say that values cannot be given of something."""
        known = list(map(as_written, allowed))
        return f"`{as_written(name)}` is neither a coordinate nor a velocity{self.hint(name, known)}"
