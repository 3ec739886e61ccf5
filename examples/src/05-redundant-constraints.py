# %% [markdown]
# # When constraints repeat each other
#
# A door on three hinges, a table on four legs, a planar linkage built with the hinges of space: constraints repeat
# what others already say. Many programs fail on them, as the matrix they solve with is singular. Here the motion is
# computed as ever — and it is *said* which constraints repeat which, and which forces are determined nevertheless.

# %%
from dalembert import Mechanism, ModelError, example

pendulum = example("pendulum")
three = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)", "length": "x^2 + y^2 = l^2"}
repeated = pendulum.replace(constraints=three, name="Pendulum, held three times")
check = repeated.check()
assert check.degrees_of_freedom == 1 and check.as_dict()["redundant"] == {"length": ["rod_x", "rod_y"]}
check

# %% [markdown]
# The equations are those of the pendulum, whatever is repeated; so is the motion.

# %%
import numpy as np

times = np.linspace(0, 5, 200)
once, thrice = (system.simulate(5, samples=times, rtol=1e-12, atol=1e-13) for system in (pendulum, repeated))
assert np.abs(once.q - thrice.q).max() < 1e-7
repeated.derive("minimal").equations

# %% [markdown]
# The *sum* of the reactions is determined, that of each constraint is not. Asked for a formula of one of them, the
# program says so; the certificate of the motion does too.

# %%
from dalembert import DerivationError

try:
    repeated.reaction("length")
except DerivationError as error:
    print(error)
for note in thrice.certificate.notes:
    print(note)
total = sum(thrice.reaction(name) for name in three)
alone = sum(once.reaction(name) for name in ("rod_x", "rod_y"))
assert np.abs(total - alone).max() < 1e-6

# %% [markdown]
# ## A load on three rods
#
# Two rods carry a load; what does a third one take? Rigid bodies cannot say: it depends on the stiffness of the rods.
# The force in each is *not determined*, and it is not made up either. The sum is.

# %%
rods = {
    name: {"kind": "rod", "bodies": ["ground", "load"], "at": [[x, 1], [x, 0]]}
    for name, x in {"A": -1, "B": 1, "C": 2}.items()
}
table = Mechanism(
    bodies={"load": {"mass": 2, "inertia": 1}}, joints=rods, gravity=[0, -10], name="Load on three parallel rods"
)
force = table.joint_force("A")
assert not force.determined["force y"] and force.determined["force x"]
force

# %%
together = table.joint_force(["A", "B", "C"])
assert np.allclose(together.force, [0, 20])
together

# %% [markdown]
# ## A four-bar linkage in space
#
# Four revolutes whose axes are parallel hold a planar linkage in its plane four times over. Counting gives the
# mobility −2, and yet it moves. The check names the joint, and a remedy that it has tried.

# %%
linkage = example("four-bar-spatial")
linkage.mobility()

# %%
found = linkage.check()
assert found.degrees_of_freedom == 1 and len(found.redundancies) == 3
found

# %% [markdown]
# We follow the advice: a spherical pair instead of one revolute, a cylindrical one instead of another. Nothing is
# repeated then, the motion is the same, and every force in every joint is determined.

# %%
joints = {name: dict(table) for name, table in linkage.tables["joints"].items()}
better = linkage.replace(joints={
    "C": joints["C"] | {"kind": "cylindrical"},
    "D": {key: value for key, value in joints["D"].items() if key != "axis"} | {"kind": "spherical"},
}, name="Four-bar linkage in space, as advised")  # fmt: skip
assert not better.check().redundancies
times = np.linspace(0, 2, 100)
before, after = linkage.simulate(2, samples=times), better.simulate(2, samples=times)
assert np.abs(before["x_coupler"] - after["x_coupler"]).max() < 1e-7
assert all(after.joint("C").determined.values()) and not all(before.joint("C").determined.values())
after.joint("C")

# %%
before.joint("C")

# %% [markdown]
# In the plane of the linkage both agree, as those forces were determined all along.

# %% [picture]
assert np.nanmax(np.abs(before.joint("C").force[:, :2] - after.joint("C").force[:, :2])) < 1e-5
after.plot("joints")

# %% [markdown]
# ## Redundant only at these dimensions
#
# Bricard's linkage of six bars and six hinges should be rigid by its count; it moves because its dimensions are
# special.

# %%
mobility = example("bricard").mobility()
assert mobility.freedom == 1 and mobility.count == 0
mobility

# %% [markdown]
# ## Redundant, or contradictory
#
# Constraints that contradict each other are another matter: they are named with what is left over, and nothing is
# simulated.

# %%
wrong = pendulum.replace(constraints=three | {"length": "x^2 + y^2 = 2*l^2"}, name="Pendulum that cannot be")
try:
    wrong.simulate(1)
except ModelError as error:
    print(error)
check = wrong.check()
assert not check.ok
check
