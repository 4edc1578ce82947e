"""``ttl-prefetch``: a data movement kernel starts the transfers of several iterations before it waits for the first.

Each wait for the network takes as long as the furthest bank is away; where blocks are small, that is most of the time. The
loop that fills a buffer does several iterations in one: first it reserves the blocks of all of them and starts their
transfers, then it waits for these, then it pushes all blocks.

Expects: operations whose pushes, pops and waits are there (``ttl-infer-sync``). Guarantees: the innermost loop around
the operations that fill each named buffer does that many iterations in one; iterations that are left over follow in a
loop of their own. Buffers that the loop fills hold as many more blocks as are reserved ahead, so that no kernel waits
forever that did not before: when the iterations begin, all blocks reserved earlier have been pushed, and the blocks
that consumers release for them are room for all new ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from ttl.analysis.dominance import ancestors
from ttl.analysis.effects import is_free
from ttl.analysis.loops import Loop, trips
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered
from ttl.ir.refusals import Refused
from ttl.passes.building import detach
from ttl.passes.choices import named, operations_of
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.scheduling.buffer_factor import buffers_of, refusal, set_blocks
from ttl.passes.structured.loops import unroll

_WAY_OUT = "prefetch only in loops that do nothing but copy from tensors into blocks"


@dataclass(frozen=True)
class Prefetch(ModulePass):
    """Start the transfers of several iterations of a loop before the first is waited for.

    ``turns`` has the number of iterations for the loops that fill some buffers: ``a_dfb:2,b_dfb:4``.
    """

    name = "ttl-prefetch"
    contract: ClassVar = Contract(needs=(PassFact.SYNC,), before=(PassFact.BUFFERED,))
    turns: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of(op):
            buffers = buffers_of(operation)
            try:
                for name, text in named("turns", self.turns).items():
                    if name in buffers:
                        prefetch(buffers[name], int(text))
            except Refused as problem:
                raise NotLowered([refusal(problem, operation)]) from None


def prefetch(dfb: dialect.CreateDfbOp, turns: int) -> None:
    """Let the loops that fill a buffer start the transfers of ``turns`` iterations together.

    Raises ``Refused`` where a loop cannot do that.
    """
    loops = filling_loops(dfb)
    if turns < 2:
        raise Refused(
            f"{turns} iteration at a time is what the loop does already", "give a distance from 2 on", dfb
        )
    for loop in loops:
        require_movable(loop, turns)
    for loop in loops:
        ahead = turns if _reserves_after_push(loop) else turns - 1
        for other in _filled_in(loop):
            set_blocks(other, other.result.type.block_count + ahead)
        block, before, following = loop.parent, loop.prev_op, loop.next_op
        assert block is not None
        unrolled = unroll(loop, turns)
        if unrolled is not None:
            *_, following = unrolled.body.block.ops
            block, before = unrolled.body.block, None
        _regroup(block, before, following)


def filling_loops(dfb: dialect.CreateDfbOp) -> list[Loop]:
    """The innermost loops in which a buffer is filled from a tensor. Raises ``Refused`` if there is no such loop."""
    loops: dict[Loop, None] = {}
    for use in dfb.result.uses:
        kernel_loops = [op for op in ancestors(use.operation) if isinstance(op, affine.ForOp | scf.ForOp)]
        if isinstance(use.operation, dialect.DfbReserveOp) and _is_copied_into(use.operation):
            if not kernel_loops or use.operation.parent is not kernel_loops[0].body.block:
                raise Refused(
                    f"{dfb.buffer_name.data} is not filled in a loop of its own", _WAY_OUT, use.operation
                )
            loops[kernel_loops[0]] = None
    if not loops:
        raise Refused(f"{dfb.buffer_name.data} is not filled from a tensor", _WAY_OUT, dfb)
    return list(loops)


def _is_copied_into(reserve: dialect.DfbReserveOp) -> bool:
    return any(
        isinstance(use.operation, dialect.CopyOp) and isinstance(use.operation.src.type, dialect.SliceType)
        for use in reserve.result.uses
    )


def require_movable(loop: Loop, turns: int) -> None:
    """Raise ``Refused`` for a loop of which several iterations cannot start together."""
    count = trips(loop)
    if count is None or count < turns:
        known = (
            "how many iterations it takes is not known" if count is None else f"it takes {count} iterations"
        )
        raise Refused(
            f"the loop cannot do {turns} iterations in one: {known}", "give a smaller distance, or none", loop
        )
    for op in loop.body.block.ops:
        if isinstance(op, dialect.CopyOp):
            if not isinstance(op.src.type, dialect.SliceType):
                raise Refused("the loop copies from a block or a pipe", _WAY_OUT, op)
        elif not (isinstance(op, dialect.WaitOp | dialect.DfbReserveOp | dialect.DfbPushOp) or _is_plain(op)):
            raise Refused(f"the loop also does {op.name}", _WAY_OUT, op)
    if not all(
        use.operation.parent is loop.body.block
        for op in loop.body.block.ops
        for result in op.results
        for use in result.uses
    ):
        raise Refused("values of the loop are used further inside", _WAY_OUT, loop)


def _is_plain(op: Operation) -> bool:
    return isinstance(op, dialect.TensorSliceOp | affine.YieldOp | scf.YieldOp) or is_free(op)


def _reserves_after_push(loop: Loop) -> bool:
    """Whether an iteration reserves a block after it has pushed one, as iterations that were unrolled do."""
    released = False
    for op in loop.body.block.ops:
        released |= isinstance(op, dialect.DfbPushOp)
        if released and isinstance(op, dialect.DfbReserveOp):
            return True
    return False


def _filled_in(loop: Loop) -> list[dialect.CreateDfbOp]:
    """The buffers of which a loop reserves blocks, each as often as an iteration reserves one."""
    owners = [op.dfb.owner for op in loop.body.block.ops if isinstance(op, dialect.DfbReserveOp)]
    return [owner for owner in owners if isinstance(owner, dialect.CreateDfbOp)]


def _regroup(block: Block, before: Operation | None, following: Operation | None) -> None:
    """Between two operations, put all waits behind the starts of transfers, and all pushes behind the waits."""
    ops: list[Operation] = []
    op = block.first_op if before is None else before.next_op
    while op is not None and op is not following:
        ops.append(op)
        op = op.next_op
    for kind in (dialect.WaitOp, dialect.DfbPushOp):
        for late in [item for item in ops if isinstance(item, kind)]:
            detach(late)
            if following is None:
                block.add_op(late)
            else:
                block.insert_op_before(late, following)
