"""A slow reading of tapes and routines, to hold against machine code."""

from __future__ import annotations

from dalembert.algebra.tape import CONSTANT, LOAD, Node, Tape
from dalembert.language.functions import FLOATS


def value(tape: Tape, node: Node | float, places: dict[tuple[str, int], float]) -> float:
    """Evaluate one node, given the arrays that the tape reads."""
    work: list[float] = []
    for name, *rest in tape.nodes:
        if name == CONSTANT:
            work.append(rest[0])
        elif name == LOAD:
            work.append(places[rest[0], rest[1]])
        else:
            work.append(operation(name, [work[k] for k in rest]))
    return work[tape.number(node)] if tape.number(node) < len(work) else float(node)  # pyright: ignore


def operation(name: str, args: list[float]) -> float:
    try:
        match name:
            case "+":
                return args[0] + args[1]
            case "-":
                return args[0] - args[1]
            case "*":
                return args[0] * args[1]
            case "neg":
                return -args[0]
            case "inverse":
                return 1.0 / args[0]
        return FLOATS[name](*args)
    except (ArithmeticError, ValueError):
        return float("nan")
