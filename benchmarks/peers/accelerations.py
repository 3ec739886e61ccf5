"""What one acceleration takes in other codes, on the chains and four-bars of the gallery, and on a branching tree.

Pinocchio: the articulated-body algorithm, joint coordinates, no joint forces. MuJoCo: its forward dynamics; four-bars
are closed by soft constraints. Exudyn has no call for it: one Newton iteration of its implicit step is taken, which
assembles and solves the same system in the same absolute coordinates, joint forces included.
"""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable

import numpy as np

from peers.problems import Array, G

LONGEST = 300  # bodies: Pinocchio's workspace grows with their third power


def installed(name: str) -> bool:
    """Tell whether a package can be imported."""
    return importlib.util.find_spec(name) is not None


def best(action: Callable[[], object], seconds: float = 0.3, least: int = 3) -> float:
    """Return the shortest time of one call, of many."""
    found, start, calls = math.inf, time.perf_counter(), 0
    while calls < least or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        action()
        found, calls = min(found, time.perf_counter() - before), calls + 1
    return found


def repeated(call: Callable[[], object]) -> float:
    """Return µs of one call, timed in batches."""
    batch = max(1, round(1e-3 / max(best(call, 0.01), 1e-7)))

    def many() -> None:
        for _ in range(batch):
            call()

    return best(many) / batch * 1e6


def carriers(kind: str, bodies: int) -> list[int]:
    """Return what carries each body, by number from 1 on; 0 is the ground. In a tree every body carries two."""
    return [i // 2 if kind == "tree" else i - 1 for i in range(1, bodies + 1)]


def angles(bodies: int) -> tuple[Array, Array]:
    """Return joint angles and speeds of a chain that is bent everywhere."""
    k = np.arange(bodies)
    return 0.4 * np.sin(1.3 * k + 0.2), 0.7 * np.cos(0.9 * k)


# --- Pinocchio -------------------------------------------------------------------------------------------------------


def pinocchio_model(kind: str, bodies: int):
    """Build a chain or a tree; in space its axes are y and z by turns."""
    import pinocchio as pin

    model, spatial = pin.Model(), kind != "planar"
    thick = 0.1 if spatial else 0.0
    across = (1 + thick**2) / 12
    inertia = pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag([thick**2 / 6, across, across]))
    for i, carrier in enumerate(carriers(kind, bodies)):
        placement = pin.SE3(np.eye(3), np.array([1.0 if carrier else 0.0, 0, 0]))
        joint = pin.JointModelRY() if spatial and i % 2 == 0 else pin.JointModelRZ()
        number = model.addJoint(carrier, joint, placement, f"joint{i}")
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
    model.gravity.linear = np.array([0, 0, -G] if spatial else [0, -G, 0])
    return model


def pinocchio(kind: str, size: int) -> float | None:
    """Time its articulated-body algorithm."""
    if kind == "four-bar" or size > LONGEST or not installed("pinocchio"):
        return None
    import pinocchio as pin

    model = pinocchio_model(kind, size)
    data, tau = model.createData(), np.zeros(size)
    q, v = angles(size)
    return repeated(lambda: pin.aba(model, data, q, v, tau))


def motion(kind: str, bodies: int) -> tuple[Array, Array, Array] | None:
    """Return q, v of a bent chain or tree in the coordinates of the bodies, and the accelerations of their centres."""
    if bodies > LONGEST or not installed("pinocchio"):
        return None
    import pinocchio as pin

    model = pinocchio_model(kind, bodies)
    data = model.createData()
    q, v = angles(bodies)
    a = pin.aba(model, data, q, v, np.zeros(bodies)).copy()
    pin.forwardKinematics(model, data, q, v, a)
    centre = pin.SE3(np.eye(3), np.array([0.5, 0, 0]))
    places, speeds, accelerations = [], [], []
    for i in range(1, bodies + 1):
        here, speed = data.oMi[i] * centre, centre.actInv(data.v[i])
        fast = centre.actInv(data.a[i])
        R, w = here.rotation, speed.angular
        acceleration = R @ (fast.linear + np.cross(w, speed.linear))
        if kind != "planar":
            e1, e2, e3, e0 = pin.Quaternion(R).coeffs()
            E = np.array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])
            places += [*here.translation, e0, e1, e2, e3]
            speeds += [*(R @ speed.linear), *(E.T @ w / 2)]
            accelerations += [*acceleration]
        else:
            places += [*here.translation[:2], np.arctan2(R[1, 0], R[0, 0])]
            speeds += [*(R @ speed.linear)[:2], w[2]]
            accelerations += [*acceleration[:2]]
    return np.array(places), np.array(speeds), np.array(accelerations)


