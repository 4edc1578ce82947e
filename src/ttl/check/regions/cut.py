"""Blocks of float32 that a product of matrices reads, and something else in the same kernel: it gets as few bits of them.

The chip unpacks a circular buffer in one way: straight to the registers with all bits, or to the matrix unit, as TF32. Sources:
the facts about source registers that ``docs/reference/differences.md`` quotes.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import inside
from ttl.check.regions.places import placed
from ttl.diag import Diagnostic, warning
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.ops.dtypes import FLOAT32

_ALL_BITS, _TF32_BITS = 24, 11


def check(kernel: dialect.KernelOp) -> Iterator[Diagnostic]:
    """The first other use of each such buffer (TTL0824)."""
    products: dict[SSAValue, Operation] = {}
    others: dict[SSAValue, Operation] = {}
    for op in inside(kernel):
        if (
            not isinstance(op, dialect.BlockReadOp)
            or dialect.block_type_of(op.result.type).dtype is not FLOAT32
        ):
            continue
        dfb = dialect.dfb_of(op.block)
        if dfb is None:
            continue
        for user, is_product in _users(op.result):
            (products if is_product else others).setdefault(dfb, user)
    for dfb, other in others.items():
        if dfb in products:
            yield placed(_finding(dfb), other).also(span_of(products[dfb]), "the product is here")


def _users(value: SSAValue) -> Iterator[tuple[Operation, bool]]:
    """What computes with a value or stores it, and whether that is a product of matrices."""
    for use in value.uses:
        op = use.operation
        # Looked at in another way, it is not computed where a product reads it.
        if isinstance(op, dialect.BlockComputeOp) and op.row.family in ("reshape", "transpose"):
            yield from _users(op.result)
        elif isinstance(op, dialect.BlockComputeOp):
            yield op, op.row.family == "product"
        elif isinstance(op, dialect.BlockStoreOp | dialect.BlockAccumulateOp):
            yield op, False


def _finding(dfb: SSAValue) -> Diagnostic:
    made = dfb.owner
    name = made.buffer_name.data if isinstance(made, dialect.CreateDfbOp) else "the buffer"
    return warning(
        "TTL0824",
        f"float32 of {name} keeps {_TF32_BITS} of its {_ALL_BITS} bits here on the chip, because a product of matrices reads {name}, too",
        notes=(
            "a circular buffer is unpacked in one way: for the matrix unit as TF32, a relative error of up to 2^-10, or with all bits",
        ),
        help=f"let the data movement kernel copy what is used here into a second dataflow buffer, beside {name}",
    )
