"""The survey of a system: what is found out about it, each fact once, however many ask.

    @fact(STRUCTURE)
    def switching(system): ...           read as switching(system), by everybody to the right of it

A fact is a function of a system, and perhaps of a name; it stands where it belongs in the pipeline and says on what it
depends. A variant of a system that differs in values only (`replace`) takes over all facts that still hold:

    STRUCTURE    coordinates, energies, forces, constraints, the names of parameters: what formulas and code come from
    PARAMETERS   also the values of the parameters
    START        also initial values, guesses and settings: the system itself

Which constraints are redundant and which rows are kept depend on the pilot's configurations, and so on the start. A
fact of the structure must be read off the structure alone: variants share it, whatever values the first one had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

from dalembert.threads import one_thread

STRUCTURE, PARAMETERS, START = "structure", "parameters", "start"
_MOST = 64  # answers to one question asked by name that are kept, as of code for events: the last ones
_NOTHING: Any = object()  # in place of what is not known
_LARGE = 8  # coordinates, from which on linear algebra would use several threads

Result = TypeVar("Result")
Names = ParamSpec("Names")
Key = tuple[Hashable, ...]


class Survey:
    """What is known of one system, on three shelves; those that hold for it too are the ones of another system.

    `worked` counts what was worked out for this system itself.
    """

    def __init__(self, of: Survey | None = None, holds: Collection[str] = ()):
        self.known: dict[str, dict[Key, Any]] = {
            on: of.known[on] if of is not None and on in holds else {} for on in (STRUCTURE, PARAMETERS, START)
        }
        self._lock = of._lock if of is not None and holds else RLock()  # of all who share a shelf
        self.worked: Counter[Key] = Counter()

    def __reduce__(self) -> tuple[type[Survey], tuple[()]]:
        return Survey, ()  # what is known can be found out again; compiled code belongs to its process

    def __deepcopy__(self, memory: Any) -> Survey:
        return Survey()

    def find(self, on: str, key: Key, work: Callable[[], Result]) -> Result:
        """Return a fact by what it is kept under; work it out if nobody has asked before.

        That is the function that works it out, or a name that nobody else uses, and what it was asked for.
        """
        shelf = self.known[on]
        if (known := shelf.get(key, _NOTHING)) is not _NOTHING:
            return known
        with self._lock:
            if key not in shelf:
                self.worked[key] += 1
                found = work()
                if len(key) > 1:
                    for old in [other for other in shelf if other[0] == key[0]][: 1 - _MOST]:
                        shelf.pop(old, None)
                shelf[key] = found
            return shelf[key]


def fact(on: str) -> Callable[[Callable[Concatenate[Any, Names], Result]], Callable[Concatenate[Any, Names], Result]]:
    """Declare a function of a system to be a fact that depends on its structure, parameters or start."""

    def declare(work: Callable[Concatenate[Any, Names], Result]) -> Callable[Concatenate[Any, Names], Result]:
        @wraps(work)
        def found(system: Any, *names: Names.args, **more: Names.kwargs) -> Result:
            survey, key = system.survey, (work, *names, *more.items())
            if (known := survey.known[on].get(key, _NOTHING)) is not _NOTHING:  # as mostly
                return known
            return survey.find(on, key, lambda: worked(system, *names, **more))

        def worked(system: Any, *names: Names.args, **more: Names.kwargs) -> Result:
            if len(system.coordinates) < _LARGE:
                return work(system, *names, **more)
            with one_thread:
                return work(system, *names, **more)

        return found

    return declare
