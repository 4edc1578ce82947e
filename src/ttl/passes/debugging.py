"""Prints, signposts and assertions of a kernel, on the device."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, Float64Type, IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.dialects import ttl as dialect
from ttl.dialects.debug import AssertOp, PrintOp, SignpostOp
from ttl.dialects.ttkernel import (
    AccessorOp,
    CallOp,
    CommonArgOp,
    DPrintOp,
    GetCBOp,
    GetSemaphoreOp,
    ZoneOp,
)
from ttl.passes.building import Building, detach, erase

_NUMBERS = (IndexType, IntegerType, Float32Type, Float64Type)


def convert_print(op: PrintOp) -> None:
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
    erase(op)


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


def convert_assert(op: AssertOp) -> None:
    """A message where the condition does not hold."""
    build = Building(op)
    true = build.add(arith.ConstantOp(IntegerAttr(1, i1))).results[0]
    fails = build.add(arith.XOrIOp(op.condition, true)).results[0]
    inside = build.when(fails)
    inside.add(DPrintOp([f"assertion failed: {op.message}\n"]))
    erase(op)


def convert_signposts(kernel: dialect.KernelOp) -> None:
    """Zones of the profiler from where a signpost begins to where it ends.

    A zone is a scope of its own. What is computed in one and used after it is computed before it, where that is
    possible; where it is not, the zone is left out, since it measures and does nothing else.
    """
    for block in [block for op in kernel.walk() for region in op.regions for block in region.blocks]:
        open_: list[SignpostOp] = []
        for op in list(block.ops):
            if not isinstance(op, SignpostOp):
                continue
            if op.edge == "begin":
                open_.append(op)
            elif open_ and open_[-1].signpost_name == op.signpost_name:
                _enclose(open_.pop(), op)
    for op in list(kernel.walk()):
        if isinstance(op, SignpostOp):
            erase(op)


def _enclose(begin: SignpostOp, end: SignpostOp) -> None:
    inside = _between(begin, end)
    for op in inside:
        if _is_pure(op) and not any(operand.owner in inside for operand in op.operands):
            detach(op)
            assert begin.parent is not None
            begin.parent.insert_op_before(op, begin)
            inside = [each for each in inside if each is not op]
    members = {each for op in inside for each in op.walk()}
    escapes = any(use.operation not in members for op in inside for value in op.results for use in value.uses)
    if not inside or escapes:
        return
    body = Block()
    for op in inside:
        detach(op)
        body.add_op(op)
    Building(end, place=begin).add_as_is(ZoneOp(begin.signpost_name, Region(body)))


def _between(begin: Operation, end: Operation) -> list[Operation]:
    found: list[Operation] = []
    at = begin.next_op
    while at is not None and at is not end:
        found.append(at)
        at = at.next_op
    return found


def _is_pure(op: Operation) -> bool:
    if isinstance(op, CallOp):
        return op.call.effect == "pure"
    return op.name.startswith("arith.") or isinstance(op, GetCBOp | AccessorOp | GetSemaphoreOp | CommonArgOp)
