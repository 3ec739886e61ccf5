# %% [markdown]
# # A slider-crank, from joints to bearing forces
#
# A small compressor: crank, connecting rod, piston. We put it together from bodies and joints, see how it moves
# before any force is known, drive it at constant speed, and find the forces in its bearings — as curves and as
# formulas.

# %%
import numpy as np
from matplotlib import pyplot as plt

from dalembert import Mechanism

compressor = Mechanism(
    bodies={
        "crank": {"mass": "m1", "inertia": 0.0004, "points": {"pin": ["a", 0]}},
        "rod": {
            "mass": "m2", "inertia": "m2*l^2/12", "at": ["a + l/2", 0],
            "points": {"big": ["-l/2", 0], "small": ["l/2", 0]},
        },
        "piston": {"mass": "m3", "at": ["a + l", 0]},
    },
    joints={
        "A": {"kind": "revolute", "bodies": ["ground", "crank"], "points": [[0, 0], [0, 0]]},
        "B": {"kind": "revolute", "bodies": ["crank", "rod"], "points": ["pin", "big"]},
        "C": {"kind": "revolute", "bodies": ["rod", "piston"], "points": ["small", [0, 0]]},
        "D": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": ["a + l", 0], "axis": [1, 0]},
    },
    gravity=[0, 0],
    parameters={"a": 0.03, "l": 0.1, "m1": 0.5, "m2": 0.3, "m3": 0.4},
    name="Compressor",
)  # fmt: skip
compressor

# %% [markdown]
# Nine coordinates, eight conditions: it moves in one way, as Grübler's count says.

# %%
assert compressor.mobility().freedom == compressor.mobility().count == 1
compressor.mobility()

# %% [markdown]
# ## How it transmits
#
# The piston against the crank over a full turn, with the two dead points where the piston turns back. The stroke is
# $2a$; the transmission angle, between the rod and the normal of the guide, never falls below $\arccos(a/l)$.

# %%
transmission = compressor.transmission("A", "D")
assert transmission.full_turn and len(transmission.reversals) == 2
assert abs(np.ptp([point.output for point in transmission.reversals]) - 0.06) < 1e-9
assert abs(transmission.mu.min() - np.arccos(0.03 / 0.1)) < 1e-3
transmission

# %% [markdown]
# ## Kinematics
#
# A drive turns the crank at 3000 revolutions a minute. Positions, velocities and accelerations follow without masses.
# The piston is at $x = a\cos\theta + \sqrt{l^2 - a^2\sin^2\theta}$.

# %%
speed = 100 * np.pi
driven = compressor.replace(drives={"motor": {"joint": "A", "angle": "100*pi*t"}}, name="Compressor at 3000 1/min")
times = np.linspace(0, 0.04, 401)
motion = driven.kinematics(times)
angle = speed * times
root = np.sqrt(0.1**2 - (0.03 * np.sin(angle)) ** 2)
assert np.abs(motion["x_piston"] - (0.03 * np.cos(angle) + root)).max() < 1e-12
acceleration = motion["x_piston''"]
print(f"largest acceleration of the piston {np.abs(acceleration).max():.0f} m/s²")
motion

# %% [markdown]
# ## Bearing forces
#
# Simulated, the driven mechanism has no freedom left; what is found are the forces. The piston is pushed by the rod
# alone, so the force in `C` along the guide is its mass times its acceleration — found above in another way.

# %%
run = driven.simulate(0.04, samples=times)
pin = run.joint("C", on="piston")
assert np.abs(pin.force[:, 0] - 0.4 * acceleration).max() < 1e-4 * np.abs(pin.force).max()
pin

# %%
run.plot("joints")

# %% [markdown]
# A designer looks at the force as the pin sees it: in axes of the rod, over a turn. Where it points shows where the
# bearing wears.

# %% [picture]
figure, both = plt.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained", dpi=100)
for axes, (joint, body) in zip(both, (("B", "rod"), ("A", "crank")), strict=True):
    force = run.joint(joint, on=body, axes="body").force
    axes.plot(*force.T, color="#0072b2")
    axes.plot(0, 0, "k+")
    axes.set(title=f"{joint}, in axes of the {body}", xlabel="along, in N", ylabel="across, in N", aspect="equal")
    axes.grid(alpha=0.3)
