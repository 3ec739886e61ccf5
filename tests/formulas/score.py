"""Score derived formulas against those that a textbook prints: equal in value, and how long in operations.

`textbook.toml` holds the formulas, `textbook-more.toml` those of other systems, `textbook-mechanisms.toml` those of
machines by bodies and joints, `textbook-strangers.toml` those of systems that came later; each entry says in which form of which model it appears, and what counts as equal:
`exact` values, or `span`, the same equations up to how they are combined. What a textbook leaves unknown, as multipliers
in its equations, is unknown in ours as well. Operations are those that SymPy counts in the formula as it is written, over plain symbols; abbreviations
count where they are defined, once, and one more each.
"""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.parameters import distribute

from dalembert import System, load
from dalembert.blocks.numeric import Numeric
from dalembert.language.printing import to_text
from dalembert.survey.configurations import assemble, places_of

HERE = Path(__file__).parent
STATES = 20
ENTRIES = tomllib.loads((HERE / "textbook.toml").read_text())["formula"]
MORE = tomllib.loads((HERE / "textbook-more.toml").read_text())["formula"]
STRANGERS = tomllib.loads((HERE / "textbook-strangers.toml").read_text())["formula"]
MECHANISMS = tomllib.loads((HERE / "textbook-mechanisms.toml").read_text())["formula"]


@dataclass
class Score:
    """What became of one entry of the textbook."""

    id: str
    equal: bool
    operations: int
    textbook: int
    seconds: float
    texts: list[str]
    where: dict[str, str]

    @property
    def ratio(self) -> float:
        """Operations beside those of the textbook."""
        return self.operations / self.textbook

    @property
    def good(self) -> bool:
        """Tell whether it is right and short."""
        return self.equal and self.ratio <= 1.15


def plain(text: str) -> Any:
    """Read a formula over plain symbols, as it is written; an equation as its left side less its right side."""
    if "=" in text:
        left, _, right = text.partition("=")
        terms = sp.Add.make_args(plain(right))
        with distribute(False):
            return sp.Add(plain(left), *[-term for term in terms])
    words = {word: sp.Symbol(word) for word in re.findall(r"[A-Za-z_]\w*(?![\w(])", _unprimed(text))}
    words |= {"abs": sp.Abs, "pi": sp.pi} if "pi" not in words else {}
    with distribute(False):
        return sp.parse_expr(_unprimed(text).replace("^", "**"), local_dict=words)


def _unprimed(text: str) -> str:
    return re.sub(r"(\w)('+)", lambda found: f"{found[1]}_d{len(found[2])}", text)


def count(texts: Iterable[str], where: dict[str, str]) -> int:
    """Count the operations of formulas, with the abbreviations that they use."""
    read = [plain(text) for text in texts]
    total = sum(int(sp.count_ops(expr)) for expr in read)
    waiting = [symbol.name for expr in read for symbol in expr.free_symbols]
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in where and name not in used:
            used.add(name)
            expr = plain(where[name])
            total += int(sp.count_ops(expr)) + 1
            waiting += [symbol.name for symbol in expr.free_symbols]
    return total


# --- what was derived -------------------------------------------------------------------------------------------------


