"""Leftovers at the end of an operation: data not received, waited for or read, and values not stored."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ttl.diag import Diagnostic, error, warning
from ttl.diag.families import Subject
from ttl.diag.remedies import DropStatement
from ttl.diag.words import counted
from ttl.rows.types import Layout
from ttl.rules.words import node_list


def never_received(
    pipe: str, sent: int, received: int, awaited: int, missing: Sequence[tuple[int, ...]]
) -> Diagnostic:
    """The error for a send that some nodes, ``missing``, did not receive (TTL0903).

    ``pipe`` is a text of ``pipes.pipe_name``. ``sent`` counts messages, and ``received`` of the ``awaited`` receives
    were done.
    """
    return error(
        "TTL0903",
        f"send on {pipe} was never received on {node_list(missing)}",
        notes=(f"sent {sent}, received {received} of {awaited}",),
        help="every ttl.copy(blk, pipe) needs a ttl.copy(pipe, blk) on each destination: call net.if_dst there",
        subject=Subject.MESSAGES,
    )


def pushed_in_vain(left: int, *, is_waited_for: bool, all_used: bool) -> int:
    """Return how many of the ``left`` blocks in a buffer at the end of all kernels of a node have to be reported.

    A buffer for whose blocks no kernel of the node waits is scratch memory of the kernel that reserves them: where that
    kernel used each block before it pushed it (``all_used``: computed with it, copied it to a tensor or sent it), the
    push ends the use and nothing is left. If a kernel waits for some of the blocks, the remaining ones are reported.
    """
    return 0 if all_used and not is_waited_for else left


def never_waited_for(buffer: str, blocks: int, nodes: int, *, is_waited_for: bool) -> Diagnostic:
    """The warning for blocks of a buffer, on all nodes together, that were pushed in vain (TTL0904).

    ``is_waited_for``: on some of the nodes a kernel waits for some of the blocks.
    """
    why = (
        f"a kernel that waits for blocks of {buffer} takes fewer than are pushed"
        if is_waited_for
        else "no kernel waits for them there, and the kernel that pushed them did not use their data, either"
    )
    return warning(
        "TTL0904",
        f"{counted(blocks, 'block')} of {buffer} pushed and never waited for, on {counted(nodes, 'node')}",
        notes=(why,),
        help="wait for every block that is pushed, or drop the push",
        subject=Subject.END,
    )


def never_stored(count: int = 1) -> Diagnostic:
    """The warning for a value, computed ``count`` times, that reaches no store (TTL0905)."""
    times = f" ({count} times)" if count > 1 else ""
    return warning(
        "TTL0905",
        f"value computed from blocks is never stored{times}",
        notes=("an expression takes effect only when it is stored into a block",),
        help="store it: blk.store(...); or drop it",
        subject=Subject.END,
    ).remedied_by(DropStatement(description="drop it"))


def written_twice(
    bounds: Sequence[tuple[int, int]], layout: Layout, count: int, *, in_order: bool
) -> Diagnostic:
    """The warning for a part of a tensor written twice, ``count`` times by the same two writes (TTL0906).

    ``in_order``: one kernel on one node does both writes, so that it is certain which write is last.
    """
    part = ", ".join(f"{start}:{stop}" for start, stop in bounds)
    lost = "the data of the first write are lost"
    if not in_order:
        lost += ", and which one comes last may depend on the schedule"
    finding = warning(
        "TTL0906",
        f"[{part}] ({layout.unit}s) of a tensor is written twice, and it was not read in between",
        notes=(lost,),
        help="give every node and every iteration of a loop its own part: derive the slice from ttl.node() and the loop's index",
        subject=Subject.END,
    )
    return finding if count <= 1 else finding.noting(f"the same happens {counted(count - 1, 'more time')}")


def both_written(tensor: str, first: str, second: str, layout: Layout) -> Diagnostic:
    """The warning for two parts of a tensor, in brackets, that are both written and overlap (TTL0906)."""
    return warning(
        "TTL0906",
        f"{first} and {second} ({layout.unit}s) of {tensor} have a part in common, and both are written",
        notes=("nothing orders the two writes, so which one comes last may depend on the schedule",),
        help="give every node its own part: derive the slice from ttl.node()",
        subject=Subject.END,
    )


def never_written(
    tensor: str,
    part: Sequence[tuple[int, int]],
    count: int,
    extents: Sequence[int],
    layout: Layout,
    grid: Sequence[int],
) -> Diagnostic:
    """The warning for a part of an output that no node writes, although every node of the grid writes (TTL0908).

    ``part`` is one such part; ``count`` is the number of unwritten tiles or elements in all.
    """
    where = ", ".join(f"{start}:{stop}" for start, stop in part)
    shape = ", ".join(map(str, extents))
    ways = [
        f"a grid of {tuple(grid)} has nodes from {(0,) * len(grid)} to {tuple(extent - 1 for extent in grid)}"
    ]
    return warning(
        "TTL0908",
        f"no node writes [{where}] ({layout.unit}s) of {tensor}",
        notes=(
            f"all {prod(grid)} nodes write, and {count} of the {prod(extents)} {layout.unit}s of {tensor}, which is "
            f"({shape}) {layout.unit}s, stay as they were",
            *ways,
        ),
        help="let the parts of all nodes cover the tensor: is each coordinate of ttl.node() used for the dimension that "
        "the grid divides there? If the rest is meant to stay, pass the operation a tensor of the part that it writes",
        subject=Subject.END,
    )


def first_written(where: str) -> str:
    """Label of the first of two writes; ``where`` is a text like ``kernel write on node (0, 0)``."""
    return f"first written here, by {where}"


def written_again(where: str) -> str:
    """Label of the second of two writes; ``where`` is a text like ``kernel write on node (0, 0)``."""
    return f"written again here, by {where}"
