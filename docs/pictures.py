"""Draw every model of the gallery at its initial position into docs/gallery."""

from __future__ import annotations

from pathlib import Path

from dalembert import example, names
from dalembert.results.picture import save_picture

if __name__ == "__main__":
    folder = Path(__file__).parent / "gallery"
    folder.mkdir(exist_ok=True)
    for name in names():
        save_picture(example(name), folder / f"{name}.png")
