"""Short derivations beside the formulas of textbooks, in value and in length."""

from __future__ import annotations

import statistics
from functools import cache
from itertools import accumulate

import pytest

from tests.formulas.score import ENTRIES, MECHANISMS, MORE, STRANGERS, Score, count, flat, score

LONGER = {  # operations beyond 1.15 times those of the textbook, as far as they go today
    "helix-explicit": 13,
}
SETS = {"textbook": ENTRIES, "more": MORE, "mechanisms": MECHANISMS, "strangers": STRANGERS}
ALL = [entry for entries in SETS.values() for entry in entries]
ENDS = list(accumulate(map(len, SETS.values()), initial=0))
IDS = [entry["id"] for entry in ALL]
found = cache(lambda k: score(ALL[k]))


@pytest.mark.parametrize("k", range(len(ALL)), ids=IDS)
def test_formula(k):
    result: Score = found(k)
    assert result.equal
    assert result.operations <= LONGER.get(result.id, 1.15 * result.textbook), result.texts


@pytest.mark.full  # where each formula is derived by another process, all would be derived again
@pytest.mark.parametrize("places", list(map(range, ENDS, ENDS[1:])), ids=list(SETS))
def test_median(places):
    assert statistics.median(found(k).ratio for k in places) <= 1.0


@pytest.mark.parametrize("entry", ALL, ids=IDS)
def test_operations_are_counted_as_they_are_stated(entry):
    assert count(flat(entry["formulas"]), entry.get("where", {})) == entry["operations"]
