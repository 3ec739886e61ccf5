"""Names in equations: for parts that several of them share as they are written, and for factors, however written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import symengine as se

from dalembert.algebra.writing.cost import total
from dalembert.algebra.writing.numerals import figures
from dalembert.algebra.writing.shared_parts import fresh, in_order, shared_parts
from dalembert.algebra.writing.signs import negative, settled
from dalembert.algebra.writing.writer import Writer
from dalembert.forms.solved import alone
from dalembert.language.building import Expr

Named = tuple[list[Expr], dict[str, Expr]]  # equations, and what names in them stand for


def with_names(
    lines: Sequence[Expr], wanted: Sequence[Expr], taken: Collection[str], constant: Collection[str]
) -> Named:
    """Give names to what lines share; those that are solved for what is wanted are looked at as its values."""
    sides = [alone(line, wanted) for line in lines]
    values = [line if side is None else side[1] for line, side in zip(lines, sides, strict=True)]
    written, names = shared_parts(values, taken, constant)
    both = zip(written, sides, strict=True)
    return [line if side is None else se.Add(side[0], negative(line)) for line, side in both], names


def with_old_names(equations: list[Expr], old: dict[str, Expr], new: dict[str, Expr]) -> Named:
    """Return equations and names, without new names for what has an old one: no c_1 = c_2, where c_2 = cos φ."""
    same: dict[Expr, Expr] = {}
    for name, value in old.items():
        if value.is_Symbol and value.name in new and value not in same:
            same[value] = se.Symbol(name)
    lines = {name: new[value.name] if same.get(value) == se.Symbol(name) else value for name, value in old.items()}
    lines |= {name: value for name, value in new.items() if se.Symbol(name) not in same}
    found = {name: value.xreplace(same) for name, value in lines.items()}
    return [equation.xreplace(same) for equation in equations], in_order(found)


def with_shared_factors(
    writer: Writer,
    write: Callable[[], list[Expr]],
    wanted: Sequence[Expr],
    taken: Collection[str],
    constant: Collection[str],
) -> Iterable[Named]:
    """Write equations with a name for a factor that several of them share, for one after the other."""
    for shared in writer.shared.worth():
        value = figures(writer.shared.value(shared))
        still = all(symbol.name in constant for symbol in value.free_symbols)
        wish = ("I" if still else "Delta") if shared.is_below else ("k" if still else "K")
        symbol = se.Symbol(fresh([wish], taken))
        writer.name(shared, symbol)
        lines = [*write(), value]
        writer.name(None)
        written, names = with_names(lines, wanted, {*taken, symbol.name}, constant)
        if any(symbol in line.free_symbols for line in (*written[:-1], *names.values())):
            yield written[:-1], in_order({symbol.name: written[-1], **names})


def length(found: Named) -> int:
    """Count the operations of equations with those of the names in them, and one more for each name."""
    return total(map(settled, (*found[0], *found[1].values()))) + len(found[1])
