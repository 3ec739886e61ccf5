"""The problems, each with its error at the end against a closed form, a published value, or other equations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ellipj, ellipk

from dalembert import System, example

Array = np.ndarray
G = 9.81
SHORT = 1e-3  # seconds below which the clock on the wall is finer than that of the processor
ANDREWS = [15.81077119515370710, -15.75637105841183947, 0.0408222401196458049, -0.534730116342079594]
ANDREWS += [0.524409965879954069, 0.534730116342079594, 1.048080741041937873]


@dataclass(frozen=True)
class Problem:
    """A model of the gallery, the time to simulate, and the error of its positions at the end.

    `kind` and `size` are for codes that write the problem down in their own way.
    """

    kind: str
    size: int
    model: str
    until: float
    error: Callable[[Array], float]

    @property
    def name(self) -> str:
        """How tables call it."""
        return f"{self.kind} {self.size}" if self.size else self.kind

    @cached_property
    def system(self) -> System:
        """The system."""
        return example(self.model)


@dataclass(frozen=True)
class Run:
    """A prepared computation: `go` returns the seconds that it took and q at the end, in the order of the gallery."""

    code: str
    setting: str
    build: float
    go: Callable[[], tuple[float, Array]]


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that something takes, and its result.

    Where they are not few they are those of the processor in this thread, so that a busy machine does not matter; its
    clock is too coarse for the others, of which some are not interrupted.
    """
    wall, own = time.perf_counter(), time.thread_time()
    found = action()
    own, wall = time.thread_time() - own, time.perf_counter() - wall
    return wall if wall < SHORT else own, found


def pendulum() -> Problem:
    """Return the simple pendulum, exact by elliptic functions: from the horizontal, at rest."""
    k, w = np.sqrt(0.5), np.sqrt(G)
    angle = -2 * np.arcsin(k * ellipj(ellipk(k**2) - w * 10.0, k**2)[0])
    end = np.array([np.sin(angle), -np.cos(angle)])
    return Problem("pendulum", 0, "simple-pendulum", 10.0, lambda q: np.abs(q - end).max())


def disk() -> Problem:
    """Return the upright disk, exact in closed form."""
    angle = np.pi / 6 + 10
    end = np.array([np.sqrt(3) - 2 * np.cos(angle), 1 - 2 * np.sin(angle), 20.0, angle])
    return Problem("rolling disk", 0, "upright-disk", 10.0, lambda q: np.abs(q - end).max())


def andrews() -> Problem:
    """Return Andrews' squeezing mechanism with its published end."""
    return Problem("Andrews", 0, "andrews-squeezer", 0.03, lambda q: np.abs(q - ANDREWS).max())


def four_bar(N: int) -> Problem:
    """Return N four-bars side by side, exact by their one degree of freedom; the error is that of the first joint."""
    k = G * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    found = solve_ivp(lambda _, y: [y[1], k * np.sin(y[0])], (0, 10), [0, 1.0], "DOP853", rtol=1e-13, atol=1e-14)
    end = np.array([np.sin(found.y[0, -1]), np.cos(found.y[0, -1])])
    return Problem("four-bar", N, f"n-four-bar:{N}", 10.0, lambda q: np.abs(2 * q[:2] - end).max())


def chain(n: int) -> Problem:
    """Return the chain of n rods, beside its n angles with dense matrices at tolerance 1e-13; the error in x and y."""
    after = n - 1 - np.arange(n)  # rods behind each
    weights = np.minimum.outer(after, after) + np.where(np.eye(n, dtype=bool), 1 / 3, 1 / 2)

    def rate(_: float, y: Array) -> Array:
        angle, spin = y[:n], y[n:]
        turned = np.subtract.outer(angle, angle)
        right = -(weights * np.sin(turned)) @ spin**2 - G * (after + 0.5) * np.cos(angle)
        factors = cho_factor(weights * np.cos(turned), overwrite_a=True, check_finite=False)
        return np.concatenate([spin, cho_solve(factors, right, check_finite=False)])

    angle = solve_ivp(rate, (0, 2), np.zeros(2 * n), "DOP853", rtol=1e-13, atol=1e-13).y[:n, -1]
    end = rods(angle).reshape(n, 3)[:, :2]
    return Problem("chain", n, f"chain:{n}", 2.0, lambda q: np.abs(q.reshape(n, 3)[:, :2] - end).max())


def rods(angles: Array) -> Array:
    """Return x, y, a of each rod of a chain from its absolute angles."""
    dx, dy = np.cos(angles), np.sin(angles)
    return np.stack([np.cumsum(dx) - dx / 2, np.cumsum(dy) - dy / 2, angles], axis=1).ravel()


def problems(bars: Sequence[int], lengths: Sequence[int]) -> list[Problem]:
    """Return all problems, for some numbers of four-bars and lengths of chains."""
    return [pendulum(), disk(), andrews(), *map(four_bar, bars), *map(chain, lengths)]
