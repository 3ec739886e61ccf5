"""The kernel of a whole step, against the same method written with NumPy over the accelerations."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.motion.codes import WELL
from dalembert.motion.methods.dop853 import DOP853
from dalembert.native.kernels import Kernels
from tests.shared import example

SMALL = ["simple-pendulum", "pendulum", "upright-disk", "knife-edge", "moved-pendulum", "double-pendulum"]


def by_hand(kernels: Kernels, t: float, y: np.ndarray, h: float, rtol: float, atol: float):
    """Hairer, Nørsett, Wanner, II.5: the end of the step, its error in units of the tolerance, and the slopes."""
    A, b, c, errors, *_ = DOP853.arrays
    n, stages = kernels.n, len(b)
    k = np.zeros((stages, 2 * n))
    for row in range(stages):
        state = y + h * A[row, :row] @ k[:row]
        k[row] = [*state[n:], *kernels.accelerations(t + c[row] * h, state[:n], state[n:]).acceleration]
    end = y + h * b @ k
    scale = atol + rtol * np.maximum(np.abs(y), np.abs(end))
    three, five = (np.sum((row[:stages] @ k / scale) ** 2) for row in errors)
    return end, h * five / np.sqrt((five + 0.01 * three) * 2 * n), k


@pytest.mark.parametrize("model", SMALL)
def test_a_whole_step_is_the_method(model, random):
    system = example(model)
    kernels = Kernels(system)
    group = kernels.one_step(DOP853, WELL)
    assert group is not None
    start, n = system.start(), kernels.n
    parameters = [*system.parameters.values()]
    h, rtol, atol = 0.05, 1e-6, 1e-8
    for _ in range(3):
        q = start.q + 0.05 * random.normal(size=n)
        y = np.concatenate([q, random.normal(size=n)])
        t = float(random.random())
        out = kernels.run(group, "step", np.array([[t, *y, *parameters, h, rtol, atol]], dtype=float))[0]
        end, error, slopes = by_hand(kernels, t, y, h, rtol, atol)
        assert out[: 2 * n] == pytest.approx(end, rel=1e-11, abs=1e-11)
        assert out[2 * n] == pytest.approx(error, rel=1e-3)
        assert out[2 * n + 1] > 0
        assert out[2 * n + 2 :] == pytest.approx(slopes.ravel(), rel=1e-10, abs=1e-10)


def test_long_equations_have_none():
    assert Kernels(example("andrews-squeezer")).one_step(DOP853, WELL) is None


def test_lost_rank_inside_a_step_is_said():
    """A pendulum whose rod has no length left: plain elimination is not good enough, and the kernel tells."""
    system = example("simple-pendulum")
    kernels = Kernels(system)
    group = kernels.one_step(DOP853, WELL)
    inputs = [0.0, 0.0, 0.0, 0.0, 0.0, *system.parameters.values(), 1e-3, 1e-6, 1e-8]
    assert not kernels.run(str(group), "step", np.array([inputs]))[0, 2 * kernels.n + 1] > 0
