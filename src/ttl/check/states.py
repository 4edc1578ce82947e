"""The states of blocks on every path through a kernel (specification, "Block states"): the rules of the simulator,
without data.

Steps are those of ``ttl.protocol.blocks``, everything else those of ``ttl.rules``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import kinds, walked
from ttl.analysis.scalars import Slots
from ttl.check.context import CheckContext
from ttl.check.flow.analyse import analyse
from ttl.check.flow.holdings import AcquiredBlock, AcquireSite, BlockId, CopyId, Holdings
from ttl.check.flow.tree import USES
from ttl.check.watching import CheckWatcher
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.ttl import OperationOp
from ttl.ir.locations import span_of
from ttl.protocol.blocks import (
    COPIED_IN,
    COPIED_OUT,
    STEPS,
    State,
    Step,
    explain,
    flat_table,
    initial_state,
    may_drop,
    popped_unread,
    role_of,
    step_from,
)
from ttl.protocol.views import (
    OPEN,
    RefusedTiles,
    View,
    maybe_stepped,
    state_of,
    stepped,
    tiles_of,
    whole,
)
from ttl.rules import blocks as rules
from ttl.rules import labels
from ttl.rules.blocks import meant_to_store
from ttl.rules.buffers import holds_all
from ttl.rules.views import not_known_written, refused
from ttl.source.names import operand_naming
from ttl.source.reads import is_read_somewhere
from ttl.source.spans import Span


def check(operation: OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Find steps that a block's state forbids, blocks released out of order, too many held blocks, and leftovers."""
    slots = Slots(context.grid)
    findings: list[Diagnostic] = []
    watcher = context.watcher
    for kernel in operation.kernels:
        rules = BlockStates(kernel)
        action = rules.action if watcher is None else _watched(rules.action, watcher)
        findings += analyse(kernel, slots, action, Holdings, rules.left_over, rules.place)
    return findings


_RELEASED = int(State.OUT_OF_SCOPE)
_UNWRITTEN = int(State.MUST_BE_WRITTEN)
_IN_PARTS = int(State.IN_PARTS)
# The state of a block after a finding: further findings about it are suppressed.
_UNKNOWN = -1


_table = lru_cache(flat_table)

Found = Diagnostic | None
Action = Callable[[Holdings], Found]


def _watched(
    action: Callable[[Operation], Action | None], watcher: CheckWatcher
) -> Callable[[Operation], Action | None]:
    """Return the rules with a watcher that is notified of their effects on blocks."""

    def watched(op: Operation) -> Action | None:
        act = action(op)
        if act is None:
            return None

        def step(path: Holdings) -> Found:
            before, used = dict(path.blocks), {path.names.get(value) for value in op.operands}
            finding = act(path)
            for block, held in path.blocks.items():
                earlier = before.get(block)
                changed = earlier is None or earlier.state != held.state
                if held.state == _UNKNOWN or not (changed or block in used):
                    continue
                # In each iteration of a loop, the acquired block is a new one.
                was = None
                if earlier is not None and earlier.state != _UNKNOWN and op is not block.site.op:
                    was = State(earlier.state)
                watcher.step(op, block.site.op, was, State(held.state))
            return finding

        return step

    return watched


_ELSEWHERE = (dialect.EXTERN, dialect.RESETS)
_LOOKED_AT = kinds(
    dialect.AcquireOp, dialect.ReleaseOp, dialect.CopyOp, dialect.WaitOp, dialect.BlockReadOp, dialect.BlockStoreOp, dialect.BlockAccumulateOp,
    dialect.ComputeRegionOp, dialect.ElementReadOp, dialect.ReadIndexOp, dialect.ElementWriteOp, dialect.DfbResidentOp,
    dialect.CreateGroupOp, dialect.GroupAddOp, dialect.GroupWaitOp, dialect.DmaBarrierOp,
)  # fmt: skip


