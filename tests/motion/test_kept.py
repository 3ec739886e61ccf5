"""Steppers that are kept on disk run in a process that never loads the compiler that made them."""

from __future__ import annotations

import subprocess
import sys

_MOTIONS = """
import sys
from dalembert import example
for method in ("dop853", "rk4", "radau", "bdf", "rattle"):
    step = {"step": 0.05} if method in ("rk4", "rattle") else {}
    print(f"{example('pendulum').simulate(1.0, method=method, samples=3, events=['phi = 0'], **step)['phi'][-1]:.4f}")
print("numba" in sys.modules)
"""


def test_kept_steppers_need_no_numba():
    for _ in range(2):  # the first one may have to compile
        done = subprocess.run([sys.executable, "-c", _MOTIONS], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["-0.9447"] * 5 + ["False"]
