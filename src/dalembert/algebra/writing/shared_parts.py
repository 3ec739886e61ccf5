"""Names for parts that several formulas share: few, chosen by what they save, in the order in which one computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from heapq import heappop, heappush
from itertools import combinations

import symengine as se

from dalembert.algebra.writing.cost import is_negative, operations
from dalembert.algebra.writing.signs import aligned, negative, settled
from dalembert.language.building import Expr
from dalembert.language.walk import fold, operands, rebuild

MOST = 4  # names; more of them are not read as formulas but as a program
_LEAST = 3  # operations that a name must save,
_FEW = 45  # in formulas of so many operations
_LEAST_OF_FEW = 7  # so many
TRIVIAL = 2  # operations of what needs no name, as l sin φ
_SHARE = 0.1  # of all operations that names must save together
_TRIED = 12  # parts that are tried before one is chosen
UNNAMED = 18  # operations, up to which formulas need no names
_LONG = 2_000  # operations beyond which no names are looked for here


def shared_parts(
    expressions: Sequence[Expr], taken: Collection[str], constant: Collection[str]
) -> tuple[list[Expr], dict[str, Expr]]:
    """Return expressions in which shared parts are names, and what these stand for; as they are if that saves little.

    taken: names that mean something else. constant: names of parameters.
    """
    before = sum(map(operations, expressions))
    if not UNNAMED < before <= _LONG:
        return list(expressions), {}
    work, found = list(map(aligned, expressions)), {}
    used = set(taken)
    while len(found) < MOST:
        step = _best([*work, *found.values()], _LEAST if before > _FEW else _LEAST_OF_FEW)
        if step is None:
            break
        symbol = se.Symbol(_name(step, work, used, constant))
        used.add(symbol.name)
        work = [put(expr, step, symbol) for expr in work]
        found = {name: put(expr, step, symbol) for name, expr in found.items()}
        found[symbol.name] = step
    work, found = _faced(work, found)
    if before - _length(work, found) - len(found) < _SHARE * before:
        return list(expressions), {}
    return work, in_order(found)


def _faced(work: list[Expr], found: dict[str, Expr]) -> tuple[list[Expr], dict[str, Expr]]:
    """Let names stand for the negative of a part where that saves minuses."""
    for name in found:
        turned = {se.Symbol(name): -se.Symbol(name)}
        other = [expr.xreplace(turned) for expr in work]
        names = {key: negative(expr) if key == name else expr.xreplace(turned) for key, expr in found.items()}
        if _length(other, names) < _length(work, found) and not is_negative(settled(names[name])):
            work, found = other, names
    return work, found


def _length(work: Sequence[Expr], found: dict[str, Expr]) -> int:
    return sum(operations(settled(expr)) for expr in (*work, *found.values()))


def _best(expressions: Sequence[Expr], least: int) -> Expr | None:
    """Return the part that saves most, and at least so much."""
    total = sum(operations(expr) for expr in expressions)
    best, most = None, least - 1
    for part in _parts(expressions):
        symbol, done = se.Symbol("\0"), {}
        after = sum(operations(put(expr, part, symbol, done)) for expr in expressions)
        after += operations(part) + 1
        if total - after > most:
            best, most = part, total - after
    return best


def _parts(expressions: Iterable[Expr]) -> list[Expr]:
    """Return parts that appear more than once, those first that could save most."""
    seen: Counter[Expr] = Counter()
    products: Counter[Expr] = Counter()
    for expr in expressions:
        stack = [expr]
        while stack:
            node = stack.pop()
            seen[node] += 1
            if node.is_Mul:
                products[node] += 1
            stack += operands(node)
    found = {
        node: count
        for node, count in seen.items()
        if count > 1 and not node.is_Pow and (operations(node) > TRIVIAL or _turns(node))
    }
    powers = {node: _powers(node) for node in products}
    for one, other in combinations(products, 2):
        shared = _common(powers[one], powers[other])
        if shared is None:
            continue
        part = se.Mul(*[base**power for base, power in shared.items()])
        if part not in found and operations(part) > TRIVIAL:
            found[part] = sum(count for node, count in products.items() if _contains(powers[node], shared))
    plain = {_positive(node): count for node, count in found.items()}
    return sorted(plain, key=lambda node: (-plain[node] * operations(node), str(node)))[:_TRIED]


def _turns(node: Expr) -> bool:
    """Tell whether it is the sine or cosine of a sum, which is short but hard to read twice."""
    return isinstance(node, (se.sin, se.cos)) and node.args[0].is_Add


def _positive(node: Expr) -> Expr:
    """Leave a number in front out."""
    return se.Mul(*node.args[1:]) if node.is_Mul and node.args[0].is_Number else node


def _powers(node: Expr) -> dict[Expr, int] | None:
    """Return the factors of a product with whole exponents."""
    powers: dict[Expr, int] = {}
    for factor in node.args if node.is_Mul else (node,):
        if factor.is_Number:
            continue
        if factor.is_Pow and factor.args[1].is_Integer:
            powers[factor.args[0]] = int(factor.args[1])
        elif factor.is_Pow:
            return None
        else:
            powers[factor] = 1
    return powers


def _common(a: dict[Expr, int] | None, b: dict[Expr, int] | None) -> dict[Expr, int] | None:
    """Return what two products share, if that is more than one factor."""
    if a is None or b is None:
        return None
    shared = {}
    for base, power in a.items():
        match = b.get(base, 0)
        if power * match > 0:
            shared[base] = min(power, match) if power > 0 else max(power, match)
    return shared if len(shared) > 1 else None


def _contains(a: dict[Expr, int] | None, b: dict[Expr, int] | None) -> bool:
    """Tell whether a product contains another one."""
    if a is None or b is None:
        return False
    return all(a.get(base, 0) * power > 0 and abs(a[base]) >= abs(power) for base, power in b.items())


def put(expr: Expr, part: Expr, symbol: Expr, done: dict[Expr, Expr] | None = None) -> Expr:
    """Put a symbol in the place of a part; `done` keeps where that was done."""
    powers = _powers(part) if part.is_Mul else None
    base, exponent = part.args if part.is_Pow else (None, 1)

    def combine(node: Expr, args: list[Expr]) -> Expr:
        if node == part:
            return symbol
        if base is not None and node.is_Pow and node.args[0] == base and (node.args[1] / exponent).is_Integer:
            return symbol ** (node.args[1] / exponent)  # 1/r, where r is a root
        if node.is_Mul and powers is not None and _contains(_powers(node), powers):
            return symbol * put(node / part, part, symbol)
        return rebuild(node, args)

    return fold(expr, combine, done)


def in_order(found: dict[str, Expr]) -> dict[str, Expr]:
    """Return names so that each is made of those before it."""
    order = {name: k for k, name in enumerate(found)}
    made_of = {name: {x.name for x in expr.free_symbols} & order.keys() for name, expr in found.items()}
    used_in: dict[str, list[str]] = {name: [] for name in found}
    for name, parts in made_of.items():
        for part in parts:
            used_in[part].append(name)
    ready = [order[name] for name, parts in made_of.items() if not parts]  # sorted, and so a heap
    names, ordered = list(found), dict[str, Expr]()
    while ready:
        name = names[heappop(ready)]
        ordered[name] = found[name]
        for other in used_in[name]:
            made_of[other].discard(name)
            if not made_of[other]:
                heappush(ready, order[other])
    return ordered


def _name(part: Expr, expressions: Sequence[Expr], taken: Collection[str], constant: Collection[str]) -> str:
    """Return a name that says what a part is: a mass, a denominator, a speed, a sine."""
    names = {symbol.name for symbol in part.free_symbols}
    still = names <= set(constant)
    if isinstance(part, (se.sin, se.cos)):
        options = ["s"] if isinstance(part, se.sin) else ["c"]
    elif still and part.is_Add and all(term.is_Symbol and term.name[:1] in "mM" for term in part.args):
        options = ["M"]
    elif part.is_Add and _is_below(part, expressions):
        options = ["I"] if still else ["Delta"]
    elif part.is_Add and any(name.endswith("'") for name in names):
        options = ["u", "w"]
    else:
        options = ["k", "h"] if still else ["K", "N"]
    return fresh(options, taken)


def fresh(options: Sequence[str], taken: Collection[str]) -> str:
    """Return the first of some names that means nothing else, with a number if none is free."""
    for option in (*options, *(f"{options[0]}_{k}" for k in range(1, 20))):
        if option not in taken:
            return option
    return max(taken, key=len) + "_"


def _is_below(part: Expr, expressions: Iterable[Expr]) -> bool:
    """Tell whether a part is a denominator somewhere."""
    stack = list(expressions)
    while stack:
        node = stack.pop()
        if node.is_Pow and node.args[0] == part and node.args[1].is_Number and node.args[1] < 0:
            return True
        stack += operands(node)
    return False
