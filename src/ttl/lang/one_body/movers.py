"""The assignment of transfers to the two movers.

Cells that are already joined (blocks, kept transfers, numbers of one thread) stay on one mover, in the order of the
text. For other cells, order matters only if a tensor is written or semaphores are used, so that these stay together,
too. The remaining transfers may run side by side: sends have a mover of their own, as newer programs rely on, and the
other mover has the rest; in a body without a cell that only sends, writes to tensors do not wait for reads (ADR 53).
The two movers of a called operation with kernels stay two.
"""

from __future__ import annotations

from collections.abc import Iterable

from ttl.lang.one_body.threads import ThreadCell, Threads
from ttl.rules import one_body as rules


def movers(threads: Threads, used: Iterable[ThreadCell]) -> list[tuple[str, frozenset[ThreadCell]]]:
    """The movers of a body that have work, by name, each with its cells. At most two."""
    roots = _moving(used)
    _keep_order(threads, roots)
    roots = _moving(roots)
    if not roots:
        return []
    only_sending = [root for root in roots if "send" in root.roles and "receive" not in root.roles]
    both = [root for root in roots if {"send", "receive"} <= root.roles]
    writing = [root for root in roots if root.roles == {"write"}]
    if only_sending:
        second = only_sending
    elif len(both) > 1:
        second = [*both[1:], *writing]
    else:
        second = writing or [root for root in roots if "write" in root.roles]
    second = _parted(threads, roots, second)
    first = [root for root in roots if root not in second]
    if only_sending:
        first, second = second, first
    return [(_name(mover), frozenset(mover)) for mover in (first, second) if mover]


def _moving(cells: Iterable[ThreadCell]) -> list[ThreadCell]:
    roots = {cell.root: None for cell in cells if cell.kind == "data movement"}
    return sorted(roots, key=lambda root: root.place)


def _keep_order(threads: Threads, roots: list[ThreadCell]) -> None:
    """Join cells that may have to keep the order of the text."""
    if any("semaphore" in root.roles for root in roots):
        _join_all(threads, roots)
        return
    for tensor in {tensor for root in roots for tensor in root.writes}:
        _join_all(threads, [root for root in roots if tensor in root.reads | root.writes])


def _join_all(threads: Threads, cells: list[ThreadCell]) -> None:
    """Join cells, except for the two movers of one operation, whose author has written how they wait for each other."""
    pairs = {frozenset((first.root, second.root)) for first, second, _ in threads.apart}
    if frozenset(cells) in pairs:
        return
    for cell in cells:
        threads.join(cells[0], cell, rules.mixed)


def _parted(threads: Threads, roots: list[ThreadCell], second: list[ThreadCell]) -> list[ThreadCell]:
    """Return the cells of the second mover, so that cells which must be apart are: those of ``second`` if possible."""
    beside: dict[ThreadCell, list[ThreadCell]] = {root: [] for root in roots}
    for one, other, finding in threads.apart:
        if one.root is other.root:
            threads.report(finding)
        elif one.root in beside and other.root in beside:
            beside[one.root].append(other.root)
            beside[other.root].append(one.root)
    result: list[ThreadCell] = []
    left = dict.fromkeys(roots)
    while left:
        sides: dict[ThreadCell, bool] = {next(iter(left)): False}
        worklist = list(sides)
        while worklist:
            cell = worklist.pop()
            left.pop(cell, None)
            for other in beside[cell]:
                if other not in sides:
                    sides[other] = not sides[cell]
                    worklist.append(other)
                elif sides[other] == sides[cell]:
                    for _, _, finding in threads.apart:
                        threads.report(finding)
                    return second
        agreeing = sum(side == (cell in second) for cell, side in sides.items())
        as_they_are = 2 * agreeing >= len(sides)
        result += [cell for cell, side in sides.items() if side == as_they_are]
    return [root for root in roots if root in result]


def _name(roots: list[ThreadCell]) -> str:
    roles = set[str]().union(*(root.roles for root in roots))
    if roles == {"write"}:
        return "write"
    if "write" in roles or "semaphore" in roles:
        return "move"
    if "send" in roles and "receive" not in roles:
        return "send"
    return "receive" if roles == {"receive"} else "read"
