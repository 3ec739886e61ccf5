"""Stabilisation with any K (Beshaw): against the papers' own equations in NumPy, theorems, and measured stability."""

from __future__ import annotations

import html
import json

import numpy as np
import pytest
import sympy as sp

from dalembert import Event, ModelError, MotionWarning, System, load, loads
from dalembert.cli import main
from dalembert.model.settings import read as read_setting
from dalembert.motion.gains import read_gains
from dalembert.motion.keep import Contraction, Stabilisation, contraction
from dalembert.motion.methods import METHODS
from dalembert.motion.stability_region import StabilityRegion
from dalembert.motion.tableau import Tableau
from tests.motion.random_stabilised import METHOD_NAMES, random_gains, random_system
from tests.shared import example

DISK = {"method": "rk4", "step": 0.1, "keep": "stabilise"}


def disk_by_hand(K, step: float, count: int, x_rate: float = 1.0) -> np.ndarray:
    """Integrate Beshaw's disk with q̈ = M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹(b + Kψ) by his RK4, written out; return the states."""
    inverse = np.diag([1.0, 1.0, 2.0, 4.0])

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:4], y[4:]
        s, c = np.sin(q[3]), np.cos(q[3])
        A = np.array([[1.0, 0.0, -s, 0.0], [0.0, 1.0, c, 0.0]])
        b = np.array([v[2] * v[3] * c, v[2] * v[3] * s])
        return np.concatenate([v, inverse @ A.T @ np.linalg.solve(A @ inverse @ A.T, b + K(t) @ (A @ v))])

    y = np.array([0, 0, 0, np.pi / 6, x_rate, -np.sqrt(3), 2.0, 1.0])
    states = [y]
    for i in range(count):
        t = i * step
        k1 = rate(t, y)
        k2 = rate(t + step / 2, y + step / 2 * k1)
        k3 = rate(t + step / 2, y + step / 2 * k2)
        k4 = rate(t + step, y + step * k3)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        states.append(y)
    return np.array(states)


@pytest.mark.parametrize(
    ("kappa", "K"),
    [
        (-5, lambda t: -5 * np.eye(2)),
        ([-5, -0.35], lambda t: np.diag([-5, -0.35])),
        (np.array([[-5, 1.5], [0.25, -7]]), lambda t: np.array([[-5, 1.5], [0.25, -7]])),
        ([["-5 - sin(3*t)", "m/2"], [0, "-7*exp(-t/4)"]], lambda t: np.array([[-5 - np.sin(3 * t), 0.5],
                                                                              [0, -7 * np.exp(-t / 4)]])),
        (-sp.Symbol("m") - 4, lambda t: -5 * np.eye(2)),
    ],
)  # fmt: skip
def test_any_k_against_the_paper(kappa, K):
    run = example("upright-disk").simulate(2.0, **DISK, gains={"kappa": kappa})
    expected = disk_by_hand(K, 0.1, 20)
    assert np.hstack([run.q, run.v]) == pytest.approx(expected, abs=1e-11)
    assert all(bound.held and np.isfinite(bound.stated) for bound in run.bounds)


def test_matrices_on_positions():
    """A pendulum in x and y beside another one: g̈ = −2α ġ − β² g with matrices, as ẏ = K y demands."""
    pair = System(
        "x y u w", kinetic="(x'^2 + y'^2 + u'^2 + w'^2)/2", potential="y + 2*w",
        constraints={"a": "x^2 + y^2 = 1", "b": "u^2 + w^2 = 4"},
        initial={"x": 0.6, "u": 1.2, "x'": 0, "u'": 0}, guess={"y": -1, "w": -1},
    )  # fmt: skip
    alpha, beta = np.array([[3.0, 0.5], [0.0, 4.0]]), np.array([[3.0, 0.0], [1.0, 2.5]])
    gains = {"alpha": alpha.tolist(), "beta": beta.tolist()}
    off = {"x": 0.61, "y": -0.8, "u": 1.2, "w": -1.6, "x'": 0.0, "y'": 0.0, "u'": 0.0, "w'": 0.1}
    with pytest.warns(MotionWarning, match="the initial values contradict constraints"):
        run = pair.simulate(1.5, method="rk4", step=0.002, keep="stabilise", gains=gains, initial=off)
    g, psi = run.residuals
    K = np.block([[np.zeros((2, 2)), np.eye(2)], [-beta @ beta, -2 * alpha]])
    y = np.concatenate([g[0], psi[0]])
    values, basis = np.linalg.eig(K)
    expected = np.real((basis * np.exp(np.outer(run.t, values))[:, None, :]) @ np.linalg.solve(basis, y))
    assert np.hstack([g, psi]) == pytest.approx(expected, abs=1e-9)
    assert np.abs(g[0]).max() > 0.01


