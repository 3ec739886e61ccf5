"""Read a drawing: named points and what joins them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalembert.language.building import Expr
from dalembert.model.drawing import Drawing
from dalembert.model.tomlscan import MAX_NAME, MAX_WORD, quote

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

PARTS = ("points", "lines", "springs", "dampers", "circles")


def read_drawing(reader: Reader, given: Drawing | Mapping[str, Any] | None) -> Drawing | None:
    """Read points and what joins them."""
    if given is None:
        return None
    parts = {part: getattr(given, part) for part in PARTS} if isinstance(given, Drawing) else dict(given)
    for name in parts:
        if name not in PARTS:
            reader.problem(f"no part `{name}` of a drawing{reader.hint(name, PARTS, 'parts')}", "draw", name)
    points: dict[str, tuple[Expr, ...]] = {}
    places = parts.get("points", {})
    if not isinstance(places, Mapping):
        reader.problem('`points` are given by name, as in {"A": ["x", "y"]}', "draw", "points")
        places = {}
    moving = reader.velocities | reader.accelerations
    why = "a point depends on coordinates, time and parameters only"
    for name, place in places.items():
        key = ("draw", "points", name)
        if not isinstance(name, str) or len(quote(name)) > MAX_WORD:
            text = f"a point has a name of at most {MAX_NAME} characters, got {str(name)[:40]!r}"
            reader.problem(text, "draw", "points")
            continue
        if not isinstance(place, (list, tuple)) or len(place) not in (2, 3):
            reader.problem(f'point `{name}` needs two or three coordinates, as in ["x", "y"]', *key)
            continue
        points[name] = tuple(reader.expression(entry, key, moving, why) for entry in place)
    if len({len(place) for place in points.values()}) > 1:
        reader.problem(
            "points in the plane and in space are mixed; give all of them two or all of them three coordinates",
            "draw",
            "points",
        )
    circles = []
    for item in _sequences(reader, parts, "circles"):
        named = [item[0], *item[2:]] if item else []
        if len(item) not in (2, 3) or not all(isinstance(name, str) and name in points for name in named):
            text = "a circle is [centre, radius] with a named point as its centre; a third entry may name a point"
            reader.problem(f"{text} on its axis, in the plane one on a spoke; got {item}", "draw", "circles")
            continue
        circles.append((item[0], reader.expression(item[1], ("draw", "circles")), *item[2:]))
    joined = {part: _joined(reader, parts, part, points) for part in ("lines", "springs", "dampers")}
    if not points:  # nothing is drawn without them
        return None
    made = {"shapes": given.shapes, "labels": given.labels} if isinstance(given, Drawing) else {}
    return Drawing(points, circles=tuple(circles), **joined, **made)


def _sequences(reader: Reader, parts: Mapping[str, Any], name: str) -> list[tuple[Any, ...]]:
    """Return a part of a drawing that is a list of lists."""
    value = parts.get(name, ())
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, (list, tuple)) for item in value):
        reader.problem(f'`{name}` is a list of lists, as in [["A", "B"]]', "draw", name)
        return []
    return [tuple(item) for item in value]


def _joined(
    reader: Reader, parts: Mapping[str, Any], name: str, points: Mapping[str, Any]
) -> tuple[tuple[str, ...], ...]:
    """Return lists of named points."""
    result = []
    for item in _sequences(reader, parts, name):
        unknown = [point for point in item if not isinstance(point, str) or point not in points]
        if unknown or len(item) < 2:
            advice = reader.hint(str(unknown[0]), points, "points") if unknown else "; name at least two points"
            reader.problem(f"`{name}` joins named points, got {str(list(item))[:60]}{advice}", "draw", name)
        else:
            result.append(item)
    return tuple(result)
