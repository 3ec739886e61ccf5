"""Where forces that depend on reactions have no solution, several, or follow shared reactions: it is said, by name."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert import System
from dalembert.blocks.law_numbers import balanced
from dalembert.blocks.numeric import numeric_of
from dalembert.errors import DerivationError, ModelError, SimulationError

from .models import BEARING, BLOCK, LADDER, ROD

STEEP = ROD.replace(parameters={"mu": 5 / 3})


def state(phi: float, rate: float = 0.0):
    return np.array([0, math.sin(phi), phi]), np.array([30, rate * math.cos(phi), rate])


def test_critical_coefficient_of_the_rod():
    """At tan φ = 2 it is least: 4/3."""
    phi = math.atan(2)
    assert 1.2 * balanced(numeric_of(ROD), 0.0, *state(phi)).critical == pytest.approx(4 / 3, rel=1e-12)
    others = [balanced(numeric_of(ROD), 0.0, *state(phi + d)).critical for d in (-0.1, 0.1)]
    assert min(others) > (4 / 3) / 1.2


def test_rod_is_fine_below_and_named_above():
    kernels, steep = ROD.compile(), STEEP.compile()
    for phi in np.linspace(0.05, 1.5, 30):
        kernels(0.0, *state(phi))
        inside = math.radians(45) < phi < math.atan(4)
        if not inside:
            steep(0.0, *state(phi))
            continue
        with pytest.raises(
            SimulationError, match=r"`ground` have no solution at .*mu = 1.66667.*critical value is 1\."
        ):
            steep(0.0, *state(phi))
        with pytest.raises(SimulationError, match=r"have 2 solutions at .*Painlevé"):
            steep(0.0, *state(phi, 10.0))


@pytest.mark.parametrize("angle", [math.atan(1), math.atan(4)])
def test_angles_at_which_the_paradox_begins(angle):
    """μ = 5/3: tan φ = 1 and 4, that is 45° and 75.96°."""
    numeric = numeric_of(STEEP)
    counts = [len(balanced(numeric, 0.0, *state(angle + d)).solutions) for d in (-1e-9, 1e-9)]
    assert sorted(counts) == [0, 1]
    assert balanced(numeric, 0.0, *state(angle)).critical == pytest.approx(1.0, abs=1e-12)


def test_motion_ends_where_the_paradox_begins():
    """t = 0.81454957, φ = 45°: found by another program (DOP853 at 1e-12) for the same rod, start and μ = 5/3."""
    with pytest.warns(Warning, match="`ground` grow without bound"):
        run = STEEP.simulate(0.9)
    assert run.status == "failed"
    assert run.motion.times[-1] == pytest.approx(0.81454957, abs=1e-6)
    assert math.degrees(run["phi"][-1]) == pytest.approx(45, abs=1e-4)
    assert run["x'"][-1] == pytest.approx(11.9928, abs=2e-3)
    assert ROD.simulate(0.3).certificate.ok


@pytest.mark.parametrize("form", ["minimal", "explicit", "independent"])
def test_other_forms_refuse_it_too(form):
    with pytest.raises(SimulationError, match="Painlevé"):
        STEEP.compile(form)(0.0, *state(1.05))


def test_check_says_it():
    check = STEEP.check()
    assert check.ok
    assert any("elsewhere" in p.text and "critical value" in p.text for p in check.problems)
    assert not any("critical value" in p.text for p in ROD.check().problems)
    start = STEEP.replace(initial={"phi": 1.05})
    assert not start.check().ok
    assert any("no solution" in p.text for p in start.check().problems)


def test_ladder_that_jams():
    """With friction at both ends there are four patterns of signs; beyond some μ none of them or several hold."""
    kernels = LADDER.compile()
    start = LADDER.start()
    counts = []
    for mu in (0.1, 0.5, 2.0, 6.0):
        system = LADDER.replace(parameters={"mu": mu, "nu": mu})
        count = len(balanced(numeric_of(system), 0.0, start.q, start.v).solutions)
        counts.append(count)
        if count == 1:
            kernels(0.0, start.q, start.v, {"mu": mu, "nu": mu})
        else:
            with pytest.raises(SimulationError, match="`floor` and `wall`"):
                kernels(0.0, start.q, start.v, {"mu": mu, "nu": mu})
    assert counts[0] == 1 and counts[-1] != 1


def test_bearing_that_is_too_large():
    """μR‖d‖ > 1: no solution, or two; not a law of branches, so that Newton's steps must not end anywhere."""
    kernels, start = BEARING.compile(), BEARING.start()
    d = 2 * 0.35 / (0.1 + 2 * 0.35**2)  # ‖W⁻¹A M⁻¹t‖ of the pendulum
    radius = 1 / (0.3 * d)
    kernels(0.0, start.q, start.v, {"r": 0.9 * radius})
    found = balanced(numeric_of(BEARING.replace(parameters={"r": 1.6 * radius})), 0.0, start.q, start.v)
    assert len(found.solutions) in (0, 2)
    if not len(found.solutions):
        with pytest.raises(SimulationError, match="`px` and `py`"):
            kernels(0.0, start.q, start.v, {"r": 1.6 * radius})


