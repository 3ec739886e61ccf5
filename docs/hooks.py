"""What the site needs beyond its pages: formulas as MathML; results of the benchmarks and notebooks as pages."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import notebooks  # beside this file
from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

_RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add what the benchmarks wrote, tables and pictures, as it stands, and the notebooks."""
    for path in sorted(_RESULTS.iterdir()):
        files.append(File.generated(config, f"benchmarks/{path.name}", abs_src_path=str(path)))
    for place, content in notebooks.pages():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_content(content: str, **_: Any) -> str:
    """Write formulas as MathML, which browsers set without a script."""
    return _FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    tag, bracket, latex = found.groups()
    formula = convert(html.unescape(latex).strip(), display="inline" if bracket == "(" else "block")
    return f'<{tag} class="formula">{formula}</{tag}>'
