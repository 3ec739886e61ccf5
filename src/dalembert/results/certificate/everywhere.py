"""Expressions along a motion, at the steps and inside them, where modes are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.language.building import Expr
from dalembert.motion.events import multiplier_names
from dalembert.results.certificate.inside import dense, inside
from dalembert.results.certificate.scales import points

if TYPE_CHECKING:
    from dalembert.results.run import Run


def everywhere(run: Run, expressions: Sequence[Expr]) -> tuple[Array, Array]:
    """Evaluate expressions at the steps and inside them; return the times in order, and the values."""
    kernels = run.motion.kernels
    group = kernels.expressions(list(expressions), multiplier_names(run.system))
    t, q, v, parameters = points(run)
    same = ~np.isin(t, [at for at, _ in run.motion.changes])  # where modes change, it is neither the one nor the other
    parameters = parameters[same] if np.ndim(parameters) > 1 else parameters
    times, rows = [t[same]], [kernels.inputs(t[same], q[same], v[same], parameters)]
    if dense(run) and len(run.motion.times) > 1:
        look = inside(run)
        within = kernels.inputs(look.t, look.q, look.v, look.parameters)
        taken = ~np.isin(run.motion.times[look.steps], list(run.motion.engine.instants))  # else something jumps there
        rows.append(within[taken].reshape(-1, within.shape[-1]))
        times.append(look.t[taken].ravel())
    found = np.concatenate(times)
    order = np.argsort(found, kind="stable")
    return found[order], kernels.run(group, "expressions", np.concatenate(rows)[order]).reshape(len(found), -1)
