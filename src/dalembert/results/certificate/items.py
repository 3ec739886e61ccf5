"""A certificate: what was measured on a motion, the limits, and what could not be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.linalg import LinAlgError

from dalembert.document.nodes import Block, Number, Paragraph, Section, Table, Text, faint, judged
from dalembert.document.shown import Printed
from dalembert.errors import DalembertError

FAILURES = (DalembertError, ArithmeticError, LinAlgError)  # of a measurement: what was to be judged is not judged then


@dataclass(frozen=True)
class Item:
    """One thing that was measured: its value, the limit it must keep, and in words.

    Without a limit it is only reported. A value of None could not be found out: then the item is *not judged*.
    """

    name: str
    value: float | None
    limit: float | None
    text: str

    @property
    def ok(self) -> bool | None:
        """Whether the limit is kept; None if that could not be judged."""
        if self.value is None:
            return None
        return self.limit is None or self.value <= self.limit

    @property
    def verdict(self) -> str:
        """The outcome in a word."""
        if self.ok is None:
            return "not judged"
        return "pass" if self.ok else "FAILS"


@dataclass(frozen=True, repr=False)
class Certificate(Printed):
    """Everything that was measured; it prints as a short table.

    until: up to when the motion can be trusted. errors: the error of each coordinate up to then, as a second, more
    accurate motion shows it. notes: what is not determined, or could not be judged, in words.
    """

    items: tuple[Item, ...]
    until: float
    end: float
    errors: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything was judged and keeps its limit, until the end."""
        return all(item.ok for item in self.items) and self.until >= self.end

    @property
    def reason(self) -> str:
        """Why it does not pass, in words; empty if it does."""
        failed = [item.text for item in self.items if item.ok is False]
        unknown = [item.text for item in self.items if item.ok is None]
        parts = [f"not kept: {'; '.join(failed)}"] if failed else []
        if unknown:
            parts.append(f"not judged: {'; '.join(unknown)}")
        if self.until < self.end:
            parts.append(f"the motion can be trusted until t = {self.until:.4g}")
        return "; ".join(parts)

    def __getitem__(self, name: str) -> Item:
        for item in self.items:
            if item.name == name:
                return item
        raise KeyError(f"{name} was not measured; there are {', '.join(item.name for item in self.items)}")

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        items = {item.name: {"value": item.value, "limit": item.limit, "ok": item.ok} for item in self.items}
        return {
            "pass": self.ok,
            "until": self.until,
            "items": items,
            "errors": dict(self.errors),
            "notes": list(self.notes),
        }

    @property
    def verdict(self) -> Text:
        """Whether it passes, and why not."""
        return judged(self.reason or "pass", self.ok)

    def document(self) -> Section:
        """Show what was measured and whether it keeps its limit."""
        rows = [
            (
                item.text,
                faint("–") if item.value is None else Number(item.value, 2),
                "" if item.limit is None else Number(item.limit, 2),
                "" if item.limit is None else judged(item.verdict, item.ok),
            )
            for item in self.items
        ]
        parts: list[Block] = [Table(rows, ("measured", "largest", "limit", ""), most=None)]
        return Section("Certificate", [*parts, *map(Paragraph, self.notes)], self.verdict, "certificate")
