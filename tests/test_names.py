"""Names: one owner for every class, nothing private borrowed, and no file that holds more than one can read."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

FILES = sorted((Path(__file__).parents[1] / "src" / "dalembert").rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
MOST_LINES = 400


def private(name: str) -> bool:
    """Tell whether a name belongs to its file alone."""
    return name.startswith("_") and not name.startswith("__")


def test_every_class_name_has_one_owner():
    owners = defaultdict(list)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                owners[node.name].append(path.name)
    assert not {name: where for name, where in owners.items() if len(where) > 1}


def test_what_a_file_holds_is_told_by_its_name():
    """But for what a kind of thing is, in `base.py`, and commands and tables of the model, which give their files names."""
    owners = defaultdict(list)
    for path in FILES:
        folder = "/".join(path.parts[-3:-1])
        if path.name not in ("__init__.py", "base.py") and folder not in ("cli/commands", "model/sections"):
            owners[path.name].append(folder)
    assert not {name: where for name, where in owners.items() if len(where) > 1}


def test_nothing_private_is_borrowed():
    borrowed = []
    for path, tree in TREES.items():
        modules = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dalembert"):
                borrowed += [(path.name, node.module, alias.name) for alias in node.names if private(alias.name)]
                modules |= {alias.asname or alias.name for alias in node.names if alias.name.islower()}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and private(node.attr) and getattr(node.value, "id", "") in modules:
                borrowed.append((path.name, ast.unparse(node)))
    assert not borrowed


def test_no_file_is_too_long():
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert not {name: length for name, length in lengths.items() if length > MOST_LINES}


def test_forms_are_not_asked_for_their_names():
    """What differs between forms is declared on them, see `forms/base.py`."""
    asked = []
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                named = any(ast.unparse(side).split(".")[-1] in ("form", "main") for side in sides)
                if named and any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides):
                    asked.append((path.name, ast.unparse(node)))
    assert not asked
