"""What a derivation prints does not depend on what was asked of the system before, nor on the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from dalembert import DerivationError, System, example
from dalembert.forms import FORMS
from tests.conftest import GALLERY
from tests.sampling import sampled

PRINTS = """
import json, sys
from dalembert import example
derivation = example(sys.argv[1]).derive("explicit")
print(derivation, json.dumps(derivation.as_dict()))
"""


def printed(system: System, form: str, *first: str) -> str:
    """Return all that is printed of a form; `first`: what is asked of its derivation before that."""
    try:
        derivation = system.derive(form)
    except DerivationError as error:
        return str(error)
    for name in first:
        getattr(derivation, name)
    return f"{derivation}\n{json.dumps(derivation.as_dict(), default=str)}"


@pytest.mark.parametrize("model", sampled(GALLERY, 40, 28))  # planar-chain:2, whose steps several forms share
def test_other_forms_and_motions(model):
    """Once with `explicit` before the others, which writes M⁻¹f first, and once after them; λ is in both."""
    fresh = {form: printed(example(model), form) for form in FORMS}
    there, back = example(model), example(model)
    back.check()
    back.simulate(0.01)
    for form in FORMS:
        assert printed(there, form) == fresh[form]
    for form in reversed(FORMS):
        assert printed(back, form) == fresh[form]


@pytest.mark.parametrize("model", sampled(GALLERY, 40, 28))
@pytest.mark.parametrize("form", ["explicit", "reactions"])
def test_reactions_before_equations(model, form):
    first = ("reactions", "total_reaction", "matrices", "abbreviations")
    assert printed(example(model), form, *first) == printed(example(model), form)


@pytest.mark.parametrize("model", sampled(GALLERY, 40, 26))
def test_the_order_of_sets_is_not_seen(model):
    """Python orders sets of texts differently in each process."""
    found = set()
    for seed in ("1", "2"):
        known = os.environ | {"PYTHONHASHSEED": seed}
        ran = subprocess.run([sys.executable, "-c", PRINTS, model], env=known, capture_output=True, check=True)
        found.add(ran.stdout)
    assert len(found) == 1
    assert b"reactions" in found.pop()
