"""The notebooks of `examples/` as pages of the site: text, code, and what was shown."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "examples"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]


def pages() -> Iterator[tuple[str, str | bytes]]:
    """Give every page with its pictures, and the notebooks themselves, by their places on the site."""
    for name in NAMES:
        text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
        yield f"notebooks/{name}.ipynb", text
        notebook = json.loads(text)
        pictures: list[str] = []
        parts = [part for cell in notebook["cells"] for part in _cell(name, cell, pictures)]
        parts.insert(1, f"*A notebook: [{name}.ipynb]({name}.ipynb)*")
        yield f"notebooks/{name}.md", "\n\n".join(parts) + "\n"
        for k, data in enumerate(pictures, 1):
            yield f"notebooks/{name}-{k}.png", base64.b64decode(data)
        (chosen,) = (_pictures(cell) for cell in notebook["cells"] if "picture" in cell["metadata"].get("tags", []))
        yield f"notebooks/{name}.png", base64.b64decode(chosen[0])


def _cell(name: str, cell: dict[str, Any], pictures: list[str]) -> Iterator[str]:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield text.replace("](../docs/", "](../")
        return
    yield f"```python\n{text}\n```"
    for output in cell["outputs"]:
        data = {kind: "".join(value) for kind, value in output.get("data", {}).items()}
        if output["output_type"] == "stream":
            yield f"```text\n{''.join(output['text']).rstrip()}\n```"
        elif "text/html" in data:
            yield f'<div class="shown">{_one_line(data["text/html"])}</div>'
        elif "image/png" in data:
            pictures.append(data["image/png"])
            yield f"![]({name}-{len(pictures)}.png)"
        elif "text/markdown" in data or "text/latex" in data:
            yield _formulas(data.get("text/markdown") or data["text/latex"])
        else:
            yield f"```text\n{data['text/plain']}\n```"


def _pictures(cell: dict[str, Any]) -> list[str]:
    return ["".join(output["data"]["image/png"]) for output in cell["outputs"] if "image/png" in output.get("data", {})]


def _formulas(text: str) -> str:
    """Write formulas as the site reads them: apart from the text, and aligned equations by their other name."""
    text = re.sub(r"\$\\displaystyle (.*?)\$$", r"$$\1$$", text, flags=re.DOTALL)  # as SymPy writes them
    text = re.sub(r"\$\$(.*?)\$\$", lambda found: f"$$\n{found[1].strip()}\n$$", text, flags=re.DOTALL)
    return text.replace("{aligned}", "{align*}")


def _one_line(html: str) -> str:
    """Keep Markdown from reading what is HTML: a blank line would end it."""
    return re.sub(r"\n\s*\n", "\n", html)
