"""Every form, as numbers and as formulas, against a dense solution of the whole equations by Newton's method."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess

import numpy as np
import pytest
import symengine as se

from dalembert.errors import DerivationError
from dalembert.language.program import Program

from .models import BLOCK, MODELS, ROD, dense, states

FORMS = ("multipliers", "minimal", "explicit", "independent", "canonical", "quasi")
REST = ("reactions",)


def near(found, expected, part: float = 1e-9):
    return np.abs(np.asarray(found) - expected).max() <= part * (1 + np.abs(expected).max())


@pytest.mark.parametrize("model", MODELS)
def test_every_form_as_numbers(model):
    system = MODELS[model]
    kernels = {form: system.compile(form) for form in FORMS}
    for t, q, v in states(system, 3):
        a, lam = dense(system, t, q, v)
        found = kernels["multipliers"](t, q, v)
        assert near(found.multipliers, lam)
        r = found.reaction
        for form in FORMS[:-2]:
            result = kernels[form](t, q, v)
            assert near(result.acceleration, a)
            assert near(result.reaction, r)
        plain = kernels["multipliers"].run("direct", "direct", kernels["multipliers"].inputs(t, q, v)[None])[0]
        assert near(plain[: len(a) + len(lam)], np.concatenate([a, lam]))
        for form in ("canonical", "quasi"):
            kernel = kernels[form]
            assert near(kernel(t, q, kernel.to_state(t, q, v)).reaction, r)


@pytest.mark.parametrize("model", MODELS)
def test_every_form_as_formulas(model):
    """Equations vanish with the accelerations and multipliers of the dense solution; closed forms are these."""
    system = MODELS[model]
    places = [(t, q, v, *dense(system, t, q, v)) for t, q, v in states(system, 2, seed=1)]
    canonical, quasi = system.compile("canonical"), system.compile("quasi")
    for form in (*FORMS, *REST):
        derivation = system.derive(form)
        assert derivation.expressions
        for t, q, v, a, lam in places:
            p = canonical.to_state(t, q, v)
            rates = canonical(t, q, p)
            known = {"t": t, **dict(system.parameters)}
            for k, name in enumerate(system.coordinates):
                known |= {name: q[k], f"{name}'": v[k], f"{name}''": a[k], f"p_{name}": p[k]}
                known |= {f"p_{name}'": rates.momentum_rate[k], f"r_{name}": rates.reaction[k]}
            u = quasi.to_state(t, q, v)
            for k, name in enumerate(derivation.meaning_expressions):
                known |= {name: u[k], f"{name}'": quasi(t, q, u).rate[k]}
            for constraint, value in zip(system.constraints, lam, strict=True):
                known[f"lambda_{constraint.name.replace('.', '_')}"] = value
            for name, expr in derivation.abbreviation_expressions.items():
                value = evaluated(expr, known)
                if name in known:  # a multiplier that is solved for
                    assert value == pytest.approx(known[name], rel=1e-9, abs=1e-9)
                known[name] = value
            for expr in derivation.expressions:
                size = sum(abs(evaluated(term, known)) for term in (expr.args if expr.is_Add else (expr,)))
                assert abs(evaluated(expr, known)) <= 1e-9 * (1 + size)


def evaluated(expr, known):
    used = [symbol for symbol in expr.free_symbols if symbol.name in known]
    return float(Program(used, [expr]).floats([known[symbol.name] for symbol in used])[0])


def test_formulas_are_solved_by_the_sign_of_the_reaction():
    text = str(ROD.derive("minimal"))
    assert "lambda_ground = if(0 <= " in text
    assert "lambda_ground: one solution where " in text
    assert "lambda_floor = m*g*cos(a)" in str(BLOCK.derive("minimal"))


def test_laws_without_a_closed_form_keep_their_equation():
    found = MODELS["bearing"].derive("explicit")
    assert "lambda_px and lambda_py: their formulas under multipliers contain them again" in " ".join(found.notes)
    assert "sqrt(lambda_px^2 + lambda_py^2)" in found.as_dict()["multipliers"]["px"]


def test_page_and_data_have_them():
    data = BLOCK.derive("explicit").as_dict()
    assert data["abbreviations"]["lambda_floor"] == "m*g*cos(a)"
    assert r"\lambda_{" in BLOCK.derive("minimal").latex()
    assert "rho" in BLOCK.blocks.text() and "lambda_floor" in BLOCK.blocks.text()


@pytest.mark.parametrize("model", ["block", "ladder", "bearing"])
def test_motions_in_all_ways_agree(model):
    system, until = MODELS[model], 0.1
    first = system.simulate(until)
    assert first.certificate.ok
    for settings in ({"form": form} for form in FORMS[1:]):
        assert near(system.simulate(until, **settings).motion.states[-1][0], first.motion.states[-1][0], 1e-8)
    for settings in ({"method": "radau"}, {"method": "bdf"}, {"method": "rk4", "step": 1e-3, "keep": "stabilise"}):
        run = system.simulate(until, **settings)
        assert run.certificate.ok
        n = len(system.coordinates)
        assert near(run.motion.states[-1][:n], first.motion.states[-1][:n], 1e-6)


def test_jacobians_know_the_multipliers():
    """∂F/∂λ = F_l − Aᵀ, by differences."""
    system = MODELS["wheelset"]
    (_, state) = states(system, 2)
    t, q, v = state
    kernels = system.compile()
    found = kernels(t, q, v)
    jacobians = kernels.jacobians(t, q, v, found.acceleration, found.multipliers)
    inputs = kernels.inputs(t, q, v)

    def F(lam):
        rows = np.concatenate([inputs, found.acceleration, lam])[None]
        return kernels.run("implicit", "balance", rows)[0][: kernels.n]

    for i, h in enumerate(np.diag(1e-3 * np.abs(found.multipliers))):
        slope = (F(found.multipliers + h) - F(found.multipliers - h)) / (2 * h[i])
        assert near((jacobians.F_l - jacobians.A.T).toarray()[:, i], slope, 1e-8)


def test_exports_to_numpy_and_c(tmp_path):
    for model, form in (("ladder", "multipliers"), ("bearing", "minimal")):
        system = MODELS[model]
        (path,) = system.export(tmp_path / f"{model}.py", "numpy", form)
        spec = importlib.util.spec_from_file_location(model, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        t, q, v = states(system, 2)[1]
        assert near(module.accelerations(t, q, v)[0], system.compile()(t, q, v).acceleration, 1e-12)
    (path, _) = MODELS["ladder"].export(tmp_path / "ladder.c", "c")
    if shutil.which("cc"):
        command = ["cc", "-std=c99", "-Wall", "-Werror", "-c", str(path), "-o", str(tmp_path / "o.o")]
        subprocess.run(command, check=True)
    with pytest.raises(DerivationError, match="export to numpy or c"):
        BLOCK.export(tmp_path / "block.py", "jax")


def test_paradox_is_no_number_in_exports(tmp_path):
    system = ROD.replace(parameters={"mu": 5 / 3})
    for form in ("multipliers", "minimal"):
        (path,) = system.export(tmp_path / f"{form}.py", "numpy", form)
        spec = importlib.util.spec_from_file_location(form, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for rate in (0.0, 10.0):
            phi = 1.05
            a = module.accelerations(0.0, [0, np.sin(phi), phi], [30, rate * np.cos(phi), rate])[0]
            assert np.all(np.isnan(a))


def test_symbols_of_sympy_may_be_multipliers():
    import sympy as sp

    mu, lam = sp.symbols("mu lambda_floor")
    other = BLOCK.replace(forces={"x": -mu * sp.Abs(lam)})
    assert other.followed == {"floor"}
    assert other.compile()(0, [0, 0], [3, 0]).acceleration[0] == pytest.approx(
        BLOCK.compile()(0, [0, 0], [3, 0]).acceleration[0]
    )
    assert se.Symbol("lambda_floor") not in other.parameters
