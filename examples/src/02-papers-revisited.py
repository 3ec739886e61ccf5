# %% [markdown]
# # The papers revisited
#
# Five texts, one theory: D. V. Phong (1999), A. W. Beshaw, a lecture on independent coordinates, and Do Sanh (1993
# and 1996). Their examples are in the gallery. Here they are derived again by the program, compared with what is
# printed, and put to a test that does not trust either: a closed form, an identity, a number.

# %%
import numpy as np
import sympy as sp
from matplotlib import pyplot as plt

from dalembert import example

t = sp.Symbol("t")

# %% [markdown]
# ## Phong 1999: the minimal form
#
# Orthogonalise the rows of $A$, complete them by vectors $D$ across them, and multiply: $D^T(M\ddot q - f) = 0$ with
# as many equations as there are degrees of freedom. For a disk that rolls on a line under a force $F$ it gives
# $m r \ddot s - r F - J \ddot\varphi = 0$, as printed.

# %%
disk = example("rolling-disk")
minimal = disk.derive("minimal")
D = minimal.D
r = sp.Symbol("r")
assert D.T.cross(sp.Matrix([[r, 0, -1]])) == sp.zeros(1, 3)  # along (r, 0, −1)
minimal

# %% [markdown]
# To complete the rows, step 2 takes any vector $x$ "different from" them. It must be outside their *span*: for
# $r = 1$ the vector $(1, 1, 1)$ differs from both rows, and yet nothing of it is left.

# %%
rows = sp.Matrix([[0, 1, 0], [1, 0, r]])
x = sp.Matrix([[1, 1, 1]])
left = x - sum((x.dot(b) / b.dot(b) * b for b in (rows.row(0), rows.row(1))), sp.zeros(1, 3))
assert left.subs(r, 1) == sp.zeros(1, 3) and left.subs(r, 2) != sp.zeros(1, 3)
left.applyfunc(sp.factor)

# %% [markdown]
# The program chooses its vectors by numbers at admissible positions, so at $r = 1$ all is well:
# $\ddot s = r^2 F/(m r^2 + J)$.

# %%
unit = disk.replace(parameters={"r": 1.0})
s = unit.simulate(3.0)["s"][-1]
assert abs(s - 1.5 / (2 + 0.25) * 3**2 / 2) < 1e-9
print(f"s(3) = {s:.9f}")

# %% [markdown]
# The second example is the pendulum in three coordinates. The first row of $B$ is printed with
# $\ell/\sqrt{1 + \ell^2\cos^2\varphi}$ at its beginning; with that its length is not 1. And $D$, what is left of
# $x = (0, 1, 0)$ across both rows, is printed as $(\ell sc, \ell s^2, s)/(1+\ell^2)$; a factor $\ell$ is missing, it
# is $\ell s\,(\ell c, \ell s, 1)/(1 + \ell^2)$. It vanishes at $\varphi = 0$: there this $x$ is a bad choice, and the
# program makes another.

# %%
l, phi = sp.symbols("l phi", positive=True)
root = sp.sqrt(1 + l**2 * sp.cos(phi) ** 2)
printed, corrected = sp.Matrix([[l, 0, -l * sp.cos(phi)]]) / root, sp.Matrix([[1, 0, -l * sp.cos(phi)]]) / root
assert sp.simplify(corrected.dot(corrected)) == 1 and sp.simplify(printed.dot(printed)) != 1
free = sp.Matrix([[l * sp.cos(phi), l * sp.sin(phi), 1]])  # the direction across both rows
corrected_d = l * sp.sin(phi) * free / (1 + l**2)
printed_d = corrected_d / l
for name, d in (("printed", printed_d), ("corrected", corrected_d)):
    taken = sp.Matrix([[0, 1, 0]]) - d  # what was taken away must lie in the rows
    print(f"{name}: is the rest in the rows? {sp.simplify(taken.dot(free)) == 0}")
assert sp.simplify((sp.Matrix([[0, 1, 0]]) - corrected_d).dot(free)) == 0
example("pendulum").derive("minimal").matrices

# %% [markdown]
# ## Beshaw: the explicit form, and stabilisation
#
# An upright disk on a plane, said to have no solution in closed form. It has one: both turn rates stay constant, and
# the disk rolls on a circle, $x = \sqrt 3 - 2\cos(\pi/6 + t)$, $y = 1 - 2\sin(\pi/6 + t)$.

