"""Which settings go together, and with a system: what does not is refused before anything runs.

A model may say them too, in [simulate]: what is wrong there is found when it is read, what does not go together by
`check`; a call may still give what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dalembert.arguments import array, shown
from dalembert.arrays import Array
from dalembert.errors import ModelError
from dalembert.language.building import TIME
from dalembert.model.settings import Settings, read
from dalembert.model.system import System
from dalembert.motion.events import with_events
from dalembert.motion.independent_choice import objection
from dalembert.motion.methods import METHODS


def chosen_settings(system: System, asked: Mapping[str, Any]) -> Settings:
    """Join what was asked, what the model says, and the defaults; refuse what does not exist or go together."""
    given = {**system.simulation, **_from_time(_given(asked), system)}
    chosen = complete({**given, "events": with_events(system, given.get("events", ()))})
    if chosen.gains and chosen.keep != "stabilise":
        raise ModelError(f'`gains` are those of keep="stabilise"; leave them out with keep="{chosen.keep}"')
    for _, text in conflicts(system, chosen):
        raise ModelError(text)
    sample_times(chosen)
    return chosen


def _given(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is not asked: what a model may say is then as it says."""
    return {name: value for name, value in asked.items() if value is not None or name not in Settings.in_file}


def _from_time(asked: dict[str, Any], system: System) -> dict[str, Any]:
    """Let a time among the initial values, as in `run.final()`, be the one at which the motion begins."""
    initial = asked.get("initial")
    if not isinstance(initial, Mapping) or TIME not in initial:
        return asked
    begin = read("begin", initial[TIME])
    rest = {name: value for name, value in initial.items() if name != TIME}
    asked = {"begin": begin, **asked, "initial": rest}
    if "until" not in asked and "until" in system.simulation and asked["begin"] >= system.simulation["until"]:
        end = system.simulation["until"]
        raise ModelError(f"the motion would begin at t = {begin:g}, and the model ends at t = {end:g}; give `until`")
    return asked


def complete(given: Mapping[str, Any]) -> Settings:
    """Return all settings, with defaults for those that are not given; the form is the first of the method."""
    method = METHODS[read("method", given.get("method", Settings.method))]
    until = read("begin", given.get("begin", Settings.begin)) + Settings.until
    return Settings(**{"until": until, "form": method.forms[0], **given})


def conflicts(system: System, chosen: Settings) -> Iterator[tuple[str, str]]:
    """Find settings that do not go together, or not with the system; each by its name, with the reason."""
    from dalembert.forms import FORMS  # which takes longer to load than a model to read

    method, form, keep = METHODS[chosen.method], chosen.form, chosen.keep
    if form not in method.forms:
        good = " or ".join(f"`{name}`" for name in method.forms)
        yield "form", f"the method `{method.name}` goes with the form {good}, not with `{form}`"
    if keep not in method.keeps:
        yield "keep", f"the method `{method.name}` keeps the constraints itself; leave `keep` out, got `{keep}`"
    if chosen.step is None and not method.adaptive:
        yield (
            "method",
            f"the method `{method.name}` has a fixed step; give it: step=0.01, or --step 0.01 on the command line",
        )
    if chosen.step is not None and not method.fixed:
        yield "step", f"the method `{method.name}` chooses its steps; give `rtol` and `atol` instead of `step`"
    if keep == "stabilise" and (FORMS[form].conversion or FORMS[form].chooses):
        yield "keep", f"`stabilise` goes with the forms in q and v; with `{form}` use keep=project"
    if chosen.coordinates is not None:
        if not FORMS[form].chooses:
            yield "coordinates", f"`coordinates` are those of the form `independent`; leave them out with `{form}`"
        elif wrong := objection(system, chosen.coordinates):
            yield "coordinates", wrong
    if system.defined and FORMS[form].conversion:
        what = f"the method `{method.name}`" if len(method.forms) == 1 else f"the form `{form}`"
        text = f"{what} needs formulas, which long trees in the coordinates of their joints do not have"
        yield "form", f'{text}; take coordinates = "absolute", or `dop853`, `radau` or `bdf` in another form'
        return
    if reason := method.objection(system):
        yield "method", f"the method `{method.name}` {reason}"


def sample_times(settings: Settings) -> Array | None:
    """Return the times at which values are wanted; None: at every step."""
    samples, begin, until = settings.samples, settings.begin, settings.until
    if samples is None:
        return None
    if isinstance(samples, int):
        return np.linspace(begin, until, samples + 1)
    try:
        times = array("samples", samples)
    except ModelError:
        times = np.array(np.nan)
    if times.ndim != 1 or not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0):
        raise ModelError(f"`samples` is a number of intervals, or increasing times; got {shown(samples)}")
    if len(times) and (times[0] < begin or times[-1] > until):
        raise ModelError(f"`samples` must lie between {begin:g} and {until:g}, got {times[0]:g} to {times[-1]:g}")
    return times