class BlockStates:
    """The rules, for one kernel."""

    def __init__(self, kernel: dialect.UserKernelOp) -> None:
        self._kernel = kernel
        self._computes = kernel.kind == "compute"
        self._is_read: dict[SSAValue, bool] = {}

    def action(self, op: Operation) -> Action | None:
        """Return the effect of an operation on blocks; None if it has no effect."""
        if not _LOOKED_AT[type(op)] or not op.attributes.keys().isdisjoint(_ELSEWHERE):
            return None  # with these attributes, the user's C++ uses the block
        match op:
            case dialect.AcquireOp():
                return self.acquire(op)
            case dialect.ReleaseOp():
                return self.release(op)
            case dialect.CopyOp():
                return self.start_copy(op)
            case dialect.WaitOp():
                return self.wait(op)
            case dialect.BlockReadOp() | dialect.BlockStoreOp() | dialect.BlockAccumulateOp():
                return self.use(op) if self._computes else None
            case dialect.ComputeRegionOp():
                return self.compute(op)
            case dialect.ElementReadOp() | dialect.ReadIndexOp():
                return self._stepping(op, op.block, Step.READ_ELEMENT)
            case dialect.ElementWriteOp():
                return self._stepping(op, op.block, Step.WRITE_ELEMENT)
            case dialect.DfbResidentOp():
                copied, done = (
                    self._stepping(op, op.block, step) for step in (Step.COPY_IN, Step.COPY_IN_DONE)
                )
                return lambda path: copied(path) or done(path)
            case dialect.CreateGroupOp():
                return self.make_group(op)
            case dialect.GroupAddOp():
                return self.add_to_group(op)
            case dialect.GroupWaitOp():
                return self.wait_for_group(op)
            case dialect.DmaBarrierOp():
                return self.barrier
        return None

    def left_over(self, path: Holdings) -> Iterator[tuple[Operation, Diagnostic]]:
        """Blocks that are held when the kernel ends."""
        for ring in path.rings.values():
            for block in ring:
                if path.blocks[block].state not in (_UNKNOWN, _RELEASED):
                    site = block.site
                    finding = rules.left_over(site.acquired, site.buffer, self._kernel.kernel_name)
                    yield site.op, finding

    def place(self, op: Operation) -> Span | None:
        """Return the place for a finding about an operation: that of the block's name, if the operation uses a block."""
        here = span_of(op)
        match op:
            case (
                dialect.BlockReadOp()
                | dialect.ElementReadOp()
                | dialect.ReadIndexOp()
                | dialect.ElementWriteOp()
            ):
                memory = op.block
            case dialect.CopyOp():
                memory = op.dst if isinstance(op.dst.type, dialect.BlockMemoryType) else op.src
            case _:
                return here
        acquire = dialect.acquired_from(memory)
        acquired = None if acquire is None else span_of(acquire)
        return here if here is None or acquired is None else operand_naming(here, acquired) or here

    # --- acquiring and releasing ------------------------------------------------------------------------------

    def acquire(self, op: dialect.AcquireOp) -> Action | None:
        """Return the effect of ``reserve`` and ``wait``; None if the buffer is not known."""
        owner = op.dfb.owner
        if not isinstance(owner, dialect.CreateDfbOp):
            return None
        reserves = isinstance(op, dialect.DfbReserveOp)
        role = role_of("reserve" if reserves else "wait", self._kernel.kind)
        type_ = op.dfb.type
        assert isinstance(type_, dialect.DataflowBufferType)
        ring = (op.dfb, reserves)
        inferred = next((release for release in _releases(op) if release.how == "inferred"), None)
        site = AcquireSite(op, role, _table(role), owner.buffer_name.data, type_.block_count, ring, inferred)
        # A kernel waits forever for a block that is never reserved, so operations behind the wait do not run.
        is_filled = reserves or any(isinstance(use.operation, dialect.DfbReserveOp) for use in op.dfb.uses)
        first = AcquiredBlock(int(initial_state(role)) if is_filled else _UNKNOWN)
        result = op.result

        def act(path: Holdings) -> Found:
            ring_now = path.rings.get(ring, ())
            finding = None
            if len(ring_now) >= site.block_count:
                oldest = ring_now[0]
                finding = holds_all(site.acquired, site.buffer, site.block_count).at(span_of(op))
                finding = finding.also(span_of(oldest.site.op), labels.OLDEST_HELD)
                for block in ring_now:
                    path.blocks[block] = AcquiredBlock(_UNKNOWN)
                ring_now = ring_now[1:]
            before = path.names.get(result)
            number = 0
            while (block := BlockId(site, number)) in path.blocks and (block in ring_now or block != before):
                number += 1
            path.blocks[block] = first
            path.names[result] = block
            path.rings[ring] = (*ring_now, block)
            if isinstance(before, BlockId) and before != block:
                path.drop(before)
            return finding

        return act

    def release(self, op: dialect.ReleaseOp) -> Action:
        """Return the effect of ``push`` and ``pop``: called, by a ``with`` statement, or inferred."""
        step = Step.PUSH if isinstance(op, dialect.DfbPushOp) else Step.POP
        value = op.block

        def act(path: Holdings) -> Found:
            block = path.names.get(value)
            if not isinstance(block, BlockId):
                return None
            held, ring = path.blocks[block], path.rings.get(block.site.ring, ())
            if op.how == "inferred" and held.released is not None:
                return None  # released before, together with a younger block
            if op.how != "inferred" and block in ring:
                ring = self._release_older(path, ring, block, step)
            finding: Found = None
            if held.state == _IN_PARTS:
                why = self._settled(path, block, step)
                if isinstance(why, RefusedTiles):
                    path.rings[block.site.ring] = tuple(block_id for block_id in ring if block_id != block)
                    return self._refused(path, block, step, op, why, None)
                if why == OPEN and step is Step.PUSH:
                    finding = _told(not_known_written(block.site.buffer), block, op)
                held = path.blocks[block]
            if held.state == _UNKNOWN or block.site.table[held.state * STEPS + step] < 0:
                if held.state == _UNKNOWN or not may_drop(block.site.role, State(held.state), step):
                    path.rings[block.site.ring] = tuple(block_id for block_id in ring if block_id != block)
                    return None if held.state == _UNKNOWN else self._illegal(path, block, step, op)
                finding = _told(
                    popped_unread(block.site.buffer, is_read_elsewhere=self._is_read_elsewhere(block)),
                    block,
                    op,
                )
            self.given_back(path, block, op)
            if ring[0] != block:
                if op.how != "explicit":
                    return finding  # takes effect when the older blocks are released
                path.rings[block.site.ring] = tuple(block_id for block_id in ring if block_id != block)
                path.blocks[ring[0]] = AcquiredBlock(_UNKNOWN)
                finding = rules.out_of_order(step, block.site.buffer).at(span_of(op))
                return finding.also(span_of(ring[0].site.op), labels.OLDER_BLOCK)
            ring = ring[1:]
            while ring and path.blocks[ring[0]].state == _RELEASED:
                ring = ring[1:]
            path.rings[block.site.ring] = ring
            return finding

        return act

    def given_back(self, path: Holdings, block: BlockId, op: dialect.ReleaseOp) -> None:
        """Record the release of a block."""
        path.blocks[block] = AcquiredBlock(_RELEASED, (), op)

    def _is_read_elsewhere(self, block: BlockId) -> bool:
        """Whether a kernel reads blocks of a block's buffer, or the source the result of its acquiring call."""
        site = block.site
        dfb, acquired = site.op.dfb, span_of(site.op)
        known = self._is_read.get(dfb)
        if known is None:
            known = self._is_read[dfb] = any(
                _may_read(op, dfb) for kernel in self._all_kernels() for op in walked(kernel)
            )
        return known or (acquired is not None and is_read_somewhere(acquired))

    def _all_kernels(self) -> Iterator[dialect.UserKernelOp]:
        operation = self._kernel.parent_op()
        assert isinstance(operation, dialect.OperationOp)
        return iter(operation.kernels)

    def _release_older(
        self, path: Holdings, ring: tuple[BlockId, ...], block: BlockId, step: Step
    ) -> tuple[BlockId, ...]:
        """Before a block is released, release complete older blocks that are left to the language; return the ring."""
        while ring[0] != block:
            older = ring[0]
            release = older.site.inferred
            if release is None:
                break
            for copy in path.blocks[older].copies:
                self._end_copy(path, copy)
            if path.blocks[older].state == _IN_PARTS:
                self._settled(path, older, step)
            held = path.blocks[older]
            if held.state == _UNKNOWN or older.site.table[held.state * STEPS + step] < 0:
                break
            self.given_back(path, older, release)
            ring = ring[1:]
        path.rings[block.site.ring] = ring
        return ring

    # --- steps ------------------------------------------------------------------------------------------------

    def use(self, op: dialect.BlockReadOp | dialect.BlockStoreOp | dialect.BlockAccumulateOp) -> Action:
        """Return the effect of a read, of a store, or of ``blk += x``: at first a store, later a read and a store."""
        if isinstance(op, dialect.BlockReadOp):
            return self._stepping(op, op.block, Step.READ)
        store = self._stepping(op, op.block, Step.STORE)
        if isinstance(op, dialect.BlockStoreOp):
            return store
        read, memory = self._stepping(op, op.block, Step.READ), op.block

        def act(path: Holdings) -> Found:
            block = path.names.get(memory)
            if isinstance(block, BlockId) and self._is_unwritten(path, block, op):
                return store(path)
            return read(path) or store(path)

        return act

    def compute(self, op: dialect.ComputeRegionOp) -> Action:
        """Return the effect of a region, which reads its inputs and stores its outputs.

        A block of which it uses a part gets an unknown state.
        """
        ends = [*((value, Step.READ) for value in op.inputs), *((value, Step.STORE) for value in op.outputs)]
        whole = [
            self._stepping(op, value, step)
            for value, step in ends
            if not isinstance(value.owner, dialect.BlockViewOp)
        ]
        acquired = (
            dialect.acquired_from(value) for value, _ in ends if isinstance(value.owner, dialect.BlockViewOp)
        )
        parts = [acquire.result for acquire in acquired if acquire is not None]

        def act(path: Holdings) -> Found:
            for memory in parts:
                if isinstance(block := path.names.get(memory), BlockId):
                    path.blocks[block] = AcquiredBlock(_UNKNOWN)
            return next(filter(None, (step(path) for step in whole)), None)

        return act

    def _stepping(self, op: Operation, value: SSAValue, step: Step) -> Action:
        def act(path: Holdings) -> Found:
            block = path.names.get(value)
            return self._step(path, block, step, op) if isinstance(block, BlockId) else None

        return act

    def _step(self, path: Holdings, block: BlockId, step: Step, op: Operation) -> Found:
        held = path.blocks[block]
        if held.state == _UNKNOWN:
            return None
        if held.state == _IN_PARTS or (isinstance(op, USES) and op.offsets):
            return self._step_in_parts(path, block, step, op)
        state = step_from(block.site.table, held.state, step)
        if state < 0:
            return self._illegal(path, block, step, op)
        if state != held.state:
            path.blocks[block] = held._replace(state=state)
        return None

    # --- sub-views ----------------------------------------------------------------------------------------------

    def _step_in_parts(self, path: Holdings, block: BlockId, step: Step, op: Operation) -> Found:
        """Apply a step to a sub-view, or to a block whose tiles are in different states."""
        held, shape = path.blocks[block], _shape(block)
        tiles, view = _tiles(held, shape), _view(path, op, shape)
        if view is None:
            after = maybe_stepped(tiles, block.site.table, step)
        elif _is_outside(view, shape):
            path.blocks[block] = AcquiredBlock(_UNKNOWN)  # ``bounds`` reports it
            return None
        else:
            after = stepped(block.site.table, tiles, view, shape, step)
        if isinstance(after, RefusedTiles):
            of_view = view if isinstance(op, USES) and op.offsets else None
            return self._refused(path, block, step, op, after, of_view)
        state = state_of(after)
        path.blocks[block] = held._replace(state=state, tiles=after if state == _IN_PARTS else b"")
        return None

    def _is_unwritten(self, path: Holdings, block: BlockId, op: Operation) -> bool:
        """Whether a block, or the tiles of it that an operation uses, have not been written yet."""
        held, shape = path.blocks[block], _shape(block)
        if held.state == _UNKNOWN:
            return False
        view = _view(path, op, shape)
        tiles = _tiles(held, shape)
        if view is None or _is_outside(view, shape):
            return _UNWRITTEN in tiles  # possibly
        return {state for first, end in view.runs(shape) for state in tiles[first:end]} <= {_UNWRITTEN, OPEN}

    def _settled(self, path: Holdings, block: BlockId, step: Step) -> RefusedTiles | int:
        """Bring a block whose tiles may all be released into one state; return ``OPEN`` if some tiles are undecided."""
        held, shape = path.blocks[block], _shape(block)
        after = stepped(block.site.table, held.tiles, whole(shape), shape, step)
        if isinstance(after, RefusedTiles):
            return after
        read = int(State.READ_WRITE)
        is_read = read in held.tiles or step is Step.POP
        path.blocks[block] = held._replace(state=read if is_read else int(State.MUST_BE_READ), tiles=b"")
        return OPEN if OPEN in held.tiles else read

    def _refused(
        self, path: Holdings, block: BlockId, step: Step, op: Operation, why: RefusedTiles, view: View | None
    ) -> Diagnostic:
        """Return the finding about a step that the state of some tiles forbids."""
        site, held = block.site, path.blocks[block]
        if why.state is State.OUT_OF_SCOPE:
            return self._illegal(path, block, step, op)
        path.blocks[block] = AcquiredBlock(_UNKNOWN)
        path.copies -= set(held.copies)
        finding = refused(site.role, why, step, site.buffer, view)
        how = op.how if isinstance(op, dialect.ReleaseOp) else ""
        acquired = span_of(site.op)
        if how in ("with", "inferred"):
            return finding.at(acquired, labels.RELEASED_BY_WITH if how == "with" else "")
        return finding.also(acquired, labels.held(site.acquired))

    # --- copies -----------------------------------------------------------------------------------------------

    def start_copy(self, op: dialect.CopyOp) -> Action:
        """Return the effect of ``ttl.copy``: a step of the block, and the start of a copy."""
        into = isinstance(op.dst.type, dialect.BlockMemoryType)
        value, step = (op.dst, Step.COPY_IN) if into else (op.src, Step.COPY_OUT)

        def act(path: Holdings) -> Found:
            block = path.names.get(value)
            if not isinstance(block, BlockId):
                path.names.pop(op.result, None)
                return None
            finding = self._step(path, block, step, op)
            copy = CopyId(op, block, 0)
            if copy in path.copies:
                copy = CopyId(op, block, 1)
            path.names[op.result] = copy
            held = path.blocks[block]
            if held.state != _UNKNOWN and copy not in path.copies:
                path.copies |= {copy}
                path.blocks[block] = held._replace(copies=(copy, *held.copies))
            return finding

        return act

    def wait(self, op: dialect.WaitOp) -> Action:
        """Return the effect of ``wait`` on a transfer."""

        def act(path: Holdings) -> Found:
            copy = path.names.get(op.transfer)
            if isinstance(copy, CopyId):
                self._end_copy(path, copy)
            return None

        return act

    def barrier(self, path: Holdings) -> Found:
        """Apply a barrier, which waits for every copy of the kernel; it has no findings."""
        for copy in path.copies:
            self._end_copy(path, copy)
        return None

    def make_group(self, op: dialect.CreateGroupOp) -> Action:
        """Return the effect of making an empty group of transfers."""

        def act(path: Holdings) -> Found:
            path.groups[op.result] = ()
            return None

        return act

    def add_to_group(self, op: dialect.GroupAddOp) -> Action:
        """Return the effect of adding a transfer to a group."""

        def act(path: Holdings) -> Found:
            copy = path.names.get(op.transfer)
            members = path.groups.get(op.group, ())
            if members is None and isinstance(copy, CopyId):
                self._end_copy(path, copy)  # too late, which ``transfers`` reports
            elif members is not None and isinstance(copy, CopyId) and copy not in members:
                path.groups[op.group] = (*members, copy)
            return None

        return act

    def wait_for_group(self, op: dialect.GroupWaitOp) -> Action:
        """Return the effect of ``wait_all``."""

        def act(path: Holdings) -> Found:
            for copy in path.groups.get(op.group) or ():
                self._end_copy(path, copy)
            path.groups[op.group] = None
            return None

        return act

    def _end_copy(self, path: Holdings, copy: CopyId) -> None:
        if copy not in path.copies:
            return
        path.copies -= {copy}
        block = copy.block
        held = path.blocks.get(block)
        if held is None or held.state == _UNKNOWN:
            return
        copies = tuple(copy_id for copy_id in held.copies if copy_id != copy)
        state = held.state
        if isinstance(copy.op.dst.type, dialect.BlockMemoryType):
            state = int(COPIED_IN)
        elif not copies:
            state = int(COPIED_OUT)
        path.blocks[block] = held._replace(state=state, copies=copies)

    # --- findings ---------------------------------------------------------------------------------------------

    def _illegal(self, path: Holdings, block: BlockId, step: Step, op: Operation) -> Diagnostic:
        """Return the finding about a forbidden step, with the places that the simulator names."""
        site, held = block.site, path.blocks[block]
        path.blocks[block] = AcquiredBlock(_UNKNOWN)
        path.copies -= set(held.copies)
        how = op.how if isinstance(op, dialect.ReleaseOp) else ""
        finding = explain(site.role, State(held.state), step, site.buffer)
        acquired = span_of(site.op)
        finding = meant_to_store(finding, acquired)
        if how in ("with", "inferred"):
            finding = finding.at(acquired, labels.RELEASED_BY_WITH if how == "with" else "")
        if held.state == _RELEASED and held.released is not None:
            return _after_release(finding, site, held.released, how)
        if held.copies and held.state in (State.READ_ONLY_WHILE_READING, State.NO_ACCESS_WHILE_WRITING):
            return finding.also(span_of(held.copies[0].op), labels.COPY_STARTED)
        if how == "with":
            return finding
        label = labels.held_to_the_end(site.acquired) if how == "inferred" else labels.held(site.acquired)
        return finding.also(acquired, label)


