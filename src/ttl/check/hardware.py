"""Differences between the simulator and the chip: warnings for code that the chip cannot execute as written.

Sources are the facts about the chip that ``ttl.arch`` and the rows of ``ttl.rows`` quote. An expression with more tiles
than the destination registers hold is not a finding: the compiler splits it, and no operation needs more operands there
than they hold in any mode (at most 3 of at least 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation, OpResult, SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots
from ttl.check.context import CheckContext, placed, where
from ttl.check.regions import extents_of, values_of
from ttl.diag import Diagnostic, warning
from ttl.diag.remedies import Wrap
from ttl.diag.words import counted
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import enclosing_kernel
from ttl.ir.locations import span_of
from ttl.rows.dtypes import FLOAT32
from ttl.rows.rules import elementwise_valid
from ttl.rows.types import Layout

# The fewest semaphores for all nets of an operation. The others can be words of L1: every node initialises them before
# the first message, and two semaphores signal that all have done so (``passes/pipes/words.py``).
_SEMAPHORES_OF_NETS = 2

# The bytes that the processor of a data movement kernel shifts at a time.
_WORD = 4


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Findings TTL0820 to TTL0824."""
    slots = Slots(context.grid)
    findings = list(_semaphores(operation, context))
    for kernel in operation.kernels:
        findings += _cut(kernel)
        lanes_of = Lanes()
        for op in of_kinds(kernel, dialect.CopyOp, dialect.BlockComputeOp):
            match op:
                case dialect.CopyOp():
                    findings += _alignment(op, slots, context)
                case dialect.BlockComputeOp():
                    findings += _integers(op)
                    findings += _undefined_lanes(op, lanes_of)
    return findings


def _semaphores(operation: dialect.OperationOp, context: CheckContext) -> Iterator[Diagnostic]:
    """Report an operation whose semaphores, with the fewest that its pipes need, exceed a node's (TTL0820)."""
    own = of_kinds(operation, dialect.CreateSemaphoreOp)
    nets = list(dict.fromkeys(op.net for op in of_kinds(operation, dialect.IfPipeOp)))
    limit = context.chip.semaphores
    needed = len(own) + _SEMAPHORES_OF_NETS
    if not nets or len(own) > limit or needed <= limit:
        return
    finding = warning(
        "TTL0820",
        f"{needed} semaphores with those that pipes are made of, and a node of {context.chip.name} has {limit}",
        notes=(
            f"{len(own)} of the program, and at least {_SEMAPHORES_OF_NETS} for all its pipe nets together",
        ),
        help="reuse semaphores: count up and wait_ge",
    )
    last = nets[-1].owner
    yield placed(finding, last) if isinstance(last, dialect.CreatePipeNetOp) else finding


def _alignment(copy: dialect.CopyOp, slots: Slots, context: CheckContext) -> Iterator[Diagnostic]:
    """Find rows of a row-major slice that begin where the network cannot begin a transfer (TTL0821)."""
    end = copy.src if isinstance(copy.src.type, dialect.SliceType) else copy.dst
    part = end.owner
    if not isinstance(part, dialect.TensorSliceOp):
        return
    type_ = part.accessor.type
    assert isinstance(type_, dialect.AccessorType)
    if extents_of(type_)[1] is not Layout.ROW_MAJOR:
        return
    encoding = type_.encoding
    if encoding.layout.memory_layout is not dialect.MemoryLayout.INTERLEAVED:
        return
    reads = end is copy.src
    chip = context.chip
    if encoding.memory_space is not dialect.MemoryKind.DRAM:
        alignment, memory = chip.l1_alignment, "L1"
    else:
        alignment, memory = chip.dram_read_alignment if reads else chip.dram_write_alignment, "DRAM"
    at = points(copy, of=values_of(part), slots=slots)
    start = None if at is None else at.value(part.offsets[-1])
    if at is None or start is None:
        return
    size = type_.dtype.element_bytes
    block = copy.dst.type
    if reads and isinstance(block, dialect.BlockMemoryType) and block.shape[-1] * size % _WORD == 0:
        return  # the compiler reads from the preceding aligned address, and shifts (passes/movement/shifted.py)
    bad = np.flatnonzero(np.asarray(start) * size % alignment)
    if not len(bad):
        return
    point = int(bad[0])
    kernel = enclosing_kernel(copy)
    assert kernel is not None
    offset = int(start[point])
    finding = warning(
        "TTL0821",
        f"row-major slice begins {offset * size} bytes into its rows, which is not a multiple of {alignment}",
        notes=(
            f"{chip.title} {'reads from' if reads else 'writes to'} {memory} at multiples of {alignment} bytes, here {counted(alignment // size, 'element')} of {type_.dtype.name}",
            f"in {where(kernel, int(at.nodes[point]), context.grid)}",
        ),
        help=f"let slices begin at multiples of {alignment // size} in the last dimension, or copy whole rows",
    )
    yield placed(finding, part)


