"""Devices and meshes of devices. They hold no data here: a device is a chip, an id and whether it is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from itertools import count, product
from typing import Any, cast

from ttl.arch import Chip, all_chips
from ttl.arch.systems import MOST_CHIPS, System, ideal
from ttl.host.calling import Capture, public
from ttl.host.coordinates import FabricNodeId, MeshShape, position
from ttl.host.cores import CoreCoord, CoreGrid, core
from ttl.host.errors import Code, MissingNameError, describe, fail, placed
from ttl.host.names import missing, nearest
from ttl.host.shape import extents_of
from ttl.session import Part
from ttl.settings import current_chip, current_system

__all__ = (
    "Arch", "CloseDevice", "CloseDevices", "CreateDevice", "CreateDevices", "Device", "GetDefaultDevice",
    "GetNumAvailableDevices", "GetNumPCIeDevices", "MeshDevice", "ReadDeviceProfiler", "SetDefaultDevice",
    "close_device", "close_mesh_device", "create_mesh_device", "get_arch_name", "get_device_ids", "get_dram_alignment",
    "get_l1_alignment", "get_max_worker_l1_unreserved_size", "get_num_devices", "get_num_pcie_devices", "manage_device",
    "open_device", "open_mesh_device", "synchronize_device",
)  # fmt: skip

# The number of devices of a simulated machine without a chosen system: one box of two rows of four.
SIMULATED_DEVICES = 8
# Options for opening a device, without effect on results.
_OPTIONS = (
    "num_command_queues", "dispatch_core_config", "worker_l1_size", "l1_small_size", "trace_region_size",
)  # fmt: skip


Arch: Any = cast("Any", StrEnum)("Arch", {chip.arch.upper(): chip.arch for chip in all_chips()})
Arch.__doc__ = "Architecture of a chip, under TT-NN's names."


class Device:
    """One chip. ``open_device`` makes it; ``close_device`` ends the life of the tensors on it."""

    __slots__ = (
        "_chip", "_ids", "_open", "_places", "_system", "_trace_numbers", "_traces", "claims", "kept_bytes", "shape",
    )  # fmt: skip

    def __init__(
        self,
        ids: tuple[int, ...],
        shape: MeshShape,
        chip: Chip,
        system: System | None = None,
        places: tuple[int, ...] | None = None,
    ) -> None:
        self._ids = ids
        self._open = True
        self._chip = chip
        # The chosen system that the device is, or is part of, and its chips there; without a system ``_ids``.
        self._system = system
        self._places = ids if places is None else places
        # Traces by number.
        self._traces: dict[int, Capture] = {}
        self._trace_numbers = count()
        self.shape = shape
        # The bytes of a node's L1 that are kept across launches.
        self.kept_bytes = 0
        # The allocation of the banks, by tensor, for tensors whose address was requested.
        self.claims: list[Any] = []

    def _links(self) -> tuple[System, tuple[int, ...]]:
        """The system of the device's chips, and the chip at each place of the mesh, row by row.

        Without a chosen system, an ideal mesh of this shape.
        """
        if self._system is not None:
            return self._system, self._places
        rows = self.shape[0] if len(self.shape) == 2 else 1
        count = len(self._ids)
        return ideal(self._chip, (rows, count // rows)), tuple(range(count))

    def _close(self) -> None:
        self._open = False

    def id(self) -> int:
        """Number of the (first) device."""
        return self._ids[0]

    def arch(self) -> StrEnum:
        """Architecture of its chip."""
        architecture: StrEnum = Arch(self._chip.arch)
        return architecture

    def is_open(self) -> bool:
        """Whether the device has not been closed."""
        return self._open

    def get_num_devices(self) -> int:
        """How many chips."""
        return len(self._ids)

    def get_device_ids(self) -> list[int]:
        """Numbers of the chips, row by row of the mesh."""
        return list(self._ids)

    def compute_with_storage_grid_size(self) -> CoreCoord:
        """Columns (``x``) and rows (``y``) of the cores a program may use."""
        return CoreCoord(*self._chip.grid)

    def worker_core_from_logical_core(self, logical_core: CoreCoord) -> CoreCoord:
        """The network coordinates of a core of the grid, which kernels write to and read from."""
        x, y = core(logical_core)
        plan, (columns, rows) = self._chip.floorplan, self._chip.grid
        if not (0 <= x < columns and 0 <= y < rows):
            fail(Code.CORES, f"there is no core ({x}, {y}): the grid has {columns} columns and {rows} rows")
        return CoreCoord(plan.translated_columns[x], plan.translated_rows[y])

    @property
    def core_grid(self) -> Any:
        """Columns and rows of the cores a program may use, as a ``ttnn.CoreGrid``."""
        return CoreGrid(x=self._chip.grid[0], y=self._chip.grid[1])

    def l1_size_per_core(self) -> int:
        """Bytes of L1 of one core, all of it."""
        return self._chip.l1_bytes

    def num_program_cache_entries(self) -> int:
        """How many programs are cached: none, they are not compiled for a card."""
        return 0

    def clear_program_cache(self) -> None:
        """Accepted; has no effect on results."""

    def set_program_cache_misses_allowed(self, allowed: bool) -> None:
        """Accepted; has no effect on results."""

    def get_device_id(self, coordinate: Any = None) -> int:
        """Number of the device at a coordinate of the mesh; of the first one without."""
        return self._ids[0 if coordinate is None else coordinate[0] * self.shape[-1] + coordinate[-1]]

    def get_fabric_node_id(self, coord: Any) -> FabricNodeId:
        """The name, in packets between chips, of the chip at a coordinate of the mesh."""
        system, places = self._links()
        result = FabricNodeId(0, places[position(self.shape, coord, "MeshDevice.get_fabric_node_id")])
        result.system = system
        return result

    def dram_grid_size(self) -> CoreCoord:
        """One row with a column for each DRAM channel."""
        return CoreCoord(self._chip.dram.channels, 1)

    def enable_program_cache(self) -> None:
        """Accepted; programs are always cached."""

    def disable_and_clear_program_cache(self) -> None:
        """Accepted; has no effect on results."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        near = nearest(name, [other for other in dir(type(self)) if not other.startswith("_")])
        raise MissingNameError(placed(Code.UNKNOWN_NAME, f"a device has no attribute '{name}'", help=near))

    def __repr__(self) -> str:
        state = "" if self._open else ", closed"
        return f"Device(id={self._ids[0]}, arch={self.arch()}{state})"


