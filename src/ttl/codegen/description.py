"""The parts of a program as plain data: kernels with their arguments, circular buffers, semaphores, tensors.

A description does not depend on a device. A number that depends on one is symbolic, an *entry* of
``ttl.codegen.entries``: ``address(a)`` is the address of tensor ``a``, ``noc_x(3)`` and ``noc_y(2)`` are the NoC
coordinates of a column and of a row of the grid, ``bank(2,0)`` is the packed NoC coordinates of the node that holds a
shard.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import prod
from typing import Any, Literal

from ttl.codegen.entries import Word, from_text, in_text
from ttl.source.spans import Span

Rectangle = tuple[int, int, int, int]
"""Column and row of the first node, and the numbers of columns and rows."""

ShardOrder = Literal["row_major", "col_major"]

SCHEMA = 1
# The fields of a kernel with words, which may be entries.
_WORDS = ("compile_time_args", "common_args")


@dataclass(frozen=True, kw_only=True, slots=True)
class OperandDescription:
    """An operand of the launch."""

    name: str
    index: int
    """Position among the tensors of the call."""
    shape: tuple[int, ...]
    """The logical shape in elements; -1 for extents that are not known."""
    dtype: str
    layout: Literal["tile", "row_major"]
    memory: Literal["dram", "l1"]
    memory_layout: str
    """``interleaved``, or the kind of sharding."""
    shard_shape: tuple[int, ...] | None = None
    shard_nodes: tuple[Rectangle, ...] | None = None
    """The nodes that hold shards, rectangle by rectangle; in DRAM the banks, by column."""
    shard_order: ShardOrder = "row_major"
    """The order in which the nodes of a rectangle get shards: row by row, or column by column."""
    page_bytes: int
    """Bytes of one page, as the program counts them."""
    accessor: tuple[Word, ...]
    """Compile-time arguments of its ``TensorAccessorArgs``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CircularBufferDescription:
    """A circular buffer of every node."""

    name: str
    index: int
    pages: int
    page_bytes: int
    dtype: str
    made_by: Literal["user", "compiler"] = "user"
    initial: str | None = None
    """Its contents when the program starts, if a kernel fills it before anything else."""
    shares: str | None = None
    """The buffer whose memory it uses, at another time."""
    memory: str | None = None
    """The tensor whose memory it uses: each node's shard from ``byte_offset`` on."""
    byte_offset: int = 0
    holds: tuple[str, ...] = ()
    """The names in the program of the buffers that share this circular buffer, if there are several."""
    why: str | None = None
    """The reason why the compiler made it."""
    tile: tuple[int, int] = (32, 32)
    """Rows and columns of a page that is a tile."""
    in_columns: int = 1
    """The number of blocks, side by side, into which a schedule has split a block of the program."""

    @property
    def nbytes(self) -> int:
        """The bytes of L1 that the buffer takes, if it does not share the memory of another one."""
        return self.pages * self.page_bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class NetSignal:
    """The meaning of a semaphore of nets: ``valid``: a message is there; ``ready``, ``free``: there is room for one."""

    nets: tuple[str, ...]
    """The nets that use the semaphore, one after the other."""
    says: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SemaphoreDescription:
    """A semaphore of every node."""

    name: str
    id: int
    initial: int = 0
    signal: NetSignal | None = None
    """Its meaning in pipe nets, for tools that watch a run; not part of the text of a description."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GlobalSemaphoreDescription:
    """A semaphore of the host, at one address on every node of every chip of a mesh."""

    name: str
    initial: int = 0
    """Its value before each launch; if that is 0 and only nets use it, launches leave it at 0."""
    resets: bool = False
    """Whether the host must set it to this value before a launch, while no chip runs a program."""
    signal: NetSignal | None = None
    """Its meaning in pipe nets, as for a semaphore."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeReach:
    """The chips to which the kernel of one node sends."""

    chip: int
    node: tuple[int, int]
    """Column and row."""
    chips: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComputeConfig:
    """The configuration of a kernel's compute processors."""

    math_fidelity: str = "HiFi4"
    fp32_dest_acc_en: bool = False
    dst_full_sync_en: bool = False
    math_approx_mode: bool = False
    unpack_to_dest_fp32: tuple[str, ...] = ()
    """Circular buffers whose float32 values keep all their bits when they are unpacked to DST."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelDescription:
    """A kernel, which every node of the grid runs."""

    name: str
    file: str
    source: str
    thread: Literal["tensix", "noc"]
    processor: Literal["ncrisc", "brisc"] | None = None
    noc: Literal[0, 1] | None = None
    compile_time_args: tuple[Word, ...] = ()
    """The words of its ``accessors``, one after the other."""
    common_args: tuple[Word, ...] = ()
    accessors: tuple[str, ...] = ()
    """Names of tensors."""
    defines: tuple[tuple[str, str], ...] = ()
    config: ComputeConfig | None = None
    """The configuration of a compute kernel."""
    links: int = 0
    """The largest number of connections of a node to other chips; its arguments have its own number (``mesh.py``)."""
    reaches: tuple[NodeReach, ...] = ()
    """For each node that sends to other chips, the chips that it reaches."""
    lines: Mapping[int, Span] = field(default_factory=dict, compare=False, repr=False)
    """The places in the user's program of the lines of the source. They depend on folders, and are not in the JSON."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramDescription:
    """An operation, specialised for the tensors of a call."""

    name: str
    generation: str
    """The generation of the kernel API of the sources: ``0.69`` or ``0.81``."""
    chip: str
    grid: tuple[int, int]
    """Columns and rows of nodes, the first at (0, 0)."""
    tensors: tuple[OperandDescription, ...]
    kernels: tuple[KernelDescription, ...]
    circular_buffers: tuple[CircularBufferDescription, ...]
    semaphores: tuple[SemaphoreDescription, ...]
    mesh: tuple[int, ...] = ()
    """Chips along each dimension of a mesh, which run the kernels with arguments of their own; empty for one chip."""
    global_semaphores: tuple[GlobalSemaphoreDescription, ...] = ()

    @property
    def chips(self) -> int:
        """The number of chips that run the program."""
        return prod(self.mesh)

    def tensor(self, name: str) -> OperandDescription:
        """The tensor with a name. Raises ``KeyError``."""
        return {tensor.name: tensor for tensor in self.tensors}[name]

    def circular_buffer(self, name: str) -> CircularBufferDescription:
        """The circular buffer with a name. Raises ``KeyError``."""
        return {buffer.name: buffer for buffer in self.circular_buffers}[name]

    @property
    def shares_noc(self) -> bool:
        """Whether both data movement kernels use one NoC.

        Then tt-metal must count their transfers together (``DM_DYNAMIC_NOC``).
        """
        nocs = [kernel.noc for kernel in self.kernels if kernel.noc is not None]
        return len(nocs) > len(set(nocs))

    @property
    def l1_bytes(self) -> int:
        """The bytes of L1 of all circular buffers of a node together."""
        return sum(
            buffer.nbytes
            for buffer in self.circular_buffers
            if buffer.shares is None and buffer.memory is None
        )


