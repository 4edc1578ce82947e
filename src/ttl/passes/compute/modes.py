"""The configuration of the compute kernels of an operation, and the capacity of the registers that follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr

from ttl.analysis.dominance import walked
from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.passes.marks import chip_of
from ttl.rows.dtypes import DType

FP32 = "ttl.fp32_dest_acc_en"
FULL_SYNC = "ttl.dst_full_sync_en"
ACCUMULATION = "ttl.accumulation"
STRICT = "ttl.strict_f32_acc"


@dataclass(frozen=True, slots=True)
class ComputeMode:
    """The configuration of a compute kernel."""

    fidelity: str
    fp32_dest: bool
    full_sync: bool
    # Whether the program chose ``full_sync``; if not, the compiler may still choose it.
    full_sync_given: bool
    chip: Chip
    # Where contributions of loops to blocks are added up: ``registers``, ``packer`` or ``auto``; and whether it is an
    # error to round such a sum.
    accumulation: str = "registers"
    strict: bool = False

    @property
    def capacity(self) -> int:
        """Tiles that one section can hold in the registers."""
        return self.capacity_of(self.full_sync)

    def capacity_of(self, full_sync: bool) -> int:
        """Return the capacity of DST, in tiles, for full or half synchronisation."""
        dst = self.chip.dst
        if full_sync:
            return dst.full_32bit if self.fp32_dest else dst.full_16bit
        return dst.half_32bit if self.fp32_dest else dst.half_16bit


def compute_mode(operation: dialect.OperationOp) -> ComputeMode:
    """The configuration that the options of an operation and ``ttl-choose-mode`` determine."""
    fidelity = operation.attributes.get("ttl.math_fidelity")
    accumulation = operation.attributes.get(ACCUMULATION)
    fp32 = _flag(operation, FP32)
    full = _flag(operation, FULL_SYNC)
    return ComputeMode(
        fidelity=fidelity.data if isinstance(fidelity, StringAttr) else "HiFi4",
        fp32_dest=bool(fp32),
        full_sync=bool(full),
        full_sync_given=full is not None and "ttl.dst_full_sync_chosen" not in operation.attributes,
        chip=chip_of(operation),
        accumulation=accumulation.data if isinstance(accumulation, StringAttr) else "registers",
        strict=bool(_flag(operation, STRICT)),
    )


def has_room(operation: dialect.OperationOp, tiles: int) -> bool:
    """Whether one section can hold so many tiles in the registers, if necessary by using all of them."""
    mode = compute_mode(operation)
    return tiles <= mode.capacity or (not mode.full_sync_given and tiles <= mode.capacity_of(True))


def make_room(operation: dialect.OperationOp, tiles: int) -> None:
    """Let a section use all registers if fewer cannot hold ``tiles``, for which the operation ``has_room``."""
    if tiles > compute_mode(operation).capacity:
        operation.attributes[FULL_SYNC] = BoolAttr.from_bool(True)
        operation.attributes["ttl.dst_full_sync_chosen"] = BoolAttr.from_bool(True)


def _flag(operation: dialect.OperationOp, name: str) -> bool | None:
    given = operation.attributes.get(name)
    return bool(given.value.data) if isinstance(given, IntegerAttr) else None


def is_wide(dtype: DType) -> bool:
    """Whether elements need registers of 32 bits."""
    return dtype.element_bytes == 4


def computed_dtypes(operation: dialect.OperationOp) -> set[DType]:
    """Element types of the buffers that compute kernels use, and of the integers that they compute in between."""
    dtypes = set()
    for op in (op for kernel in operation.kernels if kernel.kind == "compute" for op in walked(kernel)):
        if isinstance(op, dialect.AcquireOp) and isinstance(op.result.type, dialect.BlockMemoryType):
            dtypes.add(op.result.type.block_type.dtype)
        elif isinstance(op, dialect.BlockComputeOp):
            dtype = dialect.block_type_of(op.result.type).dtype
            if not dtype.is_float:
                dtypes.add(dtype)
    return dtypes
