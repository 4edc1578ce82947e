"""The exit codes of ``ttl``."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Exit codes of the process. A program that calls ``sys.exit(n)`` itself returns ``n``."""

    OK = 0
    FAILED = 1
    USAGE = 2
    UNCHECKED = 3
    INTERNAL = 70
    INTERRUPTED = 130


MEANING: tuple[tuple[Status, str], ...] = (
    (Status.OK, "all went well"),
    (Status.FAILED, "the program is wrong or raised an exception; the report says where"),
    (Status.USAGE, "the command line, a setting or the program's file is wrong"),
    (
        Status.UNCHECKED,
        "nothing wrong was found, but not everything could be checked or compiled (--allow-unchecked: 0)",
    ),
    (Status.INTERNAL, "a defect of ttlang (TTL9001)"),
    (Status.INTERRUPTED, "interrupted with Ctrl-C"),
)


def epilog() -> str:
    """The list of exit codes that ends a help text."""
    rows = "\n".join(f"  {status.value:<4} {text}" for status, text in MEANING)
    return f"exit codes:\n{rows}\n  n    the program's own, when it calls sys.exit(n)"
