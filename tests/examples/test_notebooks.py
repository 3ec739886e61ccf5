"""The notebooks of `examples/` run, and what is stored in them comes from their scripts."""

from __future__ import annotations

import ast
import base64
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))
try:
    import build  # pyright: ignore[reportMissingImports]
finally:
    sys.path.remove(str(ROOT / "examples"))

NAMES = [script.stem for script in build.SCRIPTS]
RICH = {"text/html", "text/markdown", "text/latex", "image/png"}


def script(name: str) -> Path:
    return ROOT / "examples" / "src" / f"{name}.py"


def stored(name: str) -> dict:
    return json.loads(build.notebook_of(script(name)).read_text(encoding="utf-8"))


def test_every_script_has_its_notebook():
    assert sorted(path.stem for path in (ROOT / "examples").glob("*.ipynb")) == NAMES
    assert len(NAMES) == 6


@pytest.mark.parametrize("name", NAMES)
def test_stored_outputs_are_those_of_the_script(name):
    """Every cell is that of the script, was run in order, and ended without an error."""
    made, cells = stored(name), build.cells(script(name))
    kinds = ["markdown" if kind == "markdown" else "code" for kind, _ in cells]
    assert [(cell["cell_type"], "".join(cell["source"])) for cell in made["cells"]] == [
        (kind, text) for kind, (_, text) in zip(kinds, cells, strict=True)
    ]
    code = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"execute_result", "display_data", "stream"}
    assert not any(output.get("name") == "stderr" for output in outputs)
    assert any(RICH & set(output.get("data", {})) for output in outputs)


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_small_and_say_nothing_of_the_computer(name):
    made = stored(name)
    text = build.notebook_of(script(name)).read_text(encoding="utf-8")
    assert len(text) < 500_000
    assert set(made["metadata"]) == {"kernelspec"}
    assert str(Path.home()) + "/" not in text and "site-packages" not in text


@pytest.mark.parametrize("name", NAMES)
def test_one_picture_stands_for_a_notebook(name):
    (cell,) = [cell for cell in stored(name)["cells"] if "picture" in cell["metadata"].get("tags", [])]
    (picture,) = [output["data"]["image/png"] for output in cell["outputs"] if "image/png" in output.get("data", {})]
    assert base64.b64decode("".join(picture)).startswith(b"\x89PNG")
    assert f"notebooks/{name}.md" in (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_scripts_run(name, monkeypatch):
    """As in a notebook, with the formulas that are stored; the numbers are asserted in the scripts themselves."""
    import matplotlib
    from matplotlib import pyplot

    backend = matplotlib.get_backend()
    pyplot.switch_backend("agg")
    names: dict = {"__name__": "__main__"}
    try:
        for (kind, text), cell in zip(build.cells(script(name)), stored(name)["cells"], strict=True):
            if kind != "markdown" and (formulas := run_cell(text, names)):
                assert formulas in stored_formulas(cell), "stored formulas are old; run examples/build.py"
    finally:
        pyplot.close("all")
        pyplot.switch_backend(backend)


def stored_formulas(cell: dict) -> list[str]:
    return ["".join(output.get("data", {}).get("text/markdown", "")) for output in cell["outputs"]]


def run_cell(text: str, names: dict) -> str | None:
    """Run a cell; return what it shows as Markdown: formulas."""
    tree = ast.parse(text)
    shown = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if isinstance(shown, ast.Expr):
        value = eval(compile(ast.Expression(shown.value), "cell", "eval"), names)
        if hasattr(type(value), "_repr_html_"):
            value._repr_html_()
        return value._repr_markdown_() if hasattr(type(value), "_repr_markdown_") else None
    return None


@pytest.mark.parametrize("name", [NAMES[0], *(pytest.param(name, marks=pytest.mark.full) for name in NAMES[1:])])
def test_notebooks_run_from_a_clean_kernel(name):
    made = build.run(build.notebook(script(name)))
    assert all(cell.execution_count for cell in made.cells if cell.cell_type == "code")
