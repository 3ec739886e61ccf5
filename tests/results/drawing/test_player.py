"""The player in a real browser: it opens without errors and requests, moves when it plays and when the time is dragged."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest

from dalembert import example
from dalembert.results.drawing.player import as_json
from dalembert.results.drawing.staging import still
from dalembert.results.drawing.strokes import SYMBOLS
from dalembert.survey.start import State
from tests.browser import Opened, opened
from tests.conftest import GALLERY
from tests.results.drawing.zoo import ZOO

PICTURE = "() => document.querySelector('canvas').toDataURL()"
PLAYER = "document.querySelector('figure').player"


def written(folder: Path, name: str, **settings) -> Path:
    system = ZOO[name]() if name in ZOO else example(name)
    run = system.simulate(until=min(1.0, system.simulation.get("until", 1.0)))
    run.animate(speed=1, **settings).save(folder / "a.html")
    return folder / "a.html"


def check_motion(seen: Opened, k: int = 0) -> None:
    """Play, pause, drag the time line: the canvas changes each time, and nothing is complained about."""
    page, figure = seen.page, seen.page.locator("figure").nth(k)
    player, canvas = (
        f"document.querySelectorAll('figure')[{k}].player",
        f"document.querySelectorAll('canvas')[{k}].toDataURL()",
    )
    page.evaluate(f"{player}.toggle(false)")
    before, play = page.evaluate(canvas), figure.locator("button[data-do=play]")
    play.click()
    page.wait_for_function(f"p => {player}.playing && {canvas} !== p", arg=before)
    play.click()
    assert page.evaluate(f"{player}.playing") is False
    line = figure.locator("input[type=range]").bounding_box()
    page.mouse.move(line["x"] + 0.2 * line["width"], line["y"] + line["height"] / 2)
    page.mouse.down()
    early = page.evaluate(canvas)
    page.mouse.move(line["x"] + 0.7 * line["width"], line["y"] + line["height"] / 2, steps=4)
    page.mouse.up()
    assert page.evaluate(canvas) != early
    assert page.evaluate(f"{player}.position / ({player}.data.frames - 1)") == pytest.approx(0.7, abs=0.03)
    assert seen.errors == [] and seen.requests == []


@pytest.mark.full
@pytest.mark.parametrize("name", [*GALLERY, *ZOO])
def test_all_players_move(name, tmp_path):
    with opened(written(tmp_path, name, reactions=True)) as seen:
        check_motion(seen)


def test_several_players_in_one_page(tmp_path):
    """A mechanism in the plane, one in space whose forces are not determined, and a system by energies, twice."""
    models = [example(name) for name in ("excavator", "four-bar-spatial", "chaplygin-sleigh")]
    parts = [model.simulate(until=1).animate(reactions=True, trace=tuple(model.drawing.points)[:2]) for model in models]  # pyright: ignore
    path = tmp_path / "page.html"
    text = "".join([*(part.fragment() for part in parts), parts[-1]._repr_html_()])
    path.write_text(f"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><body>{text}", encoding="utf-8")
    with opened(path, height=3000) as seen:
        page = seen.page
        assert page.locator("canvas").count() == page.locator(".dalembert-bar").count() == 4
        assert page.evaluate("[...document.querySelectorAll('figure')].map(f => f.player.playing)") == [False] * 4
        for k in range(4):
            check_motion(seen, k)
            position = page.evaluate(f"document.querySelectorAll('figure')[{(k + 1) % 4}].player.position")
            assert (position == 0) == (k < 3)  # each has its own time
        assert "not drawn, as it is not determined" in page.locator("figcaption").nth(1).inner_text()
        check_turning(page)


def check_turning(page) -> None:
    """Dragging turns space; a double click turns it back."""
    player = "document.querySelectorAll('figure')[1].player"
    canvas = page.locator("canvas").nth(1)
    box, scale = canvas.bounding_box(), page.evaluate(f"{player}.camera.scale")
    before = page.evaluate("document.querySelectorAll('canvas')[1].toDataURL()")
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 230, steps=4)
    page.mouse.up()
    assert page.evaluate("document.querySelectorAll('canvas')[1].toDataURL()") != before
    view = f"[{player}.camera.azimuth, {player}.camera.elevation, {player}.camera.scale]"
    assert page.evaluate(view) == pytest.approx([-0.95 - 1.0, 0.42 + 0.3, scale])
    canvas.dblclick()
    assert page.evaluate(view) == pytest.approx([-0.95, 0.42, scale])


def test_keys_speed_and_views_in_the_plane(tmp_path):
    with opened(written(tmp_path, "four-bar", trace=("C", "coupler"))) as seen:
        page = seen.page
        page.wait_for_function(f"{PLAYER}.position > 0")  # a page of its own plays at once
        page.focus("canvas")
        page.keyboard.press("Space")
        assert page.evaluate(f"{PLAYER}.playing") is False
        page.keyboard.press("Home")
        for key, position in (("ArrowRight", 1), ("Shift+ArrowRight", 11), ("ArrowLeft", 10), ("End", 300)):
            page.keyboard.press(key)
            assert page.evaluate(f"{PLAYER}.position") == position
        assert page.locator("output").inner_text() == "t = 1.000"
        page.select_option("select", "2")
        assert page.evaluate(f"{PLAYER}.speed") == 2
        page.keyboard.press("Home")
        page.click("button[data-do=loop]")
        page.click("button[data-do=play]")
        page.wait_for_function(f"!{PLAYER}.playing && {PLAYER}.position === 300")  # it stops at the end
        box = page.locator("canvas").bounding_box()
        page.mouse.move(box["x"] + 200, box["y"] + 150)
        page.mouse.down()
        page.mouse.move(box["x"] + 260, box["y"] + 190, steps=3)
        page.mouse.up()
        assert page.evaluate(f"{PLAYER}.camera.pan") == [60, 40]
        page.mouse.wheel(0, -300)
        page.wait_for_function(f"{PLAYER}.camera.zoom > 1")
        page.click("button[data-do=view]")
        assert page.evaluate(f"[{PLAYER}.camera.zoom, ...{PLAYER}.camera.pan]") == [1, 0, 0]
        first = page.evaluate(PICTURE)
        page.click("button[data-do=names]")
        assert page.evaluate(PICTURE) != first
        page.click("button[data-do=follow]")
        assert page.evaluate(f"{PLAYER}.following") is True
        assert seen.errors == [] and seen.requests == []


def test_the_page_follows_the_reader(tmp_path):
    """Dark or light as the reader likes it; sharp where pixels are small; still if asked for; printed on white."""
    with opened(
        written(tmp_path, "pendulum"), color_scheme="dark", device_scale_factor=3, reduced_motion="reduce"
    ) as seen:
        page = seen.page
        assert page.get_attribute("figure", "data-theme") == "dark"
        wide, css = page.evaluate(
            "[document.querySelector('canvas').width, document.querySelector('canvas').clientWidth]"
        )
        assert wide == pytest.approx(3 * css, abs=3)
        assert page.evaluate(f"{PLAYER}.playing") is False
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(f"{PLAYER}.position") == 150  # of 300: the middle
        assert page.get_attribute("figure", "data-theme") == "light"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(f"{PLAYER}.position") == 0
        assert len(page.pdf()) > 10_000
        page.emulate_media(color_scheme="light")
        page.wait_for_selector("figure[data-theme=light]")
        page.evaluate(f"{PLAYER}.data.dark = true; {PLAYER}.show()")  # as animate(dark=True) stores it
        assert page.get_attribute("figure", "data-theme") == "dark"
        assert seen.errors == [] and seen.requests == []


def test_numbers_arrive_as_they_were(tmp_path):
    """What the browser decodes is the scene, to a millionth of its size; between frames it is smooth."""
    run = example("bricard").simulate(until=1)
    animation = run.animate(trace=("P4",))
    animation.save(tmp_path / "a.html")
    scene = animation.scene
    k = next(i for i, mark in enumerate(scene.marks) if mark.kind == "bar")
    with opened(tmp_path / "a.html") as seen:
        at = f"p => {{ const s = {PLAYER}; s.go(p); return s.data.marks[{k}].points.map(j => s.track.place(j)); }}"
        found, between = (np.array(seen.page.evaluate(at, position)) for position in (120, 120.5))
    assert found == pytest.approx(scene.marks[k].points[120], abs=1e-6 * scene.size)
    t = float(scene.times[120] + scene.times[121]) / 2
    exact = still(run.system, State(t, *run.at(t), run.system.coordinates))
    assert between == pytest.approx(exact.marks[k].points[0], abs=1e-5 * scene.size)


def test_data_is_compact_and_safe():
    system = example("pendulum").replace(name="</script><b>&")
    animation = system.simulate(until=10).animate()
    text = animation.fragment()
    data = as_json(animation.scene, None, 1.0)
    assert len(base64.b64decode(data["motion"])) == 3 * data["frames"] * data["moving"] * 2
    assert data["moving"] == 2 and len(data["fixed"]) == 1  # every point is stored once, and the centre of what moves
    assert "</script><b>" not in text and text.count("</script>") == 2
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", text)
    (stored,) = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    assert json.loads(stored)["symbols"].keys() == SYMBOLS.keys()
