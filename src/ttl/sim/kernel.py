"""Nodes and kernels of one launch, and their descriptions in messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, get_args

from ttl import control
from ttl.diag import ProgramError
from ttl.lang.context import Execution
from ttl.protocol.blocks import KernelKind, flat_table, role_of
from ttl.rules.kernel_definitions import returned
from ttl.rules.words import kernel_what, kernel_where, node_name
from ttl.source.calls import returned_span

if TYPE_CHECKING:
    from ttl._core import Kernel as _KERNEL
    from ttl._core import Node as _NODE
    from ttl.arch import Chip
    from ttl.diag import Diagnostic
    from ttl.lang.expr import BlockExpr
    from ttl.protocol.devices import ChipDomain
    from ttl.rules.buffers import BufferPlacement
    from ttl.settings import Settings
    from ttl.source.spans import Site

_KINDS: tuple[KernelKind, ...] = get_args(KernelKind)
# Transition tables of the blocks a kernel of each kind reserves, and waits for.
_TABLES = {kind: (flat_table(role_of("reserve", kind)), flat_table(role_of("wait", kind))) for kind in _KINDS}


if not TYPE_CHECKING:
    _NODE = control.base(
        "Node", ("body", "buffers", "coord", "engine", "index", "kernels", "nets", "semaphores")
    )
    _KERNEL = control.base(
        "Kernel",
        (
            "computed", "done", "function", "greenlet", "is_compute", "is_kernel", "kind", "moves_data", "name", "node",
            "reserve_table", "signposts", "wait_table", "waiting",
        ),
    )  # fmt: skip


class RunningLaunch(Execution, Protocol):
    """The launch under way, as the objects it consists of see it; ``sim.engine.Engine`` documents the attributes."""

    grid: tuple[int, ...]
    device: int | None
    chip: Chip
    settings: Settings
    nodes: list[Node]
    current: Kernel
    active: bool
    interleaved: bool
    fallback_site: Site | None
    failed: Kernel | None
    unused: dict[Site, int]
    externals: dict[Kernel, tuple[str, Site | None]]
    on_event: Callable[[int, Any], None] | None
    # Its parts, each of which knows the launch.
    lanes: Any
    memory: Any
    pending: Any
    padding: Any
    pipes: Any
    semaphores: Any
    scheduler: Any
    executor: Any
    backed: Any
    suspend: Any
    wake: Any
    # By blocks and buffers.
    parts: dict[Any, bytes]
    dropped: dict[tuple[int, Site], Any]
    placements: dict[Any, BufferPlacement]
    on_push: Any

    def add(self, block: Any, other: Any) -> BlockExpr:
        """``block + other``, for ``+=``."""

    def note_unused(self, site: Site | None) -> None:
        """Count an expression that was never stored."""

    def require_domain(self, domain: ChipDomain, what: str) -> None:
        """Raise an error when a domain is not that of the operation."""

    def fail(
        self, diagnostic: Diagnostic, label: str = "", related: tuple[tuple[Site | None, str], ...] = ()
    ) -> NoReturn:
        """Raise an error at the user's line, saying which kernel on which node."""

    def located(
        self,
        diagnostic: Diagnostic,
        site: Site | None,
        label: str = "",
        related: tuple[tuple[Site | None, str], ...] = (),
    ) -> Diagnostic:
        """A diagnostic with its place, the related places and the kernel that was running."""


@control.accelerated
class Node(_NODE):
    """One node: its coordinate, its kernels and the objects that its operation body created."""

    __slots__ = ()

    def __init__(self, engine: RunningLaunch, index: int, coord: tuple[int, ...]) -> None:
        self.engine = engine
        self.index = index
        self.coord = coord
        self.kernels: list[Kernel] = []
        # ``SimBuffer``s.
        self.buffers: list[Any] = []
        # How many pipe nets and semaphores the body has made: each is known by its number.
        self.nets = 0
        self.semaphores = 0
        self.body: Kernel

    def __str__(self) -> str:
        """``node (0, 1)``, for messages."""
        return node_name(self.coord)


@control.accelerated
class Kernel(_KERNEL):
    """One kernel function on one node; or, with ``kind`` None, the operation's body."""

    __slots__ = ()

    def __init__(
        self, node: Node, name: str, kind: KernelKind | None, function: Callable[[], None] | None
    ) -> None:
        self.node = node
        self.name = name
        self.kind = kind
        self.function = function
        self.is_kernel = kind is not None
        self.is_compute = kind == "compute"
        self.moves_data = kind == "data movement"
        self.reserve_table, self.wait_table = _TABLES[kind or "compute"]
        self.greenlet: Any = None
        self.waiting: Any = None
        self.done = False
        self.computed = False  # has stored into a block, stores of stand-ins for C++ not counted
        self.signposts: list[str] = []

    @property
    def what(self) -> str:
        """The kernel's name in messages: ``compute kernel matmul``, or ``the operation's body``."""
        return kernel_what(self.kind, self.name)

    @property
    def where(self) -> str:
        """The kernel's place in messages: ``kernel read on node (0, 1)``."""
        return kernel_where(self.kind, self.name, self.node.coord)

    def __repr__(self) -> str:
        return f"<{self.where}>"


def fail_returned(engine: RunningLaunch, kernel: Kernel, result: object) -> None:
    """Raise the error for a kernel, or an operation's body, that returned a value."""
    function = kernel.function
    what = f"kernel {kernel.name}" if kernel.is_kernel else f"operation {getattr(function, '__name__', '')}"
    code = getattr(function, "__code__", None)
    finding = returned(what, result)
    if code is not None:
        finding = finding.at(returned_span(code))
    raise ProgramError(engine.located(finding, None if code is None else (code, 0)))


def captured_name(kernels: Iterable[Kernel], value: object) -> str | None:
    """Return the name of an object that kernels capture: ``a_dfb``, or ``dfbs[0]`` in a list, tuple or dict; else None."""
    for kernel in kernels:
        function = kernel.function
        cells = getattr(function, "__closure__", None)
        if function is None or cells is None:
            continue
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            try:
                content = cell.cell_contents
            except ValueError:  # a variable that has no value yet
                continue
            if content is value:
                return name
            items: Iterable[tuple[object, object]] = ()
            if isinstance(content, list | tuple):
                items = enumerate(content)
            elif isinstance(content, dict):
                items = content.items()
            for key, item in items:
                if item is value:
                    return f"{name}[{key!r}]"
    return None


control.register(kernel=Kernel, node=Node)
