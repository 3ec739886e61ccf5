"""The report of a motion: one page of HTML that needs nothing else, neither a network nor other files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.errors import ModelError
from dalembert.files import check_place, write_text

if TYPE_CHECKING:
    from dalembert.results.run import Run

ENDINGS = (".html", ".htm")


def check_report_path(path: str | Path) -> Path:
    """Refuse a file name under which no report can be written, before anything is computed."""
    try:
        path = Path(path)
    except TypeError:
        raise ModelError(f"a report is written to a file, named by a text or a path; got {str(path)[:60]!r}") from None
    if path.suffix.lower() not in ENDINGS:
        raise ModelError(f"a report is a page, written to a file ending in .html; got {str(path)!r}")
    check_place(path)
    return path


def write_report(run: Run, path: str | Path) -> None:
    """Write the report of a motion; the file appears when it is complete."""
    from dalembert.results.report.page import page

    path = check_report_path(path)
    write_text(path, page(run))
