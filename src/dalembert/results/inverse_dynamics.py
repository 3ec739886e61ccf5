"""Inverse dynamics: what drives and controls must do for a motion that is given, and the forces in all joints.

With the passive constraints A and the directions E of what is driven, M q̈ − f = Aᵀλ + E u. On the null space Z of A
this is ZᵀE u = Zᵀ(M q̈ − f): as many equations as degrees of freedom. With more unknowns the u of least uᵀR u is taken,
and what may be added is the null space of ZᵀE; then λ follows.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.arguments import array, table
from dalembert.arrays import Array
from dalembert.document.nodes import Note, Section, Sparkline, Table, Text, faint, span
from dalembert.document.shown import Printed
from dalembert.errors import ModelError, MotionWarning, SimulationError, counted, nearest, quoted
from dalembert.files import as_path, write_text
from dalembert.model.facts import START, fact
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.native.groups.prescribed import Balance, directions
from dalembert.native.kernels import Kernels
from dalembert.results.joint_forces import JointForce, Joints
from dalembert.results.run import Run
from dalembert.survey.mechanism.kinematics import Kinematics

if TYPE_CHECKING:
    from dalembert.model.system import System

_DEPENDENT = 1e-9  # singular values of scaled directions below are zero
_LOOSE = 1e-7  # part of an unknown that others can take over
_MISSED = 1e-6  # part of what the motion takes that no control gives
_BROKEN = 1e-5  # of the largest position, velocity or acceleration that a constraint may be off
_SMALL = 1e-12  # of what is compared, where nothing acts


@dataclass(frozen=True, repr=False)
class Inverse(Printed):
    """What drives and controls do along a motion: `found["motor"]`, one value for each time.

    values: by drive or control. determined: whether each is the only one that there is. choices: what may be added to
    all of them without changing the motion, (times, names, numbers that are free). multipliers: λ of the passive
    constraints by name, of those that share a load the least. system: without programmes, with the controls as
    parameters.
    """

    system: System
    t: Array
    values: Mapping[str, Array]
    determined: Mapping[str, bool]
    choices: Array
    multipliers: Mapping[str, Array]
    inputs: Array

    def __getitem__(self, name: str) -> Array:
        if name not in self.values:
            raise KeyError(f"nothing is driven by `{name}`; {nearest(str(name), list(self.values), 'known')}")
        return self.values[name]

    @property
    def laws(self) -> dict[str, dict[str, Array]]:
        """The controls as tables over time, to be played back: `system.simulate(controls=found.laws)`."""
        held = [name for name in self.values if name in self.system.parameters]
        return {name: {"x": self.t, "value": self.values[name]} for name in held}

    def joint(self, name: str, on: str | None = None, axes: str = "world", at: Any = None) -> JointForce:
        """Return force and moment of a joint of a mechanism on a body, as `run.joint` does along a motion."""
        return self.joints.force(name, on, axes, at)

    @cached_property
    def joints(self) -> Joints:
        """The forces in all joints."""
        if not isinstance(self.system, Mechanism):
            raise ModelError("a system without bodies has no joints; `multipliers` has what its constraints do")
        return Joints(self.system, self.inputs, self.system.compile().solved(self.inputs))

    def document(self) -> Section:
        """Show every drive and control as a small curve, with its span."""
        size = max((float(np.abs(values).max(initial=0.0)) for values in self.values.values()), default=0.0)
        rows: list[tuple[Text, ...]] = []
        for name, values in self.values.items():
            choice = "" if self.determined[name] else faint("chosen")
            rows.append((name, Sparkline(self.t, values, name), span(values, size), choice))
        notes = []
        if free := self.choices.shape[2]:
            text = f"{counted(free, 'number')} can be chosen at every time: those of least squares were taken"
            notes.append(Note(text))
        what = f"at {counted(len(self.t), 'time')}, t = {self.t[0]:g} … {self.t[-1]:g}"
        return Section(f"What {self.system.name or 'the motion'} takes", [Table(rows), *notes], what)

    def save(self, path: str | Path) -> None:
        """Write times, drives, controls and multipliers as a table, .csv."""
        if as_path(path).suffix != ".csv":
            raise ModelError(f"what a motion takes is written to .csv, got {str(path)!r}")
        found = {"t": self.t, **self.values}
        found |= {f"lambda_{name.replace('.', '_')}": values for name, values in self.multipliers.items()}
        rows = [",".join(found), *(",".join(map(repr, row)) for row in np.column_stack([*found.values()]).tolist())]
        write_text(path, "\n".join(rows) + "\n")

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "t": self.t.tolist(),
            "values": {name: values.tolist() for name, values in self.values.items()},
            "determined": dict(self.determined),
            "free": self.choices.shape[2],
            "multipliers": {name: values.tolist() for name, values in self.multipliers.items()},
        }


def inverse(system: System, motion: Any, weight: Mapping[str, float] | None) -> Inverse:
    """Find what a motion takes."""
    prepared = prepared_inverse(system)
    if motion is None:  # its programmes make it, or its drives
        motion = system.simulate() if system.holding else prepared.system.simulate()
    return prepared.along(*_moved(prepared.system, motion), weight)


@fact(START)
def prepared_inverse(system: System) -> _Inverse:
    """Return what finds what motions take, with code that is kept."""
    opened = [name for name in system.sections.get("controls", {}) if _is_open(system, name)]
    return _Inverse(_resting(_without_programmes(system), opened), opened)


def _is_open(system: System, name: str) -> bool:
    return "law" not in system.sections["controls"][name] and system.parameters.get(name) is None


def _without_programmes(system: System) -> System:
    programmes = system.sections.get("programme", {})
    return system.replace(programme=dict.fromkeys(programmes)) if programmes else system


def _resting(system: System, opened: list[str]) -> System:
    """Return a system in which controls without a law do nothing."""
    names = [name for name in opened if name in system.parameters]
    return system.replace(parameters=dict.fromkeys(names, 0.0)) if names else system


def _moved(system: System, motion: Any) -> tuple[Array, Array, Array, Array]:
    """Return t, q, v and q̈ of a motion."""
    if isinstance(motion, Run):
        names, found = motion.system.coordinates, (motion.t, motion.q, motion.v, motion.accelerations)
    elif isinstance(motion, Kinematics):
        names, found = motion.mechanism.coordinates, (motion.t, motion.q, motion.v, motion.a)
    else:
        given = table("motion", motion)
        if missing := [key for key in ("t", "q", "v", "a") if key not in given]:
            text = 'a motion is a run, kinematics, or rows by name, {"t": …, "q": …, "v": …, "a": …}'
            raise ModelError(f"{text}; {quoted(missing)} {'is' if len(missing) == 1 else 'are'} missing")
        t, *rows = (np.atleast_1d(array(key, given[key])) for key in ("t", "q", "v", "a"))
        rows = [np.atleast_2d(row) for row in rows]
        wanted = (len(t), len(system.coordinates))
        if any(row.shape != wanted for row in rows):
            shapes = ", ".join(str(row.shape) for row in rows)
            text = "q, v and a need a row for each time and a column for each coordinate"
            raise ModelError(f"{text}, {wanted}; got {shapes}")
        names, found = system.coordinates, (t, *rows)
    if tuple(names) != tuple(system.coordinates):
        own = quoted(system.coordinates[:6])
        raise ModelError(f"the motion has the coordinates {quoted(names[:6])}, not those of the system, {own}")
    if not all(np.all(np.isfinite(part)) for part in found):
        raise ModelError("the motion has values that are not finite")
    return tuple(np.asarray(part, dtype=float) for part in found)  # pyright: ignore[reportReturnType]


class _Inverse:
    def __init__(self, system: System, opened: list[str]):
        self.system, self.opened = system, opened
        if system.contacts:
            text = f"what contacts carry, here {quoted(system.contacts)}, is decided along a motion, and not by it"
            raise ModelError(f"{text}: take [contacts] away, or let constraints hold what is to stay closed")
        if system.blocks.rho:
            raise ModelError(
                "forces depend on reactions, as friction does, so that what a motion takes is not linear in them; "
                "give such forces as functions of the state"
            )
        names = [constraint.name for constraint in system.constraints]
        drives = getattr(system, "drives", {})
        rows = {name: [f"{name}.{drive.kind}"] for name, drive in drives.items()}
        self.driven = {name: names.index(row[0]) for name, row in rows.items() if row[0] in names}
        self.unknown = [*self.driven, *opened]
        if not self.unknown:
            raise ModelError("nothing is driven: there is no drive, and no control without a law")
        slopes = directions(system, tuple(opened))
        symbols = set(opened)
        if any({s.name for s in slope.free_symbols} & symbols for slope in slopes.values()):
            raise ModelError(f"the forces are not linear in {quoted(opened)}; let these act by `acts`")
        self.passive = [i for i in range(len(names)) if i not in self.driven.values()]

    def roots(self, weight: Mapping[str, float] | None) -> Array:
        """Return the square roots of R."""
        found, table_of = np.ones(len(self.unknown)), self.system.sections.get("controls", {})
        values = {name: value for name, value in self.system.parameters.items() if value is not None}
        for k, name in enumerate(self.unknown):
            if (own := table_of.get(name, {}).get("weight")) is not None:
                found[k] = np.sqrt(float(own.xreplace({se.Symbol(p): se.RealDouble(x) for p, x in values.items()})))
        for name, value in table("weight", weight).items():
            if name not in self.unknown:
                raise ModelError(f"`{str(name)[:60]}` is not driven; {nearest(str(name), self.unknown, 'driven are')}")
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < np.inf:
                raise ModelError(f"the weight of `{name}` is a positive number, got {value!r}")
            found[self.unknown.index(name)] = np.sqrt(value)
        return found

    @cached_property
    def kernels(self) -> tuple[Kernels, str]:
        """The kernels, and the name of the group that balances forces."""
        kernels = self.system.compile()
        return kernels, kernels.add(Balance(self.opened))

    def along(self, t: Array, q: Array, v: Array, a: Array, weight: Mapping[str, float] | None) -> Inverse:
        """Find u and λ at all times, in one call of native code."""
        roots, (kernels, group) = self.roots(weight), self.kernels
        inputs = kernels.inputs(t, q, v)
        zeros = np.zeros((len(t), kernels.s))
        out = kernels.run(group, "balance", np.hstack([inputs, a, zeros]))
        n, facts = kernels.n, kernels.facts(group)
        need, cut = out[:, :n], n + len(facts["A"])
        A, E = np.zeros((len(t), kernels.s, n)), np.zeros((len(t), n, len(self.opened)))
        for k, (i, j) in enumerate(facts["A"]):
            A[:, i, j] = out[:, n + k]
        for k, (j, u) in enumerate(facts["E"]):
            E[:, j, u] = out[:, cut + k]
        if not np.all(np.isfinite(out)):
            when = t[int(np.flatnonzero(~np.all(np.isfinite(out), axis=1))[0])]
            raise SimulationError(f"what the motion takes is not finite at t = {when:.6g}")
        E = np.concatenate([np.swapaxes(A[:, list(self.driven.values())], 1, 2), E], axis=2)
        g, psi, c = np.split(out[:, cut + len(facts["E"]) :], 3, axis=1)
        off = {"positions": (q, g), "velocities": (v, psi), "accelerations": (a, _times(A, a) - c)}
        self.warn_of_broken(t, off, A)
        sizes = np.sqrt(self.inertia(inputs))
        u, choices, loose, lam = self.solved(t, need, np.swapaxes(A[:, self.passive], 1, 2), E, roots, sizes)
        for k, name in enumerate(self.unknown):
            if name in self.opened:
                inputs[:, 1 + 2 * n + list(self.system.parameters).index(name)] = u[:, k]
        names = [self.system.constraints[i].name for i in self.passive]
        return Inverse(
            self.system,
            t,
            MappingProxyType(dict(zip(self.unknown, u.T, strict=True))),
            MappingProxyType({name: not free for name, free in zip(self.unknown, loose, strict=True)}),
            choices,
            MappingProxyType(dict(zip(names, lam.T, strict=True))),
            inputs,
        )

    def warn_of_broken(self, t: Array, off: Mapping[str, tuple[Array, Array]], A: Array) -> None:
        """Warn of a motion that the passive constraints do not allow, as rows of numbers may be.

        off: positions, velocities and accelerations, and what of the constraints they leave.
        """
        if not self.passive:
            return
        lengths = np.maximum(np.linalg.norm(A, axis=2), _SMALL)
        for what, (known, left) in off.items():
            beside = np.abs(left / lengths)[:, self.passive]
            k, i = np.unravel_index(int(np.argmax(beside)), beside.shape)
            if beside[k, i] > _BROKEN * np.abs(known).max() + _SMALL:
                name = self.system.constraints[self.passive[int(i)]].name
                text = f"the motion does not keep `{name}`: {what} are off by {beside[k, i]:.3g} at t = {t[k]:.6g}"
                warnings.warn(
                    f"{text}, so that what is found is not what the system takes", MotionWarning, stacklevel=4
                )
                return

    def inertia(self, inputs: Array) -> Array:
        """Return the diagonal of M at its largest, from what accelerations of one coordinate alone take."""
        kernels, group = self.kernels
        n, some = kernels.n, inputs[[0, len(inputs) // 2, -1]]
        a = np.vstack([np.zeros(n), np.eye(n)])
        rows = [np.repeat(some, n + 1, axis=0), np.tile(a, (len(some), 1)), np.zeros((len(some) * (n + 1), kernels.s))]
        takes = kernels.run(group, "balance", np.hstack(rows))[:, :n].reshape(len(some), n + 1, n)
        return np.abs(np.diagonal(takes[:, 1:] - takes[:, :1], axis1=1, axis2=2)).max(axis=0)

    def solved(
        self, t: Array, need: Array, At: Array, E: Array, roots: Array, sizes: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Return u, what may be added to it, which of it that changes, and λ; forces are measured by sizes.

        These are the roots of inertia: a direction may be none but for rounding, and is no measure. Only where
        there is no inertia it has to be.
        """
        acting = np.maximum(np.abs(E).max(axis=(0, 2)), np.abs(At).max(axis=(0, 2), initial=0.0))
        sizes = np.where(sizes > 0, sizes, np.where(acting > 0, acting, 1.0))
        need, At, E = need / sizes, At / sizes[:, None], E / sizes[:, None]
        Z = _null_spaces(At)
        G, y = np.swapaxes(Z, 1, 2) @ E / roots, np.einsum("tnm,tn->tm", Z, need)
        U, values, V = np.linalg.svd(G, full_matrices=True)
        largest = values.max(axis=1, keepdims=True, initial=0.0)
        rank = int(np.max(np.sum(values > _DEPENDENT * largest, axis=1), initial=0))
        part = np.einsum("tmr,tm->tr", U[:, :, :rank], y)
        tiny = values[:, :rank] <= _DEPENDENT * largest
        inner = np.where(tiny, 0.0, part / np.where(tiny, 1.0, values[:, :rank]))
        w = np.einsum("trk,tr->tk", V[:, :rank], inner)
        self._refuse_missed(t, need, y - np.einsum("tmk,tk->tm", G, w), Z)
        u = w / roots
        choices = np.swapaxes(V[:, rank:], 1, 2) / roots[:, None]
        loose = np.abs(V[:, rank:]).max(axis=(0, 1), initial=0.0) > _LOOSE
        left = need - np.einsum("tnk,tk->tn", E, u)
        lam = np.einsum("tsn,tn->ts", np.linalg.pinv(At, rcond=_DEPENDENT), left) if At.shape[2] else At[:, 0]
        return u, choices, loose, lam

    def _refuse_missed(self, t: Array, need: Array, missed: Array, Z: Array) -> None:
        """Refuse a motion that nothing of what is driven can make."""
        off, size = np.abs(missed).max(axis=1, initial=0.0), np.abs(need).max(initial=0.0)
        worst = int(np.argmax(off))
        if off[worst] <= _MISSED * size + _SMALL:
            return
        sides = np.abs(Z[worst] @ missed[worst])
        names = [self.system.coordinates[k] for k in np.argsort(-sides) if sides[k] > 0.1 * sides.max()][:4]
        text = f"{quoted(self.unknown)} cannot make this motion: at t = {t[worst]:.6g} it takes a force on"
        raise ModelError(f"{text} {quoted(names)}. Let a control act there, or give the force that is missing")


def _times(A: Array, a: Array) -> Array:
    """Return A a, one row for each time."""
    return np.einsum("tsn,tn->ts", A, a)


def _null_spaces(At: Array) -> Array:
    """Return orthonormal bases of what the columns do not reach, one for each time."""
    count, n, s = At.shape
    if not s:
        return np.broadcast_to(np.eye(n), (count, n, n))
    U, values, _ = np.linalg.svd(At, full_matrices=True)
    ranks = np.sum(values > _DEPENDENT * values.max(axis=1, keepdims=True, initial=0.0), axis=1)
    return U[:, :, int(ranks.max(initial=0)) :]
