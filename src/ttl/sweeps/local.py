"""A pool of processes on this machine."""

from __future__ import annotations

import contextlib
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from ttl.sweeps.station import Station
from ttl.sweeps.work import SweepAnswer, SweepWork


class LocalPool:
    """As many processes as ``jobs``, each started with its first item."""

    def __init__(self, work: SweepWork, jobs: int) -> None:
        self._items: SimpleQueue[tuple[int, Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[SweepAnswer | BaseException] = SimpleQueue()
        self._stations = [Station(work) for _ in range(jobs)]
        self._threads = [
            Thread(target=self._serve, args=(station,), daemon=True) for station in self._stations
        ]
        for thread in self._threads:
            thread.start()

    @property
    def size(self) -> int:
        """How many processes."""
        return len(self._stations)

    def submit(self, number: int, item: Any) -> None:
        """Have an item worked on by the next process that is free."""
        self._items.put((number, item))

    def wait(self) -> SweepAnswer:
        """The next answer. Raises what went wrong on our side."""
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        """End all processes, and what they are at."""
        with contextlib.suppress(Empty):
            while True:
                self._items.get_nowait()
        for _ in self._threads:
            self._items.put(None)
        for station in self._stations:
            station.stop()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _serve(self, station: Station) -> None:
        try:
            while (given := self._items.get()) is not None:
                self._answers.put(station.ask(*given))
        except BaseException as raised:  # no process can be started, say: for whoever waits
            self._answers.put(raised)
        finally:
            station.close()
