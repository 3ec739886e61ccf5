"""Mechanisms of growing size: seconds to derive and compile, µs per acceleration with all joint forces, beside peers.

    python benchmarks/mechanisms.py [--quick]

Chains hang on revolutes, in space with axes y and z by turns, and so does a tree in which every body carries two. All
three are taken in the coordinates of their joints as well.
Everything of ours is cold: nothing is kept on disk.
Pinocchio, MuJoCo and Exudyn are measured where they are installed; see peers/accelerations.py for what they do.
Writes results/mechanisms.md.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from peers.accelerations import PEERS, best, carriers, motion

from dalembert import Mechanism, example
from dalembert.blocks.numeric import parameter_values
from dalembert.native.kernels import Kernels

GALLERY = {"planar": "planar-chain", "spatial": "spatial-chain", "four-bar": "n-four-bar-joints"}
TITLES = {
    "planar": "planar chain",
    "spatial": "spatial chain",
    "tree": "spatial tree that branches",
    "four-bar": "N four-bars",
}
SIZES = {"planar": (10, 100, 1000), "spatial": (10, 100, 1000), "tree": (10, 100, 1000), "four-bar": (10, 50, 200)}
JOINTS = ", joints"  # behind the kinds that are taken in the coordinates of their joints
for name in ("planar", "spatial", "tree"):
    TITLES[name + JOINTS], SIZES[name + JOINTS] = f"{TITLES[name]}, joint coordinates", (10, 100, 1000)
STEEPEST = 1.2
RESULTS = Path(__file__).parent / "results" / "mechanisms.md"

Result = dict[str, float]


def mechanism(kind: str, size: int) -> Mechanism:
    """Write down a mechanism; the tree has the rods of the chain in space."""
    if kind != "tree":
        return example(f"{GALLERY[kind]}:{size}")
    bodies, joints, ends = {}, {}, [0.0]
    inertia = ["m*w^2/6", "m*(l^2 + w^2)/12", "m*(l^2 + w^2)/12"]
    for i, carrier in enumerate(carriers(kind, size), 1):
        place = ends[carrier]
        ends.append(place + 1.0)
        bodies[f"rod{i}"] = {"mass": "m", "inertia": inertia, "at": [place + 0.5, 0, 0]}
        joint = {"kind": "revolute", "bodies": [f"rod{carrier}" if carrier else "ground", f"rod{i}"]}
        joints[f"J{i}"] = joint | {"at": [place, 0, 0], "axis": [0, 1, 0] if i % 2 else [0, 0, 1]}
    parameters = {"m": 1.0, "l": 1.0, "w": 0.1, "g": 9.81}
    return Mechanism(bodies, joints, dimensions=3, gravity=[0, 0, "-g"], parameters=parameters)


def ours(kind: str, size: int) -> Result:
    """Write down, derive, compile and run a mechanism; compare its accelerations with Pinocchio's."""
    given = mechanism(kind.removesuffix(JOINTS), size)
    before = time.process_time()
    system = given.replace(by="joints" if kind.endswith(JOINTS) else "absolute")  # reads all tables anew
    written = time.process_time()
    kernels = Kernels(system)
    kernels.facts("direct")
    compiled = time.process_time()
    result = {"write": written - before, "compile": compiled - written}
    state = system.start()
    n, count = len(state.q), max(2, 20_000 // len(state.q))
    rows = np.tile(np.concatenate([[0.0], state.q, state.v, parameter_values(system, {})]), (count, 1))
    rows[:, 1 : 1 + 2 * n] += 1e-3 * np.random.default_rng(0).normal(size=(count, 2 * n))
    result["µs"] = best(lambda: kernels.run("direct", "direct", rows)) / count * 1e6
    known = motion(kind, size) if kind != "four-bar" and not kind.endswith(JOINTS) else None
    if known is not None:
        q, v, expected = known
        found = kernels.run("direct", "direct", np.concatenate([[0.0], q, v, rows[0, 1 + 2 * n :]])[None])[0, :n]
        wide, places = (3, 2) if kind == "planar" else (7, 3)
        found = found.reshape(size, wide)[:, :places].ravel()
        result["difference"] = float(np.abs(found - expected).max() / np.abs(expected).max())
    return result


def measure(kind: str, size: int) -> Result:
    """Measure one mechanism in all codes."""
    result = ours(kind, size)
    for name, peer in PEERS.items() if not kind.endswith(JOINTS) else ():
        found = peer(kind, size)
        if found is not None:
            result[name] = found
    return result


def exponent(small: int, large: int, of: dict[int, Result], key: str) -> float:
    """Return the exponent of growth from one size to another."""
    return math.log(of[large][key] / of[small][key]) / math.log(large / small)


def asked(results: dict[str, dict[int, Result]]) -> list[tuple[str, str, str, bool]]:
    """Compare with what was asked: line, asked, reached, whether it is."""
    lines = []
    for kind, of in results.items():
        sizes = tuple(of)
        if len(sizes) < 3:
            continue
        for what, key in (("derive and compile", "compile"), ("acceleration", "µs")):
            grows = exponent(sizes[0], sizes[-1], of, key)
            parts = ", ".join(f"{exponent(a, b, of, key):.2f} from {a} to {b}" for a, b in pairwise(sizes))
            text = f"{TITLES[kind]}, {what}: growth from {sizes[0]} to {sizes[-1]}"
            lines.append((text, f"≤ n^{STEEPEST}", f"n^{grows:.2f} ({parts})", grows <= STEEPEST))
    planar = results["planar"].get(100)
    if planar and "Pinocchio" in planar:
        ratio = planar["Pinocchio"] / planar["µs"]
        lines.append(("planar chain of 100, Pinocchio's ABA", "≥ 5 times faster", f"{ratio:.1f} times", ratio >= 5))
    for kind in ("spatial", "tree"):
        found = results[kind].get(100)
        if found and "Pinocchio" in found:
            ratio = found["Pinocchio"] / found["µs"]
            what = f"{TITLES[kind]}, 100 bodies, Pinocchio's ABA"
            lines.append((what, "≥ 1.5 times faster", f"{ratio:.2f} times", ratio >= 1.5))
            if own := results[kind + JOINTS].get(100):
                ratio = found["Pinocchio"] / own["µs"]
                what = f"{TITLES[kind + JOINTS]}, 100 bodies, Pinocchio's ABA"
                lines.append((what, "≥ 1.5 times faster", f"{ratio:.2f} times", ratio >= 1.5))
    for size, r in results["four-bar"].items():
        for name in PEERS:
            if name in r:
                ratio = r[name] / r["µs"]
                lines.append((f"{size} four-bars, {name}", "faster", f"{ratio:.1f} times", ratio > 1))
    for kind in ("planar", "spatial", "tree", *(name + JOINTS for name in ("planar", "spatial", "tree"))):
        if 1000 in results[kind]:
            seconds = results[kind][1000]["write"] + results[kind][1000]["compile"]
            text = f"{TITLES[kind]}, 1000 bodies written down, derived and compiled"
            lines.append((text, "< 10 s", f"{seconds:.1f} s of the processor", seconds < 10))
    return lines


def report(results: dict[str, dict[int, Result]]) -> str:
    """Write the tables."""
    text = ["# Mechanisms of growing size", "", "## What was asked, and what was reached", ""]
    text += ["| | asked | reached | |", "|---|---|---|---|"]
    text += [f"| {a} | {b} | {c} | {'yes' if ok else '**no**'} |" for a, b, c, ok in asked(results)]
    text += ["", "## Seconds, and µs per acceleration", ""]
    columns = ["dalembert", *PEERS]
    text += [
        f"| mechanism | write, s | derive and compile, s | {', µs | '.join(columns)}, µs |",
        "|---|---|---|" + "---|" * len(columns),
    ]
    for kind, of in results.items():
        for size, r in of.items():
            times = [f"{r[key]:.3g}" if key in r else "–" for key in ("µs", *PEERS)]
            text.append(f"| {TITLES[kind]}, {size} | {r['write']:.2f} | {r['compile']:.2f} | {' | '.join(times)} |")
    differences = [r["difference"] for of in results.values() for r in of.values() if "difference" in r]
    text += [
        "",
        "Ours is in absolute coordinates, in space with angular velocities inside, and returns the accelerations and "
        "every joint force; or in joint coordinates, where it returns the accelerations. Derived and compiled are the "
        "kernels of motions, cold, in seconds of the processor. "
        "Pinocchio (articulated bodies) and MuJoCo (forward dynamics) have joint coordinates and give no joint forces "
        "in chains and trees; MuJoCo's loops are soft, and its solver starts from the solution at the same state. "
        "Exudyn: one Newton iteration of its implicit step, absolute coordinates.",
    ]
    if differences:
        text.append(f"Accelerations of bent chains agree with Pinocchio's to {max(differences):.0e} of the largest.")
    return "\n".join(text) + "\n"


def main() -> None:
    """Measure, print, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small mechanisms only; nothing is written")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DALEMBERT_CACHE"] = folder
        Kernels(example("pendulum"))  # LLVM is loaded
        results: dict[str, dict[int, Result]] = {kind: {} for kind in SIZES}
        for kind, sizes in SIZES.items():
            for size in sizes[: 1 if quick else None]:
                results[kind][size] = measure(kind, size)
    text = report(results)
    print(text)
    if not quick:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
