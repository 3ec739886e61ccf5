"""Runs joined end to end, `run + run`: one motion, whose certificate is that of all its parts.

The second motion, which shows the error, goes on from part to part as well: so errors count from the first start, and
chaos is not hidden by cutting it into pieces. Velocities and states with which a part begins anew are its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import ModelError, MotionWarning, quoted
from dalembert.language.state_names import as_written
from dalembert.model.variants import same_structure
from dalembert.motion.joined import JoinedMotion, join_motions
from dalembert.results.beshaw_bound import Bound, StabilisedResiduals
from dalembert.results.certificate import SECOND_END, certify
from dalembert.results.certificate.energy import Drift
from dalembert.results.certificate.items import Certificate, Item
from dalembert.results.certificate.scales import points
from dalembert.results.run import Run

_TOGETHER = 1e-12  # part of the time within which motions meet
_MET = 1e-6  # part of the range of a coordinate within which positions meet
_ALL = "the motion is joined from {count}: its errors count from the start of the first"
_ANEW = "; at t = {t:.6g} it goes on with other values of {names}"
_PARTS = "the states of a joined motion against those of its parts"


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
            memory["certificate"] = _together(self, [*_certificates(self.parts)])
            if not memory["certificate"].ok:
                warnings.warn(f"certificate: {memory['certificate'].reason}", MotionWarning, stacklevel=3)
        return memory["certificate"]

    @cached_property
    def bounds(self) -> list[Bound]:
        """Those of all parts."""
        return [bound for run in self.parts for bound in run.bounds]

    @cached_property
    def stabilisation(self) -> StabilisedResiduals | None:
        """That of all parts, one after the other."""
        found = [part.stabilisation for part in self.parts if part.stabilisation is not None]
        if not found:
            return None
        words, off = (", then ".join(dict.fromkeys(filter(None, texts))) for texts in
                      ([one.words for one in found], [one.off for one in found]))  # fmt: skip
        return replace(found[0], words=words, off=off, bounds=tuple(self.bounds))

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


def _certificates(runs: Sequence[Run]) -> Iterator[Certificate]:
    """Return the certificates of motions one after the other, the second motion of each going on from the last one."""
    yield runs[0].certificate
    for before, run in pairwise(runs):
        t, state = before.motion.memory.get(SECOND_END, (np.nan, None))
        start = None
        if state is not None and t >= before.motion.times[-1]:
            n, own = run.motion.kernels.n, run.motion.ready.state
            start = state[:n], np.where(_anew(before, run), own.v, state[n:])
        yield certify(run, start)


def _anew(before: Run, run: Run) -> Array:
    """Tell which velocities, and states, a run does not take over from the one before it."""
    sizes = np.maximum(*(np.abs(points(part)[2]).max(axis=0) for part in (before, run)))
    return np.abs(run.motion.ready.state.v - before.end[2]) > _MET * sizes


def _together(whole: JoinedRun, found: Sequence[Certificate]) -> Certificate:
    """Return the certificate of motions one after the other: of each measurement the worst."""
    again = join_motions(whole.motion.parts)
    same = all(
        np.array_equal(getattr(whole.motion, name), getattr(again, name)) for name in ("times", "states", "samples")
    )
    items = {"parts": Item("parts", 0.0 if same else np.inf, 0.0, _PARTS)}
    for item in (item for certificate in found for item in certificate.items):
        items[item.name] = item if item.name not in items else max(items[item.name], item, key=_badness)
    until, reached = found[-1].end, len(found)
    for k, certificate in enumerate(found):
        if certificate.until < certificate.end:
            until, reached = certificate.until, k + 1
            break
    errors = {name: max(part.errors.get(name, 0.0) for part in found[:reached]) for name in found[0].errors}
    notes = dict.fromkeys(note for certificate in found for note in certificate.notes)
    said = _ALL.format(count=len(found))
    for before, run in pairwise(whole.parts):
        names = [as_written(run.system.velocities[k]) for k in np.flatnonzero(_anew(before, run))]
        old, new = before.motion.parameters_at(before.motion.times[-1:]), run.motion.parameters
        known = range(len(run.system.written.parameters))  # modes of friction are behind them
        names += [name for name, k in zip(run.system.parameters, known, strict=False) if old.ravel()[k] != new[k]]
        said += _ANEW.format(t=run.motion.times[0], names=quoted(names)) if names else ""
    return Certificate(tuple(items.values()), until, found[-1].end, errors, (*notes, said))


def _badness(item: Item) -> tuple[bool, bool, float]:
    """Order items: not judged, beyond the limit, near it."""
    part = 0.0 if item.value is None else item.value / item.limit if item.limit else item.value
    return item.ok is None, item.ok is False, part
