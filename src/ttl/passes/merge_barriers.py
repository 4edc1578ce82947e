"""``ttkernel-merge-barriers``: one barrier for transfers that may be under way together.

Expects: kernels of ``ttkernel`` programs. Guarantees: no barrier for reads or writes is followed, in the same block of
code, by one that waits for at least as much, with no operation in between that needs the transfers that the first one
waits for; and no barrier is at a place where no transfer can be under way. Reads may still run while others start; data
may still leave while other writes start: dropping a barrier lets them overlap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from ttl.analysis.dominance import inside, outermost
from ttl.analysis.fixed_point import ForwardAnalysis
from ttl.dialects.ttkernel import AccessorOp, CommonArgOp, GetCBOp, KernelCallOp, KernelOp
from ttl.kernel_api.function_rows import Transfer, UnderWay
from ttl.passes.building import BECAUSE, erase
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import WHY

_COUNT = "ttl.waits"
# Barriers are merged if they wait for reads or writes; those that wait for increments stay where they are.
_BYTES: frozenset[UnderWay] = frozenset({"reads", "leaving", "arriving"})
_BEFORE_OR_AFTER: Mapping[Transfer, frozenset[UnderWay]] = {
    "read": frozenset({"reads"}),
    "write": frozenset({"leaving", "arriving"}),
}


@dataclass(frozen=True)
class MergeBarriers(ModulePass):
    """Drop barriers that a later one makes superfluous."""

    name = "ttkernel-merge-barriers"
    contract: ClassVar = Contract(needs=(PassFact.KERNELS,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in outermost(op, KernelOp):
            merge_barriers(kernel)


def merge_barriers(kernel: KernelOp) -> int:
    """Drop superfluous barriers from one kernel; returns how many."""
    dropped = 0
    blocks = [block for op in (kernel, *inside(kernel)) for region in op.regions for block in region.blocks]
    for block in blocks:
        dropped += _merge(block)
    dropped += drop_idle_barriers(kernel)
    for op in inside(kernel):
        _explain(op)
    return dropped


def _explain(op: Operation) -> None:
    """Note why a barrier that stays is there, and for how many waits."""
    reason = op.attributes.pop(BECAUSE, None)
    count = op.attributes.pop(_COUNT, None)
    if isinstance(reason, StringAttr):
        more = f"; one barrier for {count.data} waits" if isinstance(count, IntAttr) else ""
        op.attributes[WHY] = StringAttr(reason.data + more)


def _merge(block: Block) -> int:
    dropped = 0
    for op in list(block.ops):
        ends = _ends(op)
        later = _covering(op, ends) if ends & _BYTES else None
        if later is not None:
            later.attributes[_COUNT] = IntAttr(_waits(later) + _waits(op))
            erase(op)
            dropped += 1
    return dropped


def _waits(barrier: Operation) -> int:
    count = barrier.attributes.get(_COUNT)
    return count.data if isinstance(count, IntAttr) else 1


def _covering(barrier: Operation, ends: frozenset[UnderWay]) -> Operation | None:
    """A later barrier that makes this one superfluous, since it waits for at least as much; else None."""
    at = barrier.next_op
    while at is not None:
        if _ends(at) >= ends:
            return at
        if not _indifferent(at, ends):
            return None
        at = at.next_op
    return None


def _indifferent(op: Operation, ends: frozenset[UnderWay]) -> bool:
    """Whether an operation may move before a barrier: no write, a wait for a buffer, or transfers of its kind."""
    if isinstance(op, KernelCallOp):
        row = op.call
        if row.effect != "write":
            return True
        if row.on_buffer == "waits":
            return ends <= _BYTES
        same = None if row.transfer is None else _BEFORE_OR_AFTER.get(row.transfer)
        return same is not None and ends <= same
    if isinstance(op, scf.ForOp | scf.IfOp):
        inside = (item for region in op.regions for block in region.blocks for item in block.ops)
        return all(_indifferent(item, ends) for item in inside)
    return op.name.startswith("arith.") or isinstance(op, scf.YieldOp | GetCBOp | AccessorOp | CommonArgOp)


def _ends(op: Operation) -> frozenset[UnderWay]:
    return op.call.ends if isinstance(op, KernelCallOp) else frozenset()


# --- barriers where nothing can be under way -------------------------------------------------------------------


_State = frozenset[UnderWay]
_NOTHING: _State = frozenset()


def drop_idle_barriers(kernel: KernelOp) -> int:
    """Drop the barriers of a kernel that have nothing to wait for, on any path; returns how many."""
    transfers = _PendingTransfers()
    transfers.block(kernel.body.block, _NOTHING)
    idle = [op for op, state in transfers.before.items() if (ends := _ends(op)) and not state & ends]
    for op in idle:
        erase(op)
    return len(idle)


class _PendingTransfers(ForwardAnalysis[_State]):
    """The kinds of transfers that were started and not waited for, on some path."""

    def transfer(self, op: Operation, state: _State) -> _State:
        if not isinstance(op, KernelCallOp):
            return state
        return (state - op.call.ends) | op.call.starts

    def join(self, states: Sequence[_State]) -> _State:
        return _NOTHING.union(*states)
