"""The section on the check: freedom, classes of constraints, and all that was found, in words."""

from __future__ import annotations

from dalembert.characters import escape
from dalembert.results.report.html import Section, inline, paragraph, table
from dalembert.survey.check import Check, describe_class

_NAMES = 24  # constraints of one kind that are listed


def section(check: Check) -> Section:
    """Say what the check of the model found."""
    n, s = len(check.system.coordinates), len(check.system.constraints)
    text = f"{n} coordinate{'s' * (n != 1)}, {s} constraint{'s' * (s != 1)}"
    if check.degrees_of_freedom is not None:
        freedom = check.degrees_of_freedom
        rank = f" of rank {check.rank}" if s else ""
        text += f"{rank}: {freedom} degree{'s' * (freedom != 1)} of freedom"
    html = paragraph(f"{text}.")
    if not check.problems:
        html += paragraph("Nothing is in the way, and there is nothing to note.")
    items = "".join(f'<li class="{p.severity}"><b>{p.severity}</b> {inline(p.text)}</li>' for p in check.problems)
    html += f'<ul class="problems">{items}</ul>' if items else ""
    return Section("check", "Check", html + _classes(check))


def _classes(check: Check) -> str:
    """Say what kind the constraints are; those of one kind are listed together."""
    kinds: dict[str, list[str]] = {}
    for name, kind in check.classes.items():
        kinds.setdefault(describe_class(kind), []).append(name)
    rows = []
    for kind, names in kinds.items():
        more = f" … and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
        rows.append([escape(", ".join(names[:_NAMES]) + more), escape(kind)])
    return table(["constraints", "are"], rows) if rows else ""
