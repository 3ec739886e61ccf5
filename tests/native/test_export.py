"""Exports as others use them: all functions of C, NumPy and JAX, other forms, large systems, and what is refused."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest

from dalembert import DerivationError, ModelError, System
from tests.conftest import pendulum
from tests.contracts.test_export import Library, module_of
from tests.contracts.test_forms import LENGTH, scene_of
from tests.contracts.what_there_is import skip_refused
from tests.shared import example

ANGLE = 0.6
STATE = ([np.sin(0.6), -np.cos(0.6), 0.6], [0.5 * np.cos(0.6), 0.5 * np.sin(0.6), 0.5])
VALUES = [1.0, 0.1, 1.0, 9.81]
needs_compiler = pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("g++")), reason="no C compiler here")


@needs_compiler
def test_every_function_of_c(tmp_path):
    system = pendulum(forces={"phi": "-0.3*phi'"})
    kernel, library = system.compile(), Library(system, tmp_path)
    moved = (0.0, np.array(STATE[0]) + 0.01, np.array(STATE[1]) - 0.02, VALUES)
    _, _, (g, psi) = library.call("residuals", (2, 2), *moved)
    assert np.concatenate([g, psi]) == pytest.approx(np.concatenate(kernel.residuals(*moved)), rel=1e-13)
    _, _, (energies,) = library.call("energies", (5,), *moved)
    known = kernel.energies(*moved)
    expected = [known.kinetic, known.potential, known.energy, known.forces, known.time]
    assert energies == pytest.approx(expected, rel=1e-13)
    _, _, (rate,) = library.call("rate", (6,), 0.0, [*STATE[0], *STATE[1]], VALUES)
    a = kernel(0.0, *STATE, VALUES).acceleration
    assert rate == pytest.approx([*STATE[1], *a], rel=1e-13)
    _, _, (M, f, A, c) = library.call("matrices", (9, 3, 6, 2), 0.0, *STATE, VALUES)
    assert M.reshape(3, 3) == pytest.approx(np.diag([1, 1, 0.1]))
    assert A.reshape(2, 3) @ a == pytest.approx(c, abs=1e-13)
    _, _, (_, lam) = library.call("accelerations", (3, 2), 0.0, *STATE, VALUES)
    assert M.reshape(3, 3) @ a == pytest.approx(f + A.reshape(2, 3).T @ lam, abs=1e-12)
    status, (q, v, _), _ = library.call("project", (), *moved)
    assert status == 0
    assert q == pytest.approx(kernel.project_positions(*moved), abs=1e-12)
    assert v == pytest.approx(kernel.project_velocities(0.0, q, moved[2]), abs=1e-12)


@needs_compiler
def test_c_says_where_there_is_no_result(tmp_path):
    library = Library(pendulum(), tmp_path)
    assert library.call("accelerations", (3, 2), 0.0, *STATE, [1.0, 0.0, 1.0, 9.81])[0] == 1  # J = 0
    assert library.call("accelerations", (3, 2), 0.0, [0, 0, np.nan], STATE[1], VALUES)[0] == 1
    assert library.call("project", (), 0.0, [1e8, 0, 0], STATE[1], [1.0, 0.1, np.nan, 9.81])[0] == 1


@needs_compiler
@pytest.mark.parametrize("form", ["minimal", "canonical"])
def test_other_forms_in_c(tmp_path, form):
    system = pendulum(constraints=LENGTH)
    library, plain = Library(system, tmp_path, form), system.compile()
    expected = plain(0.0, *STATE)
    if form == "canonical":
        _, _, (p,) = library.call("momenta", (3,), 0.0, *STATE, VALUES)
        assert p == pytest.approx([STATE[1][0], STATE[1][1], 0.1 * STATE[1][2]])
        _, _, (v, rate, r) = library.call("canonical", (3, 3, 3), 0.0, STATE[0], p, VALUES)
        assert v == pytest.approx(STATE[1])
        assert rate == pytest.approx(r + np.array([0, -9.81, 0]))
    else:
        _, _, (a, r) = library.call("accelerations", (3, 3), 0.0, *STATE, VALUES)
        assert a == pytest.approx(expected.acceleration, abs=1e-12)
    assert r == pytest.approx(expected.reaction, abs=1e-11)


@needs_compiler
@pytest.mark.full
def test_large_systems_in_c_run_in_loops(tmp_path):
    """What the native code rolls up is rolled up in C too, and gives the same numbers."""
    system = example("spatial-chain:40")
    library = Library(system, tmp_path)
    start = system.start()
    rates = start.v + np.random.default_rng(2).normal(size=len(start.v))
    v = system.compile().project_velocities(0.0, start.q, rates)
    expected = system.compile()(0.0, start.q, v)
    values = list(system.parameters.values())
    status, _, (a, lam) = library.call("accelerations", (library.n, library.s), 0.0, start.q, v, values)
    assert status == 0
    assert "places" in (tmp_path / "model.c").read_text(encoding="utf-8")
    assert np.abs(a - expected.acceleration).max() < 1e-11 * np.abs(expected.acceleration).max()
    assert np.abs(lam - expected.multipliers).max() < 1e-11 * np.abs(expected.multipliers).max()


@needs_compiler
def test_names_in_the_header(tmp_path):
    system = System("φ x", kinetic="m*φ'^2/2 + M*x'^2/2", constraints={"A.x": "x = φ"}, parameters={"m": 1, "M": None})
    library = Library(system, tmp_path)
    assert library.sizes["MODEL_PARAMETERS"] == 2
    header = (tmp_path / "model.h").read_text(encoding="utf-8")
    assert "model_q_u3c6, /* φ */" in header
    assert "model_c_A_x  /* A.x */" in header
    assert "{1.0, NAN}" in (tmp_path / "model.c").read_text(encoding="utf-8")


def test_numpy_takes_many_states(tmp_path):
    system = pendulum()
    module, kernel = module_of(system, tmp_path, "numpy"), system.compile()
    many = (np.linspace(0, 1, 4)[:, None], np.tile(STATE[0], (4, 5, 1)), STATE[1])
    a, lam = module.accelerations(*many)
    assert (a.shape, lam.shape) == ((4, 5, 3), (4, 5, 2))
    assert a == pytest.approx(kernel(*many).acceleration, rel=1e-12)
    swept, _ = module.accelerations(0.0, *STATE, {"g": np.array([0.0, 1.6, 9.81])})
    assert swept[2] == pytest.approx(kernel(0.0, *STATE).acceleration)
    in_order, _ = module.accelerations(0.0, *STATE, [1.0, 0.1, 1.0, 1.6])
    assert in_order == pytest.approx(swept[1])
    assert np.isnan(module.accelerations(0.0, *STATE, {"J": 0.0})[0]).all()
    g, psi = module.residuals(*many)
    assert np.abs([g, psi]).max() < 1e-15
    assert module.energies(*many)[2].shape == (4, 5)
    M, f, A, c = module.matrices(*many)
    assert [part.shape for part in (M, f, A, c)] == [(4, 5, 3, 3), (4, 5, 3), (4, 5, 2, 3), (4, 5, 2)]
    assert (A @ a[..., None])[..., 0] == pytest.approx(c)
    with pytest.raises(ValueError, match="no parameter 'k'; there are m, J, l, g"):
        module.accelerations(0.0, *STATE, {"k": 1})
    with pytest.raises(ValueError, match="expected 3 values"):
        module.accelerations(0.0, [1.0], [0.0])


@pytest.mark.parametrize("form", ["minimal", "independent", "canonical"])
def test_other_forms_in_numpy(tmp_path, form):
    system = example("slider-crank")
    start, module = system.start(), module_of(system, tmp_path, "numpy", form)
    expected = system.compile()(0.0, start.q, start.v)
    if form == "canonical":
        p = module.momenta(0.0, start.q, start.v)
        v, _, r = module.rates(0.0, start.q, p)
        assert v == pytest.approx(start.v)
    else:
        a, r = module.accelerations(0.0, start.q, start.v)
        assert a == pytest.approx(expected.acceleration, rel=1e-12)
    assert r == pytest.approx(expected.reaction, rel=1e-11)


def test_quasi_velocities(tmp_path):
    """In NumPy and JAX: u of velocities, and the rates of q and u, with as many u as there are."""
    system = example("chaplygin-sleigh").replace(velocities={"u": "x'*cos(theta) + y'*sin(theta)", "omega": "theta'"})
    q, v = [0.1, 0.2, 0.7], [0.3 * np.cos(0.7), 0.3 * np.sin(0.7), 1.5]
    for to in ("numpy", "jax"):
        pytest.importorskip(to)
        module = module_of(system, tmp_path, to, "quasi")
        u = module.velocities(0.0, q, v)
        assert u == pytest.approx([0.3, 1.5])
        rate, u_rate, _ = module.rates(0.0, q, u)
        assert rate == pytest.approx(v)
        assert u_rate == pytest.approx([0.3 * 1.5**2, -0.3 * 0.3 * 1.5 / 0.59])
        with pytest.raises(ValueError, match="expected 2 quasi-velocities"):
            module.rates(0.0, q, v)


def test_every_function_of_jax(tmp_path):
    """They can be compiled, vectorised and differentiated, also with redundant constraints."""
    jax = pytest.importorskip("jax")
    system = pendulum(constraints=LENGTH, forces={"phi": "-0.3*phi'"})
    module, kernel = module_of(system, tmp_path, "jax"), system.compile()

    @jax.jit
    def everything(q, v, g):
        parts = (module.accelerations, module.residuals, module.energies, module.matrices)
        found = [part(0.0, q, v, {"g": g}) for part in parts]
        slope = jax.grad(lambda g: module.accelerations(0.0, q, v, {"g": g})[0][2])(g)
        return found, slope, jax.vmap(lambda v: module.accelerations(0.0, q, v)[0])(jax.numpy.stack([v, 2 * v]))

    ((a, _), (g, psi), energies, (M, *_)), slope, many = everything(np.array(STATE[0]), np.array(STATE[1]), 9.81)
    assert a == pytest.approx(kernel(0.0, *STATE).acceleration, abs=1e-12)
    assert np.abs(np.concatenate([g, psi])).max() < 1e-15
    assert energies[2] == pytest.approx(kernel.energies(0.0, *STATE).energy)
    assert np.abs(M - np.diag([1, 1, 0.1])).max() < 1e-15
    assert slope == pytest.approx(-np.sin(ANGLE) / 1.1, rel=1e-9)  # φ̈ = −(m g l sin φ + d φ')/(J + m l²)
    assert many[1] == pytest.approx(kernel(0.0, STATE[0], 2 * np.array(STATE[1])).acceleration, abs=1e-12)
    with pytest.raises(ValueError, match=r"expected q and v of shape \(3,\), got \(2,\)"):
        module.accelerations(0.0, [1.0, 2.0], STATE[1])


def test_the_canonical_form_in_jax(tmp_path):
    jax = pytest.importorskip("jax")
    module = module_of(pendulum(), tmp_path, "jax", "canonical")
    p = jax.jit(module.momenta)(0.0, *STATE)
    v, rate, r = jax.jit(module.rates)(0.0, STATE[0], p)
    assert v == pytest.approx(STATE[1])
    assert r == pytest.approx(pendulum().compile()(0.0, *STATE).reaction, rel=1e-11, abs=1e-12)
    assert rate == pytest.approx(r + np.array([0, -9.81, 0]))


@pytest.mark.parametrize("form", ["multipliers", "minimal", "canonical"])
@pytest.mark.parametrize("model", ["pendulum", "slider-crank", "knife-edge", "n-four-bar:1"])
def test_latex_is_well_formed(tmp_path, model, form):
    """Environments and braces are closed in order, and nothing is left that pdflatex does not read."""
    skip_refused(model, scene_of(model), form)
    (path,) = example(model).export(tmp_path / "model", "latex", form)
    text = path.read_text(encoding="utf-8")
    open_ones = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert not open_ones
    plain = re.sub(r"\\[{}%$&_#]", "", text)
    assert plain.count("{") == plain.count("}")
    assert text.count("\\left") == text.count("\\right")
    assert plain.count("$") % 2 == 0
    assert all(ord(c) < 0x180 for c in text)
    for section in ("Model", "Constraints"):
        assert f"\\section*{{{section}}}" in text


def test_what_is_refused(tmp_path):
    system = pendulum()
    with pytest.raises(ModelError, match="equations are exported to c, numpy, jax, latex; did you mean `numpy`"):
        system.export(tmp_path / "x.py", "nmupy")
    with pytest.raises(DerivationError, match="no form `minimum`; did you mean `minimal`"):
        system.export(tmp_path / "x.py", "numpy", "minimum")
    with pytest.raises(ModelError, match=r"c is written to a file \*.c, got"):
        system.export(tmp_path / "x.py", "c")
    with pytest.raises(ModelError, match="there is no folder"):
        system.export(tmp_path / "none" / "x.c", "c")
    with pytest.raises(ModelError, match="is a folder"):
        system.export(tmp_path, "c")
    for to in ("c", "numpy", "jax"):
        with pytest.raises(DerivationError, match="this system is given by matrices"):
            example("knife-edge").export(tmp_path / "x", to, "canonical")
    assert not list(tmp_path.iterdir())
