"""How well a computed motion satisfies what every motion of the system must satisfy, in numbers and in words.

A pass means: the motion is a solution of the model as it is written, with the error that is stated. What could not be
judged is no pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.results.certificate import energy, equations
from dalembert.results.certificate.accuracy import accuracy
from dalembert.results.certificate.inside import inside
from dalembert.results.certificate.items import Certificate, Item

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run


def certify(run: Run) -> Certificate:
    """Measure residuals, the equations, ideality and agreement of the reactions, the energy balance, the error."""
    at = equations.places(run)
    sizes = equations.scales(run, at)
    items = equations.residuals(run, sizes) + equations.forces(run, at, sizes) + _stabilised(run)
    items += energy.balance(run)
    looked, seen = inside(run, sizes)
    items += looked
    compared = accuracy(run, sizes)
    items.append(compared.item)
    if run.status == "failed":
        items.append(Item("end", 1.0, 0.0, "the motion ends early: it could not be continued"))
    trusted = compared.errors[compared.times <= compared.until].max(axis=0, initial=0.0)
    notes = [f"not determined: {note}" for note in run.undetermined] + seen
    if compared.note:
        notes.append(compared.note)
    return Certificate(
        tuple(items),
        compared.until,
        float(run.motion.times[-1]),
        dict(zip(run.system.coordinates, map(float, trusted), strict=True)),
        tuple(notes),
    )


def _stabilised(run: Run) -> list[Item]:
    """Hold the constraints against the bound that stabilisation promises."""
    items = []
    for bound in run.bounds:
        over = f"over {bound.steps} steps" if bound.steps > 1 else "over one step"
        text = f"stabilised {bound.level}, within σ (δ = {bound.delta:.2g} {over})"
        items.append(Item(f"stabilised {bound.level}", bound.largest, bound.sigma if bound.delta < 1 else 0.0, text))
    return items
