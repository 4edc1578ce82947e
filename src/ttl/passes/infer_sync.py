"""``ttl-infer-sync``: the push, pop or transfer wait that a program leaves to the language.

Expects: operations as the front end makes them. Guarantees: every block that the program releases nowhere is pushed
after its last write, or popped after its last read, and every transfer that it waits for nowhere is waited for before
the block is used otherwise, or released; no ``ttl.grid_slice`` is left. A block or transfer that the program handles on
some path is left alone: if it is not handled on other paths, that is a mistake of the program. Inserted operations are
marked ``inferred``, and have the location of the acquisition or copy that they belong to. Running it again changes
nothing. (LANGUAGE.md, "Buffers, blocks".)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from ttl.analysis.dominance import OpT, ancestor_in, inside, of_kinds, outermost
from ttl.analysis.effects import uses_piece
from ttl.dialects import ttl as dialect
from ttl.dialects.effects import L1
from ttl.ir.locations import span_of
from ttl.passes.contracts import Contract, PassFact
from ttl.source.calls import result_handled

_RELEASES, _WAITS = ("push", "pop"), ("wait",)


@dataclass(frozen=True)
class InferSync(ModulePass):
    """Insert the push, pop or wait that the language infers."""

    name = "ttl-infer-sync"
    contract: ClassVar = Contract(
        needs=(PassFact.PROCESSORS, PassFact.LOCAL),
        gives=(PassFact.SYNC,),
        before=(PassFact.BUFFERED,),
        again=True,
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in outermost(op, dialect.OperationOp):
            infer_sync(operation)


def infer_sync(operation: dialect.OperationOp) -> int:
    """Insert the inferred operations into an operation; returns their number."""
    count = 0
    resolve_grid_slices(operation)
    for kernel in operation.kernels:
        acquires, over_pipes, others = _of_kernel(kernel)
        # A message over a pipe may come late, so its block is released only when nothing else is left to do.
        count += _infer_waits(over_pipes)
        count += _infer_releases(acquires)
        count += _infer_waits(others)
    return count


def with_sync(operation: dialect.OperationOp) -> dialect.OperationOp:
    """A copy of an operation with the inferred operations; the operation itself if there are no such operations."""
    if not has_grid_slices(operation) and not any(map(_leaves_something, operation.kernels)):
        return operation
    copied = operation.clone()
    infer_sync(copied)
    return copied


def _leaves_something(kernel: dialect.UserKernelOp) -> bool:
    """Whether a kernel leaves a push, a pop or a wait to the language."""
    acquires, over_pipes, others = _of_kernel(kernel)
    return bool(_without_wait(over_pipes) or _without_release(acquires) or _without_wait(others))


def _of_kernel(
    kernel: dialect.UserKernelOp,
) -> tuple[list[dialect.AcquireOp], list[dialect.CopyOp], list[dialect.CopyOp]]:
    """The acquisitions of a kernel, its copies over pipes, and the others."""
    acquires: list[dialect.AcquireOp] = []
    over_pipes: list[dialect.CopyOp] = []
    others: list[dialect.CopyOp] = []
    ops: list[dialect.AcquireOp | dialect.CopyOp] = of_kinds(kernel, dialect.AcquireOp, dialect.CopyOp)
    for op in ops:
        if isinstance(op, dialect.AcquireOp):
            acquires.append(op)
        else:
            (over_pipes if _over_pipe(op) else others).append(op)
    return acquires, over_pipes, others


def _sites(ops: Iterable[OpT]) -> Iterable[list[OpT]]:
    """Group operations by the place in the program that they come from: its text holds for all of them."""
    groups: dict[Hashable, list[OpT]] = defaultdict(list)
    for op in ops:
        groups[span_of(op) or op].append(op)
    return groups.values()


def _written_out(op: Operation, methods: tuple[str, ...]) -> bool:
    """Whether the program calls one of ``methods`` on the result of an operation, maybe on a path that is gone."""
    span = span_of(op)
    return span is not None and result_handled(span, methods) is True


# --- transfers ------------------------------------------------------------------------------------------------


def _infer_waits(copies: list[dialect.CopyOp]) -> int:
    left = _without_wait(copies)
    for copy in left:
        wait = dialect.WaitOp(copy.result, how="inferred")
        wait.location = copy.location
        _insert_wait(copy, wait)
    return len(left)


def _without_wait(copies: list[dialect.CopyOp]) -> list[dialect.CopyOp]:
    """The copies that the program waits for nowhere, site by site."""
    return [
        copy
        for site in _sites(copies)
        if not any(copy.results[0].first_use for copy in site) and not _written_out(site[0], _WAITS)
        for copy in site
    ]


def _over_pipe(copy: dialect.CopyOp) -> bool:
    return any(isinstance(end.type, dialect.PipeType) for end in (copy.src, copy.dst))


def _insert_wait(copy: dialect.CopyOp, wait: dialect.WaitOp) -> None:
    into = isinstance(copy.dst.type, dialect.BlockMemoryType)
    memory = copy.dst if into else copy.src
    block = copy.parent
    assert block is not None
    users = {
        level
        for use in memory.uses
        if into or not (isinstance(use.operation, dialect.CopyOp) and use.operation.src is memory)
        if (level := ancestor_in(use.operation, block)) is not None
    }
    users.update(_acquired_next(memory, block))
    at = copy.next_op
    while at is not None and at not in users and not at.has_trait(IsTerminator):
        at = at.next_op
    if at is None:
        block.add_op(wait)
    else:
        block.insert_op_before(wait, at)


def _acquired_next(memory: SSAValue, block: Block) -> Iterator[Operation]:
    """Yield acquisitions of other blocks of a block's buffer: there may be no room until the block is released."""
    acquire = dialect.acquired_from(memory)
    if acquire is None:
        return
    for use in acquire.dfb.uses:
        if type(use.operation) is type(acquire):
            level = ancestor_in(use.operation, block)
            if level is not None:
                yield level


