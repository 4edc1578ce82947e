"""The stores of a compute kernel that must be checked again after a change.

Values are put into buffers until one region can compute every store. After each change only the stores whose expression changed,
and those beside inserted or moved operations, are checked again: earlier results hold for the others. So the work grows with the
number of buffers, not with that number times the number of stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import walked
from ttl.analysis.fixed_point import iterations
from ttl.dialects import ttl as dialect
from ttl.passes.compute.trees import stores_of, users_of

# A check looks at stores in their order, makes a change for the first store that needs one, and marks the stores before
# it (all, if no store needs a change) as settled. It returns whether it made a change.
Check = Callable[[Sequence[dialect.BlockStoreOp]], bool]


class Worklist:
    """The stores of a kernel in their order, and for each check the stores that it still has to look at."""

    def __init__(self, kernel: dialect.UserKernelOp) -> None:
        self._kernel = kernel
        self.order = [*stores_of(kernel)]
        self._positions: dict[Operation, int] | None = None
        self._pending: dict[Check, set[dialect.BlockStoreOp]] = {}
        self._settled: list[dialect.BlockStoreOp] = []

    def settle(self, what: str, checks: Sequence[Check]) -> None:
        """Run checks until no check makes a change; after each change, begin with the first check again.

        Raises ``RuntimeError`` after more changes than a kernel of so many operations can need.
        """
        self._pending = {check: set(self.order) for check in checks}
        # A change stores a value that was not in a buffer, or moves a store; there are no more values than operations.
        most = 1000 + 10 * len(walked(self._kernel))
        for _ in iterations(what, most):
            if not any(self._asked(check) for check in checks):
                return

    def _asked(self, check: Check) -> bool:
        pending = self._pending[check]
        asked = self.in_order(pending)
        if not asked:
            return False
        pending.clear()
        self._settled = []
        changed = check(asked)
        if changed:
            pending.update(asked)
            pending.difference_update(self._settled)
            pending.intersection_update(self.positions)
        return changed

    def settled(self, stores: Iterable[dialect.BlockStoreOp]) -> None:
        """Mark stores as checked without findings; those that a later change affects are checked again."""
        self._settled.extend(stores)

    def changed(self, stores: Iterable[dialect.BlockStoreOp]) -> None:
        """Let all checks look at these stores again."""
        again = {*stores}
        for pending in self._pending.values():
            pending |= again
        self._settled = [op for op in self._settled if op not in again]

    @property
    def positions(self) -> dict[Operation, int]:
        """The position of every store in ``order``."""
        if self._positions is None:
            self._positions = {store: index for index, store in enumerate(self.order)}
        return self._positions

    def in_order(self, stores: Iterable[dialect.BlockStoreOp]) -> list[dialect.BlockStoreOp]:
        """Sort stores in the order of the kernel, without those that are not in it."""
        positions = self.positions
        return sorted((op for op in stores if op in positions), key=positions.__getitem__)

    def placed(self, stores: Iterable[dialect.BlockStoreOp]) -> None:
        """Put stores that are new, or have moved, where they belong in ``order``."""
        moved = {*stores}
        self.order = [op for op in self.order if op not in moved]
        self._positions = None
        while moved:
            for store in [*moved]:
                following = _next_store(store)
                if following not in moved:
                    at = len(self.order) if following is None else self.order.index(following)
                    self.order.insert(at, store)
                    moved.discard(store)


def stores_from(value: SSAValue) -> list[dialect.BlockStoreOp]:
    """The stores whose expression contains a value, in no order."""
    return [user for user in users_of(value) if isinstance(user, dialect.BlockStoreOp)]


def _next_store(store: Operation) -> dialect.BlockStoreOp | None:
    """The store that follows another one in the order of the program."""
    op: Operation = store
    while not isinstance(op, dialect.UserKernelOp):
        following = op.next_op
        while following is not None:
            if (next_store := _first_store(following)) is not None:
                return next_store
            following = following.next_op
        outer = op.parent_op()
        assert outer is not None and op.parent is not None
        later = [*outer.regions][[*outer.regions].index(op.parent.parent) + 1 :]  # type: ignore[arg-type]
        for region in later:
            for block in region.blocks:
                for item in block.ops:
                    if (next_store := _first_store(item)) is not None:
                        return next_store
        op = outer
    return None


def _first_store(op: Operation) -> dialect.BlockStoreOp | None:
    if not op.regions:
        return op if isinstance(op, dialect.BlockStoreOp) else None
    return next((item for item in walked(op) if isinstance(item, dialect.BlockStoreOp)), None)
