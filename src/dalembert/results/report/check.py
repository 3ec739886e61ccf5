"""The section on the check: freedom, classes of constraints, and all that was found, in words."""

from __future__ import annotations

from html import escape

from dalembert.model.check import Check, describe_class
from dalembert.results.report.html import Section, inline, paragraph, table


def section(check: Check) -> Section:
    """Say what the check of the model found."""
    n, s = len(check.system.coordinates), len(check.system.constraints)
    text = f"{n} coordinate{'s' * (n != 1)}, {s} constraint{'s' * (s != 1)}"
    if check.degrees_of_freedom is not None:
        freedom = check.degrees_of_freedom
        rank = f" of rank {check.rank}" if s else ""
        text += f"{rank}: {freedom} degree{'s' * (freedom != 1)} of freedom"
    rows = [[escape(name), escape(describe_class(kind))] for name, kind in check.classes.items()]
    html = paragraph(f"{text}.")
    if not check.problems:
        html += paragraph("Nothing is in the way, and there is nothing to note.")
    items = "".join(f'<li class="{p.severity}"><b>{p.severity}</b> {inline(p.text)}</li>' for p in check.problems)
    html += f'<ul class="problems">{items}</ul>' if items else ""
    return Section("check", "Check", html + (table(["constraint", "is"], rows) if rows else ""))
