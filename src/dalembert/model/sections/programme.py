"""[programme]: constraints that are held by controls instead of by ideal reactions.

    [controls.u]
    acts = {x = "1"}

    [programme]
    load = "x + l*sin(phi) = 0.5*t^2"

What holds them are the controls that have neither a law nor a value, as many as there are programmes: the force u·E
acts, and u is what it takes. In the equations u is the multiplier of a programme, the first of the first and so on; by
what conditions they follow is found when all has been read, by `survey/servo.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.arguments import shown
from dalembert.errors import counted, quoted
from dalembert.language.building import Expr
from dalembert.language.parser import parse_equation
from dalembert.language.printing import to_text
from dalembert.language.state_names import is_integral
from dalembert.language.tokens import NAME
from dalembert.model.facts import STRUCTURE
from dalembert.model.feed_forward import ASKED, led_in
from dalembert.model.first_order import refuse_states
from dalembert.model.observed import Observed, Scope, asks_for
from dalembert.model.quantity import MULTIPLIER, constraint_of, multiplier
from dalembert.model.sections.base import Entries, ModelTable, Write, by_name, model_table
from dalembert.model.sections.controls import without_law

if TYPE_CHECKING:
    from dalembert.model.reading import Reader
    from dalembert.model.stated import Stated

MAX_PROGRAMMES = 100
STATED_FORCES = ("forces as they are stated",)  # under which these are known, before what holds programmes is put in
HELD_LAWS = ("laws of controls that hold programmes",)  # under which these are known, where they are combinations
_WHY = "a programme is a condition on coordinates, their derivatives and time; controls and states follow from it"


@model_table
class Programme(ModelTable):
    """Equations that hold by controls, by name."""

    name = "programme"

    def declare(self, reader: Reader, given: Any) -> None:
        """Judge the names, and whether there are controls enough."""
        names = list(by_name(reader, self, given))
        valued = self._refuse_values(reader) if names else []
        for name in names:
            if not NAME.fullmatch(name):
                text = f"programme {name[:40]!r}: a name is letters, digits and _, and does not begin with a digit"
                reader.problem(text, self.name)
            elif reader.vocabulary.kind(MULTIPLIER + name) is not None:
                text = f"`{MULTIPLIER}{name}` is a name of the model, and that of its multiplier; rename one of them"
                reader.problem(text, self.name, name)
        if len(names) > MAX_PROGRAMMES:
            reader.problem(f"{len(names):,} programmes; at most {MAX_PROGRAMMES:,} are read", self.name)
        elif led := led_in(reader.given.sections) if names else []:
            self._judge_led(reader, names, led)
        elif names and not valued and (wrong := misfit(names, list(reader.holding))):
            reader.problem(wrong, self.name)

    def _judge_led(self, reader: Reader, names: list[str], led: list[str]) -> None:
        """Report controls beside those of which laws ask what programmes take, and where there are not as many."""
        free = without_law(reader.given.sections)
        if len(led) != len(names):
            what, asked = counted(len(names), "programme"), quoted([f"{name}.{ASKED}" for name in led])
            text = f"{what} ({quoted(names)}), and laws ask for {asked}: as many controls as programmes"
            reader.problem(
                f"{text} are led by them. Add a programme, or a law that asks for another control", self.name
            )
        for name in led:
            if name in free:
                text = f"a law asks for `{name}.{ASKED}`, but `{name}` has no law, and would hold a programme itself"
                reader.problem(f'{text}; give it one, as in law = "{name}.{ASKED}"', "controls", name)
        for name in free:
            if name not in led:
                text = f"control `{name}` has no law, where others follow laws with what programmes take"
                reader.problem(f"{text}; give it one, or write `sampled = true`", "controls", name)

    def _refuse_values(self, reader: Reader) -> list[str]:
        """Report controls that a parameter of their name gives a value, whatever that parameter may mean."""
        controls = without_law(reader.given.sections)
        valued = [name for name in controls if reader.parameters.get(name) is not None]
        for name in valued:
            value = f"{reader.parameters[name]:g}"
            text = f"control `{name}` has the value {value} in [parameters], and would hold nothing"
            advice = "Take it away there, or rename the parameter if it means something else"
            advice = f"{advice}; as a law write `law = {value}`"
            reader.problem(f"{text}. {advice}", "controls", name)
        return valued

    def read(self, reader: Reader, given: Any) -> Mapping[str, Expr]:
        """Read the equations; names of joints and points may stand in them, as in A.angle = 0.1*t."""
        observed = programme_names(reader.scope({}))

        def translate(value: Any) -> Expr:
            return parse_equation(value, observed.vocabulary) if isinstance(value, str) else observed.read(value)

        found = {}
        for name, value in by_name(reader, self, given).items():
            key, before = (self.name, name), len(reader.problems)
            if isinstance(value, (bool, int, float)):
                reader.problem(f'expected an equation, as in "x = 0.5*t^2", got {shown(value)}', *key)
                continue
            expr = reader.expression(value, key, reader.laws, _WHY, translate)
            meant = reader.attempt(key, lambda expr=expr: observed.resolved(expr))
            for one in dict.fromkeys((expr, expr if meant is None else meant)):  # also what stands in a definition
                if not _on_accelerations(reader, one if meant is None else meant):
                    refuse_states(reader, one, key, _WHY)
                reader.expression(one, key, reader.laws, _WHY, lambda one: one)
            if len(reader.problems) == before and meant is not None:
                self._judge(reader, key, meant)
            found[name] = expr
        return MappingProxyType(found)

    def _judge(self, reader: Reader, key: tuple[str, ...], meant: Expr) -> None:
        """Report multipliers, and what nothing moves in."""
        names = {symbol.name for symbol in meant.free_symbols}
        if any(constraint_of(symbol) for symbol in meant.free_symbols):
            reader.problem(f"{_WHY} (found multipliers)", *key)
        if not any(name.rstrip("'") in reader.coordinates for name in names):
            reader.problem("no coordinate stands in it, so that no control can hold it", *key)

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> Any:
        """Leave it to the equations, which hold all of it."""

    def write(self, kept: Any, write: Write) -> Entries:
        """Write equations."""
        return {(self.name,): {name: write(f"{to_text(expr)} = 0") for name, expr in kept.items()}}


def _on_accelerations(reader: Reader, expr: Expr) -> bool:
    """Tell whether a programme asks for accelerations: these may follow states, as in feedback with integral action."""
    return any(symbol.name in reader.accelerations for symbol in expr.free_symbols if not is_integral(symbol.name))


def programme_names(scope: Scope) -> Observed:
    """Return what reads programmes: definitions keep their names in them, as outputs do."""
    following = {name for name, v in scope.definitions.items() if asks_for(v.expr, scope.outputs)}  # controls
    known = {name: value.expr for name, value in scope.definitions.items() if name not in following}
    others = {name: value for name, value in scope.definitions.items() if name in following}
    return Observed(replace(scope, definitions=others, outputs={**scope.outputs, **known}))


def meant_programmes(system: Stated) -> dict[str, Expr]:
    """Return the programmes of a system by name, with what all names in them stand for."""
    observed = programme_names(system.observed.scope)
    return {name: observed.resolved(expr) for name, expr in system.sections.get("programme", {}).items()}


def misfit(programmes: list[str], controls: list[str]) -> str:
    """Say that there are fewer controls than programmes."""
    if len(controls) >= len(programmes):
        return ""
    have = f"{counted(len(programmes), 'programme')} ({quoted(programmes)})"
    free = f"{counted(len(controls), 'control')} without a law{f' ({quoted(controls)})' if controls else ''}"
    advice = "Take a programme away, or leave another control without a law"
    return f"too few controls: {have}, and {free}; each takes one of its own. {advice}"


def holding_in(sections: Mapping[str, Any], parameters: Mapping[str, float | None]) -> dict[str, str]:
    """Return the controls that hold programmes, each with the programme whose multiplier it is.

    Where there are more controls than programmes, each is a combination of multipliers; until these are known it has a
    name of its own there, which no programme has.
    """
    programmes = sections.get("programme")
    if not isinstance(programmes, Mapping) or not programmes or led_in(sections):
        return {}
    free = [name for name in without_law(sections) if parameters.get(name) is None]
    names = [name for name in programmes if isinstance(name, str)]
    return dict(zip(free, names, strict=False)) if len(free) <= len(names) else {name: f"{name} alone" for name in free}


def stated_forces(system: Stated) -> Mapping[str, Expr]:
    """Return the forces of a system with E u as it stands in the model."""
    found = system.written.survey.known[STRUCTURE].get(STATED_FORCES)
    if found is None:
        return system.forces
    names = {multiplier(programme): se.Symbol(name) for name, programme in system.holding.items()}
    return {q: force.xreplace(names) for q, force in found.items()}


def meanings_of(holding: Mapping[str, str]) -> dict[Expr, Expr]:
    """Return what the symbols of such controls stand for."""
    return {se.Symbol(name): multiplier(programme) for name, programme in holding.items()}


def written_as(holding: Mapping[str, str]) -> dict[str, Expr]:
    """Return the same by the names under which multipliers are written."""
    return {name: se.Symbol(MULTIPLIER + programme) for name, programme in holding.items()}


def as_combination(shares: Mapping[str, Expr]) -> Expr:
    """Return a control that is a combination of the multipliers of programmes, as it is written."""
    return se.Add(*[share * se.Symbol(MULTIPLIER + programme) for programme, share in shares.items()])
