"""The order of elimination: multipliers after coordinates, and of groups leaves first."""

from __future__ import annotations

from dalembert.algebra.quasidefinite import elimination_order
from dalembert.motion.pattern import pattern

# bodies 0 … 4 and joints 5 … 8: 0 carries 1 and 2, 2 carries 3 and 4
TREE = [(5, 0), (5, 1), (6, 0), (6, 2), (7, 2), (7, 3), (8, 2), (8, 4)]


def test_multipliers_come_after_all_their_coordinates():
    order = elimination_order(TREE, 5, 4)
    assert sorted(order) == list(range(9))
    for joint, body in TREE:
        assert order.index(body) < order.index(joint)


def test_leaves_go_first_with_their_joints():
    order = elimination_order(TREE, 5, 4, [6] * 5 + [5] * 4)
    assert sorted(order) == list(range(9))
    for leaf, joint, carrier in ((3, 7, 2), (1, 5, 0)):  # the last one has no other body to wait for
        assert order.index(leaf) < order.index(joint) < order.index(carrier)


def test_a_joint_waits_where_its_leaf_has_too_few_freedoms():
    widths = [6, 6, 6, 0, 3, 5, 5, 5, 5]
    order = elimination_order(TREE, 5, 4, widths)
    for joint in (7, 8):
        assert order.index(2) < order.index(joint)


def test_loops_stay_to_the_end():
    order = elimination_order([*TREE, (9, 1), (9, 4)], 5, 5, [6] * 5 + [5] * 5)
    assert order[-1] >= 5
    for joint, body in ((5, 1), (5, 0), (8, 4), (8, 2), (9, 1), (9, 4)):
        assert order.index(body) < order.index(joint)
    assert order.index(7) < order.index(2)


def test_dampers_along_a_chain_couple_no_joints():
    """Bodies of one coordinate, joints between neighbours, and dampers that couple these coordinates too."""
    n = 60
    joints = [(n + k, j) for k in range(n) for j in (k - 1, k) if j >= 0]
    entries = {*joints, *((j, i) for i, j in joints), *((k, k) for k in range(n)), *((k, k - 1) for k in range(1, n))}
    assert len(pattern(entries, n, n).columns) < 12 * n
    assert elimination_order(entries, n, n, most=12 * n) == []  # else all joints would be coupled with all
