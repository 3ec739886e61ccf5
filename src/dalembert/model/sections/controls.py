"""[controls.*]: inputs by name, the directions in which they act, and the laws that they follow.

    [controls.u]
    acts = {x = "1", phi = "-l*cos(phi)"}   # the force u·E on these coordinates, or rates of states
    joint = "A"                             # instead, in a mechanism: on the angle or the distance of a joint
    law = "-k*x - d*x'"                     # of the state, of time and tables, of joints as in A.angle'
    weight = 1                              # where more controls hold programmes than there are: the least uᵀR u
    sampled = true                          # left to a function of Python, so that it holds no programme

Without a law a control is a parameter: a symbol in formulas, and in a motion its value, or a function in Python that is
called at intervals (`motion/sampled.py`). With one it stands for what its law says, in forces and in rates of states;
what it does along a motion can be asked by its name. A control without `acts` and `joint` acts where its name stands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.arguments import shown, table
from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.building import TIME, Expr
from dalembert.language.state_names import as_written, integral, is_integral
from dalembert.model.first_order import read_followed, with_meanings
from dalembert.model.observed import asks_for
from dalembert.model.sections.base import ModelTable, by_name, model_table, names_in

if TYPE_CHECKING:
    from dalembert.model.reading import Reader
    from dalembert.model.stated import Stated
    from dalembert.model.system import System

ENTRIES = ("acts", "joint", "coordinate", "law", "weight", "sampled")
MAX_CONTROLS = 1_000


@model_table
class Controls(ModelTable):
    """Inputs by name."""

    name = "controls"

    def declare(self, reader: Reader, given: Any) -> None:
        """Judge the names; the reader knows them, as those of parameters."""
        entries = by_name(reader, self, given)
        if len(entries) > MAX_CONTROLS:
            reader.problem(f"{len(entries):,} controls; at most {MAX_CONTROLS:,} are read", self.name)
        for name in entries:
            reader.check_name(name, "control", self.name, name)
            for what, names in (
                ("a coordinate", reader.coordinates),
                ("a state", reader.states),
                ("a definition", names_in(reader, "define")),
            ):
                if name in names:
                    reader.problem(f"control `{name}` is also {what}; rename one of them", self.name, name)

    def read(self, reader: Reader, given: Any) -> Mapping[str, Any]:
        """Read where each of them acts and what it follows."""
        found = {}
        for name, entries in by_name(reader, self, given).items():
            key = (self.name, name)
            if not isinstance(entries, Mapping):
                reader.problem(f'expected a table, as in {{acts = {{x = "1"}}}}, got {shown(entries)}', *key)
                continue
            for entry in entries:
                if entry not in ENTRIES:
                    reader.problem(f"unknown entry; {nearest(str(entry), ENTRIES, 'entries')}", *key, str(entry))
            found[name] = MappingProxyType(self.read_control(reader, key, entries))
        return MappingProxyType(found)

    def read_control(self, reader: Reader, key: tuple[str, ...], entries: Mapping[str, Any]) -> dict[str, Any]:
        """Read one control."""
        kept: dict[str, Any] = {}
        if entries.get("acts") is not None:
            kept["acts"] = self.read_directions(reader, (*key, "acts"), entries["acts"])
        if entries.get("joint") is not None:
            kept |= reader.read_joint_control(key, entries)
            if "acts" in kept:
                reader.problem("`acts` and `joint` both say where it acts; take one of them away", *key, "joint")
        elif entries.get("coordinate") is not None:
            reader.problem("a coordinate of a joint, but no `joint` is given", *key, "coordinate")
        if entries.get("law") is not None:
            kept["law"] = self.read_law(reader, (*key, "law"), entries["law"])
        if entries.get("weight") is not None:
            kept["weight"] = self.read_weight(reader, (*key, "weight"), entries["weight"])
        if (sampled := entries.get("sampled")) is not None:
            if not isinstance(sampled, bool):
                reader.problem(f"expected true or false, got {shown(sampled)}", *key, "sampled")
            elif sampled and "law" in kept:
                reader.problem("`law` and `sampled` both say what it follows; take one away", *key, "sampled")
            elif sampled:
                kept["sampled"] = True
        return kept

    def read_weight(self, reader: Reader, key: tuple[str, ...], given: Any) -> Expr:
        """Read what the square of a control counts where there are more than are needed."""
        moving = {*reader.coordinates, *reader.velocities, *reader.accelerations, *reader.laws, TIME}
        weight = reader.expression(given, key, moving, "a weight is a number, or an expression of parameters")
        if weight.is_Number and not weight > 0:
            reader.problem(f"a weight is positive, got {shown(given)}", *key)
        return weight

    def read_directions(self, reader: Reader, key: tuple[str, ...], given: Any) -> Mapping[str, Expr]:
        """Read the directions by coordinate, or state."""
        if not isinstance(given, Mapping) or not given:
            reader.problem(f'expected directions by coordinate, as in {{x = "1"}}, got {shown(given)}', *key)
            return MappingProxyType({})
        found: dict[str, Expr] = {}
        for coordinate, value in given.items():
            name = reader.name_of(coordinate, self.name)
            moving = (c for c in (*reader.coordinates, *reader.aliases) if not is_integral(c))
            known = [*moving, *reader.states]
            if name not in known:
                text = f"it acts on `{name[:60]}`, which is no coordinate{reader.hint(name, known, 'coordinates')}"
                reader.problem(text, *key)
                continue
            why = "a direction depends on accelerations; it is one of coordinates, velocities and time"
            found[name] = reader.expression(value, key, reader.accelerations, why)
        return MappingProxyType(found)

    def read_law(self, reader: Reader, key: tuple[str, ...], given: Any) -> Expr:
        """Read a law, keep it as it is written, and tell the reader what it stands for."""
        name = key[1]
        why = "a law depends on accelerations, which depend on it; let it follow the state"
        law, meant = read_followed(reader, key, given, why)
        reader.written_laws[name] = law
        if meant is None:
            return law
        circle = sorted(symbol.name for symbol in meant.free_symbols if symbol.name in reader.laws)
        if circle:
            reader.problem(f"`{name}` depends on `{circle[0]}`, which depends on `{name}`", *key)
        else:
            reader.meanings[se.Symbol(name)] = meant
        return law

    def forces(self, reader: Reader, kept: Mapping[str, Any]) -> Mapping[str, Expr]:
        """Return u·E by coordinate."""
        found: dict[str, list[Expr]] = {}
        for name, control in kept.items():
            directions = {**control.get("acts", {}), **reader.joint_directions.get(name, {})}
            for coordinate, direction in directions.items():
                where = integral(coordinate) if coordinate in reader.states else coordinate
                found.setdefault(where, []).append(se.Symbol(name) * direction)
        return {name: se.Add(*terms) for name, terms in found.items()}

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> Any:
        """Keep laws by their names, as the forces hold all else; those that ask for parts are in the forces too."""
        plain: dict[str, Any] = {}
        for name, control in kept.items():
            if "law" not in control:
                plain[name] = {}
            elif not asks_for(control["law"], kept.keys() - plain.keys()):
                plain[name] = {"law": change(control["law"])}
        return plain or None


def without_law(sections: Mapping[str, Any]) -> list[str]:
    """Return the controls that have no law, and are not left to functions of Python."""
    given = sections.get("controls")
    return [
        name
        for name, entries in (given.items() if isinstance(given, Mapping) else ())
        if isinstance(name, str)
        and isinstance(entries, Mapping)
        and entries.get("law") is None
        and entries.get("sampled") is not True
    ]


def laws_in(given: Any, parameters: dict[str, float | None], holding: Collection[str]) -> dict[str, None]:
    """Return the names of controls that follow a law, or what programmes take; the others are parameters."""
    laws: dict[str, None] = {}
    for name, entries in given.items() if isinstance(given, Mapping) else ():
        if not isinstance(name, str):
            continue
        if name not in holding and (not isinstance(entries, Mapping) or entries.get("law") is None):
            parameters.setdefault(name, None)
        else:
            laws[name] = None
            if parameters.get(name, 0) is None:  # it had no value, and needs none now
                del parameters[name]
    return laws


def put_laws(reader: Reader, fields: dict[str, Any]) -> None:
    """Put laws in where the names of controls stand: in forces and rates. Elsewhere none can stand."""
    _refuse_other_uses(reader, fields)
    for name in reader.laws:
        if name in reader.parameters:
            text = f"control `{name}` has a law, and a value in [parameters]; take one of them away"
            reader.problem(text, "controls", name, "law")
    if not reader.laws:
        return
    names = reader.laws.keys()
    forces = fields["forces"].items()
    found = {c: reader.attempt(("controls",), lambda f=f: with_meanings(f, reader.meanings)) for c, f in forces}
    fields["forces"] = MappingProxyType({c: f for c, f in found.items() if f is not None})
    if fields["force"] is not None:
        fields["force"] = tuple(with_meanings(entry, reader.meanings) for entry in fields["force"])
    advice = "has a law, which can stand in forces and in rates of states only"
    for key, exprs in _others(fields):
        for name in sorted({symbol.name for expr in exprs for symbol in expr.free_symbols} & names):
            reader.problem(f"control `{name}` {advice}", *key)


def _refuse_other_uses(reader: Reader, fields: dict[str, Any]) -> None:
    """Report controls whose name is that of a parameter with a value which stands where no control can."""
    valued = {name for name in without_law(reader.given.sections) if reader.parameters.get(name) is not None}
    if not valued:
        return
    for key, exprs in _others(fields):
        for name in sorted({symbol.name for expr in exprs for symbol in expr.free_symbols} & valued):
            text = f"control `{name}` is also parameter {name} = {reader.parameters[name]:g}, which stands here"
            reader.problem(f"{text}, where no control can; rename one of them", *key)


def _others(fields: Mapping[str, Any]) -> list[tuple[tuple[str, ...], list[Expr]]]:
    """Return the expressions of a system that are no forces, with their keys."""
    found = [(("energy", part), [fields[part]]) for part in ("kinetic", "potential") if fields[part] is not None]
    found += [(("matrices", "mass"), [entry for row in fields["mass"] or () for entry in row])]
    found += [(("constraints", c.name), [c.expression]) for c in fields["constraints"]]
    values = [(part, name, expr) for part in ("initial", "guess") for name, expr in fields[part].items()]
    found += [((part, as_written(name)), [expr]) for part, name, expr in values]
    drawing = fields["drawing"]
    return found + ([] if drawing is None else [(("draw",), list(drawing.expressions))])


def without_value(system: Stated, name: str) -> Problem:
    """Say that a parameter has no value, or that a control has no law, and what to do."""
    if name not in system.sections.get("controls", {}):
        text = f"parameter `{name}` has no value; give one in `parameters`"
        return system.located(Problem(text, key=("parameters", name)))
    text = f'control `{name}` has no law; give one, as in law = "-k*x", or in Python controls={{"{name}": law}}'
    return system.located(Problem(text, key=("controls", name)))


def with_laws(system: System, given: Any) -> tuple[System, dict[str, Any]]:
    """Return a system whose controls follow other laws, and those that are functions of Python.

    given: by control, or by a parameter that stands in forces: an expression, a number, a table of values over time, or
    a function of t and the state.
    """
    laws, called, tables = {}, {}, {}
    kept = system.sections.get("controls", {})
    for name, law in table("controls", given).items():
        if name not in kept and name not in system.parameters:
            hint = nearest(str(name), list({**kept, **system.parameters}), "controls and parameters")
            raise ModelError(f"there is no control `{str(name)[:60]}`, nor a parameter; {hint}")
        if callable(law) and not hasattr(law, "free_symbols"):
            called[name] = law
            if "programme" in system.sections and name in kept:  # it shall not hold one
                laws[name] = {"law": None, "sampled": True}
            elif "law" in kept.get(name, {}):
                laws[name] = {"law": None}
        elif isinstance(law, Mapping):
            tables[f"{name}_law"] = law
            laws[name] = {"law": f"{name}_law(t)"}
        else:
            laws[name] = {"law": law}
    if laws:
        values = {name: None for name, law in laws.items() if law["law"] is not None and name in system.parameters}
        system = system.replace(controls=laws, parameters=values, **({"tables": tables} if tables else {}))
    idle = {name: 0.0 for name in called if system.parameters[name] is None}  # until its law is called
    return (system.replace(parameters=idle) if idle else system), called
