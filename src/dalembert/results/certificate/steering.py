"""Whether programmes are held by the controls alone: what else makes up for rounding must be no more than that.

And by controls that are finite: where the controls lose their grip for an instant, a motion along the path goes on, as
the path says how, but what would hold it there grows beyond all bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.law import law_of
from dalembert.blocks.law_numbers import Balanced, balanced, numbers_of, theta_of
from dalembert.errors import quoted
from dalembert.motion.joined import plain_states
from dalembert.results.certificate.equations import Place, numeric_at
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import points
from dalembert.survey.servo import steering_of

if TYPE_CHECKING:
    from dalembert.results.run import Run

_PLACES = 60  # steps at most that are looked at for a loss of grip
_HALVED = 40  # times that an interval with one is halved
_UNBOUNDED = 1e4  # times the usual controls: what grows beyond any bound
GRIP = "instants at which controls would have to be infinite to hold programmes"
TEXT = "forces that hold what is hidden in programmes, beside the controls, in the largest force"


def grip(run: Run, notes: list[str]) -> list[Item]:
    """Count the instants at which the controls change nothing of what programmes ask for, and grow towards them."""
    steering, law = steering_of(run.system), law_of(run.system)
    if steering is None or law is None or not steering.held or len(law.branches) != 1:
        return []
    if not all(run.system.constraints[i].steered for i in law.rows):
        return []
    t, q, v, values = points(run)
    values = np.broadcast_to(values, (len(q), values.shape[-1]))

    def at(k: int) -> Balanced | None:
        return balanced(numeric_at(run, values[k]), float(t[k]), q[k], v[k])

    chosen = np.unique(np.linspace(0, len(q) - 1, _PLACES).astype(int))
    found = [at(int(k)) for k in chosen]
    sizes = [_size(one) for one in found]
    usual = np.median(sizes) or np.mean(sizes)
    lost: list[float] = []
    for first, last, here, there in zip(chosen, chosen[1:], found, found[1:], strict=False):
        if here is None or there is None or not here.determinants[0] * there.determinants[0] < 0:
            continue
        while last - first > 1:
            middle = int(first + last) // 2
            between = at(middle)
            if between is not None and here.determinants[0] * between.determinants[0] < 0:
                last = middle
            else:
                first = middle
        low, high, largest = 0.0, 1.0, 0.0
        for _ in range(_HALVED):
            theta = (low + high) / 2
            time = float(t[first] + theta * (t[first + 1] - t[first]))
            state = run.motion.between(np.array([first]), np.array([theta]))
            (state,) = plain_states(run.motion, np.array([time]), state)
            n = len(state) // 2
            inside = balanced(numeric_at(run, values[first + 1]), time, state[:n], state[n:])
            if inside is None or not len(inside.solutions):
                break
            largest = max(largest, _size(inside))
            low, high = (theta, high) if here.determinants[0] * inside.determinants[0] > 0 else (low, theta)
        if largest > _UNBOUNDED * usual:
            lost.append(float(t[first] + low * (t[first + 1] - t[first])))
    if lost:
        names, many = quoted(run.system.sections["programme"]), len(steering.controls) > 1
        text = f"{quoted(steering.controls)} {'do' if many else 'does'} not change what {names} asks for at"
        notes.append(f"{text} t = {lost[0]:.6g}: towards that time {'they grow' if many else 'it grows'} without bound")
    return [Item("grip", float(len(lost)), 0.0, GRIP)]


def _size(found: Balanced | None) -> float:
    return float(np.abs(found.solutions).max(initial=0.0)) if found is not None else 0.0


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
