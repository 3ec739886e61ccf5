"""Work and precision of simulated motion, beside peers, in one run: seconds, building apart, against the error.

    pip install -e ".[bench]"
    python benchmarks/motion.py [--quick]

CasADi integrates the same blocks with IDAS (index 1, accelerations and multipliers as algebraic unknowns); MuJoCo has
the four-bar in joint coordinates with soft loop constraints; Pinocchio's articulated-body algorithm is stepped by RK4
from Python on the chain in joint coordinates. Errors are those of positions at the end: against closed forms (pendulum,
disk, four-bar), the published value (Andrews), or a run at tolerance 1e-13 in another form (chain). Writes a table and
a plot to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from dalembert import System, example
from dalembert.algebra.program import Program
from dalembert.model.numeric import Numeric

RESULTS = Path(__file__).parent / "results"
TOLERANCES = (1e-5, 1e-7, 1e-9, 1e-11)
ANDREWS = [15.81077119515370710, -15.75637105841183947, 0.0408222401196458049, -0.534730116342079594]
ANDREWS += [0.524409965879954069, 0.534730116342079594, 1.048080741041937873]


@dataclass(frozen=True)
class Row:
    """One run: who computed what, how long it took, how wrong it was."""

    problem: str
    code: str
    setting: str
    seconds: float
    error: float
    build: float


@dataclass(frozen=True)
class Problem:
    """A system, the time to simulate, and its error at the end from q."""

    name: str
    system: System
    until: float
    error: Callable[[np.ndarray], float]


def pendulum() -> Problem:
    """Return the simple pendulum, exact by elliptic functions: from the horizontal, at rest."""
    k, w = np.sqrt(0.5), np.sqrt(9.81)
    sn = ellipj(ellipk(k**2) - w * 10.0, k**2)[0]
    angle = -2 * np.arcsin(k * sn)
    end = np.array([np.sin(angle), -np.cos(angle)])
    return Problem("pendulum", example("simple-pendulum"), 10.0, lambda q: np.abs(q[:2] - end).max())


def disk() -> Problem:
    """Return the upright disk, exact in closed form."""
    end = np.array([np.sqrt(3) - 2 * np.cos(np.pi / 6 + 10), 1 - 2 * np.sin(np.pi / 6 + 10)])
    return Problem("rolling disk", example("upright-disk"), 10.0, lambda q: np.abs(q[:2] - end).max())


def andrews() -> Problem:
    """Return Andrews' squeezing mechanism with its published end."""
    return Problem("Andrews", example("andrews-squeezer"), 0.03, lambda q: np.abs(q - ANDREWS).max())


def four_bar(N: int) -> Problem:
    """Return the N-four-bar, exact by its one degree of freedom."""
    k = 9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    found = solve_ivp(lambda _, y: [y[1], k * np.sin(y[0])], (0, 10), [0, 1.0], "DOP853", rtol=1e-13, atol=1e-14)
    end = np.array([np.sin(found.y[0, -1]), np.cos(found.y[0, -1])])
    return Problem(f"four-bar {N}", example(f"n-four-bar:{N}"), 10.0, lambda q: np.abs(2 * q[:2] - end).max())


def chain(n: int) -> Problem:
    """Return the chain of rods, beside a run at a tight tolerance in canonical form."""
    system = example(f"chain:{n}")
    end = system.simulate(2.0, form="canonical", rtol=1e-13, atol=1e-13).q[-1]
    return Problem(f"chain {n}", system, 2.0, lambda q: np.abs(q - end).max())


def ours(problem: Problem) -> list[Row]:
    """Run the default method at several tolerances."""
    problem.system.simulate(problem.until, rtol=1e-3, atol=1e-3)  # compiled and loaded
    rows = []
    for tolerance in TOLERANCES:
        runs = [problem.system.simulate(problem.until, rtol=tolerance, atol=tolerance) for _ in range(5)]
        best = min(run.wall_s for run in runs)
        rows.append(
            Row(problem.name, "dalembert", f"{tolerance:g}", best, problem.error(runs[0].q[-1]), runs[0].build_s)
        )
    return rows


