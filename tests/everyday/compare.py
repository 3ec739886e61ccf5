"""What the package says, beside what the oracle says: formulas, kernels, motions, joint forces, exports."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.everyday import formulas
from tests.everyday.case import Case
from tests.everyday.oracle import Truth

NEAR = 1e-9
Place = tuple[float, np.ndarray, np.ndarray]


class Compare:
    """Comparisons for one case. Coordinates are measured in their own units."""

    def __init__(self, case: Case):
        self.case, self.oracle = case, case.oracle
        self.scale = case.oracle.scale

    # --- vectors -----------------------------------------------------------------------------------------------------

    def accelerations(self, found: Any, truth: Truth, what: str) -> None:
        """Compare accelerations, in the units of the coordinates."""
        a, b = np.asarray(found, dtype=float) / self.scale, truth.acceleration / self.scale
        _same(a, b, 1 + np.abs(b).max(initial=0), what)

    def forces(self, found: Any, expected: Any, truth: Truth, what: str) -> None:
        """Compare generalized forces."""
        size = np.abs(truth.reaction * self.scale).max(initial=0) + np.abs(truth.f * self.scale).max(initial=0) + 1e-3
        _same(np.asarray(found, dtype=float) * self.scale, np.asarray(expected) * self.scale, size, what)

    def shares(self, found: dict[str, Any], place: Place, truth: Truth, what: str) -> None:
        """Compare the reaction of each joint or constraint where it is determinate; `found` is by condition."""
        for owner, expected in truth.owners.items():
            mine = [name for name in found if name == owner or name.startswith(owner + ".")]
            known = truth.components[owner]
            if mine and len(mine) == len(self.conditions.get(owner, mine)):
                sum_ = np.sum([np.asarray(found[name], dtype=float) for name in mine], axis=0)
                sum_ = self.oracle.turning(sum_, place[1])
                self.forces(np.where(known, sum_, 0), np.where(known, expected, 0), truth, f"{what} of {owner}")

    conditions: dict[str, list[str]] = {}
    added: dict[str, float] = {}  # parameters of the package's own: gravity, where nothing is said of it

    def learn(self, system: Any) -> None:
        """Learn which conditions each joint has, and which parameters nobody wrote."""
        self.added = {
            name: float(value) for name, value in system.parameters.items() if name not in self.oracle.parameters
        }
        assert self.added in ({}, {"g": 9.81}), f"parameters that nobody wrote: {self.added}"
        names = [constraint.name for constraint in system.constraints]
        owners = {name.rpartition(".")[0] or name for name in names}
        self.conditions = {o: [n for n in names if n == o or n.startswith(o + ".")] for o in owners}

    # --- what the package gives --------------------------------------------------------------------------------------

    def formulas(self, data: dict[str, Any], place: Place, truth: Truth) -> None:
        """Compare a derivation as data: that its equations hold and are complete, and its reactions."""
        z = self.names(place, truth)
        for name, text in data["abbreviations"].items():
            if (
                formulas.mentioned(text) <= z.keys() | formulas._FUNCTIONS.keys()
            ):  # else it is made of unknown multipliers
                z[name] = formulas.value(text, z)
        form = data["form"]
        if form == "canonical" and data["equations"]:
            self.canonical(data["equations"], z, truth)
        elif data["equations"] and form != "canonical":
            self.equations(data, z, place, truth)
        if data["total_reaction"]:
            found = [formulas.value(text, z) for text in data["total_reaction"]]
            found = self.oracle.turning(np.array(found, dtype=float), place[1])
            self.forces(found, self.oracle.turning(truth.reaction, place[1]), truth, f"formulas of r, form {form},")
        found = {name: [formulas.value(text, z) for text in row] for name, row in data["reactions"].items()}
        self.shares(found, place, truth, f"formula, form {form}, reaction")

    def names(self, place: Place, truth: Truth) -> dict[str, Any]:
        """Return the values of all names that may be in a formula."""
        t, q, v = place
        parameters = {**self.oracle.parameters, **self.added}
        z = formulas.names(**{name: np.longdouble(x) for name, x in parameters.items()}, t=np.longdouble(t))
        for k, name in enumerate(self.oracle.names):
            z |= {name: np.longdouble(q[k]), name + "'": np.longdouble(v[k]), name + "''": truth.acceleration[k]}
            z |= {f"p_{name}": truth.momentum[k], f"p_{name}'": truth.momentum_rate[k]}
        return z

    def equations(self, data: dict[str, Any], z: dict[str, Any], place: Place, truth: Truth) -> None:
        """Compare equations linear in accelerations (or reactions) and multipliers: they hold at the true ones."""
        texts, form = data["equations"], data["form"]
        if form == "reactions":
            names, true = [f"r_{name}" for name in self.oracle.names], truth.reaction
            sizes = (1e-3 + np.abs(true * self.scale).max(initial=0)) / self.scale
        else:
            names, true = [name + "''" for name in self.oracle.names], truth.acceleration
            sizes = (1 + np.abs(true / self.scale).max(initial=0)) * self.scale
        n = len(names)
        shown = [*texts, *(data["abbreviations"].values() if form == "multipliers" else ())]
        found = {name for text in shown for name in formulas.mentioned(text) if name.startswith("lambda_")}
        names += sorted(found if form == "multipliers" else found - z.keys())  # what is named in steps is known
        k = len(names)
        unknown = np.concatenate([np.zeros((1, k)), np.diag([*sizes, *np.ones(k - n)])])
        z = z | {name: unknown[:, j] for j, name in enumerate(names)}
        varied = set(names)
        for name, text in data["abbreviations"].items():  # those of accelerations vary with them
            if name not in varied and varied & set(formulas.mentioned(text)):
                z[name] = formulas.value(text, z)
                varied.add(name)
        rows = np.array([np.broadcast_to(formulas.value(text, z), (k + 1,)) for text in texts], dtype=float)
        base, slopes = rows[:, 0], rows[:, 1:] - rows[:, :1]
        rowsize = np.abs(rows).max(axis=1) + 1e-300
        base, slopes = base / rowsize, slopes / rowsize[:, None]
        if form == "reactions":  # along Euler parameters r is a convention: solve, and compare the rest
            found = _fitted(slopes, -base) * sizes
            self.forces(
                self.oracle.turning(found, place[1]), self.oracle.turning(true, place[1]), truth, "equations of r"
            )
            return
        left, right = slopes[:, n:], base + slopes[:, :n] @ (true / sizes)
        size = np.abs(base) + np.abs(slopes[:, :n]) @ np.abs(true / sizes)
        if k > n:
            lam = _fitted(left, -right)
            right, size = right + left @ lam, size + np.abs(left) @ np.abs(lam)
        # numbers are written in thirteen digits: a spring that happens to be at rest leaves as much of its terms, and
        # forces of hundreds that cancel leave more (seed 106: λ = 86, a row of terms of 1e-4 off by 3e-13)
        worst = np.abs(right / np.maximum(size, 1e-3)).max(initial=0)
        assert worst < NEAR, f"equations of form {form} are off by {worst:.1e} of their terms"

    def canonical(self, texts: list[str], z: dict[str, Any], truth: Truth) -> None:
        """Compare canonical equations: q̇ and ṗ follow from them."""
        n = len(self.oracle.names)
        values = np.array([float(formulas.value(text, z)) for text in texts])
        v = np.array([float(z[name + "'"]) for name in self.oracle.names])
        first, second = values[:n] / self.scale, values[n:] * self.scale
        _same(first, 0, 1 + np.abs(v / self.scale).max(), "canonical equations of q")
        size = np.abs(truth.f * self.scale).max() + np.abs(truth.reaction * self.scale).max() + 1e-3
        _same(second, 0, size + np.abs(truth.momentum_rate * self.scale).max(), "canonical equations of p")

    def kernel(self, kernel: Any, place: Place, truth: Truth) -> None:
        """Compare a kernel at a state."""
        t, q, v = place
        if kernel.form == "canonical":
            found = kernel(t, q, truth.momentum)
            _same(found.velocity / self.scale, v / self.scale, 1 + np.abs(v / self.scale).max(), "canonical kernel: q'")
            self.forces(found.momentum_rate, truth.momentum_rate, truth, "canonical kernel: p'")
            return
        found = kernel(t, q, v)
        self.accelerations(found.acceleration, truth, f"kernel, form {kernel.form}: accelerations")
        r, true = (self.oracle.turning(x, q) for x in (found.reaction, truth.reaction))
        self.forces(r, true, truth, f"kernel, form {kernel.form}: reaction")
        if kernel.form == "multipliers":
            self.shares(kernel.reactions(t, q, v), place, truth, "kernel: reaction")

    def motion(self, run: Any) -> None:
        """Compare accelerations and reactions along a motion, at its middle and its end."""
        for k in (len(run.t) // 2, -1):
            q, v, a = (np.array([run[name + prime][k] for name in self.oracle.names]) for prime in ("", "'", "''"))
            truth = self.oracle(float(run.t[k]), q, v)
            assert truth.residual < 1e-7, f"a state of the motion is off the constraints by {truth.residual:.1e}"
            self.accelerations(a, truth, "motion: accelerations")

    def joints(self, system: Any, place: Place, truth: Truth) -> None:
        """Compare the force of every joint and drive on a body, where it is determined; nan where it is not."""
        for name in [*system.joints, *system.drives]:
            found = system.joint_force(name)
            if found.on == "ground":
                continue
            at = [self.oracle.names.index(f"{letter}_{found.on}") for letter in "xyz"[: system.dimensions]]
            known, expected = truth.components[name][at], truth.owners[name][at]
            said = np.isfinite(found.force)
            assert np.array_equal(said, known), f"determined in {name}: {said}, the oracle has {known}"
            size = np.abs(truth.reaction[at]).max() + np.abs(truth.f[at]).max() + np.abs(expected).max() + 1e-3
            _same(np.where(known, found.force, 0), np.where(known, expected, 0), size, f"force of joint {name}")

    def exported(self, module: dict[str, Any], place: Place, truth: Truth) -> None:
        """Compare an exported Python module."""
        self.accelerations(module["accelerations"](*place)[0], truth, "exported NumPy: accelerations")


def _same(found: Any, expected: Any, size: float, what: str) -> None:
    error = np.abs(np.asarray(found) - expected).max(initial=0) / size
    assert error < NEAR, f"{what} off by {error:.1e}"


def _fitted(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve linear equations of which some may repeat others, whatever the units of the unknowns."""
    columns = np.linalg.norm(rows, axis=0)
    columns[columns == 0] = 1.0
    found = np.linalg.lstsq(rows / columns, right, rcond=1e-11)[0]
    found += np.linalg.lstsq(rows / columns, right - rows / columns @ found, rcond=1e-11)[0]
    return found / columns
