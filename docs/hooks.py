"""What the site needs beyond its pages: formulas as MathML, help of the commands, benchmarks, notebooks."""

from __future__ import annotations

import contextlib
import html
import io
import re
from pathlib import Path
from typing import Any

import notebooks  # beside this file
from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

_RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
_HELP = re.compile(r"<!-- dalembert (.*--help) -->")


def on_files(files: Files, config: Any) -> Files:
    """Add what the benchmarks wrote, tables and pictures, as it stands, and the notebooks."""
    for path in sorted(_RESULTS.iterdir()):
        files.append(File.generated(config, f"benchmarks/{path.name}", abs_src_path=str(path)))
    for place, content in notebooks.pages():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put in what the commands say of themselves."""
    return _HELP.sub(lambda found: f"```text\n{_help(found[1].split())}```", markdown)


def on_page_content(content: str, **_: Any) -> str:
    """Write formulas as MathML, which browsers set without a script."""
    return _FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    tag, bracket, latex = found.groups()
    formula = convert(html.unescape(latex).strip(), display="inline" if bracket == "(" else "block")
    return f'<{tag} class="formula">{formula}</{tag}>'


def _help(arguments: list[str]) -> str:
    from dalembert.cli.app import app

    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        app(arguments, prog_name="dalembert")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
