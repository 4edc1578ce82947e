"""``ttl-materialize``: buffers for values that have to be in one.

Expects: checked operations with every push, pop and wait in place, in rows the hardware has (``ttl-expand``).
Guarantees: the value of every store can be computed by one region from blocks that are held where it is stored: what a
matrix product, a reduction, a transposition or a broadcast reads is a block; values that loops carry, that branches
choose, that several regions use, or that need more registers than there are, go through buffers that the compiler
makes. Loops whose carried values stay in the registers are marked ``ttl.in_dst``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from ttl.dialects import ttl as dialect
from ttl.passes.compute import in_registers
from ttl.passes.compute.addends import begin_with_addends
from ttl.passes.compute.by_matrix_unit import better_from_buffer
from ttl.passes.compute.control_flow import settle_control_flow
from ttl.passes.compute.groups import groups_of, join
from ttl.passes.compute.modes import compute_mode, make_room
from ttl.passes.compute.places import Plan, plan
from ttl.passes.compute.printed_values import print_from_buffers
from ttl.passes.compute.promote import WRAPS, promote
from ttl.passes.compute.regions import RegionBuilder, Unbuildable, below_views
from ttl.passes.compute.released import compute_before_release
from ttl.passes.compute.scalers import scalers_of
from ttl.passes.compute.spills import Spills
from ttl.passes.compute.temporaries import Temporaries
from ttl.passes.compute.trees import computed_in, erase_unused, operands_of, stores_of, tree
from ttl.passes.compute.views import read_of, tile_shape, type_of

# A program that needs more turns than this to settle is one we do not understand.
_TURNS = 1000


@dataclass(frozen=True)
class Materialize(ModulePass):
    """Make the buffers of every operation of a module."""

    name = "ttl-materialize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in [each for each in op.walk() if isinstance(each, dialect.OperationOp)]:
            for kernel in operation.kernels:
                if kernel.kind == "compute":
                    _materialize(operation, kernel)


def _materialize(operation: dialect.OperationOp, kernel: dialect.KernelOp) -> None:
    buffers = Temporaries(operation, compute_mode(operation))
    spills = Spills(kernel, buffers)
    promote(kernel)
    begin_with_addends(kernel)
    print_from_buffers(kernel, buffers)
    settle_control_flow(operation, kernel, spills)
    _Stores(operation, kernel, spills).settle()
    spills.give_back()
    erase_unused(kernel)


class _Stores:
    """Spills what stores ask for until one region can compute each of them."""

    def __init__(self, operation: dialect.OperationOp, kernel: dialect.KernelOp, spills: Spills) -> None:
        self._operation = operation
        self._kernel = kernel
        self._spills = spills

    def settle(self) -> None:
        for _ in range(_TURNS):
            if not (
                self._stored()
                or self._outside()
                or self._unbuildable()
                or self._faster()
                or self._shared()
                or compute_before_release(self._kernel, self._spills)
            ):
                break
        for _ in range(_TURNS):
            if not self._too_large():
                break

    def _stored(self) -> bool:
        """Whole numbers that were stored, where only a buffer cuts off what is too large for their type."""
        for op in self._kernel.walk():
            if WRAPS in op.attributes:
                del op.attributes[WRAPS]
                self._spills.spill(
                    op.results[0], f"it was stored as {type_of(op.results[0]).dtype.name}, which wraps"
                )
                return True
        return False

    def _outside(self) -> bool:
        """Values that are used inside of a loop or a branch, and computed before it."""
        found = False
        for op in [*self._kernel.walk()]:
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
                    self._spills.spill(value, "it is computed once and used in a loop or a branch")
                    found = True
        return found

    def _unbuildable(self) -> bool:
        for store in stores_of(self._kernel):
            try:
                self._builder([store]).build([(store.value, store.block)], store).erase()
            except Unbuildable as problem:
                value = problem.value
                assert computed_in(value), f"{value} comes from nowhere"
                self._spills.spill(value, f"{problem.reader} reads it from a circular buffer", beside=True)
                return True
        return False

    def _faster(self) -> bool:
        """Values that the matrix unit combines faster with what is repeated, from a buffer."""
        for store in stores_of(self._kernel):
            value = better_from_buffer(self._operation, store.value)
            if value is not None:
                self._spills.spill(
                    value, "the matrix unit combines it with what is repeated, faster than the vector unit"
                )
                return True
        return False

    def _shared(self) -> bool:
        """Values that several stores need: computed together where the stores can be, else kept."""
        users: dict[SSAValue, list[dialect.BlockStoreOp]] = {}
        for store in stores_of(self._kernel):
            for value in tree(store.value):
                users.setdefault(value, []).append(store)
        for value, stores in users.items():
            if len(stores) < 2 or not _costs(value):
                continue
            if join(stores):
                continue
            self._spills.spill(value, f"{len(stores)} computations need it")
            return True
        return False

    def _too_large(self) -> bool:
        """Groups of stores that need more registers than there are."""
        for group in groups_of(self._kernel):
            builder = self._builder(group)
            region = builder.build([(each.value, each.block) for each in group], group[0])
            mode = compute_mode(self._operation)
            made = plan(region, fp32_dest=mode.fp32_dest)
            region.erase()
            if made.count <= mode.capacity:
                continue
            if not make_room(self._operation, made.count):
                self._divide(group, builder, made, mode.capacity)
            return True
        return False

    def _divide(
        self, group: Sequence[dialect.BlockStoreOp], builder: RegionBuilder, made: Plan, capacity: int
    ) -> None:
        """Spill a part of what needs too many registers: the largest that fits."""
        results = [each.value for each in group]
        needs = {
            value: need
            for op, value in builder.origins.items()
            if (need := made.needs.get(op, 0)) > 1 and value not in results and not _is_number(value)
        }
        if not needs:  # too many results at once: what they share is computed first
            shared = next(each for each in tree(results[0])[::-1] if _costs(each))
            self._spills.spill(shared, f"{len(group)} computations need it")
            return
        best = min(needs, key=lambda value: (needs[value] > capacity, -needs[value]))
        self._spills.spill(best, f"the expression needs {made.count} registers and there are {capacity}")

    def _builder(self, group: Sequence[dialect.BlockStoreOp]) -> RegionBuilder:
        values = [each.value for each in group]
        return RegionBuilder(
            tile_shape(type_of(values[0])),
            in_registers.kept_in(values),
            scalers_of(self._operation, self._kernel, values),
        )


def _is_number(value: SSAValue) -> bool:
    """Whether a value is a number in every place: computed where it is needed, at no cost."""
    owner = value.owner
    if isinstance(owner, dialect.BlockComputeOp) and owner.row.name == "fill":
        return True
    operands = operands_of(value)
    return bool(operands) and _is_view(owner) and all(map(_is_number, operands))


def _is_view(owner: object) -> bool:
    return isinstance(owner, dialect.RetypeOp) or (
        isinstance(owner, dialect.BlockComputeOp) and owner.row.name in ("squeeze", "unsqueeze", "broadcast")
    )


def _costs(value: SSAValue) -> bool:
    """Whether computing a value twice is more work than reading it."""
    if not computed_in(value) or _is_number(value) or in_registers.is_kept(value):
        return False
    return read_of(value, (None,) * len(type_of(value).shape)) is None
