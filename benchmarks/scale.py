"""How time and memory grow with what a program has: nodes, blocks, transfers, statements of kernels, operations of models.

    python benchmarks/scale.py [--only nodes] [--rounds 3] [--docs]

Every point is a process of its own, in which the work is done once before it is timed: CPU time, the median of the rounds, of
launches that run their kernels; and how much more the process held at most than before, what it imports for it included. The exponent is the slope of log time against log number
over the upper half of a curve; above 1.2 it is called superlinear, which ends the run with status 1. With --docs the page of
curves in docs/reference/performance.md is written anew.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(_FOLDER), str(_FOLDER / "programs"), str(_FOLDER.parent / "src")]

import memory
import report

SUPERLINEAR = 1.2
PLOT = report.DOCS / "assets" / "scale.svg"
_NODES = {1: (1, 1, 1), 4: (1, 2, 2), 16: (1, 4, 4), 64: (1, 8, 8), 256: (4, 8, 8), 1024: (16, 8, 8)}
Work = Callable[[], object]


def _nodes(count: int) -> Work:
    import mesh_tile

    return _checked(mesh_tile.prepare(_NODES[count]))


def _blocks(count: int) -> Work:
    import eltwise

    return _checked(eltwise.prepare(rows=128 * count, cols=128, grid=(4, 4), block=1))


def _transfers(count: int) -> Work:
    import pipes

    return _checked(pipes.prepare(pattern="ring", grid=(4, 4), made="once", rounds=count // 16))


def _checked(program: Any) -> Work:
    assert program.error() < 0.01
    run: Work = program.run
    return run


def _check(count: int) -> Work:
    from ttl import settings
    from ttl.check.file import check_file

    path = _program(count)

    def check() -> None:
        assert not check_file(str(path), settings.current()).findings

    return check


def _compile(count: int) -> Work:
    from ttl import settings
    from ttl.codegen.compile import compile_module
    from ttl.frontend.file import lower_file

    module = lower_file(str(_program(count))).module
    return lambda: compile_module(module, settings.current())


def _program(statements: int) -> Path:
    import sources

    path = Path(tempfile.mkdtemp()) / "grown.py"
    path.write_text(sources.statements(statements), encoding="utf-8")
    return path


def _model(count: int) -> Work:
    import ttmlir_runtime
    from ttmlir_models import transformer

    text = transformer(count)
    return lambda: ttmlir_runtime.compiled(text)


def _run_model(count: int) -> Work:
    import ttmlir_runtime
    from ttmlir_models import transformer

    from tt_model.binaries.submission import prepared
    from tt_model.runtime.devices import SimulatedDevice
    from tt_model.runtime.executor import run_program
    from ttrt.common.programs import initialised, system_for

    binary = ttmlir_runtime.compiled(transformer(count, sequence=32, heads=2, width=64))
    program = prepared(binary, 0)
    inputs, device = initialised(program, "randn", 0), SimulatedDevice(system_for(binary, ""), [0])
    return lambda: run_program(device, program, inputs)


@dataclass(frozen=True, slots=True)
class Curve:
    """Work of growing size."""

    title: str
    unit: str
    prepare: Callable[[int], Work]
    sizes: tuple[int, ...]
    launches: bool = False


CURVES = {
    "nodes": Curve("launch, a tile on each node", "nodes", _nodes, tuple(_NODES)),
    "blocks": Curve("launch, 16 nodes", "blocks of a node", _blocks, (1, 4, 16, 64, 256, 1024)),
    "transfers": Curve("launch, a ring of 16 nodes", "transfers", _transfers, (16, 64, 256, 1024, 4096, 16384)),
    "check": Curve("ttl check, one kernel", "statements", _check, (8, 16, 32, 64, 128, 256)),
    "compile": Curve("ttl compile, one kernel", "statements", _compile, (8, 16, 32, 64, 128, 256)),
    "model": Curve("a model to a file", "operations of TTIR", _model, (10, 100, 1000, 3000, 10000)),
    "run model": Curve("a run of a model", "operations of TTIR", _run_model, (10, 100, 1000, 3000, 10000)),
}  # fmt: skip
LAUNCHES = ("nodes", "blocks", "transfers")


@dataclass(frozen=True, slots=True)
class Measured:
    """A curve with seconds and MiB at each size."""

    curve: Curve
    seconds: list[float]
    mebibytes: list[float]

    @property
    def slope(self) -> float:
        """The exponent of time over the upper half."""
        upper = len(self.seconds) // 2
        x = [math.log(size) for size in self.curve.sizes[upper:]]
        return statistics.linear_regression(x, [math.log(one) for one in self.seconds[upper:]])[0]

    @property
    def memory_slope(self) -> float:
        """That of memory between the last two sizes, of which the last takes 10 MiB or more; else 0."""
        (first, last), (before, after) = self.curve.sizes[-2:], self.mebibytes[-2:]
        return math.log(after / max(before, 1)) / math.log(last / first) if after >= 10 else 0.0


def point(name: str, size: int, rounds: int) -> dict[str, float]:
    """Seconds and MiB of one size, in this process."""
    import torch
    from ttl import settings
    from ttl.session.collector import patient_collector

    torch.set_num_threads(1)
    # The commands search for cycles of objects as seldom.
    collector = nullcontext() if name in LAUNCHES else patient_collector()
    with settings.override(arch="blackhole", threads=1, replay="off"), collector:
        before = memory.start() or 0.0
        work = CURVES[name].prepare(size)
        work()
        samples = []
        for _ in range(rounds):
            began = time.process_time()
            work()
            samples.append(time.process_time() - began)
        return {"seconds": statistics.median(samples), "mebibytes": max((memory.peak() or 0.0) - before, 0.0)}


def measured(name: str, rounds: int) -> Measured:
    """All sizes of a curve."""
    curve, points = CURVES[name], []
    for size in curve.sizes:
        command = [sys.executable, __file__, "--point", name, str(size), "--rounds", str(rounds)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{name}, {size}: {done.stderr.strip()[-500:]}")
        points.append(json.loads(done.stdout.splitlines()[-1]))
    return Measured(curve, [one["seconds"] for one in points], [one["mebibytes"] for one in points])


def plot(all_measured: list[Measured]) -> None:
    """Time and memory of all curves, both axes logarithmic; as SVG that is the same for the same figures."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "scale"
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        len(all_measured), 2, figsize=(8, 2.2 * len(all_measured)), layout="constrained"
    )
    for (left, right), one in zip(axes, all_measured):
        for axis, values, what in (
            (left, [1e3 * s for s in one.seconds], "ms"),
            (right, one.mebibytes, "MiB"),
        ):
            axis.plot(one.curve.sizes, [max(value, 0.01) for value in values], "o-", markersize=4)
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.set_xlabel(one.curve.unit, fontsize=8)
            axis.set_ylabel(what, fontsize=8)
        left.set_title(f"{one.curve.title}: exponent {one.slope:.2f}", fontsize=9)
    figure.savefig(PLOT, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def table(all_measured: list[Measured]) -> str:
    """A row for each curve."""
    rows = [
        "| what | of | sizes | ms | exponent | MiB |",
        "| --- | --- | --- | --- | ---: | --- |",
    ]
    for one in all_measured:
        exponent = f"**{one.slope:.2f}**" if one.slope > SUPERLINEAR else f"{one.slope:.2f}"
        times = ", ".join(f"{1e3 * s:.3g}" for s in one.seconds)
        held = ", ".join(f"{m:.0f}" for m in one.mebibytes)
        sizes = ", ".join(f"{size}" for size in one.curve.sizes)
        rows.append(f"| {one.curve.title} | {one.curve.unit} | {sizes} | {times} | {exponent} | {held} |")
    return "\n".join(rows)


def main() -> int:
    """Measure and print; 1 where something grows faster than it should."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], choices=list(CURVES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--point", nargs=2, metavar=("CURVE", "SIZE"), help="one point, as JSON")
    parser.add_argument("--docs", action="store_true")
    given = parser.parse_args()
    if given.point:
        print(json.dumps(point(given.point[0], int(given.point[1]), given.rounds)))
        return 0
    if given.docs and given.only:
        parser.error("--docs is of all curves")
    all_measured = [measured(name, given.rounds) for name in CURVES if not given.only or name in given.only]
    print(table(all_measured))
    if given.docs:
        plot(all_measured)
        picture = f"![time and memory of all curves]({os.path.relpath(PLOT, report.PAGE.parent)})"
        report.write_between(
            report.PAGE, "scale", f"{report.processor()}.\n\n{table(all_measured)}\n\n{picture}"
        )
    grown = [one for one in all_measured if max(one.slope, one.memory_slope) > SUPERLINEAR]
    return int(bool(grown))


if __name__ == "__main__":
    sys.exit(main())
