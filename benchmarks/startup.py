"""Seconds from pressing Enter to an answer, each time in a fresh process, beside bare Python and `import numpy`.

    python benchmarks/startup.py [--quick]

Everything takes turns, so that what slows the machine slows all alike; of each the shortest time counts, and beside it
stands that of the processor, which other work does not lengthen as much and which is held against what is asked.
Bytecode and compiled code are in their caches, as they are from the second use on. Writes results/startup.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from pages import is_quick, show

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


def measure(repeat: int) -> dict[str, tuple[float, float]]:
    """Return the shortest time of each, and the shortest of the processor, of several in turn."""
    best = dict.fromkeys(CASES, (float("inf"), float("inf")))
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "DALEMBERT_CACHE": f"{folder}/compiled",
            "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
        for k in range(repeat + 1):  # the first time fills the caches
            for name, (command, _) in CASES.items():
                variables = environment | (TAB if name.startswith("completion") else {})
                before, busy = time.perf_counter(), os.times()
                subprocess.run(command, env=variables, cwd=folder, stdout=subprocess.DEVNULL, check=True)
                after, end = time.perf_counter(), os.times()
                used = end.children_user + end.children_system - busy.children_user - busy.children_system
                if k:
                    best[name] = min(best[name][0], after - before), min(best[name][1], used)
    return best


def table(best: dict[str, tuple[float, float]]) -> list[str]:
    """Return the table as Markdown."""
    bare, numpy = best["python -c pass"][0], best["import numpy"][0]
    head = "| | seconds | of the processor | asked | | × bare Python | × `import numpy` |"
    lines = [head, "|---" * 7 + "|"]
    for name, (seconds, used) in best.items():
        limit = CASES[name][1]
        asked = f"≤ {limit:g} | {'yes' if used <= limit else '**no**'}" if limit else " | "
        ratios = f"{seconds / bare:.1f} | {seconds / numpy:.1f}"
        lines.append(f"| {name} | {seconds:.2f} | {used:.2f} | {asked} | {ratios} |")
    return lines


def main() -> None:
    """Print the table."""
    quick = is_quick(__doc__, "two turns instead of seven")
    text = "Each in a fresh process; `python benchmarks/startup.py`."
    lines = table(measure(2 if quick else 7))
    show(lines, None if quick else "startup", "From pressing Enter to an answer", text)


if __name__ == "__main__":
    main()
