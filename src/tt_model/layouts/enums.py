"""Enumerations of the ``tt``, ``ttnn``, ``ttir`` and ``ttkernel`` dialects: numbers, Python names, words in text.

Names and numbers are upstream's, so that ``ttmlir.dialects.tt`` exports them unchanged.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Self


class KeywordEnum(IntEnum):
    """An enumeration whose members have a word in text."""

    keyword: str

    def __new__(cls, value: int, keyword: str) -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.keyword = keyword
        return member

    # A member equals its number, but no member of another enumeration: a memory space of ``tt`` is not a buffer type.
    def __eq__(self, other: object) -> bool:
        if isinstance(other, KeywordEnum) and type(other) is not type(self):
            return False
        return int.__eq__(self, other) if isinstance(other, int) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__

    @classmethod
    def from_keyword(cls, word: str) -> Self:
        """The member with this word. Raises ``ValueError``."""
        for member in cls:
            if member.keyword == word:
                return member
        raise ValueError(f"no {cls.__name__} is called {word}; there are {', '.join(cls.keywords())}")

    @classmethod
    def keywords(cls) -> tuple[str, ...]:
        """All words, in the order of the numbers."""
        return tuple(member.keyword for member in cls)


class Arch(KeywordEnum):
    """Generations of chips."""

    Grayskull = 0, "grayskull"
    WormholeB0 = 1, "wormhole_b0"
    Blackhole = 2, "blackhole"


class DataType(KeywordEnum):
    """The type in which the elements of a tensor are stored."""

    Float32 = 0, "f32"
    Float16 = 1, "f16"
    BFloat16 = 2, "bf16"
    BFP_Float8 = 3, "bfp_f8"
    BFP_BFloat8 = 4, "bfp_bf8"
    BFP_Float4 = 5, "bfp_f4"
    BFP_BFloat4 = 6, "bfp_bf4"
    BFP_Float2 = 7, "bfp_f2"
    BFP_BFloat2 = 8, "bfp_bf2"
    UInt32 = 9, "u32"
    UInt16 = 10, "u16"
    UInt8 = 11, "u8"


class MemorySpace(KeywordEnum):
    """The memory of a tensor, in the words of ``tt``."""

    System = 0, "system"
    SystemMMIO = 1, "mmio"
    DeviceDRAM = 2, "dram"
    DeviceL1 = 3, "l1"

    @property
    def is_host(self) -> bool:
        """Whether it is memory of the host."""
        return self in (MemorySpace.System, MemorySpace.SystemMMIO)


class BufferType(KeywordEnum):
    """The memory of a tensor, in the words of ``ttnn``."""

    DRAM = 0, "dram"
    L1 = 1, "l1"
    SystemMemory = 2, "system_memory"
    L1Small = 3, "l1_small"
    Trace = 4, "trace"

    @property
    def is_host(self) -> bool:
        """Whether it is memory of the host."""
        return self is BufferType.SystemMemory


class TensorMemoryLayout(KeywordEnum):
    """The distribution of a tensor's shards over banks; ``tt`` and ``ttnn`` have the same."""

    None_ = 0, "none"
    Interleaved = 1, "interleaved"
    SingleBank = 2, "single_bank"
    HeightSharded = 3, "height_sharded"
    WidthSharded = 4, "width_sharded"
    BlockSharded = 5, "block_sharded"

    @property
    def is_sharded(self) -> bool:
        """Whether each core holds one shard."""
        return self >= TensorMemoryLayout.HeightSharded


class OOBVal(KeywordEnum):
    """The value of padding."""

    Undef = 0, "undef"
    Zero = 1, "zero"
    One = 2, "one"
    Inf = 3, "inf"
    NegInf = 4, "neginf"


class IteratorType(KeywordEnum):
    """The role of a dimension in the iterations of a ``ttir.generic``."""

    Parallel = 0, "parallel"
    Systolic = 1, "systolic"
    Broadcast = 2, "broadcast"
    Reduction = 3, "reduction"


class ShardType(KeywordEnum):
    """The distribution of a tensor over a mesh by ``mesh_shard``, in the words of later versions."""

    Identity = 0, "identity"
    Replicate = 1, "replicate"
    Maximal = 2, "maximal"
    Devices = 3, "devices"


class ShardDirection(KeywordEnum):
    """The direction of ``mesh_shard``: from a whole tensor to the parts of chips, or from the parts to the whole."""

    FullToShard = 0, "full_to_shard"
    ShardToFull = 1, "shard_to_full"


class CPURole(KeywordEnum):
    """The role of a processor of the system."""

    Host = 0, "host"
    Device = 1, "device"


