"""Single elements of blocks: loads and stores of the processor, at the place of the element in the block's memory.

In a tile an element lies in one of four faces of 16 x 16; tiles and rows follow each other. A bfloat16 is the high half
of the float32 that it stands for, so that conversions need no arithmetic. The processors of data movement compute with
floats in software. A coordinate that the compiler cannot prove to be in the block, and a number that is read as an
index, are asserted: on a card while the watcher is on, on the emulated chip always.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float64Type, IndexType, IntegerAttr, f32, i32
from xdsl.ir import SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.analysis.elements import values_read
from ttl.analysis.ranges import Ranges
from ttl.analysis.scalars import known_numbers
from ttl.dialects import ttl as dialect
from ttl.passes.buffers.blocks import BlockAddresses, name_of
from ttl.passes.building import Building, Number, erase, number
from ttl.passes.movement.copies import tensor_name
from ttl.passes.movement.pages_of_slice import pages_of, sizes_of
from ttl.rows.types import BlockType, Layout
from ttl.rules import elements as rules

_FACE = 16
_HALF, _HALF_BYTES = 16, 2
# The loads and stores of an element, by its size in bytes.
_LOAD = {4: "load_word", 2: "load_half", 1: "load_byte"}
_STORE = {4: "store_word", 2: "store_half"}


def convert_elements(operation: dialect.OperationOp, addresses: BlockAddresses) -> None:
    """Convert the reads and writes of single elements in data movement kernels."""
    for kernel in operation.kernels:
        ops: list[dialect.ElementReadOp | dialect.ReadIndexOp | dialect.ElementWriteOp] = of_kinds(
            kernel, dialect.ElementReadOp, dialect.ReadIndexOp, dialect.ElementWriteOp
        )
        if not ops:
            continue
        ranges = Ranges(kernel.body, known_numbers(operation.grid.extents))
        for acquire in dict.fromkeys(dialect.acquired_from(op.block) for op in ops):
            if isinstance(acquire, dialect.DfbWaitOp):
                Building.after(acquire).call("invalidate_l1_cache")
        for op in ops:
            _convert(op, ranges, addresses.of(op.block))
            erase(op)


def _convert(
    op: dialect.ElementReadOp | dialect.ReadIndexOp | dialect.ElementWriteOp,
    ranges: Ranges,
    address: SSAValue,
) -> None:
    build, type_ = Building(op), op.block_type
    dfb = dialect.dfb_of(op.block)
    assert dfb is not None, "the front end knows every block"
    buffer = name_of(dfb)
    for axis, (coordinate, extent) in enumerate(zip(op.coordinates, type_.elements, strict=True)):
        _assert_within(build, coordinate, extent, ranges, rules.asserted_coordinate(axis, buffer, extent))
    place = _place(build, type_, [number(coordinate) for coordinate in op.coordinates])
    size = type_.dtype.element_bytes
    if isinstance(op, dialect.ElementWriteOp):
        bits = build.result(arith.BitcastOp(build.result(arith.TruncFOp(op.value, f32)), i32))
        if size == _HALF_BYTES:
            bits = build.result(arith.ShRUIOp(bits, _word(build, _HALF)))
        build.call(_STORE[size], build.result(arith.IndexCastOp(bits, IndexType())), address, place)
        return
    if isinstance(op, dialect.ElementReadOp) and op.result.first_use is None:
        return
    loaded = value = build.ask(_LOAD[size], address, place)
    if isinstance(op, dialect.ReadIndexOp) and type_.dtype in rules.FIRST_BEYOND:
        if type_.dtype.is_float:  # -0.0
            loaded = build.select(build.compare(loaded, "eq", 1 << (size * 8 - 1)), 0, loaded)
        why = rules.asserted_index(type_.dtype, buffer)
        build.call("assert_below", loaded, rules.FIRST_BEYOND[type_.dtype], why=why)
    if type_.dtype.is_float:
        bits = build.result(arith.IndexCastOp(loaded, i32))
        if size == _HALF_BYTES:
            bits = build.result(arith.ShLIOp(bits, _word(build, _HALF)))
        single = build.result(arith.BitcastOp(bits, f32))
        if isinstance(op, dialect.ElementReadOp):
            value = build.result(arith.ExtFOp(single, Float64Type()))
        else:
            value = build.result(arith.IndexCastOp(build.result(arith.FPToSIOp(single, i32)), IndexType()))
    value.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(value)


def _assert_within(build: Building, value: SSAValue, limit: int, ranges: Ranges, why: str) -> None:
    """Assert at run time that a number is not negative and below a limit, as far as that is not proved."""
    bounds = ranges.of(value)
    if not bounds.is_natural:
        build.call("assert_natural", value, why=why)
    if bounds.high is None or bounds.high >= limit:
        build.call("assert_below", value, limit, why=why)


def assert_slices(operation: dialect.OperationOp) -> None:
    """Assert the bounds of slices that depend on numbers a kernel has read; others have been checked already."""
    for kernel in operation.kernels:
        read = values_read(kernel)
        slices = [op for op in of_kinds(kernel, dialect.TensorSliceOp) if read & {*op.operands}]
        if not slices:
            continue
        ranges = Ranges(kernel.body, known_numbers(operation.grid.extents))
        for op in slices:
            _assert_slice(operation, op, ranges)


def _assert_slice(operation: dialect.OperationOp, op: dialect.TensorSliceOp, ranges: Ranges) -> None:
    accessor = op.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    pages = pages_of(accessor)
    if pages is None:
        return
    build, name = Building(op), tensor_name(operation, op)
    tiled = accessor.layout is Layout.TILE
    extents = pages.extents if tiled else accessor.shape
    copy = next((use.operation for use in op.result.uses if isinstance(use.operation, dialect.CopyOp)), None)
    for axis, (start, size, extent) in enumerate(zip(op.offsets, op.size_values, extents, strict=True)):
        if not isinstance(size, int):
            block = None if copy is None else (copy.dst if copy.src is op.result else copy.src).type
            assert isinstance(block, dialect.BlockMemoryType)
            given, size = size, sizes_of(op, block.shape)[axis]
            other = build.select(build.compare(given, "eq", size), 0, build.sum(given, 1))
            build.call("assert_below", other, 1, why=rules.asserted_size(axis, name, size))
        if dialect.constant_of(start) is None:
            why = rules.asserted_slice(axis, name, extent, size, accessor.layout.unit)
            _assert_within(build, start, extent - size + 1, ranges, why)


def _word(build: Building, constant: int) -> SSAValue:
    return build.result(arith.ConstantOp(IntegerAttr(constant, i32)))


def _place(build: Building, type_: BlockType, coordinates: list[Number]) -> Number:
    """Return the offset of an element in its block, in elements."""
    if type_.layout is Layout.ROW_MAJOR:
        return _flat(build, type_.elements, coordinates)
    *outer, row, column = coordinates
    height, width = type_.tile
    tile = _flat(build, type_.shape, [*outer, build.quotient(row, height), build.quotient(column, width)])
    down, across, rows = build.remainder(row, height), build.remainder(column, width), min(height, _FACE)
    face = build.sum(build.product(build.quotient(down, rows), width // _FACE), build.quotient(across, _FACE))
    within = build.sum(build.product(build.remainder(down, rows), _FACE), build.remainder(across, _FACE))
    return build.sum(build.product(tile, height * width), build.product(face, rows * _FACE), within)


def _flat(build: Building, extents: tuple[int, ...], coordinates: list[Number]) -> Number:
    place: Number = 0
    for extent, coordinate in zip(extents, coordinates, strict=True):
        place = build.sum(build.product(place, extent), coordinate)
    return place
