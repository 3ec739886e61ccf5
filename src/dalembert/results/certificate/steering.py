"""Whether programmes are held by the controls alone: what else makes up for rounding must be no more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.law import law_of
from dalembert.blocks.law_numbers import numbers_of, theta_of
from dalembert.results.certificate.equations import Place
from dalembert.results.certificate.items import Item
from dalembert.survey.servo import steering_of

if TYPE_CHECKING:
    from dalembert.results.run import Run

TEXT = "forces that hold what is hidden in programmes, beside the controls, in the largest force"


def alone(run: Run, at: list[Place]) -> list[Item]:
    """Measure the forces N μ of hidden conditions, see `survey/servo.py`: where the programmes hold they vanish."""
    steering, law = steering_of(run.system), law_of(run.system)
    if steering is None or law is None or not steering.hidden:
        return []
    names = [run.system.constraints[i].name for i in law.rows]
    hidden = [k for k, name in enumerate(names) if name in steering.hidden]
    numeric = run.motion.ready.numeric
    theta = theta_of(run.system)
    largest = pushed = 0.0
    for place in at:
        parts = theta.floats([place.t, *place.q, *place.v, *numeric.parameters])
        rows = [law.rows[k] for k in hidden]
        lam, M = place.shared[2], place.values.M
        pushes: Array = np.array([np.asarray(place.matrices[1][[i]]).ravel() for i in rows]).T
        pushes[list(law.channels)] += numbers_of(law).slopes(parts, lam[list(law.rows)])[:, hidden]
        inertia = M.diagonal()
        units = 1.0 / np.sqrt(np.where(inertia > 0, inertia, inertia.max(initial=0.0) or 1.0))
        for force in (place.values.f, place.reaction, M @ place.acceleration):
            largest = max(largest, float(np.abs(force * units).max(initial=0.0)))
        pushed = max(pushed, float(np.abs((pushes * lam[rows]).sum(axis=1) * units).max(initial=0.0)))
    value = pushed / largest if largest > 0 else np.inf if pushed > 0 else 0.0
    return [Item("controls", value, 1e-6, TEXT)]
