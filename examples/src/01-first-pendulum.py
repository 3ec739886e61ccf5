# %% [markdown]
# # A first pendulum
#
# A rod hangs from a pin and swings. We write it down as a textbook would, with more coordinates than it needs, and
# ask for its equations, for the force in the pin and for its motion — and we check every answer against something
# known.
#
# The centre of mass is at $(x, y)$, the rod makes the angle $\varphi$ with the vertical. Two constraints say that the
# centre stays at the distance $l$ from the pin. Primes are time derivatives.

# %%
from dalembert import System

pendulum = System(
    coordinates="x y phi",
    kinetic="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
    potential="m*g*y",
    constraints={"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)"},
    parameters={"m": 1, "J": 0.1, "l": 1, "g": 9.81},
    initial={"phi": 1.0, "phi'": 0},
    drawing={"points": {"pin": ["0", "0"], "centre": ["x", "y"]}, "lines": [["pin", "centre"]]},
    name="Pendulum",
)
pendulum

# %% [markdown]
# Three coordinates, two constraints: one degree of freedom. Only the angle was fixed for the start; the rest is
# solved for.

# %%
pendulum.start()

# %% [markdown]
# ## Equations
#
# Lagrange's equations with multipliers come first. The multipliers are eliminated, and the reactions follow as
# formulas.

# %%
pendulum.derive()

# %% [markdown]
# The minimal form multiplies by a matrix $D$ whose columns are the directions in which the system can move: the
# reactions disappear, as they do no virtual work. One equation is left for one degree of freedom. In one independent
# coordinate it is the equation of every textbook, $(J + m l^2)\,\ddot\varphi + m g l \sin\varphi = 0$.

# %%
pendulum.derive("minimal").equations

# %%
pendulum.derive("independent", coordinates=["phi"]).equations

# %%
import sympy as sp

(equation,) = pendulum.derive("independent", coordinates=["phi"]).equations
J, m, g, l = sp.symbols("J m g l")
t = sp.Symbol("t")
phi = sp.Function("phi")(t)
assert sp.simplify(equation - ((J + m * l**2) * phi.diff(t, 2) + m * g * l * sp.sin(phi))) == 0

# %% [markdown]
# The force by which the pin holds the rod in the $x$ direction, as a formula, before any motion is known:

# %%
pendulum.reaction("rod_x")

# %% [markdown]
# ## Motion
#
# `simulate` compiles the equations and computes the motion. Every step is moved onto the constraints, and the
# certificate says how well the motion satisfies what it must.

# %%
from dalembert import Event

run = pendulum.simulate(10, samples=400, events=[Event("phi = 0", direction=-1, name="passes the lowest point")])
run

# %% [picture]
run.plot()

# %% [markdown]
# The period of a pendulum with a large swing is an elliptic integral,
#
# $$ T = 4 \sqrt{\frac{J + m l^2}{m g l}}\; K\!\left(\sin\frac{\varphi_0}{2}\right). $$
#
# The times between two passages of the lowest point in the same direction must be just that.

# %%
import numpy as np
from scipy.special import ellipk

period = 4 * np.sqrt((0.1 + 1) / 9.81) * ellipk(np.sin(0.5) ** 2)
found = np.diff([event.t for event in run.events])
print(f"by formula {period:.9f} s, from the motion {found.mean():.9f} s")
assert np.abs(found - period).max() < 1e-8

# %% [markdown]
# ## The force in the pin
#
# The largest force is at the bottom, where it carries the weight and bends the path: $m g + m l \dot\varphi^2$, with
# $\dot\varphi^2 = 2 m g l (1 - \cos\varphi_0)/(J + m l^2)$ from the energy.

# %%
bottom = pendulum.simulate(10, events=[Event("phi = 0", "stop")])
force = bottom.reaction("rod_y")[-1, 1]
expected = 9.81 + 2 * 9.81 * (1 - np.cos(1.0)) / 1.1
print(f"force at the bottom {force:.6f} N, expected {expected:.6f} N")
assert abs(force - expected) < 1e-6

# %%
run.plot("reactions")

# %% [markdown]
# ## Watch it
#
# Play, drag, pause. (Where scripts are not allowed, as in a preview, there is nothing to see here.)

# %%
run.animate(trace=["centre"])

# %% [markdown]
# ## Change it
#
# A system is never changed; `replace` makes a variant. On a rod twice as long the same swing takes longer. Parameters
# are inputs of the compiled code, so nothing is derived again.

# %%
long = pendulum.replace(parameters={"l": 2})
passages = [event.t for event in long.simulate(10, events=[Event("phi = 0", direction=-1)]).events]
period = 4 * np.sqrt((0.1 + 4) / (9.81 * 2)) * ellipk(np.sin(0.5) ** 2)
assert abs(np.diff(passages).mean() - period) < 1e-8
print(f"period {period:.4f} s")

# %% [markdown]
# Printed, a system is a model file: save it with `pendulum.save("pendulum.toml")`, and `dalembert run pendulum.toml`
# does all of the above on the command line.

# %%
print(pendulum)
