"""``ttl-materialize``: buffers for values that have to be in a buffer.

Expects: checked operations with every push, pop and wait in place, for which the chip has functions (``ttl-expand``).
Guarantees: the value of every store can be computed by one region from blocks that are held where it is stored: the
operands of a matrix product, a reduction, a transposition or a broadcast are blocks; values that loops carry, that
branches choose, that several regions use, or that need more registers than there are, go through buffers that the
compiler makes. Loops whose carried values stay in the registers are marked ``ttl.in_dst``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import ancestor_in, is_available, precedes, walked
from ttl.dialects import ttl as dialect
from ttl.passes.building import detach
from ttl.passes.choices import ChoicePoint, ChoosingPass, operations_of, point
from ttl.passes.compute import in_registers
from ttl.passes.compute.addends import begin_with_addends
from ttl.passes.compute.by_matrix_unit import better_from_buffer, has_spare_buffers
from ttl.passes.compute.control_flow import settle_control_flow
from ttl.passes.compute.groups import groups_of, join, stores_beside, with_buffer
from ttl.passes.compute.modes import compute_mode, has_room, make_room
from ttl.passes.compute.moving import compute_before, pop_before
from ttl.passes.compute.parts import settle_parts
from ttl.passes.compute.places import Plan, plan
from ttl.passes.compute.promote import WRAPS, promote
from ttl.passes.compute.regions import RegionBuilder, Unbuildable, below_views
from ttl.passes.compute.scalers import write_scalers
from ttl.passes.compute.spills import Spills
from ttl.passes.compute.temporaries import (
    Temporaries,
    insert,
    is_rounded_by_packer,
    print_from_buffers,
    stored_as,
)
from ttl.passes.compute.trees import computed_in, erase_unused, leaves, operands_of, tree
from ttl.passes.compute.views import read_of, tile_shape, type_of
from ttl.passes.compute.worklist import Worklist, stores_from
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.pages import print_pages


@dataclass(frozen=True)
class Materialize(ChoosingPass):
    """Make buffers for values that have to be in a buffer.

    ``spare_buffers``: add no buffers that only save time, since L1 is scarce.
    """

    name = "ttl-materialize"
    contract: ClassVar = Contract(
        needs=(PassFact.CHIP, PassFact.SYNC, PassFact.ROWS, PassFact.MODE, PassFact.PADDING),
        gives=(PassFact.BUFFERED,),
    )
    spare_buffers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of(op):
            for kernel in operation.kernels:
                if kernel.kind == "compute":
                    _materialize(operation, kernel, self.spare_buffers)
                else:
                    print_pages(kernel, Temporaries(operation, compute_mode(operation)))

    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        for operation in operations_of(module):
            if self.spare_buffers or has_spare_buffers(operation):
                chosen = str(self.spare_buffers).lower()
                why = "left out, since L1 is scarce" if self.spare_buffers else "they save time, and fit"
                yield point("spare-buffers", chosen, ("false", "true"), why, None, exact=False)


def _materialize(operation: dialect.OperationOp, kernel: dialect.UserKernelOp, spare_buffers: bool) -> None:
    buffers = Temporaries(operation, compute_mode(operation))
    spills = Spills(kernel, buffers)
    promote(kernel)
    begin_with_addends(kernel)
    print_from_buffers(kernel, buffers)
    _rounded(kernel, spills)
    settle_control_flow(operation, kernel, spills)
    settle_parts(kernel, spills)
    _Stores(operation, kernel, spills, spare_buffers=spare_buffers).settle()
    spills.give_back()
    erase_unused(kernel)


def _rounded(kernel: dialect.UserKernelOp, spills: Spills) -> None:
    """Put values that are converted to a type which only buffers have through a buffer, unless all uses store it."""
    for op in walked(kernel):
        if isinstance(op, dialect.BlockComputeOp) and is_rounded_by_packer(op):
            dtype = type_of(op.result).dtype
            if any(stored_as(use.operation) is not dtype for use in op.result.uses):
                spills.spill(op.result, f"it is rounded to {dtype.name}, which the packer does")


class _Stores:
    """Spills values until one region can compute each store."""

    def __init__(
        self,
        operation: dialect.OperationOp,
        kernel: dialect.UserKernelOp,
        spills: Spills,
        *,
        spare_buffers: bool = False,
    ) -> None:
        self._operation = operation
        self._kernel = kernel
        self._spills = spills
        self._spare_buffers = spare_buffers
        self._work = Worklist(kernel)
        # Whether an operation moved out of, or into, a loop or a branch since ``_outside`` last looked at all values.
        self._crossed = True
        # For each store, the values of its expression that other stores need, too.
        self._in_common: dict[Operation, list[SSAValue]] = {}

    def settle(self) -> None:
        self._stored()
        self._work.settle(
            "putting values into buffers",
            (self._outside, self._unbuildable, self._faster, self._shared, self._released),
        )
        self._work.settle("dividing expressions", (self._too_large,))

    # --- changes -----------------------------------------------------------------------------------------------

    def spill(self, value: SSAValue, why: str, *, beside: bool = False) -> None:
        """Put a value into a buffer; with ``beside``, stores of the value move there, and keep using its registers."""
        owner = value.owner
        assert isinstance(owner, Operation)
        users = stores_from(value)
        before = {op: stores_beside(op) for op in users if beside}
        around = stores_beside(owner)
        edges = [op for item in before for op in _edges(item)]
        self._spills.spill(value, why, beside=beside)
        ops = stores_from(value)
        self._work.placed([*ops, *(op for op in users if beside)])
        near = [item for op in edges if op.parent is not None for item in stores_beside(op)]
        self._touch([*users, *ops, *around, *near, *(op for stores in before.values() for op in stores)])

    def leaves(self, store: dialect.BlockStoreOp) -> None:
        """A store is about to move, with the buffer that the compiler made for it."""
        self._touch(stores_beside(store))
        for op in _edges(store):
            self._touch(stores_beside(op))

    def moved(self, store: dialect.BlockStoreOp, *, crossed: bool) -> None:
        """A store, or operations that it depends on, moved; ``crossed``: out of a loop or branch, or into one."""
        self._crossed |= crossed
        self._work.placed([store])
        self._touch([store, *stores_beside(store)])
        for op in _edges(store):
            self._touch(stores_beside(op))

    def _touch(self, stores: Iterable[dialect.BlockStoreOp]) -> None:
        again = list(stores)
        for op in again:
            self._in_common.pop(op, None)
        self._work.changed(again)

    # --- checks ------------------------------------------------------------------------------------------------

    def _stored(self) -> None:
        """Spill whole numbers that were stored: only a buffer cuts off numbers that are too large for their type."""
        for op in [op for op in walked(self._kernel) if WRAPS in op.attributes]:
            del op.attributes[WRAPS]
            dtype = type_of(op.results[0]).dtype.name
            self.spill(op.results[0], f"it was stored as {dtype}, which wraps")

    def _outside(self, stores: Sequence[dialect.BlockStoreOp]) -> bool:
        """Spill values that are used inside of a loop or a branch, and computed before it."""
        self._work.settled(stores)
        if not self._crossed:
            return False
        outside = False
        for op in walked(self._kernel):
            if not isinstance(op, dialect.BlockComputeOp | dialect.RetypeOp) or op.parent is None:
                continue
            (value,) = op.results
            if read_of(value, (None,) * len(type_of(value).shape)) is not None or _is_number(value):
                continue
            if any(use.operation.parent is not op.parent for use in value.uses):
                base = below_views(value)
                if _is_number(base):
                    continue
                if base.owner is op and not in_registers.is_kept(value):
                    self.spill(value, "it is computed once and used in a loop or a branch")
                    outside = True
        self._crossed = outside
        return outside

    def _unbuildable(self, stores: Sequence[dialect.BlockStoreOp]) -> bool:
        for store in stores:
            try:
                self._builder([store]).build([(store.value, store.block)], store).erase()
            except Unbuildable as problem:
                value = problem.value
                assert computed_in(value), f"{value} comes from nowhere"
                self.spill(value, f"{problem.reader} reads it from a circular buffer", beside=True)
                return True
            self._work.settled([store])
        return False

    def _faster(self, stores: Sequence[dialect.BlockStoreOp]) -> bool:
        """Spill values that the matrix unit combines with a repeated operand faster if they are in a buffer."""
        for store in stores:
            value = None if self._spare_buffers else better_from_buffer(self._operation, store.value)
            if value is not None:
                self.spill(
                    value,
                    "the matrix unit combines it with the repeated operand, faster than the vector unit",
                )
                return True
            self._work.settled([store])
        return False

    def _shared(self, stores: Sequence[dialect.BlockStoreOp]) -> bool:
        """Let stores that need the same value be computed together; spill the value if that is not possible."""
        users = self._users_in_common(stores)
        pending = {store for own in users.values() for store in own}
        self._work.settled(op for op in stores if op not in pending)
        for value, own in users.items():
            before = [(op.next_op, stores_beside(op)) for op in own]
            if join(own):
                if [op.next_op for op in own] != [following for following, _ in before]:
                    self._work.placed(own)
                    self._touch([*stores_beside(own[-1]), *(op for _, near in before for op in near)])
                continue
            self.spill(value, f"{len(own)} computations need it")
            return True
        return False

    def _users_in_common(
        self, stores: Sequence[dialect.BlockStoreOp]
    ) -> dict[SSAValue, list[dialect.BlockStoreOp]]:
        """The values that these stores share with others, in the order of their first use, each with its stores."""
        positions = self._work.positions
        result: dict[SSAValue, list[dialect.BlockStoreOp]] = {}
        places: dict[SSAValue, tuple[int, int]] = {}
        for store in stores:
            if store not in self._in_common:
                self._in_common[store] = [
                    value for value in tree(store.value) if _costs(value) and len(stores_from(value)) > 1
                ]
            for value in self._in_common[store]:
                if value not in result:
                    result[value] = own = self._work.in_order(stores_from(value))
                    places[value] = (positions[own[0]], tree(own[0].value).index(value))
        return {
            value: result[value] for value in sorted(result, key=places.__getitem__) if len(result[value]) > 1
        }

    def _released(self, stores: Sequence[dialect.BlockStoreOp]) -> bool:
        for store in stores:
            if compute_before_release(store, self):
                return True
            self._work.settled([store])
        return False

    def _too_large(self, stores: Sequence[dialect.BlockStoreOp]) -> bool:
        """Divide groups of stores that need more registers than there are."""
        done: set[Operation] = set()
        for store in stores:
            if store in done:
                continue
            beside = stores_beside(store)
            for group in groups_of(beside):
                builder, new_plan = self._planned(group)
                if new_plan.count > compute_mode(self._operation).capacity:
                    self._fit(group, builder, new_plan)
                    return True
            done.update(beside)
            self._work.settled(beside)
        return False

    def _planned(self, group: Sequence[dialect.BlockStoreOp]) -> tuple[RegionBuilder, Plan]:
        """Build the region of a group, and plan it."""
        builder = self._builder(group)
        region = builder.build([(op.value, op.block) for op in group], group[0])
        new_plan = plan(region, fp32_dest=compute_mode(self._operation).fp32_dest)
        region.erase()
        return builder, new_plan

    def _fit(self, group: Sequence[dialect.BlockStoreOp], builder: RegionBuilder, new_plan: Plan) -> None:
        """Let a group use all registers; if that is not enough, spill the largest part of its expressions that fits."""
        if has_room(self._operation, new_plan.count):
            make_room(self._operation, new_plan.count)
            self._touch(self._work.order)
            return
        capacity = compute_mode(self._operation).capacity
        results = [op.value for op in group]
        needs = {
            value: need
            for op, value in builder.origins.items()
            if (need := new_plan.needs.get(op, 0)) > 1 and value not in results and not _is_number(value)
        }
        if not needs:  # too many results at once: a value that they share is computed first
            shared = next(value for value in tree(results[0])[::-1] if _costs(value))
            self.spill(shared, f"{len(group)} computations need it")
            return
        best = min(needs, key=lambda value: (needs[value] > capacity, -needs[value]))
        self.spill(best, f"the expression needs {new_plan.count} registers and there are {capacity}")

    def _builder(self, group: Sequence[dialect.BlockStoreOp]) -> RegionBuilder:
        values = [op.value for op in group]
        return RegionBuilder(
            tile_shape(type_of(values[0])),
            in_registers.kept_in(values),
            write_scalers(self._operation, self._kernel, values),
        )


def _edges(store: dialect.BlockStoreOp) -> list[Operation]:
    """Return the operations on both sides of a store and of those that move with it."""
    with_it = with_buffer(store)
    return [op for op in (with_it[0].prev_op, with_it[-1].next_op) if op is not None]


def _is_number(value: SSAValue) -> bool:
    """Whether all elements of a value are one number, which is computed where it is needed, at no cost."""
    owner = value.owner
    if isinstance(owner, dialect.BlockComputeOp) and owner.row.family == "fill":
        return True
    operands = operands_of(value)
    return bool(operands) and _is_view(owner) and all(map(_is_number, operands))


def _is_view(owner: object) -> bool:
    return isinstance(owner, dialect.RetypeOp) or (
        isinstance(owner, dialect.BlockComputeOp) and owner.row.family in ("reshape", "repetition")
    )


def _costs(value: SSAValue) -> bool:
    """Whether computing a value twice is more work than reading it."""
    if not computed_in(value) or _is_number(value) or in_registers.is_kept(value):
        return False
    return read_of(value, (None,) * len(type_of(value).shape)) is None


class Changes(Protocol):
    """A listener that is notified of changes."""

    def spill(self, value: SSAValue, why: str) -> None:
        """Put a value into a buffer."""

    def leaves(self, store: dialect.BlockStoreOp) -> None:
        """A store is about to move, with the buffer that the compiler made for it."""

    def moved(self, store: dialect.BlockStoreOp, *, crossed: bool) -> None:
        """A store, or operations that it depends on, moved; ``crossed``: out of a loop or branch, or into one."""


def compute_before_release(store: dialect.BlockStoreOp, changes: Changes) -> bool:
    """Compute the part of an expression that reads a block before the release of the block.

    The store moves there if it can; else the part is spilled. Returns whether a part was spilled.
    """
    for read in leaves(store.value):
        pop = pop_before(read, store)
        if pop is None or _store_before(store, pop, changes):
            continue
        value = _needs_now(store.value, read, pop)
        if computed_in(value):
            changes.moved(store, crossed=compute_before(value, pop))
        changes.spill(value, "the block it is computed from is given back before it is used")
        return True
    return False


def _store_before(store: dialect.BlockStoreOp, pop: Operation, changes: Changes) -> bool:
    """Move a store before the release of a block, if all else is available there; return whether it moved."""
    place = ancestor_in(pop, store.parent) if store.parent is not None else None
    moved = with_buffer(store)
    if place is not pop or not (len(moved) > 1 or is_available(store.block, pop)):
        return False
    if not all(is_available(offset, pop) for offset in store.offsets) or _is_stored_between(pop, store):
        return False
    acquires = [dialect.acquired_from(read.block) for read in leaves(store.value)]
    if any(acquire is None or not precedes(acquire, pop) for acquire in acquires):
        return False
    changes.leaves(store)
    crossed = compute_before(store.value, pop)
    for op in moved:
        detach(op)
        insert([op], InsertPoint.before(pop), op.location)
    changes.moved(store, crossed=crossed)
    return True


def _is_stored_between(start: Operation, store: dialect.BlockStoreOp) -> bool:
    """Whether another store writes to the block of a store, between an operation and the store."""
    op = start.next_op
    while op is not None and op is not store:
        if any(isinstance(item, dialect.BlockStoreOp) and item.block is store.block for item in walked(op)):
            return True
        op = op.next_op
    return False


def _needs_now(value: SSAValue, read: dialect.BlockReadOp, pop: Operation) -> SSAValue:
    """The largest part of an expression that reads a block, and no block that is acquired after its release."""
    while True:
        acquires = [dialect.acquired_from(op.block) for op in leaves(value)]
        if all(acquire is not None and precedes(acquire, pop) for acquire in acquires):
            return value
        value = next(operand for operand in operands_of(value) if read in leaves(operand))
