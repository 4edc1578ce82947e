"""Devices, tensors and programs, under the names of the real runtime."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import prod
from typing import TYPE_CHECKING, Any

from tt_model.binaries.binary import Binary, SystemDesc
from tt_model.binaries.hooks import DebugHooks, OpContext, ProgramContext
from tt_model.binaries.stored_inputs import tensor_of
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema
from tt_model.flatbuffer.system_desc import encode_system_desc, read_system_desc, system_desc_of_fields
from tt_model.layouts.enums import DataType
from tt_model.layouts.known_systems import system
from tt_model.layouts.system_desc import SystemRecord
from tt_model.layouts.values import LayoutError
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.distribution import MeshShards, extents_of, strategy_in_words
from tt_model.runtime.executor import PreparedProgram, RunReport, prepare_program, run_on_mesh
from tt_model.runtime.numbers import host_dtype
from tt_model.runtime.problems import RuntimeProblem
from ttl.source.public_names import known_as

if TYPE_CHECKING:
    import torch

    from tt_model.runtime.metal.device import MetalDevice
    from tt_model.runtime.metal.executor import MetalReport

# The system that is simulated by default.
DEFAULT_SYSTEM = "n150"


class DeviceRuntime(Enum):
    """The kind of a program."""

    Disabled = "Disabled"
    TTNN = "TTNN"
    TTMetal = "TTMetal"


@known_as("Tensor")
class UserTensor:
    """A user's tensor in memory of torch, which outputs are written to; for a mesh, one tensor for each chip."""

    def __init__(self, held: torch.Tensor | MeshShards) -> None:
        self.held = held

    @property
    def values(self) -> torch.Tensor:
        """The whole tensor; if it is in shards, a copy. Raises ``RuntimeProblem`` if the shards do not make a whole tensor."""
        return self.held.whole() if isinstance(self.held, MeshShards) else self.held

    @property
    def shards(self) -> tuple[torch.Tensor, ...]:
        """The tensor of each chip; a single tensor if the input is not made for a mesh."""
        return self.held.parts if isinstance(self.held, MeshShards) else (self.held,)


Tensor = UserTensor


@known_as("Event")
class DoneEvent:
    """The result of ``submit``; the program has run by the time it is returned."""


Event = DoneEvent


@known_as("Device")
@dataclass(eq=False)
class OpenedDevice:
    """An opened mesh of simulated chips."""

    simulated: SimulatedDevice
    # The report of the last program: tensors that it left on the device, and its peak memory.
    report: RunReport | MetalReport | None = None
    # The emulated chip, made for the first program of TTMetal.
    metal: MetalDevice | None = None

    def deallocate_buffers(self) -> None:
        """Free all buffers on the device."""
        self.simulated.deallocate_buffers()


Device = OpenedDevice


def get_current_runtime() -> DeviceRuntime:
    """The kind of program that is run by default."""
    return DeviceRuntime.TTNN


def get_available_runtimes() -> list[DeviceRuntime]:
    """The kinds of programs that can be run."""
    return [DeviceRuntime.TTNN, DeviceRuntime.TTMetal]


def set_compatible_runtime(binary: Binary) -> DeviceRuntime:
    """The kind of program that a binary has."""
    return DeviceRuntime.TTMetal if binary.file_identifier == "TTM0" else DeviceRuntime.TTNN


def simulated_system(name: str) -> SystemRecord:
    """A system by its name, or by the path of a ``.ttsys`` file. Raises ``ValueError``."""
    return read_system_desc(name) if name.endswith(".ttsys") else system(name)


def get_current_system_desc(name: str = DEFAULT_SYSTEM) -> tuple[SystemDesc, list[int]]:
    """The system description of the named system, as it is in a file, and the numbers of its chips."""
    record = simulated_system(name)
    content = encode_system_desc(record)
    values = decode(schema("Common/system_desc.fbs"), content)
    return SystemDesc(content, values), list(range(len(record.chips)))


