"""Programs chained on a device (specification: Runtime Stitching): tensors stay there between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tt_model.binaries.submission import OpenedDevice, UserTensor, set_compatible_runtime
from tt_model.runtime.numbers import to_host as values_of_host
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.stitching import StitchedProgram, host_tensor, is_as_wanted, release
from tt_model.runtime.stitching import to_layout as placed
from tt_model.runtime.tensors import RuntimeTensor, TensorDescription
from ttrt.binary import Binary

if TYPE_CHECKING:
    import torch

__all__ = [
    "DeviceTensor",
    "deallocate_tensor",
    "get_input_layouts",
    "has_layout",
    "submit_on_device",
    "to_host",
    "to_layout",
]


class DeviceTensor:
    """A tensor where a program left it, or where ``to_layout`` brought it; it lies there until ``deallocate_tensor``."""

    def __init__(self, tensor: RuntimeTensor) -> None:
        self.tensor = tensor

    @property
    def is_allocated(self) -> bool:
        """Whether it lies in memory of a device."""
        return self.tensor.storage is not None and self.tensor.storage.is_live

    def __repr__(self) -> str:
        return f"DeviceTensor({self.tensor.describe()})"


AnyTensor = UserTensor | DeviceTensor


def _device_program(binary: Binary, program_index: int) -> StitchedProgram:
    set_compatible_runtime(binary)
    programs = binary.programs
    if not 0 <= program_index < len(programs):
        raise RuntimeProblem(f"there is no program {program_index}: the binary has {len(programs)}")
    return StitchedProgram.of(programs[program_index])


def _runtime_tensor(tensor: AnyTensor) -> RuntimeTensor:
    return tensor.tensor if isinstance(tensor, DeviceTensor) else host_tensor(tensor.held)


def get_input_layouts(binary: Binary, program_index: int) -> list[TensorDescription]:
    """Return where and how a program wants its inputs: shape, type, tiles, memory. Raises ``RuntimeProblem``."""
    return list(_device_program(binary, program_index).program.inputs)


def has_layout(tensor: AnyTensor, layout: TensorDescription) -> bool:
    """Whether ``to_layout`` has nothing to do."""
    return is_as_wanted(_runtime_tensor(tensor), layout)


def to_layout(tensor: AnyTensor, device: OpenedDevice, layout: TensorDescription) -> AnyTensor:
    """A tensor as a program wants it; the same one where it is that already. Raises ``RuntimeProblem``."""
    given = _runtime_tensor(tensor)
    result = placed(device.simulated, given, layout)
    return tensor if result is given else DeviceTensor(result)


def submit_on_device(
    device: OpenedDevice, binary: Binary, program_index: int, inputs: Sequence[AnyTensor]
) -> list[DeviceTensor]:
    """Run a program on tensors of the device; its results stay there. Raises ``RuntimeProblem``.

    Inputs that lie otherwise than the program wants are copied there for the run.
    """
    program = _device_program(binary, program_index)
    outputs, device.report = program.run(device.simulated, [_runtime_tensor(one) for one in inputs])
    return [DeviceTensor(one) for one in outputs]


def to_host(tensor: DeviceTensor) -> torch.Tensor:
    """The values of the whole tensor, in row-major order.

    Raises ``RuntimeProblem`` for a tensor that was deallocated, and for shards of which it is not known how they are joined.
    """
    inner = tensor.tensor
    if inner.storage is not None and not inner.storage.is_live:
        raise RuntimeProblem(f"a tensor is used after it was deallocated: {inner.describe()}")
    return values_of_host(inner.whole(), inner.data_type).clone()


def deallocate_tensor(tensor: DeviceTensor, force: bool = False) -> None:
    """Give its memory back. Raises ``RuntimeProblem`` where that was done."""
    release(tensor.tensor, force)
