"""Friction along a motion: what sticks is inside its limit, what slides keeps its side, and no friction does work.

This is looked at in the steps too: what turned back inside one, and was not seen, has been pushed by its friction.
Where something is off, the friction, the time and what is wrong with its values are told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.language.building import Expr, choose
from dalembert.language.calculus import ONE, ZERO
from dalembert.model.friction import Friction, frictions_of, slopes
from dalembert.motion.events import multiplier_names
from dalembert.results.certificate.everywhere import everywhere
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import points

if TYPE_CHECKING:
    from dalembert.results.run import Run

CONE = "friction outside its limit, or against its side, in the largest limit or speed"
WORK = "power that friction gives, in the largest that it takes"
BESIDE = "friction next to its switches: outside its limit, against its side; the speed of what sticks"
_CONE, _WORK = 1e-6, 1e-9
_BESIDE = 1e-6, 1e-3  # between these, so many tolerances:
_TOLERANCES = 100.0
_BELOW = 1e-9  # of the largest value: what is less below zero, or below another, may be so by rounding
_NEAR = 1e-6  # of a mode: what is as near to its switches belongs to them
_DIRECTED = 1e-7  # of the parts of a speed: what is slower has its direction from rounding, to less than nine digits


def rubbing(run: Run, notes: list[str]) -> list[Item]:
    """Measure by how much friction is where it cannot be, and what power it gives; add notes that say when, and why.

    At a switch, velocities and forces are as good as the tolerance, and what leads on from there, or up to it, is held
    against that. Inside a mode nothing may pass its end unseen.
    """
    frictions = list(frictions_of(run.system).values())
    if not frictions:
        return []
    t, values = everywhere(run, [expr for friction in frictions for expr in _measured(friction)])
    values = values.reshape(len(t), len(frictions), -1)
    found = [
        _Measured.of(friction.name, t, rows) for friction, rows in zip(frictions, values.swapaxes(0, 1), strict=True)
    ]
    power = max((np.abs(one.powers).max(initial=0.0) for one in found), default=0.0)
    cone, work, beside = (np.zeros((len(found), len(t))) for _ in range(3))
    for k, one in enumerate(found):
        off, given = one.off(), _parts_of(one.powers.max(axis=0), power)
        is_inside = not frictions[k].modes or _is_inside(t, (off > 0) | (given > 0), one.mode)
        cone[k], work[k] = np.where(is_inside, off, 0.0), np.where(is_inside, given, 0.0)
        beside[k] = np.maximum(np.where(is_inside, 0.0, np.maximum(off, given)), one.creeping())
    low, high = _BESIDE
    limit = low if run.step is not None else min(max(low, _TOLERANCES * run.rtol), high)
    items = [_item("dissipation", work, _WORK, WORK, found)]
    if any(friction.modes for friction in frictions):
        items = [
            _item("friction", cone, _CONE, CONE, found),
            *items,
            _item("friction switches", beside, limit, BESIDE, found),
        ]
    for k, (friction, one) in enumerate(zip(frictions, found, strict=True)):
        given = run.system.sections.get("friction", {}).get(one.name, {})  # nothing of one at a contact
        causes = _causes(friction, "law" if "law" in given else "coefficient" if given else "friction", one)
        notes += causes
        wrong = (cone[k] > _CONE) | (work[k] > _WORK) | (beside[k] > limit)
        if np.any(wrong) and not causes:
            first = int(np.argmax(wrong))
            pushing = "is to hold more than it can" if one.beyond[first] > 0 else "moves while it sticks"
            what = pushing if one.stuck[first] else "pushes on what has turned back"
            notes.append(f"friction `{one.name}` {what} at t = {t[first]:.6g}: a switch was passed over")
    notes += _shares(found)
    return items


def _shares(found: list[_Measured]) -> Iterator[str]:
    """Say of friction that others hold along with it that their parts are not determined."""
    for one in found:
        if np.any(one.carried):
            first = one.t[int(np.argmax(one.carried))]
            text = f"friction `{one.name}` shares what it holds with others from t = {first:.6g}: their parts are not"
            yield f"{text} determined, and some within the limits of all are given"


def _item(name: str, values: Array, limit: float, text: str, found: list[_Measured]) -> Item:
    """Judge the largest; say which friction does not keep its limit, and when first."""
    wrong = values > limit
    if np.any(wrong):
        first = int(np.argmax(wrong.any(axis=0)))
        text += f" (`{found[int(np.argmax(wrong[:, first]))].name}` at t = {found[0].t[first]:.6g})"
    return Item(name, float(values.max(initial=0.0)), limit, text)


@dataclass(frozen=True)
class _Measured:
    """What was measured of one friction at some times, in order."""

    name: str
    t: Array
    mode: Array  # another number for each
    stuck: Array
    loaded: Array  # else it is that of an open contact
    carried: Array  # where others hold it by their conditions
    beyond: Array
    speed: Array
    powers: Array  # by the dry and the viscous part
    limit: Array
    load: Array
    size: Array
    at_rest: Array
    viscous: Array

    @classmethod
    def of(cls, name: str, t: Array, rows: Array) -> _Measured:
        """Take what `_measured` asks for."""
        slide, stick, side, loaded, beyond, speed, dry, damped, *rest = rows.T
        carried = (slide == 0.0) & (stick == 0.0) & (loaded == 1.0)
        mode = slide + 2 * side + 4 * stick + 8 * loaded
        return cls(name, t, mode, slide == 0.0, loaded == 1.0, carried, beyond, speed, np.array([dry, damped]), *rest)

    def off(self) -> Array:
        """Return by how much it is where it cannot be, in the largest limit of what sticks, or speed of what slides."""
        limit, speed = _largest(self.limit, self.stuck), _largest(self.speed, ~self.stuck & self.loaded)
        return _parts_of(self.beyond, np.where(self.stuck, limit, speed))

    def creeping(self) -> Array:
        """Return the speed of what sticks, in that of what slides, or moves past an open contact, if it ever does."""
        if np.all(self.stuck):
            return np.zeros(len(self.t))
        return np.where(self.stuck, _parts_of(self.speed, _largest(self.speed, ~self.stuck)), 0.0)


def _largest(values: Array, some: Array) -> float:
    return float(np.abs(values[some]).max(initial=0.0))


def _parts_of(values: Array, size: Array | float) -> Array:
    """Return what is above zero, in a size; infinite where it is no number."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values > 0.0, values / size, np.where(np.isnan(values), np.inf, 0.0))


