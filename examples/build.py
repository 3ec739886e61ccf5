"""Make the notebooks of this folder from the scripts in `src`, and run them: `python examples/build.py [NAME …]`.

A script is a notebook in the percent format: `# %% [markdown]` begins a cell of text, in comments, and `# %%` one of
code; `# %% [picture]` is one whose picture stands for the notebook in the documentation. Notebooks are not edited; what
is made has no times and no versions in it, so that only what changed differs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SCRIPTS = sorted((FOLDER / "src").glob("*.py"))
_MARK = re.compile(r"^# %%(.*)$", re.MULTILINE)


def notebook_of(script: Path) -> Path:
    """Return where the notebook of a script is."""
    return FOLDER / f"{script.stem}.ipynb"


def cells(script: Path) -> list[tuple[str, str]]:
    """Return the cells of a script: "markdown", "code" or "picture", and the text."""
    _, *pieces = _MARK.split(script.read_text(encoding="utf-8"))
    found = []
    for mark, text in zip(pieces[::2], pieces[1::2], strict=True):
        kind, text = mark.strip().strip("[]") or "code", text.strip("\n")
        if kind == "markdown":
            text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.split("\n"))
        found.append((kind, text))
    return found


def notebook(script: Path) -> Any:
    """Return a notebook with the cells of a script, not yet run."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    made = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    for k, (kind, text) in enumerate(cells(script), 1):
        new = new_markdown_cell if kind == "markdown" else new_code_cell
        tags = {"tags": [kind]} if kind == "picture" else {}
        made.cells.append(new(text, id=f"cell-{k}", metadata=tags))
    return made


def run(made: Any) -> Any:
    """Run a notebook from a clean kernel; it stops at the first error."""
    from nbclient import NotebookClient

    NotebookClient(made, timeout=600, record_timing=False, resources={"metadata": {"path": str(FOLDER)}}).execute()
    made.metadata.pop("language_info", None)  # names the version of Python
    return made


def main(names: list[str]) -> None:
    """Make and run the notebooks whose names begin as given; without names all of them."""
    import nbformat

    for script in SCRIPTS:
        if not names or any(script.stem.startswith(name) for name in names):
            made = run(notebook(script))
            nbformat.validate(made)
            target = notebook_of(script)
            nbformat.write(made, target)
            print(f"{target.name}: {target.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
