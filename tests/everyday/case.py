"""One model as a user would write it: its tables, as a file or as Python, and the oracle that knows it too."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from typing import Any

from tests.everyday.oracle import Oracle
from tests.everyday.words import plain

SECTIONS = ("bodies", "joints", "springs", "dampers", "actuators", "loads", "drives")


@dataclass
class Case:
    """A model: `tables` as in a file. mechanism: whether it has bodies. until: how long its motion is followed."""

    title: str
    tables: dict[str, Any]
    oracle: Oracle
    until: float = 0.2
    mechanism: bool = False

    @property
    def text(self) -> str:
        """The model as a file."""
        return to_toml({"format": 1, "name": self.title, **plain(self.tables)})

    def build(self) -> Any:
        """The model as Python code makes it."""
        from dalembert import Mechanism, System

        tables = {key: value for key, value in plain(self.tables).items() if key != "simulate"}
        for section, names in {"energy": ("kinetic", "potential"), "matrices": ("mass", "force")}.items():
            inner = tables.pop(section, {})
            tables |= {name: inner[name] for name in names if name in inner}
        tables |= tables.pop("mechanism", {})
        return (Mechanism if self.mechanism else System)(name=self.title, **tables)


def to_toml(tables: dict[str, Any]) -> str:
    """Write tables as a person does: values first, then sections, parts on one line each or as sections of their own."""
    lines = [f"{_key(key)} = {_value(value)}" for key, value in tables.items() if not isinstance(value, dict)]
    for section, content in tables.items():
        if not isinstance(content, dict):
            continue
        if section in SECTIONS and len(content) % 2:  # both ways are used
            for name, part in content.items():
                lines += ["", f"[{section}.{_key(name)}]", *(f"{_key(k)} = {_value(v)}" for k, v in part.items())]
        else:
            lines += ["", f"[{section}]", *(f"{_key(key)} = {_value(value)}" for key, value in content.items())]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)


class Dice(random.Random):
    """Choices from a seed, and numbers as people write them."""

    def decimal(self, low: float, high: float, digits: int = 2) -> float:
        """Return a short decimal that is not zero."""
        return round(self.uniform(low, high), digits) or high

    def chance(self, p: float) -> bool:
        """Say yes so often."""
        return self.random() < p

    def signed(self, low: float, high: float) -> float:
        """Return a short decimal of either sign."""
        return self.decimal(low, high) * self.choice((1, -1))
