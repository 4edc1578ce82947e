"""Values that branches choose and loops carry go through buffers, unless they stay in the registers."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from ttl.analysis.dominance import walked
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.passes.compute import in_registers
from ttl.passes.compute.after_loops import bring_together, can_go_on, stores_after
from ttl.passes.compute.carried import LOOPS, Carried, carried_block, remade, without
from ttl.passes.compute.scalers import write_scalers
from ttl.passes.compute.spills import Spills, name_in_program
from ttl.passes.compute.temporaries import insert, location_of, read_from, store_into


def settle_control_flow(operation: dialect.OperationOp, kernel: dialect.UserKernelOp, spills: Spills) -> None:
    """Remove all values of blocks from the control flow of a kernel, except for those that marked loops keep."""
    for op in [*kernel.walk(region_first=True)]:
        if isinstance(op, scf.IfOp):
            _chosen(op, spills)
    for op in walked(kernel):
        if isinstance(op, scf.WhileOp):  # its number of iterations is not known
            _carried(op, spills)
    for op in walked(kernel):
        if isinstance(op, LOOPS) and op.parent is not None and not in_registers.is_marked(op):
            _loop(operation, op, spills)


def _loop(operation: dialect.OperationOp, loop: Operation, spills: Spills) -> None:
    if carried_block(loop) is None:
        return
    if not in_registers.keep(operation, loop):
        _carried(loop, spills)
        return
    stores = stores_after(loop)
    write_scalers(operation, kernel_of(loop), [store.value for store in stores])
    if not stores or not can_go_on(operation, loop, stores) or not bring_together(loop, stores):
        spills.spill_results(loop, "what follows the loop cannot continue in the registers")


def _chosen(branch: Operation, spills: Spills) -> None:
    for index in reversed(range(len(branch.results))):
        if isinstance(branch.results[index].type, TensorType):
            branch = _choose_through_buffer(branch, index, spills)


def _choose_through_buffer(branch: Operation, index: int, spills: Spills) -> Operation:
    """Let both branches store one of their results into a buffer; return the branch without that result."""
    result = branch.results[index]
    dfb = spills.buffer_for(result, 1, "chosen", "a branch chooses its value", branch.location)
    for region in branch.regions:
        end = region.block.last_op
        assert end is not None
        store_into(dfb, end.operands[index], InsertPoint.before(end), end.location)
        end.operands = [value for position, value in enumerate(end.operands) if position != index]
    read = spills.read(dfb, result, InsertPoint.after(branch), branch.location)
    result.replace_all_uses_with(read)
    return remade(branch, branch.operands, [value for value in branch.results if value is not result])


def _carried(loop: Operation, spills: Spills) -> None:
    while (carried := carried_block(loop)) is not None:
        loop = _carry_through_buffer(carried, spills)


def _carry_through_buffer(carried: Carried, spills: Spills) -> Operation:
    """Store the initial and each yielded value in a buffer; return the loop without the carried value."""
    loop, argument, end, result = carried.loop, carried.argument, carried.end, carried.result
    dfb = spills.buffer_for(
        result,
        2,
        name_in_program(argument, name_in_program(carried.yielded, "carried")),
        "a loop carries it from one iteration to the next",
        loop.location,
    )
    store_into(dfb, carried.initial, InsertPoint.before(loop), location_of(carried.initial, loop))
    at = _first_use(argument, loop)
    wait, read = read_from(dfb, argument, InsertPoint.at_start(argument.block), at)
    argument.replace_all_uses_with(read)
    store_into(dfb, carried.yielded, InsertPoint.before(end), location_of(carried.yielded, loop))
    insert([dialect.DfbPopOp(wait.result, how="inferred")], InsertPoint.before(end), loop.location)
    last = spills.read(dfb, result, InsertPoint.after(loop), _first_use(result, loop))
    result.replace_all_uses_with(last)
    return without(carried)


def _first_use(value: SSAValue, otherwise: Operation) -> LocationAttr:
    """The location of the first use of a value in its IR block and the blocks nested there."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    users = {use.operation for use in value.uses}
    result = next((op for op in block.walk() if op in users), None) if block is not None else None
    if isinstance(result, dialect.RetypeOp):
        return _first_use(result.result, otherwise)
    return otherwise.location if result is None or result.has_trait(IsTerminator) else result.location
