"""One line on the terminal while a long launch runs: nodes done, rate, time left.

It appears after a second, is rewritten in place, and is gone when the launch ends or something is printed. Without a
terminal, and without ``--progress on``, no line is shown.
"""

from __future__ import annotations

import builtins
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from ttl.sim.printing import print_replaced

if TYPE_CHECKING:
    from ttl.settings import Settings
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel

# Seconds before the line appears, and between two versions of it.
_PATIENCE = 1.0
_INTERVAL = 0.1
_WIDTH = 79
_ERASE = "\r\x1b[K"


class Progress:
    """The line of one launch. ``kernels`` is the number of kernels of each node."""

    def __init__(
        self,
        name: str,
        kernels: list[int],
        stream: TextIO,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._left = kernels
        self._stream = stream
        self._clock = clock
        self._started = clock()
        self._next = self._started + _PATIENCE
        self._shown = False
        self._done = 0

    def kernel_ended(self, kernel: Kernel) -> None:
        """Count a kernel that has ended; a node is done when its last kernel has ended."""
        node = kernel.node.index
        self._left[node] -= 1
        if self._left[node] == 0:
            self._done += 1
        self.tick()

    def tick(self) -> None:
        """Show the line if it is time to do so."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _INTERVAL
        self._shown = True
        self._stream.write(_ERASE + self.text(now - self._started)[:_WIDTH])
        self._stream.flush()

    def erase(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            self._stream.write(_ERASE)
            self._stream.flush()

    def text(self, seconds: float) -> str:
        """Return the text of the line after ``seconds``."""
        total = len(self._left)
        nodes = f"{self._name}: {self._done} of {total} {'node' if total == 1 else 'nodes'}"
        if self._done == 0:
            return f"{nodes}, {_duration(seconds)}"
        if self._done == total:
            return f"{nodes}, computing results"
        rate = self._done / seconds
        return f"{nodes}, {rate:.3g} nodes/s, {_duration((total - self._done) / rate)} left"


@contextmanager
def shown(engine: Engine, name: str, settings: Settings, stream: TextIO | None = None) -> Iterator[None]:
    """A context that shows the progress of a launch, if the settings and ``stream`` permit it.

    ``stream`` is standard error by default. Enter it when the kernels are known.
    """
    target = sys.stderr if stream is None else stream
    if not _is_wanted(settings, target):
        yield
        return
    progress = Progress(name, [len(node.kernels) for node in engine.nodes], target)
    printing = builtins.print

    def print(*values: Any, **options: Any) -> None:
        progress.erase()
        printing(*values, **options)

    engine.scheduler.on_finish = progress.kernel_ended
    engine.pending.on_flush = progress.tick
    try:
        with print_replaced(print, printing):
            yield
    finally:
        engine.scheduler.on_finish = engine.pending.on_flush = None
        progress.erase()


def _is_wanted(settings: Settings, stream: TextIO | None) -> bool:
    if stream is None or settings.progress == "off":
        return False
    return settings.progress == "on" or stream.isatty()


def _duration(seconds: float) -> str:
    """``8 s``, ``2 min 5 s``, ``1 h 20 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
