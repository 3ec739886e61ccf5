"""The certificate does not pass what solves other equations, or one of several solutions."""

from __future__ import annotations

import pickle

import pytest

from dalembert.native.kernels import Kernels
from dalembert.native.law_solver import TapeLaw
from dalembert.results.certificate import solution_count

from .models import BLOCK, LADDER


def failed(run) -> list[str]:
    return [item.name for item in run.certificate.items if not item.ok]


@pytest.mark.parametrize("change", [{"x": "-1.001*mu*abs(lambda_floor)*sign(x')"}, {"x": "-mu*lambda_floor^2/19"}])
def test_code_with_another_law(monkeypatch, change):
    monkeypatch.setattr(
        "dalembert.motion.loop.Kernels", lambda system, form: Kernels(system.replace(forces=change), form)
    )
    with pytest.warns(Warning, match="certificate"):
        assert "equations" in failed(BLOCK.simulate(0.2))


def test_code_that_solves_wrongly(monkeypatch):
    """λ of no solution at all: the forces belong to others than those that are given out."""
    plain = TapeLaw.phi
    monkeypatch.setattr(TapeLaw, "phi", lambda *args: [1.01 * value for value in plain(*args)])
    monkeypatch.setattr("dalembert.native.kernels.is_lasting", lambda *args: False)  # nothing of it is kept
    system = pickle.loads(pickle.dumps(LADDER))  # of which nothing is compiled yet
    with pytest.warns(Warning, match="certificate"):
        assert "equations" in failed(system.simulate(0.1))


def test_one_of_several_solutions(monkeypatch):
    monkeypatch.setattr(solution_count, "paradox", lambda *args: "two solutions")
    with pytest.warns(Warning, match="certificate"):
        run = BLOCK.simulate(0.2)
        assert "solutions" in failed(run)
    assert "two solutions" in run.certificate.notes
