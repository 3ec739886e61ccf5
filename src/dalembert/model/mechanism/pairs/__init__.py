"""Kinematic pairs: one small file per family. `base.py` says what a pair is and how to add one."""

from dalembert.model.mechanism.pairs import planar_prismatic, planar_revolute
from dalembert.model.mechanism.pairs.base import PAIRS, Coordinate, Pair, pair

__all__ = ["PAIRS", "Coordinate", "Pair", "pair", "planar_prismatic", "planar_revolute"]
