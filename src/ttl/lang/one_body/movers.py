"""Which of the two movers does which transfers.

What is joined already (blocks, kept transfers, numbers of one thread) stays on one mover, in the order of the text. Of the
rest, order matters only where a tensor is written and where semaphores are used, so that these stay together, too. What is
left may run side by side: sends have a mover of their own, as newer programs rely on, and everything else the other one; in
a body where nothing only sends, writes to tensors do not wait for reads (ADR 53).
"""

from __future__ import annotations

from collections.abc import Iterable

from ttl.lang.one_body.threads import ThreadCell, Threads
from ttl.rules import one_body as rules


def movers(threads: Threads, used: Iterable[ThreadCell]) -> list[tuple[str, frozenset[ThreadCell]]]:
    """The movers of a body that have work, named, each with the cells that it has. At most two."""
    roots = _moving(used)
    _keep_order(threads, roots)
    roots = _moving(roots)
    if not roots:
        return []
    only_sending = [root for root in roots if "send" in root.roles and "receive" not in root.roles]
    both = [root for root in roots if {"send", "receive"} <= root.roles]
    only_writing = [root for root in roots if root.roles == {"write"}]
    if only_sending:
        second = only_sending
    elif len(both) > 1:
        second = [*both[1:], *only_writing]
    else:
        second = only_writing
    first = [root for root in roots if root not in second]
    if only_sending:
        first, second = second, first
    return [(_name(mover), frozenset(mover)) for mover in (first, second) if mover]


def _moving(cells: Iterable[ThreadCell]) -> list[ThreadCell]:
    roots = {cell.root: None for cell in cells if cell.kind == "data movement"}
    return sorted(roots, key=lambda root: root.place)


def _keep_order(threads: Threads, roots: list[ThreadCell]) -> None:
    """Join what may have to happen in the order of the text."""
    if any("semaphore" in root.roles for root in roots):
        for root in roots:
            threads.join(roots[0], root, rules.mixed)
        return
    for tensor in {tensor for root in roots for tensor in root.writes}:
        touching = [root for root in roots if tensor in root.root.reads | root.root.writes]
        for root in touching:
            threads.join(touching[0], root, rules.mixed)


def _name(roots: list[ThreadCell]) -> str:
    roles = set[str]().union(*(root.roles for root in roots))
    if roles == {"write"}:
        return "write"
    if "write" in roles or "semaphore" in roles:
        return "move"
    if "send" in roles and "receive" not in roles:
        return "send"
    return "receive" if roles == {"receive"} else "read"
