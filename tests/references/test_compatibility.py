"""What the papers say of every system, on numbers: formulas as they are printed, read by SymPy, against dense algebra."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp

from dalembert import System, example
from dalembert.blocks.numeric import Numeric

REDUNDANT = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)", "length": "x^2 + y^2 = l^2"}
SYSTEMS = {
    "rod": example("rod-with-knife-edge"),
    "slider": example("pendulum-on-slider"),
    "held": example("pendulum-on-slider").replace(constraints={"held": "y'' = 0"}),
    "pendulum": example("pendulum"),
}


def value(text: str, known: dict[str, float]) -> float:
    """Evaluate a formula of the JSON output by SymPy: x' is x_d there."""
    text = re.sub(r"(\w)('+)", lambda found: found[1] + "_" + "d" * len(found[2]), text).replace("^", "**")
    names = {name: sp.Symbol(name) for name in set(re.findall(r"[^\W\d]\w*", text)) - {"sin", "cos", "sqrt"}}
    return float(sp.sympify(text, locals=names).subs(known))


def at_a_state(system: System) -> tuple[dict[str, float], Numeric, tuple]:
    """Return a state of a motion by the names of SymPy, and where it is."""
    run = system.simulate(0.3, samples=1)
    place = (float(run.t[-1]), run.q[-1], run.v[-1])
    known = {"t": place[0], **dict(system.parameters), **dict(zip(system.coordinates, place[1], strict=True))}
    return known | {f"{q}_d": v for q, v in zip(system.coordinates, place[2], strict=True)}, Numeric(system), place


@pytest.mark.parametrize("name", SYSTEMS)
def test_reactions_by_compatibility(name):
    """B = A M⁻¹, B₀ = B f − c, A D = 0; with them B r + B₀ = 0 and Dᵀ r = 0 give the reactions of a dense solution."""
    system = SYSTEMS[name]
    data = system.derive("reactions").as_dict()
    known, numeric, place = at_a_state(system)
    blocks = numeric.all(*place)
    M, A, f, c = blocks.M.toarray(), blocks.A.toarray(), blocks.f, blocks.c
    for symbol, text in data["abbreviations"].items():
        known[symbol] = value(text, known)
    B, B_0, D = (
        np.array([[value(entry, known) for entry in row] for row in data["matrices"][key]]) for key in ("B", "B_0", "D")
    )
    inverse = np.linalg.inv(M)
    assert np.allclose(B, A @ inverse, atol=1e-10)
    assert np.allclose(B_0[:, 0], A @ inverse @ f - c, atol=1e-9)
    assert np.allclose(A @ D, 0, atol=1e-10) and np.linalg.matrix_rank(D) == len(f) - len(c)
    r = A.T @ np.linalg.solve(A @ inverse @ A.T, c - A @ inverse @ f)
    assert np.allclose(np.linalg.solve(np.vstack([B, D.T]), [*-B_0[:, 0], *np.zeros(D.shape[1])]), r, atol=1e-8)
    known |= {f"r_{q}": force for q, force in zip(system.coordinates, r, strict=True)}
    for rows in data["conditions"].values():
        assert all(abs(value(row.removesuffix(" = 0"), known)) < 1e-8 for row in rows)


def test_redundancy_by_the_first_step():
    """The third row is made of the first two where they hold: Gram–Schmidt leaves nothing of it, and that is said."""
    system = example("pendulum").replace(constraints=REDUNDANT)
    found = system.check().redundancies
    assert [(one.name, set(one.others)) for one in found] == [("length", {"rod_x", "rod_y"})]
    _, numeric, place = at_a_state(system)
    a = numeric.all(*place).A.toarray()
    basis: list[np.ndarray] = []
    for row in a:
        left = row - sum((row @ b * b for b in basis), np.zeros(3))
        basis += [left / np.linalg.norm(left)] if np.linalg.norm(left) > 1e-9 else []
    assert len(basis) == 2
    assert "redundant: `length` follows from `rod_x` and `rod_y`" in str(system.derive("minimal").steps)


def test_momenta_without_constraints():
    """ṗ = −∂H/∂q: of the platform without its blade, by differences of H as it is printed."""
    system = example("platform-on-incline").without("blade")
    data = system.derive("canonical").as_dict()
    known, _, _ = at_a_state(system)
    known |= {f"p_{q}": 0.3 + 0.2 * k for k, q in enumerate(system.coordinates)}
    for symbol, text in data["abbreviations"].items():
        known[symbol] = value(text, known)
    (H,) = data["matrices"]["H"][0]
    for q in system.coordinates:
        h = 1e-5
        slope = (value(H, known | {q: known[q] + h}) - value(H, known | {q: known[q] - h})) / (2 * h)
        (row,) = [row for row in data["equations"] if f"p_{q}'" in row]
        moving = {f"{other}_d": 0.0 for other in system.coordinates}  # velocities stand there by their momenta
        for other in system.coordinates:
            (rate,) = [one for one in data["equations"] if f"{other}'" in one and f"p_{other}'" not in one]
            moving[f"{other}_d"] = -value(rate.removesuffix(" = 0"), known | {f"{other}_d": 0.0})
        assert value(row.removesuffix(" = 0"), known | moving | {f"p_{q}_d": -slope}) == pytest.approx(0, abs=1e-8)
