"""Derivatives on a tape: forward, sparse, each node by the few variables on which it depends."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.algebra.tape import FREE, Node, Tape
from dalembert.language.functions import operation
from dalembert.native.routine import operands

Scalar = Node | float
Gradient = dict[int, Scalar]  # by the number of the variable in the list


def gradients(tape: Tape, outputs: Sequence[Scalar], variables: Sequence[Node]) -> list[Gradient]:
    """Differentiate outputs by variables; where functions switch, the derivative is that of one side."""
    known: dict[int, Gradient] = {tape.number(x): {k: 1.0} for k, x in enumerate(variables)}
    wanted = [tape.number(value) for value in outputs]
    needed = [False] * len(tape.nodes)
    for number in wanted:
        needed[number] = True
    for number in reversed(range(len(needed))):
        if needed[number]:
            for operand in operands(tape.nodes[number]):
                needed[operand] = True
    for number, is_needed in enumerate(needed):
        if is_needed and number not in known:
            known[number] = _rule(tape, number, known)
    return [known[number] for number in wanted]


def _rule(tape: Tape, number: int, known: dict[int, Gradient]) -> Gradient:
    name, *rest = tape.nodes[number]
    if name in FREE:
        return {}
    if not any(known[k] for k in rest):
        return {}
    own, args = Node(tape, number), [tape.scalar(k) for k in rest]
    inner = [known[k] for k in rest]
    if name in ("if_lt", "if_le"):
        return _chosen(tape, name, args[0], args[1], inner[2], inner[3])
    if name in ("max", "min"):
        low, high = (args[0], args[1]) if name == "max" else (args[1], args[0])
        return _chosen(tape, "if_lt", low, high, inner[1], inner[0])
    result: Gradient = {}
    for gradient, slope in zip(inner, _slopes(tape, name, own, args), strict=True):
        for k, value in gradient.items():
            result[k] = result.get(k, 0.0) + slope * value
    return {k: value for k, value in result.items() if isinstance(value, Node) or value != 0}


def _chosen(tape: Tape, name: str, a: Scalar, b: Scalar, yes: Gradient, no: Gradient) -> Gradient:
    return {k: tape.call(name, a, b, yes.get(k, 0.0), no.get(k, 0.0)) for k in {**yes, **no}}


def _slopes(tape: Tape, name: str, own: Node, args: list[Scalar]) -> list[Scalar]:
    """Return the derivative of an operation by each of its operands."""
    x = args[0]
    match name:
        case "+":
            return [1.0, 1.0]
        case "-":
            return [1.0, -1.0]
        case "*":
            return [args[1], x]
        case "neg":
            return [-1.0]
        case "inverse":
            return [-(own * own)]
    function = operation(name)
    if function.slopes is None:
        raise ValueError(f"no derivative of {name}")
    return function.slopes(tape.call, own, *args)
