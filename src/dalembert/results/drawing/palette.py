"""Colours by what they stand for, on light and on dark backgrounds; those of bodies after Okabe and Ito (2008).

They can be told apart by people with any of the common forms of colour blindness.
"""

from __future__ import annotations

BODIES = 6  # colours of bodies, which then repeat

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "text": "#1f2328",
    "faint": "#6b7280",
    "grid": "#e3e6ea",
    "ground": "#5b6470",
    "body0": "#0072b2",
    "body1": "#d55e00",
    "body2": "#009e73",
    "body3": "#aa4499",
    "body4": "#3ba3dc",
    "body5": "#c98a00",
    "spring": "#8a5a00",
    "damper": "#5b6470",
    "actuator": "#7a3db8",
    "rope": "#6b4f2a",
    "rod": "#4b5563",
    "drive": "#b3005e",
    "force": "#c1121f",
    "moment": "#6a3d9a",
}
DARK = {
    "paper": "#14171c",
    "ink": "#e6e8eb",
    "text": "#e6e8eb",
    "faint": "#98a1ad",
    "grid": "#2a3038",
    "ground": "#a3adba",
    "body0": "#4fa8e8",
    "body1": "#ff8a4c",
    "body2": "#35c99a",
    "body3": "#e08acb",
    "body4": "#8fd3ff",
    "body5": "#f0c040",
    "spring": "#e0b050",
    "damper": "#a3adba",
    "actuator": "#c39bff",
    "rope": "#d8b98a",
    "rod": "#c3cad3",
    "drive": "#ff7ab8",
    "force": "#ff6b6b",
    "moment": "#b9a3ff",
}
