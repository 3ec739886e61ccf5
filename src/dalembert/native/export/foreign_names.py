"""Names of a model in other languages, and the words at the head of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap

from dalembert import __version__
from dalembert.forms import FORMS
from dalembert.language.state_names import INTEGRAL, integral
from dalembert.model.system import System

_TAKEN = ("q", "v", "p", "t", "a", "r")


def identifier(name: str) -> str:
    """Return a name of ASCII letters, digits and underscores.

    >>> identifier("A.x"), identifier("φ1"), identifier("2 rods")
    ('A_x', 'u3c61', '_2_rods')
    """
    name = name.replace(INTEGRAL, "integral_")
    plain = "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)
    plain = re.sub(r"\W", "_", plain)
    return plain if plain and not plain[0].isdigit() else f"_{plain}"


def identifiers(names: Iterable[str]) -> list[str]:
    """Return different identifiers for different names.

    >>> identifiers(["a.b", "a_b"])
    ['a_b', 'a_b_']
    """
    found: dict[str, None] = {}
    for name in names:
        plain = identifier(name)
        while plain in found:
            plain += "_"
        found[plain] = None
    return list(found)


def title(system: System) -> str:
    """Return the name of a system on one line, without what begins or ends a comment or cannot be seen."""
    text = " ".join("".join(c if c.isprintable() else " " for c in system.name).split())
    text = text.replace("*/", "* /").replace("/*", "/ *").replace('"""', "'''")
    return text.rstrip("\\") or "A mechanical system"


def origin(form: str) -> str:
    """Say where a file comes from."""
    return f"Equations in the form `{form}` ({FORMS[form].title}), written by dalembert {__version__}."


def states(system: System) -> list[str]:
    """Say where states are, if there are any, in lines of a hundred characters."""
    names = ", ".join(f"{identifier(integral(name))} for {name}" for name in system.states)
    text = f"States are the last velocities, and their rates the last accelerations: {names}. "
    text += "The last positions are their integrals, on which nothing depends."
    return wrap(text, 100) if system.states else []


def listed(label: str, names: Iterable[str], indent: str = "") -> list[str]:
    """List names after a label, in lines of a hundred characters."""
    text = f"{label}: {', '.join(names) or 'none'}"
    return wrap(text, 100, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False)
