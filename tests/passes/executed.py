"""Compares what a compute kernel says with what the calls that the compiler makes of it do.

Run as a script with the first and the last seed, it tries many: ``python tests/passes/executed.py 0 5000``.
"""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.ir_execution import Outcome, block_results, kernel_results, lowered, operation_of, types_of
from support.random_programs.kernels import Case, make
from ttl.dialects.ttkernel import ProgramOp
from ttl.ir.failure import NotLowered
from ttl.rows.comparison import within
from ttl.rows.dtypes import FLOAT32, Array

# Sums of inexact values in another order, in float32.
_RELATIVE = 2.0**-12
# What is left where the same functions compute in float32 in another order.
_FLOAT32 = 2.0**-18
# Whole numbers up to this are exact in bfloat16, which registers of 16 bits and compiler-made buffers hold.
_BFLOAT16_WHOLE = 128
# What reads float32 through the source registers, which keep ten bits of the mantissa.
_THROUGH_SOURCES = frozenset(
    f"{name}_tiles{how}"
    for name in ("add", "sub", "mul")
    for how in ("", "_bcast_rows", "_bcast_cols", "_bcast_scalar")
) | {
    "binary_dest_reuse_tiles",
    "matmul_block",
    "reduce_tile",
    "row_sum_tile",
    "transpose_tile",
    "unary_bcast",
}


def check(case: Case) -> None:
    """Compile a kernel and run it; raises AssertionError where it computes something else."""
    types = types_of(operation_of(case.module))
    exactly = case.bound is not None
    is_float32 = all(block.dtype is FLOAT32 for block in types.values())
    wanted = block_results(case.module, case.inputs, rounds=False)
    # Numbers of which every bit counts.
    thirds = {name: [each / np.float32(3) for each in blocks] for name, blocks in case.inputs.items()}
    of_thirds = block_results(case.module, thirds, rounds=False) if is_float32 else wanted
    program = lowered(case.module)
    compare(wanted, kernel_results(program, types, case.inputs, rounds=False).blocks, exactly=exactly)
    if case.bound is not None and case.bound <= _BFLOAT16_WHOLE:
        compare(wanted, kernel_results(program, types, case.inputs).blocks, exactly=True)
    if is_float32 and _is_wide(program):
        found = kernel_results(program, types, thirds)
        if not _THROUGH_SOURCES & found.calls.keys():
            compare(of_thirds, found.blocks, exactly=False, relative=_FLOAT32)


def _is_wide(program: ProgramOp) -> bool:
    return any(each.config.get("fp32_dest_acc_en") for each in program.kernels if each.thread == "tensix")


def compare(
    wanted: Outcome, found: Mapping[str, Sequence[Array]], *, exactly: bool, relative: float = _RELATIVE
) -> None:
    """Every block that is handed over, in every element that is defined."""
    for name, blocks in wanted.blocks.items():
        assert len(found[name]) == len(blocks), f"{name}: {len(found[name])} blocks, not {len(blocks)}"
        for number, (block, mine, defined) in enumerate(
            zip(blocks, found[name], wanted.defined[name], strict=True)
        ):
            finite = np.abs(block[defined & np.isfinite(block)])
            limit = 0.0 if exactly else relative * max(1.0, float(finite.max(initial=0)))
            wrong = defined & ~within(mine, block, 0.0, limit)
            if wrong.any():
                where = tuple(int(each[0]) for each in np.nonzero(wrong))
                raise AssertionError(
                    f"{name}, block {number}: {int(wrong.sum())} elements differ, first at {where}: "
                    f"{mine[where]}, not {block[where]}"
                )


def main() -> None:
    """Try the seeds of a range."""
    counts: Counter[str] = Counter()
    for seed in range(*map(int, sys.argv[1:3])):
        try:
            check(make(seed))
            counts["right"] += 1
        except NotLowered as refusal:
            counts[", ".join(sorted({each.code for each in refusal.diagnostics}))] += 1
        except Exception:
            counts["wrong"] += 1
            print(seed, traceback.format_exc(limit=-1))
    print(dict(counts))


if __name__ == "__main__":
    main()
