"""Steppers that come with the package, translated by numba: a new machine only compiles them for its processor.

Translating takes five times as long as compiling: of the explicit methods 18 s of the processor against 3. What is
shipped is bitcode of LLVM, on the kind of machine on which it was made, and only as long as the sources are those it
was made from; else, and for arguments of other kinds, numba translates them when they are needed. Results are the same.

    python -m dalembert.motion.shipped          makes it anew, after a change of the steppers
"""

from __future__ import annotations

import hashlib
import lzma
import os
import platform
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from dalembert.native import machine

_FOLDER = Path(__file__).parent / "steppers" / f"{sys.platform}-{platform.machine()}"
_STATE = "sources.txt"
_DATA = ("codes.py", "tools.py", "scheme.py", "pattern.py", "../algebra/nearest.py")  # with what steppers are given


@cache
def sources() -> str:
    """Name the state of all that steppers are made from: a function may call others in other files."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in [*sorted((folder / "steppers").glob("*.py")), *(folder / name for name in _DATA)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def is_current() -> bool:
    """Tell whether something is shipped for machines like this one, from the present sources, by no later LLVM."""
    try:
        made, version = (_FOLDER / _STATE).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return False
    return made == sources() and int(version) <= machine.LLVM


def read(module: str, name: str, kinds: tuple[Any, ...]) -> bytes | None:
    """Return the bitcode of a function for arguments of some kinds, if it is shipped."""
    path = _FOLDER / _file(module, name, kinds)
    if not (path.is_file() and is_current()):
        return None
    try:
        return lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError):
        return None


def _file(module: str, name: str, kinds: tuple[Any, ...]) -> str:
    return f"{module}.{name}.{hashlib.sha256(str(kinds).encode()).hexdigest()[:8]}.xz"


def make() -> list[Path]:
    """Translate all that motions by each method need, and keep it; return the files."""
    from dalembert.model.gallery import example
    from dalembert.motion import entry
    from dalembert.motion.methods import METHODS

    _FOLDER.mkdir(exist_ok=True)
    for path in _FOLDER.iterdir():
        path.unlink()
    is_current.cache_clear()
    found: list[Path] = []
    translate = entry.translated

    def keeping(module: str, name: str, kinds: tuple[Any, ...]) -> bytes:
        code = translate(module, name, kinds)
        found.append(_FOLDER / _file(module, name, kinds))
        found[-1].write_bytes(lzma.compress(code, preset=9))
        return code

    entry.translated = keeping
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["DALEMBERT_CACHE"] = folder
            for name, method in METHODS.items():
                for model in ("pendulum", "slider-crank-joints"):
                    settings: dict[str, Any] = {} if method.adaptive else {"step": 0.01}
                    system = example(model)
                    run = system.simulate(0.1, method=name, **settings)
                    run.at([0.05])
                    _ = run.certificate
                    start = system.start()  # and once more, for starts of variants
                    system.simulate(0.1, method=name, **settings, initial={key: start[key] for key in system.initial})
            example("pendulum").simulate(0.1, method="rk4", step=0.01, keep="stabilise")
    finally:
        entry.translated = translate
    (_FOLDER / _STATE).write_text(f"{sources()}\n{machine.LLVM}\n", encoding="ascii")
    return found


if __name__ == "__main__":
    for _path in make():
        print(f"{_path.name:40} {_path.stat().st_size:8,} bytes")
