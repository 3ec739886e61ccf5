"""Colours of curves that can be told apart with any eyes (Okabe and Ito), on light and on dark ground."""

from __future__ import annotations

from dataclasses import dataclass

DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2))  # four curves are drawn, the next four dashed


@dataclass(frozen=True)
class Palette:
    """The ground, what is written on it, what is said aside, lines of a grid, and the curves in their order."""

    ground: str
    ink: str
    faint: str
    line: str
    curves: tuple[str, ...]


LIGHT = Palette(
    "#ffffff", "#1a1c20", "#5f6670", "#e3e6ea",
    ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#a6761d", "#1a1c20", "#6a51a3"),
)  # fmt: skip
DARK = Palette(
    "#14171c", "#e8eaed", "#a0a7b0", "#2d333a",
    ("#56b4e9", "#f5793a", "#1fc79b", "#e29ac6", "#7f8fff", "#f0e442", "#ffffff", "#c3a5ff"),
)  # fmt: skip
