"""Where the names of points stand: beside them, not on each other, and where little is drawn."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from dalembert.arrays import Array

SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
REACHES = (1.0, 4.5)  # beside a pin, and beside a block
LETTER, HEIGHT = 5.9, 12.0  # of the text, in pixels
STEP = 4.0  # between points that names keep away from
FAR = 2.5  # how much better a place farther away must be
STAY = 1.5  # how much better another side must be before a name changes over


class Labels:
    """Places names one after the other; a name stays on its side from frame to frame while there is room."""

    def __init__(self, names: list[str]):
        self.side = dict.fromkeys(names, 0)

    def begin(self, width: float, height: float) -> None:
        """Begin a frame."""
        self.room = np.array([width, height])
        self.boxes: list[tuple[float, float, float, float]] = []
        self.drawn: list[Array] = []

    def avoid(self, path: Array, closed: bool) -> None:
        """Note a line that is drawn."""
        if not self.side:
            return
        path = np.vstack([path, path[:1]]) if closed else path
        for a, b in pairwise(path):
            count = min(200, int(np.hypot(*(b - a)) / STEP) + 1)
            self.drawn.append(a + np.linspace(0, 1, count, endpoint=False)[:, None] * (b - a))

    def place(self, name: str, point: Array, k: float) -> tuple[float, float, str] | None:
        """Return where a name is written and to which side of there it extends; None where there is no room."""
        width = LETTER * len(name) + 2
        if len(self.drawn) != 1:
            self.drawn = [np.concatenate(self.drawn)] if self.drawn else [np.zeros((0, 2))]
        best, cost = None, np.inf
        for k_side, ((right, up), reach) in enumerate(product(SIDES, REACHES)):
            away = 5 + 4 * k * reach
            x = point[0] + away * right * (1 if up == 0 else 0.75)
            y = point[1] + (away + HEIGHT / 2 - 3) * up * (1 if right == 0 else 0.8)
            left = x - width * (1 - right) / 2
            box = (left, y - HEIGHT / 2, left + width, y + HEIGHT / 2)
            if box[0] < 2 or box[1] < 2 or box[2] > self.room[0] - 2 or box[3] > self.room[1] - 2:
                continue
            if any(box[0] < o[2] and o[0] < box[2] and box[1] < o[3] and o[1] < box[3] for o in self.boxes):
                continue
            inside = np.all((self.drawn[0] > np.array(box[:2]) - 2) & (self.drawn[0] < np.array(box[2:]) + 2), axis=1)
            here = (
                np.count_nonzero(inside)
                + 0.05 * k_side
                + FAR * (reach > 1)
                - (STAY if k_side == self.side[name] else 0.0)
            )
            if here < cost:
                best, cost = (k_side, x, y, box, right), here
        if best is None:
            return None
        self.side[name], x, y, box, right = best
        self.boxes.append(box)
        return float(x), float(y), {1: "left", 0: "center", -1: "right"}[right]
