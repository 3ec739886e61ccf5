"""What projection takes to nothing becomes nothing, not numbers that processors are slow with."""

import numpy as np

from tests.shared import example


def test_no_state_is_next_to_nothing():
    states = np.abs(example("four-bar-spatial").simulate(1.0).motion.states)
    assert not np.any((states > 0) & (states < 1e-60))