# %%
upright = example("upright-disk")
upright.derive("explicit").equations

# %%
run = upright.simulate(6.0, samples=240)
exact = np.column_stack([np.sqrt(3) - 2 * np.cos(np.pi / 6 + run.t), 1 - 2 * np.sin(np.pi / 6 + run.t)])
wrong = np.abs(run.q[:, :2] - exact).max()
multiplier = run["phi'"] * run["theta'"] * np.cos(run["theta"])  # m r φ̇ ϑ̇ cos ϑ, with m = r = 1
print(f"largest error of the motion {wrong:.1e}")
assert wrong < 1e-8 and np.abs(run.multipliers["rolling_x"] - multiplier).max() < 1e-7

# %% [markdown]
# His theorem on stabilised constraints, $\dot\psi = K\psi$, needs derivatives of $K$. Printed is
# $\ddot K + 3\dot K K + K^3$ for the third derivative of $\psi$; that is right only where $K$ and $\dot K$ commute.

# %%
K = sp.Matrix(2, 2, [sp.Function(name)(t) for name in "abcd"])
second = K.diff(t) + K * K  # ψ'' = second ψ
third = (second.diff(t) + second * K).expand()  # ψ''' = third ψ
general = K.diff(t, 2) + 2 * K.diff(t) * K + K * K.diff(t) + K**3
as_printed = K.diff(t, 2) + 3 * K.diff(t) * K + K**3
assert (third - general).expand() == sp.zeros(2) and (third - as_printed).expand() != sp.zeros(2)
(third - as_printed).applyfunc(sp.factor)

# %% [markdown]
# What stabilisation does: the disk over six seconds by Euler's method with a step of 0.1, without and with it.

# %%
figure, axes = plt.subplots(figsize=(6.5, 3), layout="constrained", dpi=100)
sizes = {}
for keep, settings in {"none": {}, "κ = −5": {"gains": {"kappa": -5}}, "chosen": {}}.items():
    euler = upright.simulate(6.0, method="euler", step=0.1, keep="none" if keep == "none" else "stabilise", **settings)
    size = np.linalg.norm(euler.residuals[1], axis=1)
    sizes[keep] = size.max()
    axes.plot(euler.t, size, label=f"{keep}: at most {size.max():.3f}")
axes.set(xlabel="t in s", ylabel="‖ψ‖ in m/s", title="Residual of the rolling conditions, Euler's method")
axes.legend()
assert sizes["none"] > 0.15 and sizes["κ = −5"] < 0.03 and sizes["chosen"] < 0.02
plt.show()

# %% [markdown]
# ## The lecture: independent coordinates
#
# With $\dot q = R\dot z + \dots$ the equations are $R^T M R\,\ddot z = R^T(f - M a_0)$. The lecture leaves the forces
# out of its mixed equation; without them a pendulum let go at rest would stay.

# %%
pendulum = example("pendulum")
start = pendulum.start()
with_forces = pendulum.compile()(0.0, start.q, start.v).acceleration
without = pendulum.replace(potential=0).compile()(0.0, start.q, start.v).acceleration
assert abs(with_forces[2] + 9.81 * np.sin(1) / 1.1) < 1e-12 and np.abs(without).max() < 1e-12
pendulum.derive("independent")

# %% [markdown]
# ## Do Sanh 1993: the canonical form
#
# Momenta instead of velocities, and the reactions as functions of $q$ and $p$ from $B R + B^0 = 0$. The first example
# is a rod with a knife edge at its middle. Printed is $p_1^2 + p_4^2$ in $B^0$ where $p_2^2 + p_4^2$ belongs.

# %%
rod = example("rod-with-knife-edge")
canonical = rod.derive("canonical")
p2, p4 = (sp.Function(f"p_q{k}")(t) for k in (2, 4))
assert sp.simplify(canonical.B_0[1] - 2 * (p2**2 + p4**2)) == 0
canonical

# %% [markdown]
# His $D$ is singular where $q_2 = 0$ or $q_4 = 0$. The rod turns through these positions all the time, at constant
# rate, while its middle moves along it at constant speed.

