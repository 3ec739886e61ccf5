"""Euler's method, as the papers use it."""

from dalembert.motion.tableau import Tableau

EULER = Tableau("euler", 1, stages=((),), weights=(1.0,), times=(0.0,))
