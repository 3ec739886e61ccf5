"""The section with plots: the same charts as `run.plot`, with their numbers, drawn by a script in the page."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.characters import escape
from dalembert.document.nodes import ROWS, Block, Figure, Listing, Number, Section, Table, Text, faint
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.results.charts import KINDS
from dalembert.results.joint_extremes import joint_peaks
from dalembert.results.panels import Chart, Panel, PlotSource

if TYPE_CHECKING:
    from dalembert.results.measured import Extreme
    from dalembert.results.run import Run

_JOINTS = 6  # joints whose components are shown
_PEAKS = ROWS + 1  # whose largest forces are looked for between the steps
_HINT = """<p class="hint">Drag over a plot or turn the wheel to zoom, double-click to see everything, point at a curve
to read it off, click on a name to hide its curve; a click into a plot brings the animation to that time.</p>
<noscript><p>The plots are drawn by a script, and scripts are switched off here.</p></noscript>"""


class Plots:
    """Collects panels and their numbers for the script of the page."""

    def __init__(self, run: Run):
        self.source = PlotSource(run)
        self.axes: list[Array] = []
        self.panels: list[dict[str, Any]] = []

    def section(self) -> Section:
        """Return the plots that belong to the motion."""
        system = self.source.system
        kinds = [*(["outputs"] if system.outputs else []), "coordinates", "velocities"]
        kinds += ["states"] if system.states else []
        kinds += ["controls"] if self.source.run.control_names else []
        kinds += ["friction"] if system.frictions else []
        kinds += ["contacts"] if system.contacts else []
        if not all(constraint.steered for constraint in system.written.constraints):
            kinds.append(
                "joints" if isinstance(system, Mechanism) and (system.joints or system.drives) else "reactions"
            )
        if system.kinetic is not None:
            kinds.append("energy")
        if system.written.constraints:
            kinds.append("residuals")
        parts: list[Block] = [Figure(_HINT)]
        for kind in kinds:
            chart = KINDS[kind](self.source, None)
            inner = self.chart(chart)
            if kind == "joints" and isinstance(system, Mechanism):
                inner += [self.peaks(system), self.components(system)]
            parts.append(Section(chart.title, inner, key=kind))
        return Section("Plots", parts, key="plots")

    def peaks(self, mechanism: Mechanism) -> Section:
        """Return the largest force and moment of each joint and drive, between the steps too, with their times."""
        names = [*mechanism.joints, *mechanism.drives]
        forces = [self.source.fine.joints.force(name) for name in names]
        forces.sort(key=lambda force: -float(np.nanmax(force.size, initial=0.0)))
        rows: list[tuple[Text, ...]] = []
        for force in forces[:_PEAKS]:
            found = joint_peaks(self.source.run, force)
            numbers = [x for part in ("force", "moment") for x in _peak(found.get(part))]
            rows.append((force.names[0], force.on, *numbers))
        head = ("", "on", "force, N", f"at t, {self.source.second}", "moment, N m", f"at t, {self.source.second}")
        return Section("Largest forces and moments", [Table(rows, head, total=len(names))])

    def components(self, mechanism: Mechanism) -> Section:
        """Return the components of forces and moments in a fold."""
        parts = [*mechanism.joints, *mechanism.drives]
        chart = KINDS["joints"](self.source, parts[:_JOINTS])
        few = f" of the first {_JOINTS} of {len(parts)} parts" if len(parts) > _JOINTS else ""
        return Section(f"Components{few}, in world axes", self.chart(Chart(chart.title, chart.panels)), fold="closed")

    def chart(self, chart: Chart) -> list[Block]:
        """Return the places of the panels; the script fills them."""
        panels = [Figure(self.panel(panel, panel.title.text == chart.title)) for panel in chart.panels]
        notes = [note for note in chart.notes if note not in self.source.notes]
        said = [note for note in notes if not note.startswith("Not determined")]  # in the certificate, at length
        if len(said) < len(notes):
            said.append(
                "Some reactions are not determined, as conditions repeat each other: the certificate says which."
            )
        return [*panels, Listing(said, tone="faint")]

    def panel(self, panel: Panel, titled: bool) -> str:
        """Keep the numbers of a panel; its title is not shown where it stands above already."""
        few = f'<span class="few">{escape(panel.left_out)}</span>' if panel.left_out else ""
        said = f"in {panel.unit}" if panel.unit else f"grey where it {panel.strip[1]}" if panel.strip else ""
        unit = f'<span class="unit">{escape(said)}</span>' if said else ""
        curves = [{"label": curve.label.html, **_packed(curve.values, panel.logarithmic)} for curve in panel.curves]
        facts = {"axis": self.axis(panel.x), "unit": panel.unit, "xunit": panel.x_unit, "log": panel.logarithmic}
        facts |= {"strip": panel.strip} if panel.strip else {}
        self.panels.append({**facts, "curves": curves})
        caption = f"<figcaption><b{' hidden' * titled}>{panel.title.html}</b> {unit} {few}</figcaption>"
        return f'\n<figure class="plot" data-panel="{len(self.panels) - 1}">{caption}</figure>'

    def axis(self, x: Array) -> int:
        """Keep times once, however many panels they belong to."""
        for k, known in enumerate(self.axes):
            if known is x or np.array_equal(known, x):
                return k
        self.axes.append(x)
        return len(self.axes) - 1

    def data(self) -> str:
        """Return all numbers as JSON that can stand in a page."""
        axes = [_bytes(x, "<f8") for x in self.axes]
        return json.dumps({"axes": axes, "panels": self.panels}, separators=(",", ":")).replace("<", "\\u003c")


def _peak(found: Extreme | None) -> tuple[Text, Text]:
    """Write a largest value and its time."""
    if found is None:
        return faint("not determined"), ""
    return Number(float(found)), Number(found.t) if found else ""


def _packed(values: Array, logarithmic: bool) -> dict[str, Any]:
    """Write values in few bytes, as differences to one of them, so that small changes of large values are kept."""
    known = values[np.isfinite(values)]
    base = 0.0 if logarithmic or not known.size else float(np.float64((known.max() + known.min()) / 2))
    return {"base": base, "values": _bytes(values - base, "<f4")}


def _bytes(values: Array, kind: str) -> str:
    return base64.b64encode(np.asarray(values, dtype=kind).tobytes()).decode()
