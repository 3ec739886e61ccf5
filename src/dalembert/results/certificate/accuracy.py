"""The error of a motion, from a second one: at a tenth of the tolerance (`dop853`: a hundredth), or with half the step.

The two differ in every step, and those of the second are at most half as long as the longest of the first, so that
their difference is the error of the first, but for that of the second, which is a part of it that the number of steps
tells. Where it grows beyond the limit the motion cannot be trusted any more: chaos,
or a tolerance that was too large; `until` says when that is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.motion.events import ZENO
from dalembert.motion.loop import again
from dalembert.motion.methods import METHODS
from dalembert.results.certificate.equations import NEARLY
from dalembert.results.certificate.inside import inside
from dalembert.results.certificate.items import FAILURES, Item
from dalembert.results.certificate.passages import watched
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.motion.loop import Motion
    from dalembert.results.run import Run

TEXT = "error of the motion, in the range of a coordinate"
LIMIT = 1e-3  # of the range of a coordinate
_TIMES = 600  # at which the two motions are compared,
_FEW = 100  # at least;
_VALUES = 300_000  # coordinates times times, beyond which there are fewer
_BEST = "dop853"  # the method of the highest order
_FINER = {_BEST: 100.0}  # parts of the tolerance: steps of a high order become little shorter by that
_CLOSE = {"rtol": 1e-9, "atol": 1e-11}
_TENTH = 10.0  # of the others
_ALIKE = 0.9  # part of the error that the second motion may have as well
_SEEN = 1e-12  # part of the energy that its error must be to be more than rounding
_IDLE = 0.1  # part of that error which work may be
_SURER = "multipliers"  # the form that holds everywhere, for a second motion that does not reach the end
_CALLED = "the laws were called again for the second motion: with the values on record alone it would run away"
_RECORDED = "errors are those under the values of the laws on record: what a law makes of an error is not in them"
_OTHER = "computed from the values on record the motion runs away, and laws that are called again lead to another one"
_MOMENT = 1e-5  # of the duration
_LEAST = 1e-14  # relative tolerance, below which steps are rounding


@dataclass(frozen=True)
class Accuracy:
    """How far two motions are apart: times, and the difference of each coordinate; up to when it keeps its limit."""

    times: Array
    errors: Array
    until: float
    item: Item
    note: str = ""
    other: Motion | None = None


Start = tuple[Array, Array]  # q and v


def accuracy(run: Run, scales: Scales, start: Start | None = None) -> Accuracy:
    """Compare a motion with a second, more accurate one; from another start, if it goes on from an earlier motion.

    Laws in Python are not called for it. A system that only its laws hold runs away from any record of them; then they
    are called after all, and what they give must lead to the same motion.
    """
    found, end = _compared(run, scales, start), float(run.motion.times[-1])
    if run.motion.held is None:
        return found
    if found.item.ok and found.until == end:
        return replace(found, note="; ".join(filter(None, (found.note, _RECORDED))))
    called = _compared(run, scales, start, call=True)
    if called.item.ok and called.until == end:
        return replace(called, note=_CALLED)
    return replace(found, note="; ".join(filter(None, (found.note, _OTHER))))


def _compared(run: Run, scales: Scales, given: Start | None, call: bool = False) -> Accuracy:
    motion, name = run.motion, TEXT
    limit = max(LIMIT, run.rtol if run.step is None else 0.0)
    end, start = float(motion.times[-1]), float(motion.times[0])
    if end == start or len(motion.times) < 2:
        return Accuracy(motion.times[:1], np.zeros((1, motion.kernels.n)), end, Item("accuracy", 0.0, limit, name))
    try:
        times, mine = _chosen(run)
        asked, other = times, _finer(motion, times, call, given)
        reached = len(other.samples)
        times, mine = times[:reached], mine[:reached]
    except FAILURES as error:
        why = f"not judged: a second motion to compare with cannot be computed: {error}"
        none = np.zeros(0), np.zeros((0, motion.kernels.n))
        return Accuracy(*none, start, Item("accuracy", None, limit, name), why)
    errors = _factor(run, other) * np.abs(mine - other.samples[:, _columns(run)])
    errors += _rounding(run, scales)[None] * (times - start)[:, None] / (end - start)
    errors += _passed_over(run, scales, times)
    errors[np.ix_(_beside_jumps(motion, other, times, limit), scales.is_state)] = 0.0
    errors[~np.isfinite(errors)] = np.inf
    sizes = scales.compared
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(sizes > 0, errors / sizes, np.where(errors <= run.atol, 0.0, np.inf)).max(axis=1, initial=0.0)
    good = parts <= limit
    first = int(np.argmin(good)) if not np.all(good) else len(good)
    whole = reached == len(asked) or _run_together(motion, other)
    until = end if first == len(times) and whole else _step_before(motion, float(times[max(first - 1, 0)]))
    note = ""
    if first == len(times) and until < end:
        note = f"not judged after t = {until:.4g}: a second motion, computed more accurately, ends in the step after it"
        note += f" ({other.facts['message']})" if other.facts["message"] else ""
    value = float(parts.max(initial=0.0))
    return Accuracy(times, errors, until, Item("accuracy", value, limit, name), note, other)


def _step_before(motion: Motion, t: float) -> float:
    """Return where the step at t begins: inside of it both motions may be off alike, as two lines from a point are."""
    return float(motion.times[max(int(np.searchsorted(motion.times, t, side="right")) - 1, 0)])


def _run_together(motion: Motion, other: Motion) -> bool:
    """Tell whether both motions end where jumps run into one another, which is found a moment earlier or later.

    The second one is followed on until they are found, or no step is short enough.
    """
    endless = bool(motion.occurrences) and motion.occurrences[-1].kind == ZENO
    return endless and motion.times[-1] - other.times[-1] <= _MOMENT * (motion.times[-1] - motion.times[0])


def _rounding(run: Run, scales: Scales) -> Array:
    """Return what rounding may do in all steps together, which both motions may have alike: ε of the sizes in each."""
    sizes = np.where(scales.is_state, scales.velocities, _enlarged(run) * scales.sizes)
    return np.finfo(float).eps * run.motion.facts["steps"] * sizes


def _enlarged(run: Run) -> float:
    """Return by how much constraints enlarge rounding, on average: where they nearly repeat others it leads aside."""
    if not run.system.constraints:
        return 1.0
    try:
        conditioning = np.asarray(run.motion.kernels.accelerations(*points(run)).conditioning)
    except FAILURES:  # as at the end of a motion that leaves the numbers
        return 1.0
    return float(np.mean(np.maximum(conditioning.max() / np.maximum(conditioning, NEARLY), 1.0)))


def _passed_over(run: Run, scales: Scales, times: Array) -> Array:
    """Return what the instants at switches may do, over which both motions stand still: some neighbouring floats each.

    Over an instant δ the place is off by v δ, and later by what the jump of the acceleration has left of the velocity:
    of a pulse that is hardly longer, much.
    """
    motion, found = run.motion, np.zeros((len(times), scales.n))
    k = np.flatnonzero(np.isin(motion.times[:-1], list(motion.engine.instants)))
    if not len(k):
        return found
    t, q, v, values = points(run)
    values = np.broadcast_to(values, (len(t), values.shape[-1]))
    a, b = (motion.kernels.accelerations(t[i], q[i], v[i], values[i]).acceleration for i in (k, k + 1))
    gap = np.diff(t)[k, None]
    still = gap * np.where(scales.is_state, np.abs(b), np.abs(v[k]))
    later = gap * np.where(scales.is_state, 0.0, np.abs(b - a))
    sums = [np.vstack([np.zeros(scales.n), np.cumsum(part, axis=0)]) for part in (still, later, later * t[k, None])]
    passed = np.searchsorted(t[k], times, side="right")
    return sums[0][passed] + np.maximum(sums[1][passed] * times[:, None] - sums[2][passed], 0.0)


def _factor(run: Run, other: Motion) -> float:
    """Return by what the difference is multiplied to give the error: the second motion has a part of it as well.

    The error goes with a power of the length of the steps. Where the second motion took hardly more steps, as in a
    short motion, it is hardly better; and where steps are fixed they may be too long for that power to show.
    """
    motion = run.motion
    longer = min(motion.facts["steps"] / max(other.facts["steps"], 1), 1.0)
    same = motion.facts["form"] == other.facts["form"]
    if motion.facts["method"] != other.facts["method"]:
        part = 1.0 / _TENTH
    elif motion.facts["step"] is not None:
        # two forms err differently in the same steps: half of the powers of two that shorter ones gain may be lost
        part = 0.5 ** (motion.engine.order if same else motion.engine.order / 2)
        part = max(part, _left_of_drift(run, type(run)(other)))
    elif same:
        part = longer**motion.engine.order
    else:  # steps of two forms tell nothing, as where one of them creeps
        part = other.facts["rtol"] / motion.facts["rtol"]
    return 1.0 / (1.0 - min(part, _ALIKE))


def _left_of_drift(run: Run, other: Run) -> float:
    """Return which part of its error in energy a second motion still has; nothing where something does work."""
    if run.system.kinetic is None or run.motion.changes:
        return 0.0
    found = [some.motion.kernels.energies(*points(some)) for some in (run, other)]
    first, second = (float(np.ptp(each.energy)) for each in found)
    work = np.abs(found[0].forces + found[0].time + found[0].constraints.sum(axis=-1)).max() * np.ptp(run.motion.times)
    size = np.abs(found[0].kinetic).max() + np.ptp(found[0].potential)
    return second / first if first < np.inf and first > max(_SEEN * size, work / _IDLE) else 0.0


def _columns(run: Run) -> Array:
    """Return what is compared of (q, v), or of (q, p), which has them too: positions, and the states as they are."""
    n, count = run.motion.kernels.n, run.system.mechanical
    return np.concatenate([np.arange(count), np.arange(n + count, 2 * n)])


def _beside_jumps(motion: Motion, other: Motion, times: Array, limit: float) -> Array:
    """Tell at which times one of the motions has passed an event that the other meets a moment later.

    A state may jump there, and would differ by as much.
    """
    instants = [np.array([t for t, _ in some.changes]) for some in (motion, other)]
    if not any(map(len, instants)):
        return np.zeros(len(times), dtype=bool)
    passed = [np.searchsorted(some, times, side=side) for some in instants for side in ("left", "right")]
    both = np.sort(np.concatenate([[-np.inf], *instants, [np.inf]]))
    place = np.searchsorted(both, times)
    away = np.minimum(times - both[place - 1], both[place] - times)
    return (np.ptp(passed, axis=0) > 0) & (away <= limit * (motion.times[-1] - motion.times[0]))


def _chosen(run: Run) -> tuple[Array, Array]:
    """Return times at which to compare, and values there: samples, steps, and places inside them, evenly spread."""
    motion, n, columns = run.motion, run.motion.kernels.n, _columns(run)
    parts = [(motion.times, motion.states[:, columns])]
    if motion.sample_times is not None:
        parts.insert(0, (motion.sample_times[: len(motion.samples)], motion.samples[:, columns]))
    if motion.engine.dense:
        look = inside(run)
        both = np.concatenate([look.q.reshape(-1, n), look.v.reshape(-1, n)], axis=1)
        parts.append((look.t.ravel(), both[:, columns]))
    most = min(_TIMES, max(_FEW, _VALUES // n))
    chosen = [(times[at], values[at]) for times, values in parts for at in [_spread(len(times), most)]]
    times, first = np.unique(np.concatenate([times for times, _ in chosen]), return_index=True)
    return times, np.concatenate([values for _, values in chosen])[first]


def _spread(count: int, most: int) -> Array:
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))


def _finer(motion: Motion, times: Array, call: bool, start: Start | None) -> Motion:
    """Compute the motion again, more accurately, with its states at some times; it is not to stop before them.

    The first of some ways that gets to the end, else the one that comes farthest.
    """
    facts = motion.facts
    events = [replace(e, action="record" if e.action == "stop" else e.action, stop=False) for e in watched(motion)]
    settings = {"until": float(motion.times[-1]), "samples": times, "max_steps": 20 * facts["steps"] + 10_000}
    settings["max_seconds"] = np.inf  # steps are the bound: what the clock says changes from one time to the next
    options: list[dict[str, Any]] = []
    if facts["step"] is not None:
        options.append({"step": facts["step"] / 2})
    else:
        longest = float(np.diff(motion.times).max()) / 2  # a few steps may be as long as they grow, at any tolerance
        parts = dict.fromkeys((_FINER.get(facts["method"], _TENTH), _TENTH))
        options += [
            {"rtol": max(facts["rtol"] / part, _LEAST), "atol": facts["atol"] / part, "longest": longest}
            for part in parts
        ]
    if facts["form"] != _SURER and _SURER in METHODS[facts["method"]].forms:
        # what depends on chosen coordinates is lost next to singular positions, in the same way at every tolerance
        options.insert(0 if motion.kernels.chooses else 1, {**options[0], "form": _SURER})
        if motion.kernels.chooses and facts["step"] is not None:  # in fixed steps the other form may err far more
            # tolerances that stand beside a step mean nothing
            closer = {name: min(facts[name], value) / _FINER[_BEST] for name, value in _CLOSE.items()}
            options.insert(0, {"method": _BEST, "form": _SURER, "step": None, **closer})
    # next to a singular position a motion may creep in a form, or at a tolerance, where another passes with ease
    found: list[Motion] = []
    while options and not (found and len(found[-1].samples) == len(times)):
        found.append(again(motion, call=call, start=start, events=events, **settings, **options.pop(0)))
    return max(found, key=lambda other: len(other.samples))
