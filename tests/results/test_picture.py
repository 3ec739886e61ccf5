"""Every gallery model can be drawn at its initial position."""

from __future__ import annotations

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
