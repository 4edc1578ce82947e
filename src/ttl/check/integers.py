"""Integers of a node that may need more than 64 bits (TTL1317): on the chip their values would differ from Python's.

Integers are compiled to 32 bits if that suffices, else to 64; ``ttl.analysis.ranges`` decides which.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import inside, of_kinds
from ttl.analysis.fixed_point import LOOPS
from ttl.analysis.intervals import LONG, Interval
from ttl.analysis.ranges import RULES, Ranges
from ttl.analysis.scalars import dim_extent, known_numbers
from ttl.check.context import CheckContext, placed
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.rules.python import too_wide


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Find the first such integer of each kernel, if the shapes of all tensors are known."""
    return too_wide_in(operation, context.grid)


def too_wide_in(operation: dialect.OperationOp, grid: tuple[int, ...]) -> list[Diagnostic]:
    """Return the findings about integers that are too wide, for the compiler, which then stops."""
    dims = of_kinds(operation, dialect.DimOp)
    if any(dim_extent(op) is None for op in dims):
        return []
    ranges = Ranges(operation.body, known_numbers(grid))
    return [finding for kernel in operation.kernels for finding in _first(kernel, ranges)]


def _first(kernel: dialect.UserKernelOp, ranges: Ranges) -> Iterator[Diagnostic]:
    wide = [
        (op, result)
        for op in inside(kernel)
        for result in op.results
        if isinstance(result.type, IndexType) and result.uses and not ranges.of(result).fits(LONG)
    ]
    if not wide:
        return
    # The operation that computes the number, not those that select it or pass it on.
    op, result = next(((op, result) for op, result in wide if type(op) in RULES), wide[0])
    finding = too_wide(_shown(ranges.of(result)), [_shown(ranges.of(value)) for value in _numbers(op)])
    finding = placed(finding, op)
    loop = _grows_in(op, ranges)
    if loop is not None and (place := span_of(loop)) is not None:
        finding = finding.also(place, "it grows in the iterations of this loop")
    yield finding.noting(f"in kernel {kernel.kernel_name}")


def _grows_in(op: Operation, ranges: Ranges) -> Operation | None:
    """Return the innermost loop around an operation that carries an integer of more than 64 bits."""
    around = op.parent_op()
    while around is not None and not isinstance(around, dialect.UserKernelOp):
        carried = (
            [argument for region in around.regions for argument in region.block.args]
            if isinstance(around, LOOPS)
            else []
        )
        if any(isinstance(value.type, IndexType) and not ranges.of(value).fits(LONG) for value in carried):
            return around
        around = around.parent_op()
    return None


def _numbers(op: Operation) -> list[SSAValue]:
    if type(op) not in RULES:
        return []
    return [value for value in op.operands if integer_of(value) is None]


def _shown(interval: Interval) -> str:
    low, high = (None if bound is None else _number(bound) for bound in interval)
    if low is not None and low == high:
        return low
    if low is None or high is None:
        return "of any size" if low == high else f"{low} or more" if high is None else f"{high} or less"
    return f"from {low} to {high}"


def _number(number: int) -> str:
    """Format a number, as a power of two if it has many digits."""
    if number.bit_length() <= 40:
        return f"{number:,}"
    size = abs(number)
    power = f"2**{size.bit_length() - 1}"
    exact = size == 1 << (size.bit_length() - 1)
    return (
        f"{'-' if number < 0 else ''}{power}" if exact else f"{'about -' if number < 0 else 'about '}{power}"
    )
