"""What holds at contacts, beside the equations, which are those while all of them are open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import symengine as se

from dalembert.document.nodes import Block, Equation, Paragraph
from dalembert.language.printing import to_text
from dalembert.model.contact import POISSON, contacts_of

if TYPE_CHECKING:
    from dalembert.language.building import Expr
    from dalembert.model.contact import Contact
    from dalembert.model.system import System

OPEN = "The equations are those while all contacts are open, g > 0."
CLOSED = (
    "While one is closed, g = 0 and g' = 0, it adds N ∂g/∂q to the forces, with N ≥ 0, g'' ≥ 0 and N g'' = 0: "
    "it opens where N falls to zero."
)
_BLOW = (
    "Where g comes to zero with g' < 0, velocities jump by Δv, with impulses Λ ≥ 0 of all contacts that are closed "
    "then and μ of constraints: M Δv = Aᵀμ + Σ Λ ∂g/∂q, A Δv = 0."
)
NEWTONS = f"{_BLOW} Afterwards g' is at least −e times what it was, and just that where Λ > 0 (Newton's law)."
POISSONS = (
    f"{_BLOW} First Λ is just so large that no g' is below zero; then it grows, at each contact by e times that or "
    "more, until none is (Poisson's law)."
)


RUBS = (
    "Friction adds T ∂s/∂v: T = −μ N sign s where it slides; where it sticks s = 0, as long as |T| ≤ μ N does. "
    "Impulses obey the same law, with s + e s for s: that after the impact, and e of sliding times that before."
)


def contact_rows(system: System) -> list[Equation]:
    """Return gaps and their rates, with the restitution."""
    rows = []
    for name, contact in contacts_of(system).items():
        said = f"e = {to_text(contact.restitution)}"
        rows += [Equation(f"g_{name}", contact.gap, name, said), Equation(f"g_{name}'", contact.speed)]
        if contact.rubbing and contact.slip is not None:
            said = f"μ = {to_text(contact.coefficient)}"
            said += f", e of sliding = {to_text(contact.tangential)}" if contact.tangential != 0 else ""
            rows.append(Equation(f"s_{name}", contact.slip, name, said))
    return rows


def contact_words(system: System) -> list[Block]:
    """Say what holds at contacts that are open, closed, and meet."""
    return [Paragraph(text) for text in _conditions(system)]


def contacts_as_dict(system: System) -> dict[str, dict[str, object]]:
    """Return the same as plain data."""
    return {
        name: {
            "gap": to_text(contact.gap),
            "rate": to_text(contact.speed),
            "direction": {q: to_text(slope) for q, slope in _slopes(contact).items()},
            "restitution": to_text(contact.restitution),
            "law": contact.law,
            **({"slip": to_text(contact.slip), "friction": to_text(contact.coefficient)} if contact.slip else {}),
            "conditions": _conditions(system),
        }
        for name, contact in contacts_of(system).items()
    }


def _conditions(system: System) -> list[str]:
    law = next(iter(contacts_of(system).values())).law
    rubs = [RUBS] if any(one.rubbing for one in contacts_of(system).values()) else []
    return [OPEN, CLOSED, POISSONS if law == POISSON else NEWTONS, *rubs]


def _slopes(contact: Contact) -> dict[str, Expr]:
    found = {name: contact.gap.diff(se.Symbol(name)) for name in contact.moving}
    return {name: slope for name, slope in found.items() if slope != 0}
