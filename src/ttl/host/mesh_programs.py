"""Programs for several chips: one for each part of a mesh, connections to the links between chips, global semaphores.

Names, arguments and their order are those of the real library (releases 0.69 and 0.81).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from ttl.arch.systems import System
from ttl.host.access import chip_of
from ttl.host.calling import checked, public
from ttl.host.coordinates import FabricNodeId, MeshCoordinateRange
from ttl.host.cores import CoreCoord, CoreRange, CoreRangeSet, core
from ttl.host.descriptors import CoreType, ProgramDescriptor, SemaphoreDescriptor, word
from ttl.host.device import Device, checked_device
from ttl.host.errors import Code, describe, fail
from ttl.host.fabric import FabricConfig, ethernet, get_fabric_config
from ttl.host.memory import BufferType

__all__ = (
    "MeshProgramDescriptor",
    "create_global_semaphore", "get_global_semaphore_address", "get_tt_fabric_max_payload_size_bytes",
    "get_tt_fabric_packet_header_size_bytes",
    "reset_global_semaphore_value", "setup_fabric_connection",
)  # fmt: skip

LINK_SHIFT = 16
"""The first bit of the number of the link, in the word that names a connection to a kernel.

The lower bits are the number of the chip to which the link leads.
"""


@checked
class MeshProgramDescriptor:
    """A program for each part of a mesh: ``descriptor[range] = program``. No device is in two parts."""

    def __init__(self, mesh_programs: Any = None) -> None:
        self._programs: dict[MeshCoordinateRange, ProgramDescriptor] = {}
        given = {} if mesh_programs is None else mesh_programs
        if not isinstance(given, Mapping):
            fail(
                Code.WRONG_KIND,
                f"ttnn.MeshProgramDescriptor takes a dict of ranges and programs, not {describe(given)}",
            )
        for where, program in given.items():
            self[where] = program

    def __setitem__(self, where: Any, program: Any) -> None:
        if not isinstance(where, MeshCoordinateRange) or not isinstance(program, ProgramDescriptor):
            fail(
                Code.WRONG_KIND,
                "a part of a ttnn.MeshProgramDescriptor is a ttnn.MeshCoordinateRange with a ttnn.ProgramDescriptor, "
                f"not {describe(where)} with {describe(program)}",
            )
        self._programs[where] = program

    def __getitem__(self, where: Any) -> ProgramDescriptor:
        if where not in self._programs:
            fail(
                Code.INDEX,
                f"a ttnn.MeshProgramDescriptor has no program for {describe(where)}",
                help=f"it has programs for {list(self._programs)}",
            )
        return self._programs[where]

    def parts(self) -> tuple[tuple[MeshCoordinateRange, ProgramDescriptor], ...]:
        """The parts with their programs, in the order in which they were given."""
        return tuple(self._programs.items())


def links_of(device: Device) -> tuple[System, tuple[int, ...]]:
    """Return the system of a device, and the system's chips that the devices of the mesh are."""
    return device._links()


@public()
def setup_fabric_connection(
    src_fabric_node_id: FabricNodeId,
    dst_fabric_node_id: FabricNodeId,
    link_idx: int,
    program_descriptor: ProgramDescriptor,
    worker_core: Any,
    core_type: CoreType = CoreType.WORKER,
) -> list[int]:
    """The run-time arguments of a connection from a core to the link that leads towards a chip; the program gets the semaphores it needs.

    A kernel builds the connection from them: ``WorkerToFabricEdmSender::build_from_args``.
    """
    for node in (src_fabric_node_id, dst_fabric_node_id):
        if not isinstance(node, FabricNodeId):
            fail(Code.WRONG_KIND, f"ttnn.setup_fabric_connection takes ttnn.FabricNodeId, not {describe(node)}",
                 help="mesh_device.get_fabric_node_id(ttnn.MeshCoordinate(row, column)) says which a device is")  # fmt: skip
    if not isinstance(program_descriptor, ProgramDescriptor):
        fail(
            Code.WRONG_KIND,
            f"ttnn.setup_fabric_connection: the program is a ttnn.ProgramDescriptor, not {describe(program_descriptor)}",
        )
    if core_type is not CoreType.WORKER:
        fail(
            Code.UNSUPPORTED, f"ttnn.setup_fabric_connection: kernels run on workers here, not on {core_type}"
        )
    source, target, link = src_fabric_node_id.chip_id, dst_fabric_node_id.chip_id, word(link_idx, "link_idx")
    at, system = core(worker_core), src_fabric_node_id.system or dst_fabric_node_id.system
    if source == target:
        fail(Code.LINKS, f"ttnn.setup_fabric_connection: chip {source} needs no link to itself")
    if system is not None:
        if max(source, target) >= system.chips:
            fail(
                Code.LINKS, f"ttnn.setup_fabric_connection: there is no chip {max(source, target)}",
                help=f"{system.title} has chips 0 to {system.chips - 1}",
            )  # fmt: skip
        if link >= system.channels:
            fail(
                Code.LINKS, f"ttnn.setup_fabric_connection: there is no link {link} from chip {source} towards chip {target}",
                help=f"neighbours in {system.title} are joined by {system.channels}: links 0 to {system.channels - 1}",
            )  # fmt: skip
    taken = {item.id for item in program_descriptor.semaphores if at in set(item.core_ranges.cores())}
    free = [number for number in range(max(taken, default=0) + 3) if number not in taken][:2]
    cores = CoreRangeSet([CoreRange(at, at)])
    program_descriptor.semaphores = [
        *program_descriptor.semaphores,
        *(SemaphoreDescriptor(number, CoreType.WORKER, cores, 0) for number in free),
    ]
    return [target | link << LINK_SHIFT, *free]


