"""What the simulator does and the chip does not, or not as it stands: warnings.

Sources are the facts about the chip that ``ttl.arch`` and the rows of ``ttl.ops`` quote. An expression with more tiles
than the destination registers hold is no finding: the compiler splits it, and no operation needs more operands there
than they hold in any mode (at most 3 of at least 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from ttl.analysis.dominance import enclosing_kernel, inside
from ttl.analysis.pipe_ends import pipe_ends
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots
from ttl.check.context import Context
from ttl.check.regions import cut, lanes
from ttl.check.regions.accesses import extents_of, values_of, where
from ttl.check.regions.places import placed
from ttl.diag import Diagnostic, warning
from ttl.diag.remedies import Wrap
from ttl.diag.words import counted
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.ops.types import Layout
from ttl.protocol.grid import coordinate
from ttl.rules.words import node_name

# The handshake of a pipe: the receivers say that they are ready, the sender that the data is there. A node can use
# the same two for all pipes of a net, because it serves them one after the other.
_SEMAPHORES_OF_A_NET = 2


def check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """Findings TTL0820 to TTL0824."""
    slots = Slots(context.grid)
    found = list(_semaphores(operation, context))
    for kernel in operation.kernels:
        found += cut.check(kernel)
        lanes_of = lanes.Lanes()
        for op in inside(kernel):
            match op:
                case dialect.CopyOp():
                    found += _alignment(op, slots, context)
                case dialect.BlockComputeOp():
                    found += _integers(op)
                    found += _undefined_lanes(op, lanes_of)
    return found


def _semaphores(operation: dialect.OperationOp, context: Context) -> Iterator[Diagnostic]:
    """More semaphores than a node has, with those that pipes are made of (TTL0820)."""
    own = [op for op in inside(operation) if isinstance(op, dialect.CreateSemaphoreOp)]
    nets = list(dict.fromkeys(op.net for op in inside(operation) if isinstance(op, dialect.IfPipeOp)))
    limit = context.chip.semaphores
    if len(own) > limit or len(own) + _SEMAPHORES_OF_A_NET * len(nets) <= limit:
        return
    parts = np.zeros(prod(context.grid), np.int64)
    for net in nets:
        ends = pipe_ends(net, context.grid)
        for node in {node for source, destinations in ends or () for node in (source, *destinations)}:
            parts[node] += 1
    node = int(parts.argmax())
    needed = len(own) + _SEMAPHORES_OF_A_NET * int(parts[node])
    if needed <= limit:
        return
    who = node_name(coordinate(node, context.grid, len(context.grid)))
    finding = warning(
        "TTL0820",
        f"{needed} semaphores with those that pipes are made of, and a node of {context.chip.name} has {limit}",
        notes=(
            f"{len(own)} of the program, and {_SEMAPHORES_OF_A_NET} for each pipe net that a node has a part in: {who} has a part in {parts[node]}",
        ),
        help="join pipe nets that are used one after the other, or reuse semaphores: count up and wait_ge",
    )
    last = nets[-1].owner
    yield placed(finding, last) if isinstance(last, dialect.CreatePipeNetOp) else finding


def _alignment(copy: dialect.CopyOp, slots: Slots, context: Context) -> Iterator[Diagnostic]:
    """Rows of a row-major slice that begin where the network cannot begin a transfer (TTL0821)."""
    end = copy.src if isinstance(copy.src.type, dialect.SliceType) else copy.dst
    part = end.owner
    if not isinstance(part, dialect.TensorSliceOp):
        return
    type_ = part.accessor.type
    assert isinstance(type_, dialect.AccessorType)
    if extents_of(type_)[1] is not Layout.ROW_MAJOR:
        return
    encoding = type_.encoding
    if encoding.layout.memory_layout is not dialect.TensorMemoryLayout.INTERLEAVED:
        return
    reads = end is copy.src
    chip = context.chip
    if encoding.memory_space is not dialect.MemorySpace.DRAM:
        alignment, memory = chip.l1_alignment, "L1"
    else:
        alignment, memory = chip.dram_read_alignment if reads else chip.dram_write_alignment, "DRAM"
    at = points(copy, of=values_of(part), slots=slots)
    start = None if at is None else at.value(part.offsets[-1])
    if at is None or start is None:
        return
    size = type_.dtype.element_bytes
    bad = np.flatnonzero(np.asarray(start) * size % alignment)
    if not len(bad):
        return
    point = int(bad[0])
    kernel = enclosing_kernel(copy)
    assert kernel is not None
    offset = int(start[point])
    finding = warning(
        "TTL0821",
        f"row-major slice begins {offset * size} bytes into its rows, which is no multiple of {alignment}",
        notes=(
            f"{chip.title} {'reads from' if reads else 'writes to'} {memory} at multiples of {alignment} bytes, here {counted(alignment // size, 'element')} of {type_.dtype.name}",
            f"in {where(kernel, int(at.nodes[point]), context.grid)}",
        ),
        help=f"let slices begin at multiples of {alignment // size} in the last dimension, or copy whole rows",
    )
    yield placed(finding, part)


def _integers(op: dialect.BlockComputeOp) -> Iterator[Diagnostic]:
    """Integers that neither the matrix unit, which has floats, nor the vector unit reduces (TTL0822; facts/codegen-pitfalls.md, 10)."""
    row = op.row
    calls = row.hardware.get("0.81", ())
    type_ = dialect.block_type_of(op.result.type)
    if type_.dtype.is_float or row.undefined is None or any(type_.dtype in call.dtypes for call in calls):
        return
    finding = warning(
        "TTL0822",
        f"{row.label} of {type_.dtype.name} blocks: the chip does not reduce their rows and columns",
        notes=("the matrix unit reduces floats, and the vector unit adds up int32 and uint32",),
        help="convert the block first: ttl.math.typecast(x, ttnn.float32), of which sums and maxima keep 24 bits",
    ).remedied_by(Wrap(template="ttl.math.typecast({}, ttnn.float32)", operand=0))
    yield placed(finding, op)


def _undefined_lanes(op: dialect.BlockComputeOp, known: lanes.Lanes) -> Iterator[Diagnostic]:
    """A reduced value beside the data it is reduced from, without a broadcast between (TTL0823)."""
    found = known.visit(op)
    if found is None:
        return
    shape = dialect.block_type_of(op.result.type).shape
    finding = warning(
        "TTL0823",
        f"{op.row.label}: one operand is a reduction, with its results in {found.where} of each tile, and the other is what was reduced",
        notes=("the other elements of a reduced tile hold nothing that is defined",),
        help=f"broadcast it first: ttl.block.broadcast(reduced, dims={list(found.dims)}, shape={shape})",
    ).remedied_by(
        Wrap(
            template=f"ttl.block.broadcast({{}}, dims={list(found.dims)}, shape={shape})",
            operand=found.operand,
        )
    )
    yield placed(finding, op).also(span_of(found.reduction), "reduced here")