def system_of(binary: Binary) -> SystemRecord:
    """The system that a binary was compiled for.

    Raises ``RuntimeProblem`` where its description is missing or incomplete.
    """
    name = "TTMetalBinary" if binary.file_identifier == "TTM0" else "TTNNBinary"
    try:
        record = system_desc_of_fields(binary.values.get("system_desc"))
        chips = record.chips
    except (FlatbufferError, LayoutError) as problem:
        raise RuntimeProblem(f"{name}.system_desc: {problem}") from None
    if not chips:
        raise RuntimeProblem(f"{name}.system_desc has no chips")
    return record


def get_num_available_devices(name: str = DEFAULT_SYSTEM) -> int:
    """Return how many chips the system has."""
    return len(simulated_system(name).chips)


def open_device(
    device_ids: Sequence[int] = (0,),
    num_hw_cqs: int = 1,
    *,
    system: SystemRecord | str = DEFAULT_SYSTEM,
    mesh_shape: tuple[int, int] | None = None,
) -> OpenedDevice:
    """Open chips of a simulated system, as one row of them or as ``mesh_shape`` says (rows, columns).

    Raises ``RuntimeProblem`` for a chip that the system does not have, and for a mesh of another number of chips.
    Programs use rows of chips of the mesh (``ttnn.get_device``).
    """
    record = simulated_system(system) if isinstance(system, str) else system
    return OpenedDevice(SimulatedDevice(record, list(device_ids), mesh_shape))


def close_device(device: OpenedDevice) -> None:
    """Close a device and free all buffers on it."""
    device.deallocate_buffers()


def create_tensor(
    ptr: int, shape: Sequence[int], stride: Sequence[int], itemsize: int, dtype: DataType
) -> UserTensor:
    """A tensor over the caller's memory, in row-major order; it is not copied. Raises ``RuntimeProblem``."""
    import torch

    wanted = host_dtype(dtype)
    if wanted is None:
        raise RuntimeProblem(
            f"Unsupported data type {dtype.keyword}: give float32, bfloat16, uint32 or uint16"
        )
    size = prod(shape) * itemsize
    if size == 0:
        return UserTensor(torch.empty(list(shape), dtype=wanted))
    memory = (ctypes.c_uint8 * size).from_address(ptr)
    return UserTensor(torch.frombuffer(memory, dtype=wanted).reshape(list(shape)))


def create_multi_device_tensor(
    ptrs: Sequence[int],
    shape: Sequence[int],
    stride: Sequence[int],
    itemsize: int,
    dtype: DataType,
    strategy: Mapping[str, str],
) -> UserTensor:
    """A tensor for a mesh, copied from one memory for each chip. ``shape`` is that of the part of one chip.

    ``strategy`` says how the parts make up the whole: ``{"strategy": "replicate", "replication_factor": "2"}``,
    ``{"strategy": "shard", "shard_dim": "0"}`` or
    ``{"strategy": "shard_2d", "mesh_shape_y": "1", "mesh_shape_x": "2"}``. Raises ``RuntimeProblem``.
    """
    if not ptrs:
        raise RuntimeProblem("no tensors are passed: pass one for each chip of the mesh")
    known = strategy_in_words(strategy, len(ptrs))
    extents_of(known, len(shape), len(ptrs))
    parts = tuple(create_tensor(ptr, shape, stride, itemsize, dtype).values.clone() for ptr in ptrs)
    return UserTensor(MeshShards(parts, known))


def prepared(binary: Binary, program_index: int, *, host_memory: int | None = None) -> PreparedProgram:
    """A program that is ready to run.

    ``host_memory`` limits the bytes of this machine's memory. Raises ``RuntimeProblem``.
    """
    programs = binary.programs
    if not 0 <= program_index < len(programs):
        raise RuntimeProblem(f"there is no program {program_index}: the binary has {len(programs)}")
    program = prepare_program(programs[program_index], host_memory=host_memory)
    known = [one for one in binary.stored_inputs if one.program == program_index]
    if not known:
        return program
    return replace(
        program,
        stored={one.index: tensor_of(one) for one in known if one.elements is not None},
        input_names={one.index: one.name for one in known},
        limits=binary.limits(program_index),
    )


