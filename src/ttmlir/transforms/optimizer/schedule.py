"""The order of the operations of a function while chains are built, and the operations that are ready next.

An operation is ready when all operations whose first results it uses are scheduled. Of several ready operations, the
real project takes any; this module takes the first one in program order.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Block, Operation

from tt_model.operations.operation import RowOperation
from tt_model.operations.ttnn import TTNNEmptyOp, TTNNToLayoutOp


def is_schedulable(op: Operation) -> bool:
    """Whether an operation is scheduled: it has results, and is no destination, which follows its writer."""
    return not isinstance(op, TTNNEmptyOp) and len(op.results) > 0


class Schedule:
    """The operations of a block, taken one by one."""

    def __init__(self, block: Block) -> None:
        self._operations = [op for op in block.ops if is_schedulable(op)]
        self._place = {op: index for index, op in enumerate(self._operations)}
        self._waits_for = dict.fromkeys(self._operations, 0)
        for op in self._operations:
            for user in self.users(op):
                self._waits_for[user] += 1
        self._done: set[Operation] = set()
        self._ready: list[int] = []
        self._ready_changes: list[int] = []
        self.order: list[Operation] = []
        for op in self._operations:
            if self._waits_for[op] == 0:
                self._becomes_ready(op)

    def users(self, op: Operation) -> Iterator[Operation]:
        """The users of the first result of an operation, once for each use, in program order."""
        users = {use.operation for use in op.results[0].uses}
        return iter(sorted((user for user in users if user in self._place), key=self._place.__getitem__))

    def __bool__(self) -> bool:
        """Whether there are operations left."""
        return len(self.order) < len(self._operations)

    def is_ready(self, op: Operation) -> bool:
        """Whether an operation can be taken."""
        return self._waits_for[op] == 0 and op not in self._done

    def first_change(self) -> Operation | None:
        """The first ``ttnn.to_layout`` that is ready, or None."""
        return self._first(self._ready_changes)

    def first(self) -> Operation:
        """The first operation that is ready."""
        op = self._first(self._ready)
        assert op is not None, "every value is defined before it is used"
        return op

    def take(self, op: Operation) -> None:
        """Put the operation next in the order."""
        self._done.add(op)
        self.order.append(op)
        for user in self.users(op):
            self._waits_for[user] -= 1
            if self._waits_for[user] == 0:
                self._becomes_ready(user)

    def last_ready_user(self, op: Operation) -> Operation | None:
        """The last operation, in program order, that is ready and uses the first result of ``op``."""
        ready = [user for user in self.users(op) if self.is_ready(user)]
        return ready[-1] if ready else None

    def _becomes_ready(self, op: Operation) -> None:
        heapq.heappush(self._ready, self._place[op])
        if isinstance(op, TTNNToLayoutOp):
            heapq.heappush(self._ready_changes, self._place[op])

    def _first(self, heap: list[int]) -> Operation | None:
        while heap and self._operations[heap[0]] in self._done:
            heapq.heappop(heap)
        return self._operations[heap[0]] if heap else None


def reorder(block: Block, order: Sequence[Operation]) -> None:
    """Put the operations of a block in an order. Operations that are not in ``order`` go right before their first user.

    Destinations come right before the operation that writes to them.
    """
    end = block.last_op
    assert end is not None
    placed: list[Operation] = []
    seen: set[Operation] = set()
    for op in (*order, *_unordered(block, order)):
        _place_with_operands(op, block, placed, seen)
    if placed == [op for op in block.ops if op is not end]:
        return
    for op in placed:
        op.detach()  # type: ignore[no-untyped-call]
    block.insert_ops_before(placed, end)


def _unordered(block: Block, order: Sequence[Operation]) -> Iterable[Operation]:
    ordered = set(order)
    return [op for op in block.ops if op not in ordered and op is not block.last_op]


def _place_with_operands(op: Operation, block: Block, placed: list[Operation], seen: set[Operation]) -> None:
    """Place an operation behind the producers of its operands, which are placed first where they are not yet."""
    if op in seen:
        return
    seen.add(op)
    inits = set(op.inits) if isinstance(op, RowOperation) else set()
    for value in sorted(op.operands, key=lambda value: value in inits):
        owner = value.owner
        if isinstance(owner, Operation) and owner.parent is block:
            _place_with_operands(owner, block, placed, seen)
    placed.append(op)
