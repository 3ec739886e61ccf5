"""Linear algebra by one thread, and by as many as before afterwards."""

import numpy as np
import pytest

from dalembert import System, threads
from dalembert.model.facts import START, fact


@pytest.fixture(autouse=True)
def two_threads():
    """Let there be more than one thread to begin with, whatever tests are run with."""
    before = counts()
    for _, limit in threads._libraries():
        limit(2)
    yield
    for (_, limit), count in zip(threads._libraries(), before, strict=True):
        limit(count)


def counts():
    return [count() for count, _ in threads._libraries()]


def test_one_thread_inside_and_as_before_outside():
    before = counts()
    with threads.one_thread:
        assert set(counts()) <= {1}
        with threads.one_thread:
            assert set(counts()) <= {1}
        assert set(counts()) <= {1}
    assert counts() == before
    with pytest.raises(ZeroDivisionError), threads.one_thread:
        raise ZeroDivisionError
    assert counts() == before


def test_the_libraries_of_numpy_and_scipy_are_found_where_wheels_bring_them():
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    if blas != "scipy-openblas":
        pytest.skip(f"NumPy has {blas}, whose threads are left alone")
    assert len(counts()) == 2


@pytest.mark.parametrize("size", [2, 100])
def test_facts_of_large_systems_are_worked_out_by_one_thread(size):
    @fact(START)
    def threads_used(system):
        return counts()

    before = counts()
    names = [f"x{i}" for i in range(size)]
    system = System(names, kinetic=" + ".join(f"{name}'^2" for name in names))
    assert threads_used(system) == (before if size == 2 else [1] * len(before))
    assert counts() == before
