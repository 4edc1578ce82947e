"""Measuring: what a benchmark is, and the medians of interleaved runs of many.

Import this first: it sets the number of threads before NumPy and torch read it.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import gc  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import tracemalloc  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from dataclasses import asdict, dataclass, field  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

ROOT = Path(__file__).parent.parent
Clock = Callable[[], float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """Inputs made, ready to run. ``check`` raises when the result of ``run`` is wrong."""

    run: Callable[[], object]
    torch: Callable[[], object]
    check: Callable[[], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Benchmark:
    """One program with its parameters (grid, block shape, size ...), which a growth curve varies.

    ``target_ms`` is what the project asked for (issue 2, "Figures"); None where it asked for nothing.
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    prepare: Callable[[], Prepared]
    target_ms: float | None = None

    @property
    def label(self) -> str:
        """Name and parameters on one line."""
        values = (f"{name} {_short(value)}" for name, value in self.parameters.items())
        return f"{self.name}, {', '.join(values)}" if self.parameters else self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """What was measured. Times are CPU time of the thread, in milliseconds: median and fastest."""

    name: str
    label: str
    parameters: dict[str, Any]
    ms: float
    fastest_ms: float
    torch_ms: float | None
    target_ms: float | None
    peak_mib: float | None
    runs: int

    @property
    def ratio(self) -> float | None:
        """How many times as long as torch it takes."""
        return None if not self.torch_ms else self.ms / self.torch_ms

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        return None if self.target_ms is None else self.ms <= self.target_ms

    def to_object(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


def measure(
    benchmarks: Sequence[Benchmark],
    *,
    rounds: int,
    clock: Clock = time.thread_time,
    progress: Callable[[str], None] = lambda text: None,
) -> list[Figure]:
    """Run every benchmark once per round, torch right after it, so that noise meets all of them alike.

    The first run of each is not counted; it is the one that is checked, and whose memory is measured.
    """
    prepared, peaks = [], []
    for benchmark in benchmarks:
        progress(f"check {benchmark.label}")
        ready = benchmark.prepare()
        peaks.append(peak_mib(ready.run))
        ready.check()
        ready.torch()
        prepared.append(ready)
    ours: list[list[float]] = [[] for _ in benchmarks]
    theirs: list[list[float]] = [[] for _ in benchmarks]
    for number in range(rounds):
        progress(f"round {number + 1} of {rounds}")
        for index, ready in enumerate(prepared):
            ours[index].append(_timed(ready.run, clock))
            theirs[index].append(_timed(ready.torch, clock))
    return [
        Figure(
            name=benchmark.name,
            label=benchmark.label,
            parameters=benchmark.parameters,
            ms=statistics.median(ours[index]),
            fastest_ms=min(ours[index]),
            torch_ms=statistics.median(theirs[index]),
            target_ms=benchmark.target_ms,
            peak_mib=peaks[index],
            runs=rounds,
        )
        for index, benchmark in enumerate(benchmarks)
    ]


def import_time(*, rounds: int, target_ms: float = 200.0) -> Figure:
    """CPU time of ``import ttl`` in fresh interpreters. Raises ``RuntimeError`` if that imports torch."""
    program = (
        "import sys, time; t = time.process_time(); import ttl; t = time.process_time() - t;"
        "print(t * 1e3, 'torch' in sys.modules)"
    )
    times = []
    for _ in range(rounds):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        taken, with_torch = done.stdout.split()
        if with_torch == "True":
            raise RuntimeError("import ttl imports torch")
        times.append(float(taken))
    return Figure(
        name="import ttl",
        label="import ttl, fresh interpreter, without torch",
        parameters={},
        ms=statistics.median(times),
        fastest_ms=min(times),
        torch_ms=None,
        target_ms=target_ms,
        peak_mib=None,
        runs=rounds,
    )


def peak_mib(run: Callable[[], object]) -> float:
    """Memory of Python and NumPy that ``run`` holds at its highest, beyond what was there before, in MiB."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        run()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (peak - before) / 2**20


def _timed(run: Callable[[], object], clock: Clock) -> float:
    began = clock()
    run()
    return (clock() - began) * 1e3


def _short(value: object) -> str:
    return "x".join(str(each) for each in value) if isinstance(value, tuple) else str(value)
