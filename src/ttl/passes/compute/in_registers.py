"""Loops whose carried values stay in the registers: sums over the iterations of a loop are never written to memory.

A section of DST begins before the loop with the initial values, or earlier, before a block that they are computed from
is released. Each iteration computes in the places of the values, and the section ends with the stores after the loop.
Nothing else can be computed in between.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import prod

from xdsl.dialects.builtin import StringAttr, TensorType, UnitAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import comes_before, precedes, walked
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.dialects.tiles import TileOp
from ttl.passes.compute.carried import LOOPS, Carried, carried
from ttl.passes.compute.modes import compute_mode, has_room, make_room
from ttl.passes.compute.moving import compute_before, is_needed_after, pop_before
from ttl.passes.compute.places import plan
from ttl.passes.compute.regions import RegionBuilder, Unbuildable
from ttl.passes.compute.scalers import scalers_in, write_scalers
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import computed_in, leaves, tree
from ttl.passes.compute.views import reduced_within, tile_shape, type_of
from ttl.passes.marks import WHY, is_made

MARK = "ttl.in_dst"


def is_marked(loop: Operation) -> bool:
    """Whether a loop keeps its values in the registers."""
    return MARK in loop.attributes


def marked(kernel: dialect.UserKernelOp) -> Iterator[Operation]:
    """The marked loops of a kernel, outer ones first."""
    return iter([op for op in walked(kernel) if is_marked(op)])


def values_of(loop: Operation) -> list[Carried]:
    """The values of blocks that a ``for`` carries; a marked loop keeps them in the registers in this order."""
    return [carried(loop, index) for index, value in enumerate(loop.results) if _is_tensor(value)]


def is_kept(value: SSAValue) -> bool:
    """Whether a value is in the registers: a result or argument of a marked loop, or a result of a region."""
    return _keeper(value) is not None


def kept_in(values: Iterable[SSAValue]) -> list[SSAValue]:
    """Return the values in the registers that a computation needs, with those kept together with them, in order."""
    result: dict[SSAValue, None] = {}
    for value in values:
        for item in tree(value, through=is_kept):
            if (keeper := _keeper(item)) is not None:
                result |= dict.fromkeys(_beside(item, keeper))
    return list(result)


def _beside(value: SSAValue, keeper: Operation) -> list[SSAValue]:
    """Return the values that the registers hold together with a value, itself among them."""
    if isinstance(keeper, dialect.ComputeRegionOp):
        return [*keeper.values]
    inside = isinstance(value, BlockArgument)
    return [item.argument if inside else item.result for item in values_of(keeper)]


def _keeper(value: SSAValue) -> Operation | None:
    """The loop that keeps a value, or the region that computes it."""
    keeper = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
    if not isinstance(keeper, Operation) or not _is_tensor(value):
        return None
    return keeper if is_marked(keeper) or isinstance(keeper, dialect.ComputeRegionOp) else None


def last_computed(loop: Operation) -> Operation | None:
    """Return the operation that computes the last of the values that an iteration ends with.

    None where an inner loop computes one of them.
    """
    owners = [value.yielded.owner for value in values_of(loop)]
    result: Operation | None = None
    for op in owners:
        if not isinstance(op, dialect.BlockComputeOp | dialect.RetypeOp):
            return None
        if result is None or comes_before(result, op):
            result = op
    return result


def keep(operation: dialect.OperationOp, loop: Operation) -> bool:
    """Mark a loop, and those nested in it, if its values can stay in the registers."""
    chain = _chain(loop)
    if not chain:
        return False
    kernel = kernel_of(loop)
    outer, inner = values_of(chain[0]), values_of(chain[-1])
    initial, yielded = [item.initial for item in outer], [item.yielded for item in inner]
    if start_for(initial, loop) is None or not _are_alike(outer, yielded):
        return False
    write_scalers(operation, kernel, [*initial, *yielded])
    needed = _tiles_needed(operation, kernel, chain)
    if needed is None or not has_room(operation, needed):
        return False
    make_room(operation, needed)
    for op in chain:
        op.attributes[MARK] = UnitAttr()
    start = start_for(initial, loop)
    if start is not None and start is not loop:
        for first, value in zip(outer, begin_at(start, initial, loop), strict=True):
            loop.operands[first.operand] = value
    tiles = len(outer) * prod(_space(outer[0]))
    what = "the sum stays" if len(outer) == 1 else f"the {len(outer)} sums stay"
    chain[0].attributes[WHY] = StringAttr(
        f"{what} in the registers over the loop: {tiles} tiles of {compute_mode(operation).capacity}"
    )
    return True


# Operations that a loop whose values stay in the registers cannot have.
_NOT_IN_REGISTERS = (dialect.BlockStoreOp, dialect.PrintOp, dialect.BlockPartOp, dialect.BlockInsertOp)


def _chain(loop: Operation) -> list[Operation]:
    """The nest from a loop to the inner loop that computes its values; empty if they cannot stay in the registers."""
    values = values_of(loop)
    if not values or not all(value.result.uses for value in values):
        return []
    if any(isinstance(op, _NOT_IN_REGISTERS) for op in walked(loop)):
        return []
    inner = values[0].yielded.owner
    if isinstance(inner, LOOPS):
        rest = _chain(inner) if _is_handed_on(values, inner) else []
        return [loop, *rest] if rest else []
    if any(isinstance(op, LOOPS) and values_of(op) for op in walked(loop) if op is not loop):
        return []
    return [loop] if _is_computed_at_once(values) else []


def _is_handed_on(values: Sequence[Carried], inner: Operation) -> bool:
    """Whether an iteration only passes its values to an inner loop, and yields the results of that."""
    inside = values_of(inner)
    return (
        inner.parent is values[0].argument.block
        and len(inside) == len(values)
        and all(
            within.initial is value.argument
            and value.argument.has_one_use()
            and value.yielded is within.result
            and within.result.has_one_use()
            for value, within in zip(values, inside, strict=True)
        )
    )


def _is_computed_at_once(values: Sequence[Carried]) -> bool:
    """Whether one region can compute all yielded values at the place where the last of them is computed."""
    loop, end = values[0].loop, values[0].end
    yielded = [value.yielded for value in values]
    if not all(computed_in(value) and end.parent is _block_of(value) for value in yielded):
        return False
    users = {value.owner for item in yielded for value in tree(item)}
    if any(use.operation not in users for value in values for use in value.argument.uses):
        return False
    if any(
        use.operation is not end and use.operation not in users for value in yielded for use in value.uses
    ):
        return False
    place = last_computed(loop)
    assert place is not None
    return not any(pop_before(read, place) for value in yielded for read in leaves(value))


def _block_of(value: SSAValue) -> object:
    return value.owner.parent if isinstance(value.owner, Operation) else None


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _space(carried: Carried) -> tuple[int, ...]:
    return tile_shape(type_of(carried.result))


def _are_alike(values: Sequence[Carried], yielded: Sequence[SSAValue]) -> bool:
    """Whether one section can hold all values: they have one shape, and are reduced within tiles in one way."""
    lanes = {_lanes(value.initial, last) for value, last in zip(values, yielded, strict=True)}
    return len(set(map(_space, values))) == 1 and len(lanes) == 1


def _tiles_needed(
    operation: dialect.OperationOp, kernel: dialect.UserKernelOp, chain: list[Operation]
) -> int | None:
    """Tiles that the initial values and one iteration need in the registers; None if these cannot compute them."""
    outer, inner = values_of(chain[0]), values_of(chain[-1])
    initial, yielded = [item.initial for item in outer], [item.yielded for item in inner]
    counts = [
        _places(operation, kernel, stored, held, chain[0])
        for stored, held in ((initial, []), (yielded, [item.argument for item in inner]))
    ]
    numbers = [count for count in counts if count is not None]
    return max(numbers) * prod(_space(outer[0])) if len(numbers) == len(counts) else None


def _places(
    operation: dialect.OperationOp,
    kernel: dialect.UserKernelOp,
    values: Sequence[SSAValue],
    held: Sequence[SSAValue],
    place: Operation,
) -> int | None:
    """The places of DST that values need; None if the values cannot end up in the first places, in order."""
    scalers = scalers_in(kernel, values)
    try:
        region = RegionBuilder(tile_shape(type_of(values[0])), held, scalers).build(
            [(value, None) for value in values], place
        )
    except Unbuildable:
        return None
    new_plan = plan(region, fp32_dest=compute_mode(operation).fp32_dest)
    end = region.body.block.last_op
    assert end is not None
    ends = [
        new_plan.places.get(tile.owner) if isinstance(tile.owner, TileOp) else None for tile in end.operands
    ]
    region.erase()
    return new_plan.count if ends == [*range(len(values))] and not (held and new_plan.begins) else None


def _lanes(*values: SSAValue) -> frozenset[str]:
    """Return how values are reduced within tiles, which decides the lanes that the packer writes for a section."""
    return frozenset(filter(None, (reduced_within(item) for value in values for item in tree(value))))


def start_for(values: Sequence[SSAValue], end: Operation) -> Operation | None:
    """Return the operation before which the initial values of ``end`` are computed: ``end``, or a release before it.

    The release is the first one of a block that the values read. None if the registers cannot hold the values from
    there on.
    """
    reads = list(dict.fromkeys(read for value in values for read in leaves(value)))
    pops = [pop for read in reads if (pop := pop_before(read, end)) is not None]
    if not pops:
        return end
    if any(pop.parent is not end.parent for pop in pops):
        return None
    start = pops[0]
    for pop in pops:
        start = pop if comes_before(pop, start) else start
    own = list(dict.fromkeys(item for value in values for item in tree(value)))
    users = {end, *(value.owner for value in own)}
    if any(
        use.operation not in users for value in (*own, *(read.result for read in reads)) for use in value.uses
    ):
        return None
    if not all(_is_there(read, start) for read in reads) or any(map(_reduces, own)):
        return None
    op: Operation | None = start
    while op is not None and op is not end:
        if any(_disturbs(item, own, end) for item in walked(op)):
            return None
        op = op.next_op
    return start


def begin_at(start: Operation, values: Sequence[SSAValue], end: Operation) -> Sequence[SSAValue]:
    """Compute values into the registers before an operation; return the results of the region that does so."""
    for value in values:
        compute_before(value, start)
    region = RegionBuilder(tile_shape(type_of(values[0]))).build([(value, None) for value in values], end)
    insert([region], InsertPoint.before(start), end.location)
    return region.values


def _is_there(read: dialect.BlockReadOp, start: Operation) -> bool:
    """Whether a read is of a block of the program (whose release is known), acquired before a place."""
    acquire, dfb = dialect.acquired_from(read.block), dialect.dfb_of(read.block)
    result = dfb is None or (isinstance(dfb.owner, dialect.CreateDfbOp) and is_made(dfb.owner))
    return acquire is not None and not result and precedes(acquire, start)


def _reduces(value: SSAValue) -> bool:
    """Whether a value is a reduction, which would leave the section with the lanes of its result only."""
    op = value.owner
    return isinstance(op, dialect.BlockComputeOp) and op.row.family == "reduction"


def _disturbs(op: Operation, own: Collection[SSAValue], end: Operation) -> bool:
    """Whether an operation needs the registers, or values that others need later would be stored before it."""
    match op:
        case dialect.BlockReadOp():
            return False
        case dialect.BlockStoreOp() | dialect.PrintOp() | dialect.ComputeRegionOp():
            return True
        case dialect.DfbPopOp():
            return is_needed_after(op, (end,))
    return any(isinstance(value.type, TensorType) and value not in own for value in op.results)
