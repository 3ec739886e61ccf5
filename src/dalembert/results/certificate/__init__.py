"""How well a computed motion satisfies what every motion of the system must satisfy, in numbers and in words.

A pass means: the motion is a solution of the model as it is written, with the error that is stated. What could not be
judged is no pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.language.state_names import as_written, is_integral
from dalembert.motion.joined import plain_states
from dalembert.results.certificate import (
    closing,
    dry_friction,
    energy,
    equations,
    first_integrals,
    jumps,
    oscillations,
    passages,
    solution_count,
    steering,
    step_integrals,
    switching,
)
from dalembert.results.certificate.accuracy import Start, accuracy
from dalembert.results.certificate.items import FAILURES, Certificate, Item

if TYPE_CHECKING:
    from dalembert.results.run import Run


SECOND_END = "end of the second motion"  # among what is remembered of a motion: t, and (q, v)


def certify(run: Run, second: Start | None = None) -> Certificate:
    """Measure residuals, the equations, the steps, the energy balance, the error; what cannot be is not judged.

    second: where a second motion begins that has followed an earlier part of the motion as well.
    """
    notes: list[str] = []
    start, end = float(run.motion.times[0]), float(run.motion.times[-1])
    items: list[Item] = []

    def measure(name: str, text: str, found: Callable[[], list[Item]]) -> None:
        try:
            items.extend(found())
        except FAILURES as error:
            items.append(Item(name, None, 0.0, text))
            notes.append(f"not judged: {text}: {error}")

    with np.errstate(all="ignore"):
        try:
            notes += [f"not determined: {note}" for note in run.undetermined]
            at = equations.places(run)
            sizes = equations.scales(run, at)
        except FAILURES as error:
            item = Item("equations", None, 0.0, equations.TEXT)
            return Certificate((item,), start, end, {}, (*notes, f"not judged: {error}"))
        measure("constraints", "constraints", lambda: equations.residuals(run, sizes, at))
        measure("equations", equations.TEXT, lambda: equations.forces(run, at, sizes))
        measure("controls", steering.TEXT, lambda: steering.alone(run, at))
        measure("grip", steering.GRIP, lambda: steering.grip(run, notes))
        measure("solutions", solution_count.TEXT, lambda: solution_count.solutions(run, notes))
        measure("friction", dry_friction.CONE, lambda: dry_friction.rubbing(run, notes))
        measure("contacts", closing.INSIDE, lambda: closing.closing(run, sizes))
        measure("energies", energy.WRITTEN, lambda: energy.written(run, at, sizes))
        measure("stabilised", "the bound of stabilisation", lambda: _stabilised(run))
        measure("steps", step_integrals.TEXT, lambda: step_integrals.steps(run, sizes))
        measure("oscillations", oscillations.TEXT, lambda: oscillations.oscillations(run, sizes))
        measure("energy", energy.TEXT, lambda: energy.balance(run, sizes))
        measure("integrals", first_integrals.TEXT, lambda: first_integrals.constants(run, sizes))
        measure("jumps", jumps.TEXT, lambda: jumps.jumps(run, sizes))
        measure("switches", switching.TEXT, lambda: switching.switching(run, sizes, notes))
        compared = accuracy(run, sizes, second)
        items.append(compared.item)
        if compared.other is not None:
            last = compared.other.times[-1:]
            run.motion.memory[SECOND_END] = last[0], plain_states(compared.other, last, compared.other.states[-1:])[0]
        measure("events", passages.TEXT, lambda: passages.passages(run, compared.other))
    if run.status == "failed":
        items.append(Item("end", 1.0, 0.0, "the motion ends early: it could not be continued"))
    elif run.status == "done" and end < run.until:
        items.append(Item("end", 1.0, 0.0, "the motion ends early, and nothing says why"))
    trusted = compared.errors[compared.times <= compared.until].max(axis=0, initial=0.0)
    if compared.note:
        notes.append(compared.note)
    notes += run.cautions
    passed_over = [item.value for item in items if item.name == "switches" and item.value is not None]
    trusted = trusted + sum(passed_over) * sizes.compared  # neither of the two motions has seen it
    names = [as_written(name + "'") if is_integral(name) else name for name in run.system.coordinates]
    errors = dict(zip(names, map(float, trusted), strict=True))
    return Certificate(tuple(items), compared.until, end, errors, tuple(notes))


def _stabilised(run: Run) -> list[Item]:
    """Hold the constraints against the bound that stabilisation promises.

    Gains that are given and do not let errors shrink fail. Those that are chosen always do in the end; in a motion of a
    few steps that grow the bound says nothing yet, and the residuals themselves are judged elsewhere.
    """
    items = []
    for bound in run.bounds:
        said = " as stated before" if bound.stated < float("inf") else ""
        text = f"stabilised {bound.level}, within σ{said} (δ = {bound.delta:.2g} {bound.over})"
        chosen = run.motion.stabilisation is not None and run.motion.stabilisation.frozen
        limit = bound.limit if bound.delta < 1 else None if chosen else 0.0
        items.append(Item(f"stabilised {bound.level}", bound.largest, limit, text))
    return items
