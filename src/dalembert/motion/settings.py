"""How a motion is computed: what each setting may be, and what goes together.

A model may say it too, in [simulate]: what is wrong there is found when it is read, what does not go together by
`check`; a call may still give what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.arguments import array, choice, number, positive, shown, table, whole
from dalembert.arrays import Array
from dalembert.errors import ModelError
from dalembert.model.system import System
from dalembert.motion.limits import MAX_SAMPLES, MAX_STEPS
from dalembert.motion.method import KEEPINGS, moving
from dalembert.motion.methods import METHODS

DEFAULTS = {
    "until": 10.0,
    "method": "dop853",
    "form": None,  # the first of the method
    "keep": "project",
    "rtol": 1e-9,
    "atol": 1e-11,
    "step": None,
    "samples": None,
}


@dataclass(frozen=True)
class Settings:
    """How a motion is computed: what was asked, what the model says, and the defaults."""

    until: float
    form: str
    method: str
    keep: str
    rtol: float
    atol: float
    step: float | None
    samples: Array | None
    max_steps: int
    max_seconds: float


def chosen_settings(system: System, given: Mapping[str, Any]) -> Settings:
    """Join what was asked, what the model says, and the defaults; refuse what does not exist or go together."""
    asked = {name: given[name] for name in DEFAULTS if given[name] is not None}
    chosen = complete({**system.simulation, **asked})
    max_steps = whole("max_steps", given["max_steps"], 1, MAX_STEPS)
    max_seconds = positive("max_seconds", given["max_seconds"])
    if table("gains", given["gains"]) and chosen["keep"] != "stabilise":
        raise ModelError(f'`gains` are those of keep="stabilise"; leave them out with keep="{chosen["keep"]}"')
    if not (given["progress"] is None or callable(given["progress"])):
        raise ModelError(f"`progress` is a function of the time and the seconds so far, got {shown(given['progress'])}")
    for _, text in conflicts(system, chosen):
        raise ModelError(text)
    if chosen["samples"] is not None:
        chosen["samples"] = _sample_times(chosen["samples"], chosen["until"])
    return Settings(**chosen, max_steps=max_steps, max_seconds=max_seconds)


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings, with defaults for those that are not given; each is what it may be."""
    chosen = {name: setting(name, value) for name, value in {**DEFAULTS, **given}.items()}
    if chosen["form"] is None:
        chosen["form"] = METHODS[chosen["method"]].forms[0]
    return chosen


def setting(name: str, value: Any) -> Any:
    """Return one setting as it is used; raise ModelError if it cannot be that."""
    if value is None and DEFAULTS[name] is None:
        return None
    if name == "method":
        return choice(value, METHODS, "method", "methods")
    if name == "form":
        return choice(value, moving(), "form", "forms")
    if name == "keep":
        return choice(value, KEEPINGS, "way to keep constraints", "ways")
    if name == "samples":
        one = isinstance(value, (int, float, np.number))
        return whole(name, value, 1, MAX_SAMPLES) if one else value  # times are judged by the end of the motion
    found = number(name, value)
    if not 0 <= found < float("inf") or (found == 0 and name != "until"):
        raise ModelError(f"`{name}` must be positive and finite, got {found:g}")
    if name == "rtol" and found > 0.1:
        raise ModelError(f"`rtol` is a part of the values, usually 1e-6 to 1e-12, at most 0.1; got {found:g}")
    return found


def conflicts(system: System, chosen: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Find settings that do not go together, or not with the system; each by its name, with the reason."""
    from dalembert.forms import FORMS  # which takes longer to load than a model to read

    method, form, keep = METHODS[chosen["method"]], chosen["form"], chosen["keep"]
    if form not in method.forms:
        good = " or ".join(f"`{name}`" for name in method.forms)
        yield "form", f"the method `{method.name}` goes with the form {good}, not with `{form}`"
    if keep not in method.keeps:
        yield "keep", f"the method `{method.name}` keeps the constraints itself; leave `keep` out, got `{keep}`"
    if chosen["step"] is None and not method.adaptive:
        yield (
            "method",
            f"the method `{method.name}` has a fixed step; give it: step=0.01, or --step 0.01 on the command line",
        )
    if chosen["step"] is not None and not method.fixed:
        yield "step", f"the method `{method.name}` chooses its steps; give `rtol` and `atol` instead of `step`"
    if keep == "stabilise" and (FORMS[form].momenta or FORMS[form].chooses):
        yield "keep", f"`stabilise` goes with the forms in q and v; with `{form}` use keep=project"
    if objection := method.objection(system):
        yield "method", f"the method `{method.name}` {objection}"


def _sample_times(samples: Any, until: float) -> Array:
    if isinstance(samples, int):
        return np.linspace(0.0, until, samples + 1)
    try:
        times = array("samples", samples)
    except ModelError:
        times = np.array(np.nan)
    if times.ndim != 1 or not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0):
        raise ModelError(f"`samples` is a number of intervals, or increasing times; got {shown(samples)}")
    if len(times) and (times[0] < 0 or times[-1] > until):
        raise ModelError(f"`samples` must lie between 0 and {until:g}, got {times[0]:g} to {times[-1]:g}")
    return times
