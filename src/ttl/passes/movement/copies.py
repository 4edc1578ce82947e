"""Copies between slices of tensors and blocks: one transfer for each page, or for each part of one.

A block of tiles is read or written page by page, in loops whose variables are the numbers of the pages; rows of tiles
that follow each other in the tensor are one loop. Of a row-major tensor, a segment of each row is copied, whose
addresses in memory and in the block have to agree in the bits that the network requires (``Chip.dram_read_alignment``
and its relatives).
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.arch import Chip
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.dialects.ttkernel import AccessorOp
from ttl.ir.failure import placed
from ttl.passes.buffers.blocks import BlockAddresses, circular_buffer
from ttl.passes.building import Building, Number, number
from ttl.passes.marks import parts_of
from ttl.passes.movement.pages_of_slice import (
    Pages,
    axes,
    first_page,
    for_each_page,
    for_each_part,
    multiple_of,
    pages_of,
    sizes_of,
    whole_shard,
)
from ttl.passes.movement.shifted import alignment, room_of
from ttl.passes.movement.waits import READ
from ttl.rows.types import Layout


def convert_copies(
    operation: dialect.OperationOp, target: Chip, addresses: BlockAddresses
) -> list[Diagnostic]:
    """Convert the copies of one operation between slices and blocks; returns errors for those that cannot be."""
    return [
        problem
        for kernel in operation.kernels
        for problem in _KernelCopies(operation, kernel, target, addresses).convert()
    ]


class _KernelCopies:
    def __init__(
        self,
        operation: dialect.OperationOp,
        kernel: dialect.UserKernelOp,
        target: Chip,
        addresses: BlockAddresses,
    ) -> None:
        self.operation = operation
        self.kernel = kernel
        self.target = target
        self.addresses = addresses
        self.accessors: dict[str, SSAValue] = {}
        self.room = room_of(kernel)

    def convert(self) -> list[Diagnostic]:
        findings = []
        for op in of_kinds(self.kernel, dialect.CopyOp):
            if isinstance(op.src.type, dialect.PipeType) or isinstance(op.dst.type, dialect.PipeType):
                continue
            problem = self.copy(op)
            if problem is not None:
                findings.append(placed(problem, op))
        return findings

    def copy(self, op: dialect.CopyOp) -> Diagnostic | None:
        reads = isinstance(op.src.type, dialect.SliceType)
        slice_, block = (op.src, op.dst) if reads else (op.dst, op.src)
        owner = slice_.owner
        assert isinstance(owner, dialect.TensorSliceOp) and isinstance(block.type, dialect.BlockMemoryType)
        accessor = owner.accessor.type
        assert isinstance(accessor, dialect.AccessorType)
        pages = pages_of(accessor)
        assert pages is not None, f"the shape of {self.name_of(owner)} is not known"
        address = self.addresses.of(block)
        build = Building(op)
        acquire = dialect.acquired_from(block)
        part = None if acquire is None else parts_of(acquire)
        shard = None if part is not None else whole_shard(build, owner, pages, block.type.shape, self.target)
        if shard is not None:
            function = "noc_async_read_shard" if reads else "noc_async_write_shard"
            build.call(function, shard, self.accessor(owner), address)
            return None
        if accessor.layout is Layout.ROW_MAJOR:
            return self.rows(build, owner, pages, address, reads, block.type)
        sizes = sizes_of(owner, block.type.shape)
        first = first_page(build, [number(offset) for offset in owner.offsets], pages.strides)
        function = "noc_async_read_page" if reads else "noc_async_write_page"
        tensor = self.accessor(owner)

        def transfer(at: Building, page: Number, where: SSAValue) -> None:
            at.call(function, page, tensor, where)

        loops, nbytes = axes(sizes, pages.strides), accessor.dtype.tile_bytes
        if part is None:
            for_each_page(build, first, loops, address, nbytes, transfer)
            return None
        assert acquire is not None
        buffer = circular_buffer(op, acquire.dfb)

        def ready(at: Building, count: Number) -> None:
            if not reads:
                at.at(acquire).call("cb_wait_front", buffer, count)

        def done(at: Building) -> None:
            if reads:
                at.barrier(READ, "waits until the tiles that are handed over are in the block")
                at.call("cb_push_back", buffer, part)

        for_each_part(build, first, loops, address, nbytes, transfer, part, ready, done)
        return None

    def rows(
        self,
        build: Building,
        slice_: dialect.TensorSliceOp,
        pages: Pages,
        address: SSAValue,
        reads: bool,
        block: dialect.BlockMemoryType,
    ) -> Diagnostic | None:
        accessor = slice_.accessor.type
        assert isinstance(accessor, dialect.AccessorType)
        element = accessor.dtype.element_bytes
        sizes = sizes_of(slice_, block.shape)
        *outer, start = [number(value) for value in slice_.offsets]
        width = sizes[-1]
        name = self.name_of(slice_)
        column: Number
        within: Number
        if pages.extents[-1] == 1:
            parts, part, column, within = 1, width, 0, start
        elif multiple_of(start) % pages.width == 0 and width % pages.width == 0:
            parts, part = width // pages.width, pages.width
            column, within = build.quotient(start, pages.width), 0
        elif isinstance(start, int) and start // pages.width == (start + width - 1) // pages.width:
            parts, part, column, within = 1, width, start // pages.width, start % pages.width
        else:
            return across_shards(name, width, pages.width)
        wanted = alignment(accessor, self.target, reads)
        loops = axes((*sizes[:-1], parts), pages.strides)
        offset = build.product(within, element)
        room = self.room if reads and pages.extents[-1] == 1 and part * element % 4 == 0 else None
        if room is not None and (multiple_of(offset) % wanted or (loops and part * element % wanted)):
            place = self.addresses.start_of(room.dfb, slice_)
            first, tensor = first_page(build, [*outer, column], pages.strides), self.accessor(slice_)
            nbytes, whole = part * element, pages.width * element
            room.read(build, tensor, first, loops, offset, address, place, nbytes, whole, wanted)
            return None
        if multiple_of(offset) % wanted:
            return misaligned_start(name, within, element, wanted, reads, accessor)
        if loops and part * element % wanted:
            return misaligned_rows(name, part, element, wanted, reads, accessor)
        first = first_page(build, [*outer, column], pages.strides)
        tensor = self.accessor(slice_)
        nbytes = part * element

        def transfer(at: Building, page: Number, where: SSAValue) -> None:
            remote = at.ask("get_noc_addr", page, tensor, offset)
            if reads:
                at.call("noc_async_read", remote, where, nbytes)
            else:
                at.call("noc_async_write", where, remote, nbytes)

        for_each_page(build, first, loops, address, nbytes, transfer)
        return None

    def name_of(self, slice_: dialect.TensorSliceOp) -> str:
        return tensor_name(self.operation, slice_)

    def accessor(self, slice_: dialect.TensorSliceOp) -> SSAValue:
        """The accessor of the tensor of a slice, made at the start of the kernel."""
        name = self.name_of(slice_)
        if name not in self.accessors:
            body = self.kernel.body.block
            build = Building(body.first_op, block=body, place=slice_)
            op = AccessorOp(name)
            build.add(op)
            op.results[0].name_hint = name
            self.accessors[name] = op.results[0]
        return self.accessors[name]


def tensor_name(operation: dialect.OperationOp, slice_: dialect.TensorSliceOp) -> str:
    """The name of the tensor of a slice."""
    owner = slice_.accessor.owner
    assert isinstance(owner, dialect.TensorAccessorOp), "an accessor is of a tensor"
    return argument_name(operation, owner.tensor)


def argument_name(operation: dialect.OperationOp, tensor: SSAValue) -> str:
    """The name of a tensor that is an argument of an operation."""
    return operation.argument_names[list(operation.body.block.args).index(tensor)]  # type: ignore[arg-type]


# --- errors -----------------------------------------------------------------------------------------------------


def misaligned_start(
    name: str, start: Number, element: int, wanted: int, reads: bool, accessor: dialect.AccessorType
) -> Diagnostic:
    """The error for a segment of a row that starts where the network cannot start a transfer (TTL1411)."""
    known = isinstance(start, int)
    where = (
        f"starts at element {start}, byte {start * element} of a row"  # type: ignore[operator]
        if known
        else f"starts at an element that may not be a multiple of {wanted // element}"
    )
    other = (
        "a slice that is read may start anywhere, where its rows are a multiple of 4 bytes wide and not divided by shards"
        if reads
        else "a slice that is read may start anywhere: let the kernel read from there and write to a multiple"
    )
    return error(
        "TTL1411",
        f"a row-major slice of {name} {where}, and {_transfer(reads, accessor)} starts at multiples of {wanted} bytes",
        notes=(f"{wanted} bytes are {wanted // element} elements of {accessor.dtype.name}",),
        help=f"let the slice start at a multiple of {wanted // element} elements, such as `index * {wanted // element}`; {other}",
    )


def misaligned_rows(
    name: str, width: int, element: int, wanted: int, reads: bool, accessor: dialect.AccessorType
) -> Diagnostic:
    """The error for rows of a block that begin where the network cannot start a transfer (TTL1412)."""
    multiple = wanted // element
    return error(
        "TTL1412",
        f"rows of {width} elements, {width * element} bytes, of {name} follow each other in the block, and "
        f"{_transfer(reads, accessor)} starts at multiples of {wanted} bytes",
        notes=(f"{wanted} bytes are {multiple} elements of {accessor.dtype.name}",),
        help=f"copy rows of a multiple of {multiple} elements, such as {-(-width // multiple) * multiple}, or one row into each block",
    )


def across_shards(name: str, width: int, shard: int) -> Diagnostic:
    """The error for a segment that starts in one shard and ends in another (TTL1413)."""
    return error(
        "TTL1413",
        f"a row-major slice of {width} elements of {name} can be in two shards, which are {shard} elements wide",
        help=f"let the slice start at a multiple of {shard} elements and be a multiple of {shard} wide",
    )


def _transfer(reads: bool, accessor: dialect.AccessorType) -> str:
    memory = "DRAM" if accessor.encoding.memory_space is dialect.MemoryKind.DRAM else "L1"
    return f"a read from {memory}" if reads else f"a write to {memory}"
