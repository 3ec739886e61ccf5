"""A derivation that is interrupted ends there and then, and leaves nothing half known behind."""

from __future__ import annotations

import os
import signal

import pytest

from dalembert import example
from dalembert.model.facts import Survey

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
PLACES = (1, 5, 12)  # questions after which Ctrl-C is pressed: in the survey, in the blocks, in the midst of formulas


def interrupt(monkeypatch, after):
    """Press Ctrl-C once, after so many questions about a system."""
    plain, asked = Survey.find, []

    def find(*args):
        asked.append(args[2])
        if len(asked) == after:
            os.kill(os.getpid(), signal.SIGINT)
        return plain(*args)

    monkeypatch.setattr(Survey, "find", find)
    return asked


@pytest.mark.parametrize("after", PLACES)
def test_in_python_it_can_be_begun_again(monkeypatch, after):
    system = example("slider-crank")
    with monkeypatch.context() as patch:
        asked = interrupt(patch, after)
        with pytest.raises(KeyboardInterrupt):
            system.derive("explicit")
        assert len(asked) == after
    assert system.derive("explicit").as_dict() == example("slider-crank").derive("explicit").as_dict()


@pytest.mark.parametrize("after", PLACES)
def test_on_the_command_line_it_is_said(command, monkeypatch, after):
    interrupt(monkeypatch, after)
    assert command("derive", "slider-crank", "--form", "explicit") == (130, "", "interrupted\n")