def submit(
    device: OpenedDevice,
    binary: Binary,
    program_index: int,
    inputs: Sequence[UserTensor],
    outputs: Sequence[UserTensor],
    *,
    program: PreparedProgram | None = None,
) -> DoneEvent:
    """Run a program; its results are written to ``outputs``. Raises ``RuntimeProblem``."""
    if set_compatible_runtime(binary) is DeviceRuntime.TTMetal:
        return _submit_metal(device, binary, program_index, inputs, outputs)
    run = program or prepared(binary, program_index)
    if len(outputs) != len(run.outputs):
        raise RuntimeProblem(
            f"program {run.name} gives {len(run.outputs)} tensors, but memory for {len(outputs)} was passed"
        )
    hooks = DebugHooks.current()
    observe = None
    if hooks is not None:
        operations = binary.programs[program_index].get("operations", [])

        def observe(pool: Any, step: Any) -> None:
            hooks.callback(binary, ProgramContext(pool), OpContext(step, operations[step.at.index]))

    results, device.report = run_on_mesh(
        device.simulated, run, [tensor.held for tensor in inputs], observe=observe
    )
    for number, (tensor, result) in enumerate(zip(outputs, results, strict=True)):
        _write(f"output {number} of {run.name}", tensor, result)
    return DoneEvent()


def _submit_metal(
    device: OpenedDevice,
    binary: Binary,
    program_index: int,
    inputs: Sequence[UserTensor],
    outputs: Sequence[UserTensor],
) -> DoneEvent:
    """Run commands on the first chip.

    C++ of files runs inside ``with tt_model.layouts.kernel_permissions.allowed(sources=True)``.
    """
    from tt_model.runtime.metal.device import MetalDevice
    from tt_model.runtime.metal.executor import run_metal_program
    from tt_model.runtime.metal.tables import prepare_metal_program

    if device.metal is None:
        device.metal = MetalDevice(device.simulated.system)
    programs = binary.programs
    if not 0 <= program_index < len(programs):
        raise RuntimeProblem(f"there is no program {program_index}: the binary has {len(programs)}")
    run = prepare_metal_program(programs[program_index], device.metal.desc, binary.limits(program_index))
    if len(outputs) != len(run.outputs):
        raise RuntimeProblem(
            f"program {run.name} gives {len(run.outputs)} tensors, but memory for {len(outputs)} was passed"
        )
    results, device.report = run_metal_program(device.metal, run, [tensor.values for tensor in inputs])
    for number, (tensor, result) in enumerate(zip(outputs, results, strict=True)):
        _write(f"output {number} of {run.name}", tensor, result)
    return DoneEvent()


def _write(name: str, tensor: UserTensor, result: torch.Tensor | MeshShards) -> None:
    """Copy a result to a user's memory: for a mesh the part of each chip, else the whole tensor.

    Raises ``RuntimeProblem``.
    """
    if isinstance(tensor.held, MeshShards):
        count = len(tensor.shards)
        parts = result.parts if isinstance(result, MeshShards) else (result,) * count
        if len(parts) != count:
            raise RuntimeProblem(f"{name} is in {len(parts)} shards, but memory for {count} was passed")
    else:
        try:
            parts = (result.whole() if isinstance(result, MeshShards) else result,)
        except RuntimeProblem as problem:
            raise RuntimeProblem(f"{name} cannot be read as one tensor: {problem}") from None
    for memory, part in zip(tensor.shards, parts, strict=True):
        if memory.shape != part.shape or memory.dtype != part.dtype:
            raise RuntimeProblem(
                f"{name} is {tuple(part.shape)} of {part.dtype}, and memory for {tuple(memory.shape)} of {memory.dtype} "
                "was passed"
            )
    for memory, part in zip(tensor.shards, parts, strict=True):
        memory.copy_(part)


def wait(event: DoneEvent) -> None:
    """Wait for a program; it has always run by then."""