@public()
def get_tt_fabric_packet_header_size_bytes() -> int:
    """Bytes of the header of a packet of the fabric that was set up (``ttnn.set_fabric_config``). Raises ``ProgramError`` TTL1031 without one."""
    config = get_fabric_config()
    if config is FabricConfig.DISABLED:
        fail(
            Code.LINKS,
            "ttnn.get_tt_fabric_packet_header_size_bytes: no fabric is set up",
            help="ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_2D) before a mesh is opened",
        )
    return ethernet().header_bytes[config.name.startswith("FABRIC_2D")]


@public()
def get_tt_fabric_max_payload_size_bytes() -> int:
    """The most bytes that a packet carries from chip to chip."""
    return ethernet().packet_bytes


class GlobalSemaphore:
    """A word at one address of the L1 of some cores of every device of a mesh: it outlives programs. ``create_global_semaphore`` makes it."""

    __slots__ = ("__weakref__", "address", "cores", "device", "values")

    def __init__(self, device: Device, cores: tuple[CoreCoord, ...], value: int) -> None:
        self.device, self.cores = device, cores
        self.values = np.full((len(device._ids), len(cores)), value, np.uint32)
        """The values, by device and core."""
        self.address = 0

    def is_allocated(self) -> bool:
        """Whether it has not been deallocated."""
        return True

    def __repr__(self) -> str:
        return f"GlobalSemaphore(address={self.address:#x}, cores={len(self.cores)})"


@public()
def create_global_semaphore(
    mesh_device: Device, cores: CoreRangeSet, initial_value: int, buffer_type: BufferType = BufferType.L1
) -> GlobalSemaphore:
    """A semaphore at one address on the cores of all devices of a mesh, which has its value from program to program."""
    device = checked_device(mesh_device)
    if not isinstance(cores, CoreRangeSet):
        fail(
            Code.WRONG_KIND,
            f"ttnn.create_global_semaphore: cores are a ttnn.CoreRangeSet, not {describe(cores)}",
        )
    if buffer_type is not BufferType.L1:
        fail(Code.UNSUPPORTED, f"ttnn.create_global_semaphore: semaphores are in L1, not in {buffer_type}")
    columns, rows = chip_of(device).grid
    places = tuple(cores.cores())
    if not places or any(at.x >= columns or at.y >= rows for at in places):
        fail(
            Code.PROGRAM_SEMAPHORES, f"ttnn.create_global_semaphore: {cores} are not cores of a grid with {columns} columns and {rows} rows"
        )  # fmt: skip
    semaphore = GlobalSemaphore(device, places, word(initial_value, "initial_value"))
    semaphore.address = import_module("ttl.emu.generic").claim_word(device, semaphore)
    return semaphore


def _semaphore(value: Any, function: str) -> GlobalSemaphore:
    if not isinstance(value, GlobalSemaphore):
        fail(
            Code.WRONG_KIND, f"ttnn.{function} takes what ttnn.create_global_semaphore gave, not {describe(value)}"
        )  # fmt: skip
    return value


@public()
def get_global_semaphore_address(global_semaphore: GlobalSemaphore) -> int:
    """Return the semaphore's address in the L1 of each core."""
    return _semaphore(global_semaphore, "get_global_semaphore_address").address


@public()
def reset_global_semaphore_value(global_semaphore: GlobalSemaphore, reset_value: int) -> None:
    """Set the value on all cores of all devices."""
    _semaphore(global_semaphore, "reset_global_semaphore_value").values[:] = word(reset_value, "reset_value")
