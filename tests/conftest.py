"""What the tests share: the gallery at sizes that are quick, and random states."""

from __future__ import annotations

import os
import signal
import sys
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of the oracles, beside each other in workers: `dalembert.threads`
if sys.dont_write_bytecode:  # then every command in a process of its own would compile all sources anew
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(tempfile.gettempdir(), "dalembert-bytecode")

import numpy as np
import pytest
from hypothesis import settings

from dalembert import System, example
from dalembert.model.gallery import SIZED, names

settings.register_profile("fixed", derandomize=True, deadline=None)  # the same examples everywhere
settings.load_profile("fixed")

signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests are started in the background
os.environ["DALEMBERT_CACHE"] = os.path.join(tempfile.gettempdir(), "dalembert-tests")  # never the user's own

SMALL = {
    "n-four-bar": ("n-four-bar:1", "n-four-bar:2"),
    "chain": ("chain:3",),
    "chain-minimal": ("chain-minimal:1", "chain-minimal:4"),
    "n-four-bar-joints": ("n-four-bar-joints:1",),
    "planar-chain": ("planar-chain:2",),
    "spatial-chain": ("spatial-chain:2",),
}
GALLERY = [model for name in names() for model in (SMALL[name] if name in SIZED else (name,))]
RUBBING = ("block-on-belt",)  # forces in them depend on reactions: tests/followed and tests/friction know what is right
TOUCHING = ("crate", "woodpecker")  # contacts in them open and close: tests/contacts knows what is right
STEERED = ("crane", "led-arm")  # controls hold programmes in them: tests/servo knows what is right
IDEAL = [model for model in GALLERY if model not in (*RUBBING, *TOUCHING, *STEERED)]


@pytest.fixture(autouse=True)
def interruptions_stay_possible():
    """Let no test leave Ctrl-C without an answer: those that come after it would never end."""
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.fixture(params=IDEAL)
def model(request) -> System:
    return example(request.param)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(12345)


def pendulum(**changes) -> System:
    """The pendulum in three coordinates, with parts replaced outright."""
    parts = {
        "coordinates": "x y phi",
        "kinetic": "m*(x'^2 + y'^2)/2 + J*phi'^2/2",
        "potential": "m*g*y",
        "constraints": {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)"},
        "parameters": {"m": 1.0, "J": 0.1, "l": 1.0, "g": 9.81},
        "initial": {"phi": 1.0},
    }
    return System(**{**parts, **changes})


def pytest_sessionstart(session):
    """Let the steppers be compiled once, before workers and commands wait for them with limits of time."""
    if hasattr(session.config, "workerinput") or session.config.option.collectonly:
        return
    system = pendulum()
    for method in ("dop853", "radau", "bdf"):
        system.simulate(0.01, method=method)
    system.simulate(0.01, method="rattle", step=0.005)
