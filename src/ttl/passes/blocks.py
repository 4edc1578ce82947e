"""Where blocks lie in L1, as data movement kernels address them."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.dialects.ttkernel import CBType, GetCBOp
from ttl.passes.building import Building
from ttl.passes.failure import NotLowered
from ttl.passes.holding import held_before
from ttl.passes.pages import block_pages


class Addresses:
    """The addresses of the blocks of one kernel: each is taken right after its block is acquired."""

    def __init__(self) -> None:
        self._of: dict[SSAValue, SSAValue] = {}

    def of(self, block: SSAValue) -> SSAValue | Diagnostic:
        """The address of a block in L1, or why it is not known (TTL1415)."""
        known = self._of.get(block)
        if known is not None:
            return known
        acquire = dialect.acquired_from(block)
        if acquire is None:
            return unknown_block()
        try:
            held = held_before(acquire)
        except NotLowered as failure:
            return failure.diagnostics[0]
        build = Building.after(acquire)
        name = name_of(acquire.dfb)
        buffer = circular_buffer(acquire, acquire.dfb)
        taken = "get_write_ptr" if isinstance(acquire, dialect.DfbReserveOp) else "get_read_ptr"
        pointer = build.ask(taken, buffer)
        address = build.value(build.sum(pointer, held * block_stride(acquire.dfb)))
        address.name_hint = f"{name}_address"
        self._of[block] = address
        return address


def block_stride(dfb: SSAValue) -> int:
    """Bytes from one block of a buffer to the next."""
    type_ = dfb.type
    assert isinstance(type_, dialect.DataflowBufferType)
    return block_pages(type_.block_type) * type_.block_type.dtype.tile_bytes


def circular_buffer(inside: Operation, dfb: SSAValue) -> SSAValue:
    """The circular buffer behind a dataflow buffer, as a value of the kernel that an operation is in."""
    name = name_of(dfb)
    body = kernel_of(inside).body.block
    for each in body.ops:
        if isinstance(each, GetCBOp) and each.declared_name == name:
            return each.result
    op = GetCBOp(name, circular_buffer_type(dfb))
    Building(body.first_op, block=body, place=inside).add(op)
    return op.result


def kernel_of(op: Operation) -> dialect.KernelOp:
    """The kernel that an operation is in."""
    at: Operation | None = op
    while not isinstance(at, dialect.KernelOp):
        assert at is not None, f"{op.name} is in no kernel"
        at = at.parent_op()
    return at


def circular_buffer_type(dfb: SSAValue) -> CBType:
    """Its type: pages of one tile each."""
    type_ = dfb.type
    assert isinstance(type_, dialect.DataflowBufferType)
    return CBType(block_pages(type_.block_type) * type_.block_count, type_.element_type)


def name_of(dfb: SSAValue) -> str:
    """The name of a dataflow buffer."""
    made = dfb.owner
    assert isinstance(made, dialect.CreateDfbOp)
    assert isinstance(made.buffer_name, StringAttr)
    return made.buffer_name.data


def unknown_block() -> Diagnostic:
    """The error for a block whose place is not known (TTL1415)."""
    return error(
        "TTL1415",
        "this block is another one on different paths or turns of a loop, and the address of a copy has to be known",
        help="copy from or to the block where it is acquired, and use one block on every path",
    )
