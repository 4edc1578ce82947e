"""Where the items of a sweep are worked on: submitted with their numbers, answered as they are done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from ttl.sweeps.local import LocalPool
from ttl.sweeps.work import SweepAnswer, SweepWork


class SweepPool(Protocol):
    """Works on items until it is closed. A context manager."""

    @property
    def size(self) -> int:
        """How many items are worked on at the same time."""

    def submit(self, number: int, item: Any) -> None:
        """Have an item worked on."""

    def wait(self) -> SweepAnswer:
        """The next answer: one for each item that was submitted, in the order in which they are done."""

    def close(self) -> None:
        """End all that is under way."""

    def __enter__(self) -> SweepPool: ...
    def __exit__(self, *raised: object) -> None: ...


def pool_for(work: SweepWork, *, jobs: int, cluster: str | None = None) -> SweepPool:
    """Processes on this machine, or on the Dask cluster whose scheduler has this address.

    Raises ``ProgramError``: TTL0116 without ``distributed``, TTL0126 where no cluster answers.
    """
    if cluster is None:
        return LocalPool(work, jobs)
    from ttl.sweeps.cluster import ClusterPool

    return ClusterPool(work, cluster)


def answers(pool: SweepPool, items: Iterable[Any]) -> Iterator[SweepAnswer]:
    """Work on all items, numbered from 0, and give the answers as they come."""
    count = 0
    for number, item in enumerate(items):
        pool.submit(number, item)
        count += 1
    for _ in range(count):
        yield pool.wait()
