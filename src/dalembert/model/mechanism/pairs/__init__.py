"""Kinematic pairs: one small file per family. `base.py` says what a pair is and how to add one."""

from dalembert.model.mechanism.pairs import (
    planar_gear,
    planar_prismatic,
    planar_revolute,
    planar_rolling,
    planar_rope,
    planar_slot,
    rod,
    spatial_rolling,
    spatial_sliding,
    spatial_turning,
)
from dalembert.model.mechanism.pairs.base import PAIRS, Coordinate, Pair, pair

__all__ = [
    "PAIRS",
    "Coordinate",
    "Pair",
    "pair",
    "planar_gear",
    "planar_prismatic",
    "planar_revolute",
    "planar_rolling",
    "planar_rope",
    "planar_slot",
    "rod",
    "spatial_rolling",
    "spatial_sliding",
    "spatial_turning",
]
