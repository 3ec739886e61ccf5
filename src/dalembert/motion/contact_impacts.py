"""Impacts of the contacts of a motion: with what speeds they meet, and what they leave, with friction and without."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import symengine as se
from scipy.sparse.csgraph import connected_components

from dalembert.algebra.either import dense
from dalembert.arrays import Array
from dalembert.errors import SimulationError, quoted
from dalembert.language.building import TIME
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.motion.impact import IMPACT, Blow, Impact, no_impulses
from dalembert.motion.joint_impulses import joint_impulses
from dalembert.motion.rubbing_impact import MOST, RubbingBlow

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric
    from dalembert.model.mechanism.mechanism import Mechanism
    from dalembert.motion.touching import Touching

_LOW = 64 * float(np.finfo(float).eps)  # of its terms: a gap to which coming back is not told from staying
_STUCK = 1e-9  # of what a sliding velocity is made of: below, it is none
_ACTS = 1e-13  # of the geometric mean of what two impulses do where they are: below, one does nothing to the other
_SOLVED = 1e-9  # of the largest: singular values of what is solved


class ContactImpacts:
    """Lets contacts meet."""

    def __init__(self, owner: Touching):
        self.owner = owner
        self.law = owner.contacts[0].law

    @cached_property
    def _restitution(self) -> Program:
        symbols = [se.Symbol(name) for name in self.owner.system.parameters]
        both = [expr for one in self.owner.contacts for expr in (one.restitution, one.tangential)]
        return Program(symbols, both, self.owner.system.defined)

    @cached_property
    def _coefficients(self) -> Program:
        names = (TIME, *self.owner.system.coordinates, *self.owner.system.parameters)
        both = zip(self.owner.contacts, self.owner.rubs, strict=True)
        coefficients = [ZERO if rubs is None else one.coefficient for one, rubs in both]
        return Program([se.Symbol(name) for name in names], coefficients, self.owner.system.defined)

    def impact(
        self, numeric: Numeric, t: float, q: Array, v: Array, some: list[int], speeds: Array
    ) -> tuple[Array, Impact]:
        """Let some contacts meet at rates of the gaps: what acts on the one that closes fastest; others come next."""
        rubbing = [i for i in some if self.owner.slides[i] is not None]
        blow = self._sliding_blow(numeric, t, q, v, some, rubbing)
        alone = _coupled(blow.G, [*range(len(some)), *map(some.index, rubbing)], int(np.argmin(speeds[some])))
        if len(alone) < len(some):
            some = [some[k] for k in alone]
            rubbing = [i for i in rubbing if i in some]
            blow = self._sliding_blow(numeric, t, q, v, some, rubbing)
        e, tangential = self._restitution.floats(numeric.parameters).reshape(-1, 2).T
        e[speeds**2 < self._least(numeric, t, q, v)] = 0.0
        if rubbing:
            return self._rubbing_impact(blow, numeric, t, q, v, some, rubbing, speeds, e, tangential)
        impulses = blow.impulses(speeds[some], e[some], self.law)
        if impulses is None:
            raise no_impulses([self.owner.names[i] for i in some], t)
        return self._after(blow, numeric, t, q, v, some, [], speeds[some], impulses, IMPACT)

    def _rubbing_impact(
        self,
        blow: Blow,
        numeric: Numeric,
        t: float,
        q: Array,
        v: Array,
        some: list[int],
        rubbing: list[int],
        speeds: Array,
        e: Array,
        tangential: Array,
    ) -> tuple[Array, Impact]:
        """The same where some of them rub."""
        names = [self.owner.names[i] for i in some]
        if len(some) > MOST:
            text = f"{len(some)} contacts, {quoted(names)}, meet at t = {t:.9g} and rub"
            raise SimulationError(f"{text}; impacts with friction are computed of {MOST} at once at most")
        k, places = len(some), [len(some) + n for n in range(len(rubbing))]
        at = dict(zip(rubbing, places, strict=True))
        G = np.zeros((2 * k, 2 * k))
        full = [*range(k), *(k + some.index(i) for i in rubbing)]
        G[np.ix_(full, full)] = blow.G
        mu = self._coefficients.floats([t, *q, *numeric.parameters])
        slips = self._slips(numeric, t, q, v)
        found = RubbingBlow(G, mu[some], self.law).impulses(speeds[some], slips[some], e[some], tangential[some])
        if not found:
            raise no_impulses(names, t)
        if len(found) > 1:
            text = f"the impact of {quoted(names)} at t = {t:.9g} has {len(found)} solutions"
            raise SimulationError(f"{text} with friction, and what follows is not determined")
        impulses = np.concatenate([found[0][:k], [found[0][k + some.index(i)] for i in at]])
        return self._after(blow, numeric, t, q, v, some, rubbing, speeds[some], impulses, IMPACT, slips[rubbing])

    def _sliding_blow(
        self, numeric: Numeric, t: float, q: Array, v: Array, some: list[int], rubbing: list[int]
    ) -> Blow:
        slides = [row for i in rubbing if (row := self.owner.slides[i]) is not None]
        return Blow(numeric, t, q, v, [*(self.owner.rows[i] for i in some), *slides], self.owner.ideal)

    def _slips(self, numeric: Numeric, t: float, q: Array, v: Array) -> Array:
        """Return the sliding velocities, 0 of contacts without friction."""
        psi = numeric.velocity(t, q, v)[0]
        return np.array([0.0 if row is None else psi[numeric.kinematic.index(row)] for row in self.owner.slides])

    def _least(self, numeric: Numeric, t: float, q: Array, v: Array) -> Array:
        """Return the squares of speeds with which contacts come back no higher than rounding of the gaps."""
        values = numeric.all(t, q, v)
        A, terms = dense(values.A)[self.owner.rows], self.owner.gaps(numeric, t, q)[1]
        free = np.abs(values.f) / np.maximum(np.abs(values.M.diagonal()), np.finfo(float).tiny)
        return _LOW * terms * (np.abs(A) @ free)

    def brought_to_rest(self, numeric: Numeric, t: float, q: Array, v: Array, some: list[int]) -> tuple[Array, Impact]:
        """Let some contacts come to rest: what is left of impacts that follow each other without number."""
        rubbing = [i for i in some if self.owner.slides[i] is not None]
        blow, k = self._sliding_blow(numeric, t, q, v, some, rubbing), len(some)
        speeds, slips = self.owner.rates(numeric, t, q, v)[0][some], self._slips(numeric, t, q, v)
        mu = self._coefficients.floats([t, *q, *numeric.parameters])
        slow = _STUCK * (np.abs(blow.W) @ self.owner.speeds)[k:]
        sticks = [n for n, i in enumerate(rubbing) if abs(slips[i]) <= slow[n]]
        # impulses by those that press, and those by which something sticks: what slides is dragged by what presses
        made = np.zeros((k + len(rubbing), k + len(sticks)))
        made[:k, :k] = np.eye(k)
        for n, i in enumerate(rubbing):
            if n in sticks:
                made[k + n, k + sticks.index(n)] = 1.0
            else:
                made[k + n, some.index(i)] = -mu[i] * np.sign(slips[i])
        held = [*range(k), *(k + n for n in sticks)]
        wanted = -np.concatenate([speeds, slips[[rubbing[n] for n in sticks]]])
        impulses = made @ np.linalg.lstsq((blow.G @ made)[held], wanted, rcond=_SOLVED)[0]
        return self._after(blow, numeric, t, q, v, some, rubbing, speeds, impulses, "zeno", slips[rubbing])

    def _after(
        self,
        blow: Blow,
        numeric: Numeric,
        t: float,
        q: Array,
        v: Array,
        some: list[int],
        rubbing: list[int],
        speeds: Array,
        impulses: Array,
        kind: str,
        slips: Array | None = None,
    ) -> tuple[Array, Impact]:
        after, k = v + impulses @ blow.response, len(some)
        names, before = [self.owner.names[i] for i in some], np.concatenate([speeds, () if slips is None else slips])
        rates = before + blow.G @ impulses
        rows = [self.owner.system.constraints[row].name for row in self.owner.ideal]
        held = dict(zip(rows, (impulses @ blow.held).tolist(), strict=True))
        if getattr(self.owner.system, "by", ABSOLUTE) != ABSOLUTE:
            contacts = self.owner.contacts
            known = {contacts[i].row: float(size) for i, size in zip(some, impulses[:k], strict=True)}
            known |= {f"{contacts[i].name}.stick": float(x) for i, x in zip(rubbing, impulses[k:], strict=True)}
            mechanism = cast("Mechanism", self.owner.system)
            held |= joint_impulses(mechanism, t, q, (v, after), np.array(numeric.parameters), known)
        impact = Impact(
            t, kind, dict(zip(names, impulses[:k].tolist(), strict=True)), held,
            dict(zip(names, speeds.tolist(), strict=True)), dict(zip(names, rates[:k].tolist(), strict=True)),
            blow.energy(v, after), float(impulses @ (rates + before)) / 2, blow.shares,
            dict(zip([self.owner.names[i] for i in rubbing], impulses[k:].tolist(), strict=True)),
        )  # fmt: skip
        return after, impact


def _coupled(G: Array, owners: list[int], first: int) -> list[int]:
    """Return which contacts act on a first one, also by way of others; owners: the contacts of the rows."""
    lengths = np.sqrt(np.maximum(np.diag(G), 0.0))
    acts = np.abs(G) > _ACTS * np.outer(lengths, lengths)
    contacts = int(max(owners)) + 1
    pairs = np.zeros((contacts, contacts), dtype=bool)
    rows, columns = np.nonzero(acts)
    pairs[np.array(owners)[rows], np.array(owners)[columns]] = True
    labels = connected_components(pairs, directed=False)[1]
    return [int(k) for k in np.flatnonzero(labels == labels[first])]
