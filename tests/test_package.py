"""What is published: wheel and source, built, installed into clean environments of every Python there is, and tried."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import dalembert

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def called(*command: str | Path, folder: Path) -> str:
    """Run a command outside the project, with nothing of it on the path; return what it prints."""
    alone = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "PYENV_VERSION"))}
    found = subprocess.run(
        [str(part) for part in command], cwd=folder, env=alone, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, f"{command}\n{found.stdout}\n{found.stderr}"
    return found.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Build wheel and source from what git knows; return their folder."""
    folder = tmp_path_factory.mktemp("package")
    source = folder / "source"
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    called(sys.executable, "-m", "venv", folder / "tools", folder=folder)
    python = folder / "tools" / "bin" / "python"
    called(python, "-m", "pip", "install", "--quiet", "hatchling", folder=folder)
    called(python, "-m", "hatchling", "build", "--directory", folder / "dist", folder=source)
    return folder / "dist"


@pytest.mark.full
def test_wheel_and_source_hold_what_they_should(built):
    [wheel], [source] = built.glob("*.whl"), built.glob("*.tar.gz")
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {"dalembert/py.typed", "dalembert/cli/__init__.py"} <= inside
    assert not [name for name in inside if name.startswith(("tests", "docs", "benchmarks"))]
    with tarfile.open(source) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"} <= names


@pytest.mark.full
@pytest.mark.parametrize("version", PYTHONS)
def test_the_wheel_works_in_a_clean_environment(built, version, tmp_path):
    check_installed(next(built.glob("*.whl")), version, tmp_path)


@pytest.mark.full
def test_the_source_works_in_a_clean_environment(built, tmp_path):
    check_installed(next(built.glob("*.tar.gz")), "{}.{}".format(*sys.version_info[:2]), tmp_path)


def check_installed(package: Path, version: str, tmp_path: Path) -> None:
    """Install a package for a Python, where that is here, and try it."""
    python = next((path for path in candidates(version) if is_python(path, version)), None)
    if python is None:
        pytest.skip(f"Python {version} is not installed here")
    called(python, "-m", "venv", tmp_path / "clean", folder=tmp_path)
    scripts = tmp_path / "clean" / "bin"
    called(scripts / "python", "-m", "pip", "install", "--quiet", package, folder=tmp_path)
    said = called(scripts / "python", "-c", "import dalembert; print(dalembert.__version__)", folder=tmp_path)
    assert said.strip() == dalembert.__version__
    assert "degree of freedom" in called(scripts / "dalembert", "check", "slider-crank", folder=tmp_path)
    assert "q''" in called(scripts / "dalembert", "derive", "slider-crank", "--form", "minimal", folder=tmp_path)
    assert "Certificate: pass" in called(scripts / "dalembert", "simulate", "slider-crank", folder=tmp_path)
    called(scripts / "dalembert", "run", "slider-crank", folder=tmp_path)
    assert list(tmp_path.glob("*.html"))


def candidates(version: str) -> list[Path]:
    """Return where a Python may be."""
    places = [shutil.which(f"python{version}"), sys.executable]
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return [*kept, *(Path(place) for place in places if place)]


def is_python(path: Path, version: str) -> bool:
    """Tell whether a Python is there and has the version."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    found = subprocess.run([str(path), "-c", code], capture_output=True, text=True, check=False)
    return found.returncode == 0 and found.stdout.strip() == version
