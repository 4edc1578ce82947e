"""The interface between the language and its executions: the execution under which a piece of user code runs."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from ttl.lang.check import fail
from ttl.rules.launches import outside
from ttl.session import Part

if TYPE_CHECKING:
    from ttl.diag import Diagnostic
    from ttl.lang.buffer import DataflowBuffer
    from ttl.lang.expr import BlockExpr
    from ttl.lang.extern_calls import ExternCall, NamedKernel
    from ttl.lang.transfers import TensorSlice, Transfer
    from ttl.protocol.blocks import KernelKind
    from ttl.protocol.devices import ChipDomain
    from ttl.rows.row import Op, Params
    from ttl.rows.types import BlockType
    from ttl.rules.buffers import BufferPlacement
    from ttl.rules.distribution import Distribution


class PipeNetState(Protocol):
    """The state of a pipe net on the current node, in an execution."""

    def if_src(self, function: Callable[[Any], None]) -> None:
        """Call ``function`` for each pipe on which the node sends."""

    def if_dst(self, function: Callable[[Any], None]) -> None:
        """Call ``function`` for each pipe from which the node receives."""

    def is_src(self) -> bool:
        """Whether the node sends on any pipe."""

    def is_dst(self) -> bool:
        """Whether the node receives from any pipe."""

    def destination_count(self) -> int:
        """Return the number of pipes from which the node receives."""


class SemaphoreState(Protocol):
    """The state of a semaphore as seen from one node, in an execution."""

    def wait(self, value: int, exact: bool) -> None:
        """Block until the local value is equal to, or at least, ``value``."""

    def set(self, nodes: tuple[int, ...] | None, value: int) -> None:
        """Set the value on some nodes (None: here)."""

    def inc(self, node: int, value: int) -> None:
        """Add to the value on one node."""

    def resolve(self, node: object) -> int:
        """Linear index of a node coordinate."""

    def resolve_range(self, node_range: object | None) -> tuple[int, ...]:
        """Linear indices of a node range, or of the whole grid."""


class Execution(Protocol):
    """One running operation, seen from the node and kernel whose code is running."""

    @property
    def grid(self) -> tuple[int, ...]:
        """Extents of the launch grid."""

    @property
    def node_index(self) -> int:
        """Linear index of the current node."""

    def device_index(self, domain: ChipDomain) -> Any:
        """The number of the current node's chip in a device domain, which must be that of the operation."""

    def node(self, dims: int) -> Any:
        """Coordinates of the current node, in at least two dimensions: ints, or integers of the node while source is read."""

    def shard_part(self, tensor: Any, index: tuple[Any, ...], of: Distribution) -> TensorSlice:
        """Return the slice of a tensor in the shard of this node, according to the distribution ``of``."""

    def add_kernel(
        self,
        function: Callable[[], None],
        kind: KernelKind,
        selector: NamedKernel | None = None,
        noc: int | None = None,
    ) -> None:
        """Register a kernel function of the current node's operation body; ``selector`` names it, ``noc`` is its network."""

    def other_than(self, selector: NamedKernel) -> str | None:
        """The name of the kernel that a selector names, if it is not the running one; else None."""

    def make_buffer(
        self, type: BlockType, block_count: int, placement: BufferPlacement, likeness: Any
    ) -> DataflowBuffer:
        """Create a dataflow buffer on the current node. ``likeness``: the tensor that it is made like, or None."""

    def reset(self, reset: Any, dfbs: Any) -> None:
        """Note that a kernel has reached a ``ttl.DFBReset`` of some buffers; None: of all."""

    def known_shape(self, tensor: Any) -> tuple[int, ...]:
        """The extents of a tensor, which have to be known."""

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        """Build a block expression."""

    def read(self, operand: Any) -> BlockExpr:
        """Return the current value of a block or an expression, for an expression that is made later."""

    def copy(self, src: Any, dst: Any) -> Transfer:
        """Start a copy."""

    def wait_any(self, requests: Any, start: Any) -> int:
        """Wait until one of several receives is complete; return its position among them."""

    def element_read(self, block: Any, coordinates: tuple[Any, ...]) -> float:
        """One element of a block."""

    def element_write(self, block: Any, coordinates: tuple[Any, ...], value: Any) -> None:
        """Write one element of a block."""

    def index_read(self, block: Any, coordinates: tuple[Any, ...]) -> int:
        """One element of a block as an index."""

    def pipe_net(self, net: Any) -> PipeNetState:
        """State of a ``ttl.PipeNet`` on the current node."""

    def register_net(self, net: Any) -> None:
        """Register a ``ttl.PipeNet`` that was constructed in the operation's body."""

    def new_semaphore(self, initial: int) -> SemaphoreState:
        """Create a semaphore on every node."""

    def signpost(self, name: str, enter: bool) -> None:
        """Begin or end a profiling region."""

    def call_extern(self, call: ExternCall) -> Any:
        """Call a function of the user's C++."""

    def in_kernel(self) -> bool:
        """Whether a kernel function (and not the operation's body) is running."""

    # --- questions of ``lang/arguments.py`` ---------------------------------------------------------------

    @property
    def kernel_kind(self) -> KernelKind | None:
        """The kind of the kernel that is running; None in the operation's body."""

    @property
    def what(self) -> str:
        """The running code, for messages: ``compute kernel matmul``, or ``the operation's body``."""

    def likeness(self, buffer: Any) -> Any:
        """The tensor that a buffer was made like; None if unknown."""

    def refuse(self, finding: Diagnostic, *, made: Any = None) -> NoReturn:
        """Raise a finding at the user's line. ``made``: the buffer or pipe whose definition the report also shows."""

    def refuse_read(self, block: Any, position: int) -> None:
        """Raise the error for reading a block, at the place where it is an operand; do nothing if it is allowed."""


# The grid of the last launch, to which ``ttl.grid_size()`` on the host refers.
LAST_GRID: Part[Any] = Part(lambda: None)
CURRENT: ContextVar[Execution | None] = ContextVar("ttl_execution", default=None)


def current(what: str) -> Execution:
    """The current execution; an error that names ``what`` if no execution is in progress."""
    execution = CURRENT.get()
    if execution is None:
        fail(outside(what))
    return execution
