"""What is printed of checks, equations and motions: aligned, shortened where it is long, with units where there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.characters import visible
from dalembert.cli.terminal import styled, width, wrapped

if TYPE_CHECKING:
    from dalembert.forms.derivation import Derivation
    from dalembert.results.certificate import Certificate
    from dalembert.results.trajectory import Run
    from dalembert.survey.check import Check

_ROWS = 12  # of a table
_EQUATIONS, _LINES = 6, 3  # equations, and lines of each
_SEVERITIES = {"error": "bad", "warning": "warning", "note": "name"}


def value(x: float | None, digits: int = 6) -> str:
    """Write a number so that it can be read.

    >>> value(-0.82237802997), value(1.83e-33), value(0.0), value(None)
    ('-0.822378', '1.83e-33', '0', '?')
    """
    if x is None:
        return "?"
    return f"{x:.2e}" if 0 < abs(x) < 1e-9 else f"{x:.{digits}g}"


def table(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """Align columns: those in `left` to the left, others to the right; empty ones are left out."""
    columns = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:{'<' if k in left else '>'}{columns[k]}}" for k, cell in enumerate(row) if columns[k]
        ).rstrip()
        for row in rows
    ]


def shortened(lines: list[str], rows: int = _ROWS) -> list[str]:
    """Keep the first of many lines, and say how many more there are."""
    return lines if len(lines) <= rows else [*lines[:rows], f"… and {len(lines) - rows} more"]


def section(title: str, lines: Sequence[str]) -> list[str]:
    """Put lines under a title."""
    return [styled(title, "heading"), *(f"  {line}" for line in lines)] if lines else []


# --- before the motion -----------------------------------------------------------------------------------------------


def check_lines(outcome: Check) -> list[str]:
    """Return what a check found, and the state in which the motion begins."""
    title, *lines = visible(str(outcome)).split("\n")
    shown = [styled(title, "heading")]
    for line in lines:
        severity, colon, text = line.strip().partition(": ")
        if colon and severity in _SEVERITIES:
            mark = styled(severity, _SEVERITIES[severity])
            first, *more = wrapped(f"{severity}: {text}", "  ", "    ").split("\n")
            shown += [first.replace(severity, mark, 1), *more]
        else:
            shown.append(line)
    if outcome.state is not None:
        state = outcome.state.as_dict()
        least = 1e-14 * max(map(abs, state.values()), default=0.0)  # below it there is only rounding
        values = [f"{name} = {value(x if abs(x) > least else 0.0)}" for name, x in state.items()]
        text = ", ".join(values[:14]) + (", …" if len(values) > 14 else "")
        shown.append(wrapped(f"initial state: {text}", "  ", "    "))
    return shown


def equation_lines(derivation: Derivation, model: str) -> list[str]:
    """Return the equations of motion, the first of them if there are many, the beginning of those that are long."""
    from dalembert.forms import FORMS
    from dalembert.language.printing import to_text, wrap

    equations = [f"{to_text(expression)} = 0" for expression in derivation.expressions]
    lines, cut = [], len(equations) > _EQUATIONS
    for text in equations[:_EQUATIONS]:
        broken = wrap(text, width() - 4, 2)
        if len(broken) > _LINES:
            cut = True
            broken = [*broken[: _LINES - 1], f"  … ({len(text):,} characters)"]
        lines += broken
    if len(equations) > _EQUATIONS:
        lines.append(f"… and {len(equations) - _EQUATIONS} more")
    if cut:
        command = f"dalembert derive {model} --form {derivation.form}"
        lines.append(styled(f"in full, with reactions as formulas: {command}", "faint"))
    return section(f"Equations of motion: {FORMS[derivation.form].title}", lines)


# --- the motion ------------------------------------------------------------------------------------------------------


def run_lines(run: Run) -> list[str]:
    """Return how a motion went: the computation, the state and the forces at its end, the certificate."""
    from dalembert.results.quantities import time_unit

    until = f"t = {run.motion.times[-1]:g} {time_unit(run.system)}".rstrip()
    how = f"{run.steps:,} steps of {run.method} in {run.wall_s * 1e3:.3g} ms, prepared in {run.build_s:.2g} s"
    lines = section(f"Motion until {until}", [f"{how}; form {run.form}, constraints: {run.keep}"])
    lines += section("State at the end", _state(run))
    lines += section(*(_joints(run) or _reactions(run)))
    return lines + certificate_lines(run.certificate)


def certificate_lines(certificate: Certificate) -> list[str]:
    """Return the certificate, with what it says in colour."""
    first, *lines = visible(str(certificate)).split("\n")
    title, _, verdict = first.partition(" ")
    shown = [f"{styled(title, 'heading')} {styled(verdict, 'good' if certificate.ok else 'bad')}"]
    for line in lines:
        if verdict := next((word for word in ("pass", "FAILS", "not judged") if line.endswith(f"  {word}")), None):
            line = line.removesuffix(verdict) + styled(verdict, "good" if verdict == "pass" else "bad")
        elif line.lstrip().startswith(("not determined:", "not judged")):
            line = wrapped(line.strip(), "  ", "    ")
        shown.append(line)
    return shown


def _state(run: Run) -> list[str]:
    from dalembert.results.quantities import quantities

    final, kinds = run.final(), quantities(run.system)
    rows = [
        [q, value(final[q]), kinds[q].units(0), value(final[v]), kinds[q].units(1)]
        for q, v in zip(run.system.coordinates, run.system.velocities, strict=True)
    ]
    return shortened(table([["", "value", "", "velocity", ""], *rows], left=(0, 2, 4)), _ROWS + 1)


def _reactions(run: Run) -> tuple[str, list[str]]:
    """Return the reactions of constraints at the end."""
    shared = {run.system.constraints[i].name for group in run.shares.groups() for i in group}
    rows = []
    for name, reaction in run.final_reactions().items():
        parts = [f"{q}: {value(r)}" for q, r in zip(run.system.coordinates, reaction, strict=True) if r != 0]
        mark = "  (not determinate: the share of least norm)" if name in shared else ""
        rows.append([visible(name), (", ".join(parts) or "0") + mark])
    return "Reactions at the end, by coordinate", shortened(table(rows, left=(0, 1))) if rows else []


def _joints(run: Run) -> tuple[str, list[str]] | None:
    """Return the forces in the joints of a mechanism at the end."""
    found = run.final_joints()
    if not found:
        return None

    def shown(values: Sequence[float | None]) -> str:
        words = [value(x) for x in values]
        return f"({', '.join(words)})" if len(words) > 1 else words[0]

    rows = [["joint", "on", "force, N", "moment, N m"]]
    rows += [[name, part["on"], shown(part["force"]), shown(part["moment"])] for name, part in found.items()]
    title = "Forces in the joints at the end, in world axes"
    if any(x is None for part in found.values() for x in (*part["force"], *part["moment"])):
        title += " (?: not determined)"
    return title, shortened(table(rows, left=(0, 1)), _ROWS + 1)
