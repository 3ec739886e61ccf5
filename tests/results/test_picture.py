"""Every gallery model can be drawn at its initial position."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError, System
from dalembert.results.picture import picture, save_picture


def test_gallery_pictures(model, tmp_path):
    path = tmp_path / "picture.png"
    save_picture(model, path)
    assert path.stat().st_size > 5_000
    axes = picture(model).axes[0]
    assert axes.get_title() == model.name
    assert axes.get_xlabel() == "x"


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
    about, level = (np.array(line.get_data_3d()) for line in picture(system).axes[0].lines)
    assert about[0] == pytest.approx(0)
    assert np.hypot(about[1], about[2] - 1) == pytest.approx(2)
    assert level[2] == pytest.approx(1)
    assert np.hypot(level[0], level[1]) == pytest.approx(3)
