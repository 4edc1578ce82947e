"""``ttl-materialize``: buffers for values that have to be in one.

Expects: checked operations with every push, pop and wait in place, in rows the hardware has (``ttl-expand``).
Guarantees: the value of every store can be computed by one region from blocks that are held where it is stored: what a
matrix product, a reduction, a transposition or a broadcast reads is a block; values that loops carry, that branches
choose, that several regions use, or that need more registers than there are, go through buffers that the compiler
makes. Loops whose one carried value stays in the registers are marked ``ttl.in_dst``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import LocationAttr, ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from ttl.dialects import ttl as dialect
from ttl.passes import in_registers
from ttl.passes.addends import begin_with_addends
from ttl.passes.building import detach, erase
from ttl.passes.groups import group_of, may_join, may_store_at, move_beside, with_buffer
from ttl.passes.modes import choose_full_sync, compute_mode
from ttl.passes.moving import compute_before, pop_before
from ttl.passes.places import plan
from ttl.passes.positions import ancestor_in, is_available, precedes
from ttl.passes.printed_values import print_from_buffers
from ttl.passes.promote import LOOPS, WRAPS, promote, without
from ttl.passes.regions import RegionBuilder, Unbuildable, below_views
from ttl.passes.scalers import Weights, scalers_of
from ttl.passes.temporaries import Temporaries, insert, location_of, read_from, store_into, used_as
from ttl.passes.trees import computed_in, leaves, operands_of, stores_of, tree
from ttl.passes.views import read_of, tile_shape, type_of
from ttl.passes.whiles import Carried, carried_value, without_carried

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
                    _Materializer(operation, kernel).run()


class _Materializer:
    def __init__(self, operation: dialect.OperationOp, kernel: dialect.KernelOp) -> None:
        self._operation = operation
        self._kernel = kernel
        self._mode = compute_mode(operation)
        self._buffers = Temporaries(operation, self._mode)
        self._waits: list[dialect.DfbWaitOp] = []

    def run(self) -> None:
        promote(self._kernel)
        begin_with_addends(self._kernel)
        print_from_buffers(self._kernel, self._buffers)
        self._branches()
        self._whiles()
        self._loops()
        for _ in range(_TURNS):
            if not (
                self._stored() or self._outside() or self._unbuildable() or self._shared() or self._popped()
            ):
                break
        self._mode = compute_mode(self._operation)
        for _ in range(_TURNS):
            if not self._too_large():
                break
        self._give_back()
        erase_unused(self._kernel)

    # --- values that control flow hands on ---

    def _branches(self) -> None:
        for op in [*self._kernel.walk(region_first=True)]:
            if not isinstance(op, scf.IfOp):
                continue
            for index in reversed(range(len(op.results))):
                if isinstance(op.results[index].type, TensorType):
                    op = self._through_buffer(op, index)

    def _through_buffer(self, op: scf.IfOp, index: int) -> scf.IfOp:
        value = used_as(op.results[index])
        dfb = self._buffers.buffer(
            self._buffers.memory_type(value), 1, "chosen", "a branch chooses its value", op.location
        )
        for region in op.regions:
            end = region.block.last_op
            assert end is not None
            store_into(dfb, end.operands[index], InsertPoint.before(end), end.location)
            end.operands = [each for position, each in enumerate(end.operands) if position != index]
        results = [each for position, each in enumerate(op.results) if position != index]
        first, second = (op.detach_region(op.regions[0]) for _ in range(2))
        made = scf.IfOp(op.cond, [each.type for each in results], first, second)
        insert([made], InsertPoint.before(op), op.location)
        wait, read = read_from(dfb, op.results[index], InsertPoint.after(made), op.location)
        self._waits.append(wait)
        op.results[index].replace_all_uses_with(read)
        for old, new in zip(results, made.results, strict=True):
            old.replace_all_uses_with(new)
        erase(op)
        return made

    def _loops(self) -> None:
        for loop in [op for op in self._kernel.walk() if isinstance(op, LOOPS)]:
            if loop.parent is None or in_registers.is_marked(loop):
                continue
            if any(isinstance(each.type, TensorType) for each in loop.results):
                if not in_registers.keep(self._operation, loop):
                    self._carried_by_buffers(loop)
                elif not in_registers.ends_in_one_store(self._operation, loop):
                    self._spill(loop.results[0], "what follows the loop cannot go on in the registers")

    def _whiles(self) -> None:
        """Values that a ``while`` carries go through buffers: how often it turns, nobody knows."""
        for loop in [op for op in self._kernel.walk() if isinstance(op, scf.WhileOp)]:
            while (carried := carried_value(loop)) is not None:
                loop = self._carried_by_while(loop, carried)

    def _carried_by_while(self, loop: scf.WhileOp, carried: Carried) -> scf.WhileOp:
        dfb = self._buffers.buffer(
            self._buffers.memory_type(used_as(carried.result)),
            2,
            _name_of(carried.argument, _name_of(carried.yielded, "carried")),
            "a loop carries it from one turn to the next",
            loop.location,
        )
        body = loop.after_region.block
        end = body.last_op
        assert end is not None
        store_into(dfb, carried.initial, InsertPoint.before(loop), location_of(carried.initial, loop))
        at = _first_use(carried.argument, loop)
        wait, read = read_from(dfb, carried.argument, InsertPoint.at_start(body), at)
        carried.argument.replace_all_uses_with(read)
        yielded = end.operands[carried.index]
        store_into(dfb, yielded, InsertPoint.before(end), location_of(yielded, loop))
        insert([dialect.DfbPopOp(wait.result, how="inferred")], InsertPoint.before(end), loop.location)
        at = _first_use(carried.result, loop)
        after, last = read_from(dfb, carried.result, InsertPoint.after(loop), at)
        self._waits.append(after)
        carried.result.replace_all_uses_with(last)
        return without_carried(loop, carried)

    def _carried_by_buffers(self, loop: Operation) -> None:
        for index in reversed(range(len(loop.results))):
            if isinstance(loop.results[index].type, TensorType):
                loop = self._carried_by_buffer(loop, index)

    def _carried_by_buffer(self, loop: Operation, index: int) -> Operation:
        result = loop.results[index]
        body = loop.regions[0].block
        argument = body.args[len(body.args) - len(loop.results) + index]
        end = body.last_op
        assert end is not None
        dfb = self._buffers.buffer(
            self._buffers.memory_type(used_as(result)),
            2,
            _name_of(argument, _name_of(end.operands[index], "carried")),
            "a loop carries it from one turn to the next",
            loop.location,
        )
        initial = loop.operands[len(loop.operands) - len(loop.results) + index]
        store_into(dfb, initial, InsertPoint.before(loop), location_of(initial, loop))
        at = _first_use(argument, loop)
        wait, read = read_from(dfb, argument, InsertPoint.at_start(body), at)
        argument.replace_all_uses_with(read)
        yielded = end.operands[index]
        store_into(dfb, yielded, InsertPoint.before(end), location_of(yielded, loop))
        insert([dialect.DfbPopOp(wait.result, how="inferred")], InsertPoint.before(end), loop.location)
        at = _first_use(result, loop)
        after, last = read_from(dfb, result, InsertPoint.after(loop), at)
        self._waits.append(after)
        result.replace_all_uses_with(last)
        return without(loop, index)

    # --- values that stores ask for ---

    def _stores(self) -> Iterator[dialect.BlockStoreOp]:
        return stores_of(self._kernel)

    def _stored(self) -> bool:
        """Whole numbers that were stored, where only a buffer cuts off what is too large for their type."""
        for op in self._kernel.walk():
            if WRAPS in op.attributes:
                del op.attributes[WRAPS]
                self._spill(
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
                    self._spill(value, "it is computed once and used in a loop or a branch")
                    found = True
        return found

    def _unbuildable(self) -> bool:
        for store in self._stores():
            try:
                self._trial([store])
            except Unbuildable as problem:
                value = problem.value
                assert computed_in(value), f"{value} comes from nowhere"
                self._spill(value, f"{problem.reader} reads it from a circular buffer", beside=True)
                return True
        return False

    def _shared(self) -> bool:
        """Values that several stores need: computed together where the stores can be, else kept."""
        users: dict[SSAValue, list[dialect.BlockStoreOp]] = {}
        for store in self._stores():
            for value in tree(store.value):
                users.setdefault(value, []).append(store)
        for value, stores in users.items():
            if len(stores) < 2 or not _costs(value):
                continue
            if _together(stores):
                continue
            self._spill(value, f"{len(stores)} computations need it")
            return True
        return False

    def _popped(self) -> bool:
        """Values that are stored after a block they are computed from was given back."""
        for store in self._stores():
            for read in leaves(store.value):
                pop = pop_before(read, store)
                if pop is None or self._earlier(store, pop):
                    continue
                value = _needs_now(store.value, read, pop)
                if computed_in(value):
                    compute_before(value, pop)
                self._spill(value, "the block it is computed from is given back before it is used")
                return True
        return False

    def _earlier(self, store: dialect.BlockStoreOp, pop: Operation) -> bool:
        """Compute and store before a block is given back, where everything else is there."""
        place = ancestor_in(pop, store.parent) if store.parent is not None else None
        moved = with_buffer(store)
        if place is not pop or not (len(moved) > 1 or is_available(store.block, pop)):
            return False
        acquires = [dialect.acquired_from(read.block) for read in leaves(store.value)]
        if any(acquire is None or not precedes(acquire, pop) for acquire in acquires):
            return False
        compute_before(store.value, pop)
        for op in moved:
            detach(op)
            insert([op], InsertPoint.before(pop), op.location)
        return True

    def _too_large(self) -> bool:
        for group in _grouped(self._stores()):
            builder = RegionBuilder(tile_shape(type_of(group[0].value)), *self._around(group))
            region = builder.build([(each.value, each.block) for each in group], group[0])
            made = plan(region, fp32_dest=self._mode.fp32_dest)
            if (
                self._mode.capacity < made.count <= self._mode.capacity_of(True)
                and not self._mode.full_sync_given
            ):
                region.erase()
                choose_full_sync(self._operation)
                self._mode = compute_mode(self._operation)
                return True
            if made.count > self._mode.capacity:
                needs = {
                    value: need
                    for op, value in builder.origins.items()
                    if (need := made.needs.get(op, 0)) > 1
                    and value not in [each.value for each in group]
                    and not _is_number(value)
                }
                if not needs:  # too many results at once: what they share is computed first
                    shared = next(each for each in tree(group[0].value)[::-1] if _costs(each))
                    region.erase()
                    self._spill(shared, f"{len(group)} computations need it")
                    return True
                half = self._mode.capacity
                best = min(needs, key=lambda value: (needs[value] > half, -needs[value]))
                region.erase()
                self._spill(best, f"the expression needs {made.count} registers and there are {half}")
                return True
            region.erase()
        return False

    def _around(
        self, group: Sequence[dialect.BlockStoreOp]
    ) -> tuple[list[SSAValue], Mapping[Weights, SSAValue]]:
        held = [
            value for store in group for value in tree(store.value, through=in_registers.is_kept)
            if in_registers.is_kept(value)
        ]  # fmt: skip
        return list(dict.fromkeys(held)), scalers_of(self._operation, self._kernel, [s.value for s in group])

    def _trial(self, group: Sequence[dialect.BlockStoreOp]) -> None:
        builder = RegionBuilder(tile_shape(type_of(group[0].value)), *self._around(group))
        builder.build([(each.value, each.block) for each in group], group[0]).erase()

    def _spill(self, value: SSAValue, why: str, *, beside: bool = False) -> None:
        """Put a value into a buffer; ``beside``: also where it is stored, from the same registers."""
        owner = value.owner
        assert isinstance(owner, Operation)
        stores = [use.operation for use in value.uses if beside and may_store_at(use.operation, owner)]
        dfb = self._buffers.buffer(
            self._buffers.memory_type(used_as(value)),
            1,
            _name_of(value, "temporary"),
            why,
            owner.location,
            intermediate=True,
        )
        uses = [use for use in value.uses if use.operation not in stores]
        point = InsertPoint.after(owner)
        wait, read = read_from(dfb, value, point, owner.location)
        self._waits.append(wait)
        for use in uses:
            use.operation.operands[use.index] = read
        store_into(dfb, value, InsertPoint.before(wait), owner.location)
        for store in stores:
            move_beside(store, wait)

    def _give_back(self) -> None:
        """Pop every block of a made buffer after the last store that is computed from it."""
        for wait in self._waits:
            block = wait.parent
            assert block is not None
            last: Operation = wait
            for store in self._stores():
                if any(read.block is wait.result for read in leaves(store.value)):
                    place = ancestor_in(store, block)
                    if place is not None and last.is_before_in_block(place):
                        last = place
            for loop in in_registers.marked(self._kernel):
                if any(
                    isinstance(read, dialect.BlockReadOp) and read.block is wait.result and _feeds(read, loop)
                    for read in [use.operation for use in wait.result.uses]
                ):
                    place = ancestor_in(loop, block)
                    if place is not None and last.is_before_in_block(place):
                        last = place
            pop = dialect.DfbPopOp(wait.result, how="inferred")
            insert([pop], InsertPoint.after(last), wait.location)


def _feeds(read: dialect.BlockReadOp, loop: Operation) -> bool:
    """Whether a loop that keeps its value in the registers begins with, or adds, what is read."""
    values: list[SSAValue] = [*loop.operands]
    values += [value for each in loop.walk() for value in each.operands]
    return any(read in leaves(value) for value in values if isinstance(value.type, TensorType))


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


def _grouped(stores: Iterator[dialect.BlockStoreOp]) -> Iterator[list[dialect.BlockStoreOp]]:
    done: set[Operation] = set()
    for store in stores:
        if store not in done:
            group = group_of(store)
            done.update(group)
            yield group


def _together(stores: Sequence[dialect.BlockStoreOp]) -> bool:
    """Move stores beside each other, where that is possible: they become one region."""
    first = stores[0]
    block = first.parent
    if any(each.parent is not block for each in stores) or block is None:
        return False
    if not all(may_join(first, each) for each in stores[1:]):
        return False
    if len(group_of(first)) > 1 and all(each in group_of(first) for each in stores):
        return True
    last = stores[-1]
    for other in stores[:-1]:
        following = other.next_op
        while following is not None and following is not last:
            if isinstance(following, dialect.ReleaseOp) and (
                following.block is other.block
                or any(read.block is following.block for read in leaves(other.value))
            ):
                return False
            if following.regions:
                return False
            following = following.next_op
        if any(read.block is other.block for each in stores for read in leaves(each.value)):
            return False
    for other in stores[:-1]:
        detach(other)
        insert([other], InsertPoint.before(last), other.location)
    return True


def _needs_now(value: SSAValue, read: dialect.BlockReadOp, pop: Operation) -> SSAValue:
    """The largest part of an expression that needs a block, and nothing that is acquired after it is given back."""
    while True:
        acquires = [dialect.acquired_from(each.block) for each in leaves(value)]
        if all(acquire is not None and precedes(acquire, pop) for acquire in acquires):
            return value
        value = next(each for each in operands_of(value) if read in leaves(each))


def _name_of(value: SSAValue, otherwise: str) -> str:
    """The program's name for a value, or for what it is a view of."""
    hint = value.name_hint
    if hint and not hint.startswith(("_", "arg")) and not hint.isdigit():
        return hint
    owner = value.owner
    if isinstance(owner, dialect.RetypeOp):
        return _name_of(owner.value, otherwise)
    return otherwise


def _first_use(value: SSAValue, otherwise: Operation) -> LocationAttr:
    """The place of what uses a value first, of those in its own block and the blocks in that."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    users = {use.operation for use in value.uses}
    found = next((op for op in block.walk() if op in users), None) if block is not None else None
    if isinstance(found, dialect.RetypeOp):
        return _first_use(found.result, otherwise)
    return otherwise.location if found is None or found.has_trait(IsTerminator) else found.location


def erase_unused(kernel: dialect.KernelOp) -> None:
    """Erase reads and values that nothing uses any more."""
    for op in [*kernel.walk(reverse=True, region_first=True)]:
        if (
            isinstance(op, dialect.BlockReadOp | dialect.BlockComputeOp | dialect.RetypeOp)
            and not any(result.uses for result in op.results)
        ):  # fmt: skip
            erase(op)
