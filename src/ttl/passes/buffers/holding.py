"""Which blocks of a buffer a kernel holds at the same time.

A circular buffer is read from its front and written at its back. A block that is acquired while others of the same
buffer are held lies behind them, as long as none of them is at the end of the ring. Which blocks are held, and where
the ring has turned to, is followed through loops and branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.affine import ForOp as AffineForOp
from xdsl.ir import Block, Operation, SSAValue

from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.ir.failure import NotLowered, placed, turns


@dataclass(frozen=True, slots=True)
class _Ring:
    """One buffer as one kernel sees it: blocks given back so far, modulo the ring, and blocks held."""

    turned: int
    held: int


# By the end (reserve or wait) and the buffer, everything that may be the case.
_State = dict[tuple[type[Operation], SSAValue], frozenset[_Ring]]
_START = frozenset({_Ring(0, 0)})
_MOST_TURNS = 100_000


def held_before(acquire: dialect.AcquireOp) -> int:
    """How many blocks of its buffer a kernel holds already where it acquires one.

    Raises ``NotLowered``: the number differs from one time to the next, or the block of a compute kernel may lie
    beyond the end of the ring (``wrapping``).
    """
    return holdings(kernel_of(acquire))[acquire]


def holdings(kernel: dialect.KernelOp) -> Mapping[dialect.AcquireOp, int]:
    """``held_before`` of every acquisition of a kernel."""
    walk = _Walk()
    walk.block(kernel.body.block, {})
    found: dict[dialect.AcquireOp, int] = {}
    problems: list[Diagnostic] = []
    for acquire, rings in walk.seen.items():
        numbers = {ring.held for ring in rings}
        count = _block_count(acquire)
        if len(numbers) != 1:
            problems.append(_differs(acquire, numbers))
        elif _beyond(rings, count) and isinstance(kernel, dialect.ComputeKernelOp):
            problems.append(_wraps(acquire, count, _enough(kernel, acquire.dfb, count)))
        found[acquire] = min(numbers)
    if problems:
        raise NotLowered(problems)
    return found


def wrapping(kernel: dialect.KernelOp) -> set[dialect.AcquireOp]:
    """Acquisitions whose block may lie beyond the end of the ring, which data movement kernels can follow."""
    walk = _Walk()
    walk.block(kernel.body.block, {})
    return {acquire for acquire, rings in walk.seen.items() if _beyond(rings, _block_count(acquire))}


def _beyond(rings: Iterable[_Ring], count: int) -> bool:
    return any(ring.held and ring.turned + ring.held >= count for ring in rings)


def _enough(kernel: dialect.KernelOp, buffer: SSAValue, count: int) -> int | None:
    """The next number of blocks, up to twice as many, with which no block lies beyond the end; None where none will do."""
    for more in range(count + 1, 2 * count + 1):
        walk = _Walk({buffer: more})
        walk.block(kernel.body.block, {})
        if not any(_beyond(rings, more) for each, rings in walk.seen.items() if each.dfb is buffer):
            return more
    return None


def _block_count(acquire: dialect.AcquireOp) -> int:
    type_ = acquire.dfb.type
    assert isinstance(type_, dialect.DataflowBufferType)
    return type_.block_count


class _Walk:
    """Follows the blocks of a kernel; ``counts`` are numbers of blocks other than those that buffers have."""

    def __init__(self, counts: Mapping[SSAValue, int] | None = None) -> None:
        self.seen: dict[dialect.AcquireOp, set[_Ring]] = {}
        self._counts = counts or {}

    def _count(self, acquire: dialect.AcquireOp) -> int:
        return self._counts.get(acquire.dfb) or _block_count(acquire)

    def block(self, block: Block, state: _State) -> _State:
        """What is the case behind a block; ``state``, which becomes that, is the caller's no longer."""
        for op in block.ops:
            if op.regions or isinstance(op, dialect.AcquireOp | dialect.ReleaseOp):
                state = self._op(op, state)
        return state

    def _op(self, op: Operation, state: _State) -> _State:
        match op:
            case dialect.AcquireOp():
                key = (type(op), op.dfb)
                rings = state.get(key, _START)
                self.seen.setdefault(op, set()).update(rings)
                limit = self._count(op)
                state[key] = frozenset(_Ring(each.turned, min(each.held + 1, limit)) for each in rings)
                return state
            case dialect.ReleaseOp():
                acquire = dialect.acquired_from(op.block)
                if acquire is None:
                    return state
                key = (type(acquire), acquire.dfb)
                count = self._count(acquire)
                state[key] = frozenset(
                    _Ring((each.turned + 1) % count, max(each.held - 1, 0)) for each in state.get(key, _START)
                )
                return state
            case scf.ForOp() | AffineForOp() | scf.WhileOp():
                return self._loop(op, state)
        if not op.regions:
            return state
        branches = [self.block(region.block, dict(state)) for region in op.regions if region.blocks]
        if isinstance(op, scf.IfOp) and any(not region.blocks for region in op.regions):
            branches.append(state)
        if not isinstance(op, scf.IfOp):
            branches.append(state)
        return _joined(branches)

    def _loop(self, loop: Operation, state: _State) -> _State:
        # Each turn adds at least one of the positions of a ring, for one of the buffers of the kernel.
        for _ in turns("following the blocks of a loop", _MOST_TURNS):
            after = state
            for region in loop.regions:
                after = self.block(region.block, dict(after))
            joined = _joined([state, after])
            if joined == _joined([state]):
                break
            state = joined
        return joined


def _joined(states: Iterable[_State]) -> _State:
    found: _State = {}
    every = list(states)
    for key in dict.fromkeys(key for state in every for key in state):
        found[key] = frozenset().union(*(state.get(key, _START) for state in every))
    return found


def _differs(acquire: dialect.AcquireOp, numbers: set[int]) -> Diagnostic:
    texts = " or ".join(map(str, sorted(numbers)))
    return placed(
        error(
            "TTL1401",
            f"{_name(acquire)} is acquired while the kernel holds {texts} other blocks of it, depending on the way here",
            notes=("the address of a block is known only if the number of blocks held before it is",),
            help="release the blocks of one turn before the next one begins",
        ),
        acquire,
    )


def _wraps(acquire: dialect.AcquireOp, count: int, enough: int | None) -> Diagnostic:
    instead = (
        f"give the buffer block_count={enough}: the ring then ends where blocks that are held together end"
        if enough is not None
        else "release all blocks that are held together before acquiring the next ones, or copy the block that "
        "is kept into a buffer of its own"
    )
    return placed(
        error(
            "TTL1402",
            f"the block of {_name(acquire)} may lie beyond the end of its ring of {count} blocks",
            notes=(
                "blocks that are held together are addressed from the first of them on, and the ring does not "
                "go on behind its end",
            ),
            help=instead,
        ),
        acquire,
    )


def _name(acquire: dialect.AcquireOp) -> str:
    owner = acquire.dfb.owner
    return owner.buffer_name.data if isinstance(owner, dialect.CreateDfbOp) else "the buffer"
