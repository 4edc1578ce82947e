"""Programs chained on a device (specification: Runtime Stitching): tensors stay on the device between them."""

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
    """A tensor in the memory where a program or ``to_layout`` put it; it stays until ``deallocate_tensor``."""

    def __init__(self, tensor: RuntimeTensor) -> None:
        self.tensor = tensor

    @property
    def is_allocated(self) -> bool:
        """Whether the tensor is in memory of a device."""
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
    """Return the layouts that a program requires of its inputs: shape, type, tiles, memory.

    Raises ``RuntimeProblem``.
    """
    return list(_device_program(binary, program_index).program.inputs)


def has_layout(tensor: AnyTensor, layout: TensorDescription) -> bool:
    """Whether a tensor has a layout already, so that ``to_layout`` would not copy it."""
    return is_as_wanted(_runtime_tensor(tensor), layout)


def to_layout(tensor: AnyTensor, device: OpenedDevice, layout: TensorDescription) -> AnyTensor:
    """Return a tensor in a layout; the same tensor where it has the layout already. Raises ``RuntimeProblem``."""
    given = _runtime_tensor(tensor)
    result = placed(device.simulated, given, layout)
    return tensor if result is given else DeviceTensor(result)


def submit_on_device(
    device: OpenedDevice, binary: Binary, program_index: int, inputs: Sequence[AnyTensor]
) -> list[DeviceTensor]:
    """Run a program on tensors of the device; its results stay on the device. Raises ``RuntimeProblem``.

    Inputs with other layouts than the program requires are copied for the run.
    """
    program = _device_program(binary, program_index)
    outputs, device.report = program.run(device.simulated, [_runtime_tensor(one) for one in inputs])
    return [DeviceTensor(one) for one in outputs]


def to_host(tensor: DeviceTensor) -> torch.Tensor:
    """The values of the whole tensor, in row-major order.

    Raises ``RuntimeProblem`` for a tensor that was deallocated, and for shards that cannot be joined in a known way.
    """
    inner = tensor.tensor
    if inner.storage is not None and not inner.storage.is_live:
        raise RuntimeProblem(f"a tensor is used after it was deallocated: {inner.describe()}")
    return values_of_host(inner.whole(), inner.data_type).clone()


def deallocate_tensor(tensor: DeviceTensor, force: bool = False) -> None:
    """Free the memory of a tensor. Raises ``RuntimeProblem`` if it is already free."""
    release(tensor.tensor, force)
