"""What every model must pass, whatever was added to write it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from dalembert import load, loads

FORMS = ("multipliers", "minimal", "explicit", "independent", "reactions")


def journey(system: Any, folder: Path, until: float = 1.0) -> Any:
    """Take a model from its text to its report; return its motion."""
    assert system.check().ok, str(system.check())
    copy = loads(str(system))
    assert str(copy) == str(system)
    for form in FORMS:
        derivation = system.derive(form)
        assert str(derivation) and derivation.latex()
        json.dumps(derivation.as_dict())
    run = system.simulate(until)
    assert run.status == "done" and run.certificate.ok, str(run.certificate)
    again = copy.simulate(until)
    assert np.array_equal(run.t, again.t)
    run.report(folder / "report.html")
    assert (folder / "report.html").stat().st_size > 1000
    system.save(folder / "model.toml")
    assert str(load(folder / "model.toml")) == str(system)
    return run


def compile_c(system: Any, folder: Path) -> None:
    """Export C and let a compiler read it, where there is one."""
    system.export(folder / "model.c", to="c")
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler:
        source = str(folder / "model.c")
        done = subprocess.run(
            [compiler, "-std=c99", "-Wall", "-Werror", "-c", source, "-o", source + ".o"], check=False
        )
        assert done.returncode == 0