# --- the theorems -----------------------------------------------------------------------------------------------------


def test_growth_is_theorem_2_as_corrected():
    """With matrices that do not commute S of RK4 is the corrected series up to τ⁵; the printed one is off at τ³."""
    t = sp.Symbol("t")
    K = sp.Matrix([[-3 - t, 1 + t**2], [sp.sin(t), -2]])
    K1, K2, K3 = K.diff(t), K.diff(t, 2), K.diff(t, 3)
    L, P = K1 + K * K, K2 + 2 * K1 * K + K * K1 + K**3
    Q = K3 + 3 * K2 * K + K * K2 + 3 * K1**2 + 3 * K1 * K * K + 2 * K * K1 * K + K * K * K1 + K**4
    printed = K2 + 3 * K1 * K + K**3
    at = {t: sp.Rational(7, 10)}
    system = System("x y", kinetic="x'^2 + y'^2", constraints={"a": "x' = 0", "b": "y' = 0"})
    given = read_gains(system, {"kappa": (("-3 - t", "1 + t^2"), ("sin(t)", "-2"))})
    chosen = Stabilisation(METHODS["rk4"], ("velocity", "velocity"), np.zeros(0), given)
    errors = []
    for step in (0.02, 0.01):
        terms = [sp.eye(2), step * K, step**2 / 2 * L]
        right = sum((*terms, step**3 / 6 * P, step**4 / 24 * Q), sp.zeros(2))
        wrong = sum((*terms, step**3 / 6 * printed, step**4 / 24 * Q), sp.zeros(2))
        S = chosen.growth("velocity", np.array([0.7]), np.array([step]))[0]
        errors.append([np.abs(S - np.array(m.subs(at), dtype=float)).max() for m in (right, wrong)])
    orders = np.log2(np.array(errors[0]) / errors[1])
    assert orders == pytest.approx([5, 3], abs=0.1)


def test_bound_of_one_step_and_of_many():
    """σ = max(‖ψ⁰‖, remainder/(1 − δ)) of one step; of a rotation that shrinks over many nothing is stated too small."""
    assert Contraction(0.5, 1, 1.0, 1.0, 0.5).bound(0.1) == 0.2
    assert Contraction(0.5, 1, 1.0, 1.0, 0.5).bound(0.1, 0.7) == 0.7
    S = np.array([[0.5, 3.0], [0.0, 0.5]])
    found = contraction(S[None])
    assert found.steps > 1
    assert found.radius == 0.5
    random, largest, y = np.random.default_rng(1), 0.0, np.zeros(2)
    for k in range(3000):
        push = random.normal(size=2)
        push = np.array([0.0, 1.0]) if k % 7 else push / np.linalg.norm(push)
        y = S @ y + push
        largest = max(largest, float(np.linalg.norm(y)))
    assert largest <= found.bound(1.0) < 3 * largest
    assert contraction(np.array([[[1.0, 0.0], [0.0, 0.3]]])).bound(1.0) == np.inf


def stated_bound_holds(seed: int) -> tuple[int, int]:
    """Move a random system, with random gains inside the map; return how many bounds were stated, and not."""
    random = np.random.default_rng(seed)
    system, levels = random_system(random)
    method, step = str(random.choice(METHOD_NAMES)), float(10 ** random.uniform(-2.3, -1.2))
    gains = random_gains(random, levels, method, step)
    run = system.simulate(120 * step, method=method, step=step, keep="stabilise", gains=gains)
    assert run.status == "done"
    stated = [bound for bound in run.bounds if np.isfinite(bound.stated)]
    assert all(bound.largest <= bound.stated for bound in stated), (seed, run.bounds)
    assert all(bound.reason for bound in run.bounds if bound not in stated)
    wrong = random_gains(random, levels, method, step, outside=True)
    with pytest.raises(ModelError, match=r"are outside what `|do not let residuals decay"):
        system.simulate(120 * step, method=method, step=step, keep="stabilise", gains=wrong)
    return len(stated), len(run.bounds) - len(stated)


@pytest.mark.parametrize("seed", range(8))
def test_stated_bounds_hold(seed):
    assert stated_bound_holds(seed)[1] == 0


