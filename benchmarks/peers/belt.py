"""The block on a belt, 100 periods long, by friction of MuJoCo and of Exudyn, beside exact sticking and slipping.

x'' + x = F, |F| = 1/(1 + 3 |x' - 0.2|) while it slips, at most 1 while it sticks. Neither peer has such a law: the size
of the friction is set before every step. MuJoCo's friction is a soft constraint, as stiff as the step allows, here in
the coordinate of the block on a belt which nothing slows down; Exudyn's is rounded off over a small velocity.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from peers.problems import Array, timed

PERIOD = 12.0010312948305786  # in 18 digits; where it begins was published (Leine, van Campen et al. 1998)
PERIODS, SPEED = 100, 0.2
UNTIL = PERIODS * PERIOD

Measured = tuple[str, str, float, float]  # code, setting, seconds, error of the period


def size(slip: float) -> float:
    """Return the size of the friction that slips."""
    return 1.0 / (1.0 + 3.0 * abs(slip))


def period_error(t: Array, x: Array) -> float:
    """Return the error of the mean period, by passages of x = 0 downwards, after two periods to begin with."""
    k = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    at = t[k] + (t[k + 1] - t[k]) * x[k] / (x[k] - x[k + 1])
    at = at[at > 2 * PERIOD]
    return float(abs((at[-1] - at[0]) / (len(at) - 1) - PERIOD) / PERIOD)


def own(rtol: float) -> Measured:
    """Compute it exactly."""
    from dalembert import example

    system = example("block-on-belt")
    system.simulate(1.0)
    seconds, run = timed(lambda: system.simulate(UNTIL, rtol=rtol, atol=rtol))
    slips = np.array([event.t for event in run.events if event.kind == "slip"])[2:]
    error = abs(np.diff(slips).mean() - PERIOD) / PERIOD
    return "dalembert", f"tolerance {rtol:g}, {len(run.motion.times) - 1:,} steps", seconds, float(error)


def mujoco(h: float) -> Measured:
    """Let a block slide on a belt of great mass; a tendon is the spring."""
    import mujoco as mj

    text = f"""<mujoco><option timestep="{h}" gravity="0 0 0" integrator="implicitfast"/><worldbody>
      <body name="belt"><joint name="b" type="slide" axis="1 0 0"/>
        <inertial pos="0 0 0" mass="1e9" diaginertia="1 1 1"/>
        <body name="block"><joint name="s" type="slide" axis="1 0 0" frictionloss="1"
            solreffriction="{2 * h} 1" solimpfriction="0.9999 0.9999 0.001 0.5 2"/>
          <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody>
      <tendon><fixed stiffness="1" springlength="0"><joint joint="b" coef="1"/>
        <joint joint="s" coef="1"/></fixed></tendon>
    </mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    count = round(UNTIL / h)
    x, loss, v = np.zeros(count), model.dof_frictionloss, data.qvel
    data.qpos[:], data.qvel[:] = (0.0, 0.5), (SPEED, 0.0)

    def run() -> None:
        for k in range(count):
            loss[1] = size(v[1])
            mj.mj_step(model, data)
            x[k] = data.qpos[0] + data.qpos[1]

    seconds, _ = timed(run)
    return "MuJoCo", f"steps of {h:g}", seconds, period_error(h * np.arange(1, count + 1), x)


def exudyn(h: float, zone: float) -> Measured:
    """Let a mass slide with friction that is proportional to the velocity in a small zone."""
    import exudyn as exu
    from exudyn import itemInterface as item

    mbs = exu.SystemContainer().AddSystem()
    node, belt = (
        mbs.AddNode(item.Node1D(referenceCoordinates=[0], initialCoordinates=[x], initialVelocities=[SPEED]))
        for x in (0.5, 0.0)
    )
    mbs.AddObject(item.Mass1D(physicsMass=1, nodeNumber=node))
    mbs.AddObject(item.Mass1D(physicsMass=1e9, nodeNumber=belt))
    ground = mbs.AddNode(item.NodePointGround())
    ends = [mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=n, coordinate=0)) for n in (ground, belt, node)]
    mbs.AddObject(item.CoordinateSpringDamper(markerNumbers=[ends[0], ends[2]], stiffness=1))
    rub = mbs.AddObject(
        item.CoordinateSpringDamperExt(markerNumbers=ends[1:], dynamicFrictionForce=1.0, frictionProportionalZone=zone)
    )
    times, places = [], []
    kinds = exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t

    def before(mbs: exu.MainSystem, t: float) -> bool:
        x, v = (float(np.ravel(mbs.GetNodeOutput(node, kind))[0]) for kind in kinds)
        mbs.SetObjectParameter(rub, "dynamicFrictionForce", size(v - SPEED))
        times.append(t)
        places.append(x)
        return True

    mbs.SetPreStepUserFunction(before)
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(UNTIL / h), UNTIL
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    seconds, _ = timed(lambda: mbs.SolveDynamic(settings))
    return "Exudyn", f"steps of {h:g}, zone {zone:g}", seconds, period_error(np.array(times), np.array(places))


def runs() -> list[Callable[[], Measured]]:
    """Return what is measured."""
    found: list[Callable[[], Measured]] = [lambda r=r: own(r) for r in (1e-6, 1e-9, 1e-12)]
    found += [lambda h=h: mujoco(h) for h in (1e-2, 1e-3, 1e-4)]
    return found + [lambda h=h, z=z: exudyn(h, z) for h, z in ((1e-2, 1e-2), (1e-3, 1e-3), (1e-3, 1e-4))]
