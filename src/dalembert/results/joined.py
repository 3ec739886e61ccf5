"""Runs joined end to end, `run + run`: one motion, whose certificate is that of all its parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import ModelError
from dalembert.model.variants import same_structure
from dalembert.motion.joined import JoinedMotion, join_motions
from dalembert.results.bounds import Bound
from dalembert.results.certificate.energy import Drift
from dalembert.results.certificate.items import Certificate, Item
from dalembert.results.certificate.scales import points
from dalembert.results.run import Run

_TOGETHER = 1e-12  # part of the time within which motions meet
_MET = 1e-6  # part of the range of a coordinate within which positions meet
_OWN_START = "the motion is joined from {count}: the errors of all are added up, each counts from its own start"


class JoinedRun(Run):
    """Several runs as one. What is measured on a motion is measured on each of them."""

    motion: JoinedMotion

    @cached_property
    def parts(self) -> list[Run]:
        """The runs that were joined."""
        return [Run(part) for part in self.motion.parts]

    @cached_property
    def certificate(self) -> Certificate:
        """Those of all parts together: of each measurement the worst."""
        memory = self.motion.memory
        if "certificate" not in memory:
            memory["certificate"] = joint_certificate([run.certificate for run in self.parts])
        return memory["certificate"]

    @cached_property
    def bounds(self) -> list[Bound]:
        """Those of all parts."""
        return [bound for run in self.parts for bound in run.bounds]

    @cached_property
    def drift(self) -> Drift | None:
        """The energy balance of all parts, each from its own start."""
        found = [run.drift for run in self.parts]
        drifts = [drift for drift in found if drift is not None]
        if len(drifts) < len(found):
            return None
        t, q, v, values = points(self)
        energy = self.motion.kernels.energies(t, q, v, values).energy
        off, forces = np.zeros(len(t)), np.zeros(len(t) - 1)
        for drift, offset in zip(drifts, self.motion.offsets, strict=True):
            count = len(drift.values)
            off[offset : offset + count] = drift.values + (off[offset] if offset else 0.0)
            forces[offset : offset + count - 1] = drift.forces
        return Drift(off, energy, forces, max(drift.scale for drift in drifts))

    def global_error(self) -> Array:
        """Estimate the error of the positions in each part, from its own start."""
        errors = np.zeros((len(self.t), len(self.system.coordinates)))
        for run in self.parts:
            here = (self.t >= run.motion.times[0]) & (self.t <= run.motion.times[-1])
            found = run.resampled(self.t[here]).global_error()
            errors[np.flatnonzero(here)[: len(found)]] = found
        return errors


def join(first: Run, second: Run) -> JoinedRun:
    """Join two runs; raise ModelError if the second does not go on where the first ends."""
    if not same_structure(first.system, second.system):
        raise ModelError(
            "runs can be joined of one system, whose values may differ; these are of "
            f"{first.system!r} and {second.system!r}"
        )
    end, begin = float(first.motion.times[-1]), float(second.motion.times[0])
    if abs(end - begin) > _TOGETHER * max(abs(end), abs(begin)):
        raise ModelError(
            f"runs that are joined meet in time: the first ends at t = {end:.9g}, the second begins at "
            f"t = {begin:.9g}; compute it with initial=run.final()"
        )
    q = first.motion.states[-1, : first.system.mechanical]
    away = np.abs(q - second.motion.states[0, : len(q)])
    ranges = np.maximum(*(np.abs(run.motion.states[:, : len(q)]).max(axis=0) for run in (first, second)))
    if np.any(apart := away > _MET * ranges):
        name = first.system.coordinates[int(np.argmax(apart))]
        raise ModelError(
            f"runs that are joined meet in their positions; `{name}` differs by {away[int(np.argmax(apart))]:.3g} "
            "where they meet: compute the second with initial=run.final(), in which velocities may be changed"
        )
    return JoinedRun(join_motions([*first.motion.parts, *second.motion.parts]))


def joint_certificate(found: Sequence[Certificate]) -> Certificate:
    """Return the certificate of motions one after the other."""
    items: dict[str, Item] = {}
    for item in (item for certificate in found for item in certificate.items):
        items[item.name] = item if item.name not in items else max(items[item.name], item, key=_badness)
    until = found[-1].end
    for certificate in found:
        if certificate.until < certificate.end:
            until = certificate.until
            break
    errors = {name: sum(certificate.errors.get(name, 0.0) for certificate in found) for name in found[0].errors}
    notes = dict.fromkeys(note for certificate in found for note in certificate.notes)
    return Certificate(
        tuple(items.values()), until, found[-1].end, errors, (*notes, _OWN_START.format(count=len(found)))
    )


def _badness(item: Item) -> tuple[bool, bool, float]:
    """Order items: not judged, beyond the limit, near it."""
    part = 0.0 if item.value is None else item.value / item.limit if item.limit else item.value
    return item.ok is None, item.ok is False, part