@pytest.mark.full
def test_stated_bounds_hold_of_200_systems():
    """Inside the map; of a few near its edge nothing can be stated, and that is said."""
    stated, silent = np.sum([stated_bound_holds(seed) for seed in range(200)], axis=0)
    assert silent <= 0.05 * stated


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_chosen_gains_are_foreseen_too(method):
    for model in ("pendulum", "upright-disk", "slider-crank-joints"):
        run = example(model).simulate(1.0, method=method, step=0.01, keep="stabilise")
        assert all(bound.largest <= bound.stated < 10 * bound.largest + 1e-12 for bound in run.bounds)


def test_where_nothing_is_stated_before():
    """Steps that are chosen, a trial that ends early, events that change the motion: that is said."""
    disk = example("upright-disk")
    kicked = disk.simulate(1, **DISK, events=[Event("t = 0.5", {"m": 2.0})])
    assert [bound.reason.split(":")[0] for bound in kicked.bounds] == ["events change the motion, or laws in Python"]
    assert kicked.bounds[0].held
    with pytest.warns(MotionWarning, match="5 steps were taken"):
        short = disk.simulate(1, **DISK, max_steps=5)
    assert "a trial motion with projection ends early: 5 steps" in short.bounds[0].reason
    assert "No σ was stated before the motion" in str(short.stabilisation)
    recorded = disk.simulate(1, **DISK, events=["t = 0.5"])
    assert np.isfinite(recorded.bounds[0].stated)


# --- the map ----------------------------------------------------------------------------------------------------------

HEUN = Tableau("heun", 2, stages=((), (1.0,)), weights=(0.5, 0.5), times=(0.0, 1.0))


def edge(method: str, step: float, gains, low: float, high: float) -> float:
    """Find by bisection the factor of gains from which on residuals of a motion grow, measured."""
    level = "velocity" if "kappa" in gains(1.0) else "position"
    disk = example("upright-disk") if level == "velocity" else example("pendulum")
    off = {"x'": 1.0 + 1e-6} if level == "velocity" else {"y": -np.cos(1.0) + 1e-6, "x": np.sin(1.0), "phi": 1.0}
    held = {} if level == "velocity" else {"parameters": {"g": 1e-9}}
    system = disk.replace(**held) if held else disk
    while high / low > 1.002:
        middle = np.sqrt(low * high)
        run = system.simulate(400 * step, method=method, step=step, keep="stabilise", gains=gains(middle),
                              initial=off, unchecked=True)  # fmt: skip
        sizes = np.abs(run.residuals[1 if level == "velocity" else 0]).max(axis=1)
        grows = run.status == "failed" or not sizes[-50:].max() < 3 * sizes[100:200].max()
        low, high = (low, middle) if grows else (middle, high)
    return float(np.sqrt(low * high))


def edge_agrees(method: str, kind: str, step: float = 0.002) -> None:
    """Compare the edge of the map with that of measured stability, to a percent."""
    region = StabilityRegion(METHODS[method])
    if kind == "positions":
        expected = region.reach(np.roots([1.0, 2 * 0.9, 1.0])) / step
        gains = lambda s: {"alpha": 0.9 * s, "beta": s}  # noqa: E731
    else:
        z = -1.0 if kind == "real" else -1.0 + 1.0j
        expected = region.reach([z, np.conj(z)]) / step
        a, b = z.real, z.imag
        gains = lambda s: {"kappa": [[a * s, -b * s], [b * s, a * s]]}  # noqa: E731
    assert edge(method, step, gains, expected / 1.3, expected * 1.3) == pytest.approx(expected, rel=0.01)


@pytest.mark.filterwarnings("ignore::dalembert.MotionWarning")
@pytest.mark.parametrize(("method", "kind"), [("euler", "real"), ("rk4", "complex"), ("heun", "positions")])
def test_the_edge_of_the_map_is_that_of_measured_stability(method, kind, monkeypatch):
    monkeypatch.setitem(METHODS, "heun", HEUN)
    edge_agrees(method, kind)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::dalembert.MotionWarning")
@pytest.mark.parametrize("method", ["euler", "rk4", "heun", "dop853"])
@pytest.mark.parametrize("kind", ["real", "complex", "positions"])
def test_every_edge_of_the_map(method, kind, monkeypatch):
    monkeypatch.setitem(METHODS, "heun", HEUN)
    edge_agrees(method, kind)


