"""Seconds from pressing Enter to an answer, each time in a fresh process, beside bare Python and `import numpy`.

    python benchmarks/startup.py [--quick] [--out benchmarks/results/startup.md]

Everything takes turns, so that what slows the machine slows all alike; of each the shortest time counts. Compiled
code is in its cache, as it is from the second use on.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PYTHON = [sys.executable]
CASES = {
    "python -c pass": ([*PYTHON, "-c", "pass"], None),
    "import numpy": ([*PYTHON, "-c", "import numpy"], None),
    "import sympy": ([*PYTHON, "-c", "import sympy"], None),
    "import dalembert": ([*PYTHON, "-c", "import dalembert"], 0.5),
    "import dalembert, and all of its public names": ([*PYTHON, "-c", "from dalembert import *"], None),
    "dalembert --help": ([*PYTHON, "-m", "dalembert", "--help"], 1.0),
    "completion of a model": ([*PYTHON, "-m", "dalembert"], None),
    "dalembert check pendulum": ([*PYTHON, "-m", "dalembert", "check", "pendulum"], None),
    "dalembert simulate pendulum, cached": ([*PYTHON, "-m", "dalembert", "simulate", "pendulum"], 2.0),
}
TAB = {"_DALEMBERT_COMPLETE": "complete_bash", "COMP_WORDS": "dalembert run pend", "COMP_CWORD": "2"}


def measure(repeat: int) -> dict[str, float]:
    """Return the shortest time of each, of several in turn."""
    best = dict.fromkeys(CASES, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"DALEMBERT_CACHE": folder}
        for k in range(repeat + 1):  # the first time fills the cache
            for name, (command, _) in CASES.items():
                variables = environment | (TAB if name.startswith("completion") else {})
                before = time.perf_counter()
                subprocess.run(command, env=variables, cwd=folder, stdout=subprocess.DEVNULL, check=True)
                if k:
                    best[name] = min(best[name], time.perf_counter() - before)
    return best


def table(best: dict[str, float]) -> list[str]:
    """Return the table as Markdown."""
    bare, numpy = best["python -c pass"], best["import numpy"]
    lines = ["| | seconds | asked | | × bare Python | × `import numpy` |", "|---|---|---|---|---|---|"]
    for name, seconds in best.items():
        limit = CASES[name][1]
        asked = f"≤ {limit:g} | {'yes' if seconds <= limit else '**no**'}" if limit else " | "
        lines.append(f"| {name} | {seconds:.3f} | {asked} | {seconds / bare:.1f} | {seconds / numpy:.1f} |")
    return lines


def main() -> None:
    """Print the table, and write it to a file if one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two turns instead of seven")
    parser.add_argument("--out", type=Path, help="write the table to this file")
    options = parser.parse_args()
    lines = table(measure(2 if options.quick else 7))
    print("\n".join(lines))
    if options.out:
        head = ["# From pressing Enter to an answer", "", "Each in a fresh process; `python benchmarks/startup.py`.", ""]
        options.out.write_text("\n".join([*head, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