plt.show()

# %% [markdown]
# ## The torque of the motor
#
# It is the moment of the drive. Its power is what the kinetic energy gains: $M\,\omega = \dot T$.

# %%
torque = run.multipliers["motor.angle"]
energy = run.energies.kinetic
power = np.gradient(energy, times)
assert np.abs(torque * speed - power)[1:-1].max() < 2e-3 * np.abs(power).max()
print(f"torque of the motor between {torque.min():.2f} and {torque.max():.2f} N m, on average {torque[:-1].mean():.1e}")

# %% [markdown]
# ## The force on the cylinder, as a formula
#
# Release the guide: the piston may leave its line, and the force that keeps it there is found from the equations. The
# formula holds for every state, so that it can be used where nothing has been simulated.

# %%
released = compressor.release("D.normal")
released.system.coordinates

# %%
released

# %% [markdown]
# The formula and the motion must agree. Let go at 3000 revolutions a minute, without the motor:

# %%
import sympy as sp

free = compressor.simulate(0.02, samples=100, initial={"phi_crank": 0.3, "phi_crank'": speed})
formula = released.multipliers["D.normal"]
for name, value in reversed(released.abbreviations.items()):  # names stand for what is named above them
    formula = formula.subs(name, value)
formula = formula.subs({sp.Symbol(name): value for name, value in compressor.parameters.items()})
t = sp.Symbol("t")
crank, rod = sp.Function("phi_crank")(t), sp.Function("phi_rod")(t)
plain = formula.subs({crank.diff(t): "w1", rod.diff(t): "w2"}).subs({crank: "p1", rod: "p2"})
evaluate = sp.lambdify(["p1", "p2", "w1", "w2"], plain)
found = evaluate(*(free[name] for name in ("phi_crank", "phi_rod", "phi_crank'", "phi_rod'")))
difference = np.abs(found - free.multipliers["D.normal"]).max()
print(f"side force up to {np.abs(found).max():.3f} N; formula and motion differ by at most {difference:.0e} N")
assert difference < 1e-8 * np.abs(found).max()

# %% [markdown]
# Driven by the motor, the same force along the motion. It is what wears the cylinder.

# %%
side = run.joint("D.normal", on="piston")
assert np.abs(side.force[:, 1] + pin.force[:, 1]).max() < 1e-6 * np.abs(pin.force).max()  # nothing else acts across
side

# %% [markdown]
# ## What a counterweight does
#
# The force on the frame is that in `A` and `D`, reversed. A counterweight on the crank, opposite to the pin, takes
# most of the part that turns with the crank out of it.


# %%
def shaking(mechanism: Mechanism) -> np.ndarray:
    """Return the force on the frame over a turn."""
    moved = mechanism.simulate(0.02, samples=np.linspace(0, 0.02, 201))
    return -(moved.joint("A", on="crank").force + moved.joint("D", on="piston").force)


heavier = {"mass": "m1", "inertia": 0.0004, "points": {"pin": ["a", 0]}, "centre": ["-0.7*a", 0]}
balanced = driven.replace(bodies={"crank": heavier})
before, after = shaking(driven), shaking(balanced)
reduced = np.linalg.norm(after, axis=1).max() / np.linalg.norm(before, axis=1).max()
print(f"largest force on the frame: {np.linalg.norm(before, axis=1).max():.0f} N, with a counterweight "
      f"{np.linalg.norm(after, axis=1).max():.0f} N")  # fmt: skip
assert reduced < 0.75

figure, axes = plt.subplots(figsize=(5, 3.6), layout="constrained", dpi=100)
axes.plot(*before.T, color="#d55e00", label="as it is")
axes.plot(*after.T, color="#0072b2", label="with a counterweight")
axes.set(xlabel="along the guide, in N", ylabel="across, in N", title="Force on the frame over a turn", aspect="equal")
axes.legend(fontsize=8)
plt.show()

# %%
run.animate(trace=["B"])
