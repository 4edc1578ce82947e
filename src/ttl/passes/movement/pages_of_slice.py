"""Which pages of a tensor a slice is made of, and where its parts lie in a block.

A page is the unit of memory of a tensor: a tile, or a row of a row-major tensor (of one shard, where shards divide
rows). Pages are numbered in row-major order, and a block holds the parts of a slice one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd, prod

from xdsl.dialects import affine, arith, scf
from xdsl.ir import BlockArgument, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.passes.building import Building, Number, number
from ttl.rows.types import TILE, Layout
from ttl.rules.tensor_pages import in_pages, page_bytes

# A loop over pages: the number of its iterations, and the pages from one iteration to the next.
Axis = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pages:
    """How a tensor is divided into pages: their number along each dimension, and their width along the last one."""

    extents: tuple[int, ...]
    width: int
    """Tiles or elements of a page along the last dimension."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Pages from one index to the next, of each dimension."""
        numbers = [1]
        for extent in reversed(self.extents[1:]):
            numbers.append(numbers[-1] * extent)
        return tuple(reversed(numbers))


def pages_of(accessor: dialect.AccessorType) -> Pages | None:
    """The pages of a tensor; None where its shape is not known."""
    shape = accessor.shape
    if dialect.DYNAMIC in shape:
        return None
    if accessor.layout is Layout.TILE:
        tiles = tuple(-(-extent // TILE) for extent in shape[-2:])
        return Pages(extents=(*shape[:-2], *tiles), width=1)
    shard = accessor.encoding.layout.shard_shape
    width = shape[-1] if shard is None else min(shard[-1], shape[-1])
    return Pages(extents=(*shape[:-1], -(-shape[-1] // width)), width=width)


def sizes_of(slice_: dialect.TensorSliceOp, block: Sequence[int]) -> tuple[int, ...]:
    """The extent of a slice along each axis.

    An extent that is known only when the program runs is that of the block: the language demands that they are equal.
    """
    if dialect.DYNAMIC not in slice_.sizes:
        return slice_.sizes
    left = list(block)
    spare = len(left) - sum(not single for single in slice_.single)
    numbers: list[int] = []
    for size, single in zip(reversed(slice_.sizes), reversed(slice_.single)):
        if single and (spare <= 0 or left[-1] != 1):
            numbers.append(1)
            continue
        spare -= single
        extent = left.pop()
        numbers.append(extent if size == dialect.DYNAMIC else size)
    return tuple(reversed(numbers))


def whole_shard(
    build: Building, slice_: dialect.TensorSliceOp, pages: Pages, block: Sequence[int], chip: Chip
) -> Number | None:
    """The number of the shard that a slice certainly is as a whole; else None.

    It is also None for a shard that has room between its pages.
    """
    accessor = slice_.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    layout, dtype = accessor.encoding.layout, accessor.dtype
    if layout.shard_shape is None or layout.shard_nodes is None:
        return None
    tensor, shard = in_pages(accessor.shape, accessor.layout, layout.shard_shape)
    in_dram = accessor.encoding.memory_space is dialect.MemoryKind.DRAM
    alignment = chip.dram_read_alignment if in_dram else chip.l1_alignment
    if page_bytes(accessor.shape, dtype, accessor.layout, layout.shard_shape) % alignment:
        return None
    offsets, sizes = [number(offset) for offset in slice_.offsets], list(sizes_of(slice_, block))
    if multiple_of(offsets[-1]) % pages.width or sizes[-1] % pages.width:
        return None
    sizes[-1] //= pages.width
    # The dimensions before the first one of the shard are joined with it.
    joined = len(sizes) - len(shard)
    if any(size != 1 for size in sizes[:joined]) or any(
        extent % part or size != part or multiple_of(offset) % part
        for extent, part, size, offset in zip(tensor, shard, sizes[joined:], offsets[joined:], strict=True)
    ):
        return None
    offsets[-1] = _quotient(build, offsets[-1], pages.width)
    if joined and pages.extents[joined] % shard[0]:
        return None
    grid = [extent // part for extent, part in zip(tensor, shard, strict=True)]
    grid[0] = pages.extents[joined] // shard[0]
    whole = Pages(extents=(*pages.extents[:joined], *grid), width=1)
    numbers = [_quotient(build, at, part) for at, part in zip(offsets[joined:], shard, strict=True)]
    return first_page(build, [*offsets[:joined], *numbers], whole.strides)


def _quotient(build: Building, value: Number, by: int) -> Number:
    """``value // by`` for a multiple of ``by``: a product with a constant multiple stays a product."""
    if not isinstance(value, int) and isinstance(value.owner, arith.MuliOp):
        known = integer_of(value.owner.rhs)
        if known is not None and known % by == 0:
            return build.product(number(value.owner.lhs), known // by)
    return build.quotient(value, by)


def axes(sizes: Sequence[int], strides: Sequence[int]) -> list[Axis]:
    """The loops that visit every page of a slice in order, outermost first: as few as possible."""
    result: list[Axis] = []
    for size, stride in zip(sizes, strides, strict=True):
        if size == 1:
            continue
        if result and result[-1][1] == size * stride:
            result[-1] = (result[-1][0] * size, stride)
        else:
            result.append((size, stride))
    return result


def first_page(build: Building, offsets: Sequence[Number], strides: Sequence[int]) -> Number:
    """The number of the first page of a slice."""
    return build.sum(
        *(build.product(offset, stride) for offset, stride in zip(offsets, strides, strict=True))
    )


def for_each_page(
    build: Building,
    first: Number,
    loops: Sequence[Axis],
    address: SSAValue,
    nbytes: int,
    transfer: Callable[[Building, Number, SSAValue], None],
) -> None:
    """Call ``transfer`` with each page and its address in L1, which advances by ``nbytes`` each time."""
    if not loops:
        transfer(build, first, address)
        return
    _loop(build, first, loops, address, nbytes, transfer)


def _loop(
    build: Building,
    first: Number,
    loops: Sequence[Axis],
    address: SSAValue,
    nbytes: int,
    transfer: Callable[[Building, Number, SSAValue], None],
) -> SSAValue:
    (count, stride), *rest = loops

    def body(inside: Building, page: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        if rest:
            return [_loop(inside, page, rest, carried[0], nbytes, transfer)]
        transfer(inside, page, carried[0])
        return [inside.value(inside.sum(carried[0], nbytes))]

    stop = build.sum(first, count * stride)
    name = "row_page" if rest else "page"
    return build.loop(first, stop, stride, [address], body, name=name)[0]


def can_be_split(loops: Sequence[Axis], pages: int) -> bool:
    """Whether ``for_each_part`` can visit the pages of a slice in parts of so many."""
    if not loops:
        return False
    (count, _), *rest = loops
    inner = prod(item for item, _ in rest)
    if inner > pages:
        return can_be_split(rest, pages)
    return pages % inner == 0 and count % (pages // inner) == 0


def for_each_part(
    build: Building,
    first: Number,
    loops: Sequence[Axis],
    address: SSAValue,
    nbytes: int,
    transfer: Callable[[Building, Number, SSAValue], None],
    pages: int,
    ready: Callable[[Building, Number], object],
    transferred: Callable[[Building], object],
) -> None:
    """Transfer the pages of a slice in parts of ``pages``.

    ``ready`` is called before each part, with the number of pages up to its end, and ``transferred`` after each part.
    """

    def visit(
        at: Building, start: Number, loops: Sequence[Axis], address: SSAValue, done: Number
    ) -> SSAValue:
        (count, stride), *rest = loops
        inner = prod(entry for entry, _ in rest)
        item = max(pages // inner, 1)

        def body(inside: Building, index: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            begin = inside.sum(start, inside.product(index, stride))
            before = inside.sum(done, inside.product(index, inner))
            if inner > pages:
                return [visit(inside, begin, rest, carried[0], before)]
            ready(inside, inside.sum(before, pages))
            part = [(item, stride), *rest] if item > 1 else rest
            if part:
                after = _loop(inside, begin, part, carried[0], nbytes, transfer)
            else:
                transfer(inside, begin, carried[0])
                after = inside.value(inside.sum(carried[0], nbytes))
            transferred(inside)
            return [after]

        return at.loop(0, count, item, [address], body, name="row" if inner > pages else "part")[0]

    visit(build, first, loops, address, 0)


def multiple_of(value: Number, depth: int = 16) -> int:
    """A number that certainly divides a value; 0 if the value is 0."""
    if isinstance(value, int):
        return abs(value)
    known = integer_of(value)
    if known is not None:
        return abs(known)
    if depth == 0:
        return 1
    if isinstance(value, BlockArgument):
        return _of_variable(value, depth - 1)
    op = value.owner
    match op:
        case arith.MuliOp():
            return multiple_of(number(op.lhs), depth - 1) * multiple_of(number(op.rhs), depth - 1)
        case arith.AddiOp() | arith.SubiOp():
            return gcd(multiple_of(number(op.lhs), depth - 1), multiple_of(number(op.rhs), depth - 1))
        case arith.SelectOp():
            return gcd(multiple_of(number(op.lhs), depth - 1), multiple_of(number(op.rhs), depth - 1))
        case arith.MinSIOp() | arith.MaxSIOp():
            return gcd(multiple_of(number(op.lhs), depth - 1), multiple_of(number(op.rhs), depth - 1))
        case dialect.LookupOp():
            return gcd(*op.members)
    return 1


def _of_variable(value: BlockArgument, depth: int) -> int:
    loop = value.owner.parent_op()
    if value.index != 0:
        return 1
    match loop:
        case scf.ForOp():
            return gcd(multiple_of(number(loop.lb), depth), multiple_of(number(loop.step), depth))
        case affine.ForOp():
            lower = loop.lowerBoundMap.data.results
            start = lower[0].value if len(lower) == 1 and hasattr(lower[0], "value") else 1
            return gcd(start, loop.step.value.data)
    return 1
