"""Constraints that have no gradient where they hold are refused, and their root is named."""

import pytest

from dalembert import Mechanism, ModelError, System

FLAT = {
    "x^2 = 0": "x = 0",
    "(x - y)^2 = 0": "x - y = 0",
    "(x - y)^3 = 0": "x - y = 0",
    "x^2 - 2*x*y + y^2 = 0": "x - y = 0",
    "0.25*x^2 - 0.15*x*y + 0.0225*y^2 = 0": "10*x - 3*y = 0",
    "x^2 + y^2 = 2*x*y": "x - y = 0",
    "(x^2 + y^2 - 1)^2 = 0": "x^2 + y^2 - 1 = 0",
    "(x - y)^2*(2 + x^2) = 0": "x - y = 0",
    "l*(x - y)^2 = 0": "x - y = 0",
    "(x - sin(t))^2 = 0": "x - sin(t) = 0",
    "abs(x - y) = 0": "x - y = 0",
    "sqrt(x - y) = 0": "x - y = 0",
    "sqrt((x - y)^2) = 0": "x - y = 0",
    "1 - cos(x - y) = 0": "sin(x/2 - y/2) = 0",
    "(x' - 2*y')^2 = 0": "x' - 2*y' = 0",
}
REGULAR = [
    "x*y = 0",
    "x^2 + y^2 = t",
    "x^3 = t",
    "x^2 = 4*y^2",
    "(x - y)^2 = 1e-6",
    "x^2*y = 1",
    "exp(20*x) = 1 + y",
    "sqrt(x^2 + y^2) = 1",
    "abs(x) = 2*y",
    "(x^2 + 1)*(x - y) = 0",
]


def plane(constraint, **rest):
    kinetic, parameters = "(x'^2 + y'^2)/2", {"l": 2}
    return System("x y", kinetic=kinetic, potential="x", constraints={"c": constraint}, parameters=parameters, **rest)


@pytest.mark.parametrize("guess", [{}, {"x": 1.3, "y": 0.4, "x'": 1}])
@pytest.mark.parametrize(("constraint", "root"), FLAT.items())
def test_root_is_named(constraint, root, guess):
    system = plane(constraint, guess=guess)
    outcome = system.check()
    assert not outcome.ok
    (text,) = [problem.text for problem in outcome.problems if problem.severity == "error"]
    assert text == f"`c` has no gradient where it holds, so that nothing follows from it: write `{root}` instead"
    assert plane(root, guess=guess).check().ok


def test_neither_a_motion_nor_a_derivation_begins():
    for begin in (lambda system: system.simulate(1), lambda system: system.derive("minimal").equations):
        with pytest.raises(ModelError, match=r"c: `c` has no gradient .* write `x - y = 0` instead"):
            begin(plane("(x - y)^2 = 0"))


def test_a_sum_of_squares_is_several_conditions():
    (problem,) = (p for p in plane("(x - y)^2 + 3*(x - 1)^2 = 0").check().problems if p.severity == "error")
    assert "write `x - y = 0` and `x - 1 = 0` instead (it asks for 2 conditions at once)" in problem.text


def test_the_same_square_twice_is_one_condition():
    (problem,) = (p for p in plane("(x - y)^4 + (x - y)^2 = 0").check().problems if p.severity == "error")
    assert problem.text.endswith("write `x - y = 0` instead")


def test_without_a_root_in_closed_form():
    (problem,) = (p for p in plane("exp(x - y) = 1 + x - y").check().problems if p.severity == "error")
    assert problem.text.endswith("write it differently, as x = 0 instead of x^2 = 0")


@pytest.mark.parametrize("constraint", REGULAR)
def test_constraints_that_lose_their_gradient_in_single_positions_only(constraint):
    """At the guess 0 many of them have none."""
    for guess in ({}, {"x": 0.6, "y": 0.3}):
        outcome = plane(constraint, guess=guess).check()
        assert not [p.text for p in outcome.problems if "gradient" in p.text]
        assert outcome.rank == 1 or "t" in constraint


def test_own_constraint_of_a_mechanism():
    mechanism = Mechanism(
        bodies={"a": {"mass": 1, "inertia": 1}, "b": {"mass": 1, "inertia": 1, "at": [1, 0]}},
        constraints={"apart": "((x_b - x_a)^2 + (y_b - y_a)^2 - 1)^2 = 0"},
    )
    with pytest.raises(ModelError, match=r"apart: `apart` has no gradient .* write `\(.*\)\^2 \+ \(.*\)\^2 - 1 = 0`"):
        mechanism.start()
