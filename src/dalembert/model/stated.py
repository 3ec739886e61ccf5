"""What is stated about a system: its parts as they were given, variants of them, and their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import symengine as se

from dalembert.arguments import choice, shown, table
from dalembert.document.shown import Shown
from dalembert.errors import ModelError, Problem, nearest, quoted
from dalembert.language.building import Expr
from dalembert.language.functions import Calls
from dalembert.language.state_names import inner, integral
from dalembert.language.translate import Translator
from dalembert.language.vocabulary import Value, Vocabulary
from dalembert.model.changes import merge_values, thawed
from dalembert.model.constraint import Constraint
from dalembert.model.contact import Contact, contacts_of
from dalembert.model.drawing import Drawing
from dalembert.model.facts import STRUCTURE, Survey
from dalembert.model.feed_forward import FED_FORWARD, FedForward, fed_forward, led_in, placeholder
from dalembert.model.friction import Friction, frictions_of
from dalembert.model.given import Given
from dalembert.model.initial import InitialValue, Measure
from dalembert.model.momenta import EnergySource
from dalembert.model.observed import Observed, Scope, asks_for
from dalembert.model.quantity import multipliers_in
from dalembert.model.reading import read_system
from dalembert.model.sections import SECTIONS
from dalembert.model.sections.define import definitions_of
from dalembert.model.sections.friction import AskedFrictions
from dalembert.model.sections.programme import HELD_LAWS, holding_in, written_as
from dalembert.model.settings import Settings
from dalembert.model.tomlscan import Source
from dalembert.model.variants import (
    History,
    begin_history,
    in_numbers,
    plain_parameters,
    plain_values,
    redefined,
    take_over,
    with_history,
)

VALUES = ("parameters", "initial", "guess", "forces", "simulation")  # what `replace` changes by name
WHOLE = ("coordinates", "kinetic", "potential", "mass", "force", "constraints", "drawing", "name")  # and puts in place


def parts_of() -> tuple[str, ...]:
    """Return what a system is made of, by the names of its arguments."""
    return (*VALUES, *WHOLE, *SECTIONS)


@dataclass(frozen=True, init=False)
class Stated(Shown):
    """The parts of a `System`, read and judged. Immutable."""

    coordinates: tuple[str, ...]
    kinetic: Expr | None
    potential: Expr | None
    mass: tuple[tuple[Expr, ...], ...] | None
    force: tuple[Expr, ...] | None
    forces: Mapping[str, Expr]
    constraints: tuple[Constraint, ...]
    parameters: Mapping[str, float | None]
    initial: Mapping[str, Expr]
    guess: Mapping[str, Expr]
    simulation: Mapping[str, Any]
    drawing: Drawing | None
    name: str
    sections: Mapping[str, Any]  # further tables by their names, as they were read
    calls: Calls = field(compare=False, repr=False)  # functions of its own, such as tables, and their derivatives
    own: Given = field(repr=False)  # what the user wrote, as it was read; of a mechanism, what was added to its parts
    symbols: Mapping[str, Any] = field(compare=False, repr=False)
    source: Source | None = field(compare=False, repr=False)
    history: ClassVar[History | None] = None  # of what it was made; None where that is not known as it was written

    def __init__(
        self,
        coordinates: Any,
        *surplus: Any,
        kinetic: Any = None,
        potential: Any = None,
        mass: Any = None,
        force: Any = None,
        forces: Mapping[Any, Any] | None = None,
        constraints: Mapping[str, Any] | Iterable[Any] = (),
        parameters: Mapping[Any, Any] | None = None,
        initial: Mapping[Any, Any] | None = None,
        guess: Mapping[Any, Any] | None = None,
        simulation: Mapping[str, Any] | None = None,
        drawing: Drawing | Mapping[str, Any] | None = None,
        name: str = "",
        symbols: Mapping[str, Any] | None = None,
        source: Source | None = None,
        **further: Any,
    ) -> None:
        if surplus:
            text = "a system takes its coordinates first and all else by name, as in kinetic=…"
            raise ModelError(f"{text}; got {shown(surplus[0])}")
        given = Given.of(locals(), further)
        for key in further:
            if key not in SECTIONS:
                raise ModelError(f"a system has no `{str(key)[:60]}`; {nearest(str(key), parts_of(), 'parts')}")
        self._take(read_system(given), source)
        begin_history(self, {name: getattr(given, name) for name in (*VALUES, *WHOLE)} | dict(given.sections), symbols)

    def _take(self, fields: Mapping[str, Any], source: Source | None) -> None:
        """Take what was read, and complete it."""
        for key, value in {**fields, "source": source}.items():
            object.__setattr__(self, key, value)
        if self.sections.get("programme"):
            self._steer()

    def _steer(self) -> None:
        """Put in by what conditions programmes hold, which only those know who derive equations."""

    @cached_property
    def survey(self) -> Survey:
        """What was found out about the system; a variant in other values takes over what still holds."""
        return Survey()

    @property
    def written(self) -> Self:
        """The system as it is written: itself, unless it was made of another to move (`model/friction.py`)."""
        return vars(self).get("original", self)

    # --- variants -----------------------------------------------------------------------------------------------------

    def replace(self, **changes: Any) -> Self:
        """Make a variant of the system: `pendulum.replace(parameters={"l": 2}, initial={"phi": 1, "phi'": None})`.

        `parameters`, `initial`, `guess`, `forces` and `simulation` are changed by name, and the others stay; None takes
        one away (a parameter is left without a value). All else is put in place of what was there.
        """
        for name in changes:
            if name not in parts_of():
                raise ModelError(f"a system has no `{name}`; {nearest(name, parts_of(), 'parts')}")
        if variant := in_numbers(self, changes) or redefined(self, changes):
            return with_history(variant, self, changes)
        given = self.arguments()
        for name, change in changes.items():
            if name in VALUES:
                change = self._changed(name, given[name], change)
            elif name in SECTIONS:
                change = SECTIONS[name].merged(given.get(name), change)
            given[name] = change
        variant = type(self)(**given, symbols=self.symbols, source=self.source)
        take_over(variant, self)
        return with_history(variant, self, changes)

    def arguments(self) -> dict[str, Any]:
        """Return what the system can be made of again, by the names of arguments."""
        if self.written is not self:
            return self.written.arguments()
        given = {name: getattr(self.own, name) for name in (*VALUES, *WHOLE)}
        return given | {"parameters": self.parameters, **self.sections}

    def __reduce__(self) -> tuple[Any, ...]:
        """Give what the system can be made of again; tables are then known as functions where it is read."""
        made = {**self.arguments(), "symbols": self.symbols, "source": self.source}
        return _made, (type(self), thawed(made))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memory: Any) -> Self:
        return self

    def numbers(self, part: str, change: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the fields that other numbers change; by what conditions programmes hold may depend on parameters."""
        if part == "parameters" and self.sections.get("programme"):
            return None
        if part == "parameters":
            values = plain_parameters(change, self.parameters)
        else:
            given = {self._key(name): value for name, value in change.items()}
            values = plain_values(given, dict.fromkeys(self._names_of_values(part)))
        if values is None:
            return None
        found: dict[str, Any] = {part: {**getattr(self, part), **values}}
        if part != "parameters":
            own = MappingProxyType({**getattr(self.own, part), **values})
            found["own"] = replace(self.own, **{part: own})
        return found

    def located(self, problem: Problem) -> Problem:
        """Return a problem with the line of its entry, or of the table that holds it, if the model is from a file."""
        if (source := self.source) is None:
            return problem
        keys = (problem.key[:k] for k in range(len(problem.key), 0, -1))
        line = next((source.lines[key] for key in keys if key in source.lines), None)
        return replace(problem, file=source.file, line=line)

    def put_sections(self, change: Callable[[Expr], Expr]) -> dict[str, Any]:
        """Return the further tables with their expressions changed, without those that are in the equations."""
        found = {name: SECTIONS[name].put(kept, change) for name, kept in self.sections.items()}
        if self.holding and found.get("controls"):  # nobody asks for what the equations hold under another name
            found["controls"] = {name: one for name, one in found["controls"].items() if name not in self.holding}
        if self.states:  # with what controls add to the rates, and with what parts stand for
            found["states"] = {name: change(self.forces[integral(name)]) for name in self.states}
        lost = self.laws.keys() - (found.get("controls") or {}).keys() | self.observed.canonical.keys()
        kept = {}
        for name, expr in (found.get("outputs") or {}).items():
            if asks_for(expr, lost):
                lost.add(name)  # what stands below it may ask for it
            else:
                kept[name] = expr
        found["outputs"] = kept or None
        lost |= self.outputs.keys() - kept.keys()
        if found.get("events"):  # those that ask for what is no longer there cannot be watched for
            kept = {name: event for name, event in found["events"].items() if not asks_for(event["when"], lost)}
            found["events"] = kept or None
        return {name: kept for name, kept in found.items() if kept is not None}

    def _changed(self, part: str, present: Mapping[str, Any], change: Any) -> dict[str, Any]:
        """Return values by name after a change."""
        given = {self._key(key): value for key, value in table(part, change).items()}
        if part != "parameters":
            known = {"forces": self.coordinates, "simulation": Settings.in_file}.get(part, self._names_of_values(part))
            return merge_values(part, present, given, known)
        unknown = [name for name in given if name not in self.parameters]
        if unknown:
            known = list(self.parameters)
            raise ModelError(Problem(f"no parameter `{n}`; {nearest(n, known, 'parameters')}") for n in unknown)
        return {**present, **given}

    def _names_of_values(self, part: str) -> Sequence[str]:
        """Return of what initial values or guesses can be given."""
        values = [inner(name) for name in self.states] if part == "initial" else []
        return (*self.coordinates[: self.mechanical], *self.velocities[: self.mechanical], *values)

    def _key(self, symbol: Any) -> str:
        name = symbol if isinstance(symbol, str) else getattr(self._translator.inward(symbol), "name", None)
        if name is None:
            raise ModelError(f'values are given by names or symbols, as in {{"x": 1}}; got {shown(symbol)}')
        return inner(name) if name in self.states else name

    @cached_property
    def _translator(self) -> Translator:
        return Translator(self.symbols, self.coordinates, self.parameters, self.calls)

    # --- names -------------------------------------------------------------------------------------------------------

    @property
    def states(self) -> Mapping[str, Expr]:
        """The rates of the states of first order by name; they stand behind the coordinates, as velocities of ∫z."""
        return self.sections.get("states", {})

    @property
    def mechanical(self) -> int:
        """How many coordinates are not there for a state only: the first ones."""
        return len(self.coordinates) - len(self.states)

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of the velocities."""
        return tuple(name + "'" for name in self.coordinates)

    def constraint(self, name: str) -> Constraint:
        """Find a constraint by name."""
        known = {constraint.name: constraint for constraint in self.constraints}
        return known[choice(name, list(known), "constraint", "constraints")]

    def entry(self, constraint: str) -> tuple[str, ...]:
        """Return the entry of a model file to which a constraint belongs."""
        return "constraints", constraint

    def measure(self, name: str) -> Measure:
        """Return of what an initial value is given: a coordinate or a velocity."""
        symbol = se.Symbol(name)
        return Measure("velocity" if name.endswith("'") else "position", symbol, lambda wanted: symbol - wanted)

    def initial_values(self, values: Mapping[str, float]) -> list[InitialValue]:
        """Return initial values as the user gave them, each under its own name."""
        return [InitialValue(name, ("initial", name), {name: value}) for name, value in values.items()]

    @property
    def kinds(self) -> Sequence[Mapping[str, Any]]:
        """The parts of which quantities can be asked, by kind and name."""
        return ()

    @property
    def frictions(self) -> Mapping[str, Friction]:
        """The friction of joints and constraints by name, with what it does."""
        return AskedFrictions(self.sections.get("friction", {}), lambda name: frictions_of(self)[name])

    @property
    def fed_forward(self) -> Mapping[str, FedForward]:
        """The controls with laws that ask what programmes take."""
        known = self.written.survey.known[STRUCTURE].get(FED_FORWARD, {})
        return fed_forward(led_in(self.sections), lambda name: known.get(name, placeholder(name)))

    @property
    def contacts(self) -> Mapping[str, Contact]:
        """What may touch and part, by name."""
        return contacts_of(self)

    @cached_property
    def observed(self) -> Observed:
        """What reads expressions that are asked of a motion."""
        parts = *self.kinds, self.frictions, self.fed_forward, self.contacts
        scope = Scope(
            self.coordinates, tuple(self.parameters), self.reacting, parts, self._translator.inward,
            self.definitions, {**self.laws, **self.quasi_velocities, **self.outputs}, (), self.calls,
            self.alias_names, self.meant, self._energies,
        )  # fmt: skip
        return Observed(scope)

    @property
    def _energies(self) -> EnergySource:
        """T and V, of which momenta are made."""
        T = self.kinetic
        return EnergySource(None if T is None else lambda: (T, self.potential))

    @property
    def reacting(self) -> tuple[str, ...]:
        """The conditions of whose multipliers something can be asked."""
        return tuple(constraint.name for constraint in self.constraints)

    @property
    def followed(self) -> frozenset[str]:
        """The constraints whose multipliers stand in forces."""
        given = (*(self.force or ()), *self.forces.values())
        return self.survey.find(STRUCTURE, ("followed",), lambda: frozenset(multipliers_in(*given)))

    @property
    def alias_names(self) -> tuple[str, ...]:
        """Names that stand for expressions of coordinates."""
        return ()

    def meant(self, expr: Expr) -> Expr:
        """Return an expression with what such names stand for."""
        return expr

    @property
    def definitions(self) -> dict[str, Value]:
        """What the definitions of the model stand for; variants in other values share it."""
        moving = (*self.coordinates, *self.alias_names)
        names = Vocabulary(moving, tuple(self.parameters), calls=self.calls, controls=tuple(self.laws))
        return self.survey.find(STRUCTURE, ("definitions",), lambda: definitions_of(self.sections, names))

    @property
    def outputs(self) -> Mapping[str, Expr]:
        """The outputs by name, with the names of quantities in them."""
        return self.sections.get("outputs", {})

    @property
    def quasi_velocities(self) -> Mapping[str, Expr]:
        """The quasi-velocities that the model gives, by name."""
        return self.sections.get("velocities", {})

    @property
    def laws(self) -> dict[str, Expr]:
        """The laws of controls by name, with the names of quantities in them; of those that hold programmes too."""
        kept, held = self.sections.get("controls", {}), written_as(self.holding)
        held |= self.written.survey.known[STRUCTURE].get(HELD_LAWS, {}) if held else {}
        found = {name: control.get("law", held.get(name)) for name, control in kept.items()}
        return {name: law for name, law in found.items() if law is not None}

    @property
    def holding(self) -> Mapping[str, str]:
        """The controls that hold programmes, each with the programme whose multiplier it is."""
        return holding_in(self.sections, self.parameters)

    def explain(self, constraints: Sequence[str]) -> tuple[str, str]:
        """Say in words that constraints cannot hold, and what to do."""
        if len(constraints) == 1:
            return f"constraint `{constraints[0]}` cannot be satisfied", "Check its equation and parameters"
        return f"constraints {quoted(constraints)} contradict each other", "Remove or correct one of them"


def _made(kind: type[Stated], given: Mapping[str, Any]) -> Stated:
    """Make a system of its arguments, which are no longer as they were written."""
    made = kind(**given)
    object.__setattr__(made, "history", None)
    return made
