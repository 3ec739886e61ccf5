"""Problems as SymPy's own documentation and tests pose them."""

from __future__ import annotations

import sympy as sp
from sympy.physics import mechanics as me
from sympy.physics.mechanics import dynamicsymbols


def rolling_disc():
    """SymPy's documentation, "A rolling disc using Kane's method": quasi-speeds, the contact at rest."""
    q1, q2, q3 = dynamicsymbols("q1 q2 q3")
    u1, u2, u3 = dynamicsymbols("u1 u2 u3")
    r, m, g = sp.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    w = R.ang_vel_in(N)
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    contact = me.Point("C")
    contact.set_vel(N, 0)
    centre = contact.locatenew("Dmc", r * L.z)
    centre.v2pt_theory(contact, N, R)
    inertia = me.inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
    kd = [sp.trigsimp(w.dot(axis)) - u for axis, u in zip((L.x, L.y, L.z), (u1, u2, u3), strict=True)]
    disc = me.RigidBody("Disc", centre, R, m, (inertia, centre))
    return me.KanesMethod(
        N, q_ind=[q1, q2, q3], u_ind=[u1, u2, u3], kd_eqs=kd, bodies=[disc], forcelist=[(centre, -m * g * Y.z)]
    )


def rolling_disc_with_constraints():
    """SymPy's documentation, the same with constraint forces: five speeds, two of them dependent, no contact place."""
    q1, q2, q3 = dynamicsymbols("q1 q2 q3")
    u1, u2, u3, u4, u5 = dynamicsymbols("u1:6")
    r, m, g = sp.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    w = R.ang_vel_in(N)
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    contact = me.Point("C")
    contact.set_vel(N, u4 * L.x + u5 * L.y)
    centre = contact.locatenew("Dmc", r * L.z)
    centre.v2pt_theory(contact, N, R)
    inertia = me.inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
    kd = [w.dot(axis) - u for axis, u in zip((L.x, L.y, L.z), (u1, u2, u3), strict=True)]
    disc = me.RigidBody("Disc", centre, R, m, (inertia, centre))
    return me.KanesMethod(
        N, q_ind=[q1, q2, q3], u_ind=[u1, u2, u3], u_dependent=[u4, u5], kd_eqs=kd, velocity_constraints=[u4, u5],
        bodies=[disc], forcelist=[(centre, -m * g * Y.z)],
    )  # fmt: skip


def rolling_disc_with_place():
    """The same with the place of the contact as further coordinates: more coordinates than speeds."""
    method = rolling_disc()
    x, y = dynamicsymbols("x y")
    q1, q2, q3 = method.q
    u1, u2, u3 = method.u
    r = sp.Symbol("r")
    spin = q3.diff()
    kd = [
        q1.diff() * sp.sin(q2) + q3.diff() - u2,
        q2.diff() - u1,
        q1.diff() * sp.cos(q2) - u3,
        x.diff() - r * spin * sp.cos(q1),
        y.diff() - r * spin * sp.sin(q1),
    ]
    return me.KanesMethod(
        method._inertial, q_ind=[q1, q2, q3, x, y], u_ind=[u1, u2, u3], kd_eqs=kd, bodies=method.bodies,
        forcelist=method.loads,
    )  # fmt: skip


def four_bar():
    """SymPy's documentation, "A four bar linkage": links, joints and a loop that is closed by constraints."""
    link_lengths = sp.symbols("l1:5")
    rho = sp.Symbol("rho")
    q1, q2, q3, u1, u2, u3 = dynamicsymbols("q1:4, u1:4")
    frames = [me.ReferenceFrame(f"L{k}") for k in range(1, 5)]
    masses = [length * rho for length in link_lengths]
    bodies = []
    for k, (frame, length, mass) in enumerate(zip(frames, link_lengths, masses, strict=True), 1):
        centre = me.Point(f"M{k}")
        inertia = me.inertia(frame, mass * length**2 / 120, mass * length**2 / 12, mass * length**2 / 12)
        bodies.append(me.RigidBody(f"link{k}", centre, frame, mass, (inertia, centre)))
    one, two, three, four = bodies
    l1, l2, l3, l4 = link_lengths
    joints = [
        me.PinJoint(
            f"J{k}", parent, child, q, u, parent_point=length * parent.x / 2, child_point=-other * child.x / 2,
            joint_axis=parent.z,
        )
        for k, parent, child, q, u, length, other in (
            (1, one, two, q1, u1, l1, l2), (2, two, three, q2, u2, l2, l3), (3, three, four, q3, u3, l3, l4),
        )
    ]  # fmt: skip
    system = me.System.from_newtonian(one)
    system.add_joints(*joints)
    start = one.masscenter.locatenew("O", -l1 * one.x / 2)
    end = four.masscenter.locatenew("P", l4 * four.x / 2)
    loop = end.pos_from(start)
    system.add_holonomic_constraints(loop.dot(one.x), loop.dot(one.y))
    system.q_ind, system.q_dep = [q1], [q2, q3]
    system.u_ind, system.u_dep = [u1], [u2, u3]
    system.apply_uniform_gravity(-sp.Symbol("g") * one.y)
    return system


