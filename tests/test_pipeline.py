"""The folder tree is the pipeline: a file looks only at folders on its left, wherever in it the import stands."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"
SHARED = (
    "errors",
    "arguments",
    "files",
    "interruption",
    "arrays",
    "characters",
    "threads",
    "__version__",
)  # used by all folders
PIPELINE = (
    "language",
    "document",
    "algebra",
    "model",
    "blocks",
    "survey",
    "forms",
    "native",
    "motion",
    "results",
    "cli",
)
REASONS = {
    "model.system": "the user asks the system for everything that can be made of it",
    "model.mechanism.mechanism": "and the mechanism likewise",
    "model.settings": "a setting is one of the forms and methods that there are, which are asked when it is judged",
    "survey.check": "what does not go together there is found out before it moves",
}


def imported(path: Path) -> set[str]:
    """Return the modules of the package that a file imports, lazily or for types too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.removeprefix("dalembert.") for name in found if name.startswith("dalembert.")}


def place(module: str) -> int:
    """Return how far to the right a module stands."""
    folder = module.split(".")[0]
    return -1 if folder in SHARED else PIPELINE.index(folder if folder in PIPELINE else "cli")  # public names: last


def test_no_file_looks_to_the_right():
    looks, reasons = [], set()
    for path in (SOURCES / "dalembert").glob("*/**/*.py"):
        module = ".".join(path.relative_to(SOURCES / "dalembert").with_suffix("").parts)
        for other in imported(path):
            if place(other) > place(module):
                looks.append((module, other)) if module not in REASONS else reasons.add(module)
    assert not sorted(looks)
    assert reasons == set(REASONS), "a reason that nobody needs any more"
