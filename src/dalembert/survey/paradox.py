"""Where forces that depend on reactions leave the motion undetermined: no solution, several, or shared reactions.

Painlevé's paradox: friction that is too large for the geometry has no solution, or two, however the body is pressed on.
Then the constraint, the state and the critical coefficient are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.rank import null_space
from dalembert.arrays import Array
from dalembert.blocks.law import law_of
from dalembert.blocks.law_numbers import Balanced, balanced, numbers_of, theta_of
from dalembert.blocks.numeric import Numeric, pilot_parameters
from dalembert.errors import ModelError, Problem, counted, quoted
from dalembert.language.program import Program
from dalembert.language.state_names import as_written, is_integral
from dalembert.model.facts import START, STRUCTURE, fact
from dalembert.model.friction import frictions_of
from dalembert.model.modes import in_modes
from dalembert.model.quantity import multipliers_in
from dalembert.survey.configurations import Configuration, places_of
from dalembert.survey.redundancy import redundancies_of

if TYPE_CHECKING:
    from dalembert.model.system import System

_VARIES = 1e-7  # part of the largest change of ρ
_SHOWN = 8  # values of a state


@fact(STRUCTURE)
def coefficients(system: System) -> tuple[str, ...]:
    """Return the parameters of which ρ is a multiple, as a coefficient of friction is."""
    rho = list(system.blocks.rho.values())
    symbols = sorted(set().union(*(expr.free_symbols for expr in rho)), key=str)
    program, names = Program(symbols, rho), [symbol.name for symbol in symbols]
    random = np.random.default_rng(8)
    values = random.uniform(0.3, 0.9, (len(names), 3))
    plain, found = program.arrays(list(values)), []
    for name in system.parameters:
        if name in names:
            twice = values.copy()
            twice[names.index(name)] *= 2
            if np.allclose(program.arrays(list(twice)), 2 * plain, rtol=1e-12, atol=0):
                found.append(name)
    return tuple(found)


def paradox(numeric: Numeric, t: float, q: Array, v: Array, near: float = 0.0) -> str:
    """Say in words why forces that depend on reactions have not one solution at a state; nothing if they have.

    near: a part of these forces; with so much more there would not be one, and that is to be said too.
    """
    with np.errstate(all="ignore"):
        found = balanced(numeric, t, q, v)
        if found is None or (len(found.solutions) == 1 and not (near and found.critical < 1 + near)):
            return ""
        return _words(numeric, found, at_state(numeric.system, t, q, v))


def _words(numeric: Numeric, found: Balanced, where: str) -> str:
    system = numeric.system
    names = [system.constraints[i].name for i in found.law.rows]
    if all(system.constraints[i].steered for i in found.law.rows):
        given = system.sections["programme"]
        programmes, controls = f"programme{'' if len(given) == 1 else 's'} {quoted(given)}", quoted(system.holding)
        if not np.all(np.isfinite(found.start)) or not np.all(np.isfinite(found.theta)):
            text = f"what {programmes} would take of {controls} has no finite value at {where}"
            return f"{text}: a path, or a force on the way to it, has no such derivative there"
        text = f"{programmes} cannot be held by {controls} at {where}"
        return f"{text}: there the controls do not change what it asks for"
    whose = f"the forces that depend on the reaction{'' if len(names) == 1 else 's'} of {quoted(names)}"
    rubbing = [one.name for one in frictions_of(system).values() if multipliers_in(one.load) & set(names)]
    whose = f"friction {quoted(rubbing)}: {whose}" if rubbing else whose
    if not np.all(np.isfinite(found.start)) or not np.all(np.isfinite(found.theta)):
        return f"{whose} have no finite value at {where}"
    each = [", ".join(f"{x:.4g}" for x in lam) for lam in found.solutions]
    text = f"{whose} have {counted(len(each), 'solution')} at {where} (multipliers {' or '.join(each[:4])})"
    if len(each) < 2:
        text = f"{whose} have no solution at {where}" if not each else f"{whose} grow without bound at {where}"
    if len(each) != 1 and not found.critical <= 1:
        return f"{text}{'' if found.complete else ', or none that steps of Newton come to'}"
    limit, value = f"{1 / found.critical:.6g} times what they may be", 1.0
    if named := coefficients(system.written):
        value = dict(zip(system.parameters, numeric.parameters, strict=True))[named[0]]
        limit = f"{named[0]} = {value:.6g}, and the critical value is {found.critical * value:.6g}"
    return f"{text}: {limit} at this state, below which there is one solution (Painlevé's paradox)"


def at_state(system: System, t: float, q: Array, v: Array) -> str:
    """Write down a state."""
    names = ("t", *system.coordinates, *system.velocities)
    here = [(as_written(name), x) for name, x in zip(names, (t, *q, *v), strict=True) if not is_integral(name)]
    return ", ".join(f"{name} = {x:.6g}" for name, x in here[:_SHOWN])


def paradoxes(numeric: Numeric, start: Configuration, others: Sequence[Configuration]) -> list[tuple[str, str]]:
    """Return what is to be said of the start, as an error, and of other positions, as a warning."""
    if law_of(numeric.system) is None or numeric.system.contacts:  # what is closed is decided with it, on the way
        return []
    if text := paradox(numeric, start.t, start.q, start.v):
        return [("error", text)]
    found = (paradox(numeric, place.t, place.q, place.v) for place in others)
    elsewhere = next(filter(None, found), "")
    return [("warning", f"elsewhere: {elsewhere}")] if elsewhere else []


# --- reactions that are shared ----------------------------------------------------------------------------------------


@fact(START)
def undetermined(system: System) -> list[Problem]:
    """Find reactions that others share and on which forces depend, so that the motion is not determined either."""
    law = law_of(system)
    if law is None or not redundancies_of(system.written):
        return []
    least = {name for name, one in system.sections.get("friction", {}).items() if "share" in one}
    asked = set().union(*(multipliers_in(frictions_of(system)[name].load) for name in least))
    numeric, random = _sliding(system), np.random.default_rng(3)
    guilty: dict[str, None] = {}
    for place in places_of(system):
        A = numeric.all(place.t, place.q, place.v).A
        lengths = np.sqrt(A.multiply(A).sum(axis=1))
        lengths[lengths == 0] = 1.0  # of what slides
        D, Z = null_space(A), null_space(sp.csr_array(A.T / lengths)) / lengths[:, None]  # A D = 0, Aᵀ Z = 0
        theta = theta_of(system).floats([place.t, *place.q, *place.v, *numeric.parameters])
        slopes = numbers_of(law).slopes(theta, random.normal(size=len(law.rows)))
        changes = D[list(law.channels)].T @ slopes @ Z[list(law.rows)]
        size = np.abs(slopes).max(initial=0.0) * np.abs(Z).max(initial=0.0)
        if np.abs(changes).max(initial=0.0) > _VARIES * size:
            shares = np.abs(slopes).max(axis=0) * np.abs(Z[list(law.rows)]).max(axis=1)
            guilty |= {system.constraints[i].name: None for i, x in zip(law.rows, shares, strict=True) if x > _VARIES}
    return [_shared(system, name) for name in guilty if name not in asked]


def _sliding(system: System) -> Numeric:
    """Return the equations of what slides: what sticks holds by itself, whatever its reactions are."""
    modes = [friction.mode_values for friction in frictions_of(system).values() if friction.modes]
    return Numeric(system, pilot_parameters(system) | {key: x for mode in modes for key, x in mode.items()})


def _shared(system: System, name: str) -> Problem:
    groups = [{r.name, *r.others} for r in redundancies_of(system.written)]
    others = sorted(set().union(*(group for group in groups if name in group)) - {name})
    why = f"it shares the load with {quoted(others)}" if others else "its constraint has no gradient where it holds"
    text = f"a force depends on the reaction of `{name}`, which is not determinate, nor is the motion then: {why}"
    remedy = "Take one of them away, or let the force follow what they carry together"
    if any(name in multipliers_in(friction.load) for friction in frictions_of(system).values()):
        remedy = 'Release one of them, or ask for the least shares by share = "least norm" in its friction'
    return system.located(Problem(f"{text}. {remedy}", key=system.entry(name)))


def refuse_undetermined(system: System) -> None:
    """Raise ModelError where forces depend on reactions that are not determinate."""
    if system.followed and (problems := undetermined(in_modes(system))):
        raise ModelError(problems)
