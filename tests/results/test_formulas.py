"""Equations are derived once: what was written down for a model is kept beside its compiled code."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert import System
from dalembert.document.html import write_page
from dalembert.document.text import write_text
from dalembert.forms import FORMS, work
from dalembert.forms.multipliers import Multipliers
from dalembert.language import functions
from dalembert.language.functions import ODD, Function, register, symbol_of
from dalembert.model.gallery import example
from dalembert.native import cache
from dalembert.results.kept_formulas import all_equations, brief_equations


@pytest.fixture
def derived(tmp_path, monkeypatch):
    """Count derivations, with nothing on disk."""
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "kept"))
    forms, plain = [], work.derive

    def counted(system, form, *rest):
        forms.append(form)
        return plain(system, form, *rest)

    monkeypatch.setattr(work, "derive", counted)
    return forms


@pytest.mark.parametrize("model", ["slider-crank", "slider-crank-joints", "rolling-disk"])
def test_the_same_is_shown_the_second_time(model, derived):
    shown = [(write_text(brief_equations(s)), write_page([all_equations(s, "multipliers")])) for s in twice(model)]
    assert shown[0] == shown[1]
    assert derived == ["minimal"]


def twice(model):
    return example(model), example(model)


def test_other_values_are_derived_again(derived):
    for mass in (1.0, 1.0, 2.0, 0.0):
        brief_equations(System("x", kinetic="(m + 1)*x'^2/2", parameters={"m": mass}))
    assert len(derived) == 3


def test_a_refusal_is_said_again(derived):
    for _ in range(2):
        system = System("x y", kinetic="x'^2/2")
        assert "not written down" in write_text(all_equations(system, "explicit"))
    assert derived == ["explicit"]


def test_equations_of_the_users_own_symbols(derived):
    import sympy as sp
    from sympy.physics.mechanics import dynamicsymbols

    x, m = dynamicsymbols("x"), sp.Symbol("m", positive=True)
    texts = [
        write_text(brief_equations(System([x], kinetic=m * x.diff() ** 2 / 2, parameters={m: 1}))) for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert "m*x'' = 0" in texts[0] or "x'' = 0" in texts[0]
    assert derived == ["minimal"]


def test_functions_from_outside_may_mean_something_else_tomorrow(derived, monkeypatch):
    for name in ("OPERATIONS", "FUNCTIONS", "FLOATS", "ARRAYS", "INTERVALS", "_BY_SYMENGINE"):
        monkeypatch.setitem(getattr(functions, name), "pull", None)
    for factor in (1.0, 3.0):
        register(
            Function(
                "pull", symbol_of("pull"), lambda u, k=factor: k * math.sin(u), lambda u, k=factor: k * np.sin(u),
                lambda call, y, u, k=factor: [k * call("cos", u)], parity=ODD,
                instructions=lambda to, u, k=factor: [f"  {to} = fmul double {u}, {k}"],
            )
        )  # fmt: skip
        system = System("x", kinetic="x'^2/2", potential="pull(x)")
        assert f"{factor:g}" in write_text(brief_equations(system)) or factor == 1.0
        force = System("x", kinetic="x'^2/2", forces={"x": "pull(x)"}).compile()(0.0, [0.5], [0.0]).acceleration
        assert force == pytest.approx(0.5 * factor)
    assert len(derived) == 2
    assert not cache.entries()


def test_forms_from_outside_too(derived, monkeypatch):
    class Mine(Multipliers):
        """The same, under another name."""

        name = "mine"
        shared = plain = False

    monkeypatch.setitem(FORMS, "mine", Mine)
    for _ in range(2):
        assert "x''" in write_text(all_equations(System("x", kinetic="x'^2/2"), "mine"))
    assert derived == ["mine", "mine"]
    assert not cache.entries()