class MeshDevice(Device):
    """Several chips in a row-major mesh. A tensor on it has one shard per chip."""

    __slots__ = ("_parts",)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._parts: list[MeshDevice] = []

    def create_submesh(self, submesh_shape: Any, offset: Any = None) -> MeshDevice:
        """A rectangle of its devices as a mesh of its own, its first device at ``offset``. It is closed with this one."""
        shape = MeshShape(submesh_shape)
        first = (0,) * len(self.shape) if offset is None else extents_of(offset, "an offset of a submesh")
        if not len(shape) == len(first) == len(self.shape) or any(
            begin + extent > whole for begin, extent, whole in zip(first, shape, self.shape, strict=True)
        ):
            fail(
                Code.MESH,
                f"a mesh of shape {tuple(self.shape)} has no part of shape {tuple(shape)} at {tuple(first)}",
                help="offset and shape together stay within each extent of the mesh",
            )
        system, places = self._links()
        corners = [range(begin, begin + extent) for begin, extent in zip(first, shape, strict=True)]
        numbers = [position(self.shape, at, "MeshDevice.create_submesh") for at in product(*corners)]
        ids, parts = (tuple(of[number] for number in numbers) for of in (self._ids, places))
        self._parts.append(MeshDevice(ids, shape, self._chip, system, parts))
        return self._parts[-1]

    def create_submeshes(self, submesh_shape: Any) -> list[MeshDevice]:
        """The whole mesh in parts of one shape, row by row."""
        shape = MeshShape(submesh_shape)
        if len(shape) != len(self.shape) or any(
            whole % extent for whole, extent in zip(self.shape, shape, strict=True)
        ):
            fail(
                Code.MESH,
                f"a mesh of shape {tuple(self.shape)} is not a whole number of parts of shape {tuple(shape)}",
                help="each extent of the mesh is a multiple of the part's",
            )
        corners = product(*(range(0, whole, extent) for whole, extent in zip(self.shape, shape, strict=True)))
        return [self.create_submesh(shape, corner) for corner in corners]

    def get_submeshes(self) -> list[MeshDevice]:
        """The parts that were made of it."""
        return list(self._parts)

    def reshape(self, new_shape: Any) -> None:
        """Another shape for the same devices, in the same order."""
        shape = MeshShape(new_shape)
        if shape.mesh_size() != len(self._ids):
            fail(
                Code.MESH,
                f"a mesh of shape {tuple(shape)} has {shape.mesh_size()} devices, and this one has {len(self._ids)}",
            )
        if self._system is None:
            self._system, self._places = self._links()
        self.shape = shape

    def _close(self) -> None:
        self._open = False
        for part in self._parts:
            part._close()

    def __repr__(self) -> str:
        state = "" if self._open else ", closed"
        return f"MeshDevice({list(self.shape)}, arch={self.arch()}{state})"