def test_force_that_jumps_with_its_reaction():
    """A force that carries the load itself as soon as the floor does: neither is right."""
    system = System(
        "y",
        kinetic="m*y'^2/2",
        forces={"y": "-m*g + if(lambda_floor > 0, 2*m*g, 0)"},
        constraints={"floor": "y = 0"},
        parameters={"m": 2, "g": 9.81},
    )
    with pytest.raises(SimulationError, match="`floor` have no solution"):
        system.compile()(0, [0], [0])
    assert not system.check().ok


def test_smooth_law_with_three_solutions():
    """Newton's steps do not count: check and certificate do."""
    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        constraints={"c": "y - x = 0"},
        forces={"x": "3*lambda_c - lambda_c^3/20", "y": "-1"},
    )
    roots = np.sort(np.roots([1 / 20, 0, -1, -1]).real)  # 2 λ = 3 λ − λ³/20 + 1
    found = np.sort(balanced(numeric_of(system), 0.0, np.zeros(2), np.zeros(2)).solutions.ravel())
    assert len(found) == 3 and np.allclose(found, roots)
    assert any("3 solutions" in p.text for p in system.check().problems)
    with pytest.warns(Warning, match="certificate"):
        run = system.simulate(0.1)
        assert not run.certificate.ok


# --- reactions that are shared ----------------------------------------------------------------------------------------

TWICE = BLOCK.replace(constraints={"floor": "y = 0", "again": "2*y = 0"})


def test_shared_reactions_are_refused_by_name():
    said = r"reaction of `floor`, which is not determinate.*shares the load with `again`"
    for attempt in (TWICE.compile, TWICE.derive, lambda: TWICE.simulate(0.1)):
        with pytest.raises((ModelError, DerivationError), match=said):
            attempt()
    assert any(p.severity == "error" and "`again`" in p.text for p in TWICE.check().problems)


def test_what_they_carry_together_is_determined():
    both = TWICE.replace(forces={"x": "-mu*abs(lambda_floor + 2*lambda_again)*sign(x')"})
    a = BLOCK.compile()(0, [0, 0], [3, 0]).acceleration
    for form in ("multipliers", "minimal", "explicit", "independent"):
        np.testing.assert_allclose(both.compile(form)(0, [0, 0], [3, 0]).acceleration, a, rtol=1e-10, atol=1e-10)
    assert both.check().ok
    assert "lambda_floor = m*g*cos(a)" in str(both.derive("minimal"))


def test_shared_reactions_elsewhere_do_not_matter():
    other = System(
        "x y z",
        kinetic="(x'^2 + y'^2 + z'^2)/2",
        potential="9.81*y",
        forces={"x": "-0.2*abs(lambda_floor)*sign(x')"},
        constraints={"floor": "y = 0", "side": "z = 0", "again": "3*z = 0"},
    )
    assert other.compile()(0, [0, 0, 0], [1, 0, 0]).acceleration[0] == pytest.approx(-0.2 * 9.81, rel=1e-9)


def test_plain_elimination_leaves_a_paradox_to_the_other_one():
    """With μ = 5/3 the determinant 1 + 3 cos²φ (1 − μ tan φ) of sliding to the right is below zero from 45° to 75.96°."""
    kernels = ROD.replace(parameters={"mu": 5 / 3}).compile()
    for degrees in (30, 44.9, 45.1, 60, 75.9, 76.0, 85):
        phi = math.radians(degrees)
        for way in (30.0, -30.0):
            rows = kernels.inputs(0.0, [0, math.sin(phi), phi], [way, 0, 0])[None]
            plain, whole = kernels.run("direct", "direct", rows)[0], kernels.run("core", "accelerations", rows)[0]
            regular = 1 + 3 * math.cos(phi) ** 2 * (1 - 5 / 3 * math.tan(phi)) > 0
            assert (plain[-2] > 0) == regular  # its conditioning, by which it is used or not
            assert not regular or plain[:4] == pytest.approx(whole[:4], rel=1e-9)
