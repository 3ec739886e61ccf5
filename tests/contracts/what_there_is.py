"""Which forms there are of each model, and which formulas: a table, so that one that is lost is noticed."""

from __future__ import annotations

import pytest

from dalembert.forms import FORMS
from dalembert.forms.prepared import Scene

# by model, the forms whose formulas are too long to be made
TOO_LONG: dict[str, tuple[str, ...]] = {
    "ackermann-steering": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "andrews-squeezer": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "andrews-squeezer-joints": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "bricard": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "chain:3": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "chain-minimal:4": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "engine": ("multipliers", "minimal", "explicit", "reactions", "canonical"),
    "excavator": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "four-bar": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "four-bar-spatial": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "gyroscope": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "heavy-top": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "heavy-top-joints": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "n-four-bar:1": ("multipliers", "minimal", "explicit", "reactions", "canonical"),
    "n-four-bar:2": ("multipliers", "minimal", "explicit", "reactions", "canonical"),
    "n-four-bar-joints:1": ("multipliers", "minimal", "explicit", "reactions", "canonical"),
    "planar-chain:2": ("minimal",),
    "rolling-coin": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "slider-crank": ("minimal",),
    "slider-crank-joints": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
    "spatial-chain:2": ("multipliers", "minimal", "explicit", "reactions", "canonical", "independent", "quasi"),
}

# by model, the forms that it cannot have
REFUSED: dict[str, tuple[str, ...]] = {
    "appell-hamel": ("quasi",),
    "knife-edge": ("canonical",),
    "servo": ("canonical", "quasi"),
    "gyroscopic": ("quasi",),
}


def skip_refused(name: str, scene: Scene, form: str) -> None:
    """Skip a form that a model cannot have, and say why; fail if that is not what the table says."""
    reason = FORMS[form]().refuse(scene)
    assert bool(reason) == (form in REFUSED.get(name, ())), reason or "it is not refused any more: take it out"
    if reason:
        pytest.skip(reason)
