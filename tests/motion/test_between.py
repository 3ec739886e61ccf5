"""States inside many steps at once are those of each step alone, in any order."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, System
from tests.shared import example

OSCILLATOR = System(
    "x",
    kinetic="m*x'^2/2",
    potential="k*x^2/2",
    forces={"x": "0.1*step(sin(3*t))"},
    parameters={"m": 1.0, "k": 1.0},
    initial={"x": 1.0, "x'": 0.0},
)
MOTIONS = {
    "plain": lambda: example("double-pendulum").simulate(3.0),
    "constraints": lambda: example("pendulum").simulate(3.0),
    "several choices of coordinates": lambda: example("n-four-bar:2").simulate(3.0, form="independent"),
    "stabilised": lambda: example("pendulum").simulate(3.0, keep="stabilise"),
    "rk4": lambda: example("pendulum").simulate(1.0, method="rk4", step=0.02),
    "radau": lambda: example("pendulum").simulate(1.0, method="radau", rtol=1e-6, atol=1e-8),
    "bdf": lambda: example("pendulum").simulate(1.0, method="bdf", rtol=1e-6, atol=1e-8),
    "rattle": lambda: OSCILLATOR.simulate(3.0, method="rattle", step=0.1),
    "switches and changes": lambda: OSCILLATOR.simulate(6.0, events=[Event("x = 0", {"k": 4.0}, direction=-1)]),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_many_steps_at_once(name):
    motion = MOTIONS[name]().motion
    random = np.random.default_rng(1)
    steps = random.integers(0, len(motion.times) - 1, size=60)
    thetas = random.uniform(size=60)
    together = motion.between(steps, thetas)
    alone = [motion.between(steps[k : k + 1], thetas[k : k + 1])[0] for k in range(len(steps))]
    assert np.allclose(together, alone, rtol=1e-12, atol=1e-13)  # of bdf they are sums of products
    assert motion.between(steps[:0], thetas[:0]).shape == (0, motion.states.shape[1])


@pytest.mark.parametrize("name", MOTIONS)
def test_the_ends_of_steps_are_those(name):
    run = MOTIONS[name]()
    q, _ = run.at(run.motion.times)
    assert np.array_equal(q, run.motion.states[:, : run.motion.kernels.n])
    steps = np.arange(len(run.motion.times) - 1)
    for side, theta in ((0, 0.0), (1, 1.0)):
        found = run.motion.between(steps, np.full(len(steps), theta))
        assert np.allclose(found, run.motion.states[steps + side], rtol=1e-6, atol=1e-9)
