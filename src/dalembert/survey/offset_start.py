"""A start off the constraints: all initial values are kept though they contradict constraints, which is then said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.blocks.numeric import pilot_numeric_of
from dalembert.model.facts import START, fact
from dalembert.model.initial import begin_of
from dalembert.survey.contradiction import contradicted
from dalembert.survey.start import State, guess_of, solve_levels, state_of

if TYPE_CHECKING:
    from dalembert.model.system import System


@fact(START)
def offset_start(system: System) -> State:
    """Return the initial state with all values that were given; what was left open makes the residuals least."""
    numeric, t = pilot_numeric_of(system), begin_of(system.simulation)
    solved = solve_levels(numeric, system.initial, guess_of(system), t, off=True)
    text = "; ".join(contradicted(part.level, part.best) for part in solved if not part.best.solved)
    return replace(state_of(solved), off=text)
