"""Friction along a motion: what sticks is inside its limit, what slides keeps its side, and no friction does work.

This is looked at in the steps too: what turned back inside one, and was not seen, has been pushed by its friction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.language.building import Expr, choose
from dalembert.model.friction import Friction, slopes
from dalembert.motion.events import multiplier_names
from dalembert.results.certificate.everywhere import everywhere
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import points

if TYPE_CHECKING:
    from dalembert.results.run import Run

CONE = "friction outside its limit, or against its side, in the largest limit or speed"
WORK = "power that friction gives, in the largest that it takes"
_CONE, _WORK = 1e-6, 1e-9
_DIRECTED = 1e-7  # of the parts of a speed: what is slower has its direction from rounding, to less than nine digits


def rubbing(run: Run) -> list[Item]:
    """Measure by how much friction is where it cannot be, and what work it does that it cannot."""
    frictions = [friction for friction in run.system.frictions.values() if friction.modes]
    if not frictions:
        return []
    expressions = [expr for friction in frictions for expr in _measured(friction)]
    values = everywhere(run, expressions).reshape(-1, len(frictions), 5)
    margin, limit, speed, slides, power = np.moveaxis(values, -1, 0)
    stuck = slides == 0.0
    size = np.where(
        stuck, np.abs(np.where(stuck, limit, 0.0)).max(axis=0), np.abs(np.where(stuck, 0.0, speed)).max(axis=0)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.where(margin < 0.0, -margin / size, np.where(np.isnan(margin), np.inf, 0.0))
    most = np.abs(power).max(initial=0.0)
    given = float(power.max(initial=0.0) / most) if most > 0 else 0.0
    return [
        Item("friction", float(off.max(initial=0.0)), _CONE, CONE),
        Item("dissipation", given, _WORK, WORK),
    ]


def undirected(run: Run) -> Array:
    """Tell at which steps something has just begun to slide in a plane, so slowly that rounding says where to."""
    frictions = [friction for friction in run.system.frictions.values() if friction.modes and len(friction.slips) > 1]
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
    """Return the margin of the mode, the limit, the speed, whether it slides, and its power while it does."""
    power = se.Add(*[-force * slip for force, slip in zip(friction.sliding, friction.slips, strict=True)])
    margin = friction.margin
    if len(friction.slips) > 1:  # where it has come to rest, a speed has no side
        margin = choose(se.Integer(0), friction.slide, True, friction.speed, margin)
    return [margin, friction.limit, friction.speed, friction.slide, power]
