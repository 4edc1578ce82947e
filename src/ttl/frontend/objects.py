"""The objects of the language while source is read: what kernels do to them becomes operations of the dialect.

They derive from the public classes, so the public functions take them and check them as they check the simulator's.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from ttl.diag import Diagnostic
from ttl.dialects import ttl as ir
from ttl.frontend.scalars import Scalar
from ttl.lang.block import Block
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.check import fail
from ttl.lang.copy import GroupTransfer, TensorSlice, Transfer
from ttl.lang.debug import signpost
from ttl.lang.deprecated import note_accumulating_store, note_pop_of_buffer, note_push_of_buffer
from ttl.lang.expr import BlockExpr
from ttl.lang.pipe import DstPipeIdentity, PipeNet, SrcPipeIdentity
from ttl.lang.semaphore import MulticastRemoteSemaphore, Semaphore, UnicastRemoteSemaphore
from ttl.ops.dtypes import DType
from ttl.ops.row import Op, Params
from ttl.ops.types import BlockType
from ttl.rules.copies import no_transfer
from ttl.rules.semaphores import semaphore_value

if TYPE_CHECKING:
    from typing import Self

    from xdsl.ir import SSAValue

    from ttl.frontend.tracer import Tracer
    from ttl.host.tensor import Tensor
    from ttl.source.spans import Span


class TracedExpr(BlockExpr):
    """A block expression."""

    __slots__ = ("ssa", "tracer", "type")

    def __init__(self, tracer: Tracer, ssa: SSAValue, type: BlockType) -> None:
        self.tracer = tracer
        self.ssa = ssa
        self.type = type

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        return self.tracer.apply(op, operands, params)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in tiles or elements."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.type.dtype


class TracedBlock(Block):
    """An acquired block."""

    __slots__ = ("buffer", "kernel", "reserved", "span", "ssa", "tracer")

    def __init__(
        self,
        tracer: Tracer,
        buffer: TracedBuffer,
        ssa: SSAValue,
        *,
        kernel: str,
        reserved: bool,
        span: Span | None,
    ) -> None:
        self.tracer = tracer
        self.buffer = buffer
        self.ssa = ssa
        self.kernel = kernel
        self.reserved = reserved
        self.span = span

    def store(self, expr: Any, acc: bool = False) -> None:
        """A store."""
        if acc:
            note_accumulating_store()
        self.tracer.store(self, expr, accumulate=bool(acc))

    def __iadd__(self, other: Any) -> Self:  # type: ignore[misc]
        self.tracer.add_to(self, other)
        return self

    def push(self) -> None:
        """A push."""
        self.tracer.release(self, push=True, how="explicit")

    def pop(self) -> None:
        """A pop."""
        self.tracer.release(self, push=False, how="explicit")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.tracer.release(self, push=self.reserved, how="with")

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        return self.tracer.apply(op, operands, params)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in tiles or elements."""
        return self.buffer.type.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.buffer.type.dtype


class TracedBuffer(DataflowBuffer):
    """A dataflow buffer."""

    __slots__ = ("_block_count", "held", "likeness", "name", "span", "ssa", "tracer", "type")

    likeness: Tensor

    def __init__(
        self, tracer: Tracer, ssa: SSAValue, type: BlockType, block_count: int, name: str, span: Span | None
    ) -> None:
        self.tracer = tracer
        self.ssa = ssa
        self.type = type
        self._block_count = block_count
        self.name = name
        self.span = span
        # Blocks acquired and not released by name, for the older push() and pop() of a buffer.
        self.held: list[TracedBlock] = []

    def rename(self, name: str) -> None:
        """Another name, here and in the IR."""
        self.name = name
        made = self.ssa.owner
        assert isinstance(made, ir.CreateDfbOp)
        made.rename(name)

    def reserve(self) -> TracedBlock:
        """A reservation."""
        return self.tracer.acquire(self, reserve=True)

    def wait(self) -> TracedBlock:
        """A wait."""
        return self.tracer.acquire(self, reserve=False)

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
    def shape(self) -> tuple[int, ...]:
        """Shape of a block."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.type.dtype

    @property
    def block_count(self) -> int:
        """How many blocks the buffer holds."""
        return self._block_count


class TracedSlice(TensorSlice):
    """A slice of a tensor. ``extents`` are ints, or integers known on the node."""

    __slots__ = ("dtype", "extents", "layout", "single", "ssa")

    def __init__(
        self, ssa: SSAValue, extents: tuple[Any, ...], single: tuple[bool, ...], dtype: DType, layout: Any
    ) -> None:
        self.ssa = ssa
        self.extents = extents
        self.single = single
        self.dtype = dtype
        self.layout = layout

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in tiles or elements."""
        return self.extents


class TracedTransfer(Transfer):
    """A copy under way."""

    __slots__ = ("ssa", "tracer")

    def __init__(self, tracer: Tracer, ssa: SSAValue) -> None:
        self.tracer = tracer
        self.ssa = ssa

    def wait(self) -> None:
        """A wait for the copy."""
        self.tracer.emit(ir.WaitOp(self.ssa, how="explicit"))


