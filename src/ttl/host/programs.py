"""``ttnn.generic_op``: a program of kernels in C++, launched on the emulated chip (``ttl.emu.generic``).

Programs that the real library refuses are refused here, too, with the values: its refusals were observed with release
0.81 on a mock device."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ttl.arch import Chip
from ttl.host.access import chip_of
from ttl.host.arguments import tensor_of
from ttl.host.calling import checked, public
from ttl.host.coordinates import MeshCoordinate, MeshCoordinateRange, position
from ttl.host.cores import CoreCoord, CoreRangeSet
from ttl.host.descriptors import (
    NOC,
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    DataMovementProcessor,
    Descriptor,
    KernelDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    RuntimeArgs,
    SemaphoreDescriptor,
)
from ttl.host.device import Device
from ttl.host.errors import Code, describe, fail
from ttl.host.mesh_programs import MeshProgramDescriptor
from ttl.host.tensor import ACTIVE, Tensor

if TYPE_CHECKING:
    from pathlib import Path

__all__ = (
    "ProgramDescriptor", "TensorAccessorArgs", "cb_descriptor_from_sharded_tensor", "generic_op",
    "merge_program_descriptors",
)  # fmt: skip

Processor = Literal["brisc", "ncrisc", "compute"]


def on_device(value: Any, function: str, what: str = "tensor") -> Tensor:
    """Return a tensor that is on a device. Raises ``ProgramError`` TTL1030 for a host tensor."""
    tensor = tensor_of(value, function, what)
    if tensor.device() is None:
        fail(
            Code.PROGRAM_TENSORS, f"ttnn.{function}: a tensor of shape {tuple(tensor.shape)} is on the host, where kernels cannot reach it",
            help="move it first: ttnn.to_device(tensor, device)",
        )  # fmt: skip
    return tensor


@checked
class TensorAccessorArgs:
    """How kernels find the pages of a tensor of a device: arguments of its ``TensorAccessor``."""

    def __init__(self, tensor: Tensor) -> None:
        self._words: list[int] = _emulated().accessor_words(on_device(tensor, "TensorAccessorArgs"))

    def get_compile_time_args(self) -> list[int]:
        """The compile-time arguments."""
        return list(self._words)

    def get_common_runtime_args(self) -> list[int]:
        """The common run-time arguments: always empty, because all values are known when a kernel is compiled."""
        return []


@public()
def cb_descriptor_from_sharded_tensor(
    cb_index: int,
    tensor: Tensor,
    address_offset: int = 0,
    total_size: int = 0,
    core_ranges: CoreRangeSet | None = None,
) -> CBDescriptor:
    """A circular buffer in the memory of a sharded tensor: of each core's shards, from ``address_offset`` (bytes) on.

    ``total_size``: bytes, 0 for all of a core's; ``core_ranges``: the cores with shards, if none are given.
    """
    of = on_device(tensor, "cb_descriptor_from_sharded_tensor")
    config = of.memory_config()
    spec = config.shard_spec or config.nd_shard_spec
    if spec is None:
        fail(
            Code.SHARDS, f"ttnn.cb_descriptor_from_sharded_tensor: a tensor of shape {tuple(of.shape)} has no shards",
            help="give it a sharded memory configuration: ttnn.create_sharded_memory_config",
        )  # fmt: skip
    page, nbytes = _emulated().shard_bytes(of)
    result = CBDescriptor(
        total_size or nbytes,
        spec.grid if core_ranges is None else core_ranges,
        [CBFormatDescriptor(cb_index, of.dtype, page)],
    )
    result.address_offset, result._buffer = address_offset, of
    return result


@public()
def merge_program_descriptors(descriptors: Sequence[ProgramDescriptor]) -> ProgramDescriptor:
    """The programs as one. Their kernels run on different cores."""
    taken: dict[CoreCoord, int] = {}
    for number, program in enumerate(descriptors):
        if not isinstance(program, ProgramDescriptor):
            fail(
                Code.WRONG_KIND,
                f"ttnn.merge_program_descriptors: a program is a ttnn.ProgramDescriptor, not {describe(program)}",
            )
        for at in {at for kernel in program.kernels for at in kernel.core_ranges.cores()}:
            if at in taken:
                fail(
                    Code.PROGRAM_KERNELS,
                    f"ttnn.merge_program_descriptors: programs {taken[at]} and {number} both have kernels on core {tuple(at)}",
                    help="give them different cores",
                )
            taken[at] = number
    return ProgramDescriptor(
        *(
            [item for program in descriptors for item in getattr(program, part)]
            for part in ("kernels", "semaphores", "cbs")
        )
    )


@public()
def generic_op(
    io_tensors: Sequence[Tensor], program_descriptor: ProgramDescriptor | MeshProgramDescriptor
) -> Tensor:
    """Run a program on the emulated chip; the last tensor, which it has written, is the result.

    On a mesh it runs once for each device, on its shards, one after the other; the programs of a mesh program run at
    one time, with links between their devices. Raises ``ProgramError``: TTL1026 to TTL1031 for a program that cannot be
    launched, TTL15xx for errors of its kernels; ``DeadlockError`` if they wait forever.
    """
    if ACTIVE.get() is not None:
        fail(
            Code.IN_OPERATION, "ttnn.generic_op while an operation runs",
            help="launch it before the call of the operation, or after it",
        )  # fmt: skip
    if not isinstance(program_descriptor, ProgramDescriptor | MeshProgramDescriptor):
        fail(
            Code.WRONG_KIND,
            f"ttnn.generic_op: the program is a ttnn.ProgramDescriptor or a ttnn.MeshProgramDescriptor, not {describe(program_descriptor)}",
        )
    if not isinstance(io_tensors, list | tuple) or len(io_tensors) < 2:
        fail(
            Code.PROGRAM_TENSORS, f"ttnn.generic_op takes a list of at least one input and one output, not {describe(io_tensors)}",
            help="a program with one tensor gets it twice: [tensor, tensor]",
        )  # fmt: skip
    tensors = [on_device(tensor, "generic_op") for tensor in io_tensors]
    devices = {id(tensor.device()): tensor.device() for tensor in tensors}
    if len(devices) > 1:
        fail(
            Code.PROGRAM_TENSORS,
            f"ttnn.generic_op: the tensors are on {len(devices)} devices: {list(devices.values())}",
        )
    (device,) = devices.values()
    assert device is not None
    if isinstance(program_descriptor, MeshProgramDescriptor):
        _emulated().launch_parts(_parts(program_descriptor, device), tensors, device)
        return tensors[-1]
    _check(program_descriptor, chip_of(device))
    _emulated().launch(program_descriptor, tensors, chip_of(device), len(tensors[0].shards or (None,)))
    return tensors[-1]


def _parts(descriptor: MeshProgramDescriptor, device: Device) -> list[tuple[ProgramDescriptor, list[int]]]:
    """Return the programs with the positions of their devices in the mesh, each checked."""
    shape, taken = tuple(device.shape), dict[MeshCoordinate, MeshCoordinateRange]()
    if not descriptor.parts():
        fail(
            Code.LINKS, "ttnn.generic_op: a ttnn.MeshProgramDescriptor without a program",
            help="descriptor[ttnn.MeshCoordinateRange(mesh_device.shape)] = program",
        )  # fmt: skip
    result = []
    for where, program in descriptor.parts():
        for at in where:
            if len(at) != len(shape) or any(a >= b for a, b in zip(at, shape, strict=True)):
                fail(
                    Code.LINKS, f"ttnn.generic_op: a program is for device {tuple(at)}, and the mesh has shape {shape}",
                )  # fmt: skip
            if at in taken:
                fail(
                    Code.LINKS, f"ttnn.generic_op: device {tuple(at)} is in two parts of the mesh program, {taken[at]} and {where}",
                )  # fmt: skip
            taken[at] = where
        _check(program, chip_of(device))
        result.append((program, [position(shape, at, "generic_op") for at in where]))
    return result


def _emulated() -> Any:
    # Above this library: found by name when a program is launched.
    return import_module("ttl.emu.generic")


# --- checks before a launch -------------------------------------------------------------------------------------


def place_of(kernel: KernelDescriptor) -> tuple[Processor, Literal[0, 1]]:
    """The processor and the network of a kernel."""
    config = kernel.config
    if isinstance(config, ComputeConfigDescriptor):
        return "compute", 0
    if isinstance(config, DataMovementConfigDescriptor):
        return (
            "ncrisc" if config.processor is DataMovementProcessor.RISCV_1 else "brisc",
            1 if config.noc is NOC.NOC_1 else 0,
        )
    return ("ncrisc", 0) if isinstance(config, ReaderConfigDescriptor) else ("brisc", 1)


def source_of(kernel: KernelDescriptor) -> tuple[str, Path | None]:
    """Return the text of a kernel, and its file if it has one. Raises ``ProgramError`` TTL1027."""
    if kernel.source_type is not KernelDescriptor.SourceType.FILE_PATH:
        return kernel.kernel_source, None
    from pathlib import Path  # its import takes two milliseconds

    path = Path(os.path.abspath(kernel.kernel_source))
    try:
        return path.read_text(encoding="utf-8"), path
    except (OSError, ValueError) as problem:
        hint: tuple[str, ...] = ("a relative path counts from the current folder",)
        if "\n" in kernel.kernel_source or "kernel_main" in kernel.kernel_source:
            hint = ("a text instead of a file: source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE",)
        said = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        first = (kernel.kernel_source.strip().splitlines() or ["''"])[0]
        fail(Code.PROGRAM_KERNELS, f"the file of a kernel cannot be read: {first}: {said}", help=hint)


def name_of(kernel: KernelDescriptor, number: int) -> str:
    """Return the name of a kernel in messages: its file without the ending, or its number."""
    is_file = kernel.source_type is KernelDescriptor.SourceType.FILE_PATH
    return os.path.splitext(os.path.basename(kernel.kernel_source))[0] if is_file else f"kernel_{number}"


def _check(program: ProgramDescriptor, chip: Chip) -> None:
    running: dict[tuple[CoreCoord, Processor], str] = {}
    for number, kernel in enumerate(program.kernels):
        name = f"kernel {name_of(kernel, number)}"
        if kernel.config is None:
            fail(
                Code.PROGRAM_KERNELS,
                f"{name} has no config",
                help="e.g. config=ttnn.ReaderConfigDescriptor()",
            )
        source_of(kernel)
        processor, _ = place_of(kernel)
        cores = _cores_of(kernel, name, Code.PROGRAM_KERNELS, chip)
        for at in cores:
            other = running.setdefault((at, processor), name)
            if other != name or cores.count(at) > 1:
                fail(
                    Code.PROGRAM_KERNELS, f"{other} and {name} are both for {_WORDS[processor]} of core {tuple(at)}",
                    help="a core runs one kernel on RISCV_0 (BRISC), one on RISCV_1 (NCRISC), and one that computes; "
                    "a ReaderConfigDescriptor means RISCV_1, a WriterConfigDescriptor RISCV_0",
                )  # fmt: skip
            running[at, processor] = name
        _check_arguments(kernel.runtime_args, set(cores), name)
    _check_buffers(program.cbs, chip)
    _check_semaphores(program.semaphores, chip)


_WORDS = {"brisc": "RISCV_0 (BRISC)", "ncrisc": "RISCV_1 (NCRISC)", "compute": "the compute processors"}


def _cores_of(of: Descriptor, name: str, code: Code, chip: Chip) -> list[CoreCoord]:
    cores = list(of.core_ranges.cores())
    columns, rows = chip.grid
    if not cores:
        fail(code, f"{name} is on no cores", help="core_ranges=ttnn.CoreRangeSet([...]) says which")
    outside = [tuple(at) for at in cores if at.x >= columns or at.y >= rows]
    if outside:
        fail(
            code, f"{name} is for core {outside[0]}, and the grid of {chip.name} has {columns} columns and {rows} rows",
            help=f"cores are (0, 0) to ({columns - 1}, {rows - 1}); device.compute_with_storage_grid_size() says so",
        )  # fmt: skip
    return cores


def _check_arguments(given: RuntimeArgs, cores: set[CoreCoord], name: str) -> None:
    for at, _ in given.to_list():
        if at not in cores:
            fail(
                Code.PROGRAM_ARGUMENTS, f"{name} gets run-time arguments for core {tuple(at)}, on which it does not run",
                notes=(f"it runs on {', '.join(str(tuple(other)) for other in sorted(cores)[:8])}{' ...' if len(cores) > 8 else ''}",),
                help="leave them out, or add the core to its core_ranges",
            )  # fmt: skip
    missing = sorted(cores - {at for at, _ in given.to_list()}) if len(given) else []
    if missing:
        fail(
            Code.PROGRAM_ARGUMENTS, f"{name} gets run-time arguments for {len(given)} of its {len(cores)} cores, and none for core {tuple(missing[0])}",
            help="on a card that core would read undefined values; pass values for all cores in common_runtime_args",
        )  # fmt: skip


def _check_buffers(buffers: Iterable[CBDescriptor], chip: Chip) -> None:
    taken: dict[tuple[CoreCoord, int], int] = {}
    for number, buffer in enumerate(buffers):
        name = f"circular buffer descriptor {number}"
        cores = _cores_of(buffer, name, Code.PROGRAM_BUFFERS, chip)
        if not buffer.format_descriptors:
            fail(
                Code.PROGRAM_BUFFERS,
                f"{name} has no format, so no kernel can use its {buffer.total_size} bytes",
            )
        for item in buffer.format_descriptors:
            index, page, size = item.buffer_index, item.page_size, buffer.total_size
            if index >= chip.dataflow_buffers:
                fail(
                    Code.PROGRAM_BUFFERS, f"{name} has index {index}, and a core of {chip.name} has circular buffers 0 to {chip.dataflow_buffers - 1}"
                )  # fmt: skip
            if not page or not size or size % page:
                fail(
                    Code.PROGRAM_BUFFERS, f"circular buffer {index} has {size} bytes with pages of {page}, which is not a whole number of pages",
                    help="" if not page else f"total_size is a multiple of page_size: {max(1, -(-size // page)) * page} is the next one",
                )  # fmt: skip
            if item.data_format is None:
                fail(
                    Code.PROGRAM_BUFFERS,
                    f"circular buffer {index} has no element type",
                    help="e.g. data_format=ttnn.bfloat16",
                )
            for at in cores:
                other = taken.setdefault((at, index), number)
                if other != number:
                    fail(
                        Code.PROGRAM_BUFFERS, f"{name} has index {index} on core {tuple(at)}, which descriptor {other} has there, too",
                        help="give it another index; two that share memory are two formats of one descriptor",
                    )  # fmt: skip


def _check_semaphores(semaphores: Iterable[SemaphoreDescriptor], chip: Chip) -> None:
    taken: set[tuple[CoreCoord, int]] = set()
    for semaphore in semaphores:
        number = semaphore.id
        if number >= chip.semaphores:
            fail(
                Code.PROGRAM_SEMAPHORES,
                f"semaphore {number}: a core of {chip.name} has semaphores 0 to {chip.semaphores - 1}",
            )
        for at in _cores_of(semaphore, f"semaphore {number}", Code.PROGRAM_SEMAPHORES, chip):
            if (at, number) in taken:
                fail(
                    Code.PROGRAM_SEMAPHORES,
                    f"semaphore {number} is described twice for core {tuple(at)}",
                    help="give one of them another id",
                )
            taken.add((at, number))


def no_room(program: ProgramDescriptor, needed: int, room: int, chip: Chip) -> NoReturn:
    """Refuse a program whose circular buffers need more L1 than is free below the tensors there (TTL1026)."""
    own = [buffer for buffer in program.cbs if not buffer.has_buffer()]
    sizes = [
        f"{'/'.join(str(item.buffer_index) for item in buffer.format_descriptors)}: {buffer.total_size}"
        for buffer in own
    ]
    fail(
        Code.PROGRAM_BUFFERS, f"the circular buffers need {needed} bytes of a core's L1, and {room} of {chip.l1_available_bytes} are free",
        notes=(f"bytes by index: {', '.join(sizes)}",), help="fewer or smaller pages; tensors in L1 can go to DRAM",
    )  # fmt: skip


def bases_of(buffers: Sequence[CBDescriptor], begin: int, alignment: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each circular buffer's memory in L1.

    On all of its cores it lies behind that of earlier descriptors, unless it is in a tensor, at the tensor's address.
    """
    tops: dict[CoreCoord, int] = {}
    for buffer in buffers:
        if buffer.has_buffer():
            base = int(buffer.buffer_address() or 0) + buffer.address_offset
        else:
            cores = list(buffer.core_ranges.cores())
            base = max(tops.get(at, begin) for at in cores)
            tops.update(dict.fromkeys(cores, -(-(base + buffer.total_size) // alignment) * alignment))
        yield base, base + buffer.total_size


def address_of(tensor: Tensor) -> int:
    """Return the address of a device tensor: it gets one at the first request, and keeps it as long as it lives."""
    return int(_emulated().address_of(tensor))
