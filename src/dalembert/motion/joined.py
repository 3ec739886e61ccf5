"""Motions joined end to end: one motion whose states are (q, v), whatever the forms of its parts are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.arrays import Array
from dalembert.motion.loop import Motion
from dalembert.motion.sampled import ControlRecord
from dalembert.native.kernels import Kernels

_COUNTED = ("steps", "evaluations", "rejected", "guarded", "projections", "build_s", "wall_s")
_PLAIN = "multipliers"  # a form whose states are (q, v)


@dataclass(frozen=True, repr=False)
class JoinedMotion(Motion):
    """Motions one after the other. Where parameters or velocities change between two, an instant lies between them.

    `pieces` are those that were joined; `offsets` the places of their first states among all states.
    """

    pieces: tuple[Motion, ...] = ()
    offsets: tuple[int, ...] = field(default=())

    @property
    def parts(self) -> tuple[Motion, ...]:
        """The motions of which it is made."""
        return self.pieces

    def between(self, steps: Array, thetas: Array) -> Array:
        """Return states inside steps at parts θ of them."""
        steps, thetas = np.asarray(steps), np.asarray(thetas, dtype=float)
        last = np.maximum(steps, 0)
        found = self.states[last] + thetas[:, None] * (
            self.states[np.minimum(last + 1, len(self.states) - 1)] - self.states[last]
        )  # over an instant
        for piece, offset in zip(self.pieces, self.offsets, strict=True):
            own = np.flatnonzero((steps >= offset) & (steps < offset + len(piece.times) - 1))
            if own.size:
                inner, part = steps[own] - offset, thetas[own]
                at = piece.times[inner] + part * np.diff(piece.times)[inner]
                found[own] = plain_states(piece, at, piece.between(inner, part))
        return found


def plain_states(motion: Motion, t: Array, states: Array) -> Array:
    """Return states as positions and velocities."""
    n = motion.kernels.n
    if not len(t):
        return states
    v = motion.kernels.from_state(t, states[:, :n], states[:, n:], motion.parameters_at(t))
    return np.concatenate([states[:, :n], v], axis=1)


def join_motions(parts: Sequence[Motion]) -> JoinedMotion:
    """Join motions of one system that meet in time and in their positions."""
    first, last = parts[0], parts[-1]
    times, states, offsets = [first.times], [plain_states(first, first.times, first.states)], [0]
    changes = list(first.changes)
    for before, part in pairwise(parts):
        own, own_times = plain_states(part, part.times, part.states), part.times.copy()
        parameters = changes[-1][1] if changes else first.parameters
        if np.array_equal(own[0], states[-1][-1]) and np.array_equal(parameters, part.parameters):
            own, own_times, shift = own[1:], own_times[1:], -1
        else:
            own_times[0] = np.nextafter(before.times[-1], np.inf)
            changes.append((float(before.times[-1]), part.parameters))
            shift = 0
        offsets.append(sum(map(len, times)) + shift)
        times.append(own_times)
        states.append(own)
        changes += part.changes
    sampled = any(part.sample_times is not None for part in parts)
    sample_times, samples = _samples(parts) if sampled else (None, np.zeros((0, 2 * first.kernels.n)))
    kernels = first.kernels if not first.kernels.conversion else Kernels(first.system, _PLAIN)
    return JoinedMotion(
        replace(first.ready, kernels=kernels), replace(last.settings, begin=first.settings.begin), first.engine,
        np.concatenate(times), np.concatenate(states), sample_times, samples, _facts(parts), None,
        [event for part in parts for event in part.occurrences], changes, last.crossing,
        [impact for part in parts for impact in part.impacts], _held(parts),
        pieces=tuple(parts), offsets=tuple(offsets),
    )  # fmt: skip


def _samples(parts: Sequence[Motion]) -> tuple[Array, Array]:
    """Return times and states at the samples, or at the steps of parts that have none; each time once."""
    times, states = [], []
    for part in parts:
        at, found = part.times, part.states
        if part.sample_times is not None:
            at, found = part.sample_times[: len(part.samples)], part.samples
        new = at > times[-1][-1] if times and len(times[-1]) else np.ones(len(at), dtype=bool)
        times.append(at[new])
        states.append(plain_states(part, at[new], found[new]))
    return np.concatenate(times), np.concatenate(states)


def _held(parts: Sequence[Motion]) -> ControlRecord | None:
    """Return what laws in Python gave, all in a row; a control that a part does not have was not known there."""
    records = [part.held for part in parts if part.held is not None]
    names = tuple(dict.fromkeys(name for record in records for name in record.names))
    if not records:
        return None
    columns = [record.as_dict() for record in records]
    missing = [np.full(len(record.times), np.nan) for record in records]
    values = [np.concatenate([c.get(name, m) for c, m in zip(columns, missing, strict=True)]) for name in names]
    return ControlRecord(names, np.concatenate([record.times for record in records]), np.array(values).T)


def _facts(parts: Sequence[Motion]) -> dict[str, Any]:
    """Return what is known of the computation of all: counts added up, names and tolerances of all parts."""
    facts = [part.facts for part in parts]
    last = dict(facts[-1])
    for name in _COUNTED:
        last[name] = sum(fact[name] for fact in facts)
    for name in ("form", "method", "keep"):
        last[name] = ", ".join(dict.fromkeys(fact[name] for fact in facts))
    for name in ("rtol", "atol"):
        last[name] = max(fact[name] for fact in facts)
    steps = {fact["step"] for fact in facts}
    last["step"] = steps.pop() if len(steps) == 1 else None
    last["begin"] = facts[0]["begin"]
    last["choices"] = [choice for fact in facts for choice in fact["choices"]]
    last["remark"] = "; ".join(dict.fromkeys(fact["remark"] for fact in facts if fact["remark"]))
    return last
