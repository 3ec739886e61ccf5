"""Constants of a model: numbers, or text without names of the model in it."""

from __future__ import annotations

from dalembert.errors import ModelError, Problem
from dalembert.language.building import number
from dalembert.language.parser import parse_value
from dalembert.language.vocabulary import Vocabulary

_NAMES = ("unknown name", "time `t`")  # how problems with names begin


def parse_constant(text: str, advice: str) -> float | None:
    """Parse text in which no name of the model may stand; `advice` is for where one does."""
    try:
        return number(parse_value(text, Vocabulary(time=False)).expr)
    except ModelError as error:
        raise ModelError(
            Problem(
                p.text.split(";")[0] + f"; {advice}" if p.text.startswith(_NAMES) else p.text,
                column=p.column,
            )
            for p in error.problems
        ) from None
