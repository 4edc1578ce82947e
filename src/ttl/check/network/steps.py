"""The steps of a kernel: what others can notice, and the control flow around it.

Named tuples: every process that checks an operation makes these classes, and as dataclasses they take 5 ms more.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation

from ttl.analysis.scalars import Scalar
from ttl.check.network.events import Kind
from ttl.dialects import ttl as dialect

Slot = int


class OnBuffers(NamedTuple):
    """Acquire and release blocks: numbers of the events, one after the other."""

    numbers: tuple[int, ...]
    reads: frozenset[Slot] = frozenset()


class OnPipe(NamedTuple):
    """Begin a transfer on the pipe that a condition function was called with."""

    kind: Kind
    slot: Slot
    net: int
    op: dialect.CopyOp
    reads: frozenset[Slot]


class Await(NamedTuple):
    """Wait for transfers through pipes: the last one that each copy began, or all of a group."""

    op: Operation
    copy: dialect.CopyOp | None = None
    group: Operation | None = None
    reads: frozenset[Slot] = frozenset()


class Join(NamedTuple):
    """Add a transfer through a pipe to a group."""

    group: Operation
    copy: dialect.CopyOp
    reads: frozenset[Slot] = frozenset()


class OnSemaphore(NamedTuple):
    """Wait for, set or increment a semaphore. ``nodes``: the coordinates of each bound; None is this node."""

    kind: Kind
    semaphore: int
    op: Operation
    value: Scalar
    starts: tuple[Scalar, ...] | None
    stops: tuple[Scalar, ...] | None
    everywhere: bool
    reads: frozenset[Slot]


class Carried(NamedTuple):
    """A value that control flow passes on: to which slots, and what it is first and then."""

    slot: Slot
    first: Scalar
    following: Scalar
    result: Slot


class Loop(NamedTuple):
    """A ``for`` loop; without ``bounds`` nobody knows how often it runs."""

    op: Operation
    bounds: tuple[Scalar, Scalar, Scalar] | None
    variable: Slot
    carried: tuple[Carried, ...]
    body: tuple[Step, ...]
    gathers: bool
    """Whether iterations add to a group that was made before the loop: they are not alike then."""
    reads: frozenset[Slot]


class While(NamedTuple):
    """A ``while`` loop. ``first`` fills the slots of the condition's block, ``passed`` those of the body."""

    op: Operation
    first: tuple[tuple[Slot, Scalar], ...]
    before: tuple[Step, ...]
    condition: Scalar | None
    passed: tuple[tuple[Slot, Slot, Scalar], ...]
    body: tuple[Step, ...]
    again: tuple[tuple[Slot, Scalar], ...]
    reads: frozenset[Slot]


class Branch(NamedTuple):
    """An ``if``; without ``condition`` nobody knows which way it goes. Results: slot, value of either way."""

    op: Operation
    condition: Scalar | None
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]
    results: tuple[tuple[Slot, Scalar, Scalar], ...]
    reads: frozenset[Slot]


class ForPipes(NamedTuple):
    """The body once for each pipe of a net that starts, or ends, at the node."""

    net: int
    sends: bool
    slot: Slot
    body: tuple[Step, ...]
    reads: frozenset[Slot]


class Unclear(NamedTuple):
    """Something that others notice and that cannot be followed: why."""

    op: Operation
    reason: str
    reads: frozenset[Slot] = frozenset()


Step = OnBuffers | OnPipe | Await | Join | OnSemaphore | Loop | While | Branch | ForPipes | Unclear
