"""Errors for code that a file names or contains: it may come from anywhere, and runs only with the user's permission."""

from __future__ import annotations

from ttl.diag import Diagnostic, error


def module_not_allowed(module: str, named_by: str, ways: tuple[str, ...]) -> Diagnostic:
    """The error for a Python module that would be imported because a file names it (TTL0130).

    ``ways`` are the ways to allow that.
    """
    return error(
        "TTL0130",
        f"{named_by} names the Python module '{module}', which may not be imported without permission",
        notes=("importing a module runs it, and a file may name any installed module",),
        help=tuple(f"if you trust '{module}': {way}" for way in ways),
    )


def source_not_allowed(held_by: str, ways: tuple[str, ...]) -> Diagnostic:
    """The error for C++ in a file that would be compiled and run on this machine (TTL0131).

    ``ways`` are the ways to allow that.
    """
    return error(
        "TTL0131",
        f"{held_by} holds kernels in C++, which may not be compiled and run without permission",
        notes=("the emulated chip runs them as code on this machine, without protection",),
        help=tuple(f"if you trust the file: {way}" for way in ways),
    )
