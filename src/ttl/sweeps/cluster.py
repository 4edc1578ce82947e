"""A pool on an existing Dask cluster.

A worker of the cluster keeps the processes of a sweep between items, one for each of its threads. If a worker is lost,
Dask gives its unanswered items to another one; its answers are here already.
"""

from __future__ import annotations

import re
import socket
import uuid
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any

from distributed import Client, Future, KilledWorker, WorkerPlugin, get_worker

from ttl.diag import Diagnostic, ProgramError, error
from ttl.sweeps.station import WorkerProcess
from ttl.sweeps.work import SweepAnswer, SweepWork, fingerprint, versions

# The seconds to find the scheduler, and for a cluster without workers to get one.
_PATIENCE = 20.0
_LOOK = 2.0


class ClusterPool:
    """A pool with as many processes as the workers of the cluster have threads."""

    def __init__(self, work: SweepWork, address: str) -> None:
        """Connect to the cluster. Raises ``ProgramError`` TTL0126 if no cluster answers at ``address``."""
        self._address = address
        _reach(address)
        try:
            self._client = Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError, RuntimeError, ImportError) as problem:
            raise ProgramError(no_cluster(address, str(problem))) from None
        self._name = f"ttl-sweep-{uuid.uuid4().hex}"
        self._futures: dict[int, Future[SweepAnswer]] = {}
        self._done: SimpleQueue[int] = SimpleQueue()
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            self._client.close()
            raise ProgramError(no_cluster(address, "it has no workers")) from None
        same = (versions(), tuple((path, fingerprint(path)) for path in work.files))
        self._client.register_plugin(WorkerProcessesPlugin(work, same), name=self._name)

    @property
    def size(self) -> int:
        """The number of threads of the workers at present."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, number: int, item: Any) -> None:
        """Submit an item; if its worker is lost, another one does it."""
        future = self._client.submit(
            _answered, self._name, number, item, key=f"{self._name}-{number}-{uuid.uuid4().hex}", pure=False
        )
        self._futures[number] = future
        future.add_done_callback(lambda done: self._done.put(number))

    def wait(self) -> SweepAnswer:
        """Return the next answer.

        Raises ``ProgramError`` TTL0126 if the cluster is gone, or has another installation.
        """
        idle = 0.0
        while True:
            try:
                number = self._done.get(timeout=_LOOK)
                break
            except Empty:
                idle = 0.0 if self._has_workers() else idle + _LOOK
                if idle >= _PATIENCE:
                    raise ProgramError(no_cluster(self._address, "it has no workers any more")) from None
        future = self._futures.pop(number)
        try:
            answer = future.result(timeout=_PATIENCE)
        except KilledWorker:
            why = "every worker of the cluster that tried it died"
            return SweepAnswer(number=number, loss="cluster", why=why)
        except Exception as problem:  # any error of Dask about a cluster that ends
            raise ProgramError(no_cluster(self._address, str(problem) or type(problem).__name__)) from None
        if answer.loss == "cluster":
            raise ProgramError(another_installation(self._address, answer.why))
        return answer

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.scheduler_info(n_workers=-1)["workers"])
        except Exception:  # it does not answer
            return False

    def close(self) -> None:
        """Cancel unfinished items, and end the processes of the sweep on all workers."""
        try:
            self._client.cancel(list(self._futures.values()), force=True)
            self._client.unregister_worker_plugin(self._name)
        except Exception:  # the cluster is gone, with its processes
            self._futures.clear()
        finally:
            self._client.close()

    def __enter__(self) -> ClusterPool:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class WorkerProcessesPlugin(WorkerPlugin):
    """The processes of one sweep on one worker of a cluster."""

    def __init__(self, work: SweepWork, same: tuple[str, tuple[tuple[str, str], ...]]) -> None:
        """``same`` are versions and file fingerprints that must be equal on this machine."""
        self._work = work
        self._same = same

    def setup(self, worker: object) -> None:
        """Set up the worker; no process is started before there is an item."""
        self._lock = Lock()
        self._idle: list[WorkerProcess] = []
        self._all: list[WorkerProcess] = []

    def teardown(self, worker: object) -> None:
        """End the processes, because the sweep, or the worker, ends."""
        for station in self._all:
            station.stop()
        for station in self._idle:
            station.close()

    def answered(self, number: int, item: Any) -> SweepAnswer:
        """Do the work for an item, in a free process or a new one."""
        problem = self._different()
        if problem:
            return SweepAnswer(number=number, loss="cluster", why=f"{socket.gethostname()} {problem}")
        with self._lock:
            if self._idle:
                station = self._idle.pop()
            else:
                station = WorkerProcess(self._work)
                self._all.append(station)
        try:
            return station.ask(number, item)
        finally:
            with self._lock:
                self._idle.append(station)

    def _different(self) -> str:
        """Return the first difference of this machine from the requesting one, in words; empty if they are the same."""
        wanted, files = self._same
        if versions() != wanted:
            return f"has {versions()}, and {wanted} asks"
        for path, contents in files:
            if fingerprint(path) != contents:
                return f"has another {path}, or none"
        return ""


def _reach(address: str) -> None:
    """Check that an address accepts connections, because Dask retries for its whole timeout. Raises ``ProgramError`` TTL0126."""
    match = re.fullmatch(r"(?:tcp://|tls://)?(\[[^]]+\]|[^:/]+):(\d+)/?", address)
    if match is None:
        if "://" in address:  # an address of another transport
            return
        raise ProgramError(no_cluster(address, "an address is like tcp://10.0.0.1:8786"))
    try:
        socket.create_connection((match[1].strip("[]"), int(match[2])), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ProgramError(no_cluster(address, reason.lower())) from None


def _answered(name: str, number: int, item: Any) -> SweepAnswer:
    """Run a task of the cluster in a worker and return its answer."""
    plugin = get_worker().plugins[name]
    assert isinstance(plugin, WorkerProcessesPlugin)
    return plugin.answered(number, item)


# --- the errors -----------------------------------------------------------------------------------------------


def no_cluster(address: str, why: str) -> Diagnostic:
    """Return the error that there is no cluster, or that it has ended (TTL0126)."""
    return error(
        "TTL0126",
        f"no Dask cluster works at {address}",
        notes=(why.strip().splitlines()[0],) if why.strip() else (),
        help="start one with 'dask scheduler' and, on each machine, 'dask worker ADDRESS --nthreads CORES'; or leave --cluster out",
    )


def another_installation(address: str, why: str) -> Diagnostic:
    """Return the error that a worker of the cluster would do different work from this machine (TTL0126)."""
    return error(
        "TTL0126",
        f"a worker of the Dask cluster at {address} does not have what this machine has",
        notes=(why,),
        help="install the same ttlang there, and give it the same files at the same paths: a shared folder, or a copy",
    )
