"""What compiling a model takes: 12 layers of GPT-2's width from PyTorch, the passes by themselves, text beside MLIR's own tool.

    python benchmarks/ttmlir_compile.py [--layers 12] [--operations 5000] [--docs]

CPU time, medians; what ``torch.export`` takes is told apart, since it is torch's. ``mlir-opt`` reads the same file as ``ttmlir-opt``,
with operations it does not know, so that it verifies less of them; of both, what a process takes for an empty module is
taken away. With --docs the tables of docs/reference/performance.md are written anew. Ends with status 1 where the model takes
more than is asked.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "src")]

import torch
from ttl.ir.context import make_context
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.forms import MLIRText
from ttl.ir.parser import parse_text
from ttl.session.collector import patient_collector
from ttmlir_models import transformer
from zoo.language import Decoder

from tt_model.operations.dialects import DIALECTS
from ttmlir.torch import compile as compile_torch
from ttmlir.torch import exporting
from ttmlir.transforms.pipelines import PIPELINES

import report

MOST_SECONDS = 2.0
SIZES = (10, 100, 1000, 10000)
ROUNDS = 5
_PIPELINE = "ttir-to-ttnn-backend-pipeline"


def model(layers: int) -> tuple[float, float]:
    """Seconds to compile a decoder of so many layers, and those of them that torch took to export it."""
    torch.manual_seed(0)
    decoder = Decoder(50257, 768, 12, 128, layers).eval()
    text = torch.randint(0, 50257, (1, 128))
    of_torch: list[float] = []
    export = exporting.exported

    def timed(*args: object) -> object:
        began = time.process_time()
        try:
            return export(*args)  # type: ignore[arg-type]
        finally:
            of_torch.append(time.process_time() - began)

    exporting.exported = timed  # type: ignore[assignment]
    whole = []
    for _ in range(ROUNDS + 1):
        began = time.process_time()
        compile_torch(decoder, text)
        whole.append(time.process_time() - began)
    exporting.exported = export
    # The first time torch imports what it exports with.
    return statistics.median(whole[1:]), statistics.median(of_torch[1:])


def passes(operations: int) -> tuple[float, float, Timing]:
    """Seconds to read a module of so many operations and to bring it to TTNN, and the wall-clock time of each pass."""
    text, context, timing = transformer(operations), make_context(DIALECTS), Timing()
    with patient_collector():
        began = time.process_time()
        module = parse_text(context, text, "model.mlir")
        read = time.process_time()
        driver = Driver({}, PIPELINES[_PIPELINE]().passes(), Options(), timing, print, MLIRText())
        driver.run_passes(context, module)
        return read - began, time.process_time() - read, timing


def process(command: Sequence[str], path: Path) -> float:
    """CPU seconds of a process that reads a file and writes it."""
    samples = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, str(path), "-o", os.devnull], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        samples.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(samples)


def tools(operations: int) -> list[list[str]]:
    """Rows: what each tool takes for the same file of so many operations."""
    ours = [sys.executable, "-m", "ttmlir.opt"]
    upstream = shutil.which("mlir-opt-19") or shutil.which("mlir-opt")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path, empty = Path(folder) / "model.mlir", Path(folder) / "empty.mlir"
        path.write_text(transformer(operations), encoding="utf-8")
        empty.write_text("module {\n}\n", encoding="utf-8")
        for label, flags in (("read, verify, print", ()), ("and canonicalise", ("--canonicalize",))):
            spent = [process([*ours, *flags], one) for one in (path, empty)]
            row = [label, f"{(spent[0] - spent[1]) * 1e6 / operations:.0f}"]
            if upstream is not None:
                spent = [
                    process([upstream, "--allow-unregistered-dialect", *flags], one) for one in (path, empty)
                ]
                row.append(f"{(spent[0] - spent[1]) * 1e6 / operations:.0f}")
            else:
                row.append("not installed")
            rows.append(row)
    return rows


def main() -> int:
    """Measure and print; 1 where it is too slow."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--operations", type=int, default=5000, help="of the module that both tools read")
    parser.add_argument("--docs", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    whole, exported = model(given.layers)
    passes(100)
    sizes = {size: passes(size) for size in SIZES}
    timing = sizes[max(SIZES)][2].seconds
    total = sum(timing.values())
    text = [
        f"{given.layers} layers of GPT-2's width, float32, from PyTorch to a file: {whole:.2f} s ({MOST_SECONDS:g} are asked for), of which "
        f"`torch.export` {exported:.2f} s and ours {whole - exported:.2f} s.",
        "",
        "| operations of TTIR | read, ms | passes, ms | passes, us an operation |",
        "| ---: | ---: | ---: | ---: |",
        *(
            f"| {size:,} | {read * 1e3:.0f} | {run * 1e3:.0f} | {run / size * 1e6:.0f} |"
            for size, (read, run, _) in sizes.items()
        ),
        "",
        f"| pass, {max(SIZES):,} operations | share of the time |",
        "| --- | ---: |",
        *(
            f"| {name} | {seconds / total:.0%} |"
            for name, seconds in sorted(timing.items(), key=lambda one: -one[1])
            if seconds >= 0.005 * total
        ),
        "",
        f"| {given.operations:,} operations as text | ttmlir-opt, us an operation | mlir-opt, us an operation |",
        "| --- | ---: | ---: |",
        *(f"| {' | '.join(row)} |" for row in tools(given.operations)),
    ]
    print("\n".join(text))
    if given.docs:
        report.write_between(report.PAGE, "compiling", f"{report.processor()}.\n\n" + "\n".join(text))
    return int(whole > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
