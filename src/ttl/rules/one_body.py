"""Operations written as one body: statements that belong to no single thread (specification 0.19, "Unified body")."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import DropArguments
from ttl.diag.words import listed


class Side(Protocol):
    """A cause for placing work on a thread."""

    @property
    def kind(self) -> str:
        """``compute`` or ``data movement``."""

    @property
    def what(self) -> str:
        """The cause, as written in the program."""


def mixed(first: Side, second: Side) -> Diagnostic:
    """The error for a statement that computes and moves data (TTL1601)."""
    return error(
        "TTL1601",
        f"one statement is both for the {first.kind} thread and for the {second.kind} thread",
        notes=("each statement of one body runs on one thread",),
        help="store the computed value into a block of a dataflow buffer, wait for that block and copy it",
    )


def block_of_two(name: str, how: str, first: Side, second: Side) -> Diagnostic:
    """The error for a block that two threads use; ``how`` is the method that acquires it (TTL1602)."""
    return error(
        "TTL1602",
        f"block {name} is used by the {first.kind} thread and by the {second.kind} thread",
        notes=("a block belongs to the thread that acquires it; a dataflow buffer hands it on to another",),
        help=f"acquire a block of the buffer for each: this one with {how}(), "
        f"the other with {'wait' if how == 'reserve' else 'reserve'}()",
    )


def unused_block(name: str, how: str) -> Diagnostic:
    """The error for a block that nothing uses (TTL1603)."""
    return error(
        "TTL1603",
        f"block {name} is not used, so it is not known which thread its {how}() belongs to",
        help=f"copy or compute with it, or drop the {how}()",
    )


def selector(method: str) -> Diagnostic:
    """The error for ``kernel=`` where a block is acquired, or with a value that does not name one kind (TTL1604)."""
    return error(
        "TTL1604",
        f"kernel= is given to {method}()"
        + (", and names no one kind of kernel" if method in ("push", "pop") else ""),
        notes=(
            "the thread of a block is that of the statements that use it; without such statements, push and pop name it by "
            "a ttl.KernelKind or a ttl.Kernel",
        ),
        help="drop kernel=",
    ).remedied_by(DropArguments(description="drop kernel=", names=("kernel",)))


def header(word: str, first: Side, second: Side) -> Diagnostic:
    """The error for control flow that one thread decides and another thread follows (TTL1605)."""
    return error(
        "TTL1605",
        f"what {word} depends on is known to one thread only, and another one has work in it",
        notes=("threads share only numbers that each of them can compute itself",),
        help="make it depend only on arguments, ttl.node() and loop variables",
    )


def value_of_other(name: str, first: Side, second: Side) -> Diagnostic:
    """The error for a value that one thread has and another thread reads (TTL1606)."""
    return error(
        "TTL1606",
        f"{name} is a value of the {first.kind} thread and is used by the {second.kind} thread",
        notes=("threads share only numbers that each of them can compute itself",),
        help="hand data on through a block of a dataflow buffer; the shape of a block is also that of its buffer",
    )


def unknown_call(text: str) -> Diagnostic:
    """The error for a call of an unknown function (TTL1607)."""
    return error(
        "TTL1607",
        f"it is not known what {text}() does, so it is not known which thread it belongs to",
        help="call functions of ttl, Python's own, or functions of the program with their source",
    )


def construction(text: str) -> Diagnostic:
    """The error for a buffer or net that is made among statements of kernels (TTL1608)."""
    return error(
        "TTL1608",
        f"{text}() depends on what the kernels do, or is between statements of theirs that change its arguments",
        notes=("buffers, pipes, nets and semaphores are made before kernels run",),
        help="make it at the top of the body, from arguments and numbers that do not change later",
    )


def no_place(what: str, advice: str) -> Diagnostic:
    """The error for a statement that is not allowed in one body (TTL1609)."""
    return error("TTL1609", f"{what} in an operation written as one body", help=advice)


def effect(text: str, kinds: Iterable[str]) -> Diagnostic:
    """The error for a statement with an effect whose thread is not known (TTL1610)."""
    return error(
        "TTL1610",
        f"{text} has an effect, and the statements around it are for {listed(list(kinds))}",
        notes=("statements without effects run on every thread that needs them; an effect must happen once",),
        help="put it between statements of one thread, or print a block",
    )


def helper_of_two(name: str, first: Side, second: Side) -> Diagnostic:
    """The error for a function outside the body that has work for two threads (TTL1611)."""
    return error(
        "TTL1611",
        f"{name} has work for the {first.kind} thread and for the {second.kind} thread",
        notes=("functions that are defined in the body are divided; those around it are called as they are",),
        help=f"define {name} in the operation, or make two functions of it",
    )


def not_joined(operation: str, why: str) -> Diagnostic:
    """The error for kernels that ``ttl join`` cannot turn into one body (TTL1618)."""
    return error(
        "TTL1618",
        f"the kernels of operation {operation} cannot be one body: {why}",
        notes=("one body is divided into kernels again, and these would be others",),
        help="the program runs as it is; an operation may keep its kernels beside others that are one body",
    )
