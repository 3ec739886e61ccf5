"""Impacts of the contacts of a motion: with what speeds they meet, and what they leave, with friction and without."""

from __future__ import annotations

from dataclasses import dataclass
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
from dalembert.motion.impact import IMPACT, Blow, Impact, free_accelerations, no_impulses
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


@dataclass(frozen=True)
class _Meeting:
    """What meets at a state: contacts, those of them that rub, and what impulses do there."""

    numeric: Numeric
    t: float
    q: Array
    v: Array
    some: list[int]
    rubbing: list[int]
    blow: Blow


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
        met = self._meeting(numeric, t, q, v, some)
        alone = _coupled(met.blow.G, [*range(len(some)), *map(some.index, met.rubbing)], int(np.argmin(speeds[some])))
        if len(alone) < len(some):
            met = self._meeting(numeric, t, q, v, [some[k] for k in alone])
        e, tangential = self._restitution.floats(numeric.parameters).reshape(-1, 2).T
        e[speeds**2 < self._least(numeric, t, q, v)] = 0.0
        if met.rubbing:
            slips = self._slips(numeric, t, q, v)
            impulses = self._rubbing_impulses(met, speeds, slips, e, tangential)
            return self._after(met, speeds[met.some], slips[met.rubbing], impulses, IMPACT)
        impulses = met.blow.impulses(speeds[met.some], e[met.some], self.law)
        if impulses is None:
            raise no_impulses(self._names(met.some), t)
        return self._after(met, speeds[met.some], np.zeros(0), impulses, IMPACT)

    def _meeting(self, numeric: Numeric, t: float, q: Array, v: Array, some: list[int]) -> _Meeting:
        rubbing = [i for i in some if self.owner.slides[i] is not None]
        slides = [row for i in rubbing if (row := self.owner.slides[i]) is not None]
        blow = Blow(numeric, t, q, v, [*(self.owner.rows[i] for i in some), *slides], self.owner.ideal)
        return _Meeting(numeric, t, q, v, some, rubbing, blow)

    def _names(self, some: list[int]) -> list[str]:
        return [self.owner.names[i] for i in some]

    def _rubbing_impulses(self, met: _Meeting, speeds: Array, slips: Array, e: Array, tangential: Array) -> Array:
        """Return the impulses where some rub: along the gaps, and along what slides."""
        some, k = met.some, len(met.some)
        names = self._names(some)
        if k > MOST:
            text = f"{k} contacts, {quoted(names)}, meet at t = {met.t:.9g} and rub"
            raise SimulationError(f"{text}; impacts with friction are computed of {MOST} at once at most")
        places = [k + some.index(i) for i in met.rubbing]
        G = np.zeros((2 * k, 2 * k))
        G[np.ix_([*range(k), *places], [*range(k), *places])] = met.blow.G
        mu = self._coefficients.floats([met.t, *met.q, *met.numeric.parameters])
        found = RubbingBlow(G, mu[some], self.law).impulses(speeds[some], slips[some], e[some], tangential[some])
        if not found:
            raise no_impulses(names, met.t)
        if len(found) > 1:
            text = f"the impact of {quoted(names)} at t = {met.t:.9g} has {len(found)} solutions"
            raise SimulationError(f"{text} with friction, and what follows is not determined")
        return found[0][[*range(k), *places]]

    def _slips(self, numeric: Numeric, t: float, q: Array, v: Array) -> Array:
        """Return the sliding velocities, 0 of contacts without friction."""
        psi = numeric.velocity(t, q, v)[0]
        return np.array([0.0 if row is None else psi[numeric.kinematic.index(row)] for row in self.owner.slides])

    def _least(self, numeric: Numeric, t: float, q: Array, v: Array) -> Array:
        """Return the squares of speeds with which contacts come back no higher than rounding of the gaps."""
        values = numeric.all(t, q, v)
        A, terms = dense(values.A)[self.owner.rows], self.owner.gaps(numeric, t, q)[1]
        return _LOW * terms * (np.abs(A) @ free_accelerations(values))

    def brought_to_rest(self, numeric: Numeric, t: float, q: Array, v: Array, some: list[int]) -> tuple[Array, Impact]:
        """Let some contacts come to rest: what is left of impacts that follow each other without number."""
        met, k = self._meeting(numeric, t, q, v, some), len(some)
        blow, rubbing = met.blow, met.rubbing
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
        return self._after(met, speeds, slips[rubbing], impulses, "zeno")

    def _after(self, met: _Meeting, speeds: Array, slips: Array, impulses: Array, kind: str) -> tuple[Array, Impact]:
        """Return velocities after impulses, and what is told of them."""
        blow, k, contacts = met.blow, len(met.some), self.owner.contacts
        after, before = met.v + impulses @ blow.response, np.concatenate([speeds, slips])
        rates = before + blow.G @ impulses
        normal = dict(zip(self._names(met.some), impulses[:k].tolist(), strict=True))
        tangent = dict(zip(self._names(met.rubbing), impulses[k:].tolist(), strict=True))
        rows = [self.owner.system.constraints[row].name for row in self.owner.ideal]
        held = dict(zip(rows, (impulses @ blow.held).tolist(), strict=True))
        if getattr(self.owner.system, "by", ABSOLUTE) != ABSOLUTE:
            known = {contacts[i].row: float(size) for i, size in zip(met.some, impulses[:k], strict=True)}
            known |= {f"{name}.stick": size for name, size in tangent.items()}
            mechanism = cast("Mechanism", self.owner.system)
            held |= joint_impulses(mechanism, met.t, met.q, (met.v, after), np.array(met.numeric.parameters), known)
        was, now = (dict(zip(normal, values.tolist(), strict=True)) for values in (speeds, rates[:k]))
        lost, given = blow.energy(met.v, after), float(impulses @ (rates + before)) / 2
        return after, Impact(met.t, kind, normal, held, was, now, lost, given, blow.shares, tangent)


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
