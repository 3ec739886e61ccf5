"""Whether all passages of what was watched for were found: against a closer look, and against the second motion.

And whether those that are told of are there: the motion at that time, and an expression that is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.motion.events import EVENT, multiplier_names, read_events
from dalembert.results.certificate.inside import changes, dense, inside
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import points

if TYPE_CHECKING:
    from dalembert.language.building import Expr
    from dalembert.motion.events import Event
    from dalembert.motion.loop import Motion
    from dalembert.results.run import Run

TEXT = "passages of what was watched for that were not found"
TOLD = "passages that are told of, in the range of a coordinate or of what was watched for"
LIMIT = 1e-3
_ZERO = 1e-9  # part of its largest value below which an expression has no sign
_TENFOLD, _ROUNDING = 10.0, 1e-12  # the same in tolerances, and at least
_STEPS = 20_000  # beyond which only places inside the steps are looked at
_BESIDE = 1e-9  # of the duration, around a passage: what has another sign on either side passes zero between them
_TOGETHER = 1e-6  # of the duration: passages at the very end may be found in one motion only


def watched(motion: Motion) -> tuple[Event, ...]:
    """Return the events that were watched for."""
    return read_events(motion.system, motion.settings.events).events


def passages(run: Run, other: Motion | None) -> list[Item]:
    """Count passages that were missed inside steps, or that a more accurate motion has and this one has not."""
    read = read_events(run.system, run.motion.settings.events)
    events, expressions = read.events, read.expressions
    if not events:
        return []
    told = [found for found in run.events if found.kind == EVENT]
    seen = [sum(found.name == event.title for found in told) for event in events]
    missed = 0
    if dense(run) and len(run.motion.times) > 1:
        group = run.motion.kernels.expressions(expressions, multiplier_names(run.system))
        instants = {t for t, _ in run.motion.changes}  # at which the motion is cut, so that nothing passes there
        for e, event in enumerate(events):
            others = sum(found.name == event.title and found.t not in instants for found in told)
            missed = max(missed, _passed(run, group, e, event.sign, expressions[e]) - others)
    if other is not None:
        last = float(other.times[-1]) - _TOGETHER * float(other.times[-1] - other.times[0])
        for e, event in enumerate(events):
            again = sum(
                found.name == event.title and found.kind == EVENT and found.t < last for found in other.occurrences
            )
            missed = max(missed, again - seen[e])
    return [Item("events", float(missed), 0.0, TEXT), *_told(run, events, expressions)]


def _told(run: Run, events: Sequence[Event], expressions: Sequence[Expr]) -> list[Item]:
    """Put every passage that is told of against the motion, and its expression against zero."""
    motion, told = run.motion, [found for found in run.events if found.kind == EVENT]
    if not told:
        return []
    t = np.array([found.t for found in told], dtype=float)
    if not (t.min() >= motion.times[0] and t.max() <= motion.times[-1]):
        return [Item("passages", np.inf, LIMIT, TOLD)]
    _, q, v, values = points(run)
    known, state = np.hstack(run.at(t)), np.array([[*found.q, *found.v] for found in told], dtype=float)
    size = np.concatenate([np.ptp(q, axis=0), np.abs(v).max(axis=0)])
    off = np.abs(known - state) / np.where(size > 0, size, 1.0)
    kernels, n = motion.kernels, motion.kernels.n
    group = kernels.expressions(expressions, multiplier_names(run.system))

    def values_at(times: Array, q: Array, v: Array) -> Array:
        return kernels.run(group, "expressions", kernels.inputs(times, q, v, motion.parameters_at(times)))

    along = np.abs(kernels.run(group, "expressions", kernels.inputs(motion.times, q, v, values))).max(axis=0)
    here = values_at(t, state[:, :n], state[:, n:])
    beside = _BESIDE * float(motion.times[-1] - motion.times[0])
    before, after = (np.clip(t + away, motion.times[0], motion.times[-1]) for away in (-beside, beside))
    jumps = values_at(before, *run.at(before)) * values_at(after, *run.at(after)) < 0  # over zero, with a force
    instants = motion.engine.instants
    at_switch = np.isin(t, [*instants, *instants.values()])  # where it jumps over zero
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where((here == 0) | jumps, 0.0, np.abs(here) / along)
    own = [[found.name == event.title for event in events] for found in told]
    nearest = np.where(own, parts, np.inf).min(axis=1)  # of events with the same name, any
    return [Item("passages", float(max(off.max(), np.where(at_switch, 0.0, nearest).max())), LIMIT, TOLD)]


def _passed(run: Run, group: str, e: int, direction: int, expr: Expr) -> int:
    """Return how often an expression changes its sign, from place to place inside the steps."""
    look, kernels = inside(run), run.motion.kernels

    def along(times: Array) -> Array:
        at = kernels.inputs(times, *run.at(times), run.motion.parameters_at(times))
        return kernels.run(group, "expressions", at)[:, e]

    t, q, v, values = points(run)
    at_steps = kernels.run(group, "expressions", kernels.inputs(t, q, v, values))[:, e]
    rows = kernels.inputs(look.t, look.q, look.v, look.parameters)
    found = kernels.run(group, "expressions", rows.reshape(-1, rows.shape[-1]))[:, e].reshape(look.t.shape)
    inner = {int(k): (at, some) for k, at, some in zip(look.steps, look.t, found, strict=True)}
    if len(narrow := _narrow(run, expr, along)):
        owners = np.searchsorted(t, narrow, side="right") - 1
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        more = zip(owners[firsts], np.split(narrow, firsts[1:]), np.split(along(narrow), firsts[1:]), strict=True)
        for k, *new in more:
            at, some = (np.concatenate(pair) for pair in zip(inner.get(int(k), ((), ())), new, strict=True))
            order = np.argsort(at, kind="stable")
            inner[int(k)] = at[order], some[order]
    sizes = np.abs(np.concatenate([at_steps, *(some for _, some in inner.values())]))
    zero = _ZERO if run.step is not None else min(_ZERO, max(_TENFOLD * run.rtol, _ROUNDING))
    smallest = zero * sizes.max(initial=0.0, where=np.isfinite(sizes))
    count, parts = 0, [at_steps[:1]]
    for k, change in enumerate(changes(run)):
        if change:
            count += _turns(np.concatenate(parts), smallest, direction)
            parts = []
        elif k in inner:
            parts.append(inner[k][1])
        parts.append(at_steps[k + 1 : k + 2])
    return count + _turns(np.concatenate(parts), smallest, direction)


def _narrow(run: Run, expr: Expr, along: Callable[[Array], Array]) -> Array:
    """Return times at which an expression passes zero or nearly touches it, switches or is narrow, and between."""
    from dalembert.results.cuts import cut, switching_in
    from dalembert.results.evaluation import Asked

    if len(run.motion.times) > _STEPS:
        return np.zeros(0)
    functions = [along]
    if switching := switching_in(expr):
        asked = Asked(run, {}, *switching)
        functions = [lambda times, k=k: asked.at(run.resampled(times))[:, k] for k in range(len(switching))] + functions
    times, _ = cut(run.motion.times, functions)
    between = (times[1:] + times[:-1]) / 2
    return np.setdiff1d(np.concatenate([times, between]) if switching else times, run.motion.times)


def _turns(values: Array, smallest: float, direction: int) -> int:
    signs = np.sign(values[np.abs(values) > smallest])
    turns = np.diff(signs) / 2
    return int(np.sum(turns == direction if direction else turns != 0))
