"""The schedules that may speed up an operation: the steps that a tuner tries, found in the operation."""

from __future__ import annotations

from contextlib import suppress

from ttl.dialects.structure import OperationOp
from ttl.ir.refusals import Refused
from ttl.passes.scheduling.buffer_factor import blocks_through, buffers_of
from ttl.passes.scheduling.prefetch import filling_loops, require_movable
from ttl.passes.scheduling.split_k import require_splittable

# The numbers of parts of the inner dimension of products.
_PARTS = (2, 4)
# The numbers of iterations that are started together, and the factors by which a buffer gets more blocks.
_TURNS = (2, 4, 8)
_TIMES = (2, 3)


def steps_for(operation: OperationOp) -> list[str]:
    """Return the steps that can be applied to an operation, in the syntax of chains; some may not fit in L1."""
    steps = ['pipeline("auto")', 'pipeline("aggressive")']
    for parts in _PARTS:
        with suppress(Refused):
            require_splittable(operation, parts)
            steps.append(f"split_k({parts})")
    loops = set()
    for name, dfb in buffers_of(operation).items():
        passing, there = blocks_through(dfb), dfb.result.type.block_count
        if passing is None or passing > there:
            steps += [f'buffer("{name}", {there * times})' for times in _TIMES]
        for turns in _TURNS:
            with suppress(Refused):
                around = filling_loops(dfb)
                for loop in around:
                    require_movable(loop, turns)
                # Buffers that one loop fills are prefetched together.
                if (turns, *around) not in loops:
                    loops.add((turns, *around))
                    steps.append(f'prefetch("{name}", {turns})')
    return steps
