"""What a certificate costs: seconds of the processor for it, beside those of the motion, over the gallery.

    python benchmarks/overhead.py [--quick]

A certificate computes a second, more accurate motion and looks into every step of the first, at some thousands of
places at least; this constant is most of what short motions pay. Code is compiled before; of several turns the shortest
counts. Writes results/overhead.md.
"""

from __future__ import annotations

import statistics
import time
import warnings

from pages import is_quick, show

from dalembert import example
from dalembert.model.gallery import SIZED, names

SMALL = {"n-four-bar": 2, "chain": 3, "chain-minimal": 4, "n-four-bar-joints": 1, "planar-chain": 2, "spatial-chain": 2}
MODELS = [f"{name}:{SMALL[name]}" if name in SIZED else name for name in names()]
LONG = ("double-pendulum", "four-bar", "slider-crank")  # and how the ratio falls with the length of the motion
FACTOR = 20.0


def measure(model: str, until: float | None, repeat: int) -> tuple[float, float, int]:
    """Return the seconds of the processor of a motion and of its certificate, and the steps."""
    system, motion, certificate, steps = example(model), float("inf"), float("inf"), 0
    for k in range(repeat + 1):  # the first time compiles
        before = time.process_time()
        run = system.simulate(until)
        middle = time.process_time()
        _ = run.certificate
        after, steps = time.process_time(), run.steps
        if k:
            motion, certificate = min(motion, middle - before), min(certificate, after - middle)
    return motion, certificate, steps


def table(rows: dict[str, tuple[float, float, int]]) -> list[str]:
    """Return the table as Markdown."""
    lines = ["| model | steps | motion, s | certificate, s | ratio |", "|---|---:|---:|---:|---:|"]
    for model, (motion, certificate, steps) in rows.items():
        lines.append(f"| {model} | {steps} | {motion:.3f} | {certificate:.3f} | {certificate / motion:.1f} |")
    motions, certificates = (sum(row[k] for row in rows.values()) for k in (0, 1))
    middle = statistics.median(certificate / motion for motion, certificate, _ in rows.values())
    lines.append(
        f"| **all** | | {motions:.2f} | {certificates:.2f} | {certificates / motions:.1f} (median {middle:.1f}) |"
    )
    return lines


def main() -> None:
    """Print the table."""
    quick = is_quick(__doc__, "one turn instead of three")
    repeat = 1 if quick else 3
    warnings.simplefilter("ignore")
    rows = {model: measure(model, None, repeat) for model in MODELS}
    for model in LONG:
        until = FACTOR * example(model).simulation.get("until", 10.0)
        rows[f"{model}, {FACTOR:g} times as long"] = measure(model, until, repeat)
    text = "Seconds of the processor, with the model read and compiled; `python benchmarks/overhead.py`."
    show(table(rows), None if quick else "overhead", "What a certificate costs", text)


if __name__ == "__main__":
    main()
