"""Blocks: the steps that a kernel may take with memory it acquired from a dataflow buffer.

One look-up in the table of the block's role decides whether a step is legal; the slow paths, at the end, say why not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from ttl import control
from ttl.diag import Diagnostic, ProgramError
from ttl.lang.block import Block
from ttl.lang.deprecated import note_accumulating_store
from ttl.lang.expr import BlockExpr
from ttl.lang.unshaped import Unshaped
from ttl.protocol.blocks import (
    LAST_RESERVE,
    STEPS,
    Acquired,
    Role,
    State,
    Step,
    explain,
    flat_table,
    may_drop,
    step_from,
)
from ttl.rows.dtypes import DType
from ttl.rows.row import Op, Params
from ttl.rules import blocks as rules
from ttl.rules import labels
from ttl.rules.blocks import meant_to_store
from ttl.rules.stores import into_the_block, used_after_the_end
from ttl.rules.views import assigned, view_of
from ttl.sim import implicit, leftovers, show
from ttl.sim.events import POPPED, PUSHED, STORED
from ttl.sim.views import SimView, take
from ttl.source.calls import argument_span
from ttl.source.spans import Site, span_of_site, user_frame

if TYPE_CHECKING:
    from typing import Self

    from ttl._core import Block as _BLOCK
    from ttl.sim.kernel import Kernel, RunningLaunch
    from ttl.sim.transfer import HeldBuffer, SimTransfer
    from ttl.sim.values import Value

_READ, _STORE, _PUSH, _POP = int(Step.READ), int(Step.STORE), int(Step.PUSH), int(Step.POP)
_UNWRITTEN, _FILLED = int(State.MUST_BE_WRITTEN), int(State.MUST_BE_READ)
_READ_WRITE, _OUT_OF_SCOPE, _UNREAD = int(State.READ_WRITE), int(State.OUT_OF_SCOPE), int(State.UNREAD)
_IN_PARTS = int(State.IN_PARTS)
_LAST_RESERVE = int(LAST_RESERVE)
# Steps whose report points to where the block is named.
_NAMING = (Step.READ, Step.COPY_IN, Step.COPY_OUT, Step.READ_ELEMENT, Step.WRITE_ELEMENT)


if not TYPE_CHECKING:
    _BLOCK = control.base(
        "Block", ("buffer", "kernel", "released", "site", "state", "table", "transfers", "value")
    )


class SimBlock(_BLOCK, Block):
    """A block acquired from a dataflow buffer.

    ``table`` is the transition table of the block's role; its last entry is the role. ``transfers`` heads the list,
    linked by ``SimTransfer.next``, of the copies under way. ``released`` is set by the release.
    """

    __slots__ = ()

    released: Site | None

    def __init__(
        self,
        buffer: HeldBuffer,
        kernel: Kernel,
        table: tuple[int, ...],
        state: int,
        value: Value | None,
        site: Site,
    ) -> None:
        self.buffer = buffer
        self.kernel = kernel
        self.table = table
        self.state = state
        self.value = value
        self.site = site
        self.transfers: SimTransfer | None = None

    def read(self) -> Value:
        """Return the value for an expression or a store; a step of the block's life cycle."""
        if self.state == _IN_PARTS:
            take(self, Step.READ)
        state = self.table[self.state * STEPS + _READ]
        if state < 0:
            self.illegal(Step.READ)
        self.state = state
        value = self.value
        assert value is not None
        return value

    def store(self, expr: Any, acc: bool = False) -> None:
        """Store an expression; see ``Block.store``."""
        engine = self.buffer.engine
        if type(expr) is Unshaped:
            expr = expr.shaped(self.buffer.type.shape)
        if type(expr) is SimView:
            expr = engine.read(expr)
        if acc:
            note_accumulating_store()
            if self.state != _UNWRITTEN:
                expr = engine.add(self, expr)
        table = self.table
        if self.state == _IN_PARTS and engine.current is self.kernel:
            take(self, Step.STORE)
            self.state = _READ_WRITE  # each of its tiles may be written, which this store does
        if table[self.state * STEPS + _STORE] < 0 or engine.current is not self.kernel:
            self.illegal(Step.STORE)
        self.value = engine.pending.stored(expr, self)
        # Storing a block may have read this same block, so the state is looked up only now.
        self.state = table[self.state * STEPS + _STORE]
        self.kernel.computed = True
        if engine.on_event is not None:
            engine.on_event(STORED, self)

    def __getitem__(self, index: Any) -> SimView:
        view = view_of(index, self.buffer.type, self.buffer.name)
        if isinstance(view, Diagnostic):
            self.engine.fail(view)
        return SimView(self, view)

    def __setitem__(self, index: Any, value: Any) -> None:
        if type(value) is not SimView or value.block is not self or self[index].view != value.view:
            self.engine.fail(assigned(self.buffer.name))

    def touch_element(self, step: Step) -> None:
        """Record that one element is read or written; a step of the block's life cycle."""
        state = step_from(self.table, self.state, step)
        if self.buffer.engine.current is not self.kernel:
            self.illegal(step)
        self.state = self.after_transfers(step) if state < 0 else state

    def push(self) -> None:
        """Push the block; see ``Block.push``."""
        self._push()
        frame = sys._getframe(1)
        self.released = (frame.f_code, frame.f_lasti)

    def pop(self) -> None:
        """Pop the block; see ``Block.pop``."""
        self._pop()
        frame = sys._getframe(1)
        self.released = (frame.f_code, frame.f_lasti)

    def release(self) -> None:
        """Push or pop, whichever ends the life of this block."""
        if self.acquired_by_reserve:
            self._push()
        else:
            self._pop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            if self.table[-1] <= _LAST_RESERVE:
                self._push()
            else:
                self._pop()

    def _push(self) -> None:
        buffer = self.buffer
        engine = buffer.engine
        held = buffer.held_reserved
        state = self.table[self.state * STEPS + _PUSH]
        if state < 0 or engine.current is not self.kernel or held[0] is not self:
            if self._release_later(Step.PUSH, held):
                return
            state = _OUT_OF_SCOPE
        if engine.on_push is not None:
            engine.on_push(buffer, self.value)
        del held[0]
        if self.state == _READ_WRITE:
            buffer.used += 1
        self.state = state
        buffer.slots.append(self.value)
        self.value = None
        buffer.pushed += 1
        filled = buffer.pushed - buffer.popped
        if filled > buffer.high_water:
            buffer.high_water = filled
        waiter = buffer.waiting_consumer
        if waiter is not None:
            buffer.waiting_consumer = None
            engine.wake(waiter)
        if engine.on_event is not None:
            engine.on_event(PUSHED, self)
        if held and held[0].state == _OUT_OF_SCOPE:
            held[0].state = _FILLED
            held[0]._push()

    def _pop(self) -> None:
        buffer = self.buffer
        engine = buffer.engine
        held = buffer.held_waited
        state = self.table[self.state * STEPS + _POP]
        if state < 0 or engine.current is not self.kernel or held[0] is not self:
            if self._release_later(Step.POP, held):
                return
            state = _OUT_OF_SCOPE
        del held[0]
        self.state = state
        self.value = None
        buffer.popped += 1
        waiter = buffer.waiting_producer
        if waiter is not None:
            buffer.waiting_producer = None
            engine.wake(waiter)
        if engine.on_event is not None:
            engine.on_event(POPPED, self)
        if held and held[0].state == _OUT_OF_SCOPE:
            held[0].state = _READ_WRITE
            held[0]._pop()

    def __iadd__(self, other: Any) -> SimBlock:  # type: ignore[misc]
        try:
            self.store(other if self.state == State.MUST_BE_WRITTEN else self.engine.add(self, other))
        except ProgramError as refused:
            told = (into_the_block(finding, self.buffer.name) for finding in refused.diagnostics)
            raise type(refused)(*told) from None
        return self

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        return self.engine.apply(op, operands, params)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in tiles (tiled) or elements (row-major)."""
        return self.buffer.type.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.buffer.type.dtype

    @property
    def acquired_by_reserve(self) -> bool:
        """Whether the block was reserved (and not waited for)."""
        return self.table[-1] <= _LAST_RESERVE

    @property
    def acquired(self) -> Acquired:
        """The way the block was acquired."""
        return "reserve" if self.acquired_by_reserve else "wait"

    @property
    def role(self) -> Role:
        """How, and in which kind of kernel, the block was acquired."""
        return Role(self.table[-1])

    @property
    def engine(self) -> RunningLaunch:
        """The launch the block belongs to."""
        return self.buffer.engine

    def transfers_under_way(self) -> Iterator[SimTransfer]:
        """The copies of the block that were not waited for yet, latest first."""
        transfer = self.transfers
        while transfer is not None:
            following = transfer.next
            yield transfer
            transfer = following

    def __repr__(self) -> str:
        state = State(self.state)
        hidden = self.value is None or state is State.NO_ACCESS_WHILE_WRITING
        array = None if hidden else self.engine.pending.array_of(self.value)
        return show.block(self.buffer.name, self.buffer.type, state, array)

    # --- slow paths -------------------------------------------------------------------------------------

    def illegal(self, step: Step, by_with: bool = False) -> NoReturn:
        """Report a step the block's state forbids; ``by_with``: a release by the end of a with statement."""
        engine = self.engine
        diagnostic = (
            self._after_the_end()
            or self._wrong_kernel_kind(step)
            or self._foreign(step)
            or explain(self.role, State(self.state), step, self.buffer.name)
        )
        diagnostic = meant_to_store(diagnostic, span_of_site(self.site))
        related: list[tuple[Site | None, str]] = []
        released = getattr(self, "released", None)
        if self.state == State.OUT_OF_SCOPE and (released or not by_with):
            how = labels.ACQUIRED_IN_WITH
            if released:
                how = labels.released(self.acquired)
            elif implicit.is_inferred(self):
                how = labels.released_by_language(self.acquired)
            related.append((released or self.site, how))
        elif self.transfers and self.state in (State.READ_ONLY_WHILE_READING, State.NO_ACCESS_WHILE_WRITING):
            related.append((self.transfers.site, labels.COPY_STARTED))
        elif not by_with:
            inferred = engine.fallback_site is not None and step in (Step.PUSH, Step.POP)
            how = labels.held_to_the_end(self.acquired) if inferred else labels.held(self.acquired)
            related.append((self.site, how))
        if by_with:
            raise ProgramError(engine.located(diagnostic, self.site, labels.RELEASED_BY_WITH, tuple(related)))
        frame = user_frame(sys._getframe(1))
        if frame is not None and step in _NAMING:
            diagnostic = diagnostic.at(argument_span(frame, self))
        engine.fail(diagnostic, related=tuple(related))

    def _after_the_end(self) -> Diagnostic | None:
        if self.engine.active:
            return None
        return used_after_the_end(f"block of {self.buffer.name}")

    def after_transfers(self, step: Step) -> int:
        """State after a step that is only legal once the block's copies are done, if that wait is inferred."""
        if self.transfers and self.engine.current is self.kernel and implicit.finish_transfers(self):
            state = step_from(self.table, self.state, step)
            if state >= 0:
                return state
        self.illegal(step)

    def _wrong_kernel_kind(self, step: Step) -> Diagnostic | None:
        current = self.engine.current
        if current.is_compute:
            return None
        return rules.wrong_kernel_kind(step, self.buffer.name, current.name)

    def _foreign(self, step: Step) -> Diagnostic | None:
        current = self.engine.current
        if current is self.kernel:
            return None
        return rules.foreign(self.buffer.name, self.kernel.name, current.name)

    def _release_later(self, step: Step, held: list[SimBlock]) -> bool:
        """Handle a push or pop that the fast path leaves: infer missing releases and waits, or report an error.

        Return True when the release takes effect only with that of an older block: a with statement releases several
        blocks of one buffer in reverse order, but they are pushed or popped in the order in which they were acquired.
        """
        by_with = sys._getframe(2).f_code is _EXIT
        if self.engine.current is not self.kernel:
            self.illegal(step, by_with)
        if self.state == _IN_PARTS:
            take(self, step, by_with=by_with)
            self.state = _READ_WRITE  # the state in which every tile of it may be released
        elif self.transfers and implicit.finish_transfers(self):
            if self.table[self.state * STEPS + step] < 0:
                self.illegal(step, by_with)
        elif self.state == _UNREAD and may_drop(self.role, State(self.state), step):
            leftovers.note_unread(self, by_with)
            self.state = _READ_WRITE
        elif self.table[self.state * STEPS + step] < 0:
            self.illegal(step, by_with)
        implicit.release_older(self, held, step)
        if held[0] is not self and by_with:
            if step is Step.PUSH and self.state == _READ_WRITE:
                self.buffer.used += 1
            self.state = _OUT_OF_SCOPE
            return True
        if held[0] is not self:
            self.engine.fail(
                rules.out_of_order(step, self.buffer.name), related=((held[0].site, labels.OLDER_BLOCK),)
            )
        return False


_EXIT = SimBlock.__dict__["__exit__"].__code__
control.accelerated(SimBlock)
control.register(block=SimBlock)
control.configure("tables", tuple(flat_table(role) for role in Role))
