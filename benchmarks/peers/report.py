"""Tables and plots of what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peers.fresh import Built

OURS = "dalembert"
STYLES = {  # marker and colour, told apart without colour too
    OURS: ("o", "#000000"),
    "heyoka": ("D", "#cc3311"),
    "CasADi IDAS": ("s", "#0077bb"),
    "MuJoCo": ("^", "#ee7733"),
    "Pinocchio": ("v", "#009988"),
    "Exudyn": ("P", "#aa3377"),
    "SymPy, SciPy": ("X", "#999999"),
}
FASTEST = [("four-bar 40", 5e-5, 30), ("chain 100", 1e-8, 15)]
IDAS = ["pendulum", "rolling disk", "Andrews"]
TAYLOR = ["pendulum", "rolling disk"]


@dataclass(frozen=True)
class Row:
    """One run: who computed what, how long it took, how wrong it was."""

    problem: str
    code: str
    setting: str
    seconds: float
    error: float
    build: float


def times(ratio: float) -> str:
    """Write a ratio to two digits."""
    return f"{float(f'{ratio:.2g}'):g}"


def table(head: str, lines: Sequence[str]) -> str:
    """Return a table of Markdown."""
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *lines])


def runs_table(rows: Sequence[Row]) -> str:
    """Return all runs."""
    lines = []
    for r in rows:
        found = f"{r.seconds:.2g} | {r.error:.1e}" if np.isfinite(r.error) else "fails |"
        lines.append(f"| {r.problem} | {r.code} | {r.setting} | {found} | {r.build:.2g} |")
    return table("| problem | code | setting | seconds | error | building, s |", lines)


def at_error(rows: Sequence[Row], error: float) -> float:
    """Return the seconds in which a code reaches an error: of its fastest run that does, or between it and the next.

    Between two runs the scale is logarithmic. What no run reaches takes forever.
    """
    good = [row for row in rows if row.error <= error]
    if not good:
        return np.inf
    best = min(good, key=lambda row: row.seconds)
    worse = [row for row in rows if row.error > error and row.seconds < best.seconds]
    if not worse:
        return best.seconds
    near = min(worse, key=lambda row: row.error)
    errors, seconds = np.log([best.error, near.error]), np.log([best.seconds, near.seconds])
    return float(np.exp(np.interp(np.log(error), errors, seconds)))


def ratios(rows: Sequence[Row], problem: str, code: str) -> dict[float, float]:
    """Return, for the error of each run of a peer that ours reach too, how many times faster ours is."""
    mine = [r for r in rows if (r.problem, r.code) == (problem, OURS)]
    theirs = [r for r in rows if (r.problem, r.code) == (problem, code) and r.error < 1e-2]
    found = {r.error: r.seconds / at_error(mine, r.error) for r in theirs}
    return {error: ratio for error, ratio in found.items() if ratio > 0}


def ratios_table(rows: Sequence[Row]) -> str:
    """Return how many times faster ours is, at the errors of each peer."""
    lines = []
    for problem, code in dict.fromkeys((r.problem, r.code) for r in rows if r.code != OURS):
        found = ratios(rows, problem, code)
        if found:
            lines.append(f"| {problem} | {code} | {', '.join(f'{times(x)} at {e:.0e}' for e, x in found.items())} |")
    return table("| problem | peer | times faster, at its errors |", lines)


def asked_table(rows: Sequence[Row], built: Sequence[Built]) -> str:
    """Return what was asked and what was reached."""
    lines = []

    def add(what: str, asked: str, reached: str, held: bool) -> None:
        lines.append(f"| {what} | {asked} | {reached} | {'yes' if held else '**no**'} |")

    for problem, error, asked in FASTEST:
        mine = [r for r in rows if r.problem == problem]
        seconds = {code: at_error([r for r in mine if r.code == code], error) for code in {r.code for r in mine}}
        own = seconds.pop(OURS)
        for place, code in enumerate(sorted(seconds, key=seconds.__getitem__)[:2]):
            ratio = seconds[code] / own
            shown = f"{times(ratio)} times ({own:.2g} s, {seconds[code]:.2g} s)"
            rank = "fastest" if place == 0 else "second"
            add(f"{problem} at {error:g}, the {rank} peer, {code}", f"≥ {asked} times faster", shown, ratio >= asked)
    for problem in IDAS:
        found = ratios(rows, problem, "CasADi IDAS")
        if found:
            shown = f"{min(found.values()):.0f} to {max(found.values()):.0f} times"
            errors = f"{problem} at {min(found):.0e} to {max(found):.0e}, CasADi IDAS"
            add(errors, "≥ 20 times faster", shown, min(found.values()) >= 20)
    for problem in TAYLOR:
        found = ratios(rows, problem, "heyoka")
        if found:
            slower = [1 / ratio for ratio in found.values()]
            errors = f"{problem} at {min(found):.0e} to {max(found):.0e}, heyoka"
            add(errors, "≤ 3 times slower", f"{min(slower):.1f} to {max(slower):.1f} times slower", max(slower) <= 3)
    peer = min((b for b in built if b.code != OURS), key=lambda b: b.total, default=None)
    for state, limit in (("cold", 4.0), ("cached", 1.0)):
        own = next(b for b in built if b.state == state)
        if peer is not None:
            what = f"four-bar 40 at 5e-5, building included, {state}, {peer.code}"
            ratio = own.total / peer.total
            add(
                what, f"≤ {limit:g} of its time", f"{ratio:.2f} ({own.total:.2g} s, {peer.total:.2g} s)", ratio <= limit
            )
    return table("| | asked | reached | |", lines)


def building_table(built: Sequence[Built]) -> str:
    """Return building and simulation in fresh processes."""
    lines = [
        f"| {b.code}{', ' if b.state else ''}{b.state} | {b.total:.2g} | {b.total - b.simulation:.2g} | "
        f"{b.simulation:.2g} | {b.error:.1e} |"
        for b in built
    ]
    head = "| fresh process | together, s | building, s | simulation, s | error |"
    return table(head, lines) + (
        "\n\nCold: nothing of the model is kept on disk; cached: its compiled code is. The stepper belongs to no model "
        "and is compiled once per machine, which the first row shows. Importing is not counted."
    )


def plot(rows: Sequence[Row], path: Path) -> None:
    """Draw error against seconds, one panel for each problem."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(row.problem for row in rows))
    columns = (len(names) + 1) // 2
    figure, axes = plt.subplots(2, columns, figsize=(4 * columns, 8.4), squeeze=False)
    for axis, name in zip(axes.flat, names, strict=False):
        for code, (marker, colour) in STYLES.items():
            mine = [r for r in rows if (r.problem, r.code) == (name, code) and np.isfinite(r.error)]
            width = 2.0 if code == OURS else 1.2
            axis.loglog(
                [r.seconds for r in mine], [max(r.error, 1e-15) for r in mine], marker=marker, color=colour,
                linewidth=width, markersize=6, label=code, zorder=3 if code == OURS else 2,
            )  # fmt: skip
        axis.set_title(name, fontsize=13)
        axis.set_xlabel("seconds")
        axis.set_ylabel("error of positions at the end")
        axis.grid(True, alpha=0.3)
    for axis in axes.flat[len(names) :]:
        axis.axis("off")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=12, frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, dpi=100)
