"""What pages register is forgotten when they are done."""

from __future__ import annotations

import pytest

from dalembert.forms import FORMS
from dalembert.language import functions
from dalembert.model.mechanism.elements import ELEMENTS
from dalembert.model.mechanism.pairs import PAIRS
from dalembert.motion.methods import METHODS

TABLES = (
    *(FORMS, ELEMENTS, METHODS, *PAIRS.values(), functions.OPERATIONS, functions.FUNCTIONS),
    *(functions.FLOATS, functions.ARRAYS, functions.INTERVALS, functions._BY_SYMENGINE),
)


@pytest.fixture(autouse=True)
def forgotten():
    """Put every registry back as it was."""
    before = [dict(table) for table in TABLES]
    yield
    for table, known in zip(TABLES, before, strict=True):
        table.clear()
        table.update(known)
