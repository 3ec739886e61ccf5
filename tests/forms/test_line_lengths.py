"""What is derived can be read: no line of a plane mechanism by joints fills a page."""

from __future__ import annotations

import pytest

from dalembert import example

LONGEST = 700  # characters: eight lines of a page


@pytest.mark.parametrize("model", ["four-bar", "engine", "slider-crank-joints", "n-four-bar-joints:1"])
def test_minimal_form_of_mechanisms(model):
    text = str(example(model).derive("minimal"))
    assert max(map(len, text.splitlines())) <= LONGEST
