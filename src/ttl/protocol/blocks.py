"""States of a block and the steps that are legal in each (specification, "Block states").

A block is acquired with ``reserve`` or ``wait`` by a compute or a data movement kernel; that pair is its *role* and
decides the first state. ``next_state`` is the whole transition table; a step that it does not list is an error, and
``explain`` makes its diagnostic.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

from ttl.diag.families import Subject
from ttl.diag.model import Diagnostic, error, warning
from ttl.diag.remedies import DropStatement, ReleaseAfterUse, Rename, SumInLoop, WaitForCopy

Acquired = Literal["reserve", "wait"]
KernelKind = Literal["compute", "data movement"]


class State(IntEnum):
    """The state of a block, which decides the next legal step."""

    MUST_BE_WRITTEN = 0
    MUST_BE_READ = 1
    READ_WRITE = 2
    READ_ONLY_WHILE_READING = 3
    NO_ACCESS_WHILE_WRITING = 4
    OUT_OF_SCOPE = 5
    # ``MUST_BE_READ`` of the specification, in a block of wait() that nothing was written to yet: the data of its
    # producer may be of no use on this node, but data that a kernel writes itself are always meant to be used.
    UNREAD = 6
    # The tiles of the block are in different states (``ttl.protocol.views``): steps are looked up tile by tile.
    IN_PARTS = 7


class Step(IntEnum):
    """The step that a kernel takes with a block."""

    COPY_IN = 0
    COPY_OUT = 1
    COPY_IN_DONE = 2
    COPY_OUT_DONE = 3
    READ = 4
    STORE = 5
    PUSH = 6
    POP = 7
    READ_ELEMENT = 8
    WRITE_ELEMENT = 9


class Role(IntEnum):
    """The way a block was acquired and the kind of its kernel; those of ``reserve`` come first."""

    RESERVE_DATA_MOVEMENT = 0
    RESERVE_COMPUTE = 1
    WAIT_DATA_MOVEMENT = 2
    WAIT_COMPUTE = 3

    @property
    def is_reserve(self) -> bool:
        """Whether the block was reserved (and not waited for)."""
        return self <= LAST_RESERVE


ILLEGAL = -1
LAST_RESERVE = Role.RESERVE_COMPUTE
# Code of the error about a block that is written again before it was read.
NOT_READ_YET = "TTL0304"
UNWRITTEN = "TTL0302"
LARGEST_INDEX = 2**31 - 1
"""The largest result of ``ttl.read_index``."""
STEPS = 8
"""Steps in the flat tables, which the native core has, too; those of single elements come behind them (``step_from``)."""

_MW, _MR, _RW, _ROR, _NAW, _OS, _UR, _IN_PARTS = State
# Single elements, in data movement kernels: the same for both ways of acquiring.
_ELEMENTS = {
    (State.MUST_BE_READ, Step.READ_ELEMENT): State.READ_WRITE,
    (State.UNREAD, Step.READ_ELEMENT): State.READ_WRITE,
    (State.READ_WRITE, Step.READ_ELEMENT): State.READ_WRITE,
    (State.MUST_BE_WRITTEN, Step.WRITE_ELEMENT): State.READ_WRITE,
    (State.READ_WRITE, Step.WRITE_ELEMENT): State.READ_WRITE,
}
_INITIAL = {
    Role.RESERVE_DATA_MOVEMENT: _MW,
    Role.RESERVE_COMPUTE: _MW,
    Role.WAIT_DATA_MOVEMENT: _UR,
    Role.WAIT_COMPUTE: _UR,
}

# The steps of copies are the same for both ways of acquiring, except for the state in which the first write may start.
_COPIES = {
    (_MR, Step.COPY_OUT): _ROR,
    (_RW, Step.COPY_OUT): _ROR,
    (_ROR, Step.COPY_OUT): _ROR,
    (_ROR, Step.COPY_OUT_DONE): _RW,  # when it was the last reader; see ``State.READ_ONLY_WHILE_READING``
    (_RW, Step.COPY_IN): _NAW,
    (_NAW, Step.COPY_IN_DONE): _MR,
}
# The states after a copy has ended; where several copies read the block, after the last one.
COPIED_IN, COPIED_OUT = _COPIES[_NAW, Step.COPY_IN_DONE], _COPIES[_ROR, Step.COPY_OUT_DONE]
_TRANSITIONS: dict[Role, dict[tuple[State, Step], State]] = {
    Role.RESERVE_DATA_MOVEMENT: {
        **_COPIES,
        **_ELEMENTS,
        (_MW, Step.COPY_IN): _NAW,
        (_MR, Step.PUSH): _OS,
        (_RW, Step.PUSH): _OS,
    },
    Role.WAIT_DATA_MOVEMENT: {**_COPIES, **_ELEMENTS, (_UR, Step.COPY_OUT): _ROR, (_RW, Step.POP): _OS},
    Role.RESERVE_COMPUTE: {
        (_MW, Step.STORE): _MR,
        (_RW, Step.STORE): _MR,
        (_MR, Step.READ): _RW,
        (_RW, Step.READ): _RW,
        (_MR, Step.PUSH): _OS,
        (_RW, Step.PUSH): _OS,
    },
    Role.WAIT_COMPUTE: {
        (_UR, Step.READ): _RW,
        (_MR, Step.READ): _RW,
        (_RW, Step.READ): _RW,
        (_RW, Step.STORE): _MR,
        (_RW, Step.POP): _OS,
    },
}


def role_of(acquired: Acquired, kernel: KernelKind) -> Role:
    """The role of a block acquired this way in this kind of kernel."""
    match acquired, kernel:
        case "reserve", "data movement":
            return Role.RESERVE_DATA_MOVEMENT
        case "reserve", "compute":
            return Role.RESERVE_COMPUTE
        case "wait", "data movement":
            return Role.WAIT_DATA_MOVEMENT
        case _:
            return Role.WAIT_COMPUTE


def initial_state(role: Role) -> State:
    """State right after the acquisition."""
    return _INITIAL[role]


def next_state(role: Role, state: State, step: Step) -> State | None:
    """State after a step, or None where the step is an error.

    ``COPY_OUT_DONE`` leads to ``READ_WRITE`` only when no other copy still reads the block: the code that counts
    the readers stays in ``READ_ONLY_WHILE_READING`` for the others.
    """
    return _TRANSITIONS[role].get((state, step))


def step_from(table: tuple[int, ...], state: int, step: int) -> int:
    """The state after a step, by the flat table of a role; ``ILLEGAL`` where the step is an error."""
    if step < STEPS:
        return table[state * STEPS + step]
    return int(_TRANSITIONS[Role(table[-1])].get((State(state), Step(step)), ILLEGAL))


def flat_table(role: Role) -> tuple[int, ...]:
    """``next_state`` of one role as a flat table; its last entry is the role.

    The index is ``state * STEPS + step``; errors are ``ILLEGAL``. Plain ints, for speed.
    """
    return (
        *(
            int(_TRANSITIONS[role].get((state, step), ILLEGAL))
            for state in State
            for step in tuple(Step)[:STEPS]
        ),
        int(role),
    )


def may_drop(role: Role, state: State, step: Step) -> bool:
    """Whether a step releases a block that its kernel has not read.

    The table has it as an error; cards run it, so it is a warning (``popped_unread``), and the kernel continues.
    """
    return step is Step.POP and state is State.UNREAD and not role.is_reserve


def popped_unread(buffer: str, *, is_read_elsewhere: bool) -> Diagnostic:
    """The warning for a pop of a block that its kernel did not read (TTL0303).

    ``is_read_elsewhere``: another node, or another path through the kernel, reads blocks of the buffer.
    """
    if is_read_elsewhere:
        return warning(
            "TTL0303",
            f"block of {buffer} popped, and not read on the way here",
            notes=(
                f"other nodes, or other paths through the kernel, read blocks of {buffer}: this one was sent in vain",
            ),
            help="push and wait for the block under the condition under which it is used; the result is the same",
        )
    return warning(
        "TTL0303",
        f"block of {buffer} popped, and nothing reads what it holds",
        notes=(f"no node and no path through the kernel reads blocks of {buffer}: they are sent in vain",),
        help=f"use the block in an expression that is stored, or copy it somewhere; if its data are not needed, "
        f"leave {buffer} out, here and in the kernel that fills it",
    )


def _popped_written(buffer: str) -> Diagnostic:
    return error(
        "TTL0303",
        f"block of {buffer} written over and popped, but nothing read what was written",
        notes=("the block goes back to the producer, and the result with it",),
        help="store the result into a block of reserve(): that one reaches another kernel; or read the block before the pop",
    )


_VERB = {
    Step.COPY_IN: "copied into",
    Step.COPY_OUT: "copied from",
    Step.READ: "read in an expression",
    Step.STORE: "stored into",
    Step.PUSH: "pushed",
    Step.POP: "popped",
    Step.READ_ELEMENT: "read element by element",
    Step.WRITE_ELEMENT: "written element by element",
}


def explain(role: Role, state: State, step: Step, buffer: str) -> Diagnostic:
    """The error for an illegal step on a block of ``buffer``. The caller adds the places."""
    if step is Step.PUSH and not role.is_reserve and state is not _OS:
        return error(
            "TTL0308",
            f"push on a block of {buffer} that was acquired with wait()",
            notes=("push() hands a reserved block to the consumer; a waited block goes back with pop()",),
            help="write .pop() instead of .push()",
        ).remedied_by(Rename(older="push", current="pop"))
    if step is Step.POP and role.is_reserve and state is not _OS:
        return error(
            "TTL0309",
            f"pop on a block of {buffer} that was acquired with reserve()",
            notes=(
                "pop() gives a waited block back to the producer; a reserved block is handed on with push()",
            ),
            help="write .push() instead of .pop()",
        ).remedied_by(Rename(older="pop", current="push"))
    match state:
        case State.OUT_OF_SCOPE:
            return _explain_released(role, step, buffer)
        case State.MUST_BE_WRITTEN:
            return _explain_unwritten(role, step, buffer)
        case State.NO_ACCESS_WHILE_WRITING if step in (Step.PUSH, Step.POP):
            return _explain_in_flight(step, buffer, "into")
        case State.READ_ONLY_WHILE_READING if step in (Step.PUSH, Step.POP):
            return _explain_in_flight(step, buffer, "from")
        case State.NO_ACCESS_WHILE_WRITING:
            return error(
                "TTL0305",
                f"block of {buffer} {_VERB[step]} while a copy is still writing it",
                help="wait for the transfer first: xf = ttl.copy(...); xf.wait()",
            ).remedied_by(WaitForCopy(description="wait for the transfer"))
        case State.READ_ONLY_WHILE_READING:
            return error(
                "TTL0306",
                f"block of {buffer} {_VERB[step]} while a copy is still reading it",
                help="wait for the transfer that reads the block before writing to it"
                if step is not Step.READ_ELEMENT
                else "wait for the transfer first: xf = ttl.copy(blk, ...); xf.wait()",
            ).remedied_by(WaitForCopy(description="wait for the transfer"))
        case _ if step is Step.POP:
            return _popped_written(buffer)
        case _:
            first = "read the block first, or remove one of the two writes"
            swapped = "or are the arguments the wrong way round? ttl.copy(blk, destination) takes data out of the block"
            return error(
                NOT_READ_YET,
                f"block of {buffer} {_VERB[step]} before its data was read",
                notes=("what the block holds would be lost without anyone having seen it",),
                help=(first, swapped) if step is Step.COPY_IN and not role.is_reserve else first,
                subject=Subject.ACQUISITION,
            )


def _explain_released(role: Role, step: Step, buffer: str) -> Diagnostic:
    release = "pushed" if role.is_reserve else "popped"
    if step in (Step.PUSH, Step.POP):
        return error(
            "TTL0311",
            f"block of {buffer} {_VERB[step]} although it was already {release}",
            help="release a block once: a with statement does it at its end, so drop the explicit call",
        ).remedied_by(DropStatement(description="drop the explicit call"))
    again = "reserve()" if release == "pushed" else "wait()"
    return error(
        "TTL0307",
        f"block of {buffer} {_VERB[step]} after it was {release}",
        notes=("after the release the memory belongs to the other kernel",),
        help=f"move the use before the release, or acquire another block with {again}",
    ).remedied_by(
        ReleaseAfterUse(
            description="release it after its last use", method="push" if role.is_reserve else "pop"
        )
    )


def _explain_unwritten(role: Role, step: Step, buffer: str) -> Diagnostic:
    how = "store(...)" if role is Role.RESERVE_COMPUTE else "ttl.copy(..., blk) and wait for it"
    if step is Step.PUSH:
        return error(
            UNWRITTEN,
            f"block of {buffer} pushed, but nothing was ever written to it",
            notes=("the consumer would read whatever the memory held before",),
            help=f"write the block before the push: {how}",
        )
    first = f"write the block first: {how}; or was wait() meant instead of reserve()?"
    swapped = "or are the arguments the wrong way round? ttl.copy(source, blk) brings data into the block"
    return error(
        "TTL0301",
        f"block of {buffer} {_VERB[step]} before anything was written to it",
        notes=("a reserved block holds garbage until it is written",),
        help=(first, swapped) if step is Step.COPY_OUT else first,
    ).remedied_by(
        SumInLoop(description="add to the block: the first += writes it") if step is Step.READ else None
    )


def _explain_in_flight(step: Step, buffer: str, direction: str) -> Diagnostic:
    return error(
        "TTL0310",
        f"block of {buffer} {_VERB[step]} while a copy {direction} it is still under way",
        notes=("after the release the other kernel may use the memory while the copy still runs",),
        help="call wait() on the transfer before the release",
    ).remedied_by(WaitForCopy(description="wait for the transfer"))
