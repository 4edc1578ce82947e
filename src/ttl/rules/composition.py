"""Operations that are called in operations: the errors of such calls (specification 0.19, "Composition")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ttl.diag import Diagnostic, error, warning
from ttl.diag.words import listed


def recursive(cycle: Sequence[str]) -> Diagnostic:
    """The error for an operation that calls itself, directly or through others (TTL1612)."""
    return error(
        "TTL1612",
        f"operation {cycle[0]} calls itself: {' calls '.join(cycle)}",
        notes=("the body of a called operation becomes part of its caller, which would never end",),
        help="repeat with a loop, or let a function create operations of which each calls the next",
    )


def before_threads(operation: str, parameter: str, name: str) -> Diagnostic:
    """The error for an argument that a called operation needs for buffers, but is unknown before kernels (TTL1613)."""
    return error(
        "TTL1613",
        f"operation {operation} makes buffers or nets from its parameter {parameter}, but {name} has no value before kernels run",
        notes=(
            "buffers and nets of an operation that is called are made once, at the top of the body around it",
        ),
        help=f"make the buffers in this body and pass them, or pass a value for {parameter} that does not change later",
    )


def only_in_operations(operation: str, parameter: str, kind: str) -> Diagnostic:
    """The error for a launch of an operation that takes buffers or nets (TTL1614)."""
    return error(
        "TTL1614",
        f"operation {operation} takes a {kind} as {parameter}, so it cannot be launched",
        notes=("dataflow buffers and pipe nets live in a running operation",),
        help="call it in the body of another operation, which makes them",
    )


def as_value(operation: str) -> Diagnostic:
    """The error for a call of an operation inside of an expression (TTL1615)."""
    return error(
        "TTL1615",
        f"operation {operation} is used as a value, but returns nothing",
        help="write the call as a separate statement; results go to tensors and buffers that are passed",
    )


def in_function(operation: str, function: str) -> Diagnostic:
    """The error for a call of an operation in a function that is not divided among threads (TTL1615)."""
    return error(
        "TTL1615",
        f"operation {operation} is called in {function}, which runs on one thread as a whole",
        help="call it in the body, or in a function that is defined there and called by a statement of its own",
    )


def which() -> Diagnostic:
    """The error for a call that may mean one of several operations (TTL1615)."""
    return error(
        "TTL1615",
        "it is not known before the call which operation is called",
        help="decide with if and else, and call one by its name in each",
    )


def starred(operation: str) -> Diagnostic:
    """The error for ``*`` and ``**`` in a call of an operation, or in its parameters (TTL1615)."""
    return error(
        "TTL1615",
        f"operation {operation} is called with * or **, or takes such arguments, so that parameters and arguments cannot be matched",
        help="write the arguments one by one",
    )


def one_thread(operation: str, first: str, second: str) -> Diagnostic:
    """The error for two kernels of a called operation that would have to be on one thread (TTL1616)."""
    return error(
        "TTL1616",
        f"kernels {first} and {second} of operation {operation} run at the same time, but what they share with the body around them puts them on one thread",
        notes=(
            "transfers of a tensor that is written, and all statements that use semaphores, stay in the order of the text",
        ),
        help=f"write {operation} as one body, so that its transfers have an order, too",
    )


def not_written(operation: str, objects: Sequence[str]) -> Diagnostic:
    """The error for a called operation that ``ttl split`` cannot write into the file (TTL1617)."""
    return error(
        "TTL1617",
        f"operation {operation} is called, and its kernels cannot be written into this file: it captures {listed(list(objects))}",
        notes=(
            "a value captured from a function around an operation is written as a number, a text, or a function at the top of a file",
        ),
        help="the program runs as it is; to see its kernels, capture no other objects",
    )


def other_launch(operation: str, around: str, different: Mapping[str, tuple[object, object]]) -> Diagnostic:
    """The warning for a called operation whose grid or options differ from those of the caller (TTL1619)."""
    return warning(
        "TTL1619",
        f"operation {operation} has {listed([f'{name}={own}' for name, (own, _) in different.items()])} and is called in "
        f"{around}, which has {listed([f'{name}={here}' for name, (_, here) in different.items()])}",
        notes=(
            "an operation that is called runs on the nodes, and with the options, of the one that is launched",
        ),
        help=f"leave these arguments out of the decorator of {operation}, or give both operations the same",
    )
