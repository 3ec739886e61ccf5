"""Every formula that is printed of the gallery, in every form, equals the kernel: read back by another way."""

from __future__ import annotations

import json
from itertools import takewhile
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dalembert import DerivationError, ModelError, System, example
from dalembert.blocks.numeric import numeric_of
from dalembert.forms import FORMS
from dalembert.survey.configurations import beginning, places_of
from tests.conftest import GALLERY, STEERED
from tests.everyday import formulas
from tests.everyday.compare import Compare
from tests.everyday.oracle import Oracle
from tests.sampling import sampled

# those in quasi-velocities, which are other unknowns, are compared in forms/test_quasi.py
CASES = [  # of controls that hold programmes, which are solved for, tests/servo knows what is right
    (model, form) for model in GALLERY for form in FORMS if FORMS[form].beside != "u" and model not in STEERED
]


def kernels_of(system: System) -> Any:
    """Return what the comparisons ask of a case, with the package's own kernels in the place of the oracle."""
    kinds = getattr(system, "measured", {})
    names = system.coordinates
    euler = [k for k, name in enumerate(names) if kinds.get(name) == "euler"]
    oracle = SimpleNamespace(
        names=names,
        parameters={name: float(value) for name, value in system.parameters.items()},
        scale=np.ones(len(names)),
        quaternions=euler[::4],
    )
    oracle.turning = lambda force, q: Oracle.turning(oracle, force, q)
    return SimpleNamespace(oracle=oracle)


def truth_of(system: System, place: Any) -> Any:
    """Return what kernels compute at a state."""
    t, q, v = place
    found, f = system.compile()(t, q, v), numeric_of(system).all(t, q, v).f
    truth = SimpleNamespace(acceleration=found.acceleration, reaction=found.reaction, f=f, owners={}, components={})
    truth.momentum = truth.momentum_rate = np.zeros(len(q))
    if system.kinetic is not None:
        try:
            canonical = system.compile("canonical")
            truth.momentum = canonical.to_state(t, q, v)
            truth.momentum_rate = canonical(t, q, truth.momentum).momentum_rate
        except DerivationError:
            pass  # then there is no formula either
    return truth


def compare_with_kernels(system: System, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read everything back that is printed of a form, and compare it with the kernels at two states."""
    for row in (row for rows in system.calls.values() for row in rows):  # functions of its own
        if row.text:
            monkeypatch.setitem(formulas._FUNCTIONS, row.text.partition("(")[0], row.array)
    monkeypatch.setattr(formulas, "_made", {})  # what a name means in a text depends on them
    try:
        derivation = system.derive(form)
    except DerivationError:
        pytest.skip("this form is refused here")
    data, compare = json.loads(json.dumps(derivation.as_dict())), Compare(kernels_of(system))
    lines = printed(str(derivation)) if data["equations"] else []
    assert len(lines) == len(data["equations"])
    for place in (beginning(system), places_of(system)[0]):
        state = (place.t, place.q, place.v)
        truth = truth_of(system, state)
        if not (system.constraints and derivation.redundant):
            reactions = system.compile().reactions(*state)
            truth.owners = {name: compare.oracle.turning(row, place.q) for name, row in reactions.items()}
            truth.components = {name: np.ones(len(place.q), dtype=bool) for name in truth.owners}
        compare.formulas(data, state, truth)
        if lines != data["equations"]:  # solved for what the form is about
            compare.formulas({**data, "equations": lines}, state, truth)


def printed(shown: str) -> list[str]:
    """Return the equations as they are printed, with all terms on one side."""
    lines = shown.partition("\nEquations\n")[2].splitlines()
    rows = [line.strip().partition(" = ") for line in takewhile(lambda line: line.startswith("  "), lines)]
    return [f"{left} = 0" if right == "0" else f"{left} - ({right}) = 0" for left, _, right in rows]


@pytest.mark.parametrize("case", sampled(CASES, 23), ids=" ".join)
def test_printed_formulas_equal_the_kernel(case, monkeypatch):
    model, form = case
    compare_with_kernels(example(model), form, monkeypatch)


def test_functions_of_other_models_do_not_mislead_the_reader(monkeypatch):
    """A table called cos is refused, but its operations are known from then on."""
    with pytest.raises(ModelError, match="reserved"):
        System("x", kinetic="x'^2/2", tables={"cos": {"x": [0, 1], "value": [0, 5]}})
    compare_with_kernels(example("pendulum"), "explicit", monkeypatch)
