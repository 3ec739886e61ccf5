"""Where controls that shall lead a motion along programmes are at limits of their laws, so that they cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.errors import counted, quoted
from dalembert.language.building import Expr
from dalembert.language.printing import to_text
from dalembert.model.feed_forward import led_in
from dalembert.model.sections.programme import meant_programmes

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.results.run import Run

_AT = 1e-9  # of a limit: what is at it


def at_limits(run: Run) -> list[str]:
    """Return what is to be said of it: which control is at its limit, when, and how far programmes are missed."""
    system = run.system.written
    found = []
    for name in led_in(system.sections):
        at, reached = np.zeros(len(run.t), dtype=bool), set()
        for limited, limit in _limits(system, system.laws[name]):
            here = np.abs(run.evaluate(to_text(limited)) - limit) <= _AT * max(1.0, abs(limit))
            reached |= {f"{limit:g}"} if np.any(here) else set()
            at |= here
        if not reached:
            continue
        times = run.t[at]
        text = f"the law of control `{name}` is at its limit {' and '.join(sorted(reached))} at {int(at.sum())} of "
        text += f"{counted(len(at), 'time')}, "
        text += f"from t = {times[0]:.4g} to {times[-1]:.4g}" if len(times) > 1 else f"at t = {times[0]:.4g}"
        found.append(f"{text}: it cannot hold {quoted(system.sections['programme'])} there, {_missed(run, at)}")
    return found


def _limits(system: System, law: Expr) -> list[tuple[Expr, float]]:
    """Return what `min` and `max` limit, with the number that is the limit."""
    values = {se.Symbol(name): se.RealDouble(x) for name, x in system.parameters.items() if x is not None}
    bounds = [(node, arg.xreplace(values)) for node in law.atoms(se.Max, se.Min) for arg in node.args]
    return [(node, float(bound)) for node, bound in bounds if bound.is_Number]


def _missed(run: Run, at: Array) -> str:
    """Say by how much programmes are missed at some times."""
    off = []
    for name, expr in meant_programmes(run.system.written).items():
        values = np.broadcast_to(run.evaluate(to_text(expr)), at.shape)
        off.append(f"`{name}` is off by up to {float(np.abs(values[at]).max()):.3g}")
    return " and ".join(off)
