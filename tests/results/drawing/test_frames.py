"""What the player shows in a browser, by its pixels: bodies, inside the frame, in its middle, at every time and width."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalembert import example
from dalembert.results.drawing.painter import Look, Painter
from tests.browser import opened
from tests.conftest import GALLERY
from tests.results.drawing.own import OWN
from tests.results.drawing.zoo import ZOO

WIDTHS = (1200, 390)  # of a desk and of a telephone
SAMPLE = ["chaplygin-sleigh", "knife-edge", "platform-on-incline", "rolling-coin", "slider-crank-joints", *OWN]
TRAVELLING = ["chaplygin-sleigh", "knife-edge", "platform-on-incline", "car", "falling"]

# Draws frames with bodies only, and returns of each how many pixels they take and the box about them.
SEEN = """positions => {
  const player = document.querySelector("figure").player, canvas = player.canvas, colours = player.data.palette.light;
  player.toggle(false);
  player.painter.names = false;
  const hidden = player.following ? ["grid", "faint", "ground"] : ["grid", "faint"];
  for (const role of hidden) colours[role] = colours.paper;
  const {width, height} = canvas, context = canvas.getContext("2d"), paper = parseInt(colours.paper.slice(1), 16);
  const boxes = positions.map(part => {
    player.go(part * (player.data.frames - 1));
    const pixels = context.getImageData(0, 0, width, height).data;
    let count = 0, left = width, right = -1, top = height, bottom = -1;
    for (let y = 0, k = 0; y < height; y++) for (let x = 0; x < width; x++, k += 4)
      if (((pixels[k] << 16) | (pixels[k + 1] << 8) | pixels[k + 2]) !== paper) {
        count++;
        left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = y;
      }
    return [count, left, width - 1 - right, top, height - 1 - bottom];
  });
  return {boxes, size: [width, height], clock: document.querySelector("output").innerText};
}"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Any]:
    """One page for all players; `show` opens a file in it at a width."""
    folder = tmp_path_factory.mktemp("players")
    (folder / "empty.html").write_text("<!doctype html>", encoding="utf-8")
    with ExitStack() as stack:
        yield stack.enter_context(opened(folder / "empty.html")), folder


def make(name: str):
    return (OWN | ZOO)[name]() if name in OWN or name in ZOO else example(name)


def check(browser, name: str, **settings) -> None:
    seen, folder = browser
    animation = make(name).simulate().animate(**settings)
    path = Path(folder) / "player.html"
    animation.save(path)
    times = [0.0, 0.5, 1.0, *(np.arange(40) * 0.6180339887 % 1)]  # start, middle, end; others in no step with a motion
    for width in WIDTHS:
        seen.page.set_viewport_size({"width": width, "height": 900})
        seen.page.goto(path.as_uri())
        found = seen.page.evaluate(SEEN, times)
        boxes, size = np.array(found["boxes"]), np.array(found["size"])
        count, margins = boxes[:, 0], boxes[:, 1:]
        assert count[:3].min() >= 20, f"{width}: nothing is drawn: {count[:3]}"
        assert margins.min() >= 4, f"{width}: something is cut off: {margins.min(axis=0)}"
        left, right, top, bottom = margins.min(axis=0)
        assert abs(left - right) < 0.1 * size[0] and abs(top - bottom) < 0.12 * size[1], f"{width}: off centre"
        if animation.scene.moving and animation.scene.size > 0:  # it fills the frame one way, but for the margins
            assert min(left + right - 100, top + bottom - 90) < 0.12 * size.max(), f"{width}: too small"
    assert seen.errors == [] and seen.requests == []


@pytest.mark.parametrize("name", SAMPLE)
def test_bodies_are_in_the_frame(browser, name):
    check(browser, name)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in (*GALLERY, *ZOO) if name not in SAMPLE])
def test_bodies_of_all_models_are_in_the_frame(browser, name):
    check(browser, name)


@pytest.mark.parametrize("name", ["chaplygin-sleigh", "car"])
def test_the_whole_way_is_one_click_away(browser, name):
    """With `follow` switched off, and on again: bodies are inside the frame each time."""
    seen, folder = browser
    path = Path(folder) / "player.html"
    make(name).simulate().animate().save(path)
    seen.page.goto(path.as_uri())
    for following in (True, False, True):
        assert seen.page.evaluate("document.querySelector('figure').player.following") is following
        boxes = np.array(seen.page.evaluate(SEEN, [0.0, 0.5, 1.0])["boxes"])
        assert boxes[:, 0].min() >= 20 and boxes[:, 1:].min() >= 4
        seen.page.click("button[data-do=follow]")
    assert seen.page.evaluate("document.querySelector('figure').player.following") is False
    seen.page.click("button[data-do=view]")  # the first view goes along
    assert seen.page.evaluate("document.querySelector('figure').player.following") is True


class Surface:
    """Remembers where bodies are drawn."""

    def __init__(self, quiet: set[str]):
        self.quiet, self.places = quiet, []

    def path(self, points, *, stroke, fill=None, closed=False, **options):
        if stroke not in self.quiet and not (closed and stroke is None and fill is not None and len(points) == 4):
            self.places.append(np.asarray(points))

    def text(self, *args, **options):
        pass


@pytest.mark.parametrize("name", TRAVELLING)
def test_pictures_and_films_go_along_too(name):
    scene = make(name).simulate().animate().scene
    assert scene.follows
    painter = Painter(scene, Look(640, 400))
    quiet = {painter.colours[role] for role in ("grid", "faint", "ground")}
    for frame in (0, len(scene.times) // 2, len(scene.times) - 1):
        surface = Surface(quiet)
        painter.draw(surface, frame)
        places = np.concatenate(surface.places)
        assert places.min() > 4 and places[:, 0].max() < 636 and places[:, 1].max() < 396
        assert np.ptp(places, axis=0).max() > 100  # large enough to be seen


def test_a_curve_shows_the_whole_way():
    """Who asks for the curve of a point wants to see it."""
    scene = make("chaplygin-sleigh").simulate().animate(trace="C").scene
    assert scene.travel > 9 and not scene.follows
