"""``ttkernel-merge-barriers``: one barrier for transfers that may be under way together.

Expects: kernels of ``ttkernel`` programs. Guarantees: no barrier is followed, in the same block of code, by one that
waits for as much, with nothing in between that needs what the first waits for; and none is where nothing can be under
way. Reads may go on while others start; what is written may leave while other writes start. Dropping a barrier lets
them overlap.
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
from ttl.passes.building import BECAUSE, erase
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import WHY

_COUNT = "ttl.waits"
_READ = frozenset({"noc_async_read_barrier", "noc_async_full_barrier"})
_ARRIVED = frozenset({"noc_async_write_barrier", "noc_async_full_barrier"})
# By barrier: those that wait for as much.
_COVERED_BY = {
    "noc_async_read_barrier": _READ,
    "noc_async_write_barrier": _ARRIVED,
    "noc_async_writes_flushed": _ARRIVED | {"noc_async_writes_flushed"},
    "noc_async_full_barrier": frozenset({"noc_async_full_barrier"}),
}
_WAITS_FOR_ROOM = frozenset({"cb_reserve_back", "cb_wait_front"})
_STARTS_READ = frozenset({"noc_async_read", "noc_async_read_page", "noc_async_read_shard"})
_STARTS_WRITE = frozenset({"noc_async_write", "noc_async_write_page", "noc_async_write_shard"})
# By barrier: the calls that can come before it as well as after it.
_INDIFFERENT = {
    "noc_async_read_barrier": _WAITS_FOR_ROOM | _STARTS_READ,
    "noc_async_write_barrier": _WAITS_FOR_ROOM | _STARTS_WRITE,
    "noc_async_writes_flushed": _WAITS_FOR_ROOM | _STARTS_WRITE,
    "noc_async_full_barrier": frozenset[str](),
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
        name = _called(op)
        later = _covering(op, name) if name in _COVERED_BY else None
        if later is not None:
            later.attributes[_COUNT] = IntAttr(_waits(later) + _waits(op))
            erase(op)
            dropped += 1
    return dropped


def _waits(barrier: Operation) -> int:
    count = barrier.attributes.get(_COUNT)
    return count.data if isinstance(count, IntAttr) else 1


def _covering(barrier: Operation, name: str) -> Operation | None:
    """A later barrier that makes one superfluous."""
    at = barrier.next_op
    while at is not None:
        if _called(at) in _COVERED_BY[name]:
            return at
        if not _indifferent(at, _INDIFFERENT[name]):
            return None
        at = at.next_op
    return None


def _indifferent(op: Operation, allowed: frozenset[str]) -> bool:
    if isinstance(op, KernelCallOp):
        return op.call.effect != "write" or _called(op) in allowed
    if isinstance(op, scf.ForOp | scf.IfOp):
        inside = (item for region in op.regions for block in region.blocks for item in block.ops)
        return all(_indifferent(item, allowed) for item in inside)
    return op.name.startswith("arith.") or isinstance(op, scf.YieldOp | GetCBOp | AccessorOp | CommonArgOp)


def _called(op: Operation) -> str:
    return op.call.name if isinstance(op, KernelCallOp) else ""


# --- barriers where nothing can be under way -------------------------------------------------------------------


# What may be under way: reads; writes that have not left; writes that have not arrived; increments.
_State = frozenset[str]
_WRITE = frozenset({"leaving", "arriving"})
_STARTS: Mapping[str, _State] = {
    "noc_async_read": frozenset({"reads"}),
    "noc_async_read_page": frozenset({"reads"}),
    "noc_async_read_shard": frozenset({"reads"}),
    "noc_async_write": _WRITE,
    "noc_async_write_page": _WRITE,
    "noc_async_write_shard": _WRITE,
    "noc_async_write_multicast": _WRITE,
    "noc_async_write_multicast_loopback_src": _WRITE,
    "noc_semaphore_set_remote": _WRITE,
    "noc_semaphore_set_multicast": _WRITE,
    "noc_semaphore_set_multicast_loopback_src": _WRITE,
    "noc_inline_dw_write": _WRITE,
    "noc_semaphore_inc": frozenset({"increments"}),
    "noc_semaphore_inc_multicast": frozenset({"increments"}),
}
_ENDS: Mapping[str, _State] = {
    "noc_async_read_barrier": frozenset({"reads"}),
    "noc_async_writes_flushed": frozenset({"leaving"}),
    "noc_async_write_barrier": _WRITE,
    "noc_async_atomic_barrier": frozenset({"increments"}),
    "noc_async_full_barrier": frozenset({"reads", "increments"}) | _WRITE,
}
_NOTHING: _State = frozenset()


def drop_idle_barriers(kernel: KernelOp) -> int:
    """Drop the barriers of a kernel that have nothing to wait for, on any path; returns how many."""
    transfers = _UnderWay()
    transfers.block(kernel.body.block, _NOTHING)
    idle = [
        op
        for op, state in transfers.before.items()
        if (ends := _ENDS.get(_called(op))) is not None and not state & ends
    ]
    for op in idle:
        erase(op)
    return len(idle)


class _UnderWay(ForwardAnalysis[_State]):
    """What was started and not waited for, on some path."""

    def transfer(self, op: Operation, state: _State) -> _State:
        if not isinstance(op, KernelCallOp):
            return state
        return (state - _ENDS.get(op.call.name, _NOTHING)) | _STARTS.get(op.call.name, _NOTHING)

    def join(self, states: Sequence[_State]) -> _State:
        return _NOTHING.union(*states)
