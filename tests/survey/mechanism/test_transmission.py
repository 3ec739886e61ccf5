"""Transmission against closed forms: Freudenstein's equation, the slider-crank, Grashof's condition, dead points."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError
from tests.model.mechanism.linkages import bricard, four_bar, loop, slider_crank, spatial_four_bar
from tests.survey.mechanism.test_kinematics import piston


def rocker(theta: np.ndarray, a: float, b: float, c: float, d: float) -> np.ndarray:
    """The angle of the rocker of an open four-bar by Freudenstein: d/a cos ψ − d/c cos θ + k = cos(θ − ψ)."""
    k = (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
    A, B, C = d / a - np.cos(theta), -np.sin(theta), d / c * np.cos(theta) - k
    return np.arctan2(B, A) + np.arccos(C / np.hypot(A, B))


def test_slider_crank():
    found = slider_crank().transmission("A", "D", samples=12)
    x, first, second = piston(found.input)
    assert found.full_turn and not found.dead_points
    assert np.diff(found.input) == pytest.approx(np.full(12, np.pi / 6), abs=1e-12)
    assert found.output == pytest.approx(x, abs=1e-12)
    assert found.ratio == pytest.approx(first, abs=1e-12) and found.change == pytest.approx(second, abs=1e-11)
    assert [point.input for point in found.reversals] == pytest.approx([np.pi, 2 * np.pi])
    assert [point.output for point in found.reversals] == pytest.approx([2, 4])
    angles = np.arccos(np.abs(np.sin(found.input)) / 3)  # between the rod and the normal of the guide
    assert found.mu == pytest.approx(angles, abs=1e-9)


def test_piston_drives_the_crank_through_its_dead_points():
    found = slider_crank().transmission("D", "A", samples=24)
    assert found.closed and not found.full_turn
    assert sorted(point.input for point in found.dead_points) == pytest.approx([2, 4], abs=1e-12)
    assert all(abs(np.sin(point.output)) < 1e-6 for point in found.dead_points)
    assert found.range == pytest.approx((2, 4))
    assert piston(found.output)[0] == pytest.approx(found.input, abs=1e-12)
    assert np.ptp(found.output) == pytest.approx(2 * np.pi)  # the crank goes round
    assert "dead point, where the input loses its grip on `crank` and `rod`" in str(found)


def test_four_bar_by_freudenstein():
    lengths = 1.0, 3.0, 2.5, 3.0
    found = four_bar(*lengths, 1.0).transmission("phi_b1", "phi_b3", samples=12)
    theta = 1 + found.input  # bodies are placed without a turn
    psi = rocker(theta, *lengths)
    assert found.output == pytest.approx(psi - rocker(np.array(1.0), *lengths), abs=1e-11)
    h = 1e-4
    ahead, behind = rocker(theta + h, *lengths), rocker(theta - h, *lengths)
    assert found.ratio == pytest.approx((ahead - behind) / (2 * h), abs=1e-6)
    assert found.change == pytest.approx((ahead - 2 * psi + behind) / h**2, abs=1e-6)
    # extreme positions: crank and coupler in line
    a, b, c, d = lengths
    ends = [np.arccos((r**2 + d**2 - c**2) / (2 * r * d)) + turn for r, turn in ((b + a, 0), (b - a, np.pi))]
    assert sorted(np.mod(1 + p.input, 2 * np.pi) for p in found.reversals) == pytest.approx(sorted(ends), abs=1e-9)


def test_transmission_angle_of_a_four_bar():
    """Its cosine by the law of cosines: diagonal² = a² + d² − 2ad cos θ = b² + c² − 2bc cos μ."""
    a, b, c, d = 1.0, 3.0, 2.5, 3.0
    found = four_bar(a, b, c, d, 1.0).transmission("A", "D", samples=8)
    diagonal = a**2 + d**2 - 2 * a * d * np.cos(1 + found.input)
    assert np.cos(found.mu) == pytest.approx(np.abs(b**2 + c**2 - diagonal) / (2 * b * c), abs=1e-9)


@pytest.mark.parametrize("samples", [2, 7, 360])
def test_extremes_do_not_depend_on_the_samples(samples):
    """Those of the rocker where crank and coupler are in line, of the transmission angle with the crank on the frame."""
    a, b, c, d = 1.0, 3.0, 2.5, 3.0
    found = four_bar(a, b, c, d, 1.0).transmission("phi_b1", "phi_b3", samples=samples)
    ends = [np.pi - np.arccos((c**2 + d**2 - r**2) / (2 * c * d)) for r in (b + a, b - a)]
    assert found.output_range == pytest.approx(np.array(ends) - rocker(np.array(1.0), a, b, c, d), abs=1e-9)
    by_joint = four_bar(a, b, c, d, 1.0).transmission("A", "D", samples=samples)
    cosines = [(b**2 + c**2 - diagonal**2) / (2 * b * c) for diagonal in (d - a, d + a)]  # the second is obtuse
    angles = [np.arccos(abs(x)) for x in cosines]
    assert by_joint.mu_range == pytest.approx((min(angles), np.pi / 2), abs=1e-9)
    assert f"transmission angle from {np.degrees(min(angles)):.4g} to 90 degrees" in str(by_joint)


@pytest.mark.parametrize("samples", [2, 13])
def test_extremes_of_a_slider_crank(samples):
    found = slider_crank(angle=0.7).transmission("A", "D", samples=samples)
    assert found.output_range == pytest.approx((2, 4), abs=1e-12)
    assert found.mu_range == pytest.approx((np.arccos(1 / 3), np.pi / 2), abs=1e-9)
    back = slider_crank(angle=0.7).transmission("D", "A", samples=samples)
    assert back.range == pytest.approx((2, 4), abs=1e-12)


def test_grashof():
    """The crank turns fully if the shortest and longest bar are less than the others, and it or the frame the shortest."""
    random = np.random.default_rng(5)
    seen = set()
    while len(seen) < 8:
        lengths = random.uniform(1, 3, 4)
        a, b, c, d = lengths
        shortest, *middle, longest = np.sort(lengths)
        if abs(shortest + longest - sum(middle)) < 0.1:  # close to a change point
            continue
        low, high = max(abs(b - c), abs(a - d)), min(b + c, a + d)
        if high - low < 0.1:
            continue
        middle_way = (low + high) / 2
        angle = np.arccos((a**2 + d**2 - middle_way**2) / (2 * a * d))
        found = four_bar(*lengths, angle).transmission("A", "D", samples=2)
        turns = shortest + longest < sum(middle) and shortest in (a, d)
        assert found.full_turn == turns and bool(found.dead_points) != turns
        if not turns:
            # coupler and rocker in line, stretched or folded
            limits = [(a**2 + d**2 - r**2) / (2 * a * d) for r in (b + c, b - c)]
            cosines = [np.cos(angle + point.input) for point in found.dead_points]
            assert all(min(abs(x - limit) for limit in limits) < 1e-9 for x in cosines)
        seen.add(tuple(lengths))


def test_change_points_of_a_parallelogram():
    found = loop([[0, 0], [0, 1], [3, 1], [3, 0]]).transmission("A", "D", samples=8)
    points = [point.input for point in found.special if point.kind == "change point"]
    assert points == pytest.approx([np.pi / 2, 3 * np.pi / 2], abs=1e-5)
    assert np.abs(found.ratio) == pytest.approx(np.ones(9), abs=1e-6)


def test_in_space_as_in_the_plane():
    spatial = spatial_four_bar().transmission("A", "D", samples=6)
    planar = loop([[0, 0], [0, 1], [2, 2], [2, 0]]).transmission("A", "D", samples=6)
    for key in ("input", "output", "ratio", "change"):
        assert getattr(spatial, key) == pytest.approx(getattr(planar, key), abs=1e-8)


def test_bricard_turns_from_minus_30_to_210_degrees():
    found = bricard().transmission("A", "C", samples=12)
    assert found.closed and np.degrees(found.range) == pytest.approx([-30, 210], abs=1e-6)
    assert found.output == pytest.approx(found.input, abs=1e-9)


def test_bad_questions():
    with pytest.raises(ModelError, match="one degree of freedom; the mechanism has 2"):
        loop([[0, 0], [1, 1], [2, 0], [3, 1], [4, 0]]).transmission("A", "B")
    with pytest.raises(ModelError, match="did you mean `phi_rod`"):
        slider_crank().transmission("A", "phi_rood")
    with pytest.raises(ModelError, match="`samples` must be a whole number from 2 to 1,000,000, got 0"):
        slider_crank().transmission("A", "D", samples=0)
    timed = slider_crank(coordinates=["s"], kinetic="s'^2/2", constraints={"c": "s = t"})
    with pytest.raises(ModelError, match="`c`: a transmission is that of conditions on positions without time"):
        timed.transmission("A", "D")
