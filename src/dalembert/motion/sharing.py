"""Loads that several frictions share while they stick: as many hold by conditions as are independent, others carry.

What these carry is chosen by linear programming so that the largest part of a limit is least. Where one comes to its
limit, the share is chosen in which most is left to it; then those at their limits carry these, as they change, and the
others hold. So they slip exactly when all that they can hold together is used up, after few choices. A share may turn
reactions round, and loads are sizes of these: so it is looked for with each of their signs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.model.quantity import multipliers_in

if TYPE_CHECKING:
    from dalembert.motion.mode_trial import SolvedModes, Trial

_INSIDE = 1e-9  # of the limit: beside it, both modes hold
_STILL = 1e-7  # of what a rate of sliding is made of, where it is none
_SHARES = 8  # shares of a load that are tried, as limits change with them
_NUDGE = 1e-4  # of the forces: changes by which it is seen how they depend on shares
_FULL = 1e-6  # of a limit: what is left where it carries all that it can
_HELD = 1e-9  # of a row: what others leave of one that they hold
_TURNING = 4  # reactions that shares can turn round of which all signs are tried


class Sharing:
    """Finds shares at the state of a trial."""

    def __init__(self, trial: Trial):
        self.trial, self.owner = trial, trial.owner

    def hold(self, parameters: Array, stuck: Sequence[int]) -> list[int]:
        """Let as many stick by conditions as are independent, the first ones, the others without a force.

        Return these.
        """
        for i in stuck:
            self.owner.let_stick(parameters, i)
        if len(stuck) <= 1 and (found := self.trial.solved(parameters)) is not None and self.trial.has_full_rank(found):
            return []  # the usual one
        B = self.trial.allowed
        kept, carried = np.zeros((0, B.shape[1])), list[int]()
        for i in stuck:
            rows = B[self.trial.rows(i)]
            more = np.vstack([kept, rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None]])
            independent = bool(rows.any()) and float(np.linalg.svd(more, compute_uv=False).min()) > _HELD
            if independent and len(more) <= more.shape[1]:
                kept = more
                self.owner.let_stick(parameters, i)
            else:
                carried.append(i)
                self.owner.let_stick(parameters, i, np.zeros(len(rows)))
        return carried

    def inside(self, parameters: Array, stuck: Sequence[int]) -> SolvedModes | None:
        """Solve, with all that stick inside their limits; where they share a load, find a share with which they are.

        The shares stay in the parameters. None if there is no solution, or no such share.
        """
        begin = parameters.copy()
        if (found := self._held_inside(parameters, stuck)) is not None:
            return found
        for other in self._turned_round(begin, stuck):
            if (found := self._held_inside(other, stuck, is_signed=True)) is not None:
                parameters[:] = other
                return found
        return None

    def again(self, stuck: Sequence[int], ended: Collection[int]) -> Array | None:
        """Return parameters with which all that stick go on sticking, though some of them came to their limit.

        None if nothing can be left to these: then they slip.
        """
        parameters = self.trial.parameters.copy()
        if not self.hold(parameters, stuck) or (found := self.inside(parameters, stuck)) is None:
            return None
        for _ in range(_SHARES):
            other, rest = parameters.copy(), self._rest(ended, found)
            better = self._held_inside(other, stuck) if self._share(other, stuck, found, for_=ended) else None
            if better is None or self._rest(ended, better) <= rest * (1 + _INSIDE):
                break
            parameters, found = other, better
        if self._rest(ended, found) <= _INSIDE:
            return None
        other = self._exchanged(stuck, found)
        better = self.trial.solved(other)
        if better is None or self._moves(better, stuck) or self._rest(stuck, better) < -_FULL:
            return parameters
        return other if self._rest(ended, better) > _INSIDE else parameters

    def _exchanged(self, stuck: Sequence[int], found: SolvedModes) -> Array:
        """Return parameters with which those that are at their limits carry, and others hold."""
        rest = {i: self._rest([i], found) for i in stuck}
        parameters = self.trial.parameters.copy()
        # those hold of whose limits most is left: what grows, or what lifts one of them off, comes to an end last there
        left = {i: rest[i] * found.limits[i] for i in stuck}
        for i in self.hold(parameters, sorted(stuck, key=lambda i: -left[i])):
            size = float(np.linalg.norm(found.held[i]))
            if abs(rest[i]) < _FULL and size > 0.0:
                parameters[self.owner.part_places[i]] = found.held[i] / size
            else:
                parameters[self.owner.carry_places[i]] = found.held[i]
        return parameters

    @staticmethod
    def _rest(some: Collection[int], found: SolvedModes) -> float:
        """Return the least part that is left of a limit."""
        sizes = {i: float(np.linalg.norm(found.held[i])) for i in some}
        return min(1.0 - sizes[i] / found.limits[i] if found.limits[i] > 0.0 else 0.0 for i in some)

    def _held_inside(self, parameters: Array, stuck: Sequence[int], is_signed: bool = False) -> SolvedModes | None:
        """Solve, and share otherwise until all are inside; is_signed: with the signs that reactions have now."""
        for _ in range(_SHARES):
            if (found := self.trial.solved(parameters)) is None or self._moves(found, stuck):
                return None
            if all(float(np.linalg.norm(found.held[i])) <= found.limits[i] * (1 + _INSIDE) for i in stuck):
                return found
            if not self._share(parameters, stuck, found, is_signed):
                return None
        return None

    def _turned_round(self, parameters: Array, stuck: Sequence[int]) -> Iterator[Array]:
        """Return parameters with shares by which the reactions that press have other signs, as far as there are some.

        Limits bend where a reaction passes zero; between these places the linear program is exact.
        """
        from scipy.optimize import linprog

        places = self._shares(parameters, stuck)
        found = self.trial.solved(parameters) if places else None
        if found is None or self._moves(found, stuck):
            return
        size = float(np.abs(found.lam).max(initial=0.0))
        slopes = self._slopes(parameters, places, _NUDGE * size, lambda solved: solved.lam) if size > 0 else None
        if slopes is None:
            return
        rows = [k for k in self._pressing(stuck) if np.abs(slopes[k]).max() > _INSIDE * np.abs(slopes).max()]
        now = np.sign(found.lam[rows])
        for signs in product((1.0, -1.0), repeat=len(rows)) if len(rows) <= _TURNING else ():
            s = np.array(signs)
            if np.array_equal(s, now):
                continue  # these were tried
            # σ(λ + Λ z) as far above zero as all of them can be, but no further than they are large
            best = linprog(
                [*np.zeros(len(places)), -1.0],
                A_ub=np.column_stack([-s[:, None] * slopes[rows], np.full(len(rows), size)]),
                b_ub=s * found.lam[rows],
                bounds=[*[(None, None)] * len(places), (None, 1.0)],
            )
            if best.x is not None and best.x[-1] > _INSIDE:
                other = parameters.copy()
                other[places] += best.x[:-1]
                yield other

    def _pressing(self, stuck: Sequence[int]) -> list[int]:
        """Return the constraints whose multipliers are loads of what sticks."""
        names = multipliers_in(*(self.owner.frictions[i].load for i in stuck))
        return [k for k, constraint in enumerate(self.owner.system.constraints) if constraint.name in names]

    def _shares(self, parameters: Array, stuck: Sequence[int]) -> list[int]:
        """Return where among the parameters the forces are that some of those that stick carry."""
        return [k for i in stuck if not parameters[self.owner.stick_places[i]] for k in self.owner.carry_places[i]]

    def _slopes(
        self, parameters: Array, places: Sequence[int], step: float, measure: Callable[[SolvedModes], Array]
    ) -> Array | None:
        """Return how a measure of the solution changes with shares; None where there is no solution."""
        if (here := self.trial.solved(parameters)) is None:
            return None
        columns = []
        for place in places:
            nudged = parameters.copy()
            nudged[place] += step
            if (other := self.trial.solved(nudged)) is None:
                return None
            columns.append((measure(other) - measure(here)) / step)
        return np.array(columns).T

    @staticmethod
    def _moves(found: SolvedModes, stuck: Sequence[int]) -> bool:
        """Tell whether something that should stick begins to move: what others hold only for a moment does."""
        return any(float(np.abs(found.rates[i]).max()) > _STILL * float(np.sum(found.sizes[i])) for i in stuck)

    def _share(
        self,
        parameters: Array,
        stuck: Sequence[int],
        found: SolvedModes,
        is_signed: bool = False,
        for_: Collection[int] | None = None,
    ) -> bool:
        """Let those that carry a share carry another one, with which the least that is left of a limit is most.

        Loads, and so limits, change with the shares: both are taken as linear, and the step is repeated. Of several
        sliding velocities each is held to its part of the limit, which is safe. is_signed: loads keep their signs.
        for_: those to which most is to be left, instead of all.
        """
        from scipy.optimize import linprog

        places = self._shares(parameters, stuck)
        held, limits, wanted = self._filled(stuck, found, stuck if for_ is None else for_)
        step = _NUDGE * float(max(np.abs(limits).max(initial=0.0), np.abs(held).max(initial=0.0)))
        if not places or not step > 0:
            return False
        rows = self._pressing(stuck) if is_signed else []

        def measure(solved: SolvedModes) -> Array:
            return np.concatenate([*self._filled(stuck, solved, ())[:2], solved.lam[rows]])

        if (slopes := self._slopes(parameters, places, step, measure)) is None:
            return False
        of_held, of_limits, of_loads = np.split(slopes, [len(held), 2 * len(held)])
        signs, none = np.sign(found.lam[rows])[:, None], np.zeros((len(rows), 1))
        size = (wanted * np.maximum(np.abs(limits), _NUDGE * np.abs(limits).max(initial=0.0)))[:, None]
        best = linprog(
            [*np.zeros(len(places)), -1.0],
            A_ub=np.block([[of_held - of_limits, size], [-of_held - of_limits, size], [-signs * of_loads, none]]),
            b_ub=np.concatenate([limits - held, limits + held, np.abs(found.lam[rows])]),
            bounds=[*[(None, None)] * len(places), (None, 1.0)],
        )
        if best.x is None:
            return False
        parameters[places] += best.x[:-1]
        return True

    @staticmethod
    def _filled(stuck: Sequence[int], found: SolvedModes, some: Collection[int]) -> tuple[Array, Array, Array]:
        """Return what holds, its limit, and whether it is of some of them, one after the other."""
        counts = [len(found.held[i]) for i in stuck]
        limits = [found.limits[i] / np.sqrt(count) for i, count in zip(stuck, counts, strict=True)]
        wanted = np.repeat([float(i in some) for i in stuck], counts)
        return np.concatenate([found.held[i] for i in stuck]), np.repeat(limits, counts), wanted
