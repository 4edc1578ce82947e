"""Which blocks of a buffer a kernel holds at the same time.

A circular buffer is read from its front and written at its back. A block that is acquired while others of the same
buffer are held lies behind them, as long as none of them is at the end of the ring. The analysis follows through loops
and branches which blocks are held, and where in the ring the first of them lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.dominance import walked
from ttl.analysis.fixed_point import ForwardAnalysis
from ttl.analysis.scalars import Slots, compile_scalar, grid_of
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered, placed
from ttl.passes.marks import FIRST_OF


@dataclass(frozen=True, slots=True)
class _Ring:
    """The state of a buffer in one kernel: blocks released so far, modulo the size of the ring, and blocks held."""

    turned: int
    held: int


# For each end of a buffer (reserve or wait), all states that are possible.
_State = Mapping[tuple[type[Operation], SSAValue], frozenset[_Ring]]
_START = frozenset({_Ring(0, 0)})


def holdings(kernel: dialect.UserKernelOp) -> Mapping[dialect.AcquireOp, int]:
    """Return how many blocks of its buffer a kernel holds already at each of its acquisitions.

    Raises ``NotLowered`` if the number differs from one time to the next, or the block of a compute kernel may lie
    beyond the end of the ring (``wrapping``).
    """
    result: dict[dialect.AcquireOp, int] = {}
    problems: list[Diagnostic] = []
    for acquire, rings in _Rings(kernel).acquired():
        numbers = {ring.held for ring in rings}
        count = _block_count(acquire)
        if len(numbers) != 1:
            problems.append(_differs(acquire, numbers))
        elif _beyond(rings, count) and isinstance(kernel, dialect.ComputeKernelOp):
            problems.append(_wraps(acquire, count, _enough(kernel, acquire.dfb, count)))
        result[acquire] = min(numbers)
    if problems:
        raise NotLowered(problems)
    return result


def wrapping(kernel: dialect.UserKernelOp) -> set[dialect.AcquireOp]:
    """Acquisitions whose block may lie beyond the end of the ring, which only data movement kernels can address."""
    return {acquire for acquire, rings in _Rings(kernel).acquired() if _beyond(rings, _block_count(acquire))}


def _beyond(rings: Iterable[_Ring], count: int) -> bool:
    return any(ring.held and ring.turned + ring.held >= count for ring in rings)


def _enough(kernel: dialect.UserKernelOp, buffer: SSAValue, count: int) -> int | None:
    """The next number of blocks, up to twice as many, with which no block lies beyond the end, or None."""
    for more in range(count + 1, 2 * count + 1):
        acquired = _Rings(kernel, {buffer: more}).acquired()
        if not any(_beyond(rings, more) for acquire, rings in acquired if acquire.dfb is buffer):
            return more
    return None


def _block_count(acquire: dialect.AcquireOp) -> int:
    type_ = acquire.dfb.type
    assert isinstance(type_, dialect.DataflowBufferType)
    return type_.block_count


class _Rings(ForwardAnalysis[_State]):
    """The possible states of a kernel's rings; ``counts`` overrides the number of blocks of some buffers."""

    def __init__(self, kernel: dialect.UserKernelOp, counts: Mapping[SSAValue, int] | None = None) -> None:
        super().__init__()
        self._counts = counts or {}
        # Each ``ttl.wait_any`` with the slot of its answer (which receive completes first) and the number of answers.
        # The environment holds the answers that are assumed.
        self._slots = Slots(grid_of(kernel))
        self._waits = {
            op: (self._slots.of(op.results[0]), count)
            for op in walked(kernel)
            if (count := _answers(op)) is not None
        }
        self._environment: list[int | None] = [None] * len(self._slots)
        self.block(kernel.body.block, {})

    def acquired(self) -> Iterator[tuple[dialect.AcquireOp, frozenset[_Ring]]]:
        """Every acquisition with the possible states of its ring there."""
        for op, state in self.before.items():
            if isinstance(op, dialect.AcquireOp):
                yield op, state.get((type(op), op.dfb), _START)

    def block(self, block: Block, state: _State) -> _State:
        return self._behind(list(block.ops), state) if self._waits else super().block(block, state)

    def _behind(self, ops: list[Operation], state: _State) -> _State:
        """The state after operations; after a ``ttl.wait_any``, each of its answers is followed separately."""
        for position, op in enumerate(ops):
            self.before[op] = state
            if op in self._waits:
                return self._behind_first(*self._waits[op], ops[position + 1 :], state)
            state = self.after(op, state) if op.regions else self.transfer(op, state)
        return state

    def _behind_first(self, slot: int, count: int, behind: list[Operation], state: _State) -> _State:
        before, ends = self.before, []
        for number in range(count):
            self._environment[slot], self.before, self._settled = number, {}, {}
            ends.append(self._behind(behind, state))
            before = {
                **before,
                **{
                    item: self.join([before[item], known]) if number and item in before else known
                    for item, known in self.before.items()
                },
            }
        self._environment[slot], self.before, self._settled = None, before, {}
        return self.join(ends)

    def after(self, op: Operation, state: _State) -> _State:
        if self._waits and isinstance(op, scf.IfOp):
            condition = compile_scalar(op.cond, self._slots)
            if condition is not None and all(self._environment[slot] is not None for slot in condition.slots):
                region = op.true_region if condition.evaluate(self._environment) else op.false_region
                return self.block(region.block, state) if region.blocks else state
        return super().after(op, state)

    def transfer(self, op: Operation, state: _State) -> _State:
        match op:
            case dialect.AcquireOp():
                limit = self._count(op)
                return self._turned(state, op, lambda ring: _Ring(ring.turned, min(ring.held + 1, limit)))
            case dialect.ReleaseOp() if (acquire := dialect.acquired_from(op.block)) is not None:
                count = self._count(acquire)
                return self._turned(
                    state, acquire, lambda ring: _Ring((ring.turned + 1) % count, max(ring.held - 1, 0))
                )
        return state

    def join(self, states: Sequence[_State]) -> _State:
        keys = dict.fromkeys(key for state in states for key in state)
        return {key: frozenset().union(*(state.get(key, _START) for state in states)) for key in keys}

    def _turned(self, state: _State, acquire: dialect.AcquireOp, change: Callable[[_Ring], _Ring]) -> _State:
        key = (type(acquire), acquire.dfb)
        turned = frozenset(map(change, state.get(key, _START)))
        if turned != _START:
            return {**state, key: turned}
        # A ring in its initial state has no entry, which keeps states small: a kernel may have very many buffers.
        return {other: rings for other, rings in state.items() if other != key}

    def _count(self, acquire: dialect.AcquireOp) -> int:
        return self._counts.get(acquire.dfb) or _block_count(acquire)


def _answers(op: Operation) -> int | None:
    """Return the number of answers of ``ttl.wait_any``, or of the loop that it has become; None for other operations."""
    if isinstance(op, dialect.WaitAnyOp):
        return len(op.transfers)
    count = op.attributes.get(FIRST_OF)
    return count.value.data if isinstance(count, IntegerAttr) else None


def _differs(acquire: dialect.AcquireOp, numbers: set[int]) -> Diagnostic:
    texts = " or ".join(map(str, sorted(numbers)))
    return placed(
        error(
            "TTL1401",
            f"{_name(acquire)} is acquired while the kernel holds {texts} other blocks of it, depending on the path to this line",
            notes=("the address of a block is known only if the number of blocks held before it is",),
            help="release the blocks of one iteration before the next one begins",
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
            f"the block of {_name(acquire)} may be beyond the end of its ring of {count} blocks",
            notes=(
                "blocks that are held together are addressed from the first of them on, and the ring does not "
                "continue behind its end",
            ),
            help=instead,
        ),
        acquire,
    )


def _name(acquire: dialect.AcquireOp) -> str:
    owner = acquire.dfb.owner
    return owner.buffer_name.data if isinstance(owner, dialect.CreateDfbOp) else "the buffer"
