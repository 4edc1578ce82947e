"""Unordered accesses to tensors, on which the result depends."""

from __future__ import annotations

from ttl.diag import Diagnostic, error
from ttl.rows.types import Layout


def result_differs(
    operation: str, tensor: str, different: int, elements: int, first: tuple[int, ...], seed: int
) -> Diagnostic:
    """The error for a result that differs under another schedule (TTL1101).

    ``different`` of ``elements`` elements differ; ``first`` is the first of them.
    """
    return error(
        "TTL1101",
        f"the result of operation {operation} depends on the schedule",
        notes=(
            f"tensor {tensor} differs in {different} of {elements} elements, first at {first}",
            f"reproduce this schedule with --schedule-seed {seed}",
        ),
        help="synchronise the kernels that share the tensor or the semaphore: otherwise it is read or written too early",
    )


def read_and_written(operation: str, tensor: str, read: str, written: str, layout: Layout) -> Diagnostic:
    """The error for two overlapping parts of a tensor, in brackets, whose accesses are not ordered (TTL1101)."""
    return error(
        "TTL1101",
        f"the result of operation {operation} depends on the schedule: {tensor} is read and written in no defined order",
        notes=(
            f"{' and '.join(dict.fromkeys((read, written)))} ({layout.unit}s) of {tensor}: neither of the two"
            " kernels waits for the other",
        ),
        help="let the reader wait for a semaphore that the writer increments when the data is in memory, or send the block through a pipe",
    )
