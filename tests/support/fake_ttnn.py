"""As much of the real ttnn as a launch uses, in Python: what is built is kept, what is launched is counted."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


class Record(SimpleNamespace):
    """An object with the arguments it was made with as attributes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(args=args, **kwargs)


class KernelDescriptor(Record):
    """Also has the enumeration that says what a source is."""

    SourceType = enum.Enum("SourceType", "FILE_PATH SOURCE_CODE")


@dataclass(frozen=True)
class Spec:
    """What tells tensors apart, but for their address."""

    shape: tuple[int, ...] = (64, 64)


@dataclass(eq=False)
class Tensor:
    """A tensor on the one device."""

    address: int
    spec: Spec = Spec()

    def buffer_address(self) -> int:
        return self.address

    def device(self) -> Device:
        return DEVICE


@dataclass(frozen=True)
class CoreCoord:
    x: int
    y: int


class Device:
    """A device whose nodes are on the network 18 further on."""

    def compute_with_storage_grid_size(self) -> CoreCoord:
        return CoreCoord(8, 8)

    def worker_core_from_logical_core(self, core: CoreCoord) -> CoreCoord:
        return CoreCoord(core.x + 18, core.y + 18)


DEVICE = Device()


class TensorAccessorArgs:
    def __init__(self, tensor: Tensor) -> None:
        pass

    def get_compile_time_args(self) -> list[int]:
        return [2, 2048]


def _names(*names: str) -> Any:
    return SimpleNamespace(**{name: name for name in names})


@dataclass
class FakeTtnn:
    """The module."""

    launched: list[tuple[list[Any], Any]] = field(default_factory=list)

    Tensor = Tensor
    KernelDescriptor = KernelDescriptor
    TensorAccessorArgs = TensorAccessorArgs
    CoreCoord = CoreCoord
    CoreRange = CoreRangeSet = CBDescriptor = CBFormatDescriptor = SemaphoreDescriptor = Record
    ProgramDescriptor = DataMovementConfigDescriptor = ComputeConfigDescriptor = Record
    DataMovementProcessor = _names("RISCV_0", "RISCV_1")
    NOC = _names("NOC_0", "NOC_1")
    NOC_MODE = _names("DM_DEDICATED_NOC", "DM_DYNAMIC_NOC")
    MathFidelity = _names("HiFi2", "HiFi4")
    UnpackToDestMode = _names("Default", "UnpackToDestFp32")
    bfloat16, float32, uint16 = "bfloat16", "float32", "uint16"

    def generic_op(self, tensors: list[Any], program: Any) -> Any:
        """Counts."""
        self.launched.append((list(tensors), program))
        return tensors[-1]
