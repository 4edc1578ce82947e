"""The work of a call, counted in its IR before it is compiled: transfers and computations of every kernel and node.

Work that cannot be counted (in a loop whose bounds depend on data) counts as 0, and ``CallWork.whole`` says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Block, Operation, SSAValue

from ttl.analysis.fixed_point import LOOPS
from ttl.analysis.points import points
from ttl.analysis.scalars import Slots, grid_of
from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import block_type_of
from ttl.dialects.layouts import MemoryKind, MemoryLayout
from ttl.rows.on_hardware import cost
from ttl.rows.types import TILE, BlockType, Layout

Counts = npt.NDArray[np.float64]
"""One number for each node."""

# The most points (nodes times iterations) that are counted for one operation.
_BUDGET = 1 << 21
_PHASES = {"LoFi": 1, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyWork:
    """A copy of a kernel that moves data."""

    kind: str
    """``read`` and ``write`` of a tensor; ``send`` into a pipe, ``receive`` from one."""
    times: Counts
    nbytes: int
    """The bytes of one copy, as far as its extent is known."""
    pages: int
    """The number of transfers in the copy: tiles, or rows."""
    in_dram: bool
    """Whether a tensor is in DRAM and interleaved over its banks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepWork:
    """A step of a compute kernel."""

    kind: str
    """``matmul``; ``vector`` or ``matrix`` for other work of that unit; ``store`` into, or ``handover`` of, a block."""
    times: Counts
    tiles: int
    """The tiles of one step; for a matrix product, its number of tile products."""
    cycles: int = 0
    """The cycles of the vector unit for a tile."""
    wide: bool = False
    """Whether the elements of a store are wider than 16 bits."""
    spilled: int = 0
    """For a matrix product that a loop accumulates: the tiles of the sum, if they do not fit into the registers."""


@dataclass(kw_only=True, slots=True)
class KernelWork:
    """One kernel."""

    name: str
    copies: list[CopyWork] = field(default_factory=list)
    steps: list[StepWork] = field(default_factory=list)
    fills: set[str] = field(default_factory=set)
    """Buffers into which it pushes blocks."""
    empties: set[str] = field(default_factory=set)


@dataclass(kw_only=True, slots=True)
class CallWork:
    """One call."""

    nodes: int
    kernels: list[KernelWork] = field(default_factory=list)
    single: set[str] = field(default_factory=set)
    """Buffers with a single block: the kernel that fills it waits for the kernel that empties it."""
    phases: int = 4
    """The phases of the matrix unit, which depend on its fidelity."""
    whole: bool = True


def work_of(operation: dialect.OperationOp, chip: Chip) -> CallWork:
    """Count the work of an operation that the front end made for a call."""
    fidelity = operation.attributes.get("ttl.math_fidelity")
    grid = grid_of(operation)
    work = CallWork(
        nodes=prod(grid), phases=_PHASES.get(fidelity.data if isinstance(fidelity, StringAttr) else "", 4)
    )
    for op in operation.walk():
        if isinstance(op, dialect.CreateDfbOp) and op.result.type.block_count == 1:
            work.single.add(op.buffer_name.data)
    reader = _CallReader(work, Slots(grid), chip)
    for kernel in operation.kernels:
        kernel_work = KernelWork(name=kernel.kernel_name)
        work.kernels.append(kernel_work)
        for op in kernel.walk():
            reader.read(op, kernel_work)
    return work


def buffer_bytes(operation: dialect.OperationOp) -> int:
    """Return the bytes that the operation's dataflow buffers take of a node's L1."""
    types = [op.result.type for op in operation.walk() if isinstance(op, dialect.CreateDfbOp)]
    return sum(
        _tiles(type_.block_type) * type_.block_type.dtype.tile_bytes * type_.block_count for type_ in types
    )


