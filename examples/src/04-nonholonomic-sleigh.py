# %% [markdown]
# # The sleigh that straightens itself
#
# A body slides on a plane on a blade: it moves along the blade and turns about it, but never sideways. That is a
# condition on velocities, $\dot x \sin\theta - \dot y \cos\theta = 0$, which no condition on positions can replace —
# the sleigh reaches every position, only not on every path. Chaplygin's sleigh has its centre of mass a length $a$
# ahead of the blade.

# %%
from dalembert import System, example

sleigh = example("chaplygin-sleigh")
sleigh

# %% [markdown]
# Three positions, two velocities. `check` has found that the condition cannot be integrated. One that can be is told
# as such: here the first comes from $x = r\varphi$ differentiated.

# %%
rolling = System(
    "x phi", kinetic="m*x'^2/2 + J*phi'^2/2", constraints={"rolling": "x' = r*phi'"},
    parameters={"m": 1, "J": 0.1, "r": 0.5}, name="Wheel on a line",
)  # fmt: skip
assert rolling.check().classes["rolling"]["integrable"] and not sleigh.check().classes["blade"]["integrable"]
rolling.check()

# %% [markdown]
# ## The force on the blade, as a formula

# %%
sleigh.reaction("blade")

# %% [markdown]
# With the speed $u$ along the blade and the turn rate $\omega$ it is across the blade and of the size
# $J m \omega u / (J + m a^2)$: no force without turning, and it changes its side where the sleigh comes to rest.
#
# ## Motion, and the closed form
#
# The sleigh starts *backwards*, with $u_0 = -0.4$, and turning. With $I = J + m a^2$, $V^2 = u_0^2 + I\omega_0^2/m$
# and $b = V a m / I$ its motion is
#
# $$ u = V \tanh(b t + c), \qquad \omega = V\sqrt{m/I}\; \mathrm{sech}(b t + c). $$

# %%
import numpy as np

run = sleigh.simulate(12, samples=600)
m, J, a, u0, w0 = (sleigh.parameters[name] for name in ("m", "J", "a", "u0", "w0"))
inertia = J + m * a**2
V = np.sqrt(u0**2 + inertia * w0**2 / m)
tau = V * a * m / inertia * run.t + np.arctanh(u0 / V)
u = run["x'"] * np.cos(run["theta"]) + run["y'"] * np.sin(run["theta"])
wrong_u = np.abs(u - V * np.tanh(tau)).max()
wrong_w = np.abs(run["theta'"] - V * np.sqrt(m / inertia) / np.cosh(tau)).max()
print(f"largest error of u {wrong_u:.1e}, of ω {wrong_w:.1e}")
assert max(wrong_u, wrong_w) < 1e-8
run

# %% [markdown]
# The path: back, a cusp where the blade stops, then ever straighter. Energy is conserved, and yet all motions run to
# straight ones, forwards; that is impossible for a system with conditions on positions only.

# %% [picture]
from matplotlib import pyplot as plt

figure, (path, speeds) = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained", dpi=100)
path.plot(run["x"], run["y"], color="#0072b2")
for k in range(0, 601, 40):
    c, s = np.cos(run["theta"][k]), np.sin(run["theta"][k])
    path.plot([run["x"][k], run["x"][k] + a * c], [run["y"][k], run["y"][k] + a * s], color="#d55e00", lw=1.5)
path.set(xlabel="x in m", ylabel="y in m", title="Blade (blue), and towards the centre of mass", aspect="equal")
path.title.set_fontsize(9)
speeds.plot(run.t, u, label="u along the blade, m/s", color="#0072b2")
speeds.plot(run.t, run["theta'"], label="ω, 1/s", color="#d55e00")
speeds.plot(run.t, V * np.tanh(tau), "k:", lw=1, label="closed form")
speeds.legend(fontsize=8)
speeds.set(xlabel="t in s")
plt.show()

# %%
energy = np.ptp(run.energy) / run.energy[0]
assert energy < 1e-9 and run.certificate.ok
run.animate(trace=["P"])

# %% [markdown]
# ## Backwards in time
#
# Forwards the straight motion attracts, so backwards it repels: reversed at the end, the sleigh finds back to where
# it came from, though errors grow on the way.

# %%
end = run.final()
reversed_start = {"x": end["x"], "y": end["y"], "theta": end["theta"], "x'": -end["x'"], "theta'": -end["theta'"]}
back = sleigh.simulate(12, initial=reversed_start, rtol=1e-12, atol=1e-13)
distance = np.hypot(back["x"][-1], back["y"][-1])
print(f"after 12 s back it is {distance:.1e} m from where it started")
assert distance < 1e-4

# %% [markdown]
# ## A skate on a slope does not go down
#
# With the centre of mass above the blade the turn rate is constant, $\theta = \omega t$. On a slope, from rest, it
# moves along a cycloid with $x = \frac{g \sin\alpha}{2\omega^2} \sin^2\theta$: downhill and up again, and otherwise
# sideways, across the slope, for ever.

# %%
skate = example("knife-edge")
slide = skate.simulate(4 * np.pi, samples=400, rtol=1e-12, atol=1e-13)
g, alpha, w = (skate.parameters[name] for name in ("g", "alpha", "w"))
depth = g * np.sin(alpha) / (2 * w**2)
assert np.abs(slide["x"] - depth * np.sin(slide["theta"]) ** 2).max() < 1e-9
assert np.abs(slide["y"] - depth * (slide["theta"] - np.sin(2 * slide["theta"]) / 2)).max() < 1e-9

figure, axes = plt.subplots(figsize=(6.5, 2.4), layout="constrained", dpi=100)
axes.plot(slide["y"], -slide["x"], color="#0072b2")
axes.set(xlabel="across the slope in m", ylabel="uphill in m", aspect="equal")
plt.show()
