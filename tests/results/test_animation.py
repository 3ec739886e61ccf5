"""run.animate: files of every kind, curves, arrows of forces, and what it refuses."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, System, example, loads
from dalembert.results.animation import Animation, choose_speed
from dalembert.results.drawing.painter import Look, Painter
from tests.conftest import pendulum
from tests.results.drawing.zoo import wheel


@pytest.fixture(scope="module")
def swing() -> Animation:
    system = pendulum(drawing={"points": {"O": [0, 0], "C": ["x", "y"]}, "lines": [["O", "C"]]}, name="Swing")
    return system.simulate(until=0.6).animate(trace="C", reactions=True, speed=1)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.html", b"<!doctype html>"),
        ("a.gif", b"GIF89a"),
        ("a.png", b"\x89PNG"),
        ("a.PNG", b"\x89PNG"),
        ("a.svg", b"<?xml"),
        ("a.pdf", b"%PDF"),
    ],
)
def test_files(swing, tmp_path, name, begins):
    swing.save(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [name]  # nothing is left over


def test_a_gif_moves_as_long_as_the_motion(swing, tmp_path):
    from PIL import Image

    swing.save(tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as film:
        frames = film.n_frames  # pyright: ignore[reportAttributeAccessIssue]
        assert frames == 12 and film.info["loop"] == 0
        assert frames * film.info["duration"] == pytest.approx(600, rel=0.1)
        first = np.asarray(film.convert("RGB"))
        film.seek(frames - 1)
        assert np.any(np.asarray(film.convert("RGB")) != first)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg")
def test_mp4(swing, tmp_path):
    swing.save(tmp_path / "a.mp4")
    assert b"ftyp" in (tmp_path / "a.mp4").read_bytes()[:16]


def test_mp4_without_ffmpeg_says_what_to_do(swing, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ModelError, match=r"needs the program ffmpeg.*save \.html or \.gif"):
        swing.save(tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg")
def test_a_program_that_fails_is_told(swing, tmp_path, monkeypatch):
    monkeypatch.setattr("dalembert.results.drawing.film.MP4_RATE", float("nan"))
    monkeypatch.setattr("dalembert.results.drawing.film.frames", lambda *args: iter([np.zeros((2, 2, 3), np.uint8)]))
    with pytest.raises(ModelError, match="ffmpeg could not make the film: "):
        swing.save(tmp_path / "a.mp4")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.avi", r"written to \.html, \.gif.*got '.*a\.avi'"),
        ("none/a.html", "there is no folder"),
        ("d.png", "is a folder"),
        ("a", "written to"),
    ],
)
def test_bad_paths(swing, tmp_path, name, message):
    (tmp_path / "d.png").mkdir()
    with pytest.raises(ModelError, match=message):
        swing.save(tmp_path / name)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"trace": ("D",)}, "no point `D` to trace"),
        ({"trace": ("crnak",)}, "did you mean `crank`"),
        ({"trace": "rod.e"}, r"did you mean .*`rod\.E`"),
        ({"trace": 3}, "`trace` is the name of a point or several"),
        ({"trace": (1,)}, "`trace` is the name of a point or several"),
        ({"speed": 0}, "`speed` is a positive number"),
        ({"speed": "fast"}, "`speed` must be a number"),
        ({"speed": float("nan")}, "`speed` is a positive number"),
        ({"dark": "yes"}, "`dark` is True, False or None"),
    ],
)
def test_bad_settings(settings, message):
    run = example("slider-crank-joints").simulate(until=0.1)
    with pytest.raises(ModelError, match=message):
        run.animate(**settings)


def test_nothing_to_draw():
    with pytest.raises(ModelError, match="nothing to draw: name some points"):
        System("x", kinetic="x'^2/2").simulate(until=1).animate()


def test_names_of_a_mechanism_can_be_traced_whatever_is_drawn():
    """The gyroscope has a drawing of its own; its joints and bodies are known all the same."""
    scene = example("gyroscope").simulate(until=0.1).animate(trace=("W", "inner", "axle")).scene
    assert [trace.name for trace in scene.traces] == ["W", "inner", "axle"]
    assert scene.traces[0].places == pytest.approx(scene.traces[1].places, abs=1e-12)
    assert [text for _, text, _ in scene.legend] == ["way of W", "way of inner", "way of axle"]


def test_speed_and_frames():
    assert [choose_speed(t) for t in (0.0, 0.2, 2.0, 30.0, 600.0)] == [1.0, 0.02, 1.0, 1.0, 10.0]
    run = example("pendulum").simulate(until=5)
    assert len(run.animate().scene.times) == 301
    assert len(run.animate(speed=0.1).scene.times) == 601  # never more
    assert "speed 2" in repr(run.animate(speed=2))
    still = example("pendulum").simulate(until=0).animate()
    assert len(still.scene.times) == 1 and "<figure" in still.fragment()


def arrows(scene, colour):
    return [mark.points for mark in scene.marks if mark.colour == colour]


def test_arrows_are_the_forces_of_the_joints():
    run = example("four-bar").simulate(until=1)
    scene = run.animate(reactions=True).scene
    found = arrows(scene, "force")
    assert len(found) == len(run.system.joints) == 4  # pyright: ignore[reportAttributeAccessIssue]
    text, length = scene.legend[0][1:]
    unit = length / float(text.split()[0])  # of the arrow of one newton
    other = run.system.simulate(until=1, samples=scene.times)
    for points, name in zip(found, run.system.joints, strict=True):  # pyright: ignore[reportAttributeAccessIssue]
        joint = other.joint(name)
        assert points[:, 0] == pytest.approx(joint.point, abs=1e-6)
        inside = joint.size * unit < 0.3 * scene.size  # longer ones are cut
        assert inside.any()
        assert (points[:, 1] - points[:, 0])[inside] == pytest.approx(joint.force[inside] * unit, abs=1e-4)


def test_moments_are_arcs_in_the_plane_and_arrows_in_space():
    plane = arrows(example("engine").simulate(until=0.05).animate(reactions=True).scene, "moment")
    assert plane and all(points.shape[1:] == (21, 2) for points in plane)
    space = arrows(example("spatial-chain:2").simulate(until=0.5).animate(reactions=True).scene, "moment")
    assert space and all(points.shape[1:] == (2, 3) for points in space)


def test_what_is_not_determined_is_not_drawn_and_this_is_said():
    rods = {
        name: {"kind": "rod", "bodies": ["ground", "load"], "at": [[x, 1], [x, 0]]}
        for name, x in {"A": -1, "B": 1, "C": 2}.items()
    }
    table = Mechanism(bodies={"load": {"mass": 2, "inertia": 1}}, joints=rods)
    animation = table.simulate(until=0.1).animate(reactions=True)
    assert not arrows(animation.scene, "force")
    assert animation.scene.notes == (
        "not drawn, as it is not determined: what joints repeat of each other at `A`, `B` and `C`",
    )
    assert "repeat of each other at <code>A</code>, <code>B</code>" in animation.fragment()


def test_reactions_of_energies_act_at_points_that_are_coordinates():
    """At rest the pendulum hangs in its pivot by its weight."""
    drawing = {"points": {"O": [0, 0], "C": ["x", "y"], "half": ["x/2", "y/2"], "shadow": ["x", 0]}}
    scene = pendulum(drawing=drawing, initial={"phi": 0}).simulate(until=0.2).animate(reactions=True).scene
    (points,) = arrows(scene, "force")
    way = points[:, 1] - points[:, 0]
    assert points[:, 0] == pytest.approx(np.tile([0, -1], (len(points), 1)))
    assert way[:, 0] == pytest.approx(0, abs=1e-9) and np.all(way[:, 1] > 0)
    _, text, length = scene.legend[0]
    assert way[:, 1] == pytest.approx(9.81 * length / float(text.split(",")[0]))


@pytest.mark.parametrize(
    ("changes", "why"),
    [({"drawing": {"points": {"P": ["2*x", "y"]}}}, "no point is given by coordinates"),
     ({"drawing": {"points": {"P": ["x", "y"]}}, "constraints": {}}, "there are no constraints")],
)  # fmt: skip
def test_where_no_reaction_has_a_place_this_is_said(changes, why):
    scene = pendulum(**changes, initial={}).simulate(until=0.1).animate(reactions=True).scene
    assert not arrows(scene, "force") and why in scene.notes[0]


class Record:
    """A surface that remembers what is written on it."""

    def __init__(self):
        self.texts, self.paths = [], []

    def path(self, points, **options):
        self.paths.append((np.asarray(points), options))

    def text(self, x, y, text, *, size=10.0, align="left", halo=None, **options):
        if halo:
            self.texts.append((x, y, text, align))


@pytest.mark.parametrize("name", ["excavator", "andrews-squeezer-joints", "bricard"])
def test_names_do_not_cover_each_other(name):
    scene = example(name).simulate(until=0.02).animate().scene
    painter, surface = Painter(scene, Look(500, 400)), Record()
    for frame in (0, 100, 200):
        surface.texts.clear()
        painter.draw(surface, frame)
        assert len(surface.texts) >= 6
        boxes = painter.labels.boxes
        assert len(boxes) == len(surface.texts)
        for i, a in enumerate(boxes):
            assert a[0] >= 0 and a[1] >= 0 and a[2] <= 500 and a[3] <= 400
            for b in boxes[:i]:
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_everything_is_inside_the_picture():
    scene = wheel().simulate(until=2).animate().scene
    painter, surface = Painter(scene, Look(500, 400)), Record()
    for frame in (0, 150, 300):
        surface.paths.clear()
        painter.draw(surface, frame)
        thick = [points for points, options in surface.paths if options.get("width", 0) > 1.5]
        places = np.concatenate(thick)
        assert places.min() > 0 and places[:, 0].max() < 500 and places[:, 1].max() < 400


def test_the_page_on_animation(tmp_path, monkeypatch, capsys):
    """Its examples print what it says, and write what it says."""
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "animation.md").read_text(encoding="utf-8")
    namespace: dict = {}
    for code, _, expected in re.findall(r"```python\n(.*?)```(\n\n```text\n(.*?)```)?", page, re.DOTALL):
        exec(code, namespace)
        assert capsys.readouterr().out == expected
    assert {path.name for path in tmp_path.iterdir()} == {
        "engine.html",
        "excavator.html",
        "excavator.png",
        "four-bar.png",
    }
    (model,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    scene = loads(model).simulate(until=1).animate(trace="P").scene
    assert {mark.kind for mark in scene.marks} == {"hatch", "symbol", "disk"}
