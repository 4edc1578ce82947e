"""The runtime of the emulator, ``ttl._emu``, an extension module that ``native/build.py`` makes.

While a program runs, it can report to a watcher every push into circular buffers, with its pages.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Protocol

import numpy as np

from ttl.diag import ProgramError, error
from ttl.emu.program import Program
from ttl.rows.dtypes import Array
from ttl.source.spans import user_span

# Bytes of pages that are handed over at once.
_AT_ONCE = 16 << 20

_PUSHED = np.dtype(
    [("core", "u4"), ("buffer", "u4"), ("first", "u8"), ("offset", "u8"), ("pages", "u4"), ("unused", "u4")]
)


def missing() -> str | None:
    """The reason why this installation has no emulated chip; None when it has one."""
    try:
        import ttl._emu  # noqa: F401
    except ImportError as problem:
        return str(problem)
    return None


def require() -> None:
    """Check that there is an emulated chip. Raises ``ProgramError`` TTL1505."""
    reason = missing()
    if reason is None:
        return
    raise ProgramError(
        error(
            "TTL1505",
            "this installation has no emulated chip",
            notes=(reason,),
            help="install a C++ compiler (g++ 12, clang 15 or newer), then run 'python native/build.py' in a source tree, "
            "or install ttlang from source again",
        ).at(user_span())
    )


def runtime() -> ModuleType:
    """The extension module. Raises ``ImportError`` if it is not built."""
    import ttl._emu as found

    module: ModuleType = found
    return module


class Watcher(Protocol):
    """An observer of pushes."""

    def watched(self, program: Program) -> list[int]:
        """Numbers of the circular buffers to look at; called once, before the program runs."""

    def pushed(self, pushes: Array, pages: bytes) -> None:
        """Take note of some pushes, in order.

        A push has ``core`` and ``buffer`` by number, the number of its ``pages``, the number ``first`` of pages that
        were pushed before, and the ``offset`` of its contents in the argument ``pages``.
        """


def watch(
    watcher: Watcher | None, program: Program
) -> tuple[Callable[[bytes, bytes], None], int, int] | None:
    """The argument of the runtime for a watcher."""
    if watcher is None:
        return None
    bits = sum(1 << number for number in watcher.watched(program))

    def pushed(pushes: bytes, pages: bytes) -> None:
        watcher.pushed(np.frombuffer(pushes, _PUSHED), pages)

    return pushed, bits, _AT_ONCE
