"""A command line in an empty folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dalembert.cli import main

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch, capsys, tmp_path) -> Command:
    """Run a command line in an empty folder; return exit code, output and messages."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(args)
        captured = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, captured.out, captured.err

    return run
