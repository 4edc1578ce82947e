"""Barriers where nothing can be under way: found by following what has been started since the last barrier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from ttl.analysis.fixed_point import ForwardAnalysis
from ttl.dialects.ttkernel import CallOp, KernelOp
from ttl.passes.building import erase

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
        if isinstance(op, CallOp) and op.call.name in _ENDS and not state & _ENDS[op.call.name]
    ]
    for op in idle:
        erase(op)
    return len(idle)


class _UnderWay(ForwardAnalysis[_State]):
    """What was started and not waited for, on some path."""

    def transfer(self, op: Operation, state: _State) -> _State:
        if not isinstance(op, CallOp):
            return state
        return (state - _ENDS.get(op.call.name, _NOTHING)) | _STARTS.get(op.call.name, _NOTHING)

    def join(self, states: Sequence[_State]) -> _State:
        return _NOTHING.union(*states)
