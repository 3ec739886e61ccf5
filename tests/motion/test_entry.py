"""Native steppers: called through a table of arguments, kept on disk, loaded without their compiler."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from dalembert.motion import entry
from dalembert.motion.entry import Stepper
from dalembert.motion.pattern import Pattern
from tests.conftest import pendulum

DIAGONAL = Pattern(*map(np.array, ([0, 1, 2], [0, 1], [0, 1], [1, 0], [False, False])))


def test_arguments_may_change_between_calls():
    """2 x = 6, 4 y = 8 in the other order; then other values, another array, complex ones."""
    solve = Stepper("sparse", "solve")
    x = np.zeros(2)
    solve(DIAGONAL, np.array([4.0, 2.0]), np.array([0.25, 0.5]), np.array([6.0, 8.0]), x)
    assert x == pytest.approx([3.0, 2.0])
    other = np.zeros(2)
    solve(DIAGONAL, np.array([4.0, 2.0]), np.array([0.25, 0.5]), np.array([2.0, 4.0]), other)
    assert other == pytest.approx([1.0, 1.0])
    assert x == pytest.approx([3.0, 2.0])
    z = np.zeros(2, complex)
    solve(DIAGONAL, np.array([4.0 + 0j, 2.0]), np.array([0.25 + 0j, 0.5]), np.array([2j, 4.0]), z)
    assert z == pytest.approx([1j, 1.0])


def test_arrays_must_be_contiguous():
    with pytest.raises(TypeError, match="contiguous"):
        Stepper("sparse", "solve")(np.zeros((4, 4))[:, 0])


def test_a_later_start_does_without_the_compiler():
    pendulum().simulate(0.1)  # compiles what is not on disk yet
    code = "import sys; from dalembert import example; example('pendulum').simulate(0.1); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=dict(os.environ), capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_another_layout_of_arguments_is_refused(monkeypatch, tmp_path):
    """Should numba pass an array in other words than the table has, nothing is run."""
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    monkeypatch.setattr(entry, "_words", lambda kind: 6)
    monkeypatch.setattr(entry, "_load", entry._load.__wrapped__)
    with pytest.raises(RuntimeError, match="solve takes 65 words, and 32 lie in the table"):
        Stepper("sparse", "solve")(DIAGONAL, *np.ones((4, 2)))
