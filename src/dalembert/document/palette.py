"""The colours, by what they stand for, on light and on dark ground, and in a terminal; one palette for all pictures.

Curves and bodies have those of Okabe and Ito (2008), which can be told apart with any eyes.
"""

from __future__ import annotations

from collections.abc import Mapping

SERIES = 8  # curves with colours of their own
BODIES = 6  # bodies with colours of their own: the first of these
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2))  # four curves are drawn, the next four dashed

LIGHT = {
    "paper": "#ffffff", "ink": "#1f2328", "faint": "#5f6670", "grid": "#e3e6ea", "soft": "#f5f7f9",
    "accent": "#0b5c8f", "good": "#00704f", "caution": "#8a5a00", "bad": "#b3261e", "series0": "#0072b2",
    "series1": "#d55e00", "series2": "#009e73", "series3": "#cc79a7", "series4": "#56b4e9",
    "series5": "#a6761d", "series6": "#1f2328", "series7": "#6a51a3", "ground": "#5b6470", "spring": "#8a5a00",
    "damper": "#5b6470", "actuator": "#7a3db8", "rope": "#6b4f2a", "rod": "#4b5563", "drive": "#b3005e",
    "force": "#c1121f", "moment": "#6a3d9a",
}  # fmt: skip
DARK = {
    "paper": "#14171c", "ink": "#e8eaed", "faint": "#a0a7b0", "grid": "#2d333a", "soft": "#1c2025",
    "accent": "#6fbdf0", "good": "#3ecf9d", "caution": "#e0b050", "bad": "#ff8a80", "series0": "#56b4e9",
    "series1": "#f5793a", "series2": "#1fc79b", "series3": "#e29ac6", "series4": "#7f8fff",
    "series5": "#f0e442", "series6": "#ffffff", "series7": "#c3a5ff", "ground": "#a3adba", "spring": "#e0b050",
    "damper": "#a3adba", "actuator": "#c39bff", "rope": "#d8b98a", "rod": "#c3cad3", "drive": "#ff7ab8",
    "force": "#ff6b6b", "moment": "#b9a3ff",
}  # fmt: skip
ANY = {  # seen on white and on black, where the ground is not known
    "good": "#2f9e61", "caution": "#c2860b", "bad": "#d6455d", "series0": "#3b8ecf", "series1": "#d9822b",
    "faint": "#8a8a8a",
}  # fmt: skip
TERMINAL = {  # numbers of the terminal's own colours and weights
    "strong": "1", "name": "36", "good": "32", "caution": "33", "bad": "1;31", "faint": "2",
}  # fmt: skip


def styled(text: str, tone: str) -> str:
    """Return text in the colour of a terminal."""
    return f"\x1b[{TERMINAL[tone]}m{text}\x1b[0m" if text and tone else text


def series(palette: Mapping[str, str]) -> list[str]:
    """Return the colours of curves in their order."""
    return [palette[f"series{k}"] for k in range(SERIES)]
