"""Names taken apart as a person writes them by hand: `phi_crank'` is a φ with the index crank and a dot above."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dalembert.language.state_names import as_written

_NAMES = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
_LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
GREEK: dict[str, str] = dict(zip(_NAMES, _LETTERS, strict=True))
GREEK |= {name.capitalize(): letter.upper() for name, letter in GREEK.items()}
_NAME = re.compile(r"([^\W\d_]+?)(\d*)((?:[_.].*?)?)('*)")


@dataclass(frozen=True)
class Symbol:
    """A name taken apart: its letter (or word), its indices, and how many dots are above it."""

    letter: str
    indices: tuple[str, ...]
    dots: int

    @classmethod
    def read(cls, name: str) -> Symbol:
        """Take a name apart; a name without a letter in front is a word.

        >>> Symbol.read("theta1_a''")
        Symbol(letter='θ', indices=('1', 'a'), dots=2)
        """
        name = as_written(name)
        found = _NAME.fullmatch(name)
        if found is None:
            plain = name.rstrip("'")
            return cls(plain, (), len(name) - len(plain))
        letter, digits, rest, primes = found.groups()
        rest, lines = rest.lstrip("."), len(rest) - len(rest.rstrip("_"))  # x_ is another one than x
        parts = [digits, *(GREEK.get(part, part) for part in rest.strip("_").split("_")), "_" * lines]
        return cls(GREEK.get(letter, letter), tuple(filter(None, parts)), len(primes))

    @property
    def index(self) -> str:
        """The indices as one text."""
        return ",".join(self.indices)
