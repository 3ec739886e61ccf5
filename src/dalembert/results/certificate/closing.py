"""Contacts along a motion: no gap below zero, no reaction that pulls, no impact that gives energy or breaks its laws.

Gaps and reactions are looked at inside the steps too. Impacts are judged by the velocities before and after them: the
impulses that are told of make up what M (v⁺ − v⁻) is, and the energy that is lost is that of the motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.algebra.either import dense
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.language.building import absolute
from dalembert.model.contact import NEWTON
from dalembert.model.modes import all_holding
from dalembert.motion.impact import IMPACT, free_accelerations, holding_forces
from dalembert.results.certificate.everywhere import everywhere
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.motion.impact import Impact
    from dalembert.results.run import Run

INSIDE = "gaps below zero, in the largest gap or size of what moves"
PULLS = "reactions of contacts that pull, in the largest that presses, or that would hold what is free"
BLOWS = "impacts against the equations of a blow"
GIVEN = "energy that impacts give, in the largest energy"
_INSIDE, _PULLS, _BLOWS, _GIVEN = 1e-7, 1e-6, 1e-6, 1e-9
_RESTING = 1e-3  # of what gaps are made of: the least by which they are measured
_MOST = 2000  # impacts that are looked at, evenly spread


def closing(run: Run, sizes: Scales) -> list[Item]:
    """Measure gaps, reactions and impacts of contacts."""
    contacts = list(run.system.contacts.values())
    if not contacts:
        return []
    wanted = [(one.gap, one.normal, se.Add(*map(absolute, one.terms))) for one in contacts]
    _, values = everywhere(run, [expr for some in wanted for expr in some])
    gaps, forces, terms = np.moveaxis(values.reshape(-1, len(contacts), 3), -1, 0)
    moved = float(sizes.positions[~sizes.is_state].max(initial=0.0))
    largest = np.maximum(np.abs(gaps).max(axis=0, initial=0.0), moved) + np.finfo(float).tiny
    largest = np.maximum(largest, _RESTING * terms.max(axis=0, initial=0.0))  # where all lies as it began
    inside = float(np.nan_to_num(-gaps / largest, nan=np.inf).max(initial=0.0))
    pressed = max(float(np.abs(forces).max(initial=0.0)), _usual(run))
    pulls = float(np.nan_to_num(-forces, nan=np.inf).max(initial=0.0) / pressed) if pressed > 0 else 0.0
    return [Item("penetration", inside, _INSIDE, INSIDE), Item("reactions", pulls, _PULLS, PULLS), *_blows(run)]


def _usual(run: Run) -> float:
    """Return a force as contacts would have it if they held what moves freely: beside it rounding presses and pulls."""
    t, q, v, values = points(run)
    known = dict(zip(run.system.parameters, np.atleast_2d(values)[0], strict=True)) | all_holding(run.system)
    state = Numeric(run.system, known).all(float(t[0]), q[0], v[0])
    names, masses = [constraint.name for constraint in run.system.constraints], dense(state.M).diagonal()
    rows = [names.index(contact.row) for contact in run.system.contacts.values()]
    A = np.abs(dense(state.A)[rows])
    return float(holding_forces(A, masses, A @ free_accelerations(state)).max())


def lost_at(run: Run) -> dict[float, float]:
    """Return the energy that impacts take, by the times of these."""
    found: dict[float, float] = {}
    for impact in run.impacts:
        found[impact.t] = found.get(impact.t, 0.0) + impact.lost
    return found


def _blows(run: Run) -> list[Item]:
    """Measure impacts: momentum and energy before and after, and whether any gives energy."""
    if not run.impacts:
        return []
    groups: dict[float, list[Impact]] = {}
    for impact in run.impacts:
        groups.setdefault(impact.t, []).append(impact)
    times = np.array(list(groups))
    blown = {found.t for found in run.events if found.kind == "event"}  # where something else changes velocities too
    some = np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST)).astype(int))
    wrong, size, at = 0.0, 0.0, points(run)
    for when in times[some]:
        if when not in blown:
            off, own = _off(run, at, float(when), groups[float(when)])
            wrong, size = max(wrong, off), max(size, own)
    back = _came_back(run)
    energy = max(run.drift.scale if run.drift is not None else 0.0, max(abs(one.lost) for one in run.impacts))
    given = max((one.given for one in run.impacts if one.kind == IMPACT), default=0.0) / (energy or 1.0)
    off = max(wrong / size if size > 0 else 0.0, back)
    return [Item("impacts", off, _BLOWS, BLOWS), Item("impact energy", given, _GIVEN, GIVEN)]


def _off(run: Run, at: tuple[Array, ...], when: float, found: list[Impact]) -> tuple[float, float]:
    """Return by how much momenta after an impact are not those that its impulses make, and of what size they are.

    Each in the masses, so that they can be compared from coordinate to coordinate.
    """
    t, q, v, values = at
    k = int(np.searchsorted(t, when, side="right")) - 1
    names, rows = [constraint.name for constraint in run.system.constraints], np.atleast_2d(values)
    given = dict(zip(run.system.parameters, rows[min(k, len(rows) - 1)], strict=True))
    given |= all_holding(run.system)
    state = Numeric(run.system, given).all(when, q[k], v[k])
    M, A, impulses = dense(state.M), dense(state.A), np.zeros(len(names))
    for impact in found:
        for name, impulse in impact.normal.items():
            impulses[names.index(run.system.contacts[name].row)] += impulse
        for name, impulse in impact.tangent.items():
            impulses[names.index(f"{name}.stick")] += impulse
        for name in impact.constraints.keys() & set(names):  # others are those of joints that carry bodies
            impulses[names.index(name)] += impact.constraints[name]
    roots = np.sqrt(np.abs(M.diagonal()))
    roots = 1.0 / np.where(roots > 0, roots, 1.0)
    change, made = M @ (v[k + 1] - v[k]), A.T @ impulses
    size = np.abs(M) @ (np.abs(v[k + 1]) + np.abs(v[k])) + np.abs(A.T) @ np.abs(impulses)
    return float((roots * np.abs(change - made)).max()), float((roots * size).max())


def _came_back(run: Run) -> float:
    """Return by how much impacts by Newton's law miss their restitution, in the largest speed of one.

    What comes back no higher than rounding of the gap stays, whatever its restitution is.
    """
    worst, fastest = 0.0, 0.0
    for impact in run.impacts:
        values = run.motion.parameters_at(np.array([impact.t]))
        known = dict(zip(run.system.parameters, np.atleast_2d(values)[0], strict=True))
        for name, speed in impact.before.items():
            one = run.system.contacts[name]
            fastest = max(fastest, abs(speed))
            if impact.kind == IMPACT and one.law == NEWTON and impact.normal[name] > 0:
                e = float(one.restitution.xreplace({s: known[s.name] for s in one.restitution.free_symbols}))
                worst = max(worst, abs(impact.after[name] + e * speed))
    return worst / fastest if fastest > 0 else 0.0
