"""Routines as straight Python: places of the workspace are local variables, short terms stand where they are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from dalembert.algebra.tape import CONSTANT, LOAD
from dalembert.language.functions import operation
from dalembert.native.codegen import Kernel, Repeat
from dalembert.native.routine import Routine, cut, operands

_LONGEST = 70  # characters of a term that is put in where it is used
_SUM, _PRODUCT, _SIGNED, _ATOM = range(4)  # how tightly a term is bound
_OPERATORS = {"+": _SUM, "-": _SUM, "*": _PRODUCT}

_WORDS = {
    "blocks": "the matrix [[M, Aᵀ], [A, 0]] and the right side (f, c)",
    "factor": "its factors L D Lᵀ, with a small −E below A that lets dependent rows pass",
    "begin": "the solution x = (q̈, −λ), and what is left of the right side",
    "refine": "what is left of the right side, now without E",
    "solve": "a step towards the solution",
    "finish": "the results",
    "respond": "how the solution changes with unit forces where forces depend on multipliers",
    "settle": "these multipliers: each branch of the forces is tried",
    "guess": "these multipliers, without the forces",
    "approach": "one of Newton's steps for them",
    "act": "the solution with the forces",
    "correct": "what is left of the right side, with the forces",
    "advance": "one of Newton's steps for all unknowns",
    "verify": "no number where there is no solution, or more than one",
}

Term = tuple[str, int]


def statements(kernel: Kernel, routines: Mapping[str, Routine], inputs: list[str]) -> list[str]:
    """Write what a kernel does, one statement for each line; results are left in out_0, out_1, …"""
    lines: list[str] = []
    for call in kernel.calls:
        if isinstance(call, Repeat):
            lines.append(f"for _ in range({call.times}):")
            for name in call.calls:
                lines += [f"    {line}" for line in _routine(routines[name], inputs)]
            lines += [f"    if np.all({call.array}_{call.index} > 0):", "        break"]
        else:
            lines += _routine(routines[call], inputs)
    return lines


def _routine(routine: Routine, inputs: list[str]) -> list[str]:
    (chunk,) = cut(routine, size=10**9)
    nodes = routine.tape.nodes
    uses = Counter(operand for number in chunk.lines for operand in operands(nodes[number]))
    uses.update(number for _, _, number in chunk.stores)
    terms: dict[int, Term] = {}
    lines = [f"# {_WORDS[routine.name]}"] if routine.name in _WORDS else []

    def term(number: int) -> Term:
        if number not in terms:
            name, *rest = nodes[number]
            text = _number(rest[0]) if name == CONSTANT else _place(rest[0], rest[1], inputs)
            terms[number] = (text, _SIGNED if text.startswith("-") else _ATOM)
        return terms[number]

    for number in chunk.lines:
        name, *rest = nodes[number]
        if name == LOAD:  # of what is overwritten below
            lines.append(f"w{number} = {_place(rest[0], rest[1], inputs)}")
            terms[number] = (f"w{number}", _ATOM)
            continue
        found = _operation(name, [term(k) for k in rest])
        if uses[number] == 1 and len(found[0]) <= _LONGEST:
            terms[number] = found
        else:
            lines.append(f"w{number} = {found[0]}")
            terms[number] = (f"w{number}", _ATOM)
    lines += [f"{array}_{index} = {term(number)[0]}" for array, index, number in chunk.stores]
    return lines


def _place(array: str, index: int, inputs: list[str]) -> str:
    return inputs[index] if array == "in" else f"{array}_{index}"


def _number(value: float) -> str:
    return f"np.float64({str(value)!r})" if value != value or abs(value) == float("inf") else repr(value)


def _operation(name: str, args: list[Term]) -> Term:
    if name in _OPERATORS:
        level = _OPERATORS[name]
        if name == "*" and args[1][0].startswith("1 / ") and args[1][1] == _PRODUCT:
            return f"{_bound(args[0], level)} / {args[1][0][4:]}", level
        right = _bound(args[1], level + 1)  # sums and products are read from the left
        return f"{_bound(args[0], level)} {name} {right}", level
    if name == "neg":
        return f"-{_bound(args[0], _SIGNED)}", _SIGNED
    if name == "inverse":
        return f"1 / {_bound(args[0], _SIGNED)}", _PRODUCT
    texts = [text for text, _ in args]
    return operation(name).in_numpy(texts), _ATOM


def _bound(term: Term, level: int) -> str:
    return term[0] if term[1] >= level else f"({term[0]})"


def stacked(first: int, count: int, written: Callable[[int], bool]) -> str:
    """Write an array of results, the state along its leading axes."""
    names = [f"out_{k}" if written(k) else "0.0" for k in range(first, first + count)]
    return f"_stack(shape, {', '.join(names)})" if names else "np.zeros((*shape, 0))"
