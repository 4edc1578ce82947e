"""Where blocks lie in L1, as data movement kernels address them."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.dialects.ttkernel import CBType, GetCBOp
from ttl.passes.buffers.holding import holdings, wrapping
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.building import Building


class BlockAddresses:
    """The addresses of the blocks of one operation: each is taken right after its block is acquired.

    Raises ``NotLowered`` if a kernel holds blocks in such a way that their addresses are not known.
    """

    def __init__(self, operation: dialect.OperationOp) -> None:
        self._of: dict[SSAValue, SSAValue] = {}
        self._held: dict[dialect.AcquireOp, int] = {}
        self._wrapping: set[dialect.AcquireOp] = set()
        self._starts: dict[tuple[Operation, SSAValue], SSAValue] = {}
        for kernel in operation.kernels:
            if isinstance(kernel, dialect.DataMovementKernelOp):
                self._held |= holdings(kernel)
                self._wrapping |= wrapping(kernel)

    def of(self, block: SSAValue) -> SSAValue:
        """The address of a block in L1."""
        known = self._of.get(block)
        if known is not None:
            return known
        acquire = dialect.acquired_from(block)
        assert acquire is not None, "the front end knows every block"
        buffer = circular_buffer(acquire, acquire.dfb)
        taken = "get_write_ptr" if isinstance(acquire, dialect.DfbReserveOp) else "get_read_ptr"
        build = Building.after(acquire)
        distance = self._held[acquire] * block_stride(acquire.dfb)
        address = build.value(build.sum(build.ask(taken, buffer), distance))
        if acquire in self._wrapping:
            address = self._wrapped(build, acquire, address)
        address.name_hint = f"{name_of(acquire.dfb)}_address"
        self._of[block] = address
        return address

    def start_of(self, dfb: SSAValue, place: Operation) -> SSAValue:
        """The address at which a buffer begins: its write pointer at the start of the kernel that ``place`` is in."""
        key = (kernel_of(place), dfb)
        if key not in self._starts:
            buffer = circular_buffer(place, dfb)
            assert isinstance(buffer.owner, Operation)
            start = Building.after(buffer.owner, place=place).ask("get_write_ptr", buffer)
            start.name_hint = f"{name_of(dfb)}_start"
            self._starts[key] = start
        return self._starts[key]

    def _wrapped(self, build: Building, acquire: dialect.AcquireOp, address: SSAValue) -> SSAValue:
        """Wrap an address that may be beyond the end of the ring back into the ring."""
        type_ = acquire.dfb.type
        assert isinstance(type_, dialect.DataflowBufferType)
        ring = type_.block_count * block_stride(acquire.dfb)
        end = build.sum(self.start_of(acquire.dfb, acquire), ring)
        return build.select(build.compare(address, "sge", end), build.difference(address, ring), address)


def block_stride(dfb: SSAValue) -> int:
    """Bytes from one block of a buffer to the next."""
    type_ = dfb.type
    assert isinstance(type_, dialect.DataflowBufferType)
    return block_pages(type_.block_type) * type_.block_type.page_bytes


def circular_buffer(inside: Operation, dfb: SSAValue) -> SSAValue:
    """The circular buffer behind a dataflow buffer, as a value of the kernel that an operation is in."""
    name = name_of(dfb)
    body = kernel_of(inside).body.block
    for item in body.ops:
        if isinstance(item, GetCBOp) and item.declared_name == name:
            return item.result
    op = GetCBOp(name, circular_buffer_type(dfb))
    Building(body.first_op, block=body, place=inside).add(op)
    return op.result


def circular_buffer_type(dfb: SSAValue) -> CBType:
    """Return the type of a buffer as a circular buffer with pages of one tile each."""
    type_ = dfb.type
    assert isinstance(type_, dialect.DataflowBufferType)
    return CBType(block_pages(type_.block_type) * type_.block_count, type_.element_type)


def name_of(dfb: SSAValue) -> str:
    """The name of a dataflow buffer."""
    owner = dfb.owner
    assert isinstance(owner, dialect.CreateDfbOp)
    assert isinstance(owner.buffer_name, StringAttr)
    return owner.buffer_name.data
