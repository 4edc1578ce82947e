"""Sub-views of blocks while an operation runs: parts of the values of their blocks, without data of their own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ttl.diag import Diagnostic, ProgramError
from ttl.lang.arguments import match_view_store, refuse_store
from ttl.lang.block import BlockView
from ttl.lang.expr import BlockExpr
from ttl.lang.unshaped import Unshaped
from ttl.protocol.blocks import State, Step
from ttl.protocol.views import RefusedTiles, View, state_of, stepped, tiles_of, whole
from ttl.rows.parts import INSERT, PART, PLACE
from ttl.rows.row import Op, Params
from ttl.rows.types import BlockType
from ttl.rules import labels
from ttl.rules import views as rules
from ttl.rules.stores import into_the_block
from ttl.sim.events import STORED
from ttl.sim.values import Expr, Value
from ttl.source.calls import argument_span
from ttl.source.spans import user_frame, user_site

if TYPE_CHECKING:
    from ttl.rows.dtypes import DType
    from ttl.sim.kernel import Kernel, RunningLaunch
    from ttl.sim.transfer import HeldBlock


class _Target(NamedTuple):
    """The part of a block as the target of a store, in place of a block's buffer."""

    name: str
    type: BlockType


class SimView(BlockView):
    """A part of a block."""

    __slots__ = ("block", "buffer", "view")

    def __init__(self, block: HeldBlock, view: View) -> None:
        self.block = block
        self.view = view
        self.buffer = _Target(block.buffer.name, block.buffer.type.with_shape(view.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in tiles."""
        return self.view.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.buffer.type.dtype

    @property
    def kernel(self) -> Kernel:
        """The kernel that acquired the block."""
        return self.block.kernel

    @property
    def engine(self) -> RunningLaunch:
        """The launch the block belongs to."""
        return self.block.engine

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        return self.engine.apply(op, operands, params)

    def __getitem__(self, index: Any) -> SimView:
        inner = rules.view_of(index, self.buffer.type, self.buffer.name)
        if isinstance(inner, Diagnostic):
            self.engine.fail(inner)
        return SimView(self.block, inner.within(self.view))

    def __setitem__(self, index: Any, value: Any) -> None:
        if type(value) is not SimView or value.block is not self.block or self[index].view != value.view:
            self.engine.fail(rules.assigned(self.buffer.name))

    def __repr__(self) -> str:
        return f"<sub-view {self.view} of a block of {self.buffer.name}>"

    def read(self) -> Value:
        """Return the present value of the view, for an expression or a store: a step of its tiles."""
        block, engine = self.block, self.engine
        if block.kernel is not engine.current:
            block.illegal(Step.READ)
        take(block, Step.READ, self)
        value: Value | None = block.value
        assert value is not None
        if self.buffer.type is block.buffer.type:
            return value
        valid = PART.valid_rule([value.valid], self.view, self.buffer.type)
        part = Expr(
            engine,
            PART,
            [value],
            tuple(self.view),
            self.buffer.type,
            valid,
            1,
            False,
            user_site(sys._getframe(1)),
        )
        taken: Value = engine.pending.fold(part)
        return taken

    def store(self, expr: Any) -> None:
        """Store an expression; see ``BlockView.store``."""
        block, engine, target = self.block, self.engine, self.buffer
        if type(expr) is Unshaped:
            expr = expr.shaped(self.shape)
        if engine.current is not block.kernel or block.state == State.OUT_OF_SCOPE:
            block.illegal(Step.STORE)
        if not isinstance(expr, BlockExpr):
            refuse_store(engine, expr, self)
        expr = engine.read(expr)
        match_view_store(engine, expr.type, self)
        take(block, Step.STORE, self)
        if target.type is block.buffer.type:
            block.value = engine.pending.stored(expr, block)
        else:
            part, old = engine.pending.stored(expr, self), block.value
            op, args = (PLACE, [part]) if old is None else (INSERT, [old, part])
            valid = op.valid_rule([value.valid for value in args], self.view, block.buffer.type)
            site = user_site(sys._getframe(1))
            changed = Expr(engine, op, args, tuple(self.view), block.buffer.type, valid, 1, False, site)
            block.value = engine.pending.stored(changed, block)
        block.kernel.computed = True
        if engine.on_event is not None:
            engine.on_event(STORED, block)

    def __iadd__(self, other: Any) -> SimView:  # type: ignore[misc]
        block = self.block
        tiles = tiles_now(block)
        runs = self.view.runs(block.buffer.type.shape)
        is_unwritten = all(set(tiles[first:end]) == {int(State.MUST_BE_WRITTEN)} for first, end in runs)
        try:
            self.store(other if is_unwritten else self.engine.add(self, other))
        except ProgramError as refused:
            told = (into_the_block(finding, self.buffer.name) for finding in refused.diagnostics)
            raise type(refused)(*told) from None
        return self


def tiles_now(block: HeldBlock) -> bytes:
    """The states of the tiles of a block."""
    if block.state == State.IN_PARTS:
        return block.engine.parts[block]
    return tiles_of(block.state, block.buffer.type.shape)


def take(block: HeldBlock, step: Step, view: SimView | None = None, *, by_with: bool = False) -> None:
    """Take a step on a sub-view, or on the whole of a block whose tiles are in different states."""
    engine, shape = block.engine, block.buffer.type.shape
    part = whole(shape) if view is None else view.view
    tiles = stepped(block.table, tiles_now(block), part, shape, step)
    if isinstance(tiles, RefusedTiles):
        _refuse(block, step, tiles, view, by_with=by_with)
    state = state_of(tiles)
    if state == State.IN_PARTS:
        engine.parts[block] = tiles
    else:
        engine.parts.pop(block, None)
    block.state = state


def _refuse(
    block: HeldBlock, step: Step, why: RefusedTiles, view: SimView | None, *, by_with: bool
) -> NoReturn:
    if why.state is State.OUT_OF_SCOPE:
        block.illegal(step, by_with)
    engine = block.engine
    finding = rules.refused(block.role, why, step, block.buffer.name, None if view is None else view.view)
    if by_with:
        raise ProgramError(engine.located(finding, block.site, labels.RELEASED_BY_WITH))
    frame = user_frame(sys._getframe(1))
    if frame is not None and step is Step.READ:
        finding = finding.at(argument_span(frame, block if view is None else view))
    engine.fail(finding, related=((block.site, labels.held(block.acquired)),))
