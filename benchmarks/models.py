"""How long ``ttmlir-opt`` takes for a transformer layer, how much memory, and how both grow: ``python benchmarks/models.py``.

Each size is a fresh process: CPU seconds of it, start included, the median of several rounds, and its greatest resident
size. A size counts the operations of TTIR, destinations (``tensor.empty``) included, as they stand in the file. The exponent is
the slope of log time less the start against log size; above 1.2 the growth is called superlinear. Ends with status 1 where
a figure is missed: 2,000 operations in 3 s and 200 MB, ten in 0.35 s, growth linear.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import sys
import tempfile
from pathlib import Path

_FOLDER = Path(__file__).parent
sys.path[:0] = [str(_FOLDER)]

from ttmlir_models import transformer

SIZES = (500, 1000, 2000, 4000)
SECONDS, MEGABYTES, START_SECONDS, SUPERLINEAR = 3.0, 200.0, 0.35, 1.2


def measure(path: Path) -> tuple[float, float]:
    """CPU seconds and resident megabytes of one process that compiles a file."""
    environment = {**os.environ, "PYTHONPATH": str(_FOLDER.parent / "src")}
    command = ["-m", "ttmlir.opt", "--ttir-to-ttnn-backend-pipeline", str(path), "-o", os.devnull]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pid = os.posix_spawn(sys.executable, [sys.executable, *command], environment)
    _, status, used = os.wait4(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, f"{path} does not compile"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used.ru_maxrss / 1024


def main() -> int:
    """Print a row for each size; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    seconds: dict[int, float] = {}
    megabytes: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for size in (10, *SIZES):
            paths[size] = Path(folder) / f"{size}.mlir"
            # Every operation has a destination in front of it.
            paths[size].write_text(transformer(size // 2, width=256), encoding="utf-8")
        measured: dict[int, list[tuple[float, float]]] = {size: [] for size in paths}
        for _ in range(rounds):
            for size, path in paths.items():
                measured[size].append(measure(path))
        for size in paths:
            seconds[size] = statistics.median(time for time, _ in measured[size])
            megabytes[size] = max(memory for _, memory in measured[size])
            print(f"{size:5} operations: {seconds[size]:5.2f} s, {megabytes[size]:4.0f} MB")
    start = seconds[10]
    x = [math.log(size) for size in SIZES]
    y = [math.log(max(seconds[size] - start, 1e-3)) for size in SIZES]
    slope = statistics.linear_regression(x, y)[0]
    print(f"exponent {slope:.2f}; start {start:.2f} s")
    missed = [
        text
        for holds, text in (
            (seconds[2000] <= SECONDS, f"2,000 operations take {seconds[2000]:.2f} s, not {SECONDS}"),
            (
                megabytes[2000] <= MEGABYTES,
                f"2,000 operations take {megabytes[2000]:.0f} MB, not {MEGABYTES:.0f}",
            ),
            (start <= START_SECONDS, f"ten operations take {start:.2f} s, not {START_SECONDS}"),
            (slope <= SUPERLINEAR, f"the time grows with exponent {slope:.2f}"),
        )
        if not holds
    ]
    print("\n".join(missed), end="\n" if missed else "")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
