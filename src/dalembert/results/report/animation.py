"""The section with the animation; on paper it is a picture of the middle of the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.errors import ModelError
from dalembert.results.report.html import Section, paragraph

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run


def section(run: Run) -> Section:
    """Show the motion; say what to do if nothing is known of how the system looks."""
    try:
        html = run.animate().fragment()
    except ModelError as error:
        html = paragraph(f"{error}.", "aside")
    return Section("animation", "Animation", html)
