"""Reading the settings of a motion, as a model gives them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dalembert.model.setting_kinds import InRange, Whole
from dalembert.model.settings import Settings, too_early

if TYPE_CHECKING:
    from dalembert.model.reading import Reader


def read_settings(reader: Reader, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read them; each mistake is reported under its name."""
    if not given:
        return MappingProxyType({})
    result: dict[str, Any] = {}
    for name, value in dict(given).items():
        if name not in Settings.in_file:
            reader.problem(f"no setting `{name}`{reader.hint(name, Settings.in_file, 'settings')}", "simulate", name)
            continue
        kind, key = Settings.said[name].kind, ("simulate", name)
        if is_number := isinstance(kind, (InRange, Whole)):
            value = reader.constant(value, *key)
        if value is not None or not is_number:
            value = reader.attempt(key, lambda kind=kind, name=name, value=value: kind.read(name, value))
        result[name] = value
    until, begin = result.get("until"), result.get("begin", Settings.begin)
    if until is not None and begin is not None and (reason := too_early(until, begin)):
        reader.problem(reason, "simulate", "until")
    return MappingProxyType(result)