# --- blocks ---------------------------------------------------------------------------------------------------


def _infer_releases(acquires: list[dialect.AcquireOp]) -> int:
    inferred = _without_release(acquires)
    rings: dict[tuple[Block, SSAValue, type], list[dialect.AcquireOp]] = defaultdict(list)
    for op in acquires if inferred else ():
        assert op.parent is not None
        rings[op.parent, op.dfb, type(op)].append(op)
    for (block, _, _), ring in rings.items():
        if not inferred.isdisjoint(ring):
            _release_ring(block, ring, inferred)
    return len(inferred)


def _without_release(acquires: list[dialect.AcquireOp]) -> set[Operation]:
    """The acquisitions of blocks that the program releases nowhere."""
    inferred: set[Operation] = set()
    for site in _sites(acquires):
        if not any(_is_handled(op.results[0]) for op in site) and not _written_out(site[0], _RELEASES):
            inferred.update(site)
    return inferred


def _is_handled(value: SSAValue) -> bool:
    """Whether the program releases a block, or passes it on to an operation through which it is not followed."""
    return not all(uses_piece(use.operation, L1, value) for use in value.uses)


def _release_ring(block: Block, ring: list[dialect.AcquireOp], inferred: set[Operation]) -> None:
    """Release blocks of one buffer in the order in which they were acquired, each after its last use."""
    ops = list(block.ops)
    order = {op: index for index, op in enumerate(ops)}
    latest = -1
    planned: list[tuple[Operation, dialect.AcquireOp]] = []
    for acquire in ring:
        if acquire not in inferred:
            released = [
                use.operation for use in acquire.result.uses if isinstance(use.operation, dialect.ReleaseOp)
            ]
            levels = [level for op in released if (level := ancestor_in(op, block)) is not None]
            latest = max([latest, *(order[level] for level in levels)])
            continue
        last = max(
            (level for op in _uses(acquire) if (level := ancestor_in(op, block)) is not None),
            key=lambda op: order[op],
            default=acquire,
        )
        latest = max(order[last], order[acquire], latest)
        planned.append((ops[latest], acquire))
    for after, acquire in reversed(planned):
        kind = dialect.DfbPushOp if isinstance(acquire, dialect.DfbReserveOp) else dialect.DfbPopOp
        release = kind(acquire.result, how="inferred")
        release.location = acquire.location
        block.insert_op_after(release, after)


def _uses(acquire: dialect.AcquireOp) -> Iterator[Operation]:
    """Yield the operations that use a block, and those that wait for copies of it."""
    for use in acquire.result.uses:
        op = use.operation
        yield op
        if isinstance(op, dialect.CopyOp):
            for other in op.result.uses:
                yield other.operation
                if isinstance(other.operation, dialect.GroupAddOp):
                    yield from (item.operation for item in other.operation.group.uses)


def has_grid_slices(operation: dialect.OperationOp) -> bool:
    """Whether a node's part of a tensor is taken anywhere in an operation."""
    return dialect.GridSliceOp in map(type, inside(operation))


def resolve_grid_slices(operation: dialect.OperationOp) -> None:
    """Resolve ``ttl.grid_slice``: add the start of a node's part, coordinate times extent, to offsets of its slices."""
    parts = of_kinds(operation, dialect.GridSliceOp)
    for part in reversed(parts):  # inner parts (parts of parts) come later in the order
        for use in list(part.result.uses):
            if isinstance(use.operation, dialect.TensorSliceOp):
                _move(use.operation, part.block_factors)
            use.operation.operands[use.index] = part.accessor
        assert part.parent is not None
        part.parent.erase_op(part)


def _move(op: dialect.TensorSliceOp, factors: tuple[int, ...]) -> None:
    node = dialect.NodeOp(len(factors))
    new: list[Operation] = [node]
    offsets: list[SSAValue] = []
    for coordinate, factor, offset in zip(node.coordinates, factors, op.offsets, strict=True):
        size = ConstantOp.from_int_and_width(factor, IndexType())
        begin = MuliOp(coordinate, size.result)
        moved = AddiOp(begin.result, offset)
        new += [size, begin, moved]
        offsets.append(moved.result)
    for added in new:
        added.location = op.location
    assert op.parent is not None
    op.parent.insert_ops_before(new, op)
    op.operands = [op.accessor, *offsets, *op.dynamic_sizes]
