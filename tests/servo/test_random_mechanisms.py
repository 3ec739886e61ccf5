"""Random mechanisms with random controls and programmes against the pencil of their joints, or a refusal by name."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError
from dalembert.errors import SimulationError
from dalembert.survey.servo import steering_of
from tests.sampling import sampled
from tests.servo.random_mechanisms import Geometry, RandomMechanism

IMPOSSIBLE = ("no control can hold", "does nothing that", "holds by the others", "already, so that no control",
              "depends on velocities in a way that is not solved")  # fmt: skip
BEGIN = 0.7


@pytest.mark.parametrize("seed", sampled(range(300), every=25))
def test_internal_states_are_the_degree_of_the_pencil(seed):
    drawn = RandomMechanism.drawn(np.random.default_rng(seed))
    degree = degree_of_pencil(*drawn.reduced())
    for by in ("absolute", "joints"):
        try:
            system = drawn.model(by)
        except ModelError as error:
            assert degree is None, error
            assert any(words in str(error) for words in IMPOSSIBLE), error
            continue
        if (steering := steering_of(system)) is None:  # what leads and what joins contradict each other
            assert degree is None
            assert not system.check().ok
            continue
        assert steering.states == degree
        if by == "absolute":
            balanced(drawn, system)


def balanced(drawn: RandomMechanism, system) -> None:
    """Compare accelerations and controls on the way with virtual work, and with the path."""
    state = system.replace(simulation={"begin": BEGIN}).start()
    assert state.t == BEGIN
    try:
        found = system.compile()(state.t, state.q, state.v)
    except SimulationError as error:
        assert "too few digits are known" in str(error), error
        return
    names = [constraint.name for constraint in system.constraints]
    programmes = list(system.sections["programme"])
    u = found.multipliers[[names.index(name) for name in programmes]]
    here = Geometry(drawn, state.q.reshape(-1, 3))
    off, size = here.missed(state.v, found.acceleration, u)
    assert off < 1e-9 * max(1, size)
    s, c = np.sin(BEGIN), np.cos(BEGIN)
    for k in drawn.led:
        factor = 0.1 + 0.02 * k
        assert here.values[k] == pytest.approx(factor * s**6, abs=1e-9)
        assert here.slopes[k] @ state.v == pytest.approx(factor * 6 * s**5 * c, abs=1e-9)
        wanted = factor * (30 * s**4 * c**2 - 6 * s**6)
        size = max(1, np.abs(found.acceleration).max())
        assert here.acceleration_of(k, state.v, found.acceleration) == pytest.approx(wanted, abs=1e-9 * size)


def degree_of_pencil(M, D, K, E, B) -> int | None:
    """Count the finite eigenvalues of M λ² + D λ + K, bordered by E and B; None if its determinant vanishes."""
    n, p = len(M), len(B)
    s = 2 * np.exp(2j * np.pi * (np.arange(64) + 0.3) / 64)
    pencil = [np.block([[M * x * x + D * x + K, -E], [B, np.zeros((p, p))]]) for x in s]
    singular = np.array([np.linalg.svd(P, compute_uv=False) for P in pencil])
    if np.max(singular[:, -1] / singular[:, 0]) < 1e-10:
        return None
    values = np.array([np.linalg.det(P) for P in pencil])
    sizes = np.abs([np.mean(values * s ** (-k)) * 2.0**k for k in range(2 * n + 1)])
    return int(np.flatnonzero(sizes > 1e-9 * sizes.max())[-1])
