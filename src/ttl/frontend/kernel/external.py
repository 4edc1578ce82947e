"""Calls of the user's own C++ while an operation is read: the call, and its steps on blocks."""

from __future__ import annotations

import os
import struct
from math import ceil, prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from ttl.analysis.intervals import signed
from ttl.dialects import ttl as ir
from ttl.frontend.kernel.objects import TracedBuffer
from ttl.frontend.kernel.slicing import Slices, TracedSlice
from ttl.frontend.reals import NodeFloat, as_real
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio
from ttl.host.tensor import Tensor
from ttl.lang.check import fail
from ttl.lang.extern_calls import DFBDescriptor, DFBIdentifier, ExternCall, TensorAddress
from ttl.rows.types import TILE, Layout
from ttl.rules import external as rules

if TYPE_CHECKING:
    from ttl.frontend.kernel.trace import OperationTrace


def record(tracer: OperationTrace, slices: Slices, call: ExternCall) -> Any:
    """Record the C++ of a call, then its steps on buffers in the order of their declarations; return its result."""
    pieces, values = [f"{call.callee}"], list[SSAValue]()

    def add(opening: str, arguments: tuple[Any, ...], closing: str) -> None:
        for number, argument in enumerate(arguments):
            pieces[-1] += ", " if number else opening
            before, value, after = _argument(slices, argument)
            pieces[-1] += before
            if value is not None:
                values.append(value)
                pieces.append(after)
        pieces[-1] += closing if arguments else ""

    add("<", call.template_args, ">")
    add("(", call.func_args, ")")
    if not call.func_args:
        pieces[-1] += "()"
    pages: dict[TracedBuffer, str] = {}
    for buffer, tiles in call.tiles.items():
        assert isinstance(buffer, TracedBuffer)
        pages[buffer] = f"{tiles['push']}:{tiles['pop']}"
        for kind, number in tiles.items():
            finding = rules.whole_blocks(call.callee, kind, buffer.name, number, prod(buffer.type.shape))
            if finding is not None:
                fail(finding)
    parts, touched, accesses = _touched(tracer, slices, call)
    operands = [*values, *(buffer.ssa for buffer in pages), *parts]
    op = ir.ExternCallOp(
        _header(tracer, call),
        call.callee,
        pieces,
        operands,
        effects=",".join(pages.values()),
        touched=touched,
        bits=None if call.result is None else call.result.value,
        condition=None
        if call.condition is None
        else tracer.conditions.setdefault(call.condition, len(tracer.conditions)),
    )
    if call.touched is not None:
        op.attributes[ir.DECLARED] = UnitAttr()
    tracer.emit(op)
    for access in accesses:
        tracer.emit(access)
    # A block is acquired with its first tile, and released with its last.
    held: dict[tuple[str, TracedBuffer], list[SSAValue]] = {}
    tiles_until: dict[tuple[str, TracedBuffer], int] = {}
    for effect in call.effects:
        buffer = effect.dfb
        assert isinstance(buffer, TracedBuffer)
        block, key = prod(buffer.type.shape), (effect.kind, buffer)
        before = tiles_until.get(key, 0)
        after = tiles_until[key] = before + effect.tiles
        if effect.kind in ("reserve", "wait"):
            acquired = ir.DfbReserveOp if effect.kind == "reserve" else ir.DfbWaitOp
            for _ in range(ceil(after / block) - ceil(before / block)):
                held.setdefault(key, []).append(_step(tracer, acquired(buffer.ssa)).result)
        else:
            released = ir.DfbPushOp if effect.kind == "push" else ir.DfbPopOp
            opened = held["reserve" if effect.kind == "push" else "wait", buffer]
            for _ in range(after // block - before // block):
                _step(tracer, released(opened.pop(0), how="explicit"))
    if op.result is None:
        return None
    return tracer.builder.atom(op.result, *signed(op.bits or 0))


def _touched(
    tracer: OperationTrace, slices: Slices, call: ExternCall
) -> tuple[list[SSAValue], str | None, list[ir.ExternAccessOp]]:
    """Return the effects of a call on tensors: the operands that say where the parts are, the text, and the steps.

    A size that is not known before kernels run is that of the tensor. The text is None if no effects are declared, or
    if the pages of a tensor are not its tiles or rows.
    """
    operands, texts, accesses = list[SSAValue](), list[str](), list[ir.ExternAccessOp]()
    are_known = call.touched is not None
    for access in call.touched or ():
        part = access.part
        if isinstance(part, Tensor):
            part = slices.slice(part, (slice(None),) * max(1, len(part.shape)))
        assert isinstance(part, TracedSlice)
        op = part.ssa.owner
        assert isinstance(op, ir.TensorSliceOp) and isinstance(op.accessor.type, ir.AccessorType)
        accesses.append(ir.ExternAccessOp(part.ssa, access.kind))
        type_ = op.accessor.type
        shape, is_tiled = type_.shape, type_.layout is Layout.TILE
        is_interleaved = type_.encoding.layout.memory_layout is ir.MemoryLayout.INTERLEAVED
        are_known &= len(shape) > 1 and min(shape) > 0 and (is_tiled or is_interleaved)
        pages = (*shape[:-2], *(-(-extent // TILE) for extent in shape[-2:])) if is_tiled else shape[:-1]
        at = list(zip(pages, op.sizes, op.offsets, strict=False))
        sizes = [extent if size < 0 else size for extent, size, _ in at]
        operands += [op.accessor, *(tracer.builder.index(0) if size < 0 else first for _, size, first in at)]
        texts.append(f"{access.kind}:{'x'.join(map(str, pages))}:{'x'.join(map(str, sizes))}")
    return (operands, ",".join(texts), accesses) if are_known else ([], None, accesses)


def _step(tracer: OperationTrace, op: Any) -> Any:
    op.attributes[ir.EXTERN] = UnitAttr()
    return tracer.emit(op)


def _header(tracer: OperationTrace, call: ExternCall) -> str:
    """The path of the header, which is beside the program or in a folder that the call names."""
    here = tracer.here()
    beside = os.path.dirname(os.path.abspath(here.file)) if here is not None else os.getcwd()
    folders = [beside, *(os.path.join(beside, path) for path in call.include_paths)]
    for folder in folders:
        path = os.path.join(folder, call.header)
        if os.path.isfile(path):
            return os.path.normpath(path)
    fail(rules.no_header(call.header, call.include_paths))


def _argument(slices: Slices, value: Any) -> tuple[str, SSAValue | None, str]:
    """Return an argument as C++ text, or as a value of the IR (of a number or a buffer) with the text after it."""
    match value:
        case bool():
            return str(value).lower(), None, ""
        case int():
            return str(value), None, ""
        case float():
            return f"{struct.unpack('<I', struct.pack('<f', value))[0]}u", None, ""
        case NodeInteger() | NodeCondition():
            return "", value.ssa(), ""
        case NodeFloat() | NodeRatio():
            real = as_real(value)
            assert real is not None
            return "", real.ssa, ""
        case TracedBuffer():
            return "", value.ssa, ""
        case DFBIdentifier(dfb=TracedBuffer(ssa=ssa)):
            return "", ssa, ""
        case DFBDescriptor(dfb=TracedBuffer() as dfb):
            count, tile = dfb.block_count, dfb.type.page_bytes
            return "dfb_descriptor<", dfb.ssa, f", {prod(dfb.type.shape)}, {count}, {tile}>"
        case Tensor():
            return "", slices.accessor(value), ""
        case TensorAddress(tensor=tensor):
            return "", slices.argument(tensor), ""
    fail(rules.no_argument("ttl.call_extern_func", "numbers, dataflow buffers and tensors", value))
