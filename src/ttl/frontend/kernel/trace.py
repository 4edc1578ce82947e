"""The state of an operation while it is read: the current place, its grid, and the IR that it becomes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block as IRBlock

from ttl.arch import Chip
from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.builder import Builder
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio
from ttl.frontend.stop import Reject
from ttl.lang.check import fail
from ttl.lang.extern_calls import NamedKernel
from ttl.protocol.blocks import KernelKind
from ttl.protocol.chips import NODE_DIMS
from ttl.protocol.devices import ChipDomain, DeviceGrid
from ttl.protocol.grid import grid_size, linear_index
from ttl.rules import devices, semaphores
from ttl.rules import kernel_definitions as kernels
from ttl.rules.words import kernel_what

if TYPE_CHECKING:
    from ttl.lang.extern_calls import DispatchCondition
    from ttl.source.spans import Span


class OperationTrace:
    """State of one operation while it is read."""

    def __init__(self, reader: Evaluator, builder: Builder, grid: tuple[int, ...], chip: Chip) -> None:
        self._reader = reader
        self.builder = builder
        self.emit = builder.emit
        self.grid = grid
        self.chip = chip
        # The kernel whose body is being read, and its kind; None in the body of the operation.
        self.kernel: str | None = None
        # The names of kernels that have a selector.
        self.selected: dict[NamedKernel, str] = {}
        self.kind: KernelKind | None = None
        # The variable that the value being computed is assigned to.
        self.target: str | None = None
        self.body: IRBlock | None = None
        # Whether the code that is being read runs on some nodes only.
        self.conditional: Callable[[], bool] = lambda: False
        # The conditions that external functions answer, by number.
        self.conditions: dict[DispatchCondition, int] = {}
        self._nodes: dict[int, tuple[NodeInteger | int, ...]] = {}

    def here(self) -> Span:
        """The location that is being read."""
        return self._reader.span

    def place(self) -> ast.AST:
        """The syntax node that is being read."""
        return self._reader.place

    def span_of(self, node: ast.AST) -> Span:
        """The location of another piece of source in the same file."""
        return self._reader.file.span(node)

    def in_kernel(self) -> bool:
        """Whether a kernel is being read."""
        return self.kernel is not None

    @property
    def what(self) -> str:
        """The kernel or operation that is being read, for messages."""
        return kernel_what(self.kind, self.kernel or "")

    def require_body(self, what: str) -> None:
        """Refuse a resource ``what`` that is made in a kernel, or on some nodes only."""
        if self.kernel is None and self.conditional():
            raise Reject(refusals.on_some_nodes(what))
        if self.kernel is not None:
            fail(kernels.made_in_kernel(what, self.kernel))

    def require_data_movement(self, name: str) -> None:
        """Refuse an operation on a semaphore outside a data movement kernel."""
        if self.kind != "data movement":
            fail(semaphores.semaphore_outside(name, self.what))

    def node(self, dims: int) -> Any:
        """Coordinates of the node, on its chip if there is a device domain.

        Those that can only be 0 are the number 0.
        """
        if not isinstance(self.grid, DeviceGrid):
            return self.node_of_all(dims)
        x, y = self.node_of_all(len(self.grid))[-NODE_DIMS:]
        if dims == 1:
            return x * self.grid.nodes[1] + y
        return (x, y, *(0,) * (dims - NODE_DIMS))

    def chip_coordinate(self) -> tuple[Any, ...]:
        """The coordinate of the chip in the device domain, or in the mesh that the grid spans."""
        coord: tuple[Any, ...] = self.node_of_all(max(len(self.grid), NODE_DIMS))
        return coord[:-NODE_DIMS]

    def device_index(self, domain: ChipDomain) -> Any:
        """The number of the chip in the device domain of the operation."""
        self.require_domain(domain, "a device domain")
        return linear_index(self.chip_coordinate(), domain.extents)

    def require_domain(self, domain: ChipDomain, what: str) -> None:
        """Raise an error if a domain is not that of the operation."""
        if not isinstance(self.grid, DeviceGrid):
            fail(devices.no_domain(what))
        if self.grid.domain != domain:
            fail(devices.two_domains(self.grid.domain, domain))

    def node_of_all(self, dims: int) -> Any:
        """Coordinates of the node on the whole grid."""
        known = self._nodes.get(dims)
        if known is None:
            assert self.body is not None
            sizes = grid_size(self.grid, dims)
            new = self.builder.emit_first(self.body, ir.NodeOp(dims))
            known = self._nodes[dims] = tuple(
                0 if extent == 1 else self.builder.atom(result, 0, extent - 1, frozenset())
                for result, extent in zip(new.results, sizes, strict=True)
            )
        return known[0] if dims == 1 else known


def varies(value: Any) -> bool:
    """Whether any part of a value is known on the node only."""
    if isinstance(value, tuple | list):
        return any(varies(item) for item in value)
    if isinstance(value, slice):
        return any(varies(item) for item in (value.start, value.stop, value.step))
    return type(value) in _OF_NODE


_OF_NODE = frozenset((NodeInteger, NodeRatio, NodeFloat, NodeCondition))
