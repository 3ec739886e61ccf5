"""Steppers that come with the package need no numba, and nothing else is taken for them."""

import os
import subprocess
import sys

import pytest

from dalembert.motion import shipped

PROGRAM = """
import sys
from dalembert import example
run = example("pendulum").simulate(0.1)
run.at([0.05])
assert run.status == "done"
print("numba" in sys.modules)
"""


@pytest.fixture
def current():
    if not shipped.is_current():
        pytest.skip("nothing is shipped for the present sources and this kind of machine")


def test_a_new_machine_translates_nothing(current, tmp_path):
    environment = os.environ | {"DALEMBERT_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_what_is_stale_damaged_or_of_other_kinds_is_not_taken(current, tmp_path, monkeypatch):
    file = next(path for path in shipped._FOLDER.iterdir() if path.suffix == ".xz")
    module, name, _ = file.stem.split(".")
    monkeypatch.setattr(shipped, "_file", lambda *_: file.name)
    assert shipped.read(module, name, ()) is not None
    monkeypatch.setattr(shipped, "is_current", lambda: False)
    assert shipped.read(module, name, ()) is None
    monkeypatch.setattr(shipped, "is_current", lambda: True)
    monkeypatch.setattr(shipped, "_FOLDER", tmp_path)
    assert shipped.read(module, name, ()) is None
    (tmp_path / file.name).write_bytes(b"nothing of the kind")
    assert shipped.read(module, name, ()) is None


def test_other_sources_or_a_later_llvm(current, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "_FOLDER", tmp_path)
    for text, good in (
        (f"{shipped.sources()} 1", True),
        (f"{shipped.sources()} 1000000", False),
        ("of-others 1", False),
        ("", False),
    ):
        (tmp_path / "sources.txt").write_text(text)
        shipped.is_current.cache_clear()
        assert shipped.is_current() == good
    monkeypatch.undo()
    shipped.is_current.cache_clear()


@pytest.mark.full
def test_what_is_shipped_is_made_from_the_present_sources():
    """Else `python -m dalembert.motion.shipped` makes it anew."""
    if not shipped._FOLDER.is_dir():
        pytest.skip("nothing is shipped for this kind of machine")
    assert shipped.is_current()