def checked_device(value: Any) -> Device:
    """A user's device, or an error if it is not a device (TTL1004) or closed (TTL1010)."""
    if not isinstance(value, Device):
        fail(
            Code.WRONG_KIND,
            f"a device comes from ttnn.open_device or ttnn.open_mesh_device; this is {describe(value)}",
        )
    if not value._open:
        fail(Code.CLOSED, f"device {value.id()} is closed", help="close it after its last use")
    return value


@public(*_OPTIONS)
def open_device(device_id: int = 0) -> Device:
    """Open one device. Its chip is the one that the settings choose (``TTL_ARCH``, ``--arch``; ``TTL_SYSTEM``, ``--system``)."""
    count = get_num_devices()
    if not isinstance(device_id, int) or not 0 <= device_id < count:
        fail(
            Code.NO_DEVICE,
            f"there is no device {describe(device_id)}",
            help=f"devices are 0 to {count - 1}" if count > 1 else "the only device is 0",
        )
    return Device((device_id,), MeshShape(1, 1), current_chip(), current_system())


@public(*_OPTIONS)
def open_mesh_device(
    mesh_shape: Any = None, physical_device_ids: Any = None, offset: Any = None
) -> MeshDevice:
    """Open a mesh of devices; by default all devices.

    Where a system was chosen (``TTL_SYSTEM``, ``--system``), its chips can be opened as a corner of it, as a part that begins at
    ``offset``, turned by a quarter, or as a line of neighbours. Where none was, any shape of up to 4,096 devices can be simulated.
    """
    system = current_system()
    shape = MeshShape(_whole(system) if mesh_shape is None else mesh_shape)
    if shape.mesh_size() > MOST_CHIPS:
        fail(
            Code.NO_DEVICE,
            f"a mesh of shape {tuple(shape)} has {shape.mesh_size():,} devices",
            help=f"a mesh has {MOST_CHIPS:,} devices at most",
        )
    if physical_device_ids:
        ids = tuple(physical_device_ids)
        if len(ids) != shape.mesh_size():
            fail(
                Code.NO_DEVICE,
                f"a mesh of shape {tuple(shape)} has {shape.mesh_size()} devices, but {len(ids)} ids are given",
            )
        if system is not None and (set(ids) - set(range(system.chips)) or len(set(ids)) < len(ids)):
            fail(
                Code.NO_DEVICE,
                f"{system.title} does not have the devices {list(ids)}",
                help=f"its devices are 0 to {system.chips - 1}, each once",
            )
    elif system is None:
        ids = tuple(range(shape.mesh_size()))
    else:
        ids = _placed(system, shape, (0, 0) if offset is None else offset)
    return MeshDevice(ids, shape, current_chip(), system)


def _whole(system: System | None) -> tuple[int, int]:
    return (1, SIMULATED_DEVICES) if system is None else system.shape


def _placed(system: System, shape: MeshShape, offset: Any) -> tuple[int, ...]:
    """Return the chips of a mesh of that shape in a system, the first one at ``offset``."""
    first = extents_of(offset, "an offset of a mesh")
    placed = system.placed(shape, first)
    if placed is None:
        rows, columns = system.shape
        behind = f" at {tuple(first)}" if any(first) else ""
        fail(
            Code.NO_DEVICE,
            f"{system.title} has no mesh of shape {tuple(shape)}{behind}: it has {system.chips} {'device' if system.chips == 1 else 'devices'} as {rows}x{columns}",
            help=(
                f"open up to {rows}x{columns}, turned or not, or a line of up to {system.chips}",
                "without a system (--system, TTL_SYSTEM) a mesh of any shape is simulated",
            ),
        )
    return placed


