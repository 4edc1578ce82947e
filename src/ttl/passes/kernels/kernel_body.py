"""What is left of ``ttl`` in a kernel after its computation and data movement are converted.

Blocks are acquired and released by pages, coordinates come from the node, sizes are constants; prints, signposts and
assertions become those of the device.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import inside
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.queries import DimOp, GridSizeOp, NodeLinearOp, NodeOp
from ttl.dialects.ttkernel import TableOp
from ttl.ir.failure import NotLowered, NotReady
from ttl.passes.buffers.blocks import circular_buffer
from ttl.passes.buffers.holding import holdings
from ttl.passes.buffers.pages import block_pages
from ttl.passes.building import Building, erase
from ttl.passes.kernels.debugging import convert_assert, convert_print, convert_signposts
from ttl.passes.marks import parts_of
from ttl.passes.movement.nodes import coordinates, node_number
from ttl.protocol.grid import Grid, grid_size

_ACQUIRED = {"ttl.dfb_reserve": "cb_reserve_back", "ttl.dfb_wait": "cb_wait_front"}
_RELEASED = {"ttl.dfb_push": "cb_push_back", "ttl.dfb_pop": "cb_pop_front"}


def convert_body(kernel: dialect.KernelOp, grid: Grid) -> list[Diagnostic]:
    """Convert what one kernel still has of ``ttl``; returns what cannot be."""
    ops = inside(kernel)
    try:
        held = holdings(kernel)  # before anything is released
    except NotLowered as failure:
        return failure.diagnostics
    for op in ops:
        _convert(op, grid, held)
    convert_signposts(kernel)
    for op in reversed(inside(kernel)):
        if isinstance(op, dialect.AcquireOp):
            if op.result.first_use is not None:
                raise _not_converted(kernel, op.result)
            erase(op)
    return []


def _not_converted(kernel: dialect.KernelOp, block: SSAValue) -> NotReady:
    users = {use.operation for use in block.uses}
    first = next(op for op in inside(kernel) if op in users)
    before = "compute" if isinstance(kernel, dialect.ComputeKernelOp) else "datamovement"
    return NotReady(first, f"{first.name} has to be converted before, by convert-{before}-to-ttkernel")


def _convert(op: Operation, grid: Grid, held: Mapping[dialect.AcquireOp, int]) -> None:
    if op.parent is None:  # the kernel, or what was erased with another one
        return
    build = Building(op)
    match op:
        case dialect.AcquireOp():
            _acquire(op, held[op])
        case dialect.ReleaseOp():
            _release(op, build)
        case NodeOp():
            values = coordinates(build, grid, op.dims)
            _replace(op, [build.value(each) for each in values])
        case GridSizeOp():
            _replace(op, [build.value(each) for each in grid_size(grid, op.dims)])
        case NodeLinearOp():
            _replace(op, [build.value(node_number(build, grid))])
        case DimOp() if op.shape[op.axis] != dialect.DYNAMIC:
            _replace(op, [build.value(op.shape[op.axis])])
        case dialect.ConstantLookupOp():
            _replace(op, [build.add(TableOp(op.members, op.index, op.list_name)).results[0]])
        case dialect.PrintOp():
            convert_print(op, held)
        case dialect.AssertOp():
            convert_assert(op)


def _replace(op: Operation, values: list[SSAValue]) -> None:
    for old, new in zip(op.results, values, strict=True):
        new.name_hint = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)
    erase(op)


def _acquire(op: dialect.AcquireOp, held: int) -> None:
    """Wait for as many pages as this block and those still held take; the operation itself stays for its users."""
    if parts_of(op) is not None:
        return  # who copies the block waits for its pages
    Building(op).call(_ACQUIRED[op.name], circular_buffer(op, op.dfb), (held + 1) * _pages(op))


def _release(op: dialect.ReleaseOp, build: Building) -> None:
    acquire = dialect.acquired_from(op.block)
    assert acquire is not None, "the front end knows every block"
    if parts_of(op) is None:
        buffer = circular_buffer(op, acquire.dfb)
        build.call(_RELEASED[op.name], buffer, _pages(acquire))
    erase(op)


def _pages(acquire: dialect.AcquireOp) -> int:
    type_ = acquire.result.type
    assert isinstance(type_, dialect.BlockMemoryType)
    return block_pages(type_.block_type)
