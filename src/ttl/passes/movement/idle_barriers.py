"""Barriers where nothing can be under way: found by following what has been started since the last barrier."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from ttl.dialects.ttkernel import CallOp, KernelOp, ZoneOp
from ttl.ir.failure import turns
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
# As often as there are kinds of what may be under way, and once more to see that nothing is new.
_MOST_TURNS = 10


def drop_idle_barriers(kernel: KernelOp) -> int:
    """Drop the barriers of a kernel that have nothing to wait for, on any path; returns how many."""
    walk = _Walk()
    walk.block(kernel.body.block, _NOTHING)
    idle = [op for op, state in walk.seen.items() if not state & _ENDS[op.call.name]]
    for op in idle:
        erase(op)
    return len(idle)


class _Walk:
    def __init__(self) -> None:
        self.seen: dict[CallOp, _State] = {}

    def block(self, block: Block, state: _State) -> _State:
        for op in block.ops:
            state = self._op(op, state)
        return state

    def _op(self, op: Operation, state: _State) -> _State:
        match op:
            case CallOp():
                name = op.call.name
                if name in _ENDS:
                    self.seen[op] = self.seen.get(op, _NOTHING) | state
                    return state - _ENDS[name]
                return state | _STARTS.get(name, _NOTHING)
            case ZoneOp():
                return self.block(op.body.block, state)
            case scf.IfOp():
                branches = [self.block(region.block, state) for region in op.regions if region.blocks]
                without = [] if len(branches) == 2 else [state]
                return _NOTHING.union(*branches, *without)
        if not op.regions:
            return state
        # A loop: what one turn leaves under way is there in the next.
        for _ in turns("following the transfers of a loop", _MOST_TURNS):
            after = state
            for region in op.regions:
                after = self.block(region.block, after)
            if after <= state:
                break
            state |= after
        return state
