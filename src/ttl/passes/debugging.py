"""Prints, signposts and assertions of a kernel, on the device."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerAttr, IntegerType, i1
from xdsl.dialects import arith
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.debug import AssertOp, PrintOp, SignpostOp
from ttl.dialects.ttkernel import DPrintOp, ZoneOp
from ttl.passes.building import Building

_NUMBERS = (IndexType, IntegerType, Float32Type, Float64Type)


def convert_print(op: PrintOp) -> Diagnostic | None:
    """A print of texts and numbers; blocks, buffers and tensors are described."""
    build = Building(op)
    pieces, values = [op.pieces[0]], []
    for value, text in zip(op.operands, op.pieces[1:], strict=True):
        if isinstance(value.type, _NUMBERS):
            values.append(value)
            pieces.append(text)
        else:
            pieces[-1] += _description(value) + text
    pieces[-1] += "\n"
    build.add(DPrintOp(pieces, values))
    op.detach()
    op.erase()
    return None


def _description(value: SSAValue) -> str:
    type_ = value.type
    match type_:
        case dialect.BlockMemoryType():
            acquire = dialect.acquired_from(value)
            of = f" of {acquire.dfb.name_hint}" if acquire is not None else ""
            return f"block{of}, {type_.block_type.describe()}"
        case dialect.DataflowBufferType():
            return f"{value.name_hint}, {type_.block_count} blocks of {type_.block_type.describe()}"
        case dialect.AccessorType():
            return f"tensor of shape {type_.shape}"
    return str(type_)


def convert_assert(op: AssertOp) -> Diagnostic | None:
    """A message where the condition does not hold."""
    build = Building(op)
    true = build.add(arith.ConstantOp(IntegerAttr(1, i1))).results[0]
    fails = build.add(arith.XOrIOp(op.condition, true)).results[0]
    inside = build.when(fails)
    inside.add(DPrintOp([f"assertion failed: {op.message}\n"]))
    op.detach()
    op.erase()
    return None


def convert_signposts(kernel: dialect.KernelOp) -> list[Diagnostic]:
    """Zones of the profiler from where a signpost begins to where it ends."""
    for block in [block for op in kernel.walk() for region in op.regions for block in region.blocks]:
        _zones(block)
    return []


def _zones(block: Block) -> None:
    open_: list[SignpostOp] = []
    for op in list(block.ops):
        if not isinstance(op, SignpostOp):
            continue
        if op.edge == "begin":
            open_.append(op)
        elif open_ and open_[-1].signpost_name == op.signpost_name:
            _enclose(open_.pop(), op)
    for op in list(block.ops):
        if isinstance(op, SignpostOp):
            op.detach()
            op.erase()


def _enclose(begin: SignpostOp, end: SignpostOp) -> None:
    inside: list[Operation] = []
    at = begin.next_op
    while at is not None and at is not end:
        inside.append(at)
        at = at.next_op
    members = {each for op in inside for each in op.walk()}
    if any(
        use.operation not in members for op in inside for result in op.results for use in result.uses
    ):
        return
    body = Block()
    for op in inside:
        op.detach()
        body.add_op(op)
    Building(end, place=begin).add(ZoneOp(begin.signpost_name, Region(body)))
