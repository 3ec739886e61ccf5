"""A form of the equations is one class."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se

from dalembert import example
from dalembert.algebra.elimination import factorise
from dalembert.algebra.pilot import Pilot
from dalembert.forms.base import FORMS, Form, Solution, register, transposed
from dalembert.forms.prepared import Rows, Scene
from dalembert.language.building import Expr
from tests.extending.contract import compile_c, journey


class Augmented(Form):
    """The augmented form: what constraints weigh is added to both sides, which leaves the motion as it is."""

    name = "augmented"
    title = "The augmented form, (M + AᵀA) q̈ = f + Aᵀc + Aᵀμ"

    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Factorise the matrix of the multipliers with M + AᵀA in the place of M."""
        n, arithmetic = rows.n, rows.arithmetic
        matrix = [dict(row) for row in rows.saddle()]
        for row in rows.A:
            for i, a in row.items():
                for j, b in row.items():
                    matrix[i][j] = matrix[i].get(j, arithmetic.zero) + a * b
        forces = [f + push for f, push in zip(rows.f, transposed(rows.A, rows.c, n, arithmetic), strict=True)]
        found = factorise(matrix, arithmetic, pilot).solve([*forces, *rows.c])
        multipliers = [-value for value in found[n:]]  # A q̈ = c: what was added weighs nothing
        return Solution(found[:n], transposed(rows.A, multipliers, n, arithmetic), multipliers)

    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return q̈ − its formula."""
        symbols = [se.Symbol(f"{q.name}''") for q in scene.blocks.q]
        return [symbol - value for symbol, value in zip(symbols, solution.acceleration, strict=True)]


@pytest.fixture
def form(monkeypatch):
    """Register the form for a while."""
    monkeypatch.setitem(FORMS, Augmented.name, Augmented)
    return register(Augmented)


@pytest.mark.parametrize("model", ["pendulum", "slider-crank", "rolling-disk", "four-bar"])
def test_form(form, model, tmp_path):
    system = example(model)
    state, kernel = system.start(), system.compile(form.name)
    found, known = (system.compile(name)(state.t, state.q, state.v) for name in (form.name, "multipliers"))
    size = np.abs(known.acceleration).max()
    assert np.abs(found.acceleration - known.acceleration).max() < 1e-9 * size
    assert kernel.form == form.name
    derivation = system.derive(form.name)
    assert str(derivation) and derivation.latex() and derivation.as_dict()["form"] == form.name
    run = system.simulate(0.3, form=form.name)
    assert run.form == form.name and run.certificate.ok, str(run.certificate)
    system.export(tmp_path / "model.py", to="numpy", form=form.name)


def test_journey_and_c(form, tmp_path):
    system = example("pendulum")
    run = journey(system.replace(simulation={"form": form.name}), tmp_path)
    assert run.form == form.name
    compile_c(system, tmp_path)
