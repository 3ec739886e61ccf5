"""From the ingredients of a problem to a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import symengine as se
import sympy as sp
from sympy.core.function import AppliedUndef

from dalembert.errors import ModelError, nearest
from dalembert.language.building import Expr
from dalembert.language.translate import plain_name
from dalembert.model.fromsympy.identities import all_vanish, proportional
from dalembert.model.fromsympy.inertia import Mechanics
from dalembert.model.fromsympy.ingredients import Ingredients, ingredients
from dalembert.model.fromsympy.plain_symbols import Reading
from dalembert.model.fromsympy.speeds import solve_speeds


def parts_of(
    problem: Any,
    parameters: Mapping[Any, Any] | None,
    initial: Mapping[Any, Any] | None,
    guess: Mapping[Any, Any] | None,
    constraint_names: Sequence[str] | None,
) -> dict[str, Any]:
    """Return what `System(…)` takes."""
    given = ingredients(problem)
    parameters = dict(parameters or {})
    inputs = {key: parameters.pop(key) for key in list(parameters) if isinstance(key, AppliedUndef)}
    speeds, added, kinematic = solve_speeds(given.q, given.u, given.kinematic)
    coordinates = [*given.q, *added]
    read = Reading(coordinates, [*speeds, *given.auxiliary], inputs)
    read.speeds |= {se.Symbol(plain_name(u)): read.inward(value) for u, value in speeds.items()}
    read.speeds |= {se.Symbol(plain_name(u)): se.Integer(0) for u in given.auxiliary}
    mechanics = Mechanics(given, read)
    parts = _dynamics(given, mechanics, read)
    parts["constraints"] = _named(_constraints(given, kinematic, read), constraint_names)
    matrix = [entry for row in parts.get("mass", ()) for entry in row]
    values = [*matrix, *parts.get("force", ()), *parts.get("forces", {}).values(), *parts["constraints"].values()]
    read.check([*values, *(parts[key] for key in ("kinetic", "potential") if key in parts)])
    names = {plain_name(u) for u in (*speeds, *given.auxiliary, *inputs)}
    kept = {name: symbol for name, symbol in read.symbols.items() if name not in names}
    constants = {name: inputs[read.symbols[name]] for name in read.constants}
    used = {symbol.name for expr in [*values, *_energies(parts)] for symbol in expr.free_symbols}
    declared = {name: None for name in read.parameters if name in used and name not in names}
    by_name = {key if isinstance(key, str) else plain_name(key): value for key, value in parameters.items()}
    unknown = [name for name in by_name if name not in read.parameters]
    if unknown:
        raise ModelError(f"no parameter `{unknown[0]}` in the problem; {nearest(unknown[0], list(declared))}")
    return {
        "coordinates": coordinates,
        **parts,
        "parameters": {**declared, **{k: v for k, v in by_name.items() if k in declared}, **constants},
        "initial": _values(initial, list(speeds), read),
        "guess": _values(guess, list(speeds), read),
        "symbols": {name: symbol for name, symbol in kept.items() if name in used or name in read.moving},
    }


def _energies(parts: Mapping[str, Any]) -> list[Expr]:
    return [parts[key] for key in ("kinetic", "potential") if key in parts]


def _dynamics(given: Ingredients, mechanics: Mechanics, read: Reading) -> dict[str, Any]:
    """Return energies and forces, or matrices where there is no Lagrangian to be had."""
    if given.lagrangian is not None:
        terms = sp.Add.make_args(sp.sympify(given.lagrangian))
        read_terms = [read(term) for term in terms]
        moving = [term for term in read_terms if term.free_symbols & set(mechanics.v)]
        still = [-term for term in read_terms if not term.free_symbols & set(mechanics.v)]
        forces = {q.name: Q for q, Q in zip(mechanics.q, mechanics.generalized(mechanics.loads), strict=True) if Q != 0}
        return {"kinetic": se.Add(*moving), "potential": se.Add(*still), "forces": forces}
    if mechanics.is_holonomic():
        potential, forces = mechanics.potential_and_forces()
        return {"kinetic": mechanics.kinetic(), "potential": potential, "forces": forces}
    mass, force = mechanics.matrices()
    return {"mass": mass, "force": force}


def _constraints(given: Ingredients, kinematic: Mapping[str, Any], read: Reading) -> dict[str, Expr]:
    """Return constraints; those on velocities or accelerations that only differentiate others are left out."""
    positions = {f"holonomic_{k}": read(g) for k, g in enumerate(given.holonomic, 1)}
    rates = [read.rate(g) for g in positions.values()]
    velocities = {f"velocity_{k}": read(psi) for k, psi in enumerate(given.velocity, 1)}
    derived = [read.rate(psi) for psi in velocities.values()]
    velocities = {
        name: psi for name, psi in velocities.items() if psi != 0 and not any(proportional(psi, g) for g in rates)
    }
    accelerations = {
        f"acceleration_{k}": read(chi)
        for k, chi in enumerate(given.acceleration, 1)
        if not all_vanish([read(chi) - derived[k - 1]])
    }
    return {**positions, **{name: read(psi) for name, psi in kinematic.items()}, **velocities, **accelerations}


def _named(constraints: dict[str, Expr], names: Sequence[str] | None) -> dict[str, Expr]:
    if names is None:
        return constraints
    if isinstance(names, str) or len(names) != len(constraints):
        text = f"the problem has {len(constraints)} constraints ({', '.join(constraints) or 'none'})"
        raise ModelError(f"{text}; `constraint_names` needs as many names, got {len(names)}")
    return dict(zip(names, constraints.values(), strict=True))


def _values(given: Mapping[Any, Any] | None, speeds: Sequence[Any], read: Reading) -> dict[str, Any]:
    """Return values of coordinates and rates by name; those of speeds are solved for the rates."""
    names = {key: key if isinstance(key, str) else read.inward(key).name for key in given or {}}
    found = {names[key]: value for key, value in dict(given or {}).items()}
    of_speeds = {name: found.pop(name) for name in map(plain_name, speeds) if name in found}
    if not of_speeds:
        return found
    places = {se.Symbol(name): _number(found[name], name, read) for name in read.moving if name in found}
    left = [read.speeds[se.Symbol(name)].subs(places) - _number(value, name, read) for name, value in of_speeds.items()]
    used = set().union(*(expr.free_symbols for expr in left))
    rates = [rate for rate in map(se.Symbol, (name + "'" for name in read.moving)) if rate in used]
    open_places = used & {se.Symbol(name) for name in read.moving}
    solution: Any = ()
    if not open_places and len(rates) == len(left):
        solution = sp.linsolve(left, [rate._sympy_() for rate in rates])
    if not solution:
        text = f"the values of the speeds {', '.join(of_speeds)} do not determine the rates of coordinates"
        advice = 'give all speeds and all coordinates that belong together, or rates such as "q\'"'
        raise ModelError(f"{text}; {advice}")
    return found | {rate.name: se.sympify(value) for rate, value in zip(rates, next(iter(solution)), strict=True)}


def _number(value: Any, name: str, read: Reading) -> Expr:
    try:
        return se.RealDouble(float(value)) if isinstance(value, (str, int, float)) else read.inward(value)
    except ValueError:
        raise ModelError(f"the value of `{name}` must be a number where speeds are given, got {value!r}") from None