def with_casadi(problem: Problem) -> list[Row]:
    """Integrate the same blocks with IDAS."""
    import casadi

    system = problem.system
    b, numeric, start = system.blocks, Numeric(system), system.start()
    n, s = len(b.q), len(b.c)
    x, z = casadi.SX.sym("x", 2 * n), casadi.SX.sym("z", n + s)
    functions = {name: getattr(casadi, name) for name in ("sin", "cos", "sqrt", "tan")}
    inputs = [0.0, *(x[i] for i in range(2 * n)), *numeric.parameters]
    program = Program([b.t, *b.q, *b.v, *b.parameters], [*b.M.values(), *b.A.values(), *b.f, *b.c])
    values = iter(program(inputs, functions))
    balance, rows = [casadi.SX(0)] * n, [casadi.SX(0)] * s
    for i, j in b.M:
        balance[i] = balance[i] + next(values) * z[j]
    for i, j in b.A:
        entry = next(values)
        balance[j] = balance[j] - entry * z[n + i]
        rows[i] = rows[i] + entry * z[j]
    residual = casadi.vertcat(*(m - next(values) for m in balance), *(r - next(values) for r in rows))
    dae = {"x": x, "z": z, "ode": casadi.vertcat(x[n:], z[:n]), "alg": residual}
    found = system.compile()(0.0, start.q, start.v)
    x0, z0 = np.concatenate([start.q, start.v]), np.concatenate([found.acceleration, found.multipliers])
    results = []
    for tolerance in TOLERANCES[:3]:
        options = {"reltol": tolerance, "abstol": tolerance, "max_num_steps": 1_000_000, "linear_solver": "csparse"}
        before = time.perf_counter()
        integrator = casadi.integrator("I", "idas", dae, 0, problem.until, options)
        build = time.perf_counter() - before
        try:
            best = np.inf
            for _ in range(2):
                before = time.perf_counter()
                end = integrator(x0=x0, z0=z0)["xf"]
                best = min(best, time.perf_counter() - before)
            error = problem.error(np.array(end).ravel()[:n])
            results.append(Row(problem.name, "CasADi IDAS", f"{tolerance:g}", best, error, build))
        except RuntimeError:
            results.append(Row(problem.name, "CasADi IDAS", f"{tolerance:g}", np.nan, np.nan, build))
    return results


def with_mujoco(problem: Problem, N: int) -> list[Row]:
    """Simulate the four-bar in joint coordinates, loops closed by soft constraints as stiff as the step allows."""
    import mujoco

    rows = []
    for h in (1e-3, 5e-4):
        parts = [
            f'<mujoco><compiler angle="radian" inertiafromgeom="false"/><option timestep="{h}" gravity="0 0 -9.81" '
            'integrator="implicitfast" tolerance="1e-12" iterations="100"><flag contact="disable"/></option><default>'
            f'<equality solref="{2 * h} 1" solimp="0.9999 0.9999 0.001 0.5 2"/></default><worldbody>'
        ]
        rod = '<inertial pos="{}" mass="1" diaginertia="{}"/>'
        for i in range(N + 1):
            parts.append(f'<body name="p{i}" pos="{i} 0 0"><joint name="p{i}" type="hinge" axis="0 1 0"/>')
            parts.append(rod.format("0 0 .5", f"{1 / 12} {1 / 12} 1e-9"))
            if i < N:
                parts.append(f'<body name="c{i}" pos="0 0 1"><joint name="c{i}" type="hinge" axis="0 1 0"/>')
                parts.append(rod.format(".5 0 0", f"1e-9 {1 / 12} {1 / 12}") + "</body>")
            parts.append("</body>")
        loops = "".join(f'<connect body1="c{i}" body2="p{i + 1}" anchor="1 0 0"/>' for i in range(N))
        before = time.perf_counter()
        model = mujoco.MjModel.from_xml_string("".join(parts) + f"</worldbody><equality>{loops}</equality></mujoco>")
        build, best = time.perf_counter() - before, np.inf
        for _ in range(2):
            data = mujoco.MjData(model)
            for i in range(N + 1):
                data.qvel[model.joint(f"p{i}").dofadr[0]] = 1.0
            for i in range(N):
                data.qvel[model.joint(f"c{i}").dofadr[0]] = -1.0
            mujoco.mj_forward(model, data)
            before = time.perf_counter()
            mujoco.mj_step(model, data, round(problem.until / h))
            best = min(best, time.perf_counter() - before)
        angle = data.qpos[model.joint("p0").qposadr[0]]
        error = problem.error(np.array([np.sin(angle) / 2, np.cos(angle) / 2]))
        rows.append(Row(problem.name, "MuJoCo", f"h = {h:g}", best, error, build))
    return rows


