"""Which protocol suits a net: see ``ttl.passes.pipes.plan``."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects import affine, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ttl.analysis.dominance import ancestor_in, ancestors, inside
from ttl.analysis.scalars import NODE, Slots, compile_scalar
from ttl.dialects import ttl as dialect
from ttl.dialects.pipes import IfPipeOp
from ttl.dialects.queries import NodeLinearOp, NodeOp
from ttl.passes.movement.nodes import device_grid
from ttl.passes.pipes.net import ChipNet, Node, Uses


def waits_in_functions(active: list[Uses]) -> bool:
    """Whether a function given to ``if_src`` or ``if_dst`` acquires or releases blocks."""
    return any(
        isinstance(item, dialect.AcquireOp | dialect.ReleaseOp)
        for uses in active
        for op in (*uses.ifs["src"], *uses.ifs["dst"])
        for item in op.walk()
    )


def early(uses: Uses) -> bool:
    """Whether the receiver's block is there before anything is sent, and nothing else happens to it.

    All nodes acquire, send and receive in one order then, so that none of them waits for one that is behind it.
    """
    sources, destinations = uses.ifs["src"], uses.ifs["dst"]
    if len(sources) != 1 or len(destinations) != 1 or len(uses.sends) != 1 or len(uses.receives) != 1:
        return False
    source, destination, send, receive = sources[0], destinations[0], uses.sends[0], uses.receives[0]
    block = destination.parent
    if source.parent is not block or block is None or uses.net.in_degree != 1:
        return False
    if send.parent is not source.body.block or receive.parent is not destination.body.block:
        return False
    acquire = dialect.acquired_from(receive.dst)
    if not isinstance(acquire, dialect.DfbReserveOp) or acquire.parent is not block:
        return False
    order = {op: index for index, op in enumerate(block.ops)}
    if not order[acquire] < order[source] < order[destination]:
        return False
    if any(pipe.area is None for pipe in uses.net.pipes):
        return False
    inside = {op: index for index, op in enumerate(destination.body.block.ops)}
    for use in acquire.result.uses:
        level = ancestor_in(use.operation, block)
        within = ancestor_in(use.operation, destination.body.block)
        if within is not None and inside[within] < inside[receive]:
            return False
        if level is None or (order[level] < order[destination] and (uses.net.chained or level is not source)):
            return False
    return True


def late(uses: Uses) -> bool:
    """Whether nodes that send on one pipe each only send, and those that receive only receive."""
    net = uses.net
    loops = any(pipe.has_loop for pipe in net.pipes)
    return not (net.multicast or net.chained or loops) and net.out_degree == 1


def alike(uses: Uses, others: Sequence[Uses]) -> Uses | None:
    """One of several nets whose semaphores another one can use, too; all are ``early``.

    Their pipes are the same, and one is done with, on every node, before the other one begins: the receiver's block
    of one is acquired after the other has received.
    """
    for other in others:
        first, second = _extent(other), _extent(uses)
        if first is None or second is None or _ends(uses) != _ends(other):
            continue
        if first[0] is second[0] and (first[2] < second[1] or second[2] < first[1]):
            return other
    return None


def _extent(uses: Uses) -> tuple[Block, int, int] | None:
    """The code in which an ``early`` net is used: from where the receiver's block is acquired to the receive."""
    acquire = dialect.acquired_from(uses.receives[0].dst)
    block = uses.ifs["dst"][0].parent
    if acquire is None or block is None:
        return None
    order = {op: index for index, op in enumerate(block.ops)}
    return block, order[acquire], order[uses.ifs["dst"][0]]


def _ends(uses: Uses) -> list[tuple[object, ...]]:
    return [(pipe.source, pipe.destinations) for pipe in uses.net.pipes]


# --- whether nodes do the same ---------------------------------------------------------------------------------


_WAITS = (
    dialect.AcquireOp,
    dialect.ReleaseOp,
    dialect.SemaphoreWaitOp,
    dialect.SemaphoreSetOp,
    dialect.SemaphoreIncOp,
    IfPipeOp,
)


def nodes_do_the_same(
    operation: dialect.OperationOp, nodes: Collection[Node], nets: dict[SSAValue, ChipNet]
) -> bool:
    """Whether these nodes acquire, release and reach pipes in one and the same order."""
    controls: dict[Operation, None] = {}
    for kernel in operation.kernels:
        for op in inside(kernel):
            if isinstance(op, _WAITS):
                around = list(ancestors(op))[1:]
                controls |= dict.fromkeys(around[: around.index(kernel)])
    slots = Slots(operation.grid.extents)
    return all(_is_same(control, nodes, nets, slots) for control in controls)


def _is_same(
    control: Operation, nodes: Collection[Node], nets: dict[SSAValue, ChipNet], slots: Slots
) -> bool:
    match control:
        case scf.IfOp():
            return _is_one_value(control.cond, nodes, slots)
        case scf.ForOp():
            return all(_is_one_value(value, nodes, slots) for value in (control.lb, control.ub, control.step))
        case affine.ForOp():
            return len(control.operands) == len(control.inits)
        case IfPipeOp():
            net = nets[control.net]
            role = net.sent if isinstance(control, dialect.IfPipeSrcOp) else net.received
            return len({len(role.get(node, ())) for node in nodes}) == 1
    return False


def _is_one_value(value: SSAValue, nodes: Collection[Node], slots: Slots) -> bool:
    if not _differs(value):
        return True
    scalar = compile_scalar(value, slots)
    if scalar is None:
        return False
    environment = slots.environment()
    values = set()
    for column, row in nodes:
        environment[NODE] = column * device_grid(slots.grid)[1] + row
        values.add(scalar.evaluate(environment))
    return len(values) == 1


def _differs(value: SSAValue) -> bool:
    """Whether a value may be another one on another node."""
    if isinstance(value, BlockArgument):
        loop = value.owner.parent_op()
        return not (isinstance(loop, scf.ForOp | affine.ForOp) and value.index == 0)
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, NodeOp | NodeLinearOp | dialect.IsPipeSrcOp | dialect.IsPipeDstOp) or op.regions:
        return True
    return any(_differs(operand) for operand in op.operands)
