"""Dots of derivatives in a report, by their pixels: above every letter there is white between it and its dots."""

from __future__ import annotations

import io
from importlib import resources

import numpy as np
import pytest

from dalembert.document.symbols import symbol
from tests.browser import opened

NAMES = ["x'", "th1'", "theta1''", "f''", "l'", "b2''", "speed'", "xAB''", "Theta'", "psi''", "phi_crank'"]


@pytest.mark.parametrize("scale", [1, 3])  # as on a desk and on a telephone
@pytest.mark.parametrize("font", ["math", "serif", "sans-serif"])
def test_dots_stand_clear_of_their_letters(tmp_path, font, scale):
    from PIL import Image

    style = (resources.files("dalembert.results.report") / "style.css").read_text(encoding="utf-8")
    rows = "".join(f"<p>{symbol(name).html}</p>" for name in NAMES)
    path = tmp_path / "dots.html"
    text = f"<style>{style} math {{ font-family: {font}; }} p {{ margin: 1em; }}</style>{rows}"
    path.write_text(f"<!doctype html><meta charset=utf-8>{text}", encoding="utf-8")
    with opened(path, device_scale_factor=scale) as seen:
        for k, name in enumerate(NAMES):
            picture = seen.page.locator("mover").nth(k).screenshot()
            grey = np.asarray(Image.open(io.BytesIO(picture)).convert("L"))
            ink = np.flatnonzero((grey < 110).any(axis=1))
            gaps = np.flatnonzero(np.diff(ink) > 1)
            assert len(gaps) >= 1, f"{name}: no white between the dots and the letter"
            dots = ink[: gaps[0] + 1]
            assert dots[-1] < ink[-1] / 2, f"{name}: the dots are not above the letter"
