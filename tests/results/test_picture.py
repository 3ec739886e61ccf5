"""Still pictures: every gallery model at its initial position, and what a drawing may say."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError, System, example, loads
from dalembert.model.writing import to_toml
from dalembert.results.drawing.staging import still
from dalembert.results.picture import picture, save_picture


def test_gallery_pictures(model, tmp_path):
    path = tmp_path / "picture.png"
    save_picture(model, path)
    assert path.stat().st_size > 5_000


def test_a_picture_is_a_figure_of_matplotlib(tmp_path):
    system = System(coordinates="x", kinetic="x'^2", drawing={"points": {"P": ["x", 0]}}, name="Particle")
    figure = picture(system, dark=True)
    figure.savefig(tmp_path / "p.svg")
    assert "<svg" in (tmp_path / "p.svg").read_text(encoding="utf-8")


def test_nothing_to_draw():
    with pytest.raises(ModelError, match="nothing to draw: name some points"):
        picture(System(coordinates="x", kinetic="x'^2"))


def test_point_without_a_place():
    system = System(coordinates="x", kinetic="x'^2", drawing={"points": {"P": ["log(x - 1)", 0]}})
    with pytest.raises(ModelError, match="a point of the drawing has no finite place"):
        picture(system)


def test_circles_in_space():
    """About the axis to the point that is named; about the vertical, at the height of its centre, without one."""
    points = {"C": [0, 0, "x"], "A": [1, 0, "x"]}
    drawing = {"points": points, "circles": [["C", 2, "A"], ["C", 3]]}
    system = System(coordinates="x", kinetic="x'^2", drawing=drawing, initial={"x": 1})
    scene = still(system, system.start())
    about, level = (mark.points[0] for mark in scene.marks if mark.kind == "disk")
    for rim, axis, radius in ((about, 0, 2), (level, 2, 3)):
        u, v = rim[1:] - rim[0]
        assert np.linalg.norm([u, v], axis=1) == pytest.approx(radius)
        assert [u @ v, u[axis], v[axis]] == pytest.approx([0, 0, 0])
    assert scene.box[:, 2] == pytest.approx([-1, 3])


def test_points_with_an_underscore_are_neither_named_nor_marked():
    text = """format = 1
coordinates = ["x"]
[energy]
kinetic = "x'^2"
[draw]
lines = [["_A", "_B"], ["P", "Q"]]
springs = [["_B", "P"]]
dampers = [["_A", "P"]]
circles = [["P", 0.2, "Q"]]
[draw.points]
_A = [0, 0]
_B = [1, 0]
P = ["x", 0]
Q = ["x", 1]
"""
    system = loads(text)
    assert loads(to_toml(system)) == system
    scene = still(system, system.start())
    assert list(scene.names) == ["P", "Q"]
    kinds = [(mark.kind, mark.options.get("name")) for mark in scene.marks]
    assert kinds.count(("symbol", "pin")) == 1 and ("symbol", "tip") in kinds
    assert ("symbol", "spring") in kinds and ("symbol", "damper") in kinds and ("hatch", None) in kinds


def test_a_reduced_mechanism_is_drawn_as_before():
    """Its parts hang on the coordinates that are left; every mark is where it was."""
    whole = example("slider-crank-joints")
    reduced = whole.reduced()
    assert len(reduced.coordinates) < len(whole.coordinates)
    before, after = (still(system, system.start()) for system in (whole, reduced))
    assert [mark.kind for mark in before.marks] == [mark.kind for mark in after.marks]
    for one, other in zip(before.marks, after.marks, strict=True):
        assert one.points == pytest.approx(other.points, abs=1e-6)
