"""The kinds of charts: one function for each, from a motion and the names that were asked for to panels of curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import symengine as se

from dalembert.document.symbols import joined, symbol, words
from dalembert.errors import ModelError
from dalembert.model.constraint import refuse_steered
from dalembert.results.contact_columns import contacts
from dalembert.results.friction_columns import friction
from dalembert.results.joint_charts import joints
from dalembert.results.panels import (
    PANELS,
    Chart,
    Curve,
    Maker,
    Panel,
    PlotSource,
    busiest,
    by_quantity,
    chosen,
    span,
    undetermined,
)
from dalembert.results.quantities import PhysicalQuantity, unit_of

Names = str | Sequence[str] | None
_TITLES = ("Coordinates", "Velocities", "Accelerations")
_FLOOR = 1e-17  # what is drawn for less on a logarithmic axis
_FEW = 3  # constraints whose residuals are drawn one by one
_REST = 1e-9  # of the largest movement of its kind: what moves less is at rest


def derivative(order: int) -> Maker:
    """Return the chart of coordinates, velocities or accelerations; names may be given with primes or without."""

    def make(source: PlotSource, names: Names) -> Chart:
        plain = source.system.coordinates[: source.system.mechanical]
        primed = [name + "'" * order for name in plain]
        wanted = chosen(names, [*primed, *plain], ("coordinate", "velocity", "acceleration")[order])
        values = source.fine.accelerations if order == 2 else (source.fine.q, source.fine.v)[order]
        shown = [i for i, name in enumerate(plain) if wanted is None or {name, primed[i]} & set(wanted)]
        curves = [Curve(primed[i], symbol(primed[i]), values[:, i]) for i in shown]
        kinds = [source.quantities[plain[i]] for i in shown]
        return Chart(_TITLES[order], tuple(by_quantity(source, curves, kinds, order, wanted is not None)), source.notes)

    return make


def outputs(source: PlotSource, names: Names) -> Chart:
    """Return the outputs."""
    if not source.system.outputs:
        raise ModelError('there are no outputs to draw; give some, as in [outputs] tip = "x + l*sin(phi)"')
    return _named(source, tuple(source.system.outputs), names, "output")


def controls(source: PlotSource, names: Names) -> Chart:
    """Return the controls."""
    if not source.run.control_names:
        raise ModelError('there are no controls to draw; give some, as in [controls.u] acts = {x = "1"}')
    return _named(source, source.run.control_names, names, "control")


def momenta(source: PlotSource, names: Names) -> Chart:
    """Return the momenta, a panel for each unit, and H in one of its own; without names those that vary most."""
    system, groups = source.system, {}
    if system.kinetic is None:
        raise ModelError("a system given by matrices has no momenta to draw")
    known = list(system.observed.canonical)
    wanted = chosen(names, known, "momentum")
    for name in known if wanted is None else wanted:
        kind = "H" if not system.observed.canonical[name] else "Momenta", unit_of(system, se.Symbol(name))
        groups.setdefault(kind, []).append(Curve(name, symbol(name), source.fine[name]))
    panels = []
    for (title, unit), curves in groups.items():
        shown, left_out = (curves, "") if wanted is not None else busiest(curves)
        panels.append(source.panel(title, unit, shown, left_out=left_out))
    return Chart("Momenta", tuple(panels), source.notes)


def _named(source: PlotSource, known: tuple[str, ...], names: Names, word: str) -> Chart:
    """Return what has a name, a panel for each unit; without names of many in one unit those that vary most."""
    title = f"{word.capitalize()}s"
    wanted = chosen(names, list(known), word)
    values, groups = source.fine.evaluate({name: name for name in (known if wanted is None else wanted)}), {}
    for name, column in values.items():
        unit = unit_of(source.system, se.Symbol(name))
        groups.setdefault(unit, []).append(Curve(name, symbol(name), np.where(np.isfinite(column), column, np.nan)))
    panels = []
    for unit, curves in groups.items():
        shown, left_out = (curves, "") if wanted is not None else busiest(curves)
        panels.append(source.panel(title, unit, shown, left_out=left_out))
    return Chart(title, tuple(panels), source.notes)


def states(source: PlotSource, names: Names) -> Chart:
    """Return the states of first order, a panel for each, as their units differ; without names those that vary most."""
    known = source.system.states
    if not known:
        raise ModelError('there are no states to draw; give some, as in [states] z = "x\' - z"')
    wanted = chosen(names, list(known), "state")
    curves = [Curve(z, symbol(z), source.fine[z]) for z in known if wanted is None or z in wanted]
    shown, left_out = (curves, "") if wanted is not None else busiest(curves, PANELS)
    panels = tuple(source.panel(curve.name, "", [curve]) for curve in shown)
    return Chart("States", panels, (*((f"Shown are {left_out}.",) if left_out else ()), *source.notes))


def phase(source: PlotSource, names: Names) -> Chart:
    """Return velocities over coordinates, a panel for each; without names those that vary most."""
    system = source.system
    coordinates = system.coordinates[: system.mechanical]
    wanted = chosen(names, coordinates, "coordinate")
    curves = [Curve(name, symbol(name), source.fine.q[:, i]) for i, name in enumerate(coordinates)]
    left_out = ""
    if wanted is None:
        moving = _moving(source, curves) or curves
        shown, left_out = busiest(moving, PANELS)
    else:
        shown = [curve for curve in curves if curve.name in wanted]
    panels = []
    for curve in shown:
        kind, rate = source.quantities[curve.name], curve.name + "'"
        values = source.fine.v[:, system.coordinates.index(curve.name)]
        panels.append(
            Panel(joined("", curve.label), kind.units(1), curve.values, (Curve(rate, symbol(rate), values),),
                  curve.label, kind.units(0), symbol(rate))
        )  # fmt: skip
    notes = (f"Shown are {left_out}.",) if left_out else ()
    return Chart("Phase", tuple(panels), (*notes, *source.notes))


def _moving(source: PlotSource, curves: Sequence[Curve]) -> list[Curve]:
    """Leave out coordinates that are at rest, but for rounding."""
    largest: dict[PhysicalQuantity, float] = {}
    for curve in curves:
        kind = source.quantities[curve.name]
        largest[kind] = max(largest.get(kind, 0.0), span(curve.values))
    return [curve for curve in curves if span(curve.values) > _REST * largest[source.quantities[curve.name]]]


def multipliers(source: PlotSource, names: Names) -> Chart:
    """Return the multipliers of the constraints; in a mechanism by part, as they are forces and moments."""
    wanted = _constraints(source, names)
    curves = [Curve(name, symbol(f"lambda_{name}"), source.reacting(source.fine.multipliers[name])) for name in wanted]
    shown, left_out = (curves, "") if names is not None else busiest(curves)
    panel = source.panel("Multipliers", "N or N m" if source.second else "", shown, left_out=left_out)
    return Chart("Multipliers", (panel,), (*source.notes, *undetermined(source)))


def reactions(source: PlotSource, names: Names) -> Chart:
    """Return the reactions of constraints on the coordinates, a panel for each constraint and unit."""
    wanted = _constraints(source, names)
    for name in wanted if names is not None else ():
        refuse_steered(source.system.constraint(name))
    wanted = [name for name in wanted if not source.system.constraint(name).steered]
    left_out = ""
    if names is None:
        sizes = {name: span(source.reacting(source.fine.multipliers[name])) for name in wanted}
        best = set(sorted(wanted, key=lambda name: -sizes[name])[:PANELS])
        if len(best) < len(wanted):
            left_out = f"Shown are the {PANELS} of {len(wanted)} constraints whose multipliers vary most."
        wanted = [name for name in wanted if name in best]
    panels = []
    for name in wanted:
        values, groups = source.reacting(source.fine.reaction(name)), {}
        for i, q in enumerate(source.system.coordinates):
            if np.any(np.nan_to_num(values[:, i])):
                groups.setdefault(source.quantities[q].force, []).append(
                    Curve(q, joined("on ", symbol(q)), values[:, i])
                )
        for unit, curves in (groups or {"": [Curve(name, words("none"), np.zeros(len(source.t)))]}).items():
            shown, few = busiest(curves)
            panels.append(source.panel(f"Reaction of {name}", unit, shown, left_out=few))
    notes = (left_out,) if left_out else ()
    return Chart("Reactions", tuple(panels), (*notes, *source.notes, *undetermined(source)))


def energy(source: PlotSource, names: Names) -> Chart:
    """Return kinetic, potential and total energy, and how the energy balance holds at the steps."""
    wanted = chosen(names, ["kinetic", "potential", "total", "balance"], "energy")
    if source.system.kinetic is None:
        raise ModelError("a system given by matrices has no energies to draw")
    found, unit = source.fine.energies, "J" if source.second else ""
    letters = {"kinetic": ("T", found.kinetic), "potential": ("V", found.potential), "total": ("E", found.energy)}
    curves = [
        Curve(name, joined(f"{name} ", symbol(letter)), values)
        for name, (letter, values) in letters.items()
        if wanted is None or name in wanted
    ]
    panels = [source.panel("Energy", unit, curves)] if curves else []
    drift = source.run.drift
    if wanted is None or "balance" in wanted:
        if drift is not None:
            values = np.maximum(source.at_steps(drift.values), _FLOOR)
            curve = Curve("balance", words("|E − E₀ − work|"), values)
            panels.append(
                source.panel("Error of the energy balance", unit, [curve], x=source.step_times, logarithmic=True)
            )
        elif wanted is not None:
            raise ModelError("there is no energy balance to draw: parameters change, or work is done in too many steps")
    return Chart("Energy", tuple(panels), source.notes)


def residuals(source: PlotSource, names: Names) -> Chart:
    """Return how far the constraints are from being satisfied, at the steps; of many the largest."""
    from dalembert.results.certificate.scales import points

    wanted = _constraints(source, names)
    every = [constraint.name for constraint in source.system.constraints]
    panels = []
    for letter, title, values in zip(
        ("g", "ψ"),
        ("on positions", "on velocities"),
        source.run.motion.kernels.residuals(*points(source.run)),
        strict=True,
    ):
        values = np.maximum(source.at_steps(values), _FLOOR)
        if names is None and len(every) > _FEW:
            curves = [Curve("largest", words(f"largest of {len(every)}"), values.max(axis=1))]
        else:
            curves = [Curve(name, words(f"|{letter}| of {name}"), values[:, every.index(name)]) for name in wanted]
        panels.append(source.panel(f"Residuals {title}", "", curves, x=source.step_times, logarithmic=True))
    panels = [panel for panel in panels if any(np.any(curve.values > _FLOOR) for curve in panel.curves)] or panels[:1]
    return Chart("Residuals", tuple(panels), source.notes)


def _constraints(source: PlotSource, names: Names) -> list[str]:
    known = [constraint.name for constraint in source.system.written.constraints]
    if not known:
        raise ModelError("this system has no constraints, and so no reactions, multipliers or residuals")
    return chosen(names, known, "constraint") or known


KINDS: dict[str, Maker] = {
    "coordinates": derivative(0),
    "velocities": derivative(1),
    "accelerations": derivative(2),
    "states": states,
    "controls": controls,
    "outputs": outputs,
    "phase": phase,
    "momenta": momenta,
    "reactions": reactions,
    "multipliers": multipliers,
    "energy": energy,
    "residuals": residuals,
    "joints": joints,
    "friction": friction,
    "contacts": contacts,
}
