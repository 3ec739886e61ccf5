"""Contacts: what may touch and part but not pass through: a gap g(q, t) ≥ 0, a reaction that only presses, impacts.

A motion has a *mode* for each, the parameter `closed`, which is 1 while it is closed, else 0: then closed·g = 0 is a
condition on positions with a multiplier of its own, the reaction. Which are closed, and what velocities jump to where
one closes with a speed, is decided in `motion/touching.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr, choose
from dalembert.language.calculus import ZERO
from dalembert.language.time_derivatives import rate
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.friction import LOAD, Friction
from dalembert.model.quantity import FORCE, LENGTH, SPEED, Quantity, multiplier

if TYPE_CHECKING:
    from dalembert.model.mechanism.body import Body
    from dalembert.model.stated import Stated

NEWTON, POISSON = "newton", "poisson"
IMPACT_LAWS = (NEWTON, POISSON)


@dataclass(frozen=True)
class Contact:
    """A contact, with nothing left to be looked up.

    gap: g, not below zero. restitution: e of the law, of parameters. law: "newton", −e times the speed comes back, or
    "poisson", e times the impulse of the compression. moving: the coordinates. slip: the sliding velocity, with the
    coefficient of friction, and the part of it that an impact turns round. length: what is told as the gap, where this
    is another measure of it, as (l² − d²)/2l of a string, which has a slope everywhere.
    """

    name: str
    gap: Expr
    restitution: Expr
    law: str
    moving: tuple[str, ...]
    slip: Expr | None = None
    coefficient: Expr = ZERO
    tangential: Expr = ZERO
    length: Expr | None = None

    @property
    def rubbing(self) -> Friction | None:
        """Its friction while it is closed; None of one without."""
        if self.slip is None or self.coefficient == 0:
            return None
        limit = self.coefficient * LOAD
        return Friction(
            self.name, (self.slip,), self.normal, limit, limit, ZERO, None, self.moving, modes=True, loaded=self.closed
        )

    @property
    def closed(self) -> Expr:
        """1 while it is closed, else 0."""
        return se.Symbol(f"closed {self.name}")

    @property
    def row(self) -> str:
        """The name of the condition that holds while it is closed."""
        return f"{self.name}.normal"

    @property
    def normal(self) -> Expr:
        """The reaction: the force that presses, along the gap."""
        return pressing(self.name)

    @property
    def condition(self) -> Expr:
        """What is zero where it is closed, and always while it is open; term by term, as rounding goes with these."""
        return se.Add(*[self.closed * term for term in self.terms])

    @property
    def terms(self) -> tuple[Expr, ...]:
        """The terms of the gap, also of one that is a multiple of a sum."""
        sums = [factor for factor in self.gap.args if factor.is_Add] if self.gap.is_Mul else []
        if len(sums) == 1:
            return tuple(self.gap / sums[0] * term for term in sums[0].args)
        return tuple(self.gap.args) if self.gap.is_Add else (self.gap,)

    @property
    def margin(self) -> Expr:
        """What passes zero downwards where the mode ends: the reaction while it is closed, else the gap."""
        return choose(ZERO, self.closed, True, multiplier(self.row), self.gap)

    @property
    def told(self) -> Expr:
        """The gap as it is told."""
        return self.gap if self.length is None else self.length

    @property
    def speed(self) -> Expr:
        """The rate of the gap."""
        return rate(self.gap, set(self.moving))

    @property
    def mode_values(self) -> dict[str, float]:
        """The mode as a parameter, open."""
        return {self.closed.name: 0.0}

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """Its reaction, its gap, the rate of that, and whether it is closed."""
        return {
            "normal": Quantity(lambda: self.normal, FORCE),
            "gap": Quantity(lambda: self.told, LENGTH),
            "speed": Quantity(lambda: rate(self.told, set(self.moving)), SPEED),
            "status": Quantity(lambda: self.closed),
        } | self._of_friction

    @property
    def _of_friction(self) -> dict[str, Quantity]:
        rubs = self.rubbing
        if rubs is None:
            return {}
        return {
            "tangent": Quantity(lambda: self.closed * rubs.tangents[0], FORCE),
            "slip": Quantity(lambda: rubs.slips[0], SPEED),
            "sticks": Quantity(lambda: self.closed * (1 - rubs.slide)),
        }


def pressing(name: str) -> Expr:
    """Return the reaction of a contact."""
    return se.Symbol(f"closed {name}") * multiplier(f"{name}.normal")


@fact(STRUCTURE)
def contacts_of(system: Stated) -> Mapping[str, Contact]:
    """Return the contacts of a system by name."""
    from dalembert.model.mechanism.edges import edges_of

    kept = getattr(system, "sections", {}).get("contacts", {})  # parts that are repeated have none
    law = next((one["law"] for one in kept.values() if "law" in one), NEWTON)  # all have the same
    edges = {
        name: {"law": law, **entries} for name, entries in edges_of(getattr(system, "joints", {}).values()).items()
    }
    bodies = getattr(system, "bodies", {})
    return {
        name: meant_contact(name, entries, system.coordinates, bodies) for name, entries in {**kept, **edges}.items()
    }


def meant_contact(
    name: str, entries: Mapping[str, Any], coordinates: Sequence[str], bodies: Mapping[str, Body]
) -> Contact:
    """Return a contact as its entries say it."""
    gap, slip = entries.get("gap"), entries.get("slip")
    if gap is None:
        from dalembert.model.mechanism.touch import touch_of

        touch = touch_of(entries, bodies)
        gap, slip = touch.gap, touch.slip if "friction" in entries else None
    restitution, tangential = entries.get("restitution", ZERO), entries.get("tangential", ZERO)
    law, coefficient = str(entries.get("law", NEWTON)), entries.get("friction", ZERO)
    moving = tuple(coordinates)
    return Contact(name, gap, restitution, law, moving, slip, coefficient, tangential, entries.get("length"))


def plain_contacts(system: Stated, change: Callable[[Expr], Expr]) -> dict[str, dict[str, Any]]:
    """Return the tables of contacts with their expressions changed, and without bodies: for other coordinates."""
    found = {}
    for name, contact in contacts_of(system).items():
        found[name] = {"gap": change(contact.gap), "restitution": change(contact.restitution), "law": contact.law}
        if contact.slip is not None and contact.coefficient != 0:
            found[name] |= {"slip": change(contact.slip), "friction": change(contact.coefficient)}
            found[name] |= {"tangential": change(contact.tangential)} if contact.tangential != 0 else {}
    return found
