"""What a scene holds is the motion of the mechanism: rigid bodies, closed joints, ropes of one length, teeth in mesh."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, ModelError, System, example
from dalembert.results.drawing.painter import toothed
from dalembert.results.drawing.staging import still
from dalembert.results.drawing.wheels import rope_path
from tests.conftest import GALLERY
from tests.results.drawing.zoo import ZOO, gears, planetary, pulleys, quick_return, rack, wheel

MECHANISMS = [name for name in GALLERY if example(name).drawing.shapes]  # pyright: ignore[reportOptionalMemberAccess]


def scene(system, until=1.0, **settings):
    return system.simulate(until=until).animate(**settings).scene


def marks(found, kind, **options):
    return [m for m in found.marks if m.kind == kind and all(m.options.get(k) == v for k, v in options.items())]


@pytest.mark.parametrize("name", [*MECHANISMS, *ZOO])
def test_bodies_stay_rigid(name):
    """All distances between the corners of a link or plate, and from the centre of a disk to its rim, stay."""
    system = ZOO[name]() if name in ZOO else example(name)
    found = scene(system, min(1.0, system.simulation.get("until", 1.0)))
    solid = [mark for mark in found.marks if mark.kind in ("bar", "plate", "disk", "cylinder", "sphere")]
    assert solid
    for mark in solid:
        apart = np.linalg.norm(mark.points[:, :, None] - mark.points[:, None], axis=-1)
        assert np.ptp(apart, axis=0).max() < 1e-6 * found.size


@pytest.mark.parametrize("name", [*GALLERY, *ZOO])
def test_every_system_gives_a_scene(name):
    system = ZOO[name]() if name in ZOO else example(name)
    found = still(system, system.start())
    assert found.marks and found.dimensions in (2, 3) and found.size > 0 and found.span > 0
    assert all(np.all(np.isfinite(mark.points)) for mark in found.marks)


def test_points_are_where_the_formulas_say():
    """The crank pin and the slider of a slider-crank, in closed form from the angle of the crank."""
    run = example("engine").simulate(until=0.1)
    found = run.animate(trace=("B", "piston")).scene
    a, l = 0.05, 0.2
    q = run.at(found.times)[0][:, run.system.coordinates.index("phi_crank")]
    pin, piston = (trace.places for trace in found.traces)
    assert pin == pytest.approx(np.stack([a * np.cos(q), a * np.sin(q)], axis=1), abs=1e-9)
    along = a * np.cos(q) + np.sqrt(l**2 - (a * np.sin(q)) ** 2)
    assert piston == pytest.approx(np.stack([along, 0 * q], axis=1), abs=1e-9)
    (block,) = marks(found, "symbol", name="block")
    assert block.points[:, 0] == pytest.approx(piston, abs=1e-9)


def test_a_guide_holds_its_block_all_the_way():
    found = scene(example("engine"), 0.1)
    (block,), (guide,) = marks(found, "symbol", name="block"), marks(found, "hatch")
    assert np.ptp(guide.points, axis=0).max() < 1e-12  # the ground stays
    low, high = sorted(guide.points[0, :, 0])
    assert low < block.points[..., 0, 0].min() and block.points[..., 0, 0].max() < high


def test_energies_are_drawn_by_named_points():
    run = example("pendulum").simulate(until=1)
    found = run.animate().scene
    q = run.at(found.times)[0]
    assert found.names["C"] == pytest.approx(q[:, :2], abs=1e-12)
    assert [mark.options["name"] for mark in marks(found, "symbol")].count("support") == 1


def test_a_disk_rolls_without_slip():
    """The way along the line is the radius times the angle of the spoke."""
    found = scene(wheel())
    (disk,) = marks(found, "disk")
    centre, arm = disk.points[:, 0], disk.points[:, 1] - disk.points[:, 0]
    axis = np.array([1, -0.3]) / np.hypot(1, 0.3)
    angle = np.unwrap(np.arctan2(arm[:, 1], arm[:, 0]))
    assert (centre - centre[0]) @ axis == pytest.approx(-0.5 * (angle - angle[0]), abs=1e-8)


def test_a_rope_keeps_its_length_and_touches_its_pulleys():
    found = scene(pulleys())
    (rope,) = (mark for mark in found.marks if mark.colour == "rope")
    lengths = np.linalg.norm(np.diff(rope.points, axis=1), axis=-1).sum(axis=1)
    assert np.ptp(lengths) < 1e-3  # arcs are drawn by chords
    pulley = marks(found, "disk")[1]
    away = np.linalg.norm(rope.points - pulley.points[:, :1], axis=-1)
    assert away.min(axis=1) == pytest.approx(0.15, abs=1e-9)


def test_a_rope_round_one_pulley():
    """Down, half round, and up again: the known length and the lowest point."""
    ends = [np.array([[-1.0, 2.0]]), np.array([[0.0, 0.0]]), np.array([[1.0, 2.0]])]
    path = rope_path(ends, [0.0, 1.0, 0.0], 400)[0]
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() == pytest.approx(4 + np.pi, rel=1e-5)
    assert path[:, 1].min() == pytest.approx(-1)


@pytest.mark.parametrize("make", [gears, planetary])
def test_teeth_are_in_mesh(make):
    """At every frame a tooth of one wheel stands in a gap of the other, on the line of their centres."""
    found = scene(make())
    wheels = marks(found, "disk")
    for one, other in ((0, 1), (1, 2))[: len(wheels) - 1]:
        pair = wheels[one], wheels[other]
        radii = [np.linalg.norm(mark.points[0, 1] - mark.points[0, 0]) for mark in pair]
        internal = any("ring" in mark.options for mark in pair)
        phases = []
        for mark in pair:
            arm = mark.points[:, 1] - mark.points[:, 0]
            line = pair[1].points[:, 0] - pair[0].points[:, 0]
            if (mark is pair[1] and not internal) or (internal and radii[0] < radii[1]):
                line = -line
            turned = np.arctan2(arm[:, 0] * line[:, 1] - arm[:, 1] * line[:, 0], np.sum(arm * line, axis=1))
            phases.append(mark.options.get("phase", 0) - turned * mark.options["teeth"] / (2 * np.pi))
        meeting = phases[0] - phases[1] if internal else phases[0] + phases[1] + 0.5
        assert np.abs(meeting - np.round(meeting)).max() < 1e-6


@pytest.mark.parametrize("side", [1, -1])
def test_the_rack_is_in_mesh(side):
    found = scene(rack(side))
    (wheel_,), (line,) = marks(found, "disk"), (mark for mark in marks(found, "hatch") if "teeth" in mark.options)
    teeth = wheel_.options["teeth"]
    pitch = 2 * np.pi * 0.4 / teeth
    start, end = line.points[:, 0], line.points[:, 1]
    along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
    assert np.linalg.norm(end - start, axis=1) == pytest.approx(line.options["teeth"] * pitch)
    assert side * along[0, 0] == 1  # the wheel is on its left
    centre, arm = wheel_.points[:, 0], wheel_.points[:, 1] - wheel_.points[:, 0]
    down = np.array([0, -side])
    turned = np.arctan2(arm[:, 0] * down[1] - arm[:, 1] * down[0], arm @ down)
    ahead = (wheel_.options.get("phase", 0) - turned * teeth / (2 * np.pi)) * side  # of a tooth, along x, in pitches
    way = (centre[:, 0] - start[:, 0]) / pitch + ahead - 0.5  # from the middle of the first gap of the rack
    assert np.abs(way - np.round(way)).max() < 1e-6


def test_the_outline_of_a_gear():
    points = np.array([[0.0, 0], [1, 0], [0, 1]])
    path = toothed(points, 12, 0.0)
    radii = np.linalg.norm(path, axis=1)
    assert len(path) == 48 and radii.min() < 1 < radii.max()
    assert np.abs(np.arctan2(path[:4, 1], path[:4, 0])).max() < np.pi / 12  # the first tooth is about the x axis


def test_every_kind_of_part_has_its_symbol():
    found = scene(quick_return())
    names = {mark.options.get("name") for mark in found.marks}
    assert {"block", "slot", "weld", "damper", "actuator", "drive angle", "support", "pin"} <= names


def test_up_is_against_gravity():
    bricard, top = example("bricard"), example("heavy-top-joints")
    assert still(bricard, bricard.start()).up.tolist() == [0, 1, 0]
    assert still(top, top.start()).up.tolist() == [0, 0, 1]


def test_a_plane_of_the_ground_is_the_floor():
    coin = example("rolling-coin")
    found = still(coin, coin.start())
    assert found.floor == 0.0
    (disk,) = marks(found, "disk")
    assert disk.options["spokes"] == 4


def test_a_place_that_is_lost_on_the_way():
    drawing = {"points": {"P": ["sqrt(1 - x)", 0]}}
    system = System("x", kinetic="x'^2/2", drawing=drawing, initial={"x": 0, "x'": 1})
    with pytest.raises(ModelError, match=r"no finite place: .*sqrt"):
        system.simulate(until=2).animate()


def test_parameters_that_change_at_an_event_are_drawn():
    drawing = {"points": {"P": ["x*k", 0]}}
    system = System("x", kinetic="x'^2/2", drawing=drawing, parameters={"k": 1.0}, initial={"x": 0, "x'": 1})
    run = system.simulate(until=2, events=[Event("x = 1", action={"k": 3.0})])
    places = run.animate().scene.names["P"][:, 0]
    assert places[0] == 0 and places[-1] == pytest.approx(6.0)
