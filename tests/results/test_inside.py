"""Where certificates look inside steps: at thousands of places, in very large systems at five in every step."""

from __future__ import annotations

from dalembert import example
from dalembert.results.certificate import inside as module
from dalembert.results.certificate.inside import NODES, inside


def test_large_systems_are_looked_at_in_fewer_places_and_pass(monkeypatch):
    ordinary = example("planar-chain:3").simulate(0.5)
    assert inside(ordinary).t.size >= 4000
    monkeypatch.setattr(module, "_MOST_VALUES", 5)  # fewer than there are coordinates
    large = example("planar-chain:3").simulate(0.5)
    assert inside(large).t.shape == (large.steps, len(NODES))
    assert large.certificate.ok


def test_of_many_joints_the_first_are_shown_and_the_others_counted():
    run = example("planar-chain:20").simulate(0.1)
    assert "J13" in run.text() and "J14" not in run.text() and "7 more" in run.text()
    assert len(run.final_joints()) == 20