def constrained_pendulum():
    """A pendulum in Cartesian coordinates by LagrangesMethod, with friction."""
    x, y = dynamicsymbols("x y")
    m, g, l, d = sp.symbols("m g l d")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x + y * N.y)
    P.set_vel(N, x.diff() * N.x + y.diff() * N.y)
    bob = me.Particle("bob", P, m)
    bob.potential_energy = m * g * y
    return me.LagrangesMethod(
        me.Lagrangian(N, bob), [x, y], hol_coneqs=[x**2 + y**2 - l**2], bodies=[bob], frame=N,
        forcelist=[(P, -d * P.vel(N))],
    )  # fmt: skip


def sleigh_by_lagrange():
    """Chaplygin's sleigh: a constraint on velocities that cannot be integrated."""
    x, y, phi = dynamicsymbols("x y phi")
    m, J, a = sp.symbols("m J a")
    t = dynamicsymbols._t
    vx, vy = (x + a * sp.cos(phi)).diff(t), (y + a * sp.sin(phi)).diff(t)
    T = m * (vx**2 + vy**2) / 2 + J * phi.diff() ** 2 / 2
    return me.LagrangesMethod(T, [x, y, phi], nonhol_coneqs=[-x.diff() * sp.sin(phi) + y.diff() * sp.cos(phi)])


def spring_and_damper():
    """SymPy's documentation of System.form_eoms with LagrangesMethod."""
    q, qd = dynamicsymbols("q"), dynamicsymbols("q", 1)
    m, k, b = sp.symbols("m k b")
    wall = me.RigidBody("W")
    system = me.System.from_newtonian(wall)
    bob = me.Particle("P", mass=m)
    bob.potential_energy = k * q**2 / 2
    system.add_joints(me.PrismaticJoint("J", wall, bob, q, qd))
    system.add_loads((bob.masscenter, -b * qd * system.x))
    return system


def cart_pole():
    """SymPy's documentation of System: a cart with a pendulum, a force on the cart, an actuator."""
    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    g, l, mc, mp, k = sp.symbols("g l m_c m_p k")
    F = dynamicsymbols("F")
    rail, cart, bob = me.RigidBody("rail"), me.RigidBody("cart", mass=mc), me.Particle("bob", mass=mp)
    frame = me.ReferenceFrame("bob_frame")
    system = me.System.from_newtonian(rail)
    slider = me.PrismaticJoint("slider", rail, cart, q1, u1, joint_axis=rail.x)
    pin = me.PinJoint("pin", cart, bob, q2, u2, joint_axis=cart.z, child_interframe=frame, child_point=l * frame.y)
    system.add_joints(slider, pin)
    system.apply_uniform_gravity(-g * system.y)
    system.add_loads((cart.masscenter, F * rail.x))
    system.add_actuators(me.TorqueActuator(k * q2, cart.z, cart, rail))
    return system


def spatial_pendulum():
    """A rigid body on a ball joint, its speeds the components of its angular velocity."""
    wall, centre, frame = me.RigidBody("W"), me.Point("C"), me.ReferenceFrame("B")
    inertia = me.inertia(frame, *sp.symbols("A B C"))
    body = me.RigidBody("B", centre, frame, sp.Symbol("m"), (inertia, centre))
    system = me.System.from_newtonian(wall)
    joint = me.SphericalJoint("S", wall, body, child_point=sp.Symbol("l") * body.z, rot_type="BODY", rot_order=123)
    system.add_joints(joint)
    system.apply_uniform_gravity(-sp.Symbol("g") * wall.z)
    return system


