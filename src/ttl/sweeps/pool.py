"""Pools that do the work for the items of a sweep, which are submitted with numbers and answered when done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

from ttl.sweeps.station import WorkerProcess
from ttl.sweeps.work import SweepAnswer, SweepWork


class LocalPool:
    """A pool of ``jobs`` processes, each started with its first item."""

    def __init__(self, work: SweepWork, jobs: int) -> None:
        self._items: SimpleQueue[tuple[int, Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[SweepAnswer | BaseException] = SimpleQueue()
        self._stations = [WorkerProcess(work) for _ in range(jobs)]
        self._threads = [
            Thread(target=self._serve, args=(station,), daemon=True) for station in self._stations
        ]
        for thread in self._threads:
            thread.start()

    @property
    def size(self) -> int:
        """The number of processes."""
        return len(self._stations)

    def submit(self, number: int, item: Any) -> None:
        """Submit an item for the next free process."""
        self._items.put((number, item))

    def wait(self) -> SweepAnswer:
        """Return the next answer. Raises the exception of a failure in this process."""
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        """End all processes, and cancel their items."""
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

    def _serve(self, station: WorkerProcess) -> None:
        try:
            while (given := self._items.get()) is not None:
                self._answers.put(station.ask(*given))
        except (
            BaseException
        ) as raised:  # for example, no process can be started: passed to the code that waits
            self._answers.put(raised)
        finally:
            station.close()


class SweepPool(Protocol):
    """Does the work for items until it is closed. A context manager."""

    @property
    def size(self) -> int:
        """The number of items that are processed at the same time."""

    def submit(self, number: int, item: Any) -> None:
        """Submit an item."""

    def wait(self) -> SweepAnswer:
        """Return the next answer: one for each submitted item, in order of completion."""

    def close(self) -> None:
        """Cancel all unfinished work."""

    def __enter__(self) -> SweepPool: ...
    def __exit__(self, *raised: object) -> None: ...


def pool_for(work: SweepWork, *, jobs: int, cluster: str | None = None) -> SweepPool:
    """Return a pool of processes on this machine, or on the Dask cluster whose scheduler has this address.

    Raises ``ProgramError``: TTL0116 without ``distributed``, TTL0126 if no cluster answers.
    """
    if cluster is None:
        return LocalPool(work, jobs)
    from ttl.sweeps.cluster import ClusterPool

    return ClusterPool(work, cluster)


def answers(pool: SweepPool, items: Iterable[Any]) -> Iterator[SweepAnswer]:
    """Do the work for all items, numbered from 0, and yield the answers as they arrive."""
    count = 0
    for number, item in enumerate(items):
        pool.submit(number, item)
        count += 1
    for _ in range(count):
        yield pool.wait()
