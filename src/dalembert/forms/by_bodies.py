"""Multipliers, accelerations and reactions of a mechanism in space, body by body: Newton and Euler, R and ω by name.

What acts on Euler parameters follows from the moment τ in body axes, and from what stretches e: r = 2Eᵀτ + e ρ. The
equation of the stretch gives the multiplier of |e| = 1, with which ρ is as large as f along it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import symengine as se
from scipy.sparse.csgraph import connected_components

from dalembert.algebra.writing.cost import operations, width
from dalembert.algebra.writing.ledger import WIDE
from dalembert.forms.eliminated import ByElimination
from dalembert.forms.multipliers import multiplier
from dalembert.forms.prepared import MAX_UNKNOWNS, Scene
from dalembert.forms.sheet import NamedSteps
from dalembert.forms.spatial_scene import SpatialScene, spatial_scene
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.model.mechanism.vectors import cross, dot

_SHORT = 60  # operations of a force that is multiplied out
_HALF, _TWO = se.Rational(1, 2), se.Integer(2)


class ByBodies(NamedSteps):
    """Steps of the elimination over the equations of Newton and Euler."""

    @cached_property
    def equations(self) -> tuple[list[Expr], dict[str, Expr]]:
        """M q̈ − f − Aᵀλ by bodies, and what names in them stand for: places, turns, and the stretch of each."""
        lam = {i: multiplier(self.inner, i) for i in self.scene.kept}
        if len(self.scene.blocks.q) + self.scene.rank <= MAX_UNKNOWNS:
            self.multipliers  # noqa: B018  # in the order in which one computes
        left, names = self.balances
        rows = [se.Add(row, *[-r for r in self._acting(j, lam)]) for j, row in enumerate(left)]
        for k, turn in enumerate(self.inner.turns):
            own = [lam[turn.one.norm]] if turn.one.norm in lam else []
            rows.append(se.Add(-self._stretching(k), *[-r for r in (*own, *self._growing(k, lam))]))
        return rows, {**self.names, **names}

    @cached_property
    def balances(self) -> tuple[list[Expr], dict[str, Expr]]:
        """M q̈ − f of places and turns, with the names α for those of ω̇, and what these stand for."""
        inner, b = self.inner, self.inner.blocks
        faster = [se.Symbol(f"{q.name}''") for q in b.q]
        names: dict[str, Expr] = {}
        for turn in inner.turns:
            for place, symbol in zip(turn.own[3:], turn.alpha, strict=True):
                faster[place] = symbol
            names |= {symbol.name: value for symbol, value in turn.rates.items()}
        parts: list[list[Expr]] = [[-term for term in (f.args if f.is_Add else (f,))] for f in b.f]
        for (i, j), entry in b.M.items():
            parts[i].append(entry * faster[j])
        return [se.Add(*terms) for terms in parts], names

    def __init__(self, scene: Scene, inner: SpatialScene):
        super().__init__(scene, {symbol.name: value for symbol, value in inner.known.items()})
        self.inner, self.steps = inner, ByElimination(inner, self.names)

    @cached_property
    def multipliers(self) -> list[Expr]:
        """λ of each independent condition; that of |e| = 1 from the stretch of its body."""
        found = dict(zip(self.inner.kept, self.steps.multipliers, strict=True))
        norms = {turn.one.norm: k for k, turn in enumerate(self.inner.turns)}
        for i, name in zip(self.scene.kept, self.names_of_multipliers, strict=True):
            if i in norms:
                value, found[i] = self._of_norm(norms[i], found), self.scene.free_name(name, self.names)
                self.names[str(found[i])] = value
        return [found[i] for i in self.scene.kept]

    def _of_norm(self, k: int, multipliers: Mapping[int, Expr]) -> Expr:
        """Return λ of |e| = 1 of a body."""
        return se.Add(-self._stretching(k), *[-part for part in self._growing(k, multipliers)])

    def _acting(self, j: int, multipliers: Mapping[int, Expr]) -> list[Expr]:
        """Return what acts on a place or turn, in parts; joint by joint where it is long."""
        entries = {i: entry for (i, other), entry in self.inner.blocks.A.items() if other == j}
        return self._by_joint(self.inner.blocks.q[j].name.replace("theta_", "tau_"), entries, multipliers)

    def _growing(self, k: int, multipliers: Mapping[int, Expr]) -> list[Expr]:
        """Return what constraints do along the stretch of a body, in parts."""
        entries = {i: entry for (i, other), entry in self.inner.stretched.items() if other == k}
        return self._by_joint(f"S_{self.inner.turns[k].body.name}", entries, multipliers)

    def _by_joint(self, name: str, entries: Mapping[int, Expr], multipliers: Mapping[int, Expr]) -> list[Expr]:
        parts: dict[str, dict[str, Expr]] = {}
        for i, entry in entries.items():
            if i in multipliers:
                condition = self.scene.system.constraints[i].name
                parts.setdefault(condition.rpartition(".")[0], {})[condition] = entry * multipliers[i]
        found = {joint: se.Add(*terms.values()) for joint, terms in parts.items()}
        if sum(map(width, found.values())) <= WIDE:
            return list(found.values())
        for joint, terms in parts.items():
            if width(found[joint]) > WIDE:  # then condition by condition
                found[joint] = se.Add(*[self._part(name, condition, term) for condition, term in terms.items()])
        return [self._part(name, joint, value) for joint, value in found.items()]

    def _part(self, name: str, owner: str, value: Expr) -> Expr:
        return self.named(f"{name}_{owner.replace('.', '_')}", value)

    @cached_property
    def needed(self) -> list[Expr]:
        """The right sides b = c − A M⁻¹f: those by bodies, and what stretches."""
        found = dict(zip(self.inner.kept, self.steps.needed, strict=True))
        values = []
        for i in self.scene.kept:
            parts = [self._along(i, k) * self._stretching(k) / turn.mean for k, turn in enumerate(self.inner.turns)]
            values.append(found.get(i, ZERO) - se.Add(*parts))
        return values

    @cached_property
    def solved(self) -> tuple[list[Expr], list[list[Expr]]]:
        """M⁻¹f, and M⁻¹Aᵀ column by column."""
        free, columns = self.steps.solved
        growing = [self._stretching(k) / turn.mean - turn.square for k, turn in enumerate(self.inner.turns)]
        by_row = dict(zip(self.inner.kept, columns, strict=True))
        Y = []
        for i in self.scene.kept:
            along = [self._along(i, k) / turn.mean for k, turn in enumerate(self.inner.turns)]
            Y.append(self.spread(by_row.get(i, [ZERO] * len(free)), along))
        return self.spread(free, growing, "alpha_u"), Y

    @property
    def accelerations(self) -> list[Expr]:
        """q̈ = M⁻¹(f + r) by bodies, with ë = ½ Eᵀα − ė² e."""
        if self.scene.added:  # M has no inverse
            found = self.steps.accelerations
        else:
            acting = zip(self._forces, self._reactions, strict=True)
            found = self._divided([f + r for f, r in acting])
        return self.spread(found, [-turn.square for turn in self.inner.turns], "alpha")

    @cached_property
    def total(self) -> list[Expr]:
        """Aᵀλ of all."""
        return self.spread(self._reactions, [-self._stretching(k) for k in range(len(self.inner.turns))], "", _TWO)

    @cached_property
    def _reactions(self) -> list[Expr]:
        """What acts on places and turns, moments by their names."""
        self.multipliers  # noqa: B018  # in the order in which one computes
        known = dict(zip(self.inner.kept, self.steps.multipliers, strict=True))
        found = [se.Add(*self._acting(j, known)) for j in range(len(self.inner.blocks.q))]
        for turn in self.inner.turns:
            for j, axis in zip(turn.own[3:], "xyz", strict=True):
                found[j] = self.named(f"tau_{axis}_{turn.body.name}", self.tidy(found[j]))
        return found

    @property
    def _forces(self) -> list[Expr]:
        return self.steps.forces

    def _divided(self, forces: list[Expr]) -> list[Expr]:
        """Return M⁻¹ times what acts on places and turns: of each group that M couples by itself."""
        M = self.inner.blocks.M
        found = list(forces)
        pattern = np.zeros((len(forces), len(forces)))
        for place in M:
            pattern[place] = 1
        count, group = connected_components(pattern, directed=False)
        for k in range(count):
            own = np.flatnonzero(group == k).tolist()
            inertia = se.DenseMatrix([[M.get((i, j), ZERO) for j in own] for i in own])
            moved = inertia.inv() * se.DenseMatrix([[forces[i]] for i in own]) if len(own) > 1 else None
            for row, i in enumerate(own):
                found[i] = self.tidy(forces[i] / M[i, i] if moved is None else moved[row, 0])
        return found

    def reaction(self, k: int) -> list[Expr]:
        """Return Aᵀλ of one independent condition; with moments by their names, where it would be long else."""
        i, own = self.scene.kept[k], self.multipliers[k]
        row = [entry * own for entry in self.rows[k]]
        if max(map(width, row), default=0) <= WIDE:
            return [self.tidy(entry) for entry in row]
        condition, b = self.scene.system.constraints[i].name, self.inner.blocks
        values = [b.A.get((i, j), ZERO) * own for j in range(len(b.q))]
        for turn in self.inner.turns:
            for j, axis in zip(turn.own[3:], "xyz", strict=True):
                values[j] = self._part(f"tau_{axis}_{turn.body.name}", condition, values[j])
        along = [
            self._part(f"S_{turn.body.name}", condition, self._along(i, other) * own)
            for other, turn in enumerate(self.inner.turns)
        ]
        return self.spread(values, along, "", _TWO)

    @cached_property
    def rows(self) -> list[list[Expr]]:
        """The independent rows of A, with those of Euler parameters by R and ω."""
        return [self._row(i) for i in self.scene.kept]

    @cached_property
    def momenta(self) -> tuple[list[Expr], list[Expr]]:
        """p = ∂T/∂q̇, and ∂L/∂q + Q; where |e| = 1, with 2 EᵀJω for Euler parameters, and −2 ĖᵀJω of their inertia."""
        scene, inner = self.scene, self.inner
        index = {name: j for j, name in enumerate(scene.system.coordinates)}
        M, f = scene.blocks.M, self.steps.forces
        p = [se.Add(*[M.get((j, k), ZERO) * v for k, v in enumerate(scene.blocks.v)]) for j in range(len(index))]
        found = [ZERO] * len(index)
        for place, j in inner.other.places.items():
            found[j] = f[place]
        for k, turn in enumerate(inner.turns):
            gyroscopic = cross(turn.momentum, turn.omega)
            moment = [plain(se.expand(f[j] - g)) for j, g in zip(turn.own[3:], gyroscopic, strict=True)]
            stretch = inner.stretching[k]
            stretch = stretch if operations(stretch) <= _SHORT else self._stretching(k)  # else all would be expanded
            stretch = plain(se.expand(stretch - 2 * dot(turn.omega, turn.momentum)))
            own = turn.spread([2 * x for x in turn.momentum], ZERO)
            rates = turn.spread([-2 * x for x in turn.momentum], ZERO, turn.body.view.v[3:])
            given = turn.spread([2 * x for x in moment], stretch)
            for e, here, rate, more in zip(turn.e, own, rates, given, strict=True):
                p[index[e.name]], found[index[e.name]] = here, rate + more
        return p, found

    @property
    def energies(self) -> list[Expr]:
        """The kinetic energy of each body, and of what is none."""
        inner, half = self.inner, se.Rational(1, 2)
        owners = {j: f"T_{turn.body.name}" for turn in inner.turns for j in turn.own}
        parts: dict[str, list[Expr]] = {}
        for (i, j), entry in inner.blocks.M.items():
            if i < self.scene.system.mechanical or i in owners:
                parts.setdefault(owners.get(i, "T"), []).append(half * entry * inner.blocks.v[i] * inner.blocks.v[j])
        return [self.named(name, self.tidy(se.Add(*terms))) for name, terms in parts.items()]

    # --- from bodies to coordinates ----------------------------------------------------------------------------------

    def _stretching(self, k: int) -> Expr:
        """Return f along the stretch of a body, by a name."""
        return self.named(f"S_{self.inner.turns[k].body.name}", self.inner.stretching[k])

    def _along(self, i: int, k: int) -> Expr:
        """Return A of a condition along the stretch of a body, which |e| = 1 has too."""
        return se.Integer(1) if self.inner.turns[k].one.norm == i else self.inner.stretched.get((i, k), ZERO)

    def spread(self, values: list[Expr], along: list[Expr], letter: str = "", factor: Expr = _HALF) -> list[Expr]:
        """Return what belongs to coordinates of the mechanism, given that of places and turns, and along each e.

        letter: what the values of turns are called. factor: by which those in body axes are spread.
        """
        index = {name: j for j, name in enumerate(self.scene.system.coordinates)}
        found = [ZERO] * len(index)
        for place, j in self.inner.other.places.items():
            found[j] = values[place]
        for turn, own in zip(self.inner.turns, along, strict=True):
            u = [values[k] for k in turn.own[3:]]
            if letter:
                u = [self.named(f"{letter}_{axis}_{turn.body.name}", x) for axis, x in zip("xyz", u, strict=True)]
            parts = turn.spread([factor * x for x in u], own)
            for e, value in zip(turn.e, parts, strict=True):
                found[index[e.name]] = value
        return found

    def _row(self, i: int) -> list[Expr]:
        """Return a row of A: by R and ω, as its condition is made of them."""
        scene, inner = self.scene, self.inner
        found = [scene.blocks.A.get((i, j), ZERO) for j in range(len(scene.blocks.q))]
        if i not in inner.kept:
            return found
        index = {name: j for j, name in enumerate(scene.system.coordinates)}
        constraint = inner.other.constraints[inner.other.rows.index(i)]
        for turn in inner.turns:
            for e, value in zip(turn.e, inner.slopes(constraint, turn), strict=True):
                found[index[e.name]] = value
        return found


def by_bodies(scene: Scene) -> ByBodies | None:
    """Return the steps by bodies of a mechanism in space, found once; None of all others."""
    inner = spatial_scene(scene)
    if inner is None:
        return None
    if "by bodies" not in scene.written:
        scene.written["by bodies"] = ByBodies(scene, inner)
    return scene.written["by bodies"]
