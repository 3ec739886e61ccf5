"""What can go wrong, said in words: what was got, what was expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong or worth knowing, and where in the user's text it stands.

    `severity` is "error" (the model cannot be used as it is), "warning" (it can, but look) or "note".
    `key` names the entry of the model that is meant, as a path such as ("constraints", "rod_x").
    """

    text: str
    severity: str = "error"
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.file is not None:
            place = [self.file, *(str(part) for part in (self.line, self.column) if part is not None)]
            return (
                f"{':'.join(place)}: {' '.join(self.key[-1:])}: {self.text}"
                if self.key
                else f"{':'.join(place)}: {self.text}"
            )
        where = f"{'.'.join(self.key)}: " if self.key else ""
        return f"{where}{self.text}" + (f" (column {self.column})" if self.column is not None else "")


class DalembertError(Exception):
    """Base of everything that dalembert raises on purpose."""


class ModelError(DalembertError):
    """The model, or what was asked of it, is wrong; `problems` lists everything found."""

    def __init__(self, problems: str | Problem | Iterable[Problem]):
        if isinstance(problems, str):
            problems = Problem(problems)
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class DerivationError(DalembertError):
    """A form of the equations does not accept this system."""


class SimulationError(DalembertError):
    """The motion could not be computed."""


class MotionWarning(UserWarning):
    """A motion ended early, or its certificate does not pass."""


class MissingValueWarning(MotionWarning):
    """Something that was asked of a motion has no value at some of its times."""


def listed(words: Sequence[str], last: str = "or") -> str:
    """List words in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def quoted(names: Iterable[str], last: str = "and") -> str:
    """List names in a sentence.

    >>> quoted(["a", "b", "c"])
    '`a`, `b` and `c`'
    """
    return listed([f"`{name}`" for name in names], last)


def counted(number: int, what: str, several: str = "") -> str:
    """Count things in a sentence.

    >>> counted(1, "coordinate"), counted(2, "body", "bodies")
    ('1 coordinate', '2 bodies')
    """
    return f"{number} {what if number == 1 else several or what + 's'}"


_ELSEWHERE = {  # what other programs and books call things, and what they are called here
    "angle": "orientation phi rotation theta",
    "at": "location origin place position pos r0 xyz",
    "bodies": "between body connect connects links parts",
    "centre": "center center_of_mass cog com",
    "damping": "b c d damper",
    "inertia": "I J inertia_tensor moment_of_inertia moments",
    "initial": "start x0 y0",
    "kind": "class joint_type model type",
    "kinetic": "T kinetic_energy",
    "length": "free_length l0 natural_length rest_length",
    "mass": "m weight",
    "potential": "U V potential_energy",
    "radius": "R r",
    "rotation": "angle euler orientation phi quaternion",
    "rtol": "eps tol tolerance",
    "spin": "angular_velocity omega w",
    "step": "dt h timestep",
    "stiffness": "k spring_constant",
    "until": "duration end stop t_end t_final tend time",
    "velocity": "speed v vel",
}


def nearest(name: str, known: Collection[str], what: str = "known names") -> str:
    """Say which of the known names may have been meant.

    >>> nearest("lenght", ["length", "mass"]), nearest("position", ["rotation", "at"])
    ('did you mean `length`?', 'did you mean `at`?')
    """
    name = str(name)
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.6) if len(name) <= 60 else []
    lowered = [other for other in known if other.lower() == name.lower() and other not in close]
    meant = [here for here, others in _ELSEWHERE.items() if here in known and name.lower() in others.lower().split()]
    found = lowered + [here for here in meant or close if here not in lowered]
    if found:
        return f"did you mean {quoted(found[:3], 'or')}?"
    if not known:
        return f"there are no {what}"
    shown = list(islice(known, 12))
    return f"{what}: {', '.join(shown)}{', …' if len(known) > len(shown) else ''}"
