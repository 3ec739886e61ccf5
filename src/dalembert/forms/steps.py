"""The steps in which long formulas are written: in space by bodies, else by what is shortest.

There are determinants that can be read, elimination row by row, and the motion first with the balance after it.
"""

from __future__ import annotations

from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import total
from dalembert.forms.by_bodies import by_bodies
from dalembert.forms.cramer import ByCramer
from dalembert.forms.eliminated import ByElimination
from dalembert.forms.moved import ByMotion
from dalembert.forms.prepared import Scene
from dalembert.forms.sheet import GAIN, NamedSteps, needed

_SHORTER = 0.9  # times the operations of one way, from which another is taken
_MOST = 40  # conditions, above which only one way is gone


def steps_of(scene: Scene) -> NamedSteps:
    """Return the steps of a scene, found once."""
    if "steps" not in scene.written:
        scene.written["steps"] = _steps(scene)
    return scene.written["steps"]


def _steps(scene: Scene) -> NamedSteps:
    if (found := by_bodies(scene)) is not None:
        return found
    found = _solved(scene)
    if not 1 < scene.rank <= _MOST:
        return found
    other = ByMotion(scene)
    gain = GAIN if found.matrices else _SHORTER  # determinants show N and P too
    return other if _length(other) <= gain * _length(found) else found


def _solved(scene: Scene) -> NamedSteps:
    steps = ByCramer(scene)
    try:
        return steps if steps.multipliers else ByElimination(scene)
    except TooLarge:
        return ByElimination(scene)


def _length(steps: NamedSteps) -> int:
    """Count the operations of the multipliers with all that they need, and a line for each name."""
    names = needed(steps.multipliers, steps.names)
    return total((*steps.multipliers, *names.values())) + len(names)
