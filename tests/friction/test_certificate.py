"""Certificates of motions with friction: their limits follow the tolerance, and what is wrong is named."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from dalembert import Mechanism, System
from dalembert.results.run import Run
from tests.friction.test_in_other_coordinates import CRANK
from tests.friction.watched import kinds

LOOSE = [{"rtol": 1e-4}, {"rtol": 1e-6}, {"method": "radau", "rtol": 1e-4}, {"method": "bdf", "rtol": 1e-6}]


def block(rub, force="0", **rest) -> System:
    return System(
        coordinates="x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="m*g*y",
        forces={"x": force},
        constraints={"floor": "y = 0"},
        friction={"f": {"constraint": "floor", "slip": "x'", **rub}},
        parameters={"m": 2, "g": 9.81, **rest},
        initial={"x": 0, "x'": 0},
    )


def certified(system: System, *span, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return system.simulate(*span, **how).certificate


# --- right motions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{}, *LOOSE, {"method": "bdf"}])
def test_a_journal_that_turns_back(how):
    journal = Mechanism(
        bodies={"rod": {"mass": 3, "inertia": 0.2, "at": [0.6, 0]}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
        friction={"b": {"joint": "A", "coefficient": 0.15, "radius": 0.05}},
    )
    if how != LOOSE[2]:  # so loosely it is not followed to the end
        assert certified(journal, 4.0, **how).ok


@pytest.mark.parametrize("how", [{}, *LOOSE])
def test_a_crank_that_comes_to_rest(how):
    """Its guide turns back ten times, both stick in the end; conditions that hold then only have a size then only."""
    crank = Mechanism(**{**CRANK, "friction": {**CRANK["friction"], "fD": {"joint": "D", "coefficient": 0.2}}})
    run = crank.simulate(4.0, **how)
    assert kinds(run) == ["stick", "stick"] and run.certificate.ok


@pytest.mark.parametrize("how", [{}, {"method": "radau"}, {"method": "bdf"}, {"method": "radau", "rtol": 1e-4}])
def test_a_body_that_only_sticks(how):
    """It is held against two forces, one after the other, and nothing moves; 10.5 N is the limit."""
    push = "A*sin(2.6*t) + B*sin(0.9 + 2.4*t)"
    run = block({"coefficient": 0.3, "static": 0.55}, push, A=3.4, B=2).simulate(8.0, **how)
    assert run.certificate.ok and np.abs(run["x"]).max() < 1e-7 and not run.events


# --- wrong ones -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rtol", [1e-12, 1e-9, 1e-4])
def test_a_slip_that_is_lost_is_named(rtol):
    """What slides for a moment has been moved as if it stuck: at no tolerance is more force than the limit passed."""
    system = block({"coefficient": 0.3, "static": "mus"}, "6.2*sin(t)", mus=0.31)
    run = system.simulate(3.0, rtol=rtol)
    assert kinds(run) == ["slip", "stick"] and run.certificate.ok
    held = system.replace(parameters={"mus": 0.4}).simulate(3.0, rtol=rtol).motion
    assert not held.occurrences
    (last,) = {tuple(row) for row in np.atleast_2d(held.parameters_at(held.times))}
    weaker = [0.31 if value == 0.4 else value for value in last]
    found = Run(replace(held, changes=[(-1.0, np.array(weaker))], memory={})).certificate
    assert found["friction"].value == pytest.approx((6.2 - 0.31 * 19.62) / (0.31 * 19.62), rel=1e-3)
    assert found["friction"].ok is False and "`f` at t = 1.3" in found.reason
    assert any("friction `f` is to hold more than it can at t = 1.3" in note for note in found.notes)


@pytest.mark.parametrize(("rub", "words"), [
    ({"coefficient": "mu*(1 - x)"}, ["`coefficient` gives falls to", "from t = 0.379", "keep it above 0"]),
    ({"coefficient": None, "law": "mu*N*(1 - x)"}, ["`law` gives falls to", "from t = 0.379"]),
    ({"coefficient": "mu", "normal": "m*g*(1 - x)"}, ["load falls to", "from t = 0.379", "abs"]),
    ({"coefficient": "mu", "viscous": "1 - x"}, ["`viscous` falls to", "from t = "]),
    ({"coefficient": "mu", "smooth": 0.001, "normal": "m*g*(1 - x)"}, ["load falls to", "from t = 0.379"]),
    ({"coefficient": "mu*(1 + 2*x)", "static": 0.4}, ["sticking holds less", "as 7.848 and", "`static`"]),
])  # fmt: skip
def test_values_that_cannot_be_on_the_way(rub, words):
    found = certified(block(rub, "0", mu=0.3).replace(initial={"x'": 3}), 0.6)
    (note,) = [note for note in found.notes if note.startswith("friction `f` from t")]
    assert not [word for word in words if word not in note], note
    assert "static" in rub or not found.ok


def test_a_value_that_an_event_makes_negative():
    system = block({"coefficient": "mu"}, "0", mu=0.3).replace(
        initial={"x'": 3}, events={"oil": {"when": "x - 0.5", "set": {"mu": -0.1}}}
    )
    found = certified(system, 0.6)
    assert not found.ok and any("`coefficient` gives falls to" in note for note in found.notes)


def test_the_end_of_a_second_motion():
    """It ends inside the last step that is trusted, and the two times that are told do not contradict each other."""
    system = block({"coefficient": "mu*(1 + 2*x)", "static": 0.4}, "10", mu=0.3).replace(initial={"x'": 1})
    (note,) = [note for note in certified(system, 3.0).notes if note.startswith("not judged after")]
    assert "ends in the step after it" in note
