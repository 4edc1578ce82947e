"""Which protocol suits a net: see ``ttl.passes.pipes.plan``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from xdsl.dialects import affine, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ttl.analysis.dominance import ancestor_in, ancestors, inside, walked
from ttl.analysis.effects import writes
from ttl.analysis.elements import FOUND_OUT
from ttl.analysis.network import Node, device_grid, overlapping
from ttl.analysis.scalars import NODE, Slots, compile_scalar
from ttl.dialects import ttl as dialect
from ttl.dialects.effects import BUFFERS, SEMAPHORES, BarrierType, SynchronizationOp
from ttl.dialects.pipes import IfPipeOp
from ttl.dialects.queries import NodeLinearOp, NodeOp
from ttl.dialects.structure import kernel_of
from ttl.passes.marks import HOLDS, IN_COLUMNS, INITIAL, SHARES, is_made, parts_of
from ttl.passes.movement.waits import kind_of, waited_copies
from ttl.passes.pipes.net import ChipNet, Uses


def waits_in_functions(active: list[Uses]) -> bool:
    """Whether a function given to ``if_src`` or ``if_dst`` acquires or releases blocks."""
    return any(
        isinstance(item, dialect.AcquireOp | dialect.ReleaseOp)
        for uses in active
        for op in (*uses.ifs["src"], *uses.ifs["dst"])
        for item in walked(op)
    )


def early(uses: Uses) -> bool:
    """Whether the receiver's block is acquired before anything is sent, and not used before the message is received.

    Then all nodes acquire, send and receive in one order, so that no node waits for one that is behind it.
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
        return False  # destinations on several chips, or not in a rectangle
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
    """Whether each node only sends, on one pipe to one other node, or only receives, and one message at a time."""
    net = uses.net
    loops = any(pipe.has_loop for pipe in net.pipes)
    apart = not any(overlapping(receive, uses.receives)[0] for receive in uses.receives)
    return not (net.multicast or net.chained or loops) and net.out_degree == 1 and apart


def direct(uses: Uses) -> bool:
    """Whether messages can land in the blocks that are acquired for them.

    The n-th message of a pipe, which leads to one node, goes into the n-th block of a buffer that nothing else is ever put
    into: that node acquires one block for each receive, right before it, and does nothing with it until the message is there.
    """
    net = uses.net
    if net.out_degree != 1 or net.in_degree != 1 or net.multicast:
        return False
    if len({bool(pipe.own) for pipe in net.pipes}) != 1 or any(pipe.has_loop for pipe in net.pipes):
        return False
    acquires = [receive.dst.owner for receive in uses.receives]
    dfb = acquires[0].dfb if acquires and isinstance(acquires[0], dialect.DfbReserveOp) else None
    if dfb is None or not isinstance(dfb.owner, dialect.CreateDfbOp):
        return False
    buffer, users = dfb.owner, [use.operation for use in dfb.uses]
    if (
        buffer.memory is not None
        or buffer.group is not None
        or buffer.scope_word is not None
        or buffer.attributes.keys() & _SHARED
    ):
        return False
    reserves = [op for op in users if isinstance(op, dialect.DfbReserveOp)]
    return (
        len(acquires) == len(reserves)
        and set(acquires) == set(reserves)
        and all(isinstance(op, dialect.AcquireOp) and parts_of(op) is None for op in users)
        and len({kernel_of(receive) for receive in uses.receives}) == 1
        and {send.src.type for send in uses.sends} <= {receive.dst.type for receive in uses.receives}
        and all(map(_is_received_at_once, uses.receives))
    )


# Attributes of buffers on which other code relies, beside the operations that acquire their blocks.
_SHARED = {INITIAL, SHARES, HOLDS, IN_COLUMNS}


def _is_received_at_once(receive: dialect.CopyOp) -> bool:
    """Whether a receive is the first use of its block, before another is acquired, and without ``ttl.wait_any``."""
    acquire = receive.dst.owner
    assert (
        isinstance(acquire, dialect.DfbReserveOp)
        and acquire.parent is not None
        and receive.parent is not None
    )
    level, role = ancestor_in(receive, acquire.parent), receive.parent_op()
    if level is not receive and not (level is role and isinstance(role, dialect.IfPipeDstOp)):
        return False
    assert level is not None
    between = list(_up_to(acquire.next_op, level))
    if level is not receive:
        between += _up_to(receive.parent.first_op, receive)
    return not any(
        acquire.result in op.operands or (isinstance(op, dialect.DfbReserveOp) and op.dfb is acquire.dfb)
        for item in between
        for op in walked(item)
    ) and not any(isinstance(use.operation, dialect.WaitAnyOp) for use in receive.result.uses)


def _up_to(op: Operation | None, end: Operation) -> Iterator[Operation]:
    """Yield the operations of a block from ``op`` up to, but without, ``end``."""
    while op is not None and op is not end:
        yield op
        op = op.next_op


