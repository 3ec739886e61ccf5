"""Names for what is passed around between the algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray
Sparse = Any  # a two-dimensional scipy sparse array; scipy's own types say too little of it
