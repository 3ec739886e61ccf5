"""Programmes that are wrong, or cannot be held: each is said, never a traceback and never a wrong answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert import ModelError, System, loads
from dalembert.errors import SimulationError
from tests.servo.models import cars

BASE = {
    "kinetic": "m1*x1'^2/2 + m2*x2'^2/2",
    "potential": "k*(x2 - x1)^2/2",
    "parameters": {"m1": 1, "m2": 2, "k": 1.5},
    "controls": {"u": {"acts": {"x2": 1}}},
    "programme": {"p": "x1 = t"},
}
TWO = {"u": {"acts": {"x2": 1}}, "w": {"acts": {"x1": 1}}}

WRONG = {
    "misspelt coordinate": ({"controls": {"u": {"acts": {"x3": 1}}}}, "no coordinate; coordinates: x1, x2"),
    "acts nowhere": ({"controls": {"u": {}}}, "acts nowhere"),
    "unknown name": ({"programme": {"p": "x1 = tt"}}, "unknown name `tt`; did you mean `t`"),
    "two for one": ({"programme": {"p": "x1 = t", "q": "x2 = t"}}, "too few controls: 2 programmes"),
    "no control": ({"controls": {}}, "too few controls"),
    "a negative weight": ({"controls": {**TWO, "w": {"acts": {"x1": 1}, "weight": -1}}}, "a weight is positive, got -1"),
    "a moving weight": ({"controls": {**TWO, "w": {"acts": {"x1": 1}, "weight": "x1"}}}, "a weight is a number"),
    "no equation": ({"programme": {"p": "x1"}}, "an equation needs `=`"),
    "a number": ({"programme": {"p": 3}}, "expected an equation"),
    "a list": ({"programme": ["x1 = t"]}, "expected entries by name"),
    "nothing moves": ({"programme": {"p": "t = 3"}}, "no coordinate stands in it"),
    "a control in it": ({"programme": {"p": "x1 = u"}}, "controls and states follow from it"),
    "a multiplier in it": ({"programme": {"p": "x1 = lambda_p"}}, "found multipliers"),
    "a bad name": ({"programme": {"p q": "x1 = t"}}, "a name is letters"),
    "a taken name": ({"programme": {"c": "x1 = t"}, "constraints": {"c": "x2 = x1 + 1"}}, "also the name of a constraint"),
    "a taken multiplier": ({"parameters": {"m1": 1, "m2": 2, "k": 1, "lambda_p": 3}}, "`lambda_p` is a name of the model"),
    "a value for a control": ({"parameters": {"m1": 1, "m2": 2, "k": 1.5, "u": 3}}, "control `u` has the value 3 in [parameters]"),
    "a value for one of two": (
        {"controls": TWO, "parameters": {"m1": 1, "m2": 2, "k": 1.5, "w": 3}}, "as a law write `law = 3`"
    ),
    "a mass named as a control": (
        {"programme": None, "controls": {"m1": {"acts": {"x1": 1}}}},
        "control `m1` is also parameter m1 = 1, which stands here, where no control can",
    ),
    "sampled and a law": ({"controls": {**TWO, "w": {"law": "1", "sampled": True}}}, "`law` and `sampled` both say"),
    "sampled by a number": ({"controls": {**TWO, "w": {"sampled": 1}}}, "expected true or false, got 1"),
    "sampled alone": ({"controls": {"u": {"acts": {"x2": 1}, "sampled": True}}}, "0 controls without a law"),
    "friction": (
        {"friction": {"f": {"constraint": "p", "coefficient": 0.3, "slip": "x1'"}}},
        "programme `p` is held by controls: nothing presses there",
    ),
    "a state": ({"states": {"z": "x1"}, "programme": {"p": "x1 = t + z"}}, "controls and states follow from it (found z)"),
    "a control in a definition": (
        {"define": {"d": "w + t"}, "controls": {**TWO, "w": {"law": "1"}}, "programme": {"p": "x1 = d"}}, "(found w)"
    ),
    "repeats a constraint": ({"programme": {"p": "x1 = 0"}, "constraints": {"c": "x1 = 0"}}, "what `c` holds already"),
    "presses on a constraint": ({"constraints": {"c": "x2 = 0"}}, "control `u` does nothing that constraints"),
    "twice the same": (
        {"controls": {"u": {"acts": {"x2": 1}}, "w": {"acts": {"x2": 2}}}, "programme": {"p": "x1 = t", "q": "x2 = t"}},
        "control `w` does nothing",
    ),
    "not coupled": ({"potential": "x1^2/2"}, "no control can hold programme `p`: it asks the path for"),
    "not linear": ({"controls": {"u": {}}, "forces": {"x2": "u^2"}}, "not linear in it"),
    "no spring": ({"parameters": {"m1": 1, "m2": 2, "k": 0}, "programme": {"p": "x1 = sin(t)"}}, "no control can hold"),
    "a signed force": ({"forces": {"x1": "-0.3*sign(x2' - x1')"}}, "is tied to velocities"),
    "a table": (
        {"programme": {"p": "x1 = y(t)"}, "tables": {"y": {"x": [0, 1, 2, 3, 4], "value": [0, 1, 3, 4, 5]}}},
        "takes 3 derivatives that do not jump, and table `y` has 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("changes, words", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(changes, words):
    with pytest.raises(ModelError) as error:
        System("x1 x2", **{**BASE, **changes})
    assert words in str(error.value)


def test_contradictions_are_named_by_the_check():
    for changes in ({"constraints": {"c": "x1 = 0"}}, {"controls": TWO, "programme": {"p": "x1 = t", "q": "2*x1 = t"}}):
        check = System("x1 x2", **{**BASE, **changes}).check()
        assert not check.ok
        assert "contradict each other" in str(check)


@pytest.mark.parametrize(
    "path, what",
    [("step(t - 1)", "positions that jump"), ("if(t < 1, 0, (t - 1)^3)", "velocities that jump"), ("abs(t - 1)^3", "")],
)
def test_a_path_that_is_not_smooth_enough(path, what):
    system = cars(path, simulation={"until": 2})
    with pytest.raises(ModelError, match="must be continuous with its first 3 derivatives"):
        system.simulate()
    assert what in str(system.check())
    assert not system.check().ok


def test_the_last_derivative_may_jump():
    """F follows the fourth derivative, which is 24 from t = 1 on."""
    run = cars("if(t < 1, 0, (t - 1)^4)").simulate(2)
    assert run.certificate.ok
    at = [run.resampled([t])["F"][0] for t in (0.999, 1.001)]
    assert at[0] == pytest.approx(0, abs=1e-9)
    assert at[1] == pytest.approx(2 * 24 + 3 * 12 * 1e-6, rel=1e-8)


def test_a_knife_edge_led_by_its_own_point_is_said():
    """Its heading follows from the path, but is a condition on positions that no row of the programmes is."""
    with pytest.raises(ModelError, match="tie positions to velocities of the path, what follows of that is not solved"):
        System(
            "x y th",
            kinetic="m*(x'^2 + y'^2)/2 + J*th'^2/2",
            constraints={"knife": "y'*cos(th) - x'*sin(th) = 0"},
            controls={"F": {"acts": {"x": "cos(th)", "y": "sin(th)"}}, "T": {"acts": {"th": 1}}},
            programme={"px": "x = t", "py": "y = 0.3*sin(t)"},
            parameters={"m": 1.3, "J": 0.4},
            guess={"th": math.atan(0.3)},
        )


def test_a_state_in_which_nothing_can_be_held_is_said():
    system = cars("sin(t)")
    with pytest.raises(SimulationError, match="programme `path` cannot be held by `F` at t = 1"):
        system.compile()(1, [0.84, 0.2], [0.54, 0], {"k": 0})


def test_what_a_programme_does_not_go_with():
    system = cars("sin(t)")
    for refused in (system.reduced, lambda: system.release("path"), lambda: system.without("path")):
        with pytest.raises(ModelError, match="programme"):
            refused()
    with pytest.raises(ModelError, match="has no reaction of its own"):
        system.reaction("path")
    with pytest.raises(ModelError, match="has no reaction of its own"):
        system.simulate(1).reaction("path")
    with pytest.raises(ModelError, match="rattle"):
        system.simulate(1, method="rattle", step=0.01)
    with pytest.raises(ModelError, match="too few controls"):
        system.simulate(1, controls={"F": "-x1"})
    with pytest.raises(ModelError, match=r"initial value x2 = 3 contradicts `path"):
        system.replace(initial={"x2": 3}).simulate(1)


def test_missing_inertia_is_what_the_check_says():
    system = System(
        "x1 x2",
        kinetic="x2'^2",
        dissipation="(x1' - x2')^2/2",
        controls={"u": {"acts": {"x2": 1}}},
        programme={"p": "x1 = sin(t)"},
    )
    assert "`x1` has no inertia" in str(system.check())


def test_written_and_read_again():
    system = cars("sin(t)", name="Two cars", outputs={"power": "F*x2'"})
    again = loads(str(system))
    assert str(again) == str(system)
    one, other = system.simulate(2), again.simulate(2)
    assert one["F"][-1] == other["F"][-1]
    assert one["power"][-1] == one["F"][-1] * one["x2'"][-1]


def test_definitions_keep_their_names_in_programmes():
    changed = {"define": {"rise": "sin(t)^2", "ahead": "2*rise"}, "programme": {"p": "x1 + rise/2 = ahead - rise'"}}
    system = System("x1 x2", **{**BASE, **changed})
    assert 'p = "rise\' - ahead + rise/2 + x1 = 0"' in str(system)
    again = loads(str(system))
    assert str(again) == str(system)
    run = again.simulate(1, samples=4)
    np.testing.assert_allclose(run["x1"], 1.5 * np.sin(run.t) ** 2 - np.sin(2 * run.t), atol=1e-9)
    other = system.replace(define={"rise": "t^2"}).simulate(1, samples=4)
    np.testing.assert_allclose(other["x1"], 1.5 * other.t**2 - 2 * other.t, atol=1e-9)
    assert system.replace(parameters={"k": 2}).sections["programme"] == system.sections["programme"]


def test_a_law_in_python_beside_a_programme():
    """It is called at intervals and held in between; the programme takes what it leaves."""
    system = System(
        "x y",
        kinetic="x'^2/2 + y'^2/2",
        controls={"u": {"acts": {"x": 1}}, "w": {"acts": {"x": 2, "y": 1}}},
        programme={"p": "x = t^2"},
    )
    run = system.simulate(1, controls={"w": lambda t, s: 0.5}, every=0.1, samples=4)
    np.testing.assert_allclose([run["u"], run["w"]], [[1] * 5, [0.5] * 5], atol=1e-9)
    np.testing.assert_allclose(run["y"], run.t**2 / 4, atol=1e-9)


def test_variants_look_again_for_what_is_hidden():
    spring = cars("sin(t)", dissipation="d*(x2' - x1')^2/2", parameters={"m1": 1, "m2": 2, "k": 1, "l": 0.5, "d": 0})
    damped = spring.replace(parameters={"d": 0.3})
    assert spring.constraint("path.hidden").level == "position"
    assert damped.constraint("path.hidden").level == "velocity"
    free = spring.replace(programme={"path": None})
    assert free.constraints == ()


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "independent", "canonical"])
def test_every_form_moves_alike(form):
    run = cars("sin(t)").simulate(1, form=form)
    assert run["F"][-1] == pytest.approx(-math.sin(1), rel=1e-9)


def test_a_motor_in_between_starts_where_it_must():
    """z' = (u − z)/T with x'' = z: z starts with the path's second derivative, and u = z + T z'."""
    system = System(
        "x",
        kinetic="x'^2/2",
        states={"z": "(u - z)/0.1"},
        forces={"x": "z"},
        controls={"u": {}},
        programme={"p": "x = sin(t) + t^2"},
    )
    run = system.simulate(1, samples=10)
    assert run["z"][0] == pytest.approx(2, rel=1e-12)
    np.testing.assert_allclose(run["u"], 2 - np.sin(run.t) - 0.1 * np.cos(run.t), rtol=1e-9)
    assert system.check().degrees_of_freedom == 0
