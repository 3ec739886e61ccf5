"""Values of friction that cannot be: negative coefficients, a static one below that of sliding, no extent.

And sliding velocities along which nothing can slide, as they are rates of the constraint that presses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.algebra.either import dense
from dalembert.blocks.law_numbers import balanced
from dalembert.blocks.numeric import has_values, pilot_numeric_of
from dalembert.errors import Problem, quoted
from dalembert.language.building import TIME, number
from dalembert.language.program import Program
from dalembert.model.facts import PARAMETERS, START, fact
from dalembert.model.friction import LOAD, SPEED_NAME, depend, frictions_of, slopes
from dalembert.model.quantity import multiplier, multipliers_in
from dalembert.survey.configurations import Configuration, places_of
from dalembert.survey.start import State, start_of

if TYPE_CHECKING:
    from dalembert.model.system import System

_POSITIVE = ("radius", "length", "stribeck", "smooth")
_LEFT = 1e-9  # of a sliding velocity: what the rates of constraints leave of one that is made of them
_AT_REST = {SPEED_NAME: se.RealDouble(0.0)}
_LOADS, _SPEEDS = (0.0, 1.0, 10.0), (0.0, 1e-3, 0.1, 1.0, 10.0)  # at which a law is looked at


@fact(PARAMETERS)
def friction_problems(system: System) -> list[Problem]:
    """Return what is wrong with the values of friction, as far as they are known."""
    found = []
    for name, entries in system.sections.get("friction", {}).items():
        for entry, text in _wrong(system, name, entries):
            found.append(system.located(Problem(text, key=("friction", name, entry))))
    return found


def _value(system: System, expr: Any) -> float | None:
    """Return a value at the beginning; None where something in it has none, or it depends on the state."""
    known = {se.Symbol(name): se.RealDouble(x) for name, x in system.parameters.items() if x is not None}
    known[se.Symbol(TIME)] = se.RealDouble(0.0)
    return number(se.sympify(expr).xreplace(known))


def _wrong(system: System, name: str, entries: Any) -> Iterator[tuple[str, str]]:
    values = {entry: _value(system, expr) for entry, expr in entries.items() if isinstance(expr, se.Basic)}
    for entry in ("coefficient", "static", "viscous", "normal"):
        if (value := values.get(entry)) is not None and value < 0:
            yield (
                entry,
                f"`{entry}` of friction `{name}` is {value:g}, and would drive what slides; give none below 0",
            )
    for entry in _POSITIVE:
        if (value := values.get(entry)) is not None and value <= 0:
            yield entry, f"`{entry}` of friction `{name}` is {value:g}; give one above zero"
    sliding, static = values.get("coefficient"), values.get("static")
    if sliding is not None and static is not None and 0 <= static < sliding:
        text = f"`static` of friction `{name}` is {static:g}, below {sliding:g}, its coefficient of sliding"
        yield "static", f"{text}: what sticks would hold less than what slides. Give at least as much, or leave it out"
    known = {se.Symbol(key): x for key, x in system.parameters.items() if x is not None}
    if "slip" in entries and depend(frictions_of(system)[name].slips, system.coordinates, known):
        text = f"the sliding velocities in `slip` of friction `{name}` depend on each other"
        yield "slip", f"{text}, so that one would count twice; give velocities in independent directions"
    if (
        "law" in entries
        and static is not None
        and (text := _static_below(frictions_of(system)[name].law, static, known))
    ):
        yield "static", f"`static` of friction `{name}` {text}"
    if "law" in entries and (text := _law(system, name)):
        yield "law", text


def _static_below(law: Any, static: float, known: Mapping[Any, float]) -> str:
    """Say where sticking would hold less than the law has at rest."""
    at_rest = law.xreplace({symbol: se.RealDouble(value) for symbol, value in known.items()}).xreplace(_AT_REST)
    for load in _LOADS:
        value = number(at_rest.xreplace({LOAD: se.RealDouble(load)}))
        if value is not None and static * load < value * (1 - _LEFT):
            text = f"holds {static * load:g} at N = {load:g}, below {value:g} that the law has there at v = 0"
            return f"{text}: give at least as much, or leave it out"
    return ""


def _law(system: System, name: str) -> str:
    """Say where a law is negative, or has no value."""
    law = frictions_of(system)[name].law
    known = {se.Symbol(key): se.RealDouble(x) for key, x in system.parameters.items() if x is not None}
    law = law.xreplace(known)
    if law.free_symbols - {LOAD, SPEED_NAME}:
        return ""  # it depends on more than load and speed
    program = Program([LOAD, SPEED_NAME], [law])
    for load in _LOADS:
        for speed in _SPEEDS:
            with np.errstate(all="ignore"):
                value = float(program.floats([load, speed])[0])
            where = f"of friction `{name}` at N = {load:g}, v = {speed:g}"
            if not np.isfinite(value):
                return f"the law {where} has no finite value"
            if value < 0:
                return f"the law {where} is {value:g}, and would drive what slides; it says how large friction is"
    return ""


@fact(START)
def frictions_at_start(system: System) -> list[Problem]:
    """Find what is wrong with friction where the motion begins, beside constants: its values, and held velocities."""
    return [*_values_at_start(system), *_held_slips(system)]


def _values_at_start(system: System) -> list[Problem]:
    """Find values that cannot be and are known at the start only: what depends on the state, or on reactions there."""
    asked = [name for name, entries in system.sections.get("friction", {}).items() if _varies(system, entries)]
    if not asked or not has_values(system):
        return []
    state, found = start_of(system), []
    for name in asked:
        friction = frictions_of(system)[name]
        speed = _at(system, state, [friction.speed], {})[0]
        reactions = _reactions(system, state, friction.load) if speed > 0 else {}
        if multipliers_in(friction.load) - reactions.keys():
            load = 1.0  # at rest it depends on what holds it
        else:
            load = _at(system, state, [friction.load], reactions)[0]
            if load < -_LEFT * max(map(abs, reactions.values()), default=0.0):
                text = f"the load of friction `{name}` is {load:.6g} at the start, and would drive what slides"
                found.append(("normal", name, f"{text}; give its size, as in abs(…)"))
                continue
        at = {LOAD: se.RealDouble(max(load, 0.0) or 1.0)}
        laws = [friction.law.xreplace({SPEED_NAME: se.RealDouble(v)}).xreplace(at) for v in (speed, 0.0)]
        asked_here = [*laws, friction.static.xreplace(at), friction.viscous]
        if any(multipliers_in(expr) for expr in asked_here):
            continue
        sliding, at_rest, held, viscous = _at(system, state, asked_here, {})
        law = "law" if "law" in system.sections["friction"][name] else "coefficient"
        if sliding < 0 or viscous < 0:
            entry, value = (law, sliding / at[LOAD]) if sliding < 0 else ("viscous", viscous)
            what = "the law gives" if entry == "law" else f"`{entry}` is"
            text = f"{what} {float(value):.6g} at the start, in friction `{name}`, and would drive what slides"
            found.append((entry, name, f"{text}; give none below 0"))
        elif friction.smooth is None and held < at_rest * (1 - _LEFT):
            text = f"`static` of friction `{name}` holds {held:.6g} at the start, less than what slides makes at rest"
            found.append(("static", name, f"{text}, {at_rest:.6g}: give at least as much, or leave it out"))
    return [system.located(Problem(text, key=("friction", name, entry))) for entry, name, text in found]


def _varies(system: System, entries: Any) -> bool:
    """Tell whether a value of friction that could be wrong depends on more than parameters."""
    if "normal" in entries and _value(system, entries["normal"]) is None:
        return True
    some = [entries[entry] for entry in ("coefficient", "static", "viscous", "law") if entry in entries]
    own = {LOAD, SPEED_NAME, *(se.Symbol(name) for name in system.parameters)}
    return any(expr.free_symbols - own for expr in some)


def _at(system: System, state: State, expressions: list[Any], reactions: Mapping[str, float]) -> list[float]:
    """Evaluate expressions at the start, with multipliers by name."""
    numeric = pilot_numeric_of(system)
    known = {multiplier(name): se.RealDouble(value) for name, value in reactions.items()}
    program = numeric.program([se.sympify(expr).xreplace(known) for expr in expressions])
    return [float(x) for x in numeric.evaluate(program, state.t, state.q, state.v)]


def _reactions(system: System, state: State, load: Any) -> dict[str, float]:
    """Return the multipliers in a load while it slides; none where these are not determined."""
    if not multipliers_in(load):
        return {}
    with np.errstate(all="ignore"):
        found = balanced(pilot_numeric_of(system), state.t, state.q, state.v)
    if found is None or len(found.solutions) != 1 or not np.all(np.isfinite(found.solutions)):
        return {}
    return {system.constraints[i].name: float(x) for i, x in zip(found.law.rows, found.solutions[0], strict=True)}


def _held_slips(system: System) -> list[Problem]:
    """Find sliding velocities that are rates of the constraints which press: these hold them at zero.

    What other constraints hold may be meant so; it sticks.
    """
    found = []
    for name, entries in system.sections.get("friction", {}).items():
        if "slip" not in entries:
            continue  # pairs know theirs
        friction = frictions_of(system)[name]
        rows = [k for k, one in enumerate(system.constraints) if one.name in multipliers_in(friction.load)]
        if not rows or not _is_made_of(system, friction.slips, rows, start_of(system)):
            continue
        if all(_is_made_of(system, friction.slips, rows, place) for place in places_of(system)):
            pressing = quoted([system.constraints[k].name for k in rows])
            text = f"`slip` of friction `{name}` is the rate of {pressing}, which presses and holds it at zero"
            problem = Problem(
                f"{text}: give the velocity along it, with which it slides", key=("friction", name, "slip")
            )
            found.append(system.located(problem))
    return found


def _is_made_of(system: System, slips: Any, rows: list[int], place: Configuration | State) -> bool:
    """Tell whether one of the sliding velocities follows from the rates of some constraints."""
    numeric = pilot_numeric_of(system)
    A = dense(numeric.all(place.t, place.q, place.v).A)[rows]
    for slip in slips:
        directions = slopes(slip, system.coordinates)
        values = numeric.evaluate(numeric.program(directions.values()), place.t, place.q, place.v)
        T = np.zeros(len(system.coordinates))
        T[[system.coordinates.index(name) for name in directions]] = values
        left = T - A.T @ np.linalg.lstsq(A.T, T)[0]
        if np.linalg.norm(left) <= _LEFT * np.linalg.norm(T):
            return True
    return False