def with_pinocchio(problem: Problem, n: int) -> list[Row]:
    """Step the articulated-body algorithm by RK4 from Python."""
    import pinocchio as pin

    model, parent = pin.Model(), 0
    before = time.perf_counter()
    inertia = pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag([0.0, 1 / 12, 1 / 12]))
    for i in range(n):
        placement = pin.SE3(np.eye(3), np.array([1.0 if i else 0.0, 0, 0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, f"joint{i}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    model.gravity.linear = np.array([0, -9.81, 0])
    data, tau = model.createData(), np.zeros(n)
    build = time.perf_counter() - before
    rows = []
    for h in (2e-3, 1e-3):
        q, v = np.zeros(n), np.zeros(n)
        before = time.perf_counter()
        for _ in range(round(problem.until / h)):
            a1 = pin.aba(model, data, q, v, tau).copy()
            a2 = pin.aba(model, data, q + h / 2 * v, v + h / 2 * a1, tau).copy()
            a3 = pin.aba(model, data, q + h / 2 * v + h * h / 4 * a1, v + h / 2 * a2, tau).copy()
            a4 = pin.aba(model, data, q + h * v + h * h / 2 * a2, v + h * a3, tau).copy()
            q, v = q + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        seconds = time.perf_counter() - before
        angles = np.cumsum(q)
        x, y = np.cumsum(np.cos(angles)) - np.cos(angles) / 2, np.cumsum(np.sin(angles)) - np.sin(angles) / 2
        error = problem.error(np.stack([x, y, angles], axis=1).ravel())
        rows.append(Row(problem.name, "Pinocchio", f"RK4 h = {h:g}", seconds, error, build))
    return rows


def installed(name: str) -> bool:
    """Tell whether a package can be imported."""
    return importlib.util.find_spec(name) is not None


def at_error(rows: list[Row], error: float) -> float:
    """Return the seconds at which a code reaches an error, between its runs on a logarithmic scale."""
    points = sorted((row.error, row.seconds) for row in rows if np.isfinite(row.error))
    if not points or points[0][0] > error:
        return np.nan
    errors, seconds = np.log([max(e, 1e-16) for e, _ in points]), np.log([s for _, s in points])
    return float(np.exp(np.interp(np.log(error), errors, seconds)))


def measure(quick: bool) -> list[Row]:
    """Run everything."""
    sizes, lengths = ((2,), (20,)) if quick else ((2, 10, 40), (20, 100))
    problems = [pendulum(), disk(), andrews(), *map(four_bar, sizes), *map(chain, lengths)]
    rows: list[Row] = []
    for problem in problems:
        rows += ours(problem)
        kind, *size = problem.name.split()
        if installed("casadi") and kind != "four-bar":  # IDAS fails at its singular positions
            rows += with_casadi(problem)
        if installed("mujoco") and kind == "four-bar":
            rows += with_mujoco(problem, int(size[0]))
        if installed("pinocchio") and kind == "chain":
            rows += with_pinocchio(problem, int(size[0]))
    return rows


def plot(rows: list[Row], path: Path) -> None:
    """Draw error against seconds, one panel for each problem."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(row.problem for row in rows))
    figure, axes = plt.subplots(2, (len(names) + 1) // 2, figsize=(3.2 * ((len(names) + 1) // 2), 6), squeeze=False)
    for axis, name in zip(axes.flat, names, strict=False):
        for code, marker in (("dalembert", "o"), ("CasADi IDAS", "s"), ("MuJoCo", "^"), ("Pinocchio", "v")):
            mine = [row for row in rows if (row.problem, row.code) == (name, code)]
            if mine:
                axis.loglog([r.seconds for r in mine], [max(r.error, 1e-16) for r in mine], marker + "-", label=code)
        axis.set(title=name, xlabel="seconds", ylabel="error")
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Print the table and the ratios at equal error; write them down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small systems only, nothing is written")
    quick = parser.parse_args().quick
    rows = measure(quick)
    lines = ["| problem | code | setting | seconds | error | build s |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {r.problem} | {r.code} | {r.setting} | {r.seconds:.2g} | {r.error:.1e} | {r.build:.2g} |" for r in rows
    ]
    lines.append("")
    for name, code in dict.fromkeys((r.problem, r.code) for r in rows if r.code != "dalembert"):
        others = [r for r in rows if (r.problem, r.code) == (name, code) and np.isfinite(r.error)]
        mine = [r for r in rows if (r.problem, r.code) == (name, "dalembert")]
        for other in others:
            seconds = at_error(mine, other.error)
            if np.isfinite(seconds):
                lines.append(
                    f"- {name}, error {other.error:.0e}: {other.seconds / seconds:.0f} times faster than {code}"
                )
    print("\n".join(lines))
    if not quick:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "motion.md").write_text("# Work and precision\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
        plot(rows, RESULTS / "motion.png")


if __name__ == "__main__":
    main()
