"""The waits of kernels as text, for reports about kernels that cannot continue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ttl.diag.words import listed
from ttl.rules.words import node_name

WaitKind = Literal["data", "space", "message", "pipe", "semaphore"]
# The number of kernels that are named; more are only counted.
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Wait:
    """The wait of a kernel: for a filled or a free block, a message, a free pipe to send on, or a semaphore.

    ``what`` is the name of the buffer, of the pipe (``pipes.pipe_name``) or of the semaphore (``semaphore done``).
    ``value`` is the value of the semaphore that is waited for, and ``exact`` whether the semaphore must equal it.
    """

    kind: WaitKind
    what: str
    value: int = 0
    exact: bool = False

    def __str__(self) -> str:
        """The text ``waits for b_dfb``."""
        match self.kind:
            case "data":
                return f"waits for {self.what}"
            case "space":
                return f"waits to reserve {self.what}"
            case "message":
                return f"waits to receive from {self.what}"
            case "pipe":
                return f"waits to send on {self.what}"
            case "semaphore":
                return f"waits until {self.what} is {wanted(self.value, exact=self.exact)}"

    @property
    def service(self) -> str:
        """The words before the name of the kernel that could end the wait: ``filled by``, say."""
        match self.kind:
            case "data":
                return "filled by"
            case "space":
                return "emptied by"
            case "message":
                return "sent by"
            case "pipe":
                return "received by"
            case "semaphore":
                return "changed by"


@dataclass(frozen=True, slots=True)
class KernelOnNode:
    """A kernel on a node. ``alone``: the grid has no other node, so that messages need not name this one."""

    kernel: str
    node: tuple[int, ...]
    alone: bool

    def __str__(self) -> str:
        """``read``, or with more than one node ``read on node (0, 1)``."""
        return self.kernel if self.alone else f"{self.kernel} on {node_name(self.node)}"


def any_of(pipes: Iterable[str]) -> str:
    """Return the pipes of a kernel that continues with the first of several messages, as text."""
    first, *others = pipes
    return f"{first}{''.join(f' or from {other}' for other in others)}"


def wanted(value: int, *, exact: bool) -> str:
    """Return the value that a semaphore must have: ``3``, ``at least 3``."""
    return str(value) if exact else f"at least {value}"


def together(kernels: Sequence[KernelOnNode]) -> str:
    """The text ``read and compute wait for each other``."""
    if len(kernels) == 1:
        return f"{kernels[0]} waits for itself"
    if len(kernels) > _NAMED:
        return f"{len(kernels)} kernels wait for each other in a circle"
    if not kernels[0].alone and len({kernel.kernel for kernel in kernels}) == 1:
        coords = [node_name(kernel.node).removeprefix("node ") for kernel in kernels]
        nodes = "" if coords[0].startswith("chip") else "nodes "
        return f"{kernels[0].kernel} on {nodes}{listed(coords)} wait for each other"
    return f"{listed(str(kernel) for kernel in kernels)} wait for each other"


def in_use(block_count: int, buffer: str = "") -> str:
    """The text ``all 2 blocks are in use``, or with the name of a buffer, ``all 2 blocks of a_dfb are in use``."""
    of = f" of {buffer}" if buffer else ""
    if block_count == 1:
        return f"{'the' if buffer else 'its'} only block{of} is in use"
    return f"all {block_count} blocks{of} are in use"


def no_room(block_count: int) -> str:
    """Label of a reserve that waits for a free block."""
    return f"waits here for a free block: {in_use(block_count)}"


def how_to_break(cycle: Sequence[tuple[str, Wait]]) -> str:
    """Return advice for kernels, by name, that wait in a cycle."""
    kinds = {wait.kind for _, wait in cycle}
    if "semaphore" in kinds:
        return "let one of them set or increment what the other waits for before it waits itself"
    if "message" in kinds:
        nets = [
            *dict.fromkeys(wait.what.partition("'s pipe")[0] for _, wait in cycle if wait.kind == "message")
        ]
        order = f"; or use {listed(nets)} in the same order on all of them" if len(nets) > 1 else ""
        return f"send first and then receive, on one of the nodes at least: a send waits only for earlier sends on its pipe{order}"
    if "pipe" in kinds:
        return "receive what was sent before sending again, on one of the nodes at least"
    if len(cycle) == 1:
        return "a kernel cannot wait for what it provides later itself: push the block first"
    return f"let one of them start: {cycle[0][0]} or {cycle[-1][0]} could push before it waits"


def wait_cycle(steps: Sequence[tuple[KernelOnNode, Wait, KernelOnNode]], kernels: int) -> str:
    """The note about a cycle of ``kernels`` kernels that wait for each other.

    ``steps`` are all, or only the first, of its waits: a kernel, its wait, and the kernel that it waits for.
    """
    lines = [
        f"  {who} {wait}, {wait.service} {partner if partner != who else 'itself'}"
        for who, wait, partner in steps
    ]
    if kernels > len(steps):
        lines.append(f"  and so on, {kernels} kernels")
    return "\n".join(("the wait cycle:", *lines))


def every_schedule(beyond: str, *, certain: bool, unpacks_ahead: str) -> str:
    """The note on how far a deadlock depends on the schedule.

    ``beyond`` names the means of communication other than buffers and unicast pipes. ``certain``: the order of the
    kernels is known to have no influence. ``unpacks_ahead``: the compute kernel that may get through on a chip, if
    there is one.
    """
    if beyond and not certain:
        return f"{beyond} are used, so another schedule may behave differently: try --schedules 16"
    if unpacks_ahead:
        return (
            "no other order of the kernels avoids it, but a chip may get through: there the processor that unpacks for "
            f"{unpacks_ahead} continues while the one that packs waits"
        )
    if beyond:
        return "no other order of the kernels avoids it: every schedule ends in a deadlock"
    return "the kernels communicate through dataflow buffers and unicast pipes only, so every schedule ends like this"