class PageLayout(KeywordEnum):
    """The layout of one page of a ``ttnn`` tensor: ``#ttnn.layout``."""

    RowMajor = 0, "row_major"
    Tile = 1, "tile"
    Invalid = 2, "invalid"


class PoolingMethod(KeywordEnum):
    """The function that ``ttir.pooling`` applies to a window."""

    Average = 0, "Average"
    Max = 1, "Max"


class ReduceOperation(KeywordEnum):
    """The way chips combine their tensors: ``math_op`` of ``ttnn.reduce_scatter``."""

    Sum = 0, "sum"
    Mean = 1, "mean"
    Max = 2, "max"
    Min = 3, "min"
    Std = 4, "std"
    Var = 5, "var"


class ReduceType(KeywordEnum):
    """The function that a reduction of ``ttkernel`` computes."""

    Sum = 0, "reduce_sum"
    Max = 1, "reduce_max"


class ReduceDim(KeywordEnum):
    """The dimensions along which a tile is reduced."""

    Row = 0, "reduce_dim_row"
    Col = 1, "reduce_dim_col"
    Scalar = 2, "reduce_dim_scalar"
    None_ = 3, "reduce_dim_none"


class ThreadType(KeywordEnum):
    """The kind of processor of a core that a kernel is for."""

    Noc = 0, "noc"
    Tensix = 1, "tensix"
    Ethernet = 2, "ethernet"


class NocIndex(KeywordEnum):
    """One of the two networks on a chip."""

    Noc0 = 0, "noc0"
    Noc1 = 1, "noc1"


class MathFidelity(KeywordEnum):
    """The number of passes that the multiplier makes."""

    LoFi = 0, "lofi"
    HiFi2 = 2, "hifi2"
    HiFi3 = 3, "hifi3"
    HiFi4 = 4, "hifi4"


class UnpackToDestMode(KeywordEnum):
    """Whether an operand is unpacked into the destination registers in full precision."""

    Fp32 = 0, "fp32"
    Default = 1, "default"


class EthernetType(KeywordEnum):
    """The end of a channel that an ethernet kernel is on."""

    Sender = 0, "sender"
    Receiver = 1, "receiver"


class CBPort(KeywordEnum):
    """The circular buffers of a core.

    C++ calls them ``c_in0``, ``dataflow0``, ``c_out0``, ``c_intermed0``.
    """

    In0 = 0, "cb_in0"
    In1 = 1, "cb_in1"
    In2 = 2, "cb_in2"
    In3 = 3, "cb_in3"
    In4 = 4, "cb_in4"
    In5 = 5, "cb_in5"
    In6 = 6, "cb_in6"
    In7 = 7, "cb_in7"
    DataFlow0 = 8, "cb_dfl0"
    DataFlow1 = 9, "cb_dfl1"
    DataFlow2 = 10, "cb_dfl2"
    DataFlow3 = 11, "cb_dfl3"
    DataFlow4 = 12, "cb_dfl4"
    DataFlow5 = 13, "cb_dfl5"
    DataFlow6 = 14, "cb_dfl6"
    DataFlow7 = 15, "cb_dfl7"
    Out0 = 16, "cb_out0"
    Out1 = 17, "cb_out1"
    Out2 = 18, "cb_out2"
    Out3 = 19, "cb_out3"
    Out4 = 20, "cb_out4"
    Out5 = 21, "cb_out5"
    Out6 = 22, "cb_out6"
    Out7 = 23, "cb_out7"
    Intermed0 = 24, "cb_int0"
    Intermed1 = 25, "cb_int1"
    Intermed2 = 26, "cb_int2"
    Intermed3 = 27, "cb_int3"
    Intermed4 = 28, "cb_int4"
    Intermed5 = 29, "cb_int5"
    Intermed6 = 30, "cb_int6"
    Intermed7 = 31, "cb_int7"


class ChipCapability(IntFlag):
    """The connections of a chip to its host; text writes the number: ``3 : i32``."""

    PCIE = 1
    HostMMIO = 2


class BufferAccess(IntFlag):
    """The access of a kernel to a tensor, which lies in the buffer or streams through it."""

    Alias = 1
    Stream = 2

    @property
    def keyword(self) -> str:
        """``alias``, ``stream`` or ``alias|stream``."""
        return "|".join(word for member, word in BUFFER_ACCESS_WORDS if member in self)

    @classmethod
    def from_keyword(cls, word: str) -> BufferAccess:
        """The member with this word. Raises ``ValueError``."""
        for member, known in BUFFER_ACCESS_WORDS:
            if known == word:
                return member
        raise ValueError(f"no BufferAccess is called {word}; there are alias, stream")


