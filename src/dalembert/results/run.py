"""A computed motion and all that can be asked of it; what is not the motion itself is computed when it is asked for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import array
from dalembert.arrays import Array, read_only
from dalembert.errors import ModelError, MotionWarning, SimulationError
from dalembert.language.state_names import named_values
from dalembert.model.constraint import refuse_steered
from dalembert.model.sections.controls import with_laws
from dalembert.model.sections.functions import with_functions
from dalembert.model.settings import Settings
from dalembert.model.system import System
from dalembert.motion.conflicts import chosen_settings
from dalembert.motion.events import Occurrence
from dalembert.motion.impact import Impact
from dalembert.motion.loop import Motion, again, compute
from dalembert.native.values import Energies, SolvedStates
from dalembert.results.by_name import by_name
from dalembert.results.certificate import Certificate, certify
from dalembert.results.certificate.energy import Drift, energy_drift
from dalembert.results.measured import Measured

if TYPE_CHECKING:
    from dalembert.document.nodes import Section
    from dalembert.results.animation import Animation
    from dalembert.results.joint_forces import JointForce, Joints
    from dalembert.results.plots import Plot
    from dalembert.results.shares import Shares


def simulate(system: System, asked: Mapping[str, Any]) -> Run:
    """Compute the motion of a system with settings by name; warn where it ends early, ropes push, or events hide."""
    system = with_functions(system, asked.get("functions"))
    system, called = with_laws(system, asked.get("controls"))
    settings = chosen_settings(system, {**asked, "controls": called or None})
    run = Run(compute(system, settings))
    words = run.cautions
    if run.status == "failed" or (run.status == "stopped" and not run.message.startswith("event ")):
        text = f"the motion ends at t = {run.motion.times[-1]:.6g}: {run.message}"
        if settings.strict:
            raise SimulationError(text)
        words = (text, *words)
    for text in words:
        warnings.warn(text, MotionWarning, stacklevel=4)  # where `System.simulate` is called
    if settings.certify:
        _ = run.certificate
    return run


class Run(Measured):
    """A motion: `run.t`, `run["phi"]`, `run["phi'"]`, `run["phi''"]`, reactions, energies, residuals.

    The values are those at the samples that were asked for, else at the steps; `run.at(times)` gives states in between.

    status, message: "done", "stopped" or "failed", and why.
    note: what is to be said of the way, as that the system is stiff, with a remedy.
    steps, rejected, evaluations, projections: how many there were.
    guarded: how often accelerations were computed in the way that passes singular positions.
    choices: times and independent coordinates, of the form `independent`.
    build_s, wall_s: seconds for deriving and compiling (or reading what is kept), and for the motion.
    form, method, keep, rtol, atol, step: the settings.
    """

    def __init__(self, motion: Motion):
        self.motion, self.system = motion, motion.system
        sampled = motion.sample_times is not None
        self.t: Array = motion.sample_times[: len(motion.samples)] if sampled else motion.times  # pyright: ignore
        self._states = motion.samples if sampled else motion.states

    def __repr__(self) -> str:
        f = self.motion.facts
        end = f"until t = {self.motion.times[-1]:g}"
        return f"<Run {self.system.name!r} {end}: {f['status']}, {f['steps']} steps, {f['method']}, {f['form']}>"

    def __str__(self) -> str:
        return "\n".join([repr(self), *([f"  note: {self.note}"] if self.note else [])])

    def document(self) -> Section:
        """Return what is shown of the motion."""
        from dalembert.results.overview import run_document

        return run_document(self)

    def __getattr__(self, name: str) -> Any:
        """Give what is known of the computation: status, message, steps, evaluations, build_s, wall_s, …"""
        facts = self.__dict__["motion"].facts if "motion" in self.__dict__ else {}
        if name in facts:
            return facts[name]
        raise AttributeError(f"a run has no `{name}`")

    def __getitem__(self, name: str) -> Array:
        """Return a coordinate, velocity, acceleration, quasi-velocity, state, control, output, p_x, H or `t`."""
        return by_name(self, name)

    # --- the motion --------------------------------------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """Positions, one row for each time; they can be read only."""
        return read_only(self._states[:, : self.motion.kernels.n])

    @cached_property
    def v(self) -> Array:
        """Velocities, one row for each time; they can be read only."""
        return read_only(self._velocities(self.t, self._states))

    @property
    def note(self) -> str:
        """What is to be said of a motion that came to its end: that it is stiff, with a remedy; else nothing.

        Of one that ended early it is part of the message.
        """
        return "" if self.message else self.remark

    def at(self, times: Any) -> tuple[Array, Array]:
        """Return positions and velocities at any times of the motion, with the accuracy of its steps."""
        times = self._times(times)
        n, flat = self.motion.kernels.n, np.atleast_1d(times).ravel()
        states = self._between(flat)
        q, v = states[:, :n], self._velocities(flat, states)
        return q.reshape(*times.shape, n), v.reshape(*times.shape, n)

    def resampled(self, times: Any) -> Run:
        """Return the same motion with its values at other times."""
        flat = np.atleast_1d(self._times(times)).ravel()
        return type(self)(replace(self.motion, sample_times=flat, samples=self._between(flat)))

    def __add__(self, other: Run) -> Run:
        """Join a run that goes on where this one ends: one motion of both, and one certificate."""
        from dalembert.results.joined_run import join

        return join(self, other) if isinstance(other, Run) else NotImplemented

    def part(self, rows: slice) -> Run:
        """Return the same motion at some of its samples."""
        return Run(replace(self.motion, sample_times=self.t[rows], samples=self._states[rows]))

    def _times(self, times: Any) -> Array:
        """Read times, which must lie in the motion."""
        times = array("times", times)
        first, last = self.motion.times[0], self.motion.times[-1]
        if times.size and (not np.all(np.isfinite(times)) or times.min() < first or times.max() > last):
            asked = f"{times.min():g} to {times.max():g}"
            raise ModelError(f"the motion is known from t = {first:g} to {last:g}; asked for {asked}")
        return times

    def _between(self, flat: Array) -> Array:
        """Return the states at some times, (q, v) or in canonical form (q, p)."""
        motion = self.motion
        times, states = motion.times, motion.states
        place = np.searchsorted(times, flat, side="left")
        found = states[np.minimum(place, len(times) - 1)]
        inner = np.flatnonzero(times[np.minimum(place, len(times) - 1)] != flat)  # the others are those of steps
        step = place[inner] - 1
        found[inner] = motion.between(step, (flat[inner] - times[step]) / (times[step + 1] - times[step]))
        return found

    def _velocities(self, t: Array, states: Array) -> Array:
        n, kernels = self.motion.kernels.n, self.motion.kernels
        if len(t) == 0:
            return states[:, n:]
        return kernels.from_state(t, states[:, :n], states[:, n:], self.motion.parameters_at(t))

    # --- what follows from it ----------------------------------------------------------------------------------------

    @cached_property
    def _points(self) -> tuple[Array, Array, Array, Array]:
        return self.t, self.q, self.v, self.motion.parameters_at(self.t)

    @cached_property
    def _inputs(self) -> Array:
        return self.motion.kernels.inputs(*self._points)

    @cached_property
    def _solution(self) -> SolvedStates:
        return self.motion.kernels.solved(self._inputs)

    @property
    def accelerations(self) -> Array:
        """Accelerations, one row for each time."""
        return self._solution.acceleration

    @cached_property
    def multipliers(self) -> Mapping[str, Array]:
        """λ of every constraint, with the sign of M q̈ = f + Aᵀλ; of redundant ones the share of least norm."""
        names = [constraint.name for constraint in self.system.written.constraints]  # those of sticking are behind
        return dict(zip(names, self._solution.multipliers.T, strict=False))

    def reaction(self, name: str) -> Array:
        """Return the reaction of a constraint, one row for each time, one column for each coordinate."""
        refuse_steered(self.system.constraint(name))
        return self.motion.kernels.reaction(name, *self._points)

    def joint(
        self, names: str | Sequence[str], on: str | None = None, axes: str = "world", at: Any = None
    ) -> JointForce:
        """Return force and moment of a joint or drive of a mechanism on a body, one row for each time.

        names: joints, drives, conditions such as `A.y`, springs, loads, …; of several the sum. on: a body; without one
        the second of the joint, or the first if the second is the ground. axes: "world", "body" or "joint". at: a point
        of the body by name, its coordinates in the body frame, or "centre"; without one where the joint acts.
        """
        from dalembert.results.joint_extremes import with_extremes

        return with_extremes(self, self.joints.force(names, on, axes, at), at)

    @cached_property
    def joints(self) -> Joints:
        """The forces in all joints of a mechanism."""
        from dalembert.model.mechanism.mechanism import Mechanism
        from dalembert.results.joint_forces import Joints

        if not isinstance(self.system, Mechanism):
            raise ModelError("a system without bodies has no joints; `run.reaction` gives reactions by coordinate")
        return Joints(self.system, self._inputs, self._solution)

    @cached_property
    def shares(self) -> Shares:
        """The constraints that share loads, so that the reaction of each alone is not determined."""
        from dalembert.results.shares import Shares

        return self.joints.shares if self._is_mechanism else Shares(self.system, self._inputs, self._solution)

    @property
    def undetermined(self) -> list[str]:
        """What of the reactions is not determined, in words; nothing if no constraints repeat each other."""
        return [*self.joints.notes.values()] if self._is_mechanism else self.shares.notes()

    @property
    def _is_mechanism(self) -> bool:
        from dalembert.model.mechanism.mechanism import Mechanism

        return isinstance(self.system, Mechanism)

    @cached_property
    def conditioning(self) -> Array:
        """The smallest squared sine of the angle between a row of A and those before it; zero where rank is lost."""
        return self._solution.conditioning

    @cached_property
    def residuals(self) -> tuple[Array, Array]:
        """g and ψ, one row for each time, one column for each constraint."""
        return self.motion.kernels.residuals(*self._points)

    @property
    def residual(self) -> dict[str, float]:
        """The largest residuals of positions and velocities."""
        g, psi = (float(np.abs(values).max(initial=0.0)) for values in self.residuals)
        return {"position": g, "velocity": psi}

    @cached_property
    def energies(self) -> Energies:
        """Energies and powers along the motion."""
        return self.motion.kernels.energies(*self._points)

    @property
    def energy(self) -> Array | None:
        """T₂ − T₀ + V along the motion; None for systems given by matrices."""
        return None if self.system.kinetic is None else self.energies.energy

    @cached_property
    def drift(self) -> Drift | None:
        """How the energy balance holds at the steps; None where there is none to draw up."""
        return energy_drift(self)

    @cached_property
    def certificate(self) -> Certificate:
        """How well the motion satisfies what it must; made when it is first asked for, with a warning if it fails."""
        memory = self.motion.memory
        if "certificate" not in memory:
            memory["certificate"] = certify(self)
            if not memory["certificate"].ok:
                warnings.warn(f"certificate: {memory['certificate'].reason}", MotionWarning, stacklevel=3)
        return memory["certificate"]

    def global_error(self) -> Array:
        """Estimate the error of the positions, one row for each time, from a second run a hundred times as accurate.

        Of methods with a fixed step: with half the step, from which the order of the method gives the error.
        """
        facts, motion = self.motion.facts, self.motion
        end = float(motion.times[-1])
        if facts["step"] is None:
            finer = {"rtol": max(facts["rtol"] / 100, 1e-14), "atol": max(facts["atol"] / 100, 1e-16)}
            factor = 1.0
        else:
            finer = {"step": facts["step"] / 2}
            factor = 1 / (1 - 0.5**motion.engine.order)
        finer |= {"until": end, "samples": None, "max_steps": Settings.max_steps}
        other = Run(again(motion, **finer))
        reached = self.t <= other.motion.times[-1]
        return np.abs(self.q[reached] - other.at(self.t[reached])[0]) * factor

    @property
    def events(self) -> list[Occurrence]:
        """What was watched for and happened, in order: name, t, q, v."""
        return self.motion.occurrences

    @property
    def impacts(self) -> list[Impact]:
        """The impacts at contacts, in order: t, impulses by contact and by constraint, rates of gaps, energy lost."""
        return self.motion.impacts

    def final_reactions(self) -> dict[str, list[float]]:
        """Return the reaction of every constraint at the end, one value for each coordinate."""
        from dalembert.results.plain import final_reactions

        return final_reactions(self)

    def final_joints(self) -> dict[str, dict[str, Any]]:
        """Return force and moment of the joints and drives of a mechanism at the end; None if it is not determined."""
        from dalembert.results.plain import final_joints

        return final_joints(self)

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON holds it."""
        from dalembert.results.plain import as_dict

        return as_dict(self)

    def to_dataframe(self) -> Any:
        """Return times, coordinates, velocities and multipliers as a pandas DataFrame."""
        from dalembert.results.motion_files import to_dataframe

        return to_dataframe(self)

    def plot(self, what: str = "coordinates", names: str | Sequence[str] | None = None, *, dark: bool = False) -> Plot:
        """Draw the motion as a matplotlib Figure: `run.plot("phase").savefig("phase.png")`.

        what: coordinates, velocities, accelerations, states, controls, outputs, phase, momenta, reactions,
        multipliers, energy, residuals; of mechanisms also joints. names: what of it; without them all, or those that
        vary most.
        """
        from dalembert.results.plots import plot

        return plot(self, what, names, dark=dark)

    def report(self, path: str | Path) -> None:
        """Write all that is known of the motion as one page of HTML that needs nothing else; it appears complete."""
        from dalembert.results.report import write_report

        write_report(self, path)

    def animate(
        self,
        *,
        dark: bool | None = None,
        trace: str | Iterable[str] = (),
        reactions: bool = False,
        speed: float | None = None,
    ) -> Animation:
        """Prepare the motion for watching: `run.animate().save("motion.html")`, or .gif, .mp4, .png.

        dark: background; without it a page follows the reader, and files are light. trace: points whose curves are
        drawn: joints, `body.point` and bodies of a mechanism, points of the drawing. reactions: draw the forces in
        joints, or the reactions at points. speed: 1 for real time; without it that, or slower or faster if the motion
        is very short or long.
        """
        from dalembert.results.animation import animate

        return animate(self, dark=dark, trace=trace, reactions=reactions, speed=speed)

    def save(self, path: str | Path) -> None:
        """Write the motion to .npz, .csv, .parquet or .mat (MATLAB); the file appears when it is complete."""
        from dalembert.results.motion_files import save

        save(self, path)

    def final(self) -> dict[str, float]:
        """Return t, positions, velocities and states at the end, by name."""
        t, q, v = self.end
        return {"t": t, **named_values(self.system.coordinates, q.tolist(), v.tolist())}

    @property
    def end(self) -> tuple[float, Array, Array]:
        """The time, positions and velocities at the end."""
        times, states = self.motion.times[-1:], self.motion.states[-1:]
        return float(times[0]), states[0, : self.motion.kernels.n], self._velocities(times, states)[0]
