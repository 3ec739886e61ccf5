"""Random systems with friction against equations and decisions by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dalembert import SimulationError
from tests.friction.random_rubbing import RESTS, Rubbing

WORDS = ("Painlevé", "not determined", "not determinate", "no solution", "solutions")


def holds(seed: int) -> str:
    """Hold a random motion against the oracle; return what was refused."""
    rubbing = Rubbing.drawn(np.random.default_rng(seed))
    system = rubbing.system()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = system.simulate(2.0, rtol=1e-9, atol=1e-11, samples=9)
        except SimulationError as error:
            assert any(word in str(error) for word in WORDS), error
            modes = rubbing.modes(rubbing.q, rubbing.v)
            stuck = [sum(what == "stick" for what in mode) for mode in modes]
            assert stuck.count(max(stuck, default=0)) != 1, (seed, list(modes), str(error))
            return str(error)
    if run.status != "done":
        assert any(word in run.message for word in WORDS), (seed, run.message)
    names = system.coordinates
    q, v, a = (np.column_stack([run.evaluate(name + prime) for name in names]) for prime in ("", "'", "''"))
    lam = np.column_stack([run.evaluate(f"lambda_c{i}") for i in range(len(rubbing.alpha))] or [np.zeros((len(q), 0))])
    known = {
        what: np.column_stack([run.evaluate(f"f{i}.{what}") for i in range(len(rubbing.loads))])
        for what in ("status", "tangent", "normal", "slip")
    }
    begins = {event.t for event in run.events}
    for i, t in enumerate(run.t):
        M, f, A, c = rubbing.matrices(q[i], v[i])
        tangent, normal, slip = known["tangent"][i], known["normal"][i], known["slip"][i]
        off = M @ a[i] - f - A.T @ lam[i] - rubbing.slopes.T @ tangent
        size = max(np.abs(f).max(), np.abs(M @ a[i]).max(), np.abs(tangent).max(), 1e-3)
        assert np.abs(off).max() < 1e-9 * size, (seed, t)
        assert np.abs(A @ a[i] - c).max(initial=0) < 1e-8 * max(np.abs(a[i]).max(), 1.0), (seed, t)
        assert slip == pytest.approx(rubbing.slips(v[i]), abs=1e-9)
        loads = [x if isinstance(x, float) else abs(lam[i][x]) for x in rubbing.loads]
        assert normal == pytest.approx(np.array(loads), rel=1e-9, abs=1e-12)
        sticks = known["status"][i] == 1
        assert np.all(np.abs(slip[sticks]) < 1e-7), (seed, t)
        assert np.all(np.abs(tangent) <= rubbing.mu_s * normal * (1 + 1e-6) + 1e-9 + rubbing.viscous * np.abs(slip)), (
            seed,
            t,
        )
        slides = ~sticks & (np.abs(slip) > 1e-7)
        wanted = -rubbing.mu * normal * np.sign(slip) - rubbing.viscous * slip
        assert tangent[slides] == pytest.approx(wanted[slides], rel=1e-7, abs=1e-9), (seed, t)
        if any(abs(t - other) < 1e-6 for other in begins):
            continue
        resting = np.where(sticks, 0.0, slip)
        exact = v[i] - np.linalg.pinv(rubbing.slopes[sticks]) @ slip[sticks] if sticks.any() else v[i]
        if np.any(~sticks & (np.abs(resting) < 10 * RESTS)) and i:
            continue
        modes = rubbing.modes(q[i], exact)
        most = max((sum(what == "stick" for what in mode) for mode in modes), default=-1)
        assert any(np.allclose(x, a[i], rtol=1e-5, atol=1e-5 * max(1.0, np.abs(a[i]).max())) for x in modes.values()), (
            seed, t, list(modes), sticks,
        )  # fmt: skip
        assert most == sticks.sum(), (seed, t, list(modes), sticks)
    return "" if run.status == "done" else run.message


@pytest.mark.parametrize("seed", range(12))
def test_random_systems(seed):
    holds(seed)


def test_one_that_rests_beyond_the_critical_coefficient():
    holds(16)


def test_one_that_rests_by_a_share_that_turns_a_reaction_round():
    holds(189)


def test_one_that_sticks_by_the_only_solution_inside_its_limit():
    """The sign of the reaction with which it would stick beyond its limit is a solution of the equations, but none."""
    holds(672)


def test_two_that_stick_until_both_are_at_their_limits():
    holds(831)


def test_one_whose_load_passes_zero():
    holds(929)


def test_one_that_can_neither_go_on_sticking_nor_slide_in_one_way():
    assert "Painlevé" in holds(1165)


@pytest.mark.full
def test_many_random_systems():
    refused = [text for seed in range(12, 512) if seed not in (16, 189) and (text := holds(seed))]
    assert len(refused) < 100
