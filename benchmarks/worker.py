"""Measures one case in this process, so that its memory is its own: ``worker.py CASE``, CASE a JSON object.

Prints one line of JSON. Modes take turns round by round, so that a busy machine slows all of them alike:

    default   ours, kernels on every node, one thread
    first     ours, as an operation that is new to the process, one thread
    replay    ours, task tables replayed, one thread
    threads   ours, two threads         torch       eager bfloat16, one thread
    torch 2   eager bfloat16, two threads

Of every sample there are the CPU time of this thread and the wall-clock time, per launch. A mode that the package has
no setting for is left out, and so is replay when ``--stats`` does not say that operations were replayed.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import contextlib
import gc
import importlib
import io
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
sys.path[:0] = [str(_FOLDER), str(_FOLDER / "programs"), str(_FOLDER.parent / "src")]

import torch
import ttl
import ttnn
from ttl import settings
from ttl.session import switches

import launching
import memory

# A sample is of as many launches as take this long, so that a clock's grain and one interrupt do not matter.
_SAMPLE_SECONDS = 0.01
_MOST_LAUNCHES = 200

# Replay traces in the first one.
_FIRST_LAUNCHES = 2


@dataclass(kw_only=True)
class Mode:
    """One way to compute it."""

    name: str
    run: Callable[[], object]
    settings: dict[str, Any] = field(default_factory=dict)
    torch_threads: int = 1
    launches: int = 1
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Inside, its settings hold."""
        torch.set_num_threads(self.torch_threads)
        try:
            with settings.override(**self.settings):
                yield
        finally:
            torch.set_num_threads(1)

    def warm_up(self) -> None:
        """Run it, and find out how many launches a sample has."""
        with self.active():
            self.run()
            began = time.perf_counter()
            self.run()
            took = time.perf_counter() - began
        self.launches = min(max(math.ceil(_SAMPLE_SECONDS / took), 1), _MOST_LAUNCHES)

    def sample(self) -> None:
        """Take one."""
        with self.active():
            wall, cpu = time.perf_counter(), time.thread_time()
            for _ in range(self.launches):
                self.run()
            cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
        self.cpu.append(cpu * 1e3 / self.launches)
        self.wall.append(wall * 1e3 / self.launches)

    def to_object(self) -> dict[str, Any]:
        """As JSON holds it: medians and fastest, in milliseconds per launch."""
        return {
            "cpu_ms": statistics.median(self.cpu),
            "fastest_cpu_ms": min(self.cpu),
            "wall_ms": statistics.median(self.wall),
            "fastest_wall_ms": min(self.wall),
            "samples": len(self.cpu),
            "launches": self.launches,
        }


def measure(case: dict[str, Any], *, rounds: int, seconds: float) -> dict[str, Any]:
    """All about one case; rounds end early after so many seconds, but not before the third."""
    module = importlib.import_module(case["program"])
    own = {name: True for name in ("threads", "replay") if _has(name)}
    single: dict[str, Any] = {"threads": 1} if "threads" in own else {}

    # What a first launch loads into memory for good (code, libraries) is not memory of the case
    with settings.override(**single):
        module.prepare().error()
    program = module.prepare(**_tuples(case["parameters"]))

    modes = [
        Mode(
            name="default",
            run=program.run,
            settings={**single, **({"replay": "off"} if "replay" in own else {})},
        )
    ]
    peaks = _peaks(modes, program)
    refusals: list[str] = []
    if "replay" in own:
        replay = Mode(name="replay", run=program.run, settings={**single, "replay": "on"})
        replay_peaks = _peaks([replay], program)
        replayed, refusals = _replayed(replay)
        if replayed:
            modes.append(replay)
            peaks |= replay_peaks
    errors, same = _errors(modes, program)
    memory.keep_what_is_freed()

    if "threads" in own:
        modes.append(
            Mode(
                name="threads",
                run=program.run,
                settings={"threads": 2, **({"replay": "off"} if "replay" in own else {})},
            )
        )
    modes.insert(1, Mode(name="torch", run=program.in_torch))
    modes.insert(1, Mode(name="first", run=_first(program), settings=single))
    modes.append(Mode(name="torch 2", run=program.in_torch, torch_threads=2))
    for mode in modes:
        mode.warm_up()
    until = time.perf_counter() + seconds
    for number in range(rounds):
        if number >= 3 and time.perf_counter() > until:
            break
        for mode in modes:
            mode.sample()
    return {
        "modes": {mode.name: mode.to_object() for mode in modes},
        "peak_mib": peaks,
        "error": errors,
        "correct": max(errors.values()) <= launching.TOLERANCE,
        "same": same,
        "not_replayed": refusals,
    }


def _first(program: Any) -> Callable[[], object]:
    """A launch of operations of which nothing is recorded."""
    from ttl.lang.operation import Operation

    operations = [found for found in gc.get_objects() if type(found) is Operation]

    def run() -> object:
        for operation in operations:
            operation.kept = None
        return program.run()

    return run


def _replayed(mode: Mode) -> tuple[bool, list[str]]:
    """Whether a launch that was traced before is replayed now, and what ``--stats`` says of those that are not."""
    said = io.StringIO()
    with mode.active(), settings.override(stats=True), contextlib.redirect_stderr(said):
        mode.run()
    lines = [line.strip() for line in said.getvalue().splitlines()]
    refusals = [line for line in lines if "not replayed" in line or "traced:" in line]
    replayed = any("replayed" in line and line not in refusals for line in lines)
    return replayed, sorted(set(refusals))


def _peaks(modes: list[Mode], program: Any) -> dict[str, float | None]:
    """The most MiB held during the first launches, beyond what was held before: the tensors, result included."""
    program.renew()
    held = memory.start()
    peaks = {}
    for mode in modes:
        with mode.active():
            for _ in range(_FIRST_LAUNCHES):
                program.run()
        peaks[mode.name] = _difference(memory.peak(), held)
        memory.start()
    return peaks


def _errors(modes: list[Mode], program: Any) -> tuple[dict[str, float], bool]:
    """The error of every mode, and whether all gave the same to the bit."""
    expected = program.expected().float()
    results = []
    for mode in modes:
        program.renew()
        with mode.active():
            results.append(ttnn.to_torch(program.run()).clone())
    errors = {mode.name: launching.relative_error(result, expected) for mode, result in zip(modes, results)}
    return errors, all(torch.equal(results[0], result) for result in results)


def _has(name: str) -> bool:
    try:
        switches.setting(name)
    except KeyError:
        return False
    return True


def _difference(peak: float | None, held: float | None) -> float | None:
    return None if peak is None or held is None else peak - held


def _tuples(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in parameters.items()}


def main() -> int:
    wanted = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    found = measure(wanted["case"], rounds=wanted["rounds"], seconds=wanted["seconds"])
    print(json.dumps({"ttl": ttl.__version__, **found}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
