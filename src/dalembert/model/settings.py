"""How a motion is computed: every setting once, with its type, default, range and words.

A model file gives some of them in [simulate], the command line some as options, Python all of them to `simulate`; all
three are read here. To add one: a field below, and the same in the signature of
`System.simulate`, where editors look; `tests/model/test_settings.py` compares the two.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.errors import ModelError, listed
from dalembert.model.setting_kinds import (
    Callback,
    Choice,
    Events,
    Gains,
    InRange,
    Named,
    Names,
    Samples,
    SettingKind,
    Switch,
    Whole,
)

if TYPE_CHECKING:
    from dalembert.arrays import Array

MAX_SAMPLES = 10_000_000  # so that no mistake fills the memory
MAX_STEPS = 1_000_000_000
KEEPINGS = ("project", "stabilise", "none")
_POSITIVE, _FINITE = math.ulp(0.0), sys.float_info.max  # the least and the largest of such numbers


def moving() -> tuple[str, ...]:
    """Return the forms in which motions are computed."""
    from dalembert.forms import FORMS  # which takes longer to load than a model to read

    return tuple(name for name, form in FORMS.items() if form.moves)


def _methods() -> tuple[str, ...]:
    from dalembert.motion.methods import METHODS

    return tuple(METHODS)


# Our own forms and methods, for pages of help and the Tab key, which cannot wait until they are loaded: from here they
# are, each from the file of its name.
FORM_NAMES = ("multipliers", "minimal", "explicit", "canonical", "independent", "reactions", "quasi")
_MOVING = tuple(name for name in FORM_NAMES if name != "reactions")  # which are no equations of motion
METHOD_NAMES = ("dop853", "radau", "bdf", "rattle", "rk4", "euler")


@dataclass(frozen=True)
class Setting:
    """What is known of a setting beside its type and default."""

    kind: SettingKind
    help: str
    more: str  # what is said in Python only
    metavar: str | None  # how the value is called on the command line; None where it is given in Python only
    in_file: bool  # whether a model may say it, in [simulate]

    @property
    def offered(self) -> tuple[str, ...]:
        """The names among which it is chosen, if it is."""
        return self.kind.offered if isinstance(self.kind, Choice) else ()

    @property
    def docstring(self) -> str:
        """The explanation in Python."""
        return "; ".join(filter(None, (self.help, self.more))) + "."

    @property
    def sentence(self) -> str:
        """The explanation on the command line."""
        return f"{self.help[0].upper()}{self.help[1:]}."


def _said(
    kind: SettingKind, text: str, *, more: str = "", metavar: str | None = None, in_file: bool = False
) -> dict[str, Setting]:
    return {"said": Setting(kind, text, more, metavar, in_file)}


@dataclass(frozen=True, eq=False)
class Settings:
    """How a motion is computed. What is not right is refused, in words."""

    until: float = field(
        default=10.0,
        metadata=_said(
            InRange("a finite time", -_FINITE, _FINITE, "10"),
            "the end of the motion; else that of the model",
            more="else 10",
            metavar="T",
            in_file=True,
        ),
    )
    begin: float = field(
        default=0.0,
        metadata=_said(
            InRange("a finite time", -_FINITE, _FINITE, "0"),
            "the time at which the motion begins; else that of the model",
            more="else 0, or the time in `initial`",
            metavar="T",
            in_file=True,
        ),
    )
    form: str = field(
        default="multipliers",
        metadata=_said(
            Choice("form", "forms", _MOVING, moving),
            f"the form: {listed(_MOVING)}; else the method's first",
            metavar="FORM",
            in_file=True,
        ),
    )
    method: str = field(
        default="dop853",
        metadata=_said(
            Choice("method", "methods", METHOD_NAMES, _methods),
            "the method: dop853, radau and bdf for stiff systems, rattle over a long time, rk4 or euler",
            more="else dop853",
            metavar="NAME",
            in_file=True,
        ),
    )
    keep: str = field(
        default="project",
        metadata=_said(
            Choice("way to keep constraints", "ways", KEEPINGS, lambda: KEEPINGS),
            "how constraints are kept: project, stabilise or none",
            more="else project",
            metavar="HOW",
            in_file=True,
        ),
    )
    rtol: float = field(
        default=1e-9,
        metadata=_said(
            InRange("a part of the values, positive and at most 0.1 (usually 1e-6 to 1e-12)", _POSITIVE, 0.1, "1e-6"),
            "relative tolerance of the step control",
            more="else 1e-9",
            metavar="R",
            in_file=True,
        ),
    )
    atol: float = field(
        default=1e-11,
        metadata=_said(
            InRange("positive and finite", _POSITIVE, _FINITE, "1e-9"),
            "absolute tolerance",
            more="else 1e-11",
            metavar="A",
            in_file=True,
        ),
    )
    step: float | None = field(
        default=None,
        metadata=_said(
            InRange("positive and finite", _POSITIVE, _FINITE, "0.01"),
            "a fixed step, for methods that have one",
            metavar="H",
            in_file=True,
        ),
    )
    samples: int | Sequence[float] | Array | None = field(
        default=None,
        metadata=_said(
            Samples(MAX_SAMPLES, "1000"),
            "give values at the ends of so many equal intervals, not at steps",
            more="or at these times",
            metavar="N",
            in_file=True,
        ),
    )
    initial: Mapping[Any, Any] | None = field(
        default=None,
        metadata=_said(
            Named(), "values that are fixed for this motion only", more="`run.final()` goes on from the end of a run"
        ),
    )
    functions: Mapping[str, Any] | None = field(
        default=None,
        metadata=_said(Named(), "values of functions that the model leaves open: expressions, or tables"),
    )
    controls: Mapping[str, Any] | None = field(
        default=None,
        metadata=_said(
            Named(),
            "laws by control or parameter: expressions, tables over time, or functions of t and the state",
        ),
    )
    every: float | None = field(
        default=None,
        metadata=_said(
            InRange("positive and finite", _POSITIVE, _FINITE, "0.01"),
            "the interval at which laws that are functions are called; what they give is held in between",
        ),
    )
    events: Sequence[Any] = field(
        default=(),
        metadata=_said(Events(), "equations, or `Event`s, to watch for"),
    )
    gains: Mapping[str, Any] | None = field(
        default=None,
        metadata=_said(
            Gains(),
            "of `stabilise`, if they are not to be chosen: kappa, or alpha and beta",
            more="each a number, an expression of t and parameters, a list or a matrix of them",
            metavar="NAME=VALUE",
            in_file=True,
        ),
    )
    coordinates: str | Sequence[str] | None = field(
        default=None,
        metadata=_said(
            Names(),
            "the independent coordinates of the form independent, or `objective` for singular vectors",
            more="else they are chosen, and chosen anew where they fail",
            metavar="NAMES",
            in_file=True,
        ),
    )
    max_steps: int = field(
        default=10_000_000,
        metadata=_said(
            Whole(MAX_STEPS, "1000"),
            "end the computation after so many steps",
            more="the motion so far is returned",
            metavar="N",
        ),
    )
    max_seconds: float = field(
        default=float("inf"),
        metadata=_said(
            InRange("a positive number of seconds", _POSITIVE, math.inf, "60"),
            "end the computation after so many seconds",
            more="the motion so far is returned",
            metavar="S",
        ),
    )
    progress: Callable[[float, float], None] | None = field(
        default=None,
        metadata=_said(Callback(), "a function that is called with t and the seconds so far"),
    )
    unchecked: bool = field(
        default=False,
        metadata=_said(Switch(), "begin although the model contradicts itself, as `check` says", metavar=""),
    )
    certify: bool = field(
        default=False,
        metadata=_said(Switch(), "make the certificate at once, not when it is asked for"),
    )
    strict: bool = field(
        default=False,
        metadata=_said(Switch(), "raise SimulationError where a motion that ends before its time warns"),
    )

    said: ClassVar[Mapping[str, Setting]]  # what is known of each, by name
    in_file: ClassVar[tuple[str, ...]]  # the names of those that a model may say
    options: ClassVar[tuple[str, ...]]  # and of those on the command line

    def __post_init__(self) -> None:
        for name in self.said:
            if (value := getattr(self, name)) is not getattr(Settings, name):  # defaults are as they should be
                object.__setattr__(self, name, read(name, value))
        if reason := too_early(self.until, self.begin):
            raise ModelError(reason)


Settings.said = {f.name: f.metadata["said"] for f in fields(Settings)}
Settings.in_file = tuple(name for name, said in Settings.said.items() if said.in_file)
Settings.options = tuple(name for name, said in Settings.said.items() if said.metavar is not None)
_OPTIONAL = {f.name for f in fields(Settings) if f.default is None}


def too_early(until: float, begin: float) -> str | None:
    """Say that a motion would end before it begins; None if it does not."""
    if until >= begin:
        return None
    return f"`until` must not be earlier than the motion begins, at t = {begin:g}; got {until:g}"


def read(name: str, value: Any) -> Any:
    """Return a setting as it is used; raise ModelError if it cannot be that."""
    return None if value is None and name in _OPTIONAL else Settings.said[name].kind.read(name, value)
