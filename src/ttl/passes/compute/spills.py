"""Values that go through buffers of the compiler: stored where they are computed, read where they are needed."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import ancestor_in, ancestors, comes_before
from ttl.dialects import ttl as dialect
from ttl.passes.compute import in_registers
from ttl.passes.compute.groups import may_store_at, move_beside
from ttl.passes.compute.temporaries import (
    Temporaries,
    insert,
    is_rounded_by_packer,
    read_from,
    store_into,
    used_as,
)
from ttl.passes.compute.trees import users_of
from ttl.passes.compute.views import type_of


class Spills:
    """The spilled values of one kernel. Their blocks are released at the end, when all of their readers are known."""

    def __init__(self, kernel: dialect.UserKernelOp, buffers: Temporaries) -> None:
        self._kernel = kernel
        self._buffers = buffers
        self._waits: list[dialect.DfbWaitOp] = []

    def spill(self, value: SSAValue, why: str, *, beside: bool = False) -> None:
        """Put a value into a buffer; with ``beside``, stores of the value move there, and keep using its registers."""
        owner = value.owner
        assert isinstance(owner, Operation)
        stores = [use.operation for use in value.uses if beside and may_store_at(use.operation, owner)]
        dfb = self._temporary(value, why, owner.location)
        uses = [use for use in value.uses if use.operation not in stores]
        read = self.read(dfb, value, InsertPoint.after(owner), owner.location)
        for use in uses:
            use.operation.operands[use.index] = read
        wait = self._waits[-1]
        store_into(dfb, value, InsertPoint.before(wait), owner.location)
        for store in stores:
            move_beside(store, wait)

    def spill_results(self, loop: Operation, why: str) -> None:
        """Put all values that a loop keeps in the registers into buffers after the loop, from one section."""
        values = [value.result for value in in_registers.values_of(loop)]
        point = InsertPoint.after(loop)
        uses = [[*value.uses] for value in values]
        buffers = [self._temporary(value, why, loop.location) for value in values]
        reserves = [dialect.DfbReserveOp(dfb.result) for dfb in buffers]
        stores = [dialect.BlockStoreOp(op.result, value) for op, value in zip(reserves, values, strict=True)]
        pushes = [dialect.DfbPushOp(op.result, how="inferred") for op in reserves]
        reads = [
            self.read(dfb, value, point, loop.location) for dfb, value in zip(buffers, values, strict=True)
        ]
        insert([*reserves, *stores, *pushes], InsertPoint.after(loop), loop.location)
        for result, read in zip(uses, reads, strict=True):
            for use in result:
                use.operation.operands[use.index] = read

    def _temporary(self, value: SSAValue, why: str, place: LocationAttr) -> dialect.CreateDfbOp:
        is_rounded = isinstance(value.owner, Operation) and is_rounded_by_packer(value.owner)
        return self._buffers.buffer(
            type_of(value) if is_rounded else self._buffers.memory_type(used_as(value)),
            1,
            name_in_program(value, "temporary"),
            why,
            place,
            intermediate=True,
        )

    def buffer_for(
        self, value: SSAValue, block_count: int, name: str, why: str, place: LocationAttr
    ) -> dialect.CreateDfbOp:
        """Make a buffer for values that have the type of ``value``."""
        return self._buffers.buffer(self._buffers.memory_type(used_as(value)), block_count, name, why, place)

    def read(
        self, dfb: dialect.CreateDfbOp, value: SSAValue, point: InsertPoint, place: LocationAttr
    ) -> SSAValue:
        """Wait for a block of a buffer, which ``give_back`` releases, and read it as the value that went into it."""
        wait, read = read_from(dfb, value, point, place)
        self._waits.append(wait)
        return read

    def give_back(self) -> None:
        """Pop every block after the last store that is computed from it."""
        for wait in self._waits:
            block = wait.parent
            assert block is not None
            last: Operation = wait
            for reader in _readers(wait):
                place = ancestor_in(reader, block)
                if place is not None and comes_before(last, place):
                    last = place
            pop = dialect.DfbPopOp(wait.result, how="inferred")
            insert([pop], InsertPoint.after(last), wait.location)


def _readers(wait: dialect.DfbWaitOp) -> list[Operation]:
    """The stores that are computed from a block, and the loops that keep values computed from it in the registers."""
    result: dict[Operation, None] = {}
    for use in wait.result.uses:
        if not isinstance(use.operation, dialect.BlockReadOp):
            continue
        for user in users_of(use.operation.result):
            if isinstance(user, dialect.BlockStoreOp):
                result[user] = None
            result |= dict.fromkeys(op for op in ancestors(user) if in_registers.is_marked(op))
    return list(result)


def name_in_program(value: SSAValue, otherwise: str) -> str:
    """The program's name for a value, or for the value that it retypes; else ``otherwise``."""
    hint = value.name_hint
    if hint and not hint.startswith(("_", "arg")) and not hint.isdigit():
        return hint
    owner = value.owner
    if isinstance(owner, dialect.RetypeOp):
        return name_in_program(owner.value, otherwise)
    return otherwise
