"""Every public name is there, documented, and its examples are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import dalembert

MODULES = [m.name for m in pkgutil.walk_packages(dalembert.__path__, "dalembert.")]


def test_public_names():
    for name in dalembert.__all__:
        assert getattr(dalembert, name).__doc__
    assert set(dalembert.__all__) <= set(dir(dalembert))
    with pytest.raises(AttributeError, match="no attribute 'Sytem'"):
        _ = dalembert.Sytem


def test_a_renamed_name_works_with_a_warning(monkeypatch):
    monkeypatch.setitem(dalembert._RENAMED, "Model", "System")
    with pytest.warns(DeprecationWarning, match=r"`dalembert.Model` is now `dalembert.System`; the old name goes"):
        assert dalembert.Model is dalembert.System


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module).failed == 0
