"""Charts of a motion drawn by matplotlib, on light and dark ground, in colours that everybody can tell apart."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from dalembert.arguments import switch
from dalembert.characters import visible
from dalembert.document.palette import DARK, DASHES, LIGHT, SERIES, series
from dalembert.errors import ModelError
from dalembert.results.panels import Panel, chart, span

if TYPE_CHECKING:
    from dalembert.results.run import Run

_WIDTH, _HEIGHT, _SQUARE = 8.0, 2.3, 3.4  # inches of a panel
_COLUMN = 5  # panels below each other


class Plot(Figure):
    """A matplotlib Figure that shows itself in a notebook."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=110)
        return out.getvalue()


def plot(run: Run, what: str = "coordinates", names: str | Sequence[str] | None = None, *, dark: bool = False) -> Plot:
    """Draw a chart of a motion; see `Run.plot`."""
    drawn = chart(run, what, names)
    if not drawn.panels:
        raise ModelError(f"there is nothing to draw. {' '.join(drawn.notes)}")
    palette = DARK if switch("dark", dark) else LIGHT
    count, square = len(drawn.panels), what == "phase"
    columns = min(count, 3 if count == 3 else 2) if square else 1 if count <= _COLUMN else 2
    rows = -(-count // columns)
    parts = [_part(drawn.panels[row * columns : (row + 1) * columns]) for row in range(rows)]
    height = (_SQUARE if square else _HEIGHT) * sum(parts) + 0.8
    width = _SQUARE * columns + 0.8 if square else _WIDTH * (1 + 0.6 * (columns - 1))
    figure = Plot(figsize=(width, height), layout="constrained", facecolor=palette["paper"])
    figure.suptitle(f"{_safe(run.system.name or 'A system')}: {drawn.title[0].lower()}{drawn.title[1:]}",
                    color=palette["ink"], fontsize=12)  # fmt: skip
    grid: Any = figure.subplots(rows, columns, squeeze=False, sharex=not square, height_ratios=parts)
    for axes, panel in zip(grid.ravel(), drawn.panels, strict=False):
        _draw(axes, panel, palette)
    for axes in grid.ravel()[len(drawn.panels) :]:
        axes.set_visible(False)
    if not square:
        for axes in grid.ravel()[: count - columns]:
            axes.set_xlabel("")
    notes = [*drawn.notes, *(f"{panel.title.tex}: {panel.left_out}." for panel in drawn.panels if panel.left_out)]
    if notes:
        text = "\n".join(textwrap.fill(_safe(note) if "$" not in note else note, 108) for note in notes)
        figure.supxlabel(text, fontsize=8, color=palette["faint"], x=0.02, ha="left")
    return figure


def _draw(axes: Any, panel: Panel, palette: Mapping[str, str]) -> None:
    if panel.strip:
        _strips(axes, panel, panel.strip, palette)
        return
    for k, curve in enumerate(panel.curves):
        colour, dash = series(palette)[k % SERIES], DASHES[k // 4 % len(DASHES)]
        axes.plot(panel.x, curve.values, color=colour, linestyle=(0, dash) if dash else "-", linewidth=1.5,
                  label=curve.label.tex)  # fmt: skip
    if panel.logarithmic:
        axes.set_yscale("log")
        axes.set_ylim(*_decades(panel))
    single = len(panel.curves) == 1
    name = panel.y_label or (panel.curves[0].label if single else None)
    axes.set_ylabel(" in ".join(filter(None, (name.tex if name else "", panel.unit))))
    axes.set_xlabel(" in ".join(filter(None, (panel.x_label.tex, panel.x_unit))))
    if panel.y_label is None:
        axes.set_title(panel.title.tex, fontsize=10, loc="left", color=palette["ink"])
        axes.margins(x=0)
    if not single:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03), frameon=False, fontsize=9, labelcolor=palette["ink"])
    _style(axes, palette)
    if not panel.logarithmic and not any(span(curve.values) for curve in panel.curves):
        _rest(axes, panel)


def _part(panels: Sequence[Panel]) -> float:
    """Return how high a row of panels is, as a part of one with curves."""
    return 1.0 if not all(panel.strip for panel in panels) else 0.25 + 0.12 * max(len(one.curves) for one in panels)


def _strips(axes: Any, panel: Panel, words: tuple[str, str], palette: Mapping[str, str]) -> None:
    """Draw a strip for each curve, in its colour where it is 1, and grey where it is 0."""
    x, count = panel.x, len(panel.curves)
    for k, curve in enumerate(panel.curves):
        full, row = np.full(len(x), 0.35), count - 1.0 - k
        axes.fill_between(x, row - full, row + full, color=palette["grid"], linewidth=0)
        where = curve.values > 0.5
        colour = series(palette)[k % SERIES]
        axes.fill_between(x, row - full, row + full, where=where, step="post", color=colour, linewidth=0)
    axes.set_yticks(range(count), [curve.label.tex for curve in reversed(panel.curves)])
    axes.set_ylim(-0.6, count - 0.4)
    axes.set_xlabel(" in ".join(filter(None, (panel.x_label.tex, panel.x_unit))))
    axes.set_title(f"{panel.title.tex}; grey where it {words[1]}", fontsize=10, loc="left", color=palette["ink"])
    axes.margins(x=0)
    _style(axes, palette)
    axes.grid(False)


def _decades(panel: Panel) -> tuple[float, float]:
    """Return the powers of ten around the values."""
    values = np.concatenate([curve.values for curve in panel.curves])
    low, high = np.floor(np.log10(np.nanmin(values))), np.ceil(np.log10(np.nanmax(values)))
    return float(10**low), float(10 ** max(high, low + 1))


def _rest(axes: Any, panel: Panel) -> None:
    """Give curves that stay where they are an axis in which that can be seen."""
    values = np.concatenate([curve.values for curve in panel.curves])
    middle = float(np.nanmean(values)) if np.any(np.isfinite(values)) else 0.0
    half = max(np.nanmax(np.abs(values - middle), initial=0.0) * 1.2, 0.1 * abs(middle), 1e-12 if middle else 1.0)
    axes.set_ylim(middle - half, middle + half)


def _style(axes: Any, palette: Mapping[str, str]) -> None:
    axes.set_facecolor(palette["paper"])
    axes.grid(True, color=palette["grid"], linewidth=0.6)
    axes.tick_params(colors=palette["ink"], labelsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(palette["faint"])
    axes.xaxis.label.set_color(palette["ink"])
    axes.yaxis.label.set_color(palette["ink"])
    axes.yaxis.get_offset_text().set_color(palette["ink"])


def _safe(text: str) -> str:
    return visible(text).replace("$", r"\$")
