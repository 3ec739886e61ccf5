"""Draw every model of the gallery into docs/gallery: at its initial position, or with the way of a point."""

from __future__ import annotations

from pathlib import Path

from dalembert import example, names
from dalembert.results.drawing.figure import make_figure
from dalembert.results.drawing.painter import Look
from dalembert.results.picture import HEIGHT, WIDTH, save_picture

TRACED = {  # point, end of the motion, and part of it that is over, where the position alone says little
    "ackermann-steering": ("car", 1.2, 0.0),
    "appell-hamel": ("P", 1.0, 0.5),
    "chaplygin-sleigh": ("C", 2.5, 0.7),
    "crane": ("P", None, 0.55),
    "crate": ("ball", None, 0.3),
    "heavy-top": ("C", 0.2, 0.5),
    "knife-edge": ("A", 2.0, 0.5),
    "led-arm": ("lower.tip", 3.0, 0.9),
    "nonholonomic-particle": ("P", 3.0, 0.6),
    "platform-on-incline": ("C", 1.5, 0.6),
    "rod-with-knife-edge": ("M", None, 0.5),
    "upright-disk": ("P", None, 0.5),
    "woodpecker": ("beak", None, 0.15),
}


def draw(name: str, folder: Path) -> None:
    """Draw one model."""
    if name not in TRACED:
        save_picture(example(name), folder / f"{name}.png")
        return
    point, end, part = TRACED[name]
    scene = example(name).simulate(until=end).animate(trace=point).scene
    figure, _ = make_figure(scene, Look(WIDTH, HEIGHT), round(part * (len(scene.times) - 1)))
    figure.savefig(folder / f"{name}.png", dpi=140)


if __name__ == "__main__":
    folder = Path(__file__).parent / "gallery"
    folder.mkdir(exist_ok=True)
    for name in names():
        draw(name, folder)
