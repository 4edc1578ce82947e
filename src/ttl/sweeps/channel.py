"""The end of a process that works on items: it reads its original standard input and writes its standard output.

One JSON object a line: first ``{"function", "task"}``; then ``{"item": ...}`` for each item, answered by ``{"begun": true}`` when
its time starts to count, and ``{"answer": ...}``.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any, NoReturn

# A process without requests for so long ends by itself: on a cluster, the sender may have disappeared.
IDLE_SECONDS = 300.0


class ParentChannel:
    """Takes over the standard streams: output of the work is dropped, and its input is empty."""

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.close(null)
        self._buffer = b""
        first = self._receive()
        self.function: str = first["function"]
        self.task: dict[str, Any] = first["task"]

    def item(self) -> Any:
        """The next item. Ends the process if there are no more items."""
        return self._receive()["item"]

    def begun(self) -> None:
        """Report that the time of the item starts to count."""
        self._send({"begun": True})

    def answer(self, value: Any) -> None:
        """Send the result of the item."""
        self._send({"answer": value})

    def _receive(self) -> Any:
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], IDLE_SECONDS)
            data = os.read(self._in, 1 << 16) if ready else b""
            if not data:
                _leave()
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def _send(self, message: object) -> None:
        data = json.dumps(message).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._out, data) :]
        except OSError:
            _leave()


def _leave() -> NoReturn:
    """End the process, because the sender of requests has ended, or has sent no request for too long."""
    sys.stderr.flush()
    os._exit(0)