# --- MuJoCo ----------------------------------------------------------------------------------------------------------


def mujoco_chain(kind: str, size: int):
    """Build a chain body by body: its reader of files does not go as deep."""
    import mujoco as mj

    spec = mj.MjSpec()
    spec.option.gravity = [0, 0, -G] if kind == "spatial" else [0, -G, 0]
    spec.option.jacobian = mj.mjtJacobian.mjJAC_SPARSE
    spec.option.disableflags = mj.mjtDisableBit.mjDSBL_CONTACT
    thick = 0.1 if kind == "spatial" else 1e-4  # of nothing it takes no inertia
    across = (1 + thick**2) / 12
    body, inertia = spec.worldbody, [thick**2 / 6, across, across]
    for i in range(size):
        place = [float(i > 0), 0, 0]
        body = body.add_body(pos=place, mass=1, ipos=[0.5, 0, 0], inertia=inertia, explicitinertial=True)
        axis = [0, 1, 0] if kind == "spatial" and i % 2 == 0 else [0, 0, 1]
        body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=axis)
    return spec.compile()


def mujoco(kind: str, size: int) -> float | None:
    """Time its forward dynamics."""
    if kind == "tree" or not installed("mujoco"):
        return None
    import mujoco as mj

    from peers.mujoco import four_bar, four_bar_velocities

    model = mj.MjModel.from_xml_string(four_bar(size, 1e-3)) if kind == "four-bar" else mujoco_chain(kind, size)
    data = mj.MjData(model)
    if kind == "four-bar":
        data.qvel[:] = four_bar_velocities(model, size)
    else:
        data.qpos[:], data.qvel[:] = angles(size)
    return repeated(lambda: mj.mj_forward(model, data))


# --- Exudyn ----------------------------------------------------------------------------------------------------------


def exudyn(kind: str, size: int) -> float | None:
    """Time a Newton iteration of its implicit step."""
    if kind == "tree" or not installed("exudyn"):
        return None
    from peers.exudyn import MODELS, chosen

    if kind == "spatial":
        mbs, bodies = spatial_chain(size), size
    else:
        model = MODELS["four-bar" if kind == "four-bar" else "chain"](size)
        mbs, bodies = model.mbs, len(model.nodes)
    mbs.Assemble()
    settings = chosen(1e-3, 1e-3 * max(3, 300 // bodies), bodies)

    def seconds() -> float:
        before = time.perf_counter()
        mbs.SolveDynamic(settings, updateInitialValues=False, storeSolver=True)
        return (time.perf_counter() - before) / mbs.sys["dynamicSolver"].it.newtonJacobiCount

    return min(seconds() for _ in range(3)) * 1e6


def spatial_chain(size: int):
    """Build the chain in space."""
    import exudyn as exu
    from exudyn import utilities as util

    mbs = exu.SystemContainer().AddSystem()
    before = mbs.AddObject(util.ObjectGround())
    across = (1 + 0.1**2) / 12
    for i in range(size):
        inertia = util.RigidBodyInertia(mass=1, inertiaTensor=np.diag([0.1**2 / 6, across, across]))
        body = mbs.CreateRigidBody(inertia=inertia, referencePosition=[i + 0.5, 0, 0], gravity=[0, 0, -G])
        axis = [0, 1, 0] if i % 2 == 0 else [0, 0, 1]
        mbs.CreateRevoluteJoint(bodyNumbers=[before, body], position=[i, 0, 0], axis=axis, useGlobalFrame=True)
        before = body
    return mbs


PEERS: dict[str, Callable[[str, int], float | None]] = {"Pinocchio": pinocchio, "MuJoCo": mujoco, "Exudyn": exudyn}