def _after_release(finding: Diagnostic, site: AcquireSite, release: Operation, how: str) -> Diagnostic:
    """Return the finding with the place of the earlier release; ``how`` is the kind of the present release."""
    before = release.how if isinstance(release, dialect.ReleaseOp) else ""
    acquired = span_of(site.op)
    if before == "explicit":
        return finding.also(span_of(release), labels.released(site.acquired))
    if how == "with":
        return finding
    if before == "with":
        return finding.also(acquired, labels.ACQUIRED_IN_WITH)
    return finding.also(acquired, labels.released_by_language(site.acquired))


def _told(finding: Diagnostic, block: BlockId, op: dialect.ReleaseOp) -> Diagnostic:
    """Place a finding about a release at the release, with the place of the acquisition."""
    acquired = span_of(block.site.op)
    if op.how == "with":
        return finding.at(acquired, labels.RELEASED_BY_WITH)
    if op.how == "inferred":
        return finding.at(acquired).also(acquired, labels.held_to_the_end(block.site.acquired))
    return finding.at(span_of(op)).also(acquired, labels.held(block.site.acquired))


def _may_read(op: Operation, dfb: SSAValue) -> bool:
    """Whether an operation reads, or possibly reads, a block of a buffer that was waited for."""
    match op:
        case (
            dialect.BlockReadOp()
            | dialect.BlockAccumulateOp()
            | dialect.ElementReadOp()
            | dialect.ReadIndexOp()
        ):
            block = op.block
        case dialect.CopyOp():
            block = op.src
        case dialect.ComputeRegionOp():
            return any(dialect.dfb_of(value) == dfb for value in op.inputs)
        case _:
            return False
    acquire = dialect.acquired_from(block)
    if acquire is not None:
        return isinstance(acquire, dialect.DfbWaitOp) and acquire.dfb == dfb
    type_ = dfb.type
    return (
        isinstance(block.type, dialect.BlockMemoryType)
        and isinstance(type_, dialect.DataflowBufferType)
        and block.type.block_type == type_.block_type
    )


def _shape(block: BlockId) -> tuple[int, ...]:
    type_ = block.site.op.result.type
    assert isinstance(type_, dialect.BlockMemoryType)
    return type_.shape


def _tiles(held: AcquiredBlock, shape: tuple[int, ...]) -> bytes:
    return held.tiles if held.state == _IN_PARTS else tiles_of(held.state, shape)


def _view(path: Holdings, op: Operation, shape: tuple[int, ...]) -> View | None:
    """Return the tiles that an operation uses; None if they are not known."""
    if not isinstance(op, USES) or not op.offsets:
        return whole(shape)
    return None if path.starts is None else View(path.starts, op.shape)


def _is_outside(view: View, shape: tuple[int, ...]) -> bool:
    return any(
        not 0 <= start <= extent - size
        for start, size, extent in zip(view.starts, view.shape, shape, strict=True)
    )


def _releases(op: dialect.AcquireOp) -> Iterator[dialect.ReleaseOp]:
    for use in op.result.uses:
        if isinstance(use.operation, dialect.ReleaseOp):
            yield use.operation
