"""Where the parts of a mechanism act: joints and drives, and springs, dampers, actuators and loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import symengine as se

from dalembert.errors import ModelError, nearest
from dalembert.language.building import Expr
from dalembert.language.calculus import Calculus
from dalembert.model.mechanism.elements.load import Load
from dalembert.model.mechanism.elements.spring import Actuator, Spring
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.parts import Parts
from dalembert.model.mechanism.placement import Placement
from dalembert.model.mechanism.vectors import Vector

Element = Spring | Actuator | Load


@dataclass(frozen=True)
class Site:
    """Where an element acts on its two bodies; of a load both are the same."""

    bodies: tuple[str, str]
    markers: tuple[Marker, Marker]

    def point(self, body: str) -> Vector:
        """Return where it acts on a body."""
        return self.markers[self.bodies.index(body)].place


def elements(mechanism: Mechanism) -> dict[str, Element]:
    """Return all that pushes with a known force."""
    return {**mechanism.loads, **mechanism.actuators, **mechanism.dampers, **mechanism.springs}


def site(mechanism: Mechanism, name: str) -> Joint | Site:
    """Return where a joint, drive, condition or element acts."""
    joints, drives, others = mechanism.joints, mechanism.drives, elements(mechanism)
    if name in joints:
        return joints[name]
    if name in drives:
        return joints[drives[name].joint]
    if name in others:
        return _element_site(mechanism, others[name])
    section, part = mechanism.owners.get(name, ("constraints", name))
    if section in ("bodies", "constraints"):
        known = [*joints, *drives, *others]
        raise ModelError(f"`{name}` is no part of a joint; {nearest(name, known, 'joints, drives and elements')}")
    return site(mechanism, part)


def _element_site(mechanism: Mechanism, element: Element) -> Joint | Site:
    if isinstance(element, Load):
        return Site((element.body, element.body), (element.marker, element.marker))
    if "joint" in element.table:
        return mechanism.joints[element.table["joint"]]
    first, second = element.table["bodies"]
    a, b = element.action.markers or [_centre(mechanism, name) for name in (first, second)]
    return Site((first, second), (a, b))


def _centre(mechanism: Mechanism, name: str) -> Marker:
    body = mechanism.bodies[name]
    origin = Placement.origin(len(body.centre))
    return Marker(body.view, Placement(body.centre, origin.R, origin.turn))


def forces(mechanism: Mechanism, names: Sequence[str]) -> dict[str, dict[str, Expr]]:
    """Return the generalized forces of elements, by coordinate: those by power, and those from a potential."""
    symbols = {se.Symbol(name): name for name in mechanism.coordinates}
    known, found = elements(mechanism), {}
    for name in names:
        parts, calculus = Parts(mechanism.coordinates), Calculus(symbols)
        known[name].add(parts)
        terms = {coordinate: list(force) for coordinate, force in parts.forces.items()}
        potential = calculus.lift(se.Add(*parts.potential))
        for q in calculus.depends(potential):
            terms.setdefault(symbols[q], []).append(-calculus.lower(calculus.diff(potential, q)))
        found[name] = {coordinate: se.Add(*force) for coordinate, force in terms.items()}
    return found
