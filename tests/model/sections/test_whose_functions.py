"""Tables and open functions belong to models: they are known as long as one has them, and to nobody else."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import sympy as sp

from dalembert import System
from dalembert.errors import ModelError
from dalembert.language import functions

ROAD = {"x": [0, 1, 2], "value": [0, 1, 4]}


def model(**further) -> System:
    """Return a bead under a force that a table gives."""
    return System("x", kinetic="x'^2/2", forces={"x": "-road(x + 1)"}, tables={"road": ROAD}, **further)


def acceleration(system: System) -> float:
    """Return the acceleration at some place."""
    found: Any = system.compile()(0.0, [0.3], [0.0])
    return float(found.acceleration[0])


def known() -> tuple[set[str], set[str]]:
    """Return the names of what the language has, and of what models have."""
    gc.collect()
    return set(functions.OPERATIONS), set(functions._OF_MODELS)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"tables": {"cos": {"x": [0, 1], "value": [0, 5]}}}, "reserved"),
        ({"tables": {"road": ROAD}, "forces": {"x": "rod(x)"}}, "unknown function `rod`"),
        ({"functions": {"F": ["t"]}, "forces": {"x": "F(t) + y"}}, "unknown name `y`"),
    ],
)
def test_a_refused_model_leaves_nothing_behind(given, text):
    before = known()
    with pytest.raises(ModelError, match=text) as refused:
        System("x", kinetic="x'^2/2", **given)
    del refused
    assert known() == before
    assert functions.operation("cos").value(0.0) == 1.0


def test_functions_are_gone_with_the_last_model_that_has_them():
    before = known()
    first = model(functions={"F": ["t", "x"]})
    variant = first.replace(initial={"x": 0.5})
    assert known()[0] == before[0] and len(known()[1]) > len(before[1])
    row = weakref.ref(first.calls["road"][0])
    del first
    gc.collect()
    assert variant.calls["road"][0] is row()
    assert variant.replace(functions={"F": "0"}).simulate(0.5).certificate.ok
    del variant
    assert known() == before and row() is None


def test_equal_tables_are_one_and_others_keep_apart():
    one, other = model(), model()
    different = model().replace(tables={"road": {"x": [0, 1, 2], "value": [0, 2, 8]}})
    assert one.calls["road"] == other.calls["road"] and one.calls["road"][0] is other.calls["road"][0]
    assert one.calls["road"][0].name != different.calls["road"][0].name
    assert acceleration(different) == pytest.approx(2 * acceleration(one), rel=1e-14)


def test_an_expression_of_sympy_keeps_its_functions():
    formula = model().derive("explicit").a_u[0]
    gc.collect()
    (x,) = (atom for atom in formula.atoms(sp.Function) if atom.func.__name__ == "x")
    place = sp.Symbol("x")
    slope = formula.subs(x, place).diff(place).subs(place, x)
    again = System("x", kinetic="x'^2/2", forces={"x": formula - slope}, tables={"road": ROAD})
    written = System("x", kinetic="x'^2/2", forces={"x": "-road(x + 1) + road'(x + 1)"}, tables={"road": ROAD})
    assert acceleration(again) == pytest.approx(acceleration(written), rel=1e-14)


def test_an_expression_of_a_system_that_is_gone_is_refused_by_name():
    table = {"x": [0, 1, 2], "value": [0, 3, 7]}  # of no other test here, whose expressions SymPy remembers
    given: dict[str, Any] = {"coordinates": "x", "kinetic": "x'^2/2"}
    force = System(**given, forces={"x": "-hill(x)"}, tables={"hill": table}).forces["x"]
    gc.collect()
    with pytest.raises(ModelError, match="`hill` is a function of a system that is gone"):
        System(**given, forces={"x": force}, tables={"hill": ROAD})
    assert System(**given, forces={"x": force}, tables={"hill": table}).forces["x"] == force  # equal data are one