def bicycle():
    """The Whipple bicycle of SymPy's test of KanesMethod: a configuration constraint, wheels without angles."""
    q1, q2, q4, q5 = dynamicsymbols("q1 q2 q4 q5")
    u1, u2, u3, u4, u5, u6 = dynamicsymbols("u1:7")
    names = "WFrad WRrad htangle forkoffset forklength framelength forkcg1 forkcg3 framecg1 framecg3 Iwr11 Iwr22"
    WFrad, WRrad, htangle, forkoffset, forklength, framelength, forkcg1, forkcg3, framecg1, framecg3, Iwr11, Iwr22 = (
        sp.symbols(names)
    )
    Iwf11, Iwf22, Iframe11, Iframe22, Iframe33, Iframe31, Ifork11, Ifork22, Ifork33, Ifork31, g = sp.symbols(
        "Iwf11 Iwf22 Iframe11 Iframe22 Iframe33 Iframe31 Ifork11 Ifork22 Ifork33 Ifork31 g"
    )
    mframe, mfork, mwf, mwr = sp.symbols("mframe mfork mwf mwr")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    R = Y.orientnew("R", "Axis", [q2, Y.x])
    Frame = R.orientnew("Frame", "Axis", [q4 + htangle, R.y])
    WR = me.ReferenceFrame("WR")
    TempFrame = Frame.orientnew("TempFrame", "Axis", [-htangle, Frame.y])
    Fork = Frame.orientnew("Fork", "Axis", [q5, Frame.x])
    TempFork = Fork.orientnew("TempFork", "Axis", [-htangle, Fork.y])
    WF = me.ReferenceFrame("WF")
    WR_cont = me.Point("WR_cont")
    WR_mc = WR_cont.locatenew("WR_mc", WRrad * R.z)
    Steer = WR_mc.locatenew("Steer", framelength * Frame.z)
    Frame_mc = WR_mc.locatenew("Frame_mc", -framecg1 * Frame.x + framecg3 * Frame.z)
    Fork_mc = Steer.locatenew("Fork_mc", -forkcg1 * Fork.x + forkcg3 * Fork.z)
    WF_mc = Steer.locatenew("WF_mc", forklength * Fork.x + forkoffset * Fork.z)
    down = (Fork.y.dot(Y.z) * Fork.y - Y.z).normalize()
    WF_cont = WF_mc.locatenew("WF_cont", WFrad * down)
    Y.set_ang_vel(N, u1 * Y.z)
    R.set_ang_vel(Y, u2 * R.x)
    WR.set_ang_vel(Frame, u3 * Frame.y)
    Frame.set_ang_vel(R, u4 * Frame.y)
    Fork.set_ang_vel(Frame, u5 * Fork.x)
    WF.set_ang_vel(Fork, u6 * Fork.y)
    WR_cont.set_vel(N, 0)
    WR_mc.v2pt_theory(WR_cont, N, WR)
    Steer.v2pt_theory(WR_mc, N, Frame)
    Frame_mc.v2pt_theory(WR_mc, N, Frame)
    Fork_mc.v2pt_theory(Steer, N, Fork)
    WF_mc.v2pt_theory(Steer, N, Fork)
    WF_cont.v2pt_theory(WF_mc, N, WF)
    bodies = [
        me.RigidBody("Frame", Frame_mc, Frame, mframe, (me.inertia(TempFrame, Iframe11, Iframe22, Iframe33, 0, 0, Iframe31), Frame_mc)),
        me.RigidBody("Fork", Fork_mc, Fork, mfork, (me.inertia(TempFork, Ifork11, Ifork22, Ifork33, 0, 0, Ifork31), Fork_mc)),
        me.RigidBody("WR", WR_mc, WR, mwr, (me.inertia(Frame, Iwr11, Iwr22, Iwr11), WR_mc)),
        me.RigidBody("WF", WF_mc, WF, mwf, (me.inertia(Fork, Iwf11, Iwf22, Iwf11), WF_mc)),
    ]  # fmt: skip
    kd = [q1.diff() - u1, q2.diff() - u2, q4.diff() - u4, q5.diff() - u5]
    speeds = [WF_cont.vel(N).dot(axis) for axis in (Y.x, Y.y, Y.z)]
    place = [WF_cont.pos_from(WR_cont).dot(Y.z)]
    loads = [(body.masscenter, -body.mass * g * Y.z) for body in bodies]
    return me.KanesMethod(
        N, q_ind=[q1, q2, q5], q_dependent=[q4], configuration_constraints=place, u_ind=[u2, u3, u5],
        u_dependent=[u1, u4, u6], velocity_constraints=speeds, kd_eqs=kd, bodies=bodies, forcelist=loads,
        constraint_solver="CRAMER",
    )  # fmt: skip
