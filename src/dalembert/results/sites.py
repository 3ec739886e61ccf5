"""Where the parts of a mechanism act: joints and drives, and what pushes with a known force."""

from __future__ import annotations

from collections.abc import Sequence

import symengine as se

from dalembert.errors import ModelError, nearest
from dalembert.language.building import Expr
from dalembert.language.calculus import Calculus
from dalembert.model.mechanism.element_terms import Terms
from dalembert.model.mechanism.elements import Element, Site
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.mechanism import Mechanism


def elements(mechanism: Mechanism) -> dict[str, Element]:
    """Return all that pushes with a known force."""
    found: dict[str, Element] = {}
    for section in reversed(list(mechanism.elements.values())):  # of equal names the first counts
        found |= section
    return found


def site(mechanism: Mechanism, name: str) -> Joint | Site:
    """Return where a joint, drive, condition or element acts."""
    joints, drives, others = mechanism.joints, mechanism.drives, elements(mechanism)
    if name in joints:
        return joints[name]
    if name in drives:
        return joints[drives[name].joint]
    if name in others:
        return others[name].site(mechanism)
    section, part = mechanism.owners.get(name, ("constraints", name))
    if section in ("bodies", "constraints"):
        known = [*joints, *drives, *others]
        raise ModelError(f"`{name}` is no part of a joint; {nearest(name, known, 'joints, drives and elements')}")
    return site(mechanism, part)


def forces(mechanism: Mechanism, names: Sequence[str]) -> dict[str, dict[str, Expr]]:
    """Return the generalized forces of elements, by coordinate: those by power, and those from a potential."""
    symbols = {se.Symbol(name): name for name in mechanism.coordinates}
    known, found = elements(mechanism), {}
    for name in names:
        parts, calculus = Terms(mechanism.coordinates), Calculus(symbols)
        known[name].add(parts)
        terms = {coordinate: list(force) for coordinate, force in parts.forces.items()}
        potential = calculus.lift(se.Add(*parts.potential))
        for q in calculus.depends(potential):
            terms.setdefault(symbols[q], []).append(-calculus.lower(calculus.diff(potential, q)))
        meant = mechanism.observed.resolved  # an element may follow reactions, and laws of controls
        found[name] = {coordinate: meant(se.Add(*force)) for coordinate, force in terms.items()}
    return found