def to_json(description: ProgramDescription, *, sources: Literal["inline", "files"] = "inline") -> str:
    """Return a description as text; with ``files``, kernels name the files of their sources instead of containing them."""
    if sources == "files":
        kernels = tuple(replace(kernel, source="") for kernel in description.kernels)
        description = replace(description, kernels=kernels)
    data = asdict(description)
    if not description.mesh:
        del data["mesh"], data["global_semaphores"]
    for item, tensor in zip(data["tensors"], description.tensors, strict=True):
        item["accessor"] = in_text(tensor.accessor)
    for item, kernel in zip(data["kernels"], description.kernels, strict=True):
        del item["lines"]
        if not kernel.links:
            del item["links"], item["reaches"]
        for name in _WORDS:
            item[name] = in_text(getattr(kernel, name))
    for item in (*data["semaphores"], *data.get("global_semaphores", ())):
        del item["signal"]
    return json.dumps({"schema": SCHEMA, **data}, indent=2) + "\n"


def from_json(text: str, sources: Mapping[str, str] | None = None) -> ProgramDescription:
    """The inverse of ``to_json``. ``sources`` maps file names to texts, for a description without the sources.

    Raises ``ValueError`` for text that is not a description of this version.
    """
    try:
        data = _tuples(json.loads(text))
        if data.pop("schema") != SCHEMA:
            raise ValueError("schema")
        kernels = tuple(_kernel(kernel, sources or {}) for kernel in data.pop("kernels"))
        return ProgramDescription(
            tensors=tuple(
                OperandDescription(accessor=from_text(item.pop("accessor")), **item)
                for item in data.pop("tensors")
            ),
            circular_buffers=tuple(
                CircularBufferDescription(**item) for item in data.pop("circular_buffers")
            ),
            semaphores=tuple(SemaphoreDescription(**item) for item in data.pop("semaphores")),
            kernels=kernels,
            global_semaphores=tuple(
                GlobalSemaphoreDescription(**item) for item in data.pop("global_semaphores", ())
            ),
            **data,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise ValueError(f"not a description of a program of version {SCHEMA}: {problem}") from None


def _kernel(data: dict[str, Any], sources: Mapping[str, str]) -> KernelDescription:
    config = data.pop("config")
    source = data.pop("source") or sources[data["file"]]
    data |= {name: from_text(data[name]) for name in _WORDS}
    reaches = tuple(NodeReach(**item) for item in data.pop("reaches", ()))
    return KernelDescription(
        source=source, config=ComputeConfig(**config) if config else None, reaches=reaches, **data
    )


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value
