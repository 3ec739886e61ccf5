"""How much is written to add one of each kind: what the other files here add, without their tests."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ADDED = {  # file, what is added in it, lines at most
    "form": (["Augmented"], 60),
    "pair": (["on_circle"], 20),
    "element": (["Magnet"], 50),
    "tableau": (["DOPRI5"], 20),
    "command": (["weigh", "WEIGH"], 30),
}


def lines(kind: str) -> dict[str, int]:
    """Count the lines of everything that is defined in a file, by its name."""
    path = Path(__file__).parent / f"test_{kind}.py"
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            name = ast.unparse(node.targets[0])
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            name = node.name
        else:
            continue
        first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
        found[name] = (node.end_lineno or first) - first + 1
    return found


@pytest.mark.parametrize("kind", ADDED)
def test_little_is_written_to_add_one(kind):
    names, most = ADDED[kind]
    counted = lines(kind)
    assert sum(counted[name] for name in names) <= most