BUFFER_ACCESS_WORDS = ((BufferAccess.Alias, "alias"), (BufferAccess.Stream, "stream"))


class OperandConstraint(IntFlag):
    """The memories and the distributions that an operand of an operation may have, and whether it may be in tiles."""

    System = 1
    DRAM = 2
    L1 = 4
    Scalar = 8
    Tile = 16
    None_ = 32
    Interleaved = 64
    SingleBank = 128
    HeightSharded = 256
    WidthSharded = 512
    BlockSharded = 1024
    AnyLayout = 2016
    Any = 2047
    AnyDevice = 2046
    AnyDeviceTile = 2038
    L1BlockSharded = 1052

    @property
    def keyword(self) -> str:
        """The words in text: each single bit that is set, by number, then each group whose bits are all set."""
        return "|".join(word for member, word in OPERAND_CONSTRAINT_WORDS if member & self == member)

    @classmethod
    def from_keyword(cls, word: str) -> OperandConstraint:
        """The member with this word. Raises ``ValueError``."""
        for member, known in OPERAND_CONSTRAINT_WORDS:
            if known == word:
                return member
        words = ", ".join(word for _, word in OPERAND_CONSTRAINT_WORDS)
        raise ValueError(f"no OperandConstraint is called {word}; there are {words}")

    @property
    def alias(self) -> str:
        """The attribute's alias in a module: its word in ``OPERAND_CONSTRAINT_ALIASES``, or ``operand_constraint``."""
        for member, word in OPERAND_CONSTRAINT_ALIASES:
            if member == self:
                return word
        return "operand_constraint"

    @property
    def memory_space(self) -> MemorySpace:
        """The memory that the layout pass chooses for the operand: DRAM if allowed, else L1, else the host."""
        if OperandConstraint.DRAM in self:
            return MemorySpace.DeviceDRAM
        return MemorySpace.DeviceL1 if OperandConstraint.L1 in self else MemorySpace.System

    @property
    def buffer_type(self) -> BufferType:
        """The memory that the layout pass chooses, as a buffer type of ``ttnn``."""
        match self.memory_space:
            case MemorySpace.DeviceDRAM:
                return BufferType.DRAM
            case MemorySpace.DeviceL1:
                return BufferType.L1
        return BufferType.SystemMemory

    @property
    def memory_layout(self) -> TensorMemoryLayout:
        """The distribution that the layout pass chooses: interleaved if possible; ``None_`` for a tensor on the host."""
        if self.memory_space.is_host:
            return TensorMemoryLayout.None_
        for member, layout in MEMORY_LAYOUT_BITS:
            if member in self:
                return layout
        return TensorMemoryLayout.None_

    @property
    def is_tiled(self) -> bool:
        """Whether the layout pass puts the operand into tiles: if it must not be in scalars."""
        return OperandConstraint.Scalar not in self


OPERAND_CONSTRAINT_WORDS = (
    (OperandConstraint.System, "system"),
    (OperandConstraint.DRAM, "dram"),
    (OperandConstraint.L1, "l1"),
    (OperandConstraint.Scalar, "scalar"),
    (OperandConstraint.Tile, "tile"),
    (OperandConstraint.None_, "none"),
    (OperandConstraint.Interleaved, "interleaved"),
    (OperandConstraint.SingleBank, "single_bank"),
    (OperandConstraint.HeightSharded, "height_sharded"),
    (OperandConstraint.WidthSharded, "width_sharded"),
    (OperandConstraint.BlockSharded, "block_sharded"),
    (OperandConstraint.AnyLayout, "any_layout"),
    (OperandConstraint.Any, "any"),
    (OperandConstraint.AnyDevice, "any_device"),
    (OperandConstraint.AnyDeviceTile, "any_device_tile"),
    (OperandConstraint.L1BlockSharded, "l1_block_sharded"),
)
OPERAND_CONSTRAINT_ALIASES = tuple(pair for pair in OPERAND_CONSTRAINT_WORDS[12:])
MEMORY_LAYOUT_BITS = (
    (OperandConstraint.Interleaved, TensorMemoryLayout.Interleaved),
    (OperandConstraint.SingleBank, TensorMemoryLayout.SingleBank),
    (OperandConstraint.HeightSharded, TensorMemoryLayout.HeightSharded),
    (OperandConstraint.WidthSharded, TensorMemoryLayout.WidthSharded),
    (OperandConstraint.BlockSharded, TensorMemoryLayout.BlockSharded),
)
