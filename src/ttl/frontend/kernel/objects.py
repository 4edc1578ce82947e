"""The objects of the language while source is read: calls of their methods become operations of the dialect.

They derive from the public classes, so the public functions take them and check them as they check the simulator's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol

from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.mutable import within
from ttl.frontend.stop import Reject
from ttl.lang.block import Block, BlockView
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.check import fail
from ttl.lang.debug import signpost
from ttl.lang.deprecated import note_accumulating_store, note_pop_of_buffer, note_push_of_buffer
from ttl.lang.expr import BlockExpr, is_same
from ttl.lang.transfers import GroupTransfer, ReceiveRequest, Transfer
from ttl.rows.dtypes import DType
from ttl.rows.row import Op, Params
from ttl.rows.types import BlockType
from ttl.rules.buffers import ANYWHERE
from ttl.rules.copies import no_transfer

if TYPE_CHECKING:
    from typing import Self

    from xdsl.ir import SSAValue

    from ttl.host.tensor import Tensor
    from ttl.source.spans import Span


class BlockRecorder(Protocol):
    """Records operations on objects: the ``Tracer``."""

    def emit(self, operation: Any) -> Any:
        """Append an operation and return it."""

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> TracedExpr:
        """A block expression."""

    def acquire(self, buffer: TracedBuffer, *, reserve: bool) -> TracedBlock:
        """``reserve`` or ``wait``."""

    def release(self, block: TracedBlock, *, push: bool, how: Literal["explicit", "with"]) -> None:
        """``push`` or ``pop``."""

    def publish(self, buffer: TracedBuffer) -> None:
        """``publish``."""

    def nothing_held(self, buffer: TracedBuffer, *, push: bool) -> NoReturn:
        """The older ``push()`` or ``pop()`` of a buffer without a block."""

    def store(self, block: TracedBlock | TracedView, expr: Any, *, accumulate: bool) -> None:
        """``blk.store(expr)``."""

    def add_to(self, block: TracedBlock | TracedView, expr: Any) -> None:
        """``blk += expr``."""

    def view(self, of: TracedBlock | TracedView, index: Any) -> TracedView:
        """``blk[index]``."""

    def require_same(self, of: TracedBlock | TracedView, index: Any, value: Any) -> None:
        """Check ``blk[index] = value``, which is only allowed as the end of ``blk[index] += expr``."""


class _OfBlocks:
    """An object with the shape and element type of a block."""

    __slots__ = ()
    type: BlockType

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in tiles or elements."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.type.dtype


class _Traced(_OfBlocks, BlockExpr):
    """The common base of block expressions and blocks."""

    __slots__ = ()
    tracer: BlockRecorder
    __hash__ = BlockExpr.__hash__

    def __eq__(self, other: object) -> Any:
        require_one_object(self, other)
        return is_same(self, other)

    def __ne__(self, other: object) -> Any:
        return not self == other

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        return self.tracer.apply(op, operands, params)


class TracedExpr(_Traced):
    """A block expression.

    ``merged``: it is one of several, chosen by the node, so that it is not known which object it is. ``may_be_block``:
    one of them is a block itself, which ``+=`` changes.
    """

    __slots__ = ("may_be_block", "merged", "ssa", "tracer", "type")

    def __init__(
        self, tracer: BlockRecorder, ssa: SSAValue, type: BlockType, *, merged: bool = False
    ) -> None:
        self.tracer = tracer
        self.ssa = ssa
        self.type = type
        self.merged = merged
        self.may_be_block = False

    def __hash__(self) -> int:
        if self.merged:
            raise _not_one_object()
        return super().__hash__()


def require_one_object(left: object, right: object) -> None:
    """Refuse to compare by identity a value that may be one of several block expressions.

    A comparison with the same value, or with None, is allowed.
    """
    merged = any(isinstance(value, TracedExpr) and value.merged for value in (left, right))
    if merged and left is not right and left is not None and right is not None:
        raise _not_one_object()


def _not_one_object() -> Reject:
    return Reject(
        refusals.not_on_node(
            "which of several block expressions this is", "compare the numbers that choose it"
        )
    )


class TracedBlock(_Traced, Block):
    """An acquired block."""

    __slots__ = ("buffer", "kernel", "reserved", "span", "ssa", "tracer", "type")

    def __init__(
        self,
        tracer: BlockRecorder,
        buffer: TracedBuffer,
        ssa: SSAValue,
        kernel: str,
        reserved: bool,
        span: Span | None,
    ) -> None:
        self.tracer, self.buffer, self.type, self.ssa = tracer, buffer, buffer.type, ssa
        self.kernel, self.reserved, self.span = kernel, reserved, span

    def store(self, expr: Any, acc: bool = False) -> None:
        """A store."""
        if acc:
            note_accumulating_store()
        self.tracer.store(self, expr, accumulate=bool(acc))

    def __iadd__(self, other: Any) -> Self:  # type: ignore[misc]
        self.tracer.add_to(self, other)
        return self

    def __getitem__(self, index: Any) -> TracedView:
        return self.tracer.view(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.tracer.require_same(self, index, value)

    def push(self) -> None:
        """A push."""
        self.tracer.release(self, push=True, how="explicit")

    def pop(self) -> None:
        """A pop."""
        self.tracer.release(self, push=False, how="explicit")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is None:
            self.tracer.release(self, push=self.reserved, how="with")


class TracedView(_Traced, BlockView):
    """A part of a block. The offsets at which it starts are ints, or integers of the node."""

    __slots__ = ("block", "starts", "tracer", "type")

    def __init__(self, block: TracedBlock, starts: tuple[Any, ...], shape: tuple[int, ...]) -> None:
        self.block, self.tracer, self.starts = block, block.tracer, starts
        self.type = block.type.with_shape(shape)

    def __getitem__(self, index: Any) -> TracedView:
        return self.tracer.view(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.tracer.require_same(self, index, value)

    @property
    def buffer(self) -> TracedBuffer:
        """The buffer of the block."""
        return self.block.buffer

    @property
    def text(self) -> str:
        """The part as text for messages."""
        bounds = (f"{start}:{start + extent}" for start, extent in zip(self.starts, self.shape, strict=True))
        is_known = all(isinstance(start, int) for start in self.starts)
        return f"[{', '.join(bounds)}]" if is_known else f"of shape {self.shape}"

    def store(self, expr: Any) -> None:
        """A store."""
        self.tracer.store(self, expr, accumulate=False)

    def __iadd__(self, other: Any) -> Self:  # type: ignore[misc]
        self.tracer.add_to(self, other)
        return self


class TracedBuffer(_OfBlocks, DataflowBuffer):
    """A dataflow buffer, made like a tensor or (None) with an element type."""

    __slots__ = ("_block_count", "held", "likeness", "name", "placement", "span", "ssa", "tracer", "type")

    def __init__(
        self,
        tracer: BlockRecorder,
        ssa: SSAValue,
        type: BlockType,
        block_count: int,
        name: str,
        span: Span | None,
        likeness: Tensor | None,
    ) -> None:
        self.tracer, self.ssa, self.type, self._block_count = tracer, ssa, type, block_count
        self.name, self.span, self.likeness = name, span, likeness
        self.placement = ANYWHERE
        # Acquired blocks that are not released by name, for the older push() and pop() of a buffer.
        self.held: list[TracedBlock] = []

    def rename(self, name: str) -> None:
        """Change the name of the buffer, here and in the IR."""
        self.name = name
        owner = self.ssa.owner
        assert isinstance(owner, ir.CreateDfbOp)
        owner.rename(name)

    def reserve(self) -> TracedBlock:
        """A reservation."""
        return self.tracer.acquire(self, reserve=True)

    def wait(self) -> TracedBlock:
        """A wait."""
        return self.tracer.acquire(self, reserve=False)

    def publish(self) -> None:
        """Publish all blocks, which then have the data of the tensor."""
        self.tracer.publish(self)

    def push(self) -> None:
        """Older spelling: push the oldest reserved block."""
        note_push_of_buffer()
        self._release_oldest(reserved=True)

    def pop(self) -> None:
        """Older spelling: pop the oldest waited block."""
        note_pop_of_buffer()
        self._release_oldest(reserved=False)

    def _release_oldest(self, *, reserved: bool) -> None:
        for block in self.held:
            if block.reserved is reserved:
                self.tracer.release(block, push=reserved, how="explicit")
                return
        self.tracer.nothing_held(self, push=reserved)

    @property
    def block_count(self) -> int:
        """The number of blocks in the buffer."""
        return self._block_count


class TracedTransfer(Transfer):
    """A copy in progress."""

    __slots__ = ("ssa", "tracer")

    def __init__(self, tracer: BlockRecorder, ssa: SSAValue) -> None:
        self.tracer = tracer
        self.ssa = ssa

    def wait(self) -> None:
        """A wait for the copy."""
        self.tracer.emit(ir.WaitOp(self.ssa, how="explicit"))


class TracedReceive(TracedTransfer, ReceiveRequest):
    """A receive in progress: the buffer of its block, and its net."""

    __slots__ = ("buffer", "net")

    def __init__(self, tracer: BlockRecorder, ssa: SSAValue, buffer: TracedBuffer, net: Any) -> None:
        super().__init__(tracer, ssa)
        self.buffer, self.net = buffer, net


def receive_in(*values: Any) -> ReceiveRequest | None:
    """The first receive among values and their members, or None."""
    return next((part for part in within(values) if isinstance(part, ReceiveRequest)), None)


class TracedGroup(GroupTransfer):
    """A group of transfers."""

    __slots__ = ("ssa", "tracer")

    def __init__(self, tracer: BlockRecorder) -> None:
        self.tracer = tracer
        self.ssa = tracer.emit(ir.CreateGroupOp()).result

    def add(self, xf: Transfer) -> None:
        """Add a transfer."""
        if not isinstance(xf, TracedTransfer):
            fail(no_transfer(xf))
        self.tracer.emit(ir.GroupAddOp(self.ssa, xf.ssa))

    def wait_all(self) -> None:
        """Wait for all transfers."""
        self.tracer.emit(ir.GroupWaitOp(self.ssa))


class TracedSignpost(signpost):
    """A named region."""

    __slots__ = ("_tracer",)

    def __init__(self, tracer: BlockRecorder, name: str) -> None:
        super().__init__(name)
        self._tracer = tracer

    @property
    def name(self) -> str:
        """The name of the region."""
        return self._name

    def __enter__(self) -> None:
        self._tracer.emit(ir.SignpostOp(self._name, edge="begin"))

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is None:
            self._tracer.emit(ir.SignpostOp(self._name, edge="end"))