def derived(system: System, entry: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Return the formulas of an entry as they are printed, and the abbreviations in them."""
    derivation = system.derive(entry["form"], entry.get("coordinates"))
    texts: list[str] = []
    for what in entry["what"]:
        words = what.split()
        if what == "equations":
            texts += derivation.as_dict()["equations"]
        elif words[0] == "equation":
            texts += [
                t for t in derivation.as_dict()["equations"] if re.search(rf"(?<!\w){re.escape(words[2])}(?!')", t)
            ]
        elif words[0] == "matrix":
            texts += [to_text(e) for row in derivation.entries[words[1]] for e in row]
        elif words[0] == "reaction":
            row = derivation.reaction_expressions[words[2]]
            texts.append(to_text(row[system.coordinates.index(words[4])]))
        elif words[0] == "joint":
            texts.append(to_text(derivation.joint_expressions[words[1]]))
        else:
            texts.append(to_text(derivation.multiplier_expressions[words[2]]))
    return texts, {name: to_text(expr) for name, expr in derivation.abbreviation_expressions.items()}


def flat(formulas: list[Any]) -> list[str]:
    """Return the formulas of a textbook entry; of a matrix all entries."""
    return [text for row in formulas for text in (row if isinstance(row, list) else [row])]


# --- equal ------------------------------------------------------------------------------------------------------------


def states(system: System, names: Iterable[str]) -> list[dict[str, float]]:
    """Return values of everything at admissible states, with parameters varied by a quarter; others at random."""
    random = np.random.default_rng(11)
    found: list[dict[str, float]] = []
    places = places_of(system)
    rows = list(range(len(system.constraints)))
    while len(found) < STATES:
        values = {name: (value or 1.0) * random.uniform(0.75, 1.25) for name, value in system.parameters.items()}
        numeric = Numeric(system, values)
        near = places[len(found) % len(places)]
        q = near.q + random.uniform(-0.3, 0.3, len(near.q))
        v = near.v + random.uniform(-1, 1, len(near.v))
        place = assemble(numeric, type(near)(near.t, q, v), rows)
        if place is None:
            continue
        state = {"t": place.t, **values, **dict(zip(system.coordinates, place.q, strict=True))}
        state |= {f"{name}_d1": float(value) for name, value in zip(system.coordinates, place.v, strict=True)}
        state |= _momenta(system, numeric, place)
        state |= {name: float(random.uniform(-1, 1)) for name in names if name not in state}
        found.append(state)
    return found


def _momenta(system: System, numeric: Numeric, place: Any) -> dict[str, float]:
    values = numeric.all(place.t, place.q, place.v)
    return {f"p_{name}": float(p) for name, p in zip(system.coordinates, values.M @ place.v, strict=True)}


def complete(expr: Any, where: dict[str, str]) -> Any:
    """Put in what abbreviations stand for."""
    known = {sp.Symbol(name): plain(text) for name, text in where.items()}
    while expr.free_symbols & known.keys():
        expr = expr.subs(known)
    return expr


def compare(system: System, entry: dict[str, Any], texts: list[str], where: dict[str, str]) -> bool:
    """Tell whether what was derived is what the textbook has."""
    ours = [complete(plain(text), where) for text in texts]
    theirs = [complete(plain(text), entry.get("where", {})) for text in flat(entry["formulas"])]
    rates = sorted({s.name for e in (*ours, *theirs) for s in e.free_symbols if re.search(r"_d2$|^p_.*_d1$", s.name)})
    names = sorted({s.name for e in (*ours, *theirs) for s in e.free_symbols})
    symbols = [sp.Symbol(name) for name in names]
    functions = [[sp.lambdify(symbols, e, "numpy") for e in side] for side in (ours, theirs)]
    for state in states(system, names):
        point = [state[name] for name in names]
        if entry["equal"] == "exact":
            a, b = (np.array([f(*point) for f in side], dtype=float) for side in functions)
            if a.shape != b.shape or not np.allclose(a, b, rtol=1e-8, atol=1e-8 * max(1.0, np.abs(b).max())):
                return False
        elif not _same_span(*(_rows(side, names, rates, state, entry) for side in functions)):
            return False
    return True


def _rows(functions: list[Any], names: list[str], rates: list[str], state: dict[str, float], entry: Any) -> np.ndarray:
    """Return what is to span the same: columns of D, or equations as linear functions of their rates."""
    if entry["what"][0].startswith("matrix"):
        columns = len(entry["formulas"][0])
        values = np.array([f(*[state[name] for name in names]) for f in functions], dtype=float)
        return values.reshape(-1, columns).T
    base = {**state, **dict.fromkeys(rates, 0.0)}
    points = [base, *({**base, rate: 1.0} for rate in rates)]
    values = np.array([[f(*[p[name] for name in names]) for f in functions] for p in points], dtype=float)
    return np.vstack([values[:1], values[1:] - values[0]]).T


def _same_span(a: np.ndarray, b: np.ndarray) -> bool:
    def rank(m: np.ndarray) -> int:
        scaled = m / np.maximum(np.abs(m).max(axis=1, keepdims=True), 1e-300)
        return int(np.linalg.matrix_rank(scaled, tol=1e-7))

    return a.shape == b.shape and rank(a) == rank(b) == rank(np.vstack([a, b]))


def score(entry: dict[str, Any]) -> Score:
    """Derive what an entry asks for, and compare."""
    system = load(HERE / "models" / entry["model"])
    before = time.process_time()
    texts, where = derived(system, entry)
    unknown = {symbol.name for text in flat(entry["formulas"]) for symbol in plain(text).free_symbols}
    where = {name: text for name, text in where.items() if name not in unknown - entry.get("where", {}).keys()}
    seconds = time.process_time() - before
    equal = compare(system, entry, texts, where)
    return Score(entry["id"], equal, count(texts, where), entry["operations"], seconds, texts, where)


def report(sets: dict[str, list[dict[str, Any]]]) -> str:
    """Score sets of formulas; return a table of all, and a line for each set."""
    lines, sums = [f"{'':42} equal  operations  textbook  ratio  seconds"], []
    for title, entries in sets.items():
        scores = [score(entry) for entry in entries]
        for s in scores:
            equal = "yes" if s.equal else "NO"
            lines.append(f"{s.id:42} {equal:>5} {s.operations:11} {s.textbook:9} {s.ratio:6.2f} {s.seconds:8.2f}")
        good, ratios = sum(s.good for s in scores), sorted(s.ratio for s in scores)
        seconds = [s.seconds for s in scores]
        sums.append(
            f"{title}: {good} of {len(scores)} good, {sum(s.equal for s in scores)} equal, median ratio "
            f"{np.median(ratios):.2f}; {sum(seconds):.1f} s in all, the longest {max(seconds):.2f} s"
        )
    return "\n".join([*lines, "", *sums])


if __name__ == "__main__":
    print(report({"textbook": ENTRIES, "more": MORE, "mechanisms": MECHANISMS, "strangers": STRANGERS}))
