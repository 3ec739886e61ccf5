"""What several commands take: the model, changes to it; and how such values are read."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from dalembert.cli import completion
from dalembert.errors import ModelError, listed

COORDINATES = ("absolute", "joints", "angles")  # of mechanisms
CHANGE, MOTION, OUTPUT = "Change the model", "How the motion is computed", "What comes out"


def _choice(metavar: str, values: tuple[str, ...], panel: str, text: str) -> typer.models.OptionInfo:
    return typer.Option(
        metavar=metavar, help=text, rich_help_panel=panel, autocompletion=completion.one_of(values), show_default=False
    )


Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model file, a name from `dalembert examples` (with a size where it has one: n-four-bar:40), "
        "or - for standard input.",
        autocompletion=completion.models,
        show_default=False,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help='A parameter, as a number or an expression: --set l=2 --set "phi0=pi/6".',
        rich_help_panel=CHANGE,
        autocompletion=completion.parameters,
    ),
]
Initial = Annotated[
    list[str] | None,
    typer.Option(
        "--initial",
        metavar="NAME=VALUE",
        help='A coordinate or velocity at the start: --initial phi=1 --initial "phi\'=0".',
        rich_help_panel=CHANGE,
        autocompletion=completion.coordinates,
    ),
]
By = Annotated[
    str | None,
    _choice("WHAT", COORDINATES, CHANGE, "Coordinates of a mechanism: absolute, joints, or in the plane angles."),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--outputs",
        metavar="NAME=EXPR",
        help='An output, in addition to those of the model: --outputs "tip=x+l*sin(phi)".',
        rich_help_panel=CHANGE,
    ),
]
Functions = Annotated[
    list[str] | None,
    typer.Option(
        "--functions",
        metavar="NAME=EXPR",
        help='The value of a function that the model leaves open: --functions "F=sin(3*t)".',
        rich_help_panel=CHANGE,
        autocompletion=completion.names_in("functions"),
    ),
]
Controls = Annotated[
    list[str] | None,
    typer.Option(
        "--controls",
        metavar="NAME=LAW",
        help='The law of a control: --controls "u=-k*x - d*x\'".',
        rich_help_panel=CHANGE,
        autocompletion=completion.names_in("controls"),
    ),
]
Events = Annotated[
    list[str] | None,
    typer.Option(
        "--event",
        metavar="EVENT",
        help='What is watched for, and done there: --event "hit: y = 0, down, stop"; k = 2 sets a parameter, '
        "y' = -e*y' a velocity, z = 0 a state.",
        rich_help_panel=CHANGE,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the outcome as JSON, and nothing else.", rich_help_panel=OUTPUT)
]
FormName = Annotated[str | None, _choice("FORM", completion.MOVING, MOTION, f"{listed(completion.MOVING)}.")]


def number(option: str, text: str, example: str = "10") -> float:
    """Read a number, or an expression of numbers; it may be infinite, or no number at all.

    >>> number("--until", "pi/2")
    1.5707963267948966
    """
    try:
        return float(text)
    except ValueError:
        pass
    from dalembert.language.building import number as value_of
    from dalembert.language.parser import parse_value
    from dalembert.language.vocabulary import Vocabulary

    try:
        value, why = value_of(parse_value(text, Vocabulary(time=False)).expr), "it has no finite value"
    except ModelError as error:
        value, why = None, error.problems[0].text.split(";")[0]
    if value is None:
        raise ModelError(
            f"`{option}` takes a number or an expression, as in {example} or pi/2; got {text[:60]!r}: {why}"
        )
    return value


def finite(option: str, text: str, example: str = "10") -> float:
    """Read a number, or an expression of numbers, that is neither infinite nor undefined."""
    value = number(option, text, example)
    if not math.isfinite(value):
        raise ModelError(f"`{option}` takes a finite number; got {text[:60]!r}")
    return value


def one_of(option: str, text: str | None, known: tuple[str, ...]) -> str | None:
    """Refuse what is not among the known values."""
    if text is not None and text not in known:
        raise ModelError(f"`{option}` is {listed(known)}; got {text[:60]!r}")
    return text