def test_gains_outside_are_refused_with_what_is_admissible():
    disk = example("upright-disk")
    words = (
        "the gains kappa = -50 are outside what `rk4` admits with the step 0.1: errors of constraints on velocities "
        "would grow 13.7 times from step to step (δ < 1 is needed). Admissible is -27.85 < kappa < 0 at this step; "
        "with these gains, steps below 0.05571. `unchecked` insists"
    )
    with pytest.raises(ModelError) as error:
        disk.simulate(6, **DISK, gains={"kappa": -50})
    assert str(error.value) == words
    with pytest.warns(MotionWarning, match="certificate"):
        assert not disk.simulate(6, **DISK, gains={"kappa": -50}, unchecked=True).certificate.ok
    pendulum = example("pendulum")
    with pytest.raises(ModelError, match=r"on positions would grow .* Admissible is alpha = beta up to 278.5"):
        pendulum.simulate(1, method="rk4", step=0.01, keep="stabilise", gains={"alpha": 300, "beta": 300})


def test_eigenvalues_of_gains_that_turn_tell_nothing():
    """Vinograd: K(t) with the eigenvalues −1/4 ± √7 i/4 at every time, and exp(t/2) (cos t, −sin t) obeys ẏ = K y."""
    kappa = [["-1+1.5*cos(t)^2", "1-1.5*sin(t)*cos(t)"], ["-1-1.5*sin(t)*cos(t)", "-1+1.5*sin(t)^2"]]
    grown = rf"would grow {np.exp(3.0):.3g} times in 120 steps .* let it change more slowly"
    with pytest.raises(ModelError, match=grown):
        example("upright-disk").simulate(6, method="rk4", step=0.05, keep="stabilise", gains={"kappa": kappa})


def test_steps_that_are_chosen_are_held_below_what_is_admissible():
    run = example("upright-disk").simulate(6, keep="stabilise", gains={"kappa": -200})
    longest = StabilityRegion(METHODS["dop853"]).interval / 200
    assert np.diff(run.motion.times).max() <= longest
    assert run.bounds[0].radius < 1
    assert run.bounds[0].reason == "the steps are not known before"


@pytest.mark.parametrize(
    ("gains", "words"),
    [
        ({"kappa": 0}, r"K has the eigenvalue 0, and needs negative real parts: kappa < 0"),
        ({"kappa": [[1, 0], [0, -1]]}, r"K has the eigenvalue 1, and needs"),
        ({"alpha": 3, "beta": 3}, r"`alpha` is a gain of constraints on positions, and the model has none; .* `kappa`"),
        ({"kappa": [-1, -2, -3]}, r"`kappa` has 3 values, and there are 2 constraints on velocities"),
        ({"kappa": [[-1, 0], [0]]}, r"`kappa` has rows of 2, 1, and there are 2"),
        ({"kappa": [[-1, 0], 3]}, r"`kappa` mixes rows and single values"),
        ({"kappa": "x"}, r"the gain `kappa`: unknown name `x`"),
        ({"kappa": "-5*phi'"}, r"the gain `kappa`: "),
        ({"kappa": float("inf")}, r"the gain `kappa` must be finite"),
        ({"kappa": None}, r"`kappa` is a number, an expression of t and parameters, a list"),
        ({"kappa": [[[1]]]}, r"`kappa` is a number, an expression"),
        ({"gamma": 1}, r"no gain `gamma`; "),
        ("kappa", r"`gains` takes values by name"),
    ],
)
def test_gains_that_cannot_be(gains, words):
    with pytest.raises(ModelError, match=words):
        example("upright-disk").simulate(1, **DISK, gains=gains)
    with pytest.raises(ModelError, match=r"constraints on positions need the gain `beta` too"):
        example("pendulum").simulate(1, **DISK, gains={"alpha": 1})


# --- a start off the constraints ---------------------------------------------------------------------------------------


def test_a_start_off_the_constraints():
    """Kept and said with `stabilise`, and as the paper's own equations have it; refused otherwise."""
    disk = example("upright-disk")
    with pytest.raises(ModelError, match="contradict"):
        disk.simulate(2, method="rk4", step=0.1, initial={"x'": 1.05})
    with pytest.warns(MotionWarning, match=r"contradict constraints \(`rolling_x` is off by 0\.05\) and are kept"):
        run = disk.simulate(2, **DISK, gains={"kappa": -5}, initial={"x'": 1.05})
    expected = disk_by_hand(lambda t: -5 * np.eye(2), 0.1, 20, x_rate=1.05)
    assert np.hstack([run.q, run.v]) == pytest.approx(expected, abs=1e-11)
    [bound] = run.bounds
    assert bound.start == pytest.approx(0.05)
    assert bound.held
    assert bound.stated == pytest.approx(0.05)
    sizes = np.linalg.norm(run.residuals[1], axis=1)
    assert sizes[:6] == pytest.approx(0.05 * bound.delta ** np.arange(6), rel=0.02)
    with pytest.warns(MotionWarning, match="not kept: constraints on velocities"):
        assert not run.certificate.ok
    assert run.certificate["stabilised velocities"].ok
    assert "`rolling_x` is off by 0.05" in str(run.as_dict()["stabilisation"]["off_at_start"])


