"""What is written in few operations is what was derived: on the motion, and equations up to a factor."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import symengine as se

from dalembert import System, example, load
from dalembert.algebra.rational import Field
from dalembert.algebra.writing.cost import operations, total
from dalembert.algebra.writing.factoring import Atoms, arranged
from dalembert.language.printing import to_text
from dalembert.language.program import Program
from tests.sampling import sampled

MODELS = ("appell-hamel", "chaplygin-sleigh", "double-pendulum", "knife-edge", "moved-pendulum", "pendulum")
MODELS += ("nonholonomic-particle", "pendulum-on-slider", "platform-on-incline", "rod-with-knife-edge", "rolling-disk")
MODELS += ("simple-pendulum", "upright-disk", "planar-chain:2", "chain:3", "n-four-bar:1")
FORMS = ("multipliers", "minimal", "explicit", "independent", "reactions")


def complete(expr, names):
    """Put in what abbreviations stand for."""
    while {symbol.name for symbol in expr.free_symbols} & names.keys():
        expr = expr.xreplace({s: names[s.name] for s in expr.free_symbols if s.name in names})
    return expr


def values(scene, expressions, random):
    """Return values at the pilot's points, with rates and reactions at random."""
    known = {symbol.name for symbol in scene.inputs}
    extra = sorted({s.name for e in expressions for s in e.free_symbols} - known)
    points = np.vstack([scene.points, random.uniform(-1, 1, (len(extra), scene.points.shape[1]))])
    return Program([*scene.inputs, *map(se.Symbol, extra)], expressions).arrays(list(points))


@pytest.mark.parametrize("case", sampled([(m, f) for m in MODELS for f in FORMS], 3), ids="-".join)
def test_same_on_the_motion(case):
    short = example(case[0]).derive(case[1])
    long = short.full()
    old, new = long.abbreviation_expressions, short.abbreviation_expressions
    for whole, brief in (
        (long.entries, short.entries),
        ({"r": list(long.reaction_expressions.values())}, {"r": list(short.reaction_expressions.values())}),
        ({"λ": [list(long.multiplier_expressions.values())]}, {"λ": [list(short.multiplier_expressions.values())]}),
    ):
        a = [complete(e, old) for rows in whole.values() for row in rows for e in row]
        b = [complete(e, new) for rows in brief.values() for row in rows for e in row]
        if a:
            x = np.broadcast_arrays(*values(long.scene, [*a, *b], np.random.default_rng(1)))
            x = np.array(x).reshape(2, len(a), -1)
            assert np.allclose(x[0], x[1], rtol=1e-8, atol=1e-9 * np.abs(x).max())
    a = [complete(e, old) for e in long.expressions]
    b = [complete(e, new) for e in short.expressions]
    if a:
        one, other = (
            np.array(np.broadcast_arrays(*values(long.scene, [*a, *b], np.random.default_rng(k)))).reshape(
                2, len(a), -1
            )
            for k in (2, 3)
        )
        cross = one[0] * other[1] - other[0] * one[1]  # both vanish for the same accelerations
        assert np.abs(cross).max() <= 1e-8 * max(1.0, np.abs(one).max() * np.abs(other).max())


def test_sums_of_angles():
    arm = System(
        "a b",
        kinetic="m*((l*a'*cos(a) + l*(a' + b')*cos(a + b))^2 + (l*a'*sin(a) + l*(a' + b')*sin(a + b))^2)/2",
        parameters={"m": 1, "l": 1},
    )
    for equation in arm.derive("minimal").expressions:  # of the angles only b is left
        assert "(a" not in to_text(equation)


def test_names_stand_for_what_equations_share():
    short = example("pendulum").derive("explicit")
    assert short.abbreviations
    equations = [equation.subs(short.abbreviations) for equation in short.equations]
    assert not any(str(s) in short.abbreviations for e in equations for s in e.free_symbols)


def test_squares_and_rectangles():
    x, y, u, w, m = se.symbols("x y u w m")
    atoms = Atoms()
    terms = {}
    for term in se.expand(m * ((x - y) ** 2 + (u + w) ** 2)).args:
        powers = term.as_powers_dict()
        number = Fraction(str(term.args[0])) if term.args[0].is_Number else Fraction(1)
        key = tuple(sorted((atoms.index(b), int(p)) for b, p in powers.items() if not b.is_Number))
        terms[key] = number
    assert operations(arranged(terms, atoms)) == 6


def test_what_is_too_long_stays_as_it_is():
    short = example("chain:20").derive("multipliers")
    assert short.expressions == short.full().expressions


def test_rows_of_blocks_hold_everywhere():
    """Constraints are not used in M q̈ = f + Aᵀλ: the rows are the same also where these do not hold."""
    short = example("simple-pendulum").derive("multipliers")
    for one, other in zip(short.expressions, short.full().expressions, strict=True):
        ratio = Field([one, other])
        assert (ratio.read(one) / ratio.read(other)).numerator.is_constant()


def test_rows_stay_visible_where_their_sum_is_longer():
    short = example("slider-crank").derive("minimal")
    assert all(text in to_text(short.expressions[0]) for text in ("J1*q''", "J2*p''", "m2*x''"))
    names = short.names_in(short.expressions).values()  # forces that are long
    assert operations(short.expressions[0]) <= 20 < total([*short.expressions, *names]) < 100


def test_short_reactions_are_written_out():
    """A name that would save little is not given."""
    found = load(Path(__file__).parent / "models" / "ladder.toml").derive("reactions").as_dict()
    assert found["reactions"]["wall"][0] == "m*sin(theta)*(3*g*cos(theta) - 2*l*theta'^2)/4"
    assert found["abbreviations"] == {}
