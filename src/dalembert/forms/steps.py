"""The steps in which long formulas are written: in space by bodies, by determinants that can be read, or by rows."""

from __future__ import annotations

from dalembert.algebra.rational import TooLarge
from dalembert.forms.by_bodies import by_bodies
from dalembert.forms.cramer import ByCramer
from dalembert.forms.eliminated import ByElimination
from dalembert.forms.prepared import Scene
from dalembert.forms.sheet import NamedSteps


def steps_of(scene: Scene) -> NamedSteps:
    """Return the steps of a scene, found once."""
    if "steps" not in scene.written:
        scene.written["steps"] = _steps(scene)
    return scene.written["steps"]


def _steps(scene: Scene) -> NamedSteps:
    if (found := by_bodies(scene)) is not None:
        return found
    steps = ByCramer(scene)
    try:
        return steps if steps.multipliers else ByElimination(scene)
    except TooLarge:
        return ByElimination(scene)