# %%
run = rod.simulate(5.0, form="canonical", samples=200)
theta = 0.3 + 1.2 * run.t
assert np.abs(run["q2"] - np.cos(theta)).max() < 1e-8 and np.abs(run["q1'"] - 2 * 0.8 * np.cos(theta)).max() < 1e-8
print(f"q2 vanishes {np.count_nonzero(np.diff(np.sign(run['q2'])))} times on the way; certificate {run.certificate.ok}")

# %% [markdown]
# The second example is a platform on an inclined plane. With gravity at the mass centre and the radius of inertia
# about the contact point, which the paper mixes up, the energy is constant, and on a level plane the motion is that
# of the sleigh, $u = C\tanh\tau$, $\rho\,\omega = C\,\mathrm{sech}\,\tau$ with $\dot\tau = aC/\rho^2$.

# %%
platform = example("platform-on-incline")
assert np.ptp(platform.simulate(5.0, form="canonical").energy) < 1e-8
level = platform.replace(parameters={"alpha": 0.0}).simulate(5.0, samples=100)
a, rho = 0.4, 0.7
u = level["x'"] * np.cos(level["phi"]) + level["y'"] * np.sin(level["phi"])
C = np.hypot(u[0], rho * level["phi'"][0])
tau = np.arctanh(u[0] / C) + a * C / rho**2 * level.t
assert np.abs(u - C * np.tanh(tau)).max() < 1e-8
assert np.abs(rho * level["phi'"] - C / np.cosh(tau)).max() < 1e-8

# %% [markdown]
# ## Do Sanh 1996: reactions before the motion is known
#
# A pendulum hangs from a slider; the ground under it is released and its force is found as a formula. Formula (3.13)
# of the paper differs from what the program derives.

# %%
slider = example("pendulum-on-slider")
reactions = slider.derive("reactions")
reactions.total_reaction

# %%
m0, m, a, rho, g, F = sp.symbols("m0 m a rho g F")
angle = sp.Function("phi")(t)
sin, cos, K = sp.sin(angle), sp.cos(angle), m / (m0 + m)
below, rate = rho**2 - K * a**2 * cos**2, angle.diff(t)
corrected = (
    -(m0 + m) * g
    + (K * a**2 * sin * cos * F + m * g * a**2 * sin**2 - m * a * cos * rate**2 * (rho**2 - K * a**2)) / below
)
printed = (
    g * (m * a**2 * sin**2 / below - m)
    + F * K * a**2 * sin**2 / (2 * (rho**2 - K * a**2))
    - m * a * cos / below * (rho**2 - K * a**2) * rate**2
)
assert sp.simplify(reactions.total_reaction[1] - corrected) == 0

# %% [markdown]
# Who is right can be seen without a formula: the ground carries the weight, and what the pendulum adds by its
# acceleration. We compute the motion, take the acceleration of the mass centre from it, and compare.

# %% [picture]
run = slider.simulate(5.0, samples=300)
values = {m0: 2.0, m: 1.0, a: 0.5, rho: 0.6, g: 9.81, F: 0.7}
angles, rates, seconds = run["phi"], run["phi'"], run["phi''"]
fall = 0.5 * (-np.cos(angles) * rates**2 - np.sin(angles) * seconds)  # of the pendulum's centre, downwards
newton = 1.0 * fall - 3.0 * 9.81

phi_, rate_ = sp.symbols("phi_ rate_")


def along(formula):
    """Evaluate a formula along the motion."""
    plain = formula.subs(values).subs(rate, rate_).subs(angle, phi_)
    return sp.lambdify((phi_, rate_), plain)(angles, rates)


assert np.abs(along(corrected) - newton).max() < 1e-7
assert np.abs(run.reaction("ground")[:, 1] - newton).max() < 1e-7

figure, axes = plt.subplots(figsize=(6.5, 3.2), layout="constrained", dpi=100)
axes.plot(run.t, newton, color="#0072b2", lw=3, alpha=0.5, label="from the motion")
axes.plot(run.t, along(corrected), "k--", lw=1, label="as derived")
axes.plot(run.t, along(printed), color="#d55e00", label="as printed")
axes.set(xlabel="t in s", ylabel="R_y in N", title="Force of the ground on the slider (y points down)")
axes.legend()
plt.show()

# %% [markdown]
# The whole list, with a test for every row, is in [the papers, derived again](../docs/papers.md).
