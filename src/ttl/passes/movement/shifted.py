"""Rows of row-major tensors that begin where the network cannot begin a transfer: read beside the block, then shifted.

A read needs an address in memory and one in L1 with equal last bits. For a row that begins elsewhere, the read begins
at the multiple before it, into a buffer of the compiler, and the processor copies the needed words into the block. So
stencils and halos compile, at the cost of a barrier in the copy and of the stores.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue

from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import element_type
from ttl.passes.building import Building, Number, number
from ttl.passes.marks import MADE_BY, WHY
from ttl.passes.movement.pages_of_slice import Axis, for_each_page, multiple_of, pages_of, sizes_of
from ttl.rows import dtypes
from ttl.rows.types import Layout

# On a buffer: the kernel whose rows it takes, the bytes for each row, and the number of rows that it takes at once.
_KERNEL, _WINDOW, _ROWS = "ttl.rows_of", "ttl.row_window", "ttl.rows"
_WORD = 4
# All rows of a block are read before the first is copied, if they take no more than this.
_TOGETHER = 32 * 1024


def alignment(accessor: dialect.AccessorType, chip: Chip, reads: bool) -> int:
    """Return the bytes of which the difference between an address in memory and one in a block must be a multiple."""
    if accessor.encoding.memory_space is not dialect.MemoryKind.DRAM:
        return chip.l1_alignment
    return chip.dram_read_alignment if reads else chip.dram_write_alignment


def need_of(copy: dialect.CopyOp, chip: Chip) -> tuple[int, int] | None:
    """The bytes of a row's window and the number of rows, for a copy that has to be shifted, and can be; else None.

    A copy can be shifted if pages are whole rows, and rows of the block are whole words.
    """
    owner, block = copy.src.owner, copy.dst.type
    if not (isinstance(owner, dialect.TensorSliceOp) and isinstance(block, dialect.BlockMemoryType)):
        return None
    accessor = owner.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    pages = pages_of(accessor) if accessor.layout is Layout.ROW_MAJOR else None
    if pages is None or pages.extents[-1] != 1:
        return None
    element, sizes = accessor.dtype.element_bytes, sizes_of(owner, block.shape)
    wanted, nbytes, rows = alignment(accessor, chip, True), sizes[-1] * element, prod(sizes[:-1])
    start = multiple_of(number(owner.offsets[-1])) * element
    if nbytes % _WORD or (start % wanted == 0 and (rows == 1 or nbytes % wanted == 0)):
        return None
    return -(-nbytes // wanted) * wanted + wanted, rows


def make_room(
    operation: dialect.OperationOp, kernel: dialect.UserKernelOp, window: int, rows: int, name: str
) -> None:
    """Make the buffer for the rows of a kernel; ``window`` is the bytes of a row in it."""
    together = window * rows <= _TOGETHER
    buffer = dialect.CreateDfbOp(
        type=dialect.DataflowBufferType(
            (1, window * (rows if together else 1) // _WORD), element_type(dtypes.UINT32, Layout.ROW_MAJOR), 1
        ),
        name=name,
    )
    buffer.location = kernel.location
    buffer.attributes |= {
        MADE_BY: StringAttr("compiler"),
        WHY: StringAttr(
            f"a buffer into which {kernel.kernel_name} reads rows that begin where the network cannot begin a transfer"
        ),
        _KERNEL: kernel.sym_name,
        _WINDOW: IntegerAttr(window, i64),
        _ROWS: IntegerAttr(rows if together else 1, i64),
    }
    operation.body.block.insert_op_before(buffer, operation.kernels[0])


class ShiftBuffer:
    """The buffer for the rows of a kernel, and the code that reads rows through it."""

    def __init__(self, buffer: dialect.CreateDfbOp) -> None:
        window, rows = buffer.attributes[_WINDOW], buffer.attributes[_ROWS]
        assert isinstance(window, IntegerAttr) and isinstance(rows, IntegerAttr)
        self.dfb = buffer.result
        self.window: int = window.value.data
        self.rows: int = rows.value.data

    def read(
        self,
        build: Building,
        tensor: SSAValue,
        first: Number,
        loops: list[Axis],
        start: Number,
        block: SSAValue,
        room: SSAValue,
        nbytes: int,
        page_bytes: int,
        wanted: int,
    ) -> None:
        """Read rows of ``nbytes`` from byte ``start`` of their pages on, from page ``first`` on, into a block at an address."""
        skip, odd = build.remainder(start, wanted), multiple_of(start) % _WORD != 0
        begin = build.difference(start, skip)
        left = build.difference(-(-page_bytes // wanted) * wanted, begin)
        size: Number = self.window
        if not (isinstance(left, int) and left >= self.window):
            size = (
                min(left, self.window)
                if isinstance(left, int)
                else build.select(build.compare(left, "slt", self.window), left, self.window)
            )

        def read_one(at: Building, page: Number, where: SSAValue) -> None:
            at.call("noc_async_read", at.ask("get_noc_addr", page, tensor, begin), where, size)

        rows = prod(count for count, _ in loops)
        if rows <= self.rows:
            for_each_page(build, first, loops, room, self.window, read_one)
            build.barrier("noc_async_read_barrier", "rows are there before they are copied into the block")
            self._shift_rows(build, rows, skip, odd, block, room, nbytes)
            return

        def read_and_shift(at: Building, page: Number, where: SSAValue) -> None:
            read_one(at, page, room)
            at.barrier("noc_async_read_barrier", "a row is there before it is copied into the block")
            _shift(at, skip, odd, where, room, nbytes)

        for_each_page(build, first, loops, block, nbytes, read_and_shift)

    def _shift_rows(
        self,
        build: Building,
        rows: int,
        skip: Number,
        odd: bool,
        block: SSAValue,
        room: SSAValue,
        nbytes: int,
    ) -> None:
        if rows == 1:
            _shift(build, skip, odd, block, room, nbytes)
            return

        def row(within: Building, index: SSAValue, _: object) -> tuple[()]:
            to = within.value(within.sum(block, within.product(index, nbytes)))
            _shift(
                within,
                skip,
                odd,
                to,
                within.value(within.sum(room, within.product(index, self.window))),
                nbytes,
            )
            return ()

        build.loop(0, rows, 1, (), row, name="row")


def _shift(build: Building, skip: Number, odd: bool, block: SSAValue, room: SSAValue, nbytes: int) -> None:
    """Copy the words that begin ``skip`` bytes into ``room``; ``odd``: that may be no whole number of words."""
    to = build.ask("reinterpret_l1", block)
    to.name_hint = "to"
    source = build.ask("reinterpret_l1", room)
    source.name_hint = "from"
    begin, bits = build.quotient(skip, _WORD), build.product(build.remainder(skip, _WORD), 8)

    def word(within: Building, index: SSAValue, _: object) -> tuple[()]:
        place = within.sum(begin, index)
        value = (
            within.ask("load_shifted", source, place, bits)
            if odd
            else within.ask("load_from_l1", source, place)
        )
        within.call("store_to_l1", value, to, index)
        return ()

    build.loop(0, nbytes // _WORD, 1, (), word, name="word")


def room_of(kernel: dialect.UserKernelOp) -> ShiftBuffer | None:
    """The buffer that was made for the rows of a kernel, or None."""
    operation = kernel.parent_op()
    assert isinstance(operation, dialect.OperationOp)
    for op in operation.body.block.ops:
        if isinstance(op, dialect.CreateDfbOp) and op.attributes.get(_KERNEL) == kernel.sym_name:
            return ShiftBuffer(op)
    return None
