"""The parts of programs of kernels: tensors in memory, circular buffers, kernels, and each core's share of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from tt_model.cost.tensors import CostedTensor, is_sharded, shard_grid
from tt_model.cost.work import TILE
from tt_model.layouts.elements import tile_bytes
from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from ttl.arch import Chip
from ttl.emu import CircularBuffer, Kernel, Program, Run, Semaphore, memory_of, run_program
from ttl.emu.memory import Placed, fetch
from ttl.host import convert, memory
from ttl.host.cores import CoreGrid
from ttl.host.tensor import Tensor
from ttl.rows import dtypes
from ttl.rows.types import Layout
from ttl.session.patience import Unavailable

Core = tuple[int, int]
Values = np.ndarray[Any, Any]
# Indices of circular buffers that are the same in every program.
RESULT, SCALER = 8, 9
_TYPES: Mapping[DataType, dtypes.DType] = {
    DataType.BFloat16: dtypes.BFLOAT16,
    DataType.Float32: dtypes.FLOAT32,
}
_STRATEGIES = {
    TensorMemoryLayout.HeightSharded: memory.ShardStrategy.HEIGHT,
    TensorMemoryLayout.WidthSharded: memory.ShardStrategy.WIDTH,
    TensorMemoryLayout.BlockSharded: memory.ShardStrategy.BLOCK,
}


@dataclass(frozen=True, slots=True)
class Matrices:
    """A tensor in tiles: ``count`` matrices of ``rows`` x ``columns`` tiles, one after the other."""

    outer: tuple[int, ...]
    rows: int
    columns: int

    @classmethod
    def of(cls, shape: Sequence[int]) -> Matrices:
        *outer, height, width = (1, 1, *shape)
        return cls(tuple(outer), max(1, -(-height // TILE)), max(1, -(-width // TILE)))

    @property
    def count(self) -> int:
        return int(np.prod(self.outer, dtype=int))

    @property
    def tiles(self) -> int:
        return self.count * self.rows * self.columns

    @property
    def elements(self) -> tuple[int, int]:
        """The shape of all matrices stacked below each other, padded to tiles."""
        return self.count * self.rows * TILE, self.columns * TILE


@dataclass(frozen=True, slots=True)
class Share:
    """The tiles of a result that a core computes: ``count`` tiles from ``row`` and ``column`` on, within its columns.

    The tiles follow each other row by row, in the columns from ``begin`` to ``end``.
    """

    row: int
    column: int
    begin: int
    end: int
    count: int

    @property
    def words(self) -> tuple[int, ...]:
        return self.row, self.column, self.begin, self.end, self.count


def can_emulate(tensor: CostedTensor) -> None:
    """Raise ``Unavailable`` for a tensor that our kernels do not support."""
    if tensor.config is None:
        raise Unavailable("a tensor of the host")
    if tensor.data_type not in _TYPES:
        raise Unavailable(f"elements of {tensor.data_type.keyword}")
    if not tensor.tiled:
        raise Unavailable("a tensor in rows")
    if not tensor.shape or 0 in tensor.shape:
        raise Unavailable("a tensor without elements")


def same_shards(one: CostedTensor, other: CostedTensor) -> bool:
    """Whether two tensors are cut into the same shards."""
    if not (is_sharded(one) and is_sharded(other)):
        return False
    alike = Matrices.of(one.shape).elements == Matrices.of(other.shape).elements
    return alike and shard_grid(one) == shard_grid(other) and one.cores == other.cores


def cores_of_shards(tensor: CostedTensor) -> tuple[Core, ...]:
    """The cores of the shards, row by row, as (x, y)."""
    rows, columns = tensor.cores
    return tuple((x, y) for y in range(rows) for x in range(columns))


def shares_of_shards(tensor: CostedTensor) -> dict[Core, Share]:
    """The share of each core: the tiles of its own shard. Raises ``Unavailable`` where shards are not whole tiles."""
    matrices = Matrices.of(tensor.shape)
    high, wide = shard_grid(tensor)
    all_rows = matrices.count * matrices.rows
    if all_rows % high or matrices.columns % wide:
        raise Unavailable("shards that do not divide a tensor")
    rows, columns = all_rows // high, matrices.columns // wide
    shares = {}
    for number, core in enumerate(cores_of_shards(tensor)):
        row, column = number // wide * rows, number % wide * columns
        shares[core] = Share(row, column, column, column + columns, rows * columns)
    return shares


def equal_shares(matrices: Matrices, cores: Sequence[Core]) -> dict[Core, Share]:
    """The share of each core: consecutive tiles, one more for the first cores if needed.

    No more cores than tiles are used.
    """
    least, more = divmod(matrices.tiles, len(cores))
    shares, first = {}, 0
    for number, core in enumerate(cores):
        count = least + (number < more)
        if count:
            shares[core] = Share(*divmod(first, matrices.columns), 0, matrices.columns, count)
        first += count
    return shares


@lru_cache(maxsize=16)
def _source(name: str) -> str:
    return (files("tt_model.emulated") / "kernels" / f"{name}.cpp").read_text(encoding="utf-8")


@dataclass(kw_only=True)
class Parts:
    """A program that is being put together. ``values`` are those of the operands; missing ones are zeros."""

    chip: Chip
    values: Sequence[Values] = ()
    kernels: list[Kernel] = field(default_factory=list)
    buffers: list[CircularBuffer] = field(default_factory=list)
    semaphores: list[Semaphore] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memory = memory_of(self.chip)
        self.node = self.memory.chip.node

    def place(self, tensor: CostedTensor, number: int | None = None, padding: float = 0.0) -> Placed:
        """Place a tensor in memory, with the values of operand ``number``, or zeros."""
        matrices = Matrices.of(tensor.shape)
        height, width = (1, 1, *tensor.shape)[-2:]
        values = np.full(matrices.elements, padding, np.float32)
        padded = values.reshape(matrices.count, matrices.rows * TILE, -1)
        given = self.values[number] if number is not None and self.values else np.zeros(1, np.float32)
        padded[:, :height, :width] = given.reshape(matrices.count, height, width) if given.size > 1 else given
        return self.memory.place(
            convert.from_numpy(
                values, _TYPES[tensor.data_type], layout=Layout.TILE, memory_config=_config(tensor)
            )
        )

    def buffer(
        self, index: int, pages: int, cores: Sequence[Core], data_type: DataType, at: Placed | None = None
    ) -> None:
        """Add a circular buffer of tiles; ``at`` is the tensor whose shards it occupies."""
        self.buffers.append(
            CircularBuffer(
                index=index,
                pages=pages,
                page_bytes=tile_bytes(data_type),
                dtype=_TYPES[data_type].name,
                cores=tuple(cores),
                base=None if at is None else at.address,
            )
        )

    def kernel(
        self,
        name: str,
        processor: Literal["brisc", "ncrisc", "compute"],
        args: Mapping[Core, Sequence[int]],
        *,
        defines: Mapping[str, object],
        headers: Sequence[str] = (),
        tensors: Sequence[Placed] = (),
        **options: Any,
    ) -> None:
        """Add a kernel of ``kernels/`` on the cores that have arguments.

        Those on BRISC, which write, use the network for writes.
        """
        wanted = {"RESULT": RESULT, "SCALER": SCALER, **defines}
        self.kernels.append(
            Kernel(
                name=name,
                source="".join(f'#include "{header}"\n' for header in headers) + _source(name),
                file=f"{name}.cpp",
                processor=processor,
                noc=1 if processor == "brisc" else 0,
                cores=tuple(args),
                args={core: tuple(words) for core, words in args.items()},
                compile_time_args=tuple(word for tensor in tensors for word in tensor.accessor),
                defines={word: str(value) for word, value in wanted.items()},
                **options,
            )
        )

    def run(self) -> Run:
        """Run the program. Raises ``ProgramError``."""
        return run_program(
            Program(
                generation="0.81",
                kernels=tuple(self.kernels),
                circular_buffers=tuple(self.buffers),
                semaphores=tuple(self.semaphores),
            ),
            self.memory,
        )


def _config(tensor: CostedTensor) -> memory.MemoryConfig:
    assert tensor.config is not None
    if not is_sharded(tensor):
        in_l1 = tensor.config.buffer_type is BufferType.L1
        return memory.L1_MEMORY_CONFIG if in_l1 else memory.DRAM_MEMORY_CONFIG
    rows, columns = tensor.cores
    high, wide = shard_grid(tensor)
    height, width = Matrices.of(tensor.shape).elements
    return memory.create_sharded_memory_config(
        (height // high, width // wide),
        CoreGrid(y=rows, x=columns),
        _STRATEGIES[tensor.config.memory_layout],
        use_height_and_width_as_shard_shape=True,
    )


def result_of(placed: Placed, shape: Sequence[int]) -> Values:
    """The values of a result, in ``shape``. Results that cores left in their own shards are fetched from there."""
    fetch(placed)
    tensor: Tensor = placed.tensor
    matrices = Matrices.of(shape)
    whole = np.asarray(convert.to_numpy(tensor), np.float32)
    padded = whole.reshape(matrices.count, matrices.rows * TILE, matrices.columns * TILE)
    height, width = (1, 1, *shape)[-2:]
    return padded[:, :height, :width].reshape(tuple(shape))
