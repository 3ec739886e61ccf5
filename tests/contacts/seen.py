"""What is seen of the events of a motion."""

from __future__ import annotations

from dalembert.results.run import Run


def times(run: Run, kind: str, name: str = "") -> list[float]:
    """Return the times of events of a kind."""
    return [event.t for event in run.events if event.kind == kind and name in ("", event.name)]


def kinds(run: Run) -> list[tuple[str, str]]:
    """Return names and kinds of events in order."""
    return [(event.name, event.kind) for event in run.events]
