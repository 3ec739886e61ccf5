"""Laws of control in Python: called at equal intervals with the state, and what they give is held in between.

What was given is recorded. A second motion, as for a certificate, is computed from the record; laws are not called
again, as they may remember, draw lots, or ask an instrument.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import shown, table
from dalembert.arrays import Array
from dalembert.errors import ModelError, SimulationError
from dalembert.language.state_names import named_values

if TYPE_CHECKING:
    from dalembert.model.settings import Settings
    from dalembert.model.system import System
    from dalembert.motion.crossing import Crossing
    from dalembert.motion.engine import Engine
    from dalembert.motion.watch import Watch

MAX_CALLS = 1_000_000  # of one motion

Law = Callable[[float, dict[str, float]], float]


@dataclass(frozen=True)
class ControlRecord:
    """What laws gave: times, and values from each of them on, a column for each control."""

    names: tuple[str, ...]
    times: Array
    values: Array

    def as_dict(self) -> dict[str, Array]:
        """Return the times and the values by name."""
        return {"t": self.times, **dict(zip(self.names, self.values.T, strict=True))}


def laws_of(system: System, settings: Settings) -> dict[str, Law]:
    """Return the laws that are functions of Python, by the parameters that they set; refuse what cannot be one."""
    laws = dict(table("controls", settings.controls or {}))
    if not laws:
        if settings.every is not None:
            raise ModelError('`every` is the interval of laws in Python; give some, as in controls={"u": law}')
        return {}
    for name in laws:
        held = [c.name for c in system.constraints if any(symbol.name == name for symbol in c.expression.free_symbols)]
        if held:
            raise ModelError(
                f"control `{name}` stands in constraint `{held[0]}`, which cannot jump; let a force follow it"
            )
    if settings.every is None:
        raise ModelError("laws are called at equal intervals; give `every`, as in every=0.01")
    calls = (settings.until - settings.begin) / settings.every
    if calls > MAX_CALLS:
        raise ModelError(f"laws would be called {calls:.3g} times, at most {MAX_CALLS:,}; take a longer `every`")
    return laws


class Sampling:
    """Calls laws when it is time, or repeats what they gave."""

    def __init__(
        self, system: System, laws: Mapping[str, Law], settings: Settings, record: ControlRecord | None = None
    ):
        self.system, self.laws, self.record = system, laws, record
        self.names = record.names if record is not None else tuple(laws)
        self.places = [list(system.parameters).index(name) for name in self.names]
        if record is not None:
            self.times = record.times
        elif laws and settings.every is not None:
            count = math.ceil((settings.until - settings.begin) / settings.every * (1 - 1e-12))
            self.times = settings.begin + settings.every * np.arange(max(count, 1))
        else:
            self.times = np.zeros(0)
        self.values: list[Sequence[float]] = []

    def next(self) -> float:
        """Return when it is time for the next call; never, if there is none."""
        return float(self.times[len(self.values)]) if len(self.values) < len(self.times) else math.inf

    def take(self, t: float, q: Array, v: Array) -> dict[str, float]:
        """Ask the laws, or the record, for the values from now on."""
        if self.record is not None:
            found = [float(x) for x in self.record.values[len(self.values)]]
        else:
            state = named_values(self.system.coordinates, q.tolist(), v.tolist())
            found = [_value(name, law, t, state) for name, law in self.laws.items()]
        self.values.append(found)
        return dict(zip(self.names, found, strict=True))

    def hold(self, engine: Engine, watch: Watch, crossing: Crossing) -> tuple[str, str] | None:
        """Go on with new values from here; return status and reason if an event that they bring about ends it."""
        t = float(engine.clock.t)
        parameters = watch.parameters.copy()
        parameters[self.places] = [*self.take(t, *watch.split(t, engine.y)).values()]
        if np.array_equal(parameters, watch.parameters):
            crossing.renew()
            return None
        watch.parameters = parameters
        watch.changes.append((t, parameters))
        engine.hold(parameters)
        crossing.renew()
        engine.advance(0)
        if not np.any(engine.events[3]):
            return None
        ended = watch.handle()  # what is watched for passed zero with the new values
        crossing.renew()
        return ended

    @property
    def held(self) -> ControlRecord | None:
        """What was given so far; None without laws."""
        if not self.names:
            return None
        return ControlRecord(
            self.names, self.times[: len(self.values)], np.array(self.values).reshape(-1, len(self.names))
        )


def _value(name: str, law: Law, t: float, state: dict[str, float]) -> float:
    """Call a law; raise SimulationError unless it gives a finite number."""
    try:
        found: Any = law(t, dict(state))
    except Exception as error:
        words = f"{type(error).__name__}: {str(error)[:200]}"
        raise SimulationError(f"the law of control `{name}` fails at t = {t:.6g}: {words}") from error
    if isinstance(found, (bool, int, float, np.number, np.bool_)) or (
        isinstance(found, np.ndarray) and found.ndim == 0
    ):
        try:
            value = float(found)
        except (TypeError, ValueError, OverflowError):
            value = math.nan
        if math.isfinite(value):
            return value
    got = "nothing (None)" if found is None else shown(found)
    raise SimulationError(f"the law of control `{name}` gives {got} at t = {t:.6g}; expected a finite number")
