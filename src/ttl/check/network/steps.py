"""The steps of a kernel: what others can notice, and the control flow around it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from ttl.check.evaluate import Scalar
from ttl.check.network.events import Kind
from ttl.dialects import ttl as dialect

Slot = int


@dataclass(frozen=True, slots=True, kw_only=True)
class OnBuffers:
    """Acquire and release blocks: numbers of the events, one after the other."""

    numbers: tuple[int, ...]
    reads: frozenset[Slot] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPipe:
    """Begin a transfer on the pipe that a condition function was called with."""

    kind: Kind
    slot: Slot
    net: int
    op: dialect.CopyOp
    reads: frozenset[Slot]


@dataclass(frozen=True, slots=True, kw_only=True)
class Await:
    """Wait for transfers through pipes: the last one that each copy began, or all of a group."""

    op: Operation
    copy: dialect.CopyOp | None = None
    group: Operation | None = None
    reads: frozenset[Slot] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Add a transfer through a pipe to a group."""

    group: Operation
    copy: dialect.CopyOp
    reads: frozenset[Slot] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class OnSemaphore:
    """Wait for, set or increment a semaphore. ``nodes``: the coordinates of each bound; None is this node."""

    kind: Kind
    semaphore: int
    op: Operation
    value: Scalar
    starts: tuple[Scalar, ...] | None
    stops: tuple[Scalar, ...] | None
    everywhere: bool
    reads: frozenset[Slot]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A value that control flow passes on: to which slots, and what it is first and then."""

    slot: Slot
    first: Scalar
    following: Scalar
    result: Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A ``for`` loop; without ``bounds`` nobody knows how often it runs."""

    op: Operation
    bounds: tuple[Scalar, Scalar, Scalar] | None
    variable: Slot
    carried: tuple[Carried, ...]
    body: tuple[Step, ...]
    gathers: bool
    """Whether iterations add to a group that was made before the loop: they are not alike then."""
    reads: frozenset[Slot]


@dataclass(frozen=True, slots=True, kw_only=True)
class While:
    """A ``while`` loop. ``first`` fills the slots of the condition's block, ``passed`` those of the body."""

    op: Operation
    first: tuple[tuple[Slot, Scalar], ...]
    before: tuple[Step, ...]
    condition: Scalar | None
    passed: tuple[tuple[Slot, Slot, Scalar], ...]
    body: tuple[Step, ...]
    again: tuple[tuple[Slot, Scalar], ...]
    reads: frozenset[Slot]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """An ``if``; without ``condition`` nobody knows which way it goes. Results: slot, value of either way."""

    op: Operation
    condition: Scalar | None
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]
    results: tuple[tuple[Slot, Scalar, Scalar], ...]
    reads: frozenset[Slot]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForPipes:
    """The body once for each pipe of a net that starts, or ends, at the node."""

    net: int
    sends: bool
    slot: Slot
    body: tuple[Step, ...]
    reads: frozenset[Slot]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """Something that others notice and that cannot be followed: why."""

    op: Operation
    reason: str
    reads: frozenset[Slot] = frozenset()


Step = OnBuffers | OnPipe | Await | Join | OnSemaphore | Loop | While | Branch | ForPipes | Unclear