def _integers(op: dialect.BlockComputeOp) -> Iterator[Diagnostic]:
    """Find reductions of integers that neither the matrix unit (floats only) nor the vector unit computes (TTL0822)."""
    row = op.row
    calls = row.hardware.get("0.81", ())
    type_ = dialect.block_type_of(op.result.type)
    if type_.dtype.is_float or row.undefined is None or any(type_.dtype in call.dtypes for call in calls):
        return
    finding = warning(
        "TTL0822",
        f"{row.label} of {type_.dtype.name} blocks: the chip does not reduce their rows and columns",
        notes=("the matrix unit reduces floats, and the vector unit adds up int32 and uint32",),
        help="convert the block first: ttl.math.typecast(x, ttnn.float32), whose sums and maxima keep 24 bits",
    ).remedied_by(Wrap(template="ttl.math.typecast({}, ttnn.float32)", operand=0))
    yield placed(finding, op)


def _undefined_lanes(op: dialect.BlockComputeOp, known: Lanes) -> Iterator[Diagnostic]:
    """Find a reduced value combined with the data it is reduced from, without a broadcast between (TTL0823)."""
    clash = known.visit(op)
    if clash is None:
        return
    shape = dialect.block_type_of(op.result.type).shape
    finding = warning(
        "TTL0823",
        f"{op.row.label}: one operand is a reduction, with its results in {clash.where} of each tile, and the other is the operand of the reduction",
        notes=("the other elements of a reduced tile are undefined",),
        help=f"broadcast it first: ttl.block.broadcast(reduced, dims={list(clash.dims)}, shape={shape})",
    ).remedied_by(
        Wrap(
            template=f"ttl.block.broadcast({{}}, dims={list(clash.dims)}, shape={shape})",
            operand=clash.operand,
        )
    )
    yield placed(finding, op).also(span_of(clash.reduction), "reduced here")


# --- float32 in matrix products --------------------------------------------------------------------------------


_ALL_BITS, _TF32_BITS = 24, 11


def _cut(kernel: dialect.UserKernelOp) -> Iterator[Diagnostic]:
    """Yield a finding for each float32 buffer that a product and another operation read, at the latter (TTL0824)."""
    products: dict[SSAValue, Operation] = {}
    others: dict[SSAValue, Operation] = {}
    for op in of_kinds(kernel, dialect.BlockReadOp):
        if dialect.block_type_of(op.result.type).dtype is not FLOAT32:
            continue
        dfb = dialect.dfb_of(op.block)
        if dfb is None:
            continue
        for user, is_product in _users(op.result):
            (products if is_product else others).setdefault(dfb, user)
    for dfb, other in others.items():
        if dfb in products:
            yield placed(_cut_finding(dfb), other).also(span_of(products[dfb]), "the product is here")


