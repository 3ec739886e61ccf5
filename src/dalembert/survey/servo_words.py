"""What is said of programmes: who holds them, what is hidden in them, what they ask of paths, what moves on inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.errors import Problem, counted, quoted
from dalembert.language.building import TIME
from dalembert.language.table_functions import calls_in, is_open
from dalembert.model.sections.programme import meant_programmes
from dalembert.survey.internal import internal_eigenvalues
from dalembert.survey.servo import Steering, steering_of

if TYPE_CHECKING:
    from dalembert.model.system import System

_MARGINAL = 1e-6  # of the largest eigenvalue: real parts that are zero
_TIMES = ("", "once", "twice")


def programme_problems(system: System) -> list[Problem]:
    """Return what is to be said of the programmes of a system, as notes and warnings."""
    steering = steering_of(system)
    if steering is None:
        return []
    if not steering.held:
        texts = [("note", followed(steering)), *[("note", text) for text in asked(system, steering)]]
        return [system.located(Problem(text, severity, key=("programme",))) for severity, text in texts]
    texts = [("note", held(steering)), *[("note", text) for text in asked(system, steering)], inside(system, steering)]
    return [system.located(Problem(text, severity, key=("programme",))) for severity, text in texts]


def followed(steering: Steering) -> str:
    """Say which controls follow laws with what programmes take."""
    asked = quoted([f"{name}.programme" for name in steering.controls])
    text = f"{asked} {'is' if len(steering.controls) == 1 else 'are'} what {quoted(steering.orders)}"
    text += f" {'takes' if len(steering.orders) == 1 else 'take'} at the state at which the motion is; the laws of "
    return f"{text}{quoted(steering.controls)} decide on the motion, which need not be on the path"


def held(steering: Steering) -> str:
    """Say which controls hold which programmes, and what is hidden in these."""
    hidden, holds = steering.hidden, "holds" if len(steering.controls) == 1 else "hold"
    what = "programme" if len(steering.orders) == 1 else "programmes"
    text = f"{quoted(steering.controls)} {holds} {what} {quoted(steering.orders)}"
    if not hidden:
        return f"{text} at once (regular)"
    text += f" through what moves in between (tangential): {counted(len(hidden), 'more condition')}"
    where = "it" if len(steering.orders) == 1 else "them"
    return f"{text} {'is' if len(hidden) == 1 else 'are'} hidden in {where}, {quoted(hidden)}"


def asked(system: System, steering: Steering) -> list[str]:
    """Say how often paths must be differentiable."""
    found, programmes = [], meant_programmes(system)
    for name, order in steering.orders.items():
        expr = programmes[name]
        if (
            se.Symbol(TIME) not in expr.free_symbols or not order
        ):  # of accelerations the programme says itself what it takes
            continue
        times = _TIMES[order] if order < len(_TIMES) else f"{order} times"
        text = f"the path of programme `{name}` must be differentiable {times}"
        opened = sorted({called for called, _ in calls_in([expr]) if is_open(called, system.calls)})
        found.append(f"{text}, that is {quoted(opened)}" if opened else text)
    return found


def inside(system: System, steering: Steering) -> tuple[str, str]:
    """Say how many internal states there are, and whether their motion is stable at the start."""
    if not steering.states:
        return "note", "no internal states: the path alone determines the whole motion"
    text = counted(steering.states, "internal state")
    known = internal_eigenvalues(system)
    if known is None or len(known[0]) != steering.states:
        return "note", f"{text}; whether their motion is stable is not known here"
    values, at_rest = known
    where = "at the start" if at_rest else "about the start, which is not at rest"
    worst = complex(values[np.argmax(np.real(values))])
    if worst.real > _MARGINAL * np.abs(values).max():
        grows = f"{worst.real:.4g}" + (f" ± {abs(worst.imag):.4g}i" if abs(worst.imag) > 0 else "")
        return "warning", f"{text}, unstable {where} (eigenvalue {grows}): it runs away, however well the path is held"
    if worst.real >= -_MARGINAL * np.abs(values).max():
        return "note", f"{text}, of which one or more neither grow nor decay {where}"
    return "note", f"{text}, stable {where} (slowest eigenvalue {worst.real:.4g})"
