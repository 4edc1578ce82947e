"""Prints, signposts and assertions of a kernel, on the device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
    i1,
)
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.analysis.dominance import inside
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import constant_of
from ttl.dialects.debug import AssertOp, PrintOp, SignpostOp
from ttl.dialects.kernel.debug import PrintProcessor
from ttl.dialects.structure import kernel_of
from ttl.dialects.ttkernel import (
    AccessorOp,
    CommonArgOp,
    DPrintOp,
    GetCBOp,
    GetSemaphoreOp,
    KernelCallOp,
    TableOp,
    ZoneOp,
)
from ttl.passes.buffers.blocks import circular_buffer, name_of
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.building import Building, Number, detach, erase
from ttl.passes.marks import PAGE, is_made
from ttl.rows.types import TILE, BlockType, Layout

# The end of a buffer from which a block is counted: one for a block that is read, the other for one that is written.
_END = ("TSLICE_RD_PTR", "TSLICE_WR_PTR")
_NUMBERS = (IndexType, IntegerType, Float32Type, Float64Type)


def convert_print(op: PrintOp, held: Mapping[dialect.AcquireOp, int]) -> None:
    """Print texts and numbers as they are and blocks of tiles row by row, and describe the rest.

    A tensor or a row-major block is not in tiles in the node's memory; the value of an expression is, since
    ``ttl-materialize``. For a buffer, the pointers that the processor has are printed. A print with blocks takes
    several lines on the device.
    """
    build = Building(op)
    pieces: list[str] = [op.pieces[0]]
    values: list[SSAValue] = []
    processor: PrintProcessor | None = None
    for value, text in zip(op.operands, op.pieces[1:], strict=True):
        if isinstance(value.type, _NUMBERS):
            values.append(_printable(build, value))
            pieces.append(text)
            continue
        acquire = dialect.acquired_from(value)
        if acquire is not None and (_has_tiles(acquire) or _moves(acquire)):
            pieces[-1] += f"{_description(value)}:"
            # The processor that prints the tiles prints this line, too: lines of different processors come in any
            # order.
            processor = _processor(acquire)
            _line(build, pieces, values, processor)
            _print_elements(build, acquire, held[acquire])
            pieces, values = [text], []
            continue
        pieces[-1] += _description(value)
        if isinstance(value.type, dialect.DataflowBufferType):
            processor = _print_state(build, op, value, pieces, values)
        pieces[-1] += text
    if "".join(pieces).strip() or values or len(op.operands) == 0:
        _line(build, pieces, values, processor)
    erase(op)


def _print_state(
    build: Building, op: PrintOp, dfb: SSAValue, pieces: list[str], values: list[SSAValue]
) -> PrintProcessor | None:
    """Print the state of a buffer as the simulator does: its pointers, in bytes from its beginning.

    Blocks that have been handed over and not freed lie between the pointers. A data movement kernel at one end of the
    buffer computes the other pointer from the number of these blocks; other kernels know only that number. Each
    processor of a compute kernel prints its own pointer, the unpacker's or the packer's, in a line of its own.
    """
    kernel, type_ = kernel_of(op), dfb.type
    assert isinstance(type_, dialect.DataflowBufferType)
    users = [use.operation for use in dfb.uses if isinstance(use.operation, dialect.AcquireOp)]
    own = {type(user) for user in users if kernel_of(user) is kernel}
    buffer = circular_buffer(op, dfb)
    if not isinstance(kernel, dialect.DataMovementKernelOp):
        ends: list[tuple[type[Operation], PrintProcessor]] = [
            (dialect.DfbWaitOp, "unpack"),
            (dialect.DfbReserveOp, "pack"),
        ]
        for kind, processor in ends:
            if kind in own:
                _line(build, [*pieces], [*values], processor)
                build.call(f"dprint_buffer_{processor}", buffer)
        if own:
            pieces[:], values[:] = [""], []
        return None
    block_bytes, pages = type_.block_type.nbytes, block_pages(type_.block_type)
    filled: Number = 0
    for count in range(1, type_.block_count + 1):
        there = build.ask("cb_pages_available_at_front", buffer, count * pages)
        filled = build.sum(filled, build.select(there, 1, 0))
    if own:
        reads = dialect.DfbWaitOp in own
        place = build.ask("cb_read_place" if reads else "cb_write_place", buffer, block_bytes)
        steps = (
            build.sum(place, filled)
            if reads
            else build.difference(build.sum(place, type_.block_count), filled)
        )
        other = build.remainder(steps, type_.block_count)
        read, write = (place, other) if reads else (other, place)
        for name, number in (
            ("rd_ptr", build.product(read, block_bytes)),
            ("wr_ptr", build.product(write, block_bytes)),
            ("wr_tile_ptr", build.product(write, pages)),
        ):
            pieces[-1] += f" {name}="
            values.append(build.value(number))
            pieces.append("")
    pieces[-1] += " filled="
    values.append(build.value(filled))
    pieces.append(">")
    return None


def _line(
    build: Building, pieces: list[str], values: list[SSAValue], processor: PrintProcessor | None
) -> Operation:
    return build.add(DPrintOp([*pieces[:-1], f"{pieces[-1]}\n"], values, processor=processor))


def _processor(acquire: dialect.AcquireOp) -> PrintProcessor | None:
    """The processor of a compute kernel that sees a block: the packer for reserved pages, else the unpacker."""
    if isinstance(kernel_of(acquire), dialect.DataMovementKernelOp):
        return None
    return "pack" if isinstance(acquire, dialect.DfbReserveOp) else "unpack"


def _printable(build: Building, value: SSAValue) -> SSAValue:
    """A number as the device prints it: floats are converted to 32 bits."""
    if not isinstance(value.type, Float64Type):
        return value
    number = constant_of(value)
    rounded: Operation = (
        arith.TruncFOp(value, f32) if number is None else arith.ConstantOp(FloatAttr(number, f32))
    )
    return build.add(rounded).results[0]


def _has_tiles(acquire: dialect.AcquireOp) -> bool:
    type_ = acquire.result.type
    return isinstance(type_, dialect.BlockMemoryType) and type_.block_type.layout is Layout.TILE


def _print_elements(build: Building, acquire: dialect.AcquireOp, held: int) -> None:
    """Print the tiles of a block row by row; the block lies behind the ``held`` blocks of its buffer."""
    type_ = acquire.result.type
    assert isinstance(type_, dialect.BlockMemoryType)
    buffer = circular_buffer(acquire, acquire.dfb)
    if not _has_tiles(acquire):
        _print_words(build, acquire, buffer, type_.block_type)
        return
    tiles = block_pages(type_.block_type)
    written = isinstance(acquire, dialect.DfbReserveOp)
    moves = isinstance(kernel_of(acquire), dialect.DataMovementKernelOp)

    def row(within: Building, tile: Number, number: Number) -> None:
        if moves:
            within.call("dprint_tile_row", buffer, tile, number, end=_END[written])
        else:
            within.call(f"dprint_tile_row_{_processor(acquire)}", buffer, tile, number)

    def rows(within: Building, tile: Number) -> None:
        def one(at: Building, number: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            row(at, tile, number)
            return []

        within.loop(0, TILE, 1, [], one, name="row")

    def each(within: Building, tile: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        rows(within, tile)
        return []

    if tiles == 1:
        rows(build, held)
    else:
        build.loop(held * tiles, (held + 1) * tiles, 1, [], each, name="tile")


def _print_words(build: Building, acquire: dialect.AcquireOp, buffer: SSAValue, block: BlockType) -> None:
    """Print the elements of a block without tiles, 32 in a line, up to as many as a tile has."""
    end = _END[isinstance(acquire, dialect.DfbReserveOp)]
    count = min(prod(block.elements), TILE * TILE)

    def one(within: Building, number: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        within.call("dprint_elements", buffer, number, TILE, end=end)
        return []

    if count >= TILE:
        build.loop(0, count // TILE, 1, [], one, name="row")
    if count % TILE:
        build.call("dprint_elements", buffer, count // TILE, count % TILE, end=end)


def _moves(acquire: dialect.AcquireOp) -> bool:
    return isinstance(kernel_of(acquire), dialect.DataMovementKernelOp)


def _description(value: SSAValue) -> str:
    type_ = value.type
    match type_:
        case dialect.BlockMemoryType():
            acquire = dialect.acquired_from(value)
            if acquire is not None and _is_page(acquire):
                return ""
            if acquire is not None and _is_of_the_compiler(acquire):
                return f"value, {type_.block_type.describe()}"
            of = f" of {name_of(acquire.dfb)}" if acquire is not None else ""
            return f"block{of}, {type_.block_type.describe()}"
        case dialect.DataflowBufferType():
            block = type_.block_type
            count = block_pages(block) * type_.block_count
            size = block.nbytes * type_.block_count
            return (
                f"<{name_of(value)}: shape={block.shape} dtype={block.dtype} block_count={type_.block_count} size={size} "
                f"page_size={size // count} num_pages={count}"
            )
        case dialect.AccessorType():
            return f"tensor {list(type_.shape)} {type_.dtype} {type_.layout.value} (a compute kernel cannot reach it)"
    return "value of an expression"


def _is_page(acquire: dialect.AcquireOp) -> bool:
    dfb = acquire.dfb.owner
    return isinstance(dfb, dialect.CreateDfbOp) and PAGE in dfb.attributes


def _is_of_the_compiler(acquire: dialect.AcquireOp) -> bool:
    dfb = acquire.dfb.owner
    return isinstance(dfb, dialect.CreateDfbOp) and is_made(dfb)


def convert_assert(op: AssertOp) -> None:
    """Print a message where the condition does not hold, and stop the chip if a watcher is attached."""
    build = Building(op)
    true = build.add(arith.ConstantOp(IntegerAttr(1, i1))).results[0]
    fails = build.add(arith.XOrIOp(op.condition, true)).results[0]
    build.when(fails).add(DPrintOp([f"assertion failed: {op.message}\n"]))
    build.call("device_assert", op.condition)
    erase(op)


def convert_signposts(kernel: dialect.UserKernelOp) -> None:
    """Make a zone of the profiler from the beginning of each signpost to its end.

    A zone is a scope of its own. A value that is computed in a zone and used after it is computed before the zone, if
    that is possible; if not, the zone is left out, since it only measures.
    """
    for block in [
        block for op in (kernel, *inside(kernel)) for region in op.regions for block in region.blocks
    ]:
        open_: list[SignpostOp] = []
        for op in list(block.ops):
            if not isinstance(op, SignpostOp):
                continue
            if op.edge == "begin":
                open_.append(op)
            elif open_ and open_[-1].signpost_name == op.signpost_name:
                _enclose(open_.pop(), op)
    for op in inside(kernel):
        if isinstance(op, SignpostOp):
            erase(op)


def _enclose(begin: SignpostOp, end: SignpostOp) -> None:
    enclosed = _between(begin, end)
    for op in enclosed:
        if _is_pure(op) and not any(operand.owner in enclosed for operand in op.operands):
            detach(op)
            assert begin.parent is not None
            begin.parent.insert_op_before(op, begin)
            enclosed = [inner for inner in enclosed if inner is not op]
    members = {inner for op in enclosed for inner in (op, *inside(op))}
    escapes = any(
        use.operation not in members for op in enclosed for value in op.results for use in value.uses
    )
    if not enclosed or escapes:
        return
    body = Block()
    for op in enclosed:
        detach(op)
        body.add_op(op)
    Building(end, place=begin).add_as_is(ZoneOp(begin.signpost_name, Region(body)))


def _between(begin: Operation, end: Operation) -> list[Operation]:
    ops: list[Operation] = []
    at = begin.next_op
    while at is not None and at is not end:
        ops.append(at)
        at = at.next_op
    return ops


def _is_pure(op: Operation) -> bool:
    if isinstance(op, KernelCallOp):
        return op.call.effect == "pure"
    return op.name.startswith("arith.") or isinstance(
        op, GetCBOp | AccessorOp | GetSemaphoreOp | CommonArgOp | TableOp
    )
