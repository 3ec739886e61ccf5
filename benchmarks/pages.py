"""What benchmarks share that print a table, and write it as a page of the documentation."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path


def is_quick(doc: str | None, what: str) -> bool:
    """Read the command line: whether only a quick look is asked for, of which nothing is written."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"{what}; nothing is written")
    return parser.parse_args().quick


def show(lines: Sequence[str], page: str | None, title: str, text: str) -> None:
    """Print a table, and write it to a page of the results, if one is named."""
    print("\n".join(lines))
    if page is not None:
        path = Path(__file__).parent / "results" / f"{page}.md"
        path.write_text("\n".join([f"# {title}", "", text, "", *lines, ""]), encoding="utf-8")