def alike(uses: Uses, others: Sequence[Uses]) -> Uses | None:
    """Return a net of ``others`` whose semaphores a net can use, too, or None; all nets are ``early``.

    Both nets have the same pipes, and on every node one of them is finished before the second one begins: the
    receiver's block of the second is acquired after the first has received.
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


def eager(uses: Uses) -> bool:
    """Whether the sender of an ``early`` net may continue before its message has left.

    The sender does not write the block again before it has waited for the receivers of the next message, and these have
    received the previous one by then. For that, everything happens once in each iteration of the same code, the buffer
    has another block for the next iteration, and nothing else is ever put into it.
    """
    (send,), (receive,), (source,) = uses.sends, uses.receives, uses.ifs["src"]
    acquire = dialect.acquired_from(send.src)
    block = source.parent
    if not isinstance(acquire, dialect.DfbReserveOp) or acquire.parent is not block or block is None:
        return False
    buffer = acquire.dfb.type
    assert isinstance(buffer, dialect.DataflowBufferType)
    reserves = [use.operation for use in acquire.dfb.uses if isinstance(use.operation, dialect.DfbReserveOp)]
    if buffer.block_count < 2 or reserves != [acquire] or any(pipe.has_loop for pipe in uses.net.pipes):
        return False
    handles = [*send.result.uses, *receive.result.uses]
    if not all(isinstance(use.operation, dialect.WaitOp) for use in handles):
        return False
    return all(
        isinstance(use.operation, dialect.ReleaseOp)
        or use.operation in (send, receive)
        or _comes_before(use.operation, send, source, block)
        for use in acquire.result.uses
    )


def _comes_before(op: Operation, send: Operation, source: Operation, block: Block) -> bool:
    """Whether an operation comes before a send, which is in ``source``, in the same iteration of a block of code."""
    for inner, end in ((send.parent, send), (block, source)):
        assert inner is not None
        at = ancestor_in(op, inner)
        if at is not None:
            order = {item: index for index, item in enumerate(inner.ops)}
            return order[at] < order[end]
    return False


def can_be_staged(uses: Uses, send: dialect.CopyOp, *, in_step: bool) -> bool:
    """Whether the chip can do a ``staged`` send; ``in_step``: all nodes do the same, step by step."""
    return _waited_for_at_once(send) or _never_waits(uses) or (in_step and _received_in_turn(uses))


def _never_waits(uses: Uses) -> bool:
    """Whether every pipe of a net carries one message, for which there is room from the start."""
    return len(uses.sends) == 1 and not _loops_around(uses.sends[0])


def _received_in_turn(uses: Uses) -> bool:
    """Whether each iteration of the same loops, in one kernel, sends one message and receives one.

    Then nodes that go step by step find the last message received where they send the next one.
    """
    if len(uses.sends) != 1 or len(uses.receives) != 1:
        return False
    (send,), (receive,) = uses.sends, uses.receives
    waits = [use.operation for use in receive.result.uses]
    return (
        kernel_of(send) is kernel_of(receive)
        and len(waits) == 1
        and _loops_around(send) == _loops_around(receive) == _loops_around(waits[0])
        and not any(isinstance(op, scf.IfOp) for copy in (send, receive) for op in ancestors(copy))
    )


def _loops_around(op: Operation) -> list[Operation]:
    return [
        ancestor for ancestor in ancestors(op) if isinstance(ancestor, scf.ForOp | affine.ForOp | scf.WhileOp)
    ]


def _waited_for_at_once(send: dialect.CopyOp) -> bool:
    """Whether nothing that can block comes between a send and its wait.

    The message of a staged send leaves where it is sent, after the one before it was received.
    """
    waits = {use.operation for use in send.result.uses}
    at = send.next_op
    while at is not None and at not in waits:
        if any(map(_may_wait_for_others, walked(at))):
            return False
        at = at.next_op
    return at is not None


def _may_wait_for_others(op: Operation) -> bool:
    """Whether an operation may wait for another kernel or node, and not only for memory."""
    if isinstance(op, dialect.WaitOp | dialect.GroupWaitOp):
        return not all(kind_of(copy) in ("read", "write") for copy in waited_copies(op))
    if isinstance(op, SynchronizationOp):
        return op.scope == "grid" or BarrierType.DFB in op.barriers
    return isinstance(op, IfPipeOp)


# --- whether nodes do the same ---------------------------------------------------------------------------------


def signals_by_itself(operation: dialect.OperationOp) -> bool:
    """Whether nodes may act in different orders: the program has semaphores, or depends on the order of messages."""
    return any(
        isinstance(op, dialect.CreateSemaphoreOp) and not is_made(op) for op in operation.body.block.ops
    ) or any(isinstance(op, dialect.WaitAnyOp) for op in inside(operation))


def nodes_do_the_same(
    operation: dialect.OperationOp, nodes: Collection[Node], nets: dict[SSAValue, ChipNet]
) -> bool:
    """Whether these nodes acquire, release and reach pipes in one and the same order."""
    controls: dict[Operation, None] = {}
    for kernel in operation.kernels:
        for op in inside(kernel):
            if isinstance(op, IfPipeOp) or writes(op, BUFFERS, SEMAPHORES):
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
    columns, rows = device_grid(slots.grid)
    for column, row, chip in nodes:
        environment[NODE] = (chip * columns + column) * rows + row
        values.add(scalar.evaluate(environment))
    return len(values) == 1


def _differs(value: SSAValue) -> bool:
    """Whether a value may differ from node to node."""
    if isinstance(value, BlockArgument):
        loop = value.owner.parent_op()
        return not (isinstance(loop, scf.ForOp | affine.ForOp) and value.index == 0)
    op = value.owner
    assert isinstance(op, Operation)
    of_node = (NodeOp, NodeLinearOp, dialect.IsPipeSrcOp, dialect.IsPipeDstOp, *FOUND_OUT)
    if isinstance(op, of_node) or op.regions:
        return True
    return any(_differs(operand) for operand in op.operands)
