"""A process that runs programs on the emulated chip, and is ended where one of them never does."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any


class NeverEnds(Exception):
    """A program did not end within its time."""


class Worker:
    """Started when it is first needed, and again after a program that did not end."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Connection | None = None

    def run(self, description: Any, tensors: Sequence[Any], seconds: float) -> tuple[str, list[Any]]:
        """What the program prints, and what is in its tensors afterwards.

        Raises ``NeverEnds`` after ``seconds``, ``RuntimeError`` with what the emulated chip has to say about the program.
        """
        pipe = self._connected()
        pipe.send((description, list(tensors)))
        if not pipe.poll(seconds):
            self.close()
            raise NeverEnds
        try:
            answer = pipe.recv()
        except EOFError:
            self.close()
            raise RuntimeError("the process of the chip has died") from None
        if isinstance(answer, str):
            raise RuntimeError(answer)
        return answer  # type: ignore[no-any-return]

    def _connected(self) -> Connection:
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, other = context.Pipe()
            self._process = context.Process(target=serve, args=(other,), daemon=True)
            self._process.start()
            other.close()
        return self._pipe

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            assert self._pipe is not None
            self._pipe.close()
        self._process = self._pipe = None


def serve(pipe: Connection) -> None:
    """Run what comes through the pipe until it is closed."""
    from ttl.emu.launch import run
    from ttl.host import api as ttnn

    while True:
        try:
            description, arrays = pipe.recv()
        except EOFError:
            return
        try:
            tensors = [ttnn.from_numpy(each, ttnn.int32, layout=ttnn.TILE_LAYOUT) for each in arrays]
            printed = run(description, tensors).printed
            pipe.send((printed, [ttnn.to_numpy(each) for each in tensors]))
        except Exception as failed:
            pipe.send("".join(traceback.format_exception(failed, limit=-5)))
