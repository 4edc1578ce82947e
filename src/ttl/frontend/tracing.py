"""What is known of an operation while it is read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block as IRBlock
from xdsl.ir import SSAValue

from ttl.arch import Chip
from ttl.frontend import refusals
from ttl.frontend.builder import Builder
from ttl.frontend.objects import TracedBlock, TracedBuffer
from ttl.frontend.reals import Real
from ttl.frontend.scalars import Condition, Ratio, Scalar
from ttl.frontend.stop import Reject
from ttl.host.tensor import Tensor
from ttl.lang.check import fail
from ttl.protocol.blocks import KernelKind
from ttl.rules import blocks, kernels, semaphores
from ttl.rules.words import kernel_what

if TYPE_CHECKING:
    from ttl.source.spans import Span


class Tracing:
    """State of one operation while it is read."""

    def __init__(
        self,
        builder: Builder,
        grid: tuple[int, ...],
        chip: Chip,
        span: Callable[[], Span],
        place: Callable[[], ast.AST],
        span_of: Callable[[ast.AST], Span],
    ) -> None:
        self.builder = builder
        self.emit = builder.emit
        self.grid = grid
        self.chip = chip
        self.here = span
        self.place = place
        self.span_of = span_of
        # The kernel whose body is being read, and its kind; None in the body of the operation.
        self.kernel: str | None = None
        self.kind: KernelKind | None = None
        # The variable that the value being computed is assigned to.
        self.target: str | None = None
        self.body: IRBlock | None = None
        self.call_function: Callable[[Any, tuple[Any, ...]], Any] | None = None
        self.read_region: Callable[[IRBlock, Callable[[], None]], None] | None = None
        # Whether the code that is being read runs on some nodes only.
        self.conditional: Callable[[], bool] = lambda: False
        self.buffers: list[TracedBuffer] = []
        self.arguments: list[tuple[str, Tensor]] = []
        self._accessors: dict[int, SSAValue] = {}
        self._nodes: dict[int, tuple[Scalar | int, ...]] = {}
        self._nets: dict[int, SSAValue] = {}
        self._kept_nets: list[Any] = []
        self._net_spans: dict[int, Span] = {}
        self._net_names: dict[int, str | None] = {}
        # Nets that were reported: using them again says nothing new.
        self._failed_nets: set[int] = set()
        self._pipe_spans: dict[int, Span] = {}
        self._semaphores = 0

    def in_kernel(self) -> bool:
        """Whether a kernel is being read."""
        return self.kernel is not None

    @property
    def what(self) -> str:
        """What is being read, for messages."""
        return kernel_what(self.kind, self.kernel or "")

    def _require_body(self, what: str) -> None:
        if self.kernel is None and self.conditional():
            raise Reject(refusals.on_some_nodes(what))
        if self.kernel is not None:
            fail(kernels.made_in_kernel(what, self.kernel))

    def _require_data_movement(self, name: str) -> None:
        if self.kind != "data movement":
            fail(semaphores.semaphore_outside(name, self.what))

    def _require_own(self, block: TracedBlock) -> None:
        if block.kernel != self.kernel and self.kernel is not None:
            fail(blocks.foreign(block.buffer.name, block.kernel, self.kernel))


def varies(value: Any) -> bool:
    """Whether anything in a value is known on the node only."""
    if isinstance(value, tuple | list):
        return any(varies(each) for each in value)
    if isinstance(value, slice):
        return any(varies(each) for each in (value.start, value.stop, value.step))
    return isinstance(value, Scalar | Ratio | Real | Condition)