def _is_inside(t: Array, wrong: Array, mode: Array) -> Array:
    """Tell which places that are wrong have right ones of the same mode before and after them, far from its switches.

    Just after a switch there are steps so short that what lies in them is as rough as in the whole mode a large one.
    """
    found = np.zeros(len(wrong), dtype=bool)
    for some in np.split(np.arange(len(wrong)), np.flatnonzero(np.diff(mode)) + 1):
        right = some[~wrong[some]]
        if len(right):
            near = _NEAR * (t[some[-1]] - t[some[0]])
            far = (t[some] - t[some[0]] > near) & (t[some[-1]] - t[some] > near)
            found[some] = wrong[some] & far & (some > right[0]) & (some < right[-1])
    return found


def _causes(friction: Friction, law: str, one: _Measured) -> list[str]:
    """Say which values of friction cannot be, from when on: they may become so on the way, or by an event."""
    short = one.limit - one.at_rest * (1 - _BELOW)
    is_short = (short < 0) & (one.at_rest > _BELOW * np.abs(one.at_rest).max(initial=0.0)) & (friction.smooth is None)
    cases = (
        (one.load, _below(one.load), "its load falls to {0:.4g}", "give its size, as in abs(…), or max(0, …)"),
        (one.size, _below(one.size) & (one.load >= 0), f"what its `{law}` gives falls to {{0:.4g}}", "keep it above 0"),
        (one.viscous, _below(one.viscous), "`viscous` falls to {0:.4g}", "keep it above 0"),
        (short, is_short, "sticking holds less than what slides makes at rest, as {1:.4g} and {2:.4g} at t = {3:.6g}",
         "give a larger `static`, or leave it out"),
    )  # fmt: skip
    found = []
    for values, wrong, text, remedy in cases:
        if np.any(wrong):
            worst, first = int(np.argmin(np.where(wrong, values, np.inf))), one.t[int(np.argmax(wrong))]
            said = text.format(values[worst], one.limit[worst], one.at_rest[worst], one.t[worst])
            why = "it may neither stick nor slide" if values is short else "it drives what slides"
            found.append(f"friction `{one.name}` from t = {first:.6g}: {said}, so that {why}; {remedy}")
    return found


def _below(values: Array) -> Array:
    return values < -_BELOW * np.abs(values).max(initial=0.0)


def undirected(run: Run) -> Array:
    """Tell at which steps something has just begun to slide in a plane, so slowly that rounding says where to."""
    frictions = [
        friction for friction in frictions_of(run.system).values() if friction.modes and len(friction.slips) > 1
    ]
    t, q, v, parameters = points(run)
    if not frictions:
        return np.zeros(len(t), bool)
    expressions = [expr for friction in frictions for expr in (friction.slide, friction.speed, _parts(friction))]
    kernels = run.motion.kernels
    group = kernels.expressions(expressions, multiplier_names(run.system))
    values = kernels.run(group, "expressions", kernels.inputs(t, q, v, parameters)).reshape(-1, len(frictions), 3)
    slides, speed, parts = np.moveaxis(values, -1, 0)
    return np.any((slides != 0.0) & (speed < _DIRECTED * parts), axis=1)


def _parts(friction: Friction) -> Expr:
    """Return of what size the terms are that make up a sliding velocity."""
    found = [slopes(slip, friction.moving) for slip in friction.slips]
    return se.Add(*[abs(slope * se.Symbol(f"{name}'")) for each in found for name, slope in each.items()])


def _measured(friction: Friction) -> list[Expr]:
    """Return what `_Measured` holds of one friction; rounded off it always slides."""
    dry = se.Add(*[-force * slip for force, slip in zip(friction.sliding, friction.slips, strict=True)])
    slide, stick, side, beyond, speed, loaded = ONE, ZERO, ZERO, ZERO, friction.speed, ONE
    if friction.modes:
        slide, stick, beyond = friction.slide, friction.stick, friction.beyond
        side = friction.sides[0] if len(friction.slips) == 1 else ZERO
    if friction.loaded is not None:  # at an open contact nothing slides or sticks
        loaded = friction.loaded
        beyond = choose(ZERO, loaded, True, beyond, ZERO)
    eta = friction.viscous
    values = [friction.limit, friction.load, friction.size(speed), friction.size(ZERO), eta]
    return [slide, stick, side, loaded, beyond, speed, dry, -eta * speed**2, *values]
