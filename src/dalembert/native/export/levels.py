"""A tape as a few operations on vectors: nodes of the same depth and kind are computed together.

Tracing and compiling thousands of scalar operations takes JAX minutes; of the equations of a large system, which are
wide and not deep, some dozens of vector operations are left.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dalembert.algebra.tape import CONSTANT, LOAD, Node, Tape
from dalembert.native.routine import operands


@dataclass
class Levels:
    """Values in order: inputs, constants, what the steps give; a step is a name and the places of its operands."""

    constants: list[float] = field(default_factory=list)
    steps: list[tuple] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)


def levels(tape: Tape, values: list[Node | float], inputs: int) -> Levels:
    """Arrange what some values of a tape need, all of whose loads read the inputs."""
    wanted = [tape.number(value) for value in values]
    nodes, needed = tape.nodes, set(wanted)
    for number in reversed(range(len(nodes))):
        if number in needed:
            needed.update(operands(nodes[number]))
    found, places, depth = Levels(), {}, {}
    groups: dict[tuple[int, str], list[int]] = {}
    for number in sorted(needed):
        name, *rest = nodes[number]
        if name == LOAD:
            places[number], depth[number] = rest[1], 0
        elif name == CONSTANT:
            places[number], depth[number] = inputs + len(found.constants), 0
            found.constants.append(rest[0])
        else:
            depth[number] = 1 + max(depth[k] for k in rest)
            groups.setdefault((depth[number], name), []).append(number)
    count = inputs + len(found.constants)
    for (_, name), members in sorted(groups.items()):
        columns = zip(*(nodes[number][1:] for number in members), strict=True)
        found.steps.append((name, *([places[k] for k in column] for column in columns)))
        for number in members:
            places[number] = count
            count += 1
    found.outputs = [places[number] for number in wanted]
    return found
