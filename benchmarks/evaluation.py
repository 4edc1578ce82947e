"""One evaluation of the tuner: a configuration checked, compiled, run on the emulated chip and compared, in CPU seconds.

    python benchmarks/evaluation.py

Matmul 512 on 64 nodes (tests/tuning/programs/matmul.py), in a process that is warm, in a cache that is empty at first: the
process and its children, the median of the configurations after the first six. Of some of them kernels are compiled; most differ
from kernels before only in numbers. ``as they are`` compiles every kernel with its numbers.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import contextlib
import resource
import runpy
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT / "src")]

from ttl.host import importer

importer.install()

from ttl import settings
from ttl.emu import compiler
from ttl.lang.operation import OBSERVER, Operation
from ttl.tuner.trial import Bench
from ttl.tuning.space import configurations

_PROGRAM = _ROOT / "tests" / "tuning" / "programs" / "matmul.py"
_WARM, _MEASURED = 6, 18


def _cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


class _Done(Exception):
    pass


def measured() -> list[tuple[float, float]]:
    """Of every evaluation after the first ones, CPU seconds of the process and of its children."""
    times: list[tuple[float, float]] = []

    def observe(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        bound = operation.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        assert operation.tunable is not None
        candidates = list(configurations(operation.tunable, "wormhole"))[: _WARM + _MEASURED]
        with OBSERVER.given(None):
            bench = Bench(operation, bound.arguments, candidates[0])
            for number, configuration in enumerate(candidates):
                own, others = _cpu(resource.RUSAGE_SELF), _cpu(resource.RUSAGE_CHILDREN)
                bench.screened(number, configuration)
                trial = bench.trial(number, configuration)
                assert trial.verdict == "measured", trial
                times.append((_cpu(resource.RUSAGE_SELF) - own, _cpu(resource.RUSAGE_CHILDREN) - others))
        raise _Done

    with OBSERVER.given(observe), contextlib.suppress(_Done):
        runpy.run_path(str(_PROGRAM))
    return times[_WARM:]


def _show(label: str, times: list[tuple[float, float]]) -> float:
    total = statistics.median(own + others for own, others in times)
    compiled = [own + others for own, others in times if others > 0.01]
    cold = (
        f", {statistics.median(compiled):.3f} s where kernels are compiled ({len(compiled)})"
        if compiled
        else ""
    )
    print(f"{label}: median {total:.3f} s of {len(times)} evaluations{cold}")
    return total


def main() -> None:
    """Print both."""
    with tempfile.TemporaryDirectory() as folder, settings.override(cache_dir=folder):
        now = _show("numbers apart", measured())
        with mock.patch.object(compiler, "apart", lambda source: (source, ())):
            before = _show("as they are", measured())
    print(f"ratio: {now / before:.2f}")


if __name__ == "__main__":
    main()