class _CallReader:
    def __init__(self, work: CallWork, slots: Slots, chip: Chip) -> None:
        self._work = work
        self._slots = slots
        self._chip = chip
        self._times: dict[Block, Counts] = {}

    def times(self, op: Operation) -> Counts:
        """Return how often each node runs an operation; zero where that is not known."""
        block = op.parent_block()
        assert block is not None
        if block not in self._times:
            domain = points(op, slots=self._slots, budget=_BUDGET)
            if domain is None:
                self._work.whole = False
                self._times[block] = np.zeros(self._work.nodes)
            else:
                self._times[block] = np.bincount(domain.nodes, minlength=self._work.nodes).astype(float)
        return self._times[block]

    def read(self, op: Operation, into: KernelWork) -> None:
        """Count one operation."""
        match op:
            case dialect.CopyOp():
                copy = self._copy(op)
                if copy is not None:
                    into.copies.append(copy)
            case dialect.AcquireOp():
                name = _buffer_of(op.dfb)
                (into.fills if isinstance(op, dialect.DfbReserveOp) else into.empties).add(name)
                into.steps.append(StepWork(kind="handover", times=self.times(op), tiles=0))
            case dialect.BlockStoreOp() | dialect.BlockAccumulateOp():
                block = _memory_of(op.block)
                if block is not None:
                    tiles = _tiles(block)
                    wide = block.dtype.tile_bytes > 2048
                    into.steps.append(StepWork(kind="store", times=self.times(op), tiles=tiles, wide=wide))
            case dialect.BlockComputeOp() if not op.row.is_view and op.operands:
                into.steps.append(self._step(op))

    def _copy(self, op: dialect.CopyOp) -> CopyWork | None:
        src, dst = op.src.owner, op.dst.owner
        times = self.times(op)
        for part, other, kind in ((src, op.dst, "read"), (dst, op.src, "write")):
            if not isinstance(part, dialect.TensorSliceOp):
                continue
            block = _memory_of(other)
            encoding = part.accessor.type.encoding  # type: ignore[attr-defined]
            sizes = part.sizes
            known = all(size >= 0 for size in sizes) and block is not None
            pages, nbytes = 0, 0
            if known and block is not None:
                extent = block.with_shape(tuple(sizes)) if len(sizes) == len(block.shape) else block
                nbytes = extent.nbytes
                pages = prod(extent.shape) if block.layout is Layout.TILE else prod(extent.shape[:-1])
            else:
                self._work.whole = False
            in_dram = (
                encoding.memory_space is MemoryKind.DRAM
                and encoding.layout.memory_layout is MemoryLayout.INTERLEAVED
            )
            return CopyWork(kind=kind, times=times, nbytes=nbytes, pages=pages, in_dram=in_dram)
        for end, other, kind in ((op.dst, op.src, "send"), (op.src, op.dst, "receive")):
            block = _memory_of(other)
            if isinstance(end.type, dialect.PipeType) and block is not None:
                return CopyWork(
                    kind=kind, times=times, nbytes=block.nbytes, pages=_tiles(block), in_dram=False
                )
        return None

    def _step(self, op: dialect.BlockComputeOp) -> StepWork:
        times = self.times(op)
        result = block_type_of(op.result.type)
        if op.row.family == "product":
            first = block_type_of(op.operands[0].type)
            tiles = _tiles(result) * first.shape[-1]
            return StepWork(kind="matmul", times=times, tiles=tiles, spilled=_spilled(op, result))
        number = cost(op.row, self._chip)
        shapes = [
            _tiles(block_type_of(value.type)) for value in op.operands if isinstance(value.type, TensorType)
        ]
        tiles = max([_tiles(result), *shapes])
        if number is not None:
            return StepWork(kind="vector", times=times, tiles=tiles, cycles=number.value)
        return StepWork(kind="matrix", times=times, tiles=tiles)


def _tiles(block: BlockType) -> int:
    return prod(block.shape) if block.layout is Layout.TILE else -(-prod(block.shape) // (TILE * TILE))


def _memory_of(value: SSAValue) -> BlockType | None:
    return value.type.block_type if isinstance(value.type, dialect.BlockMemoryType) else None


def _buffer_of(value: SSAValue) -> str:
    owner = value.owner
    return owner.buffer_name.data if isinstance(owner, dialect.CreateDfbOp) else ""


def _spilled(op: dialect.BlockComputeOp, result: BlockType) -> int:
    """Return the tiles of a sum of products that a loop carries, if the registers cannot hold them."""
    registers = 4
    carried = any(
        isinstance(use.operation.parent_op(), LOOPS)
        and any(
            isinstance(value.owner, Block) for value in use.operation.operands if value is not op.results[0]
        )
        for use in op.results[0].uses
    )
    tiles = _tiles(result)
    return tiles if carried and tiles > registers else 0
