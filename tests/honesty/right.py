"""Right answers: the gallery in every form by every method at two tolerances, with the truth to compare them with."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import example
from dalembert.arrays import Array
from dalembert.errors import DerivationError, ModelError
from dalembert.motion.methods import METHODS
from dalembert.results.certificate import Certificate
from dalembert.results.certificate.accuracy import LIMIT
from dalembert.results.run import Run
from tests.conftest import GALLERY
from tests.contracts.test_motion import SPAN

TOLERANCES = {"dop853": (1e-6, 1e-10), "radau": (1e-6, 1e-8), "bdf": (1e-5, 1e-7)}
STEPS = {"rk4": (500, 1000), "euler": (20_000, 40_000), "rattle": (150, 300)}
INSIDE = 3.0  # times the stated error
_ROUNDING = 1e-11  # of its largest value: what neither motion nor truth know better
_AT_REST = 1e-13  # the same of the largest of all, for coordinates at rest
_TIMES = 200


@dataclass(frozen=True)
class Case:
    """One motion of a model of the gallery."""

    model: str
    form: str
    method: str
    level: int

    def __str__(self) -> str:
        return f"{self.model}-{self.form}-{self.method}-{self.level}"

    @property
    def settings(self) -> dict[str, Any]:
        """How it is computed."""
        if self.method in STEPS:
            return {"step": span(self.model) / STEPS[self.method][self.level]}
        tolerance = TOLERANCES[self.method][self.level]
        return {"rtol": tolerance, "atol": tolerance / 100}

    def run(self) -> Run | None:
        """Compute it; None where the form or the method does not take the model."""
        try:
            return example(self.model).simulate(span(self.model), form=self.form, method=self.method, **self.settings)
        except (DerivationError, ModelError):
            return None


CASES = [
    Case(model, form, method, level)
    for model in GALLERY
    for method in METHODS
    for form in METHODS[method].forms
    for level in (0, 1)
]


def span(model: str) -> float:
    return SPAN.get(model, 1.0)


@functools.cache
def truth(model: str) -> Run:
    return example(model).simulate(span(model), rtol=1e-13, atol=1e-15)


def errors(run: Run, exact: Run, until: float) -> tuple[Array, Array]:
    """Return the largest error of each coordinate up to a time, and the part of it that is rounding at most."""
    last = min(until, run.motion.times[-1], exact.motion.times[-1])
    times = np.linspace(0.0, last, _TIMES)
    known = exact.at(times)[0]
    largest = np.abs(known).max(axis=0)
    return np.abs(run.at(times)[0] - known).max(axis=0), _ROUNDING * largest + _AT_REST * largest.max()


def is_right(run: Run, exact: Run) -> bool:
    """Tell whether a motion is certainly right: a third of what a pass allows, in the true range."""
    if run.status != "done":
        return False
    error, rounding = errors(run, exact, np.inf)
    return bool(np.all(error <= LIMIT / 3 * np.ptp(exact.q, axis=0) + rounding))


def is_stated(run: Run, exact: Run, certificate: Certificate) -> bool:
    """Tell whether the true error lies inside three times the stated one, as far as the motion can be trusted."""
    error, rounding = errors(run, exact, certificate.until)
    return bool(np.all(error <= INSIDE * np.array([*certificate.errors.values()]) + rounding))