def _users(value: SSAValue) -> Iterator[tuple[Operation, bool]]:
    """Yield the operations that compute with a value or store it, each with whether it is a product of matrices."""
    for use in value.uses:
        op = use.operation
        # A product may read a view, which is not a computed value.
        if isinstance(op, dialect.BlockComputeOp) and op.row.family in ("reshape", "transposition"):
            yield from _users(op.result)
        elif isinstance(op, dialect.BlockComputeOp):
            yield op, op.row.family == "product"
        elif isinstance(op, dialect.BlockStoreOp | dialect.BlockAccumulateOp):
            yield op, False


def _cut_finding(dfb: SSAValue) -> Diagnostic:
    owner = dfb.owner
    name = owner.buffer_name.data if isinstance(owner, dialect.CreateDfbOp) else "the buffer"
    return warning(
        "TTL0824",
        f"float32 of {name} keeps {_TF32_BITS} of its {_ALL_BITS} bits here on the chip, because a product of matrices reads {name}, too",
        notes=(
            "a circular buffer is unpacked in one way: for the matrix unit as TF32, a relative error of up to 2^-10, or with all bits",
        ),
        help=f"let the data movement kernel copy the data for this use into a second dataflow buffer, beside {name}",
    )


# --- undefined lanes -------------------------------------------------------------------------------------------


_ROW, _COLUMN = -2, -1


@dataclass(frozen=True, slots=True)
class _LanesOfValue:
    """The lanes of a value: the dimensions in which they are undefined, and the blocks in the computation."""

    undefined: frozenset[int] = frozenset()
    """The dimensions, of -2 and -1, in which only the first element of a tile is defined."""
    data: frozenset[SSAValue] = frozenset()
    """Blocks from which all of its elements were computed, element by element."""
    reduced: frozenset[SSAValue] = frozenset()
    """Blocks from which the reductions in it were computed."""
    reduction: dialect.BlockComputeOp | None = None


@dataclass(frozen=True, slots=True)
class _Clash:
    """A reduction that is combined with a block from which it was computed."""

    reduction: dialect.BlockComputeOp
    dims: tuple[int, ...]
    operand: int
    """The position of the reduction among the operands."""

    @property
    def where(self) -> str:
        """The place of the results within a tile, in words."""
        if len(self.dims) > 1:
            return "element (0, 0)"
        return "column 0" if self.dims == (_COLUMN,) else "row 0"


class Lanes:
    """The lanes of all values of a kernel; ``visit`` its operations in order."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, _LanesOfValue] = {}

    def visit(self, op: dialect.BlockComputeOp) -> _Clash | None:
        """Record the lanes of an operation's result; return the clash among its operands, or None."""
        operands = [self._of(operand) for operand in op.operands]
        row = op.row
        if row.undefined is not None:
            (operand,) = operands
            rank = len(dialect.block_type_of(op.result.type).shape)
            dims = {dim if dim < 0 else dim - rank for dim in op.params[0]}
            self._known[op.result] = _LanesOfValue(
                operand.undefined | (dims & {_ROW, _COLUMN}),
                frozenset(),
                operand.data | operand.reduced,
                op,
            )
            return None
        if row.valid_rule is not elementwise_valid:
            return None
        undefined = frozenset().union(*(operand.undefined for operand in operands))
        whole = [operand for operand in operands if not operand.undefined]
        self._known[op.result] = _LanesOfValue(
            undefined,
            frozenset().union(*(operand.data for operand in whole)),
            frozenset().union(*(operand.reduced for operand in operands)),
            next((operand.reduction for operand in operands if operand.undefined), None),
        )
        for position, operand in enumerate(operands):
            if operand.reduction is None or not operand.undefined:
                continue
            if any(other.data & operand.reduced for other in whole):
                return _Clash(operand.reduction, tuple(sorted(operand.undefined)), position)
        return None

    def _of(self, value: SSAValue) -> _LanesOfValue:
        if isinstance(value, OpResult) and isinstance(value.op, dialect.BlockReadOp):
            return _LanesOfValue(data=frozenset({value.op.block}))
        return self._known.get(value, _LanesOfValue())
