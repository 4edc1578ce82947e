"""The machine's matrix products against oneDNN's (through torch), by instruction set: tiles, blocks and large matrices.

    python benchmarks/products.py [--rounds N]

One thread; CPU time. torch reads which instructions it may use (ONEDNN_MAX_CPU_ISA) when it starts: every level is a
process of its own, in which torch and all of our sets take turns. Ratios are medians of those of single rounds. The share
is that of what the processor reaches at most (``peak.py``).
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import ctypes
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "src")]

import numpy as np
import peak
import torch

import report

# As oneDNN names them; the first is whatever the processor has.
LEVELS = ("DEFAULT", "AVX512_CORE_BF16", "AVX512_CORE", "AVX2")
# As native/machine/isa.h numbers them.
SETS = ("plain", "avx2", "avx512", "avx512bf16", "amx", "neonbf16")
# Rows, columns, what is summed over, and how many such products a sample has, each with operands of its own.
PRODUCTS = (
    (32, 32, 32, 256),
    (32, 32, 1024, 32),
    (128, 128, 128, 16),
    (512, 512, 512, 1),
    (1024, 1024, 1024, 1),
)
FORMATS = {"bfloat16": (1, torch.bfloat16), "float32": (0, torch.float32)}


def library() -> Any:
    """The C entry points of ``native/machine/gemm_test.cpp``."""
    import ttl._machine

    loaded = ctypes.CDLL(ttl._machine.__file__)
    loaded.ttl_gemm_scratch_new.restype = ctypes.c_void_p
    loaded.ttl_gemm_scratch_reset.argtypes = [ctypes.c_void_p]
    loaded.ttl_gemm_chain.argtypes = [
        *[ctypes.c_int] * 3, *[ctypes.c_void_p] * 3, ctypes.c_int, *[ctypes.c_void_p] * 2,
        ctypes.c_longlong, ctypes.c_int, ctypes.c_void_p,
    ]  # fmt: skip
    return loaded


def ours(
    loaded: Any, lefts: list[torch.Tensor], rights: list[torch.Tensor], format: int
) -> Callable[[], None]:
    """All products one after another; what was packed for the last call is forgotten."""
    (m, k), n = lefts[0].shape, rights[0].shape[1]
    element = lefts[0].element_size()
    results = np.empty((len(lefts), m, n), np.float32)
    pairs = zip(lefts, rights, strict=True)
    operands = np.array([[a.data_ptr(), k * element, b.data_ptr(), n * element] for a, b in pairs], np.int64)
    targets = np.array([result.ctypes.data for result in results], np.int64)
    depth, kind = np.array([k], np.int32), np.array([format], np.int32)
    scratch = loaded.ttl_gemm_scratch_new()

    def run(_memory: object = results) -> None:  # which has to live as long as its addresses are used
        loaded.ttl_gemm_scratch_reset(scratch)
        loaded.ttl_gemm_chain(
            m, n, 1, depth.ctypes.data, kind.ctypes.data, kind.ctypes.data, len(lefts),
            operands.ctypes.data, targets.ctypes.data, 4 * n, 0, scratch,
        )  # fmt: skip

    run()
    for a, b, result in zip(lefts, rights, results, strict=True):
        exact = a.double() @ b.double()
        assert (torch.from_numpy(result).double() - exact).abs().max() <= 1e-3 * exact.abs().max()
    return run


def measure(rounds: int) -> list[dict[str, Any]]:
    """Every product in every format, in this process: milliseconds of torch and of our sets, per round."""
    torch.set_num_threads(1)
    loaded = library()
    sets = [name for isa, name in enumerate(SETS) if loaded.ttl_gemm_has(isa)]
    sets = sets[1:] or sets  # plain C++ only where there is nothing else
    rows = []
    for label, (format, dtype) in FORMATS.items():
        for m, n, k, count in PRODUCTS:
            lefts = [torch.randn(m, k).to(dtype) for _ in range(count)]
            rights = [torch.randn(k, n).to(dtype) for _ in range(count)]
            run = ours(loaded, lefts, rights, format)
            times: dict[str, list[float]] = {name: [] for name in ("torch", *sets)}
            for _ in range(rounds):
                start = time.thread_time()
                for a, b in zip(lefts, rights, strict=True):
                    a @ b
                times["torch"].append(time.thread_time() - start)
                for name in sets:
                    loaded.ttl_gemm_use(SETS.index(name))
                    start = time.thread_time()
                    run()
                    times[name].append(time.thread_time() - start)
            shown = f"{m}x{n}x{k}" + (f", {count} of them" if count > 1 else "")
            rows.append({"format": label, "product": shown, "flops": 2 * m * n * k * count, "seconds": times})
    return rows


def table(found: dict[str, list[dict[str, Any]]], peaks: dict[str, float]) -> str:
    """A row for each product: torch at each level, then our sets, as a multiple of torch at its best and a share of the peak."""
    lines = []
    for index, row in enumerate(found[LEVELS[0]]):
        most = peak.of_floats(peaks) if row["format"] == "float32" else peak.of_products(peaks)
        reference = row["seconds"]["torch"]
        cells = [row["format"], row["product"]]
        for level in LEVELS:
            seconds = statistics.median(found[level][index]["seconds"]["torch"])
            cells.append(f"{seconds * 1e3:.2f}")
        for name in [name for name in row["seconds"] if name != "torch"]:
            pairs = zip(row["seconds"][name], reference, strict=True)
            ratio = statistics.median(own / theirs for own, theirs in pairs)
            rate = row["flops"] / statistics.median(row["seconds"][name]) * 1e-9
            cells.append(f"{ratio:.2f}x" + (f" {rate / most:.0%}" if most else ""))
        lines.append(cells)
    own = [name for name in found[LEVELS[0]][0]["seconds"] if name != "torch"]
    head = ["", "product", *(f"torch {level}, ms" for level in LEVELS), *own]
    return report.aligned([head, *lines])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15, help="samples of each")
    parser.add_argument("--level", choices=LEVELS, help="one level in this process, as JSON")
    arguments = parser.parse_args()
    if arguments.level:
        print(json.dumps(measure(arguments.rounds)))
        return 0
    peaks = peak.measure()
    found = {}
    for level in LEVELS:
        command = [sys.executable, __file__, "--rounds", str(arguments.rounds), "--level", level]
        environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": level}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found[level] = json.loads(done.stdout)
    print(f"{report.processor()}; {peak.words(peaks)}")
    print(table(found, peaks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
