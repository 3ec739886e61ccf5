"""Work and precision of simulated motion, beside peers, in one run: seconds, building apart, against the error.

    pip install -e ".[bench]"
    python benchmarks/motion.py [--quick]

Every code is set up in a file of benchmarks/peers/, which says how. Errors are those of positions at the end, the same
for all. All runs of a problem take turns, and the shortest time of each counts. Every code computes in one thread, and
times of a millisecond and more are those of the processor, so that a busy machine does not matter. Building and
simulation together are measured in fresh processes. Writes tables and a plot to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import time
from pathlib import Path
from types import ModuleType

import numpy as np
from peers.fresh import BUILDING, fresh, in_fresh_processes
from peers.problems import Problem, problems
from peers.report import Row, asked_table, building_table, plot, ratios_table, runs_table

RESULTS = Path(__file__).parent / "results"
PEERS = ("casadi", "exudyn", "heyoka", "mujoco", "pinocchio", "sympy")
ROUNDS, PART, WHOLE = 8, 0.1, 5.0  # seconds of one run in a round, and in all


def codes() -> list[ModuleType]:
    """Return ours and those of the peers that are installed."""
    found = [name for name in PEERS if importlib.util.find_spec(name) is not None]
    return [importlib.import_module(f"peers.{name}") for name in ("own", *found)]


def measure(problem: Problem, modules: list[ModuleType]) -> list[Row]:
    """Let all runs of a problem take turns; return the shortest time and the error of each."""
    runs = [run for module in modules for run in module.runs(problem)]
    best, errors, spent = np.full(len(runs), np.inf), np.full(len(runs), np.nan), np.zeros(len(runs))
    for _ in range(ROUNDS):
        for i, run in enumerate(runs):
            begin = now = time.perf_counter()
            while now - begin < PART and spent[i] + (now - begin) < WHOLE:
                try:
                    seconds, q = run.go()
                except RuntimeError as error:
                    print(f"{problem.name}, {run.code} {run.setting}: {str(error).splitlines()[-1]}", flush=True)
                    best[i], spent[i] = np.nan, np.inf
                    break
                best[i], errors[i] = min(best[i], seconds), problem.error(q)
                now = time.perf_counter()
            spent[i] += now - begin
    return [
        Row(problem.name, run.code, run.setting, float(seconds), float(error), run.build)
        for run, seconds, error in zip(runs, best, errors, strict=True)
    ]


def main() -> None:
    """Print the tables and write them down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small systems only, nothing is written")
    parser.add_argument("--fresh", choices=BUILDING, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fresh:
        print(json.dumps(fresh(given.fresh)))
        return
    rows: list[Row] = []
    for problem in problems(*(((2,), (20,)) if given.quick else ((2, 10, 40), (20, 100)))):
        rows += measure(problem, codes())
        print(runs_table([row for row in rows if row.problem == problem.name]), flush=True)
    if given.quick:
        print(ratios_table(rows))
        return
    built = in_fresh_processes(Path(__file__))
    parts = [
        ("What was asked, and what was reached", asked_table(rows, built)),
        ("Building and simulation together: 40 four-bars, 10 s, error 5e-5", building_table(built)),
        ("How many times faster at equal error", ratios_table(rows)),
        ("All runs", runs_table(rows)),
    ]
    text = "# Work and precision\n\n![error against seconds](motion.png)\n\n"
    text += "\n".join(f"## {title}\n\n{table}\n" for title, table in parts)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "motion.md").write_text(text, encoding="utf-8")
    plot(rows, RESULTS / "motion.png")


if __name__ == "__main__":
    main()
