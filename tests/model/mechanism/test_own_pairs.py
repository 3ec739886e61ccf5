"""A pair of the user's own: a few lines of SymPy, used like the built-in ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sympy as sp

from dalembert import Mechanism, ModelError, loads, pair
from dalembert.model.mechanism.pairs import PAIRS
from tests.model.mechanism.test_energies import G, accelerations, body, joint


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Leave the registry as it was."""
    before = {dimensions: dict(kinds) for dimensions, kinds in PAIRS.items()}
    yield
    for dimensions, kinds in before.items():
        PAIRS[dimensions].clear()
        PAIRS[dimensions].update(kinds)


def test_a_bead_on_a_parabola():
    """y = k x² in SymPy: at the side x, ÿ follows from the energy of one coordinate."""

    @pair("parabola", dimensions=2, values={"k": None})
    def parabola(a, b, k):
        x, y = (sp.sympify(u - v) for u, v in zip(b.place, a.place, strict=True))
        return {"height": sp.expand(y - k * x**2)}

    mechanism = Mechanism(
        {"bead": body(2, 1, at=[0.5, 0.5])},
        {"A": joint("parabola", "ground", "bead", points=[[0, 0], [0, 0]], k="curve")},
        parameters={"curve": 2},
        initial={"x_bead": 0.5, "x_bead'": 0.3, "phi_bead": 0, "phi_bead'": 0},
    )
    found = accelerations(mechanism)
    slope = 2 * 2 * 0.5
    expected = -(G + 2 * 2 * 0.3**2) * slope / (1 + slope**2)  # x'' (1 + s²) + 2k s x'² = −g s
    assert found["x_bead''"] == pytest.approx(expected)
    assert loads(str(mechanism)) == mechanism
    assert mechanism.simulate(until=1).certificate.ok


def test_a_knife_edge_is_a_condition_on_velocities():
    @pair("knife", dimensions=2, axis="the direction of the edge")
    def knife(a, b):
        return {"across": -sp.sin(b.angle) * b.velocity[0] + sp.cos(b.angle) * b.velocity[1]}

    mechanism = Mechanism(
        {"sled": body(1, 0.2, at=[0, 0])},
        {"K": joint("knife", "ground", "sled", points=[[0, 0], [0, 0]])},
    )
    check = mechanism.check()
    assert check.classes["K.across"] == {"level": "velocity", "linear": True, "time": False, "integrable": False}


def test_mistakes_in_a_pair():
    with pytest.raises(ModelError, match="pair `revolute` is there already"):
        pair("revolute")(lambda a, b: {"x": a.angle})
    with pytest.raises(ModelError, match="a kind of joint is named by letters"):
        pair("my pair")
    with pytest.raises(ModelError, match="dimensions are 2 or 3, got 4"):
        pair("mine", dimensions=4)
    cases: list[tuple[Any, str]] = [
        (lambda a, b: 3, r"joints.A: pair `mine` must return its conditions by name, as in {'x': …}, got 3"),
        (lambda a, b: {"x y": a.angle}, "joints.A: pair `mine` must return its conditions by name"),
        (lambda a, b: {"x": 1 / 0}, "joints.A: pair `mine` failed: ZeroDivisionError"),
        (lambda a, b: {"x": a.nothing}, "joints.A: pair `mine` failed: AttributeError"),
        (lambda a, b: {"x": 0}, "joints.A: constraint `A.x` contains no coordinate"),
        (lambda a, b: {"x": "text"}, "joints.A: expected an expression of SymPy or SymEngine, got str: text"),
    ]
    for made, message in cases:
        pair("mine")(made)
        with pytest.raises(ModelError, match=message):
            Mechanism({"b": body()}, {"A": joint("mine", "ground", "b", at=[0, 0])})
    with pytest.raises(ModelError, match="did you mean `mine`"):
        Mechanism({"b": body()}, {"A": joint("min", "ground", "b", at=[0, 0])})
