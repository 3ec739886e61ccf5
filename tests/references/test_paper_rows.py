"""Every row of `paper_rows.py`: the call gives something, the test that compares it exists, no number is missing."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

from dalembert import example, stabilisation_map
from tests.references.paper_rows import NUMBERED, ROWS

TESTS = Path(__file__).parent.parent
CALLS = sorted({call for rows in ROWS.values() for _, _, call, _ in rows if call})


@functools.cache
def text_of(file: str) -> str:
    return (TESTS / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("paper", ROWS)
def test_no_number_is_missing_or_twice(paper):
    numbers = [row[0] for row in ROWS[paper]]
    assert [number for number in NUMBERED[paper] if number not in numbers] == []
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("paper", ROWS)
def test_what_it_is_compared_with_exists(paper):
    for number, _, call, compared in ROWS[paper]:
        if not call:
            assert compared.startswith("later: "), number
            continue
        file, name = compared.split("::")
        assert re.search(rf"^def {name}\(", text_of(file), re.MULTILINE), (number, compared)


@functools.cache
def parts_of(file: str) -> dict[str, str]:
    """Return what stands in a file by its name: functions with their decorators, and values."""
    text, found = text_of(file), {}
    for part in ast.parse(text).body:
        names = [part.name] if isinstance(part, ast.FunctionDef | ast.ClassDef) else []
        names += [target.id for target in getattr(part, "targets", []) if isinstance(target, ast.Name)]
        first = min([part.lineno, *(one.lineno for one in getattr(part, "decorator_list", []))])
        source = "\n".join(text.splitlines()[first - 1 : part.end_lineno])
        found |= dict.fromkeys(names, source)
    return found


def used_by(file: str, name: str, depth: int = 3) -> str:
    """Return the source of a test and of what it uses of its file."""
    parts, seen, new = parts_of(file), {name}, {name}
    for _ in range(depth):
        new = {word for one in new for word in re.findall(r"\w+", parts[one]) if word in parts} - seen
        seen |= new
    return "\n".join(parts[one] for one in seen)


@pytest.mark.parametrize("paper", ROWS)
def test_it_is_compared_for_the_same_model(paper):
    """The test of a row looks at the model of its call, or at the whole gallery, or at no model: at a theorem."""
    wrong = []
    for number, _, call, compared in ROWS[paper]:
        models = re.findall(r'example\("([^"]+)"\)', call)
        source = used_by(*compared.split("::")) if call else ""
        anything = re.search(r"\b(GALLERY|IDEAL|ALL_MODELS)\b", source) or not re.search(r"\bexample\(", source)
        if models and not anything and not any(name in source for name in models):
            wrong.append((number, models, compared))
    assert wrong == []


@functools.cache
def model(name: str):
    return example(name)


@pytest.mark.filterwarnings("ignore::dalembert.MotionWarning")
@pytest.mark.parametrize("call", CALLS)
def test_calls_give_what_they_name(call):
    found = eval(call, {"example": model, "stabilisation_map": stabilisation_map})  # text of this table
    assert found is not None and (not hasattr(found, "__len__") or len(found) > 0)


def test_pages_name_every_paper_and_row_that_waits():
    page = (TESTS.parent / "docs" / "papers.md").read_text(encoding="utf-8")
    assert all(paper.split(" ")[0] in page for paper in ROWS)
    assert "paper_rows.py" in page
