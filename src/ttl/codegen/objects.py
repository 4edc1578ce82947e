"""A description as objects of the real ttnn, which is an argument: this module does not import it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttl.codegen.description import (
    CircularBufferDescription,
    ComputeConfig,
    KernelDescription,
    ProgramDescription,
    to_json,
)
from ttl.codegen.entries import MeshNumbers, resolve
from ttl.codegen.hardware import FABRIC_MESH, MODES_OF_BUFFERS, PROCESSORS, SHARED_NOC
from ttl.codegen.mesh import links_of, shape_of, usual_wiring
from ttl.rows.types import WHOLE_TILE


def build_mesh_program(
    ttnn: Any,
    description: ProgramDescription,
    tensors: Sequence[Any],
    semaphores: dict[str, Any] | None = None,
) -> MeshProgram:
    """The ``ttnn.MeshProgramDescriptor`` for tensors of a mesh, in the order of the description.

    ``semaphores`` are the global semaphores of the same program for other tensors, which chips may still run: they are
    used again, and keep their counts.
    """
    device, wiring = tensors[0].device(), usual_wiring(description)
    rows, columns = shape_of(description)
    places = [ttnn.MeshCoordinate(row, column) for row in range(rows) for column in range(columns)]
    nodes = [device.get_fabric_node_id(place) for place in places]
    cores = _cores(ttnn, description)
    if semaphores is None:
        semaphores = {
            item.name: ttnn.create_global_semaphore(device, cores, item.initial)
            for item in description.global_semaphores
        }
        ttnn.synchronize_device(
            device
        )  # when a chip begins, the semaphores of the other chips must have their initial values
    addresses = {name: ttnn.get_global_semaphore_address(item) for name, item in semaphores.items()}
    links = list(links_of(description, wiring))
    descriptor = ttnn.MeshProgramDescriptor()
    for chip, place in enumerate(places):
        fabric_chips = [int(node.chip_id) for node in nodes]
        numbers = MeshNumbers(
            chip=chip, fabric_chips=fabric_chips, fabric_mesh=FABRIC_MESH, semaphores=addresses
        )
        program = build_program(ttnn, description, tensors, numbers)
        for number, kernel in enumerate(description.kernels):
            if not kernel.links:
                continue
            words = {(x, y): [0, 0] for x in range(description.grid[0]) for y in range(description.grid[1])}
            for item in links:
                if (item.kernel, item.chip) == (number, chip):
                    words[item.node] = list(item.first_args)
                    for way in item.connections:
                        core = ttnn.CoreCoord(*item.node)
                        words[item.node] += ttnn.setup_fabric_connection(
                            nodes[chip], nodes[way.towards], way.channel, program, core
                        )
            arguments = ttnn.RuntimeArgs()
            for (x, y), given in words.items():
                arguments[x][y] = given
            program.kernels[number].runtime_args = arguments
        descriptor[ttnn.MeshCoordinateRange(place, place)] = program
    return MeshProgram(descriptor=descriptor, semaphores=semaphores)


@dataclass(frozen=True, slots=True)
class MeshProgram:
    """The program of a mesh, with its global semaphores, which must exist until the program has ended."""

    descriptor: Any
    semaphores: dict[str, Any]


def build_program(
    ttnn: Any, description: ProgramDescription, tensors: Sequence[Any], mesh: MeshNumbers | None = None
) -> Any:
    """The ``ttnn.ProgramDescriptor`` for tensors of a device or a chip of a mesh, in the order of the description."""
    cores = _cores(ttnn, description)
    named = {entry.name: tensor for entry, tensor in zip(description.tensors, tensors, strict=True)}
    program = ttnn.ProgramDescriptor(
        kernels=[_kernel(ttnn, kernel, description, cores, named, mesh) for kernel in description.kernels],
        cbs=_circular_buffers(ttnn, description.circular_buffers, cores, named),
        semaphores=[
            ttnn.SemaphoreDescriptor(id=semaphore.id, core_ranges=cores, initial_value=semaphore.initial)
            for semaphore in description.semaphores
        ],
    )
    words = [kernel.compile_time_args for kernel in program.kernels]
    program.custom_program_hash = program_hash(description, words)
    return program


def _cores(ttnn: Any, description: ProgramDescription) -> Any:
    columns, rows = description.grid
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(columns - 1, rows - 1))])


def program_hash(description: ProgramDescription, words: Sequence[Sequence[int]] = ()) -> int:
    """Return a hash of a program: 64 bits, the same in every process.

    ``words`` are the compile-time arguments of the kernels, which depend on the tensors. Addresses are not part of it.
    """
    text = to_json(description) + repr([list(word) for word in words])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def common_args(
    kernel: KernelDescription, named: dict[str, Any], mesh: MeshNumbers | None = None
) -> list[int]:
    """The common arguments of a kernel for these tensors, on one chip of a mesh."""
    if not kernel.common_args:
        return []
    device = next(iter(named.values())).device()
    return resolve(
        kernel.common_args,
        address=lambda name: int(named[name].buffer_address()),
        node=lambda x, y: _on_network(device, x, y),
        mesh=mesh,
    )


def _on_network(device: Any, x: int, y: int) -> tuple[int, int]:
    # The type CoreCoord of the real library is taken from the grid's corner, because the library itself is not
    # available.
    corner = device.compute_with_storage_grid_size()
    core = device.worker_core_from_logical_core(type(corner)(x, y))
    return core.x, core.y


def _kernel(
    ttnn: Any,
    kernel: KernelDescription,
    description: ProgramDescription,
    cores: Any,
    named: dict[str, Any],
    mesh: MeshNumbers | None = None,
) -> Any:
    words: list[int] = []
    for name in kernel.accessors:
        words += ttnn.TensorAccessorArgs(named[name]).get_compile_time_args()
    return ttnn.KernelDescriptor(
        kernel_source=kernel.source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=words,
        defines=list(kernel.defines),
        common_runtime_args=common_args(kernel, named, mesh),
        config=_movement(ttnn, kernel, description)
        if kernel.config is None
        else _compute(ttnn, kernel.config, description),
    )


def _movement(ttnn: Any, kernel: KernelDescription, description: ProgramDescription) -> Any:
    assert kernel.processor is not None and kernel.noc is not None
    mode = {"noc_mode": getattr(ttnn.NOC_MODE, SHARED_NOC)} if description.shares_noc else {}
    return ttnn.DataMovementConfigDescriptor(
        processor=getattr(ttnn.DataMovementProcessor, PROCESSORS[kernel.processor]),
        noc=getattr(ttnn.NOC, f"NOC_{kernel.noc}"),
        **mode,
    )


def _compute(ttnn: Any, config: ComputeConfig, description: ProgramDescription) -> Any:
    result = ttnn.ComputeConfigDescriptor(
        math_fidelity=getattr(ttnn.MathFidelity, config.math_fidelity),
        math_approx_mode=config.math_approx_mode,
        fp32_dest_acc_en=config.fp32_dest_acc_en,
        dst_full_sync_en=config.dst_full_sync_en,
    )
    if config.unpack_to_dest_fp32:
        modes = [ttnn.UnpackToDestMode.Default] * MODES_OF_BUFFERS
        for name in config.unpack_to_dest_fp32:
            modes[description.circular_buffer(name).index] = ttnn.UnpackToDestMode.UnpackToDestFp32
        result.unpack_to_dest_mode = modes
    return result


def _circular_buffers(
    ttnn: Any, buffers: Sequence[CircularBufferDescription], cores: Any, named: dict[str, Any]
) -> list[Any]:
    return [
        ttnn.CBDescriptor(
            total_size=buffer.nbytes,
            core_ranges=cores,
            format_descriptors=[
                _format(ttnn, item) for item in buffers if item is buffer or item.shares == buffer.name
            ],
        )
        if buffer.memory is None
        else ttnn.cb_descriptor_from_sharded_tensor(
            buffer.index,
            named[buffer.memory],
            address_offset=buffer.byte_offset,
            total_size=buffer.nbytes,
            core_ranges=cores,
        )
        for buffer in buffers
        if buffer.shares is None
    ]


def _format(ttnn: Any, buffer: CircularBufferDescription) -> Any:
    tile = () if buffer.tile == WHOLE_TILE else (ttnn.TileDescriptor(*buffer.tile),)
    return ttnn.CBFormatDescriptor(buffer.index, getattr(ttnn, buffer.dtype), buffer.page_bytes, *tile)
