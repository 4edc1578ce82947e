"""The conversion of the ``ttl`` operations that remain in a kernel after computation and data movement.

Blocks are acquired and released by pages, coordinates come from the node, sizes are constants; prints, signposts and
assertions become those of the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, ModuleOp, TensorType, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from ttl.analysis.dominance import inside, walked
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.queries import DimOp, GridSizeOp, NodeLinearOp, NodeOp
from ttl.dialects.structure import kernel_of
from ttl.dialects.ttkernel import AccessorOp, CommonArgOp, KernelCallOp, TableOp
from ttl.ir.failure import NotLowered, NotReady
from ttl.ir.locations import span_of
from ttl.passes.buffers.blocks import circular_buffer
from ttl.passes.buffers.holding import holdings
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.building import Building, Number, erase
from ttl.passes.choices import operations_of
from ttl.passes.kernels.debugging import convert_assert, convert_print, convert_signposts
from ttl.passes.marks import AHEAD, PARTS, parts_of
from ttl.passes.movement.copies import argument_name
from ttl.passes.movement.nodes import coordinates, node_number
from ttl.protocol.grid import Grid, grid_size
from ttl.rules.external import beside_mathematics

_ACQUIRED = {"ttl.dfb_reserve": "cb_reserve_back", "ttl.dfb_wait": "cb_wait_front"}
_RELEASED = {"ttl.dfb_push": "cb_push_back", "ttl.dfb_pop": "cb_pop_front"}


def operations_of_kernels(module: ModuleOp) -> list[dialect.OperationOp]:
    """The operations of a module. Raises ``NotReady`` where threads of microcores are not kernels yet."""
    operations = operations_of(module)
    for op in (op for operation in operations for op in operation.body.block.ops):
        if isinstance(op, dialect.TileProcOp):
            raise NotReady(op, f"{op.name} has to be converted before, by ttl-microcores-to-kernels")
    return operations


def convert_body(kernel: dialect.UserKernelOp, grid: Grid) -> list[Diagnostic]:
    """Convert the ``ttl`` operations that are left in a kernel; returns diagnostics for those that cannot be."""
    ops = inside(kernel)
    external = next((op for op in ops if isinstance(op, dialect.ExternCallOp)), None)
    computes = isinstance(kernel, dialect.ComputeKernelOp) and any(isinstance(op, KernelCallOp) for op in ops)
    if external is not None and computes:
        return [beside_mathematics(external.callee, kernel.kernel_name).at(span_of(external))]
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


def _not_converted(kernel: dialect.UserKernelOp, block: SSAValue) -> NotReady:
    users = {use.operation for use in block.uses}
    first = next(op for op in inside(kernel) if op in users)
    before = "compute" if isinstance(kernel, dialect.ComputeKernelOp) else "datamovement"
    return NotReady(first, f"{first.name} has to be converted before, by convert-{before}-to-ttkernel")


def _convert(op: Operation, grid: Grid, held: Mapping[dialect.AcquireOp, int]) -> None:
    if op.parent is None:  # the kernel, or an operation that was erased with another one
        return
    build = Building(op)
    if (
        dialect.EXTERN in op.attributes
    ):  # a step that the C++ code does; an acquisition is erased when it has no uses any more
        if isinstance(op, dialect.ReleaseOp):
            erase(op)
        return
    match op:
        case dialect.ExternCallOp():
            converted = build.add(
                dialect.ExternCallOp(
                    op.header,
                    op.callee,
                    op.pieces,
                    [_argument(build, op, value) for value in op.values],
                    effects=op.effects.data,
                    touched=None if op.touched is None else op.touched.data,
                    bits=op.bits,
                    condition=op.condition,
                )
            )
            _replace(op, list(converted.results))
        case dialect.AcquireOp():
            _acquire(op, held[op])
        case dialect.ReleaseOp():
            _release(op, build)
        case NodeOp():
            values = coordinates(build, grid, op.dims)
            _replace(op, [build.value(value) for value in values])
        case GridSizeOp():
            _replace(op, [build.value(number) for number in grid_size(grid, op.dims)])
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


def _argument(build: Building, op: dialect.ExternCallOp, value: SSAValue) -> SSAValue:
    """Return the argument of a C++ function: the number of a buffer, an accessor of its own, or the address of a tensor."""
    operation = kernel_of(op).parent_op()
    match value.type:
        case dialect.DataflowBufferType():
            return circular_buffer(op, value)
        case dialect.AccessorType():
            accessor = value.owner
            assert isinstance(accessor, dialect.TensorAccessorOp) and isinstance(
                operation, dialect.OperationOp
            )
            return build.add(AccessorOp(argument_name(operation, accessor.tensor))).results[0]
        case TensorType():
            assert isinstance(operation, dialect.OperationOp)
            return build.result(CommonArgOp(f"address({argument_name(operation, value)})"))
    return value


def _replace(op: Operation, values: list[SSAValue]) -> None:
    for old, new in zip(op.results, values, strict=True):
        new.name_hint = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)
    erase(op)


def _acquire(op: dialect.AcquireOp, held: int) -> None:
    """Wait for as many pages as this block and those still held take; the operation itself stays for its users."""
    part = parts_of(op)
    computes = isinstance(kernel_of(op), dialect.ComputeKernelOp)
    if part is not None and isinstance(op, dialect.DfbWaitOp) and not computes:
        return  # the copy of the block waits for its pages
    count = held + 1
    ahead = op.dfb.owner.attributes.get(AHEAD) if isinstance(op.dfb.owner, dialect.CreateDfbOp) else None
    if isinstance(ahead, IntegerAttr) and isinstance(op, dialect.DfbReserveOp):
        count += ahead.value.data
    Building(op).call(_ACQUIRED[op.name], circular_buffer(op, op.dfb), count * _pages(op))
    if part is not None and computes:
        waiting = op.prev_op
        assert waiting is not None
        waiting.attributes[PARTS] = IntegerAttr(part, i64)


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


# --- affine loops as scf loops ---------------------------------------------------------------------------------


def lower_affine(root: Operation) -> None:
    """Replace ``affine.for``, ``affine.apply`` and ``affine.min`` inside an operation; names and locations are kept."""
    for op in list(root.walk(reverse=True)):
        if isinstance(op, affine.ForOp):
            _lower_loop(op)
        elif isinstance(op, affine.ApplyOp | affine.MinOp):
            build = Building(op)
            value = _bound(build, op.map, list(op.operands))
            op.result.replace_all_uses_with(build.value(value))
            erase(op)


def _lower_loop(op: affine.ForOp) -> None:
    build = Building(op)
    inits = list(op.inits)
    lower = build.value(_bound(build, op.lowerBoundMap, list(op.lowerBoundOperands), arith.MaxSIOp))
    upper = build.value(_bound(build, op.upperBoundMap, list(op.upperBoundOperands), arith.MinSIOp))
    step = build.value(int(op.step.value.data))
    end = op.body.block.last_op
    assert isinstance(end, affine.YieldOp)
    within = Building(end)
    within.add(scf.YieldOp(*end.arguments))
    erase(end)
    body: Region = op.detach_region(op.body)
    loop = scf.ForOp(lower, upper, step, inits, body)
    loop.location = op.location
    loop.attributes |= op.attributes
    block = op.parent
    assert block is not None
    block.insert_op_before(loop, op)
    for old, new in zip(op.results, loop.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    erase(op)


def _bound(
    build: Building,
    map_: AffineMapAttr,
    operands: list[SSAValue],
    joined: type[arith.MinSIOp] | type[arith.MaxSIOp] = arith.MinSIOp,
) -> Number:
    """The only result of a map; if it has several, the smallest or largest of them, by ``joined``."""
    places = operands[: map_.data.num_dims], operands[map_.data.num_dims :]
    number, *others = (_evaluate(build, result, *places) for result in map_.data.results)
    for other in others:
        number = build.result(joined(build.value(number), build.value(other)))
    return number


def _evaluate(
    build: Building, expression: AffineExpr, operands: list[SSAValue], symbols: list[SSAValue]
) -> Number:
    match expression:
        case AffineConstantExpr():
            return expression.value
        case AffineDimExpr():
            return operands[expression.position]
        case AffineSymExpr():
            return symbols[expression.position]
        case AffineBinaryOpExpr():
            left = _evaluate(build, expression.lhs, operands, symbols)
            right = _evaluate(build, expression.rhs, operands, symbols)
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    return build.sum(left, right)
                case AffineBinaryOpKind.Mul:
                    return build.product(left, right)
                case AffineBinaryOpKind.FloorDiv if isinstance(right, int):
                    return build.quotient(left, right)
                case AffineBinaryOpKind.CeilDiv if isinstance(right, int):
                    return build.quotient(build.sum(left, right - 1), right)
                case AffineBinaryOpKind.Mod if isinstance(right, int):
                    return build.remainder(left, right)
    raise AssertionError(f"the front end makes no {expression} in a bound")


# --- values that the operation computes for all of its kernels -------------------------------------------------


# Operations that declare resources stay where they are; a kernel refers to them by name.
_RESOURCES = (
    dialect.CreateDfbOp,
    dialect.CreateSemaphoreOp,
    dialect.CreatePipeNetOp,
    dialect.TensorAccessorOp,
)


def sink(operation: dialect.OperationOp) -> None:
    """Copy operations of the body that kernels use to the start of the kernels; erase those without uses afterwards."""
    body = operation.body.block
    for kernel in operation.kernels:
        _sink_into(kernel, body)
    for op in reversed(list(body.ops)):
        if not isinstance(op, (dialect.UserKernelOp, *_RESOURCES)) and not any(
            result.uses for result in op.results
        ):
            erase(op)


def _sink_into(kernel: dialect.UserKernelOp, body: Block) -> None:
    needed = set(_outside(kernel, body))
    pending = list(needed)
    while pending:
        for op in _outside(pending.pop(), body):
            if op not in needed:
                needed.add(op)
                pending.append(op)
    if not needed:
        return
    mapper: dict[SSAValue, SSAValue] = {}
    block = kernel.body.block
    first = block.first_op
    for op in body.ops:
        if op not in needed:
            continue
        copy = op.clone(value_mapper=mapper)
        for old, new in zip(walked(op), walked(copy), strict=True):
            new.location = old.location
        if first is None:
            block.add_op(copy)
        else:
            block.insert_op_before(copy, first)
    for item in inside(kernel):
        for index, operand in enumerate(item.operands):
            if operand in mapper:
                item.operands[index] = mapper[operand]


def _outside(op: Operation, body: Block) -> Iterator[Operation]:
    """Yield the operations of the body that an operation, or one inside it, uses, except resources."""
    for item in (op, *inside(op)):
        for operand in item.operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner.parent is body and not isinstance(owner, _RESOURCES):
                yield owner
