"""A model's call of a kernel as plain data, for the code that makes the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from ttl.arch import USUAL, chip_named

# The architecture that is compiled for by default.
USUAL_ARCH = chip_named(USUAL).arch
KernelTarget = Literal["sim", "emu", "numpy"]
# The places where a kernel runs: in the simulator, on the emulated chip, or as its reference in NumPy.
TARGETS: tuple[KernelTarget, ...] = ("sim", "emu", "numpy")
CollectiveTarget = Literal["host", "sim", "emu"]
# The places where operations between chips run: as arithmetic of the host, or as TT-Lang in the simulator or on
# emulated chips.
COLLECTIVE_TARGETS: tuple[CollectiveTarget, ...] = ("host", "sim", "emu")


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelOperand:
    """A tensor in tiles.

    ``cores`` are rows and columns of the cores that hold its shards, ``shard_shape`` is in elements.
    """

    shape: tuple[int, ...]
    data_type: DataType
    buffer_type: BufferType = BufferType.DRAM
    memory_layout: TensorMemoryLayout = TensorMemoryLayout.Interleaved
    cores: tuple[int, ...] = (1, 1)
    shard_shape: tuple[int, ...] = ()

    @classmethod
    def of(cls, shape: tuple[int, ...], layout: TTNNLayout) -> KernelOperand:
        """The operand of this shape and layout."""
        return cls(
            shape=shape,
            data_type=layout.data_type,
            buffer_type=layout.buffer_type,
            memory_layout=layout.memory_layout,
            cores=layout.grid.shape,
            shard_shape=layout.scalar_shard_shape,
        )

    @property
    def is_sharded(self) -> bool:
        """Whether the tensor is cut into shards for cores."""
        return self.memory_layout in (
            TensorMemoryLayout.HeightSharded,
            TensorMemoryLayout.WidthSharded,
            TensorMemoryLayout.BlockSharded,
        )

    def __str__(self) -> str:
        place = f"{self.buffer_type.keyword} {self.memory_layout.keyword}"
        return f"{'x'.join(map(str, self.shape))} {self.data_type.keyword} in tiles, {place}"


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelRequest:
    """A model's call of a kernel: the kernel and its operands.

    ``roles`` are ``in`` or ``out``, one for each operand.
    """

    kernel_id: str
    version_tag: str
    operands: tuple[KernelOperand, ...]
    roles: tuple[str, ...]
    shard_spec: str = ""
    mesh_shape: tuple[int, ...] = ()
    arch: str = USUAL_ARCH
