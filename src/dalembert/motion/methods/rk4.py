"""The classical method of Runge and Kutta, of order 4."""

from dalembert.motion.tableau import Tableau

RK4 = Tableau(
    "rk4",
    4,
    stages=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    weights=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
    times=(0.0, 0.5, 0.5, 1.0),
)
