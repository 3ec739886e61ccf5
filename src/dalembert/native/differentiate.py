"""Derivatives on a tape: forward, sparse, each node by the few variables on which it depends."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.algebra.tape import FREE, Node, Tape
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
    call = tape.call
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
        case "sin":
            return [call("cos", x)]
        case "cos":
            return [-call("sin", x)]
        case "tan":
            return [own * own + 1.0]
        case "asin":
            return [1.0 / call("sqrt", 1.0 - x * x)]
        case "acos":
            return [-1.0 / call("sqrt", 1.0 - x * x)]
        case "atan":
            return [1.0 / (x * x + 1.0)]
        case "atan2":
            square = x * x + args[1] * args[1]
            return [args[1] / square, -x / square]
        case "sinh":
            return [call("cosh", x)]
        case "cosh":
            return [call("sinh", x)]
        case "tanh":
            return [1.0 - own * own]
        case "exp":
            return [own]
        case "log":
            return [1.0 / x]
        case "sqrt":
            return [0.5 / own]
        case "abs":
            return [call("sign", x)]
        case "pow":
            y = args[1]
            return [y * call("pow", x, y - 1.0), own * call("log", x)]
        case "sign" | "step":
            return [0.0]
    raise ValueError(f"no derivative of {name}")
