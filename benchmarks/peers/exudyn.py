"""Exudyn: rods as planar bodies in absolute coordinates with revolute joints, generalised α (spectral radius 0.9).

Of its linear solvers and Newton methods the fastest at equal error: dense for the smallest systems, sparse for the
others; full Newton. Index 2 (trapezoidal) fails at the singular positions of the four-bars, as does the radius 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import exudyn as exu
import numpy as np
from exudyn import itemInterface as item

from peers.problems import Array, G, Problem, Run, timed

CODE = "Exudyn"
STEPS = {"pendulum": (1e-2, 1e-3, 1e-4), "four-bar": (4e-3, 2e-3, 1e-3), "chain": (2e-3, 1e-3, 5e-4)}
NEWTON = 1e-3  # relative tolerance: smaller ones cost up to three times more, at the same error
DENSE = 5  # bodies up to which dense matrices are faster


class Model:
    """A multibody system under construction; `nodes` are those whose coordinates are wanted."""

    def __init__(self):
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground = self.mbs.AddObject(item.ObjectGround())
        self.nodes: list = []

    def rod(self, place: Sequence[float], velocity: Sequence[float] = (0, 0, 0)) -> tuple:
        """Add a rod; return the markers of its ends."""
        mbs = self.mbs
        node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=list(place), initialVelocities=list(velocity)))
        body = mbs.AddObject(item.RigidBody2D(mass=1, inertia=1 / 12, nodeNumber=node))
        self.nodes.append(node)
        marker = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=[0, -G, 0]))
        return self.marker(body, -0.5), self.marker(body, 0.5)

    def marker(self, body: object, x: float) -> object:
        """Mark a point of a body."""
        return self.mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body, localPosition=[x, 0, 0]))

    def pin(self, here: object, there: object) -> None:
        """Join two markers."""
        self.mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[here, there]))

    def q(self) -> Array:
        """Return the coordinates."""
        kind, reference = exu.OutputVariableType.Coordinates, exu.ConfigurationType.Reference
        parts = [self.mbs.GetNodeOutput(n, kind) + self.mbs.GetNodeOutput(n, kind, reference) for n in self.nodes]
        return np.concatenate(parts)


def pendulum(_: int) -> Model:
    """Build a point on a massless rod, from the horizontal."""
    model = Model()
    mbs, start = model.mbs, [-1, 0]
    model.nodes = [mbs.AddNode(item.NodePoint2D(referenceCoordinates=start))]
    body = mbs.AddObject(item.MassPoint2D(mass=1, nodeNumber=model.nodes[0]))
    here, there = (mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=b)) for b in (model.ground, body))
    mbs.AddLoad(item.Force(markerNumber=there, loadVector=[0, -G, 0]))
    mbs.AddObject(item.DistanceConstraint(markerNumbers=[here, there], distance=1))
    return model


def four_bar(N: int) -> Model:
    """Build uprights and the bars between their tops."""
    model, tops = Model(), []
    for i in range(N + 1):
        foot, top = model.rod([i, 0.5, np.pi / 2], [0.5, 0, -1])
        model.pin(model.marker(model.ground, i), foot)
        tops.append(top)
    for i in range(N):
        left, right = model.rod([i + 0.5, 1, 0], [1, 0, 0])
        model.pin(tops[i], left)
        model.pin(right, tops[i + 1])
    return model


def chain(n: int) -> Model:
    """Build the chain, level and at rest."""
    model = Model()
    end = model.marker(model.ground, 0)
    for i in range(n):
        near, far = model.rod([i + 0.5, 0, 0])
        model.pin(end, near)
        end = far
    return model


MODELS: dict[str, Callable[[int], Model]] = {"pendulum": pendulum, "four-bar": four_bar, "chain": chain}


def chosen(h: float, until: float, bodies: int) -> exu.SimulationSettings:
    """Return the settings."""
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime = round(until / h), until
    integration.generalizedAlpha.spectralRadius = 0.9
    integration.newton.useModifiedNewton = False
    integration.newton.relativeTolerance = NEWTON
    solvers = exu.LinearSolverType
    settings.linearSolver.solverType = solvers.EXUdense if bodies <= DENSE else solvers.EigenSparse
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = until
    return settings


def runs(problem: Problem, settings: Sequence[float] | None = None) -> list[Run]:
    """Step at several sizes."""
    if problem.kind not in MODELS:
        return []

    def prepared(h: float) -> Run:
        def built() -> Model:
            model = MODELS[problem.kind](problem.size)
            model.mbs.Assemble()
            return model

        build, _ = timed(built)

        def go():
            model = built()
            asked = chosen(h, problem.until, len(model.nodes))
            seconds, _ = timed(lambda: model.mbs.SolveDynamic(asked, updateInitialValues=False, storeSolver=False))
            return seconds, model.q()

        return Run(CODE, f"generalised α, h = {h:g}", build, go)

    return [prepared(h) for h in settings or STEPS[problem.kind]]