class TracedGroup(GroupTransfer):
    """A group of transfers."""

    __slots__ = ("ssa", "tracer")

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.ssa = tracer.emit(ir.CreateGroupOp()).result

    def add(self, xf: Transfer) -> None:
        """Add a transfer."""
        if not isinstance(xf, TracedTransfer):
            fail(no_transfer(xf))
        self.tracer.emit(ir.GroupAddOp(self.ssa, xf.ssa))

    def wait_all(self) -> None:
        """Wait for all of them."""
        self.tracer.emit(ir.GroupWaitOp(self.ssa))


class TracedSrcPipe(SrcPipeIdentity[Any]):
    """The sending end a condition function is called with."""

    __slots__ = ("active", "net", "ssa", "tracer")

    def __init__(self, tracer: Tracer, net: PipeNet[Any], ssa: SSAValue) -> None:
        self.tracer = tracer
        self.net = net
        self.ssa = ssa
        # Until the condition function that it was handed to has returned.
        self.active = True

    @property
    def dst(self) -> Any:
        """Destination of the pipe, which is another one in each call."""
        return self.tracer.pipe_coordinates(self.net, self.ssa, "dst")

    @property
    def src(self) -> Any:
        """Source of the pipe: the node itself."""
        return self.tracer.pipe_coordinates(self.net, self.ssa, "src")


class TracedDstPipe(DstPipeIdentity):
    """The receiving end a condition function is called with."""

    __slots__ = ("active", "net", "ssa", "tracer")

    def __init__(self, tracer: Tracer, net: PipeNet[Any], ssa: SSAValue) -> None:
        self.tracer = tracer
        self.net = net
        self.ssa = ssa
        # Until the condition function that it was handed to has returned.
        self.active = True

    @property
    def src(self) -> Any:
        """Source of the pipe, which is another one in each call."""
        return self.tracer.pipe_coordinates(self.net, self.ssa, "src")

    @property
    def dst(self) -> Any:
        """Destination of the pipe, this node among them."""
        return self.tracer.pipe_coordinates(self.net, self.ssa, "dst")


class TracedNet:
    """What ``PipeNet`` asks of an execution."""

    __slots__ = ("net", "tracer")

    def __init__(self, tracer: Tracer, net: PipeNet[Any]) -> None:
        self.tracer = tracer
        self.net = net

    def if_src(self, function: Any) -> None:
        """Evaluate the condition function once, for all pipes."""
        self.tracer.if_pipe(self.net, function, "src")

    def if_dst(self, function: Any) -> None:
        """Evaluate the condition function once, for all pipes."""
        self.tracer.if_pipe(self.net, function, "dst")

    def is_src(self) -> Any:
        """Whether the node sends on any pipe."""
        return self.tracer.is_pipe(self.net, "src")

    def is_dst(self) -> Any:
        """Whether the node receives from any pipe."""
        return self.tracer.is_pipe(self.net, "dst")


class TracedSemaphore(Semaphore):
    """A semaphore."""

    __slots__ = ("ssa", "tracer")

    def __init__(self, tracer: Tracer, ssa: SSAValue) -> None:
        self.tracer = tracer
        self.ssa = ssa

    def wait_eq(self, value: Any) -> None:
        """Wait for equality."""
        self.tracer.semaphore_wait(self.ssa, counted(value), "eq")

    def wait_ge(self, value: Any) -> None:
        """Wait for at least."""
        self.tracer.semaphore_wait(self.ssa, counted(value), "ge")

    def set(self, value: Any) -> None:
        """Set here."""
        self.tracer.semaphore_set(self.ssa, counted(value))

    def get_remote(self, node: Any) -> UnicastRemoteSemaphore:
        """The semaphore on another node."""
        return TracedUnicast(self.tracer, self.tracer.remote(self.ssa, node))

    def get_remote_multicast(self, node_range: Any = None) -> MulticastRemoteSemaphore:
        """The semaphore on a range of nodes."""
        return TracedMulticast(self.tracer, self.tracer.remote_multicast(self.ssa, node_range))


class TracedUnicast(UnicastRemoteSemaphore):
    """A semaphore on another node."""

    __slots__ = ("ssa", "tracer")

    def __init__(self, tracer: Tracer, ssa: SSAValue) -> None:
        self.tracer = tracer
        self.ssa = ssa

    def set(self, value: Any) -> None:
        """Set there."""
        self.tracer.semaphore_set(self.ssa, counted(value))

    def inc(self, value: Any) -> None:
        """Add there."""
        self.tracer.semaphore_inc(self.ssa, counted(value))


class TracedMulticast(MulticastRemoteSemaphore):
    """A semaphore on a range of nodes. ``inc`` of the public class is an error."""

    __slots__ = ("ssa", "tracer")

    def __init__(self, tracer: Tracer, ssa: SSAValue) -> None:
        self.tracer = tracer
        self.ssa = ssa

    def set(self, value: Any) -> None:
        """Set on all of them."""
        self.tracer.semaphore_set(self.ssa, counted(value))


class TracedSignpost(signpost):
    """A region with a name."""

    __slots__ = ("_tracer",)

    def __init__(self, tracer: Tracer, name: str) -> None:
        super().__init__(name)
        self._tracer = tracer

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    def __enter__(self) -> None:
        self._tracer.emit(ir.SignpostOp(self._name, edge="begin"))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self._tracer.emit(ir.SignpostOp(self._name, edge="end"))


def counted(value: Any) -> Any:
    """A value for a semaphore, checked where it is known."""
    if isinstance(value, Scalar):
        return value
    found = semaphore_value(value)
    if isinstance(found, Diagnostic):
        fail(found)
    return found
