"""Two ways of writing what acts on bodies that hang on a joint: whole formulas, or a sheet of named steps.

In the coordinates of a tree the acceleration of the last body of a chain has many terms, and each joint before it
carries them all. So a person writes the accelerations of the bodies down first, and the forces that are long; then the
force in a joint is a line: the masses behind it times these accelerations, less what acts on them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

import symengine as se

from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import operations, width
from dalembert.algebra.writing.cutting import WIDEST, cut
from dalembert.algebra.writing.shared_parts import TRIVIAL, in_order, shared_parts
from dalembert.forms.pen import MAX_LENGTH, MAX_TOTAL, Pen
from dalembert.forms.prepared import Scene
from dalembert.forms.pulls import Sections, between_points, is_same
from dalembert.forms.sheet import GAIN, forces, needed, numbered, pulls_of, put_down
from dalembert.forms.tidy import plain
from dalembert.language.building import CONSTANTS, Expr
from dalembert.language.calculus import ZERO
from dalembert.language.functions import FUNCTIONS
from dalembert.language.walk import fold
from dalembert.model.mechanism.pairs.base import rate_by
from dalembert.model.mechanism.vectors import sub

_FORCE = 20  # operations of a force that gets a name,
_TERM = 6  # with those of its terms that have more than so many
_COMFORTABLE = 160  # characters of a line
_RATES = {0: "", 1: "v_", 2: "a_"}  # what is put before the name of a coordinate, by its primes


def short(scene: Scene, expr: Expr) -> Expr:
    """Write an expression in few operations, however long it is: along a chain of joints most of it cancels."""
    expr = plain(expr)
    if operations(expr) <= TRIVIAL:
        return expr
    pen = Pen(scene, [expr])
    if operations(expr) > MAX_LENGTH:
        with suppress(TooLarge):
            return min(pen.together(expr), expr, key=operations)
    return pen.value(expr)


class WholeLines:
    """Writes in the coordinates of the tree, and in nothing else; `seen` says what symbols of bodies are in them."""

    def __init__(self, scene: Scene, seen: Callable[[Expr], Expr]):
        self.scene, self._seen = scene, seen
        self.names: dict[str, Expr] = {}

    def seen(self, expr: Expr) -> Expr:
        """Return an expression of bodies one by one in coordinates of the tree."""
        return self._seen(expr)

    def forces(self, given: Mapping[str, Expr]) -> list[Expr]:
        """Return the forces on coordinates of bodies."""
        return [self.seen(f) for f in given.values()]

    def apart(self, given: dict[str, Expr], sections: Sections) -> tuple[dict[str, Expr], dict[str, Expr]]:
        """Return forces on coordinates of bodies without those that elements have by name, and these."""
        return given, {}

    def arm(self, name: str, value: Expr) -> Expr:
        """Return how far a body is from a joint."""
        return value

    def lines(self, values: Sequence[Expr], names: Sequence[str]) -> list[Expr]:
        """Write the λ of a joint."""
        given = list(map(plain, values))
        pen = Pen(self.scene, given)
        return [pen.value(expr) for expr in given]


class SteppedLines(WholeLines):
    """Writes in named steps.

    taken: names that mean something else. carriers: by coordinate of a body, that of the body which carries it.
    angles: the symbols of angles of bodies in the plane, by what they are in coordinates of the tree. says: how a
    coordinate is called, of which the name cannot be written.
    """

    def __init__(
        self,
        scene: Scene,
        seen: Callable[[Expr], Expr],
        taken: Collection[str],
        carriers: Mapping[str, str],
        angles: Mapping[Expr, Expr],
        says: Callable[[str], str],
    ):
        super().__init__(scene, seen)
        self._says, self._carriers, self._angles, self._known = says, carriers, angles, dict[Expr, Expr]()
        self._rates = {q: se.Symbol(f"{q.name}'") for q in (*scene.blocks.q, *angles.values())}
        self._rates |= {v: se.Symbol(f"{v.name}'") for v in self._rates.values()} | {scene.blocks.t: se.Integer(1)}
        self._taken = {*scene.names, *FUNCTIONS, *CONSTANTS, *taken, *(symbol.name for symbol in scene.inputs)}

    def seen(self, expr: Expr) -> Expr:
        """Return an expression with names for what bodies do; what takes few operations is put in."""
        return expr.xreplace({symbol: self._step(symbol) for symbol in sorted(expr.free_symbols, key=str)})

    def _step(self, symbol: Expr) -> Expr:
        if symbol not in self._known:
            value = self._seen(symbol)
            self._known[symbol] = symbol if value == symbol else self._put_down(symbol.name, value)
        return self._known[symbol]

    def _put_down(self, name: str, value: Expr) -> Expr:
        """Name a place, velocity or acceleration: a wide one by that of the body that carries it, and what is more."""
        coordinate = name.rstrip("'")
        primes = name[len(coordinate) :]
        line = short(self.scene, value)
        if width(line) > _COMFORTABLE and coordinate in self._carriers:
            carrier = self._carriers[coordinate]
            place = self._seen(se.Symbol(coordinate)) - self._seen(se.Symbol(carrier))
            more = self.seen(short(self.scene, self._moved(place, len(primes))))
            if width(more) < width(line):
                line = more + self._step(se.Symbol(carrier + primes))
        return self._named(_RATES[len(primes)] + self._says(coordinate), line, least=1)

    def _moved(self, place: Expr, order: int) -> Expr:
        """Differentiate a place by time, in angles of bodies."""
        place = place.xreplace(self._angles)
        for _ in range(order):
            place = rate_by(place, self._rates)
        return place

    def forces(self, given: Mapping[str, Expr]) -> list[Expr]:
        """Return the forces on coordinates of bodies; what is long in them gets a name, and what they share too."""
        long: dict[str, Expr] = {}
        brief: dict[str, Expr] = {}
        for name, f in given.items():
            terms = f.args if f.is_Add and operations(f) > _FORCE else (f,)
            wide = [term for term in terms if operations(term) > _TERM] if operations(f) > _FORCE else []
            brief[name] = self.seen(se.Add(*[term for term in terms if term not in wide]))
            if wide:
                long[name] = short(self.scene, self.seen(se.Add(*wide)))
        lines, parts = shared_parts(list(long.values()), self._all_taken, self.scene.system.parameters)
        self.names |= parts
        named = {name: self._named(f"F_{self._says(name)}", line) for name, line in zip(long, lines, strict=True)}
        return [brief[name] + named.get(name, se.Integer(0)) for name in given]

    def apart(self, given: dict[str, Expr], sections: Sections) -> tuple[dict[str, Expr], dict[str, Expr]]:
        """Return forces without those of elements between two points, and these: F e, with e along the element."""
        scene, pulls = self.scene, pulls_of(self.scene)
        rest, found, before = {q: plain(f) for q, f in given.items()}, dict.fromkeys(given, ZERO), dict(self.names)
        for element, length in between_points(sections):
            if element.name not in pulls:
                continue
            l, force = pulls[element.name]
            more = needed([l, force], forces(scene)[1])
            self.names |= {name: value for name, value in more.items() if name not in self._taken}
            one, other = element.action.markers
            away = zip("xy", sub(other.place, one.place), strict=True)
            e = [self._named(f"e_{c}_{element.name}", short(scene, self._seen(p)) / l, least=1) for c, p in away]
            for name in given:
                along = [v.diff(se.Symbol(f"{name}'")) for v in sub(other.velocity, one.velocity)]
                if any(along):
                    rest[name] = length.absent(rest[name])
                    parts = [k * self.seen(short(scene, v)) for k, v in zip(e, along, strict=True)]
                    found[name] += element.sense * force * se.Add(*parts)
        whole = [self._seen(f) for f in given.values()]
        apart = [self._seen(rest[name]) + found[name] for name in given]
        known = {**forces(scene)[1], **self.names}
        if is_same(scene, whole, apart, known):
            return rest, found
        self.names = before
        return given, {}

    def arm(self, name: str, value: Expr) -> Expr:
        """Return how far a body is from a joint, by a name if that is long."""
        return self._named(name, short(self.scene, value))

    def lines(self, values: Sequence[Expr], names: Sequence[str]) -> list[Expr]:
        """Write the λ of a joint, each in a line."""
        found = []
        for value, name in zip(values, names, strict=True):
            wish = f"lambda_{name.replace('.', '_')}"
            found.append(
                cut(short(self.scene, value), lambda part, wish=wish: self._named(self._numbered(wish), part, least=0))
            )
        return found

    @property
    def _all_taken(self) -> set[str]:
        return {*self._taken, *self.names}

    def _numbered(self, name: str) -> str:
        return numbered(name, self._all_taken)

    def _named(self, name: str, value: Expr, least: int = TRIVIAL) -> Expr:
        if operations(value) <= least:
            return value
        wish = self.scene.free_name(name, self._all_taken).name
        own: dict[str, Expr] = dict.fromkeys(self._all_taken, se.Integer(0))  # what no other step may be called
        symbol = put_down(self.scene, own, wish, value)
        self.names |= {step: expr for step, expr in own.items() if step not in self._all_taken}
        return symbol

    @property
    def ordered(self) -> dict[str, Expr]:
        """What names stand for, in the order in which one computes."""
        return in_order(self.names)


def is_better(steps: Sequence[Expr], names: dict[str, Expr], whole: Sequence[Expr]) -> bool:
    """Tell whether steps are to be shown in the place of formulas: these do not fit lines, and are longer by far."""
    if max(map(width, whole), default=0) <= WIDEST:
        return False
    shorter = sum(map(operations, (*steps, *names.values()))) + len(names)
    return shorter <= GAIN * sum(map(operations, whole))


def can_be_whole(steps: Sequence[Expr], names: dict[str, Expr]) -> bool:
    """Tell whether formulas without names could be read, by how many operations they would have at most."""
    sizes: dict[str, int] = {}

    def size(expr: Expr) -> int:
        def inside(node: Expr, parts: list[int]) -> int:
            return sizes.get(node.name, 0) if node.is_Symbol else sum(parts)

        return operations(expr) + fold(expr, inside)

    for name, value in names.items():
        sizes[name] = size(value)
    return all(size(expr) <= MAX_TOTAL for expr in steps)
