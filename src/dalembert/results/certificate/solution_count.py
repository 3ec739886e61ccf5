"""Whether forces that depend on reactions have one solution: of several, a motion follows one and does not show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.results.certificate.equations import numeric_at
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import points
from dalembert.survey.paradox import paradox

if TYPE_CHECKING:
    from dalembert.results.run import Run

TEXT = "states, of those looked at, where forces that depend on reactions have not one solution"
_PLACES = 40


def solutions(run: Run, notes: list[str]) -> list[Item]:
    """Count the states along a motion where there is not one solution; say what the first of them is."""
    if not run.system.followed:
        return []
    times, q, v, values = points(run)
    values = np.broadcast_to(values, (len(q), values.shape[-1]))
    chosen = np.unique(np.linspace(0, len(q) - 1, _PLACES).astype(int))
    found = [paradox(numeric_at(run, values[i]), float(times[i]), q[i], v[i]) for i in chosen]
    notes += [text for text in found if text][:1]
    return [Item("solutions", float(sum(map(bool, found))), 0.0, TEXT)]