def test_what_cannot_hold_at_all_is_refused_with_stabilise_too():
    pulled = System("x y", kinetic="x'^2 + y'^2", constraints={"a": "x = 1", "b": "x = 2"})
    with pytest.raises(ModelError):
        pulled.simulate(1, **DISK)


# --- files, the command line, reports ----------------------------------------------------------------------------------


def test_gains_in_a_file(tmp_path):
    disk = example("upright-disk")
    text = str(disk).replace("[simulate]\n", "[simulate]\nSETTINGS\n") if "[simulate]" in str(disk) else None
    said = 'method = "rk4"\nstep = 0.1\nkeep = "stabilise"\ngains = { kappa = [["-5 - sin(t)", 0.5], [0, -7]] }'
    text = text.replace("SETTINGS", said) if text else f"{disk}\n[simulate]\n{said}\n"
    system = loads(text)
    kappa = [["-5 - sin(t)", 0.5], [0, -7]]
    run, other = system.simulate(1), disk.simulate(1, **DISK, gains={"kappa": kappa})
    assert np.array_equal(run.q, other.q)
    system.save(tmp_path / "disk.toml")
    assert load(tmp_path / "disk.toml").simulation["gains"] == {"kappa": (("-5 - sin(t)", 0.5), (0, -7))}
    assert np.array_equal(load(tmp_path / "disk.toml").simulate(1).q, run.q)
    with pytest.raises(ModelError, match=r"gains: no gain `gamma`"):
        loads(text.replace("kappa", "gamma"))
    with pytest.raises(ModelError, match="expected a table of gains"):
        loads(text.replace('{ kappa = [["-5 - sin(t)", 0.5], [0, -7]] }', "5"))


def test_gains_on_the_command_line(capsys, tmp_path):
    line = ["simulate", "upright-disk", "--until", "1", "--method", "rk4", "--step", "0.1", "--keep", "stabilise"]
    page = tmp_path / "disk.html"
    with pytest.raises(SystemExit) as ended:
        main([*line, "--gains", "kappa=[[-5, min(1, 2)], [0, -7 - sin(t)]]", "--report", str(page), "--json"])
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)["stabilisation"]
    assert found["gains"] == "kappa = [[-5, 1], [0, -sin(t) - 7]]"
    assert found["bounds"][0]["held"]
    assert found["bounds"][0]["largest"] <= found["bounds"][0]["stated"]
    report = page.read_text()
    assert "σ stated before" in report
    assert '--gains "kappa=[[-5, min(1, 2)], [0, -7 - sin(t)]]"' in html.unescape(report)
    for text, words in (("kappa", "takes NAME=VALUE"), ("kappa=[1, 2", "takes lists in brackets"),
                        ("kappa=[[1], [2]]]", "brackets do not match")):  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            main([*line, "--gains", text])
        assert ended.value.code == 2
        assert words in capsys.readouterr().err


def test_joined_motions_say_all_of_it():
    disk = example("upright-disk")
    first = disk.simulate(1, **DISK, gains={"kappa": -5})
    run = first + disk.simulate(2, **DISK, initial=first.final())
    assert len(run.stabilisation.bounds) == 2
    assert "Gains kappa = -5, in every stage, then kappa = −1/τ, once per step." in str(run.stabilisation)


def test_several_gains_in_one_option():
    """A comma before the next name parts them; commas inside brackets and parentheses do not."""
    assert read_setting("gains", ["alpha=5,beta=7"]) == {"alpha": "5", "beta": "7"}
    found = read_setting("gains", ["alpha = [5, max(t, 1)], beta=[[3, 0], [0, 4]]"])
    assert found == {"alpha": ("5", "max(t, 1)"), "beta": (("3", "0"), ("0", "4"))}
    with pytest.raises(ModelError, match="no gain `gamma`"):
        read_setting("gains", ["alpha=5,gamma=7"])
    with pytest.raises(ModelError, match="`alpha` is given twice"):
        read_setting("gains", ["alpha=5, beta=7", "alpha=6"])