@public()
def close_device(device: Device) -> None:
    """Close a device. Tensors on it can no longer be used."""
    checked_device(device)._close()


@public()
def close_mesh_device(mesh_device: Device) -> None:
    """Close a mesh of devices and its parts. Tensors on it can no longer be used."""
    device = checked_device(mesh_device)
    device._close()


@public("cq_id", "sub_device_ids")
def synchronize_device(device: Device) -> None:
    """Wait until the device has done everything. Operations here have always ended already."""
    checked_device(device)


@public()
@contextmanager
def manage_device(device_id: int = 0) -> Iterator[Device]:
    """``with ttnn.manage_device(0) as device``: open, and close at the end."""
    device = open_device(device_id)
    try:
        yield device
    finally:
        device._close()


@public()
@contextmanager
def create_mesh_device(mesh_shape: Any, **options: Any) -> Iterator[MeshDevice]:
    """``with ttnn.create_mesh_device(shape) as mesh``: open, and close at the end."""
    device = open_mesh_device(mesh_shape, **options)
    try:
        yield device
    finally:
        device._close()


CreateDevice = open_device
CloseDevice = close_device


@public(*_OPTIONS)
def CreateDevices(device_ids: Any) -> dict[int, Device]:
    """Open several devices, by their numbers."""
    return {number: open_device(number) for number in device_ids}


@public()
def CloseDevices(devices: Any) -> None:
    """Close several devices: a dictionary as ``CreateDevices`` returns it, or a sequence."""
    for device in devices.values() if isinstance(devices, dict) else devices:
        close_device(device)


_DEFAULT: Part[Device | None] = Part(lambda: None)


@public()
def SetDefaultDevice(device: Device | None) -> None:
    """Remember a device for ``GetDefaultDevice``. Tensors are still put on the devices that calls name."""
    _DEFAULT.set(None if device is None else checked_device(device))


@public()
def GetDefaultDevice() -> Device | None:
    """The device of the last ``SetDefaultDevice``."""
    return _DEFAULT.get()


@public()
def get_max_worker_l1_unreserved_size() -> int:
    """Bytes of L1 of one core that the runtime leaves to programs: dataflow buffers may take as many together."""
    return current_chip().l1_available_bytes


@public()
def get_l1_alignment() -> int:
    """Alignment of addresses in L1, in bytes."""
    return current_chip().l1_alignment


@public()
def get_dram_alignment() -> int:
    """Alignment of addresses in DRAM, in bytes."""
    return current_chip().dram_read_alignment


@public()
def ReadDeviceProfiler(device: Device) -> None:
    """Accepted: there is no profiler on simulated devices. ``ttl run --target emu --profile`` counts cycles."""
    checked_device(device)


def get_num_devices() -> int:
    """How many devices there are: the chips of the system that was chosen."""
    system = current_system()
    return SIMULATED_DEVICES if system is None else system.chips


GetNumAvailableDevices = GetNumPCIeDevices = get_num_pcie_devices = get_num_devices


def get_device_ids() -> list[int]:
    """Numbers of the devices."""
    return list(range(get_num_devices()))


def get_arch_name() -> str:
    """Architecture of the simulated chips, under TT-NN's name."""
    return current_chip().arch


def _is_of(arch: str, device: Device | None = None) -> bool:
    """Whether the chip is of an architecture: ``ttnn.device.is_ARCH(device)``."""
    return bool((device.arch() if device is not None else get_arch_name()) == arch)


def __getattr__(name: str) -> Any:
    """``ttnn.device.x``: this module is ``ttnn.device``, too."""
    if name.startswith("__"):
        raise AttributeError(name)
    if (arch := name.removeprefix("is_")) != name and arch in set(Arch):
        return partial(_is_of, arch)
    known = [other for other in globals() if not other.startswith("_")]
    raise MissingNameError(missing("ttnn.device", name, known))
