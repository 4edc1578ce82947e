"""What goes through circular buffers while a program runs: every push with its pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ttl.emu.program import Program

Array = npt.NDArray[Any]

# Bytes of pages that are handed over at once.
_AT_ONCE = 16 << 20

_PUSHED = np.dtype(
    [("core", "u4"), ("buffer", "u4"), ("first", "u8"), ("offset", "u8"), ("pages", "u4"), ("unused", "u4")]
)


class Watcher(Protocol):
    """Somebody who looks at what is pushed."""

    def watched(self, program: Program) -> list[int]:
        """Numbers of the circular buffers to look at; called once, before the program runs."""

    def pushed(self, pushes: Array, pages: bytes) -> None:
        """Some pushes, in order: ``core`` and ``buffer`` by number, ``pages`` of which ``first`` were pushed before,
        and the ``offset`` in ``pages`` of what is in them.
        """


def watch(
    watcher: Watcher | None, program: Program
) -> tuple[Callable[[bytes, bytes], None], int, int] | None:
    """The argument of the runtime."""
    if watcher is None:
        return None
    bits = sum(1 << number for number in watcher.watched(program))

    def pushed(pushes: bytes, pages: bytes) -> None:
        watcher.pushed(np.frombuffer(pushes, _PUSHED), pages)

    return pushed, bits, _AT_ONCE
