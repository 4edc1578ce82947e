"""``tt.ir``: the attributes and types of the ``tt`` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr as XdslArray
from xdsl.dialects.builtin import IntegerAttr as XdslInteger
from xdsl.dialects.builtin import i32

from tt_model.attributes import memory, tt, tt_system
from tt_model.attributes.memory import type_of_memref
from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.elements import TileRecord
from tt_model.layouts.enums import (
    Arch,
    ChipCapability,
    DataType,
    IteratorType,
    MemorySpace,
    OOBVal,
    OperandConstraint,
    ShardDirection,
    ShardType,
    TensorMemoryLayout,
)
from tt_model.layouts.known_systems import default_system
from tt_model.layouts.layout import Grid, LayoutRecord
from tt_model.layouts.system_desc import (
    CHIP_NUMBERS,
    ChipChannel,
    ChipCoord,
    ChipDesc,
    PhysicalCores,
    SystemRecord,
)
from ttl.source.public_names import known_as
from ttmlir.bindings.affine import AffineMap
from ttmlir.bindings.dialect_attributes import (
    DialectAttribute,
    PartField,
    PartsField,
    RecordField,
    data_of,
    enumeration,
    integers_of,
    map_of,
    member,
    plain,
    refusing,
    type_of,
)
from ttmlir.bindings.scope import Attribute, Context, Type, wrap_attribute, wrap_type

ArchAttr = enumeration("ArchAttr", tt.ArchAttr, Arch, "arch_as_int", "A generation of chips.")
MemorySpaceAttr = enumeration(
    "MemorySpaceAttr", memory.MemorySpaceAttr, MemorySpace, "memory_space_as_int", "Where a tensor lies."
)
OOBValAttr = enumeration("OOBValAttr", tt.OOBValAttr, OOBVal, "oob_val_as_int", "What padding holds.")
TensorMemoryLayoutAttr = enumeration(
    "TensorMemoryLayoutAttr",
    tt.TensorMemoryLayoutAttr,
    TensorMemoryLayout,
    "mem_layout_as_int",
    "How shards are spread.",
)
IteratorTypeAttr = enumeration(
    "IteratorTypeAttr", tt.IteratorTypeAttr, IteratorType, "iterator_type_as_int", "What a dimension is."
)
ShardTypeAttr = enumeration(
    "ShardTypeAttr", tt.ShardTypeAttr, ShardType, "shard_type_as_int", "Which part of a tensor each chip has."
)
ShardDirectionAttr = enumeration(
    "ShardDirectionAttr",
    tt.ShardDirectionAttr,
    ShardDirection,
    "shard_direction_as_int",
    "Whether a tensor is cut into parts or joined.",
)
DataTypeAttr = enumeration(
    "DataTypeAttr", tt.DataTypeAttr, DataType, "data_type_as_int", "The type in which elements are stored."
)


class ChipCapabilityAttr(DialectAttribute):
    """The connections of a chip to its host; text writes the number."""

    OF = XdslInteger

    @staticmethod
    def get(ctx: Context, capability: int) -> Attribute:
        return wrap_attribute(XdslInteger(int(capability), i32), ctx)

    @property
    def capability_as_int(self) -> int:
        return int(self._xdsl.value.data)


@known_as("OperandConstraintAttr")
class OperandConstraintAttrHandle(DialectAttribute):
    """The places that an operand may have."""

    OF = tt.OperandConstraintAttr

    @staticmethod
    def get(ctx: Context, constraint: int | Sequence[Any]) -> Attribute:
        """Return one constraint; for a list of constraints the array attribute."""
        if isinstance(constraint, Sequence):
            return wrap_attribute(XdslArray([type_of(one) for one in constraint]), ctx)
        return wrap_attribute(tt.OperandConstraintAttr(OperandConstraint(int(constraint))), ctx)

    @property
    def operand_constraint_as_int(self) -> int:
        return int(self.data)


OperandConstraintAttr = OperandConstraintAttrHandle


@known_as("GridAttr")
class GridAttrHandle(DialectAttribute):
    """A grid of cores."""

    OF = tt.GridAttr

    @staticmethod
    def get(ctx: Context, shape: Sequence[int]) -> Attribute:
        return wrap_attribute(tt.GridAttr(Grid(integers_of(shape))), ctx)

    shape = RecordField(list[int])


GridAttr = GridAttrHandle


@known_as("LayoutAttr")
class LayoutAttrHandle(DialectAttribute):
    """``#tt.layout``: how a tensor is divided over a grid and lies in memory."""

    OF = tt.TTLayoutAttr

    @staticmethod
    def get(
        ctx: Context,
        ranked_tensor_type: Type,
        memory_space: int = MemorySpace.System,
        grid: Any = None,
        collapse_intervals: Sequence[tuple[int, int]] = ((0, -1),),
        oob_val: int = OOBVal.Undef,
        memory_layout: int = TensorMemoryLayout.None_,
    ) -> Attribute:
        """The layout of a tensor type. Raises ``ValueError`` if it has no layout."""
        tensor = ranked_tensor_type.xdsl
        layout = refusing(
            LayoutRecord.make,
            tuple(tensor.get_shape()),
            _element(tensor.element_type),
            member(MemorySpace, memory_space),
            () if grid is None else data_of(grid, tt.GridAttr, "a tt.grid").shape,
            member(TensorMemoryLayout, memory_layout),
            collapse=_intervals(collapse_intervals),
            oob=member(OOBVal, oob_val),
        )
        return wrap_attribute(tt.TTLayoutAttr(layout), ctx)

    @staticmethod
    def with_grid(
        ctx: Context,
        self: Any,
        tensor_shape: Sequence[int],
        grid: Any,
        collapse_intervals: Sequence[tuple[int, int]] = ((0, -1),),
    ) -> Attribute:
        """Return the layout of the same tensor on another grid."""
        layout = refusing(
            data_of(self, tt.TTLayoutAttr, "a tt.layout").with_grid,
            integers_of(tensor_shape),
            data_of(grid, tt.GridAttr, "a tt.grid").shape,
            _intervals(collapse_intervals),
        )
        return wrap_attribute(tt.TTLayoutAttr(layout), ctx)

    @staticmethod
    def with_grid_(
        ctx: Context,
        self: Any,
        tensor_shape: Sequence[int],
        grid: Any,
        collapse_intervals: Sequence[tuple[int, int]] = ((0, -1),),
    ) -> LayoutAttr:
        """``with_grid`` as an object of this class."""
        return LayoutAttr(LayoutAttr.with_grid(ctx, self, tensor_shape, grid, collapse_intervals).xdsl, ctx)

    @staticmethod
    def with_element_type(ctx: Context, self: Any, element_type: Any) -> Attribute:
        """Return the layout with other elements in the same shards: a scalar type or a tile."""
        layout = data_of(self, tt.TTLayoutAttr, "a tt.layout")
        changed = refusing(layout.with_element, _element(type_of(element_type)))
        return wrap_attribute(tt.TTLayoutAttr(changed), ctx)

    @staticmethod
    def with_element_type_(ctx: Context, self: Any, element_type: Any) -> LayoutAttr:
        """``with_element_type`` as an object of this class."""
        return LayoutAttr(LayoutAttr.with_element_type(ctx, self, element_type).xdsl, ctx)

    @staticmethod
    def getLayout(type: Type) -> LayoutAttr | None:
        """The layout of a tensor type, or None."""
        encoding = getattr(type.xdsl, "encoding", None)
        return LayoutAttr(encoding, type.context) if isinstance(encoding, tt.TTLayoutAttr) else None

    def wrapped(self) -> Attribute:
        """The plain attribute."""
        return wrap_attribute(self._xdsl, self.context)

    def stride(self, logical_shape: Sequence[int]) -> list[int]:
        """Return the scalars that a step along each dimension of the tensor skips."""
        return list(refusing(self.data.stride, integers_of(logical_shape)))

    oobval = RecordField(OOBVal, "oob")
    oobval_as_int = RecordField(int, "oob")

    grid_attr = PartField(GridAttr, "grid")

    @property
    def memref(self) -> Type:
        return wrap_type(type_of_memref(self.data.memref), self.context)

    memory_space = RecordField(MemorySpace)
    memory_space_as_int = RecordField(int, "memory_space")
    shard_shape = RecordField(list[int], "scalar_shard_shape")
    memory_layout = RecordField(TensorMemoryLayout)
    memory_layout_as_int = RecordField(int, "memory_layout")


LayoutAttr = LayoutAttrHandle


def _element(xdsl: Any) -> Any:
    """The element of a layout: a tile's record, or a scalar type."""
    return xdsl.data if isinstance(xdsl, memory.TTTileType) else xdsl


def _intervals(intervals: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((int(begin), int(end)) for begin, end in intervals)


class _Coordinates(DialectAttribute):
    @property
    def y(self) -> int:
        return int(self.data[0])

    @property
    def x(self) -> int:
        return int(self.data[1])


@known_as("TileSizeAttr")
class TileSizeAttrHandle(_Coordinates):
    """The rows and columns of a tile."""

    OF = tt_system.TileSizeAttr

    @staticmethod
    def get(ctx: Context, y: int, x: int) -> Attribute:
        return wrap_attribute(tt_system.TileSizeAttr((y, x)), ctx)


TileSizeAttr = TileSizeAttrHandle


@known_as("CoreCoordAttr")
class CoreCoordAttrHandle(_Coordinates):
    """The place of a core on its chip."""

    OF = tt_system.CoreCoordAttr

    @staticmethod
    def get(ctx: Context, y: int, x: int) -> Attribute:
        return wrap_attribute(tt_system.CoreCoordAttr((y, x)), ctx)


CoreCoordAttr = CoreCoordAttrHandle


@known_as("ChipPhysicalCoresAttr")
class ChipPhysicalCoresAttrHandle(DialectAttribute):
    """The places of a chip's cores."""

    OF = tt_system.ChipPhysicalCoresAttr

    @staticmethod
    def get(
        ctx: Context,
        worker: Sequence[Any],
        dram: Sequence[Any],
        eth: Sequence[Any] = (),
        eth_inactive: Sequence[Any] = (),
    ) -> Attribute:
        groups = (
            tuple(data_of(core, tt_system.CoreCoordAttr, "a tt.core_coord") for core in cores)
            for cores in (worker, dram, eth, eth_inactive)
        )
        return wrap_attribute(tt_system.ChipPhysicalCoresAttr(PhysicalCores(*groups)), ctx)

    worker = PartsField(CoreCoordAttr)
    dram = PartsField(CoreCoordAttr)
    eth = PartsField(CoreCoordAttr)
    eth_inactive = PartsField(CoreCoordAttr)


ChipPhysicalCoresAttr = ChipPhysicalCoresAttrHandle


@known_as("ChipCoordAttr")
class ChipCoordAttrHandle(DialectAttribute):
    """The place of a chip."""

    OF = tt_system.ChipCoordAttr

    @staticmethod
    def get(ctx: Context, rack: int, shelf: int, y: int, x: int) -> Attribute:
        return wrap_attribute(tt_system.ChipCoordAttr(ChipCoord(rack, shelf, y, x)), ctx)

    rack = RecordField(int)
    shelf = RecordField(int)
    y = RecordField(int)
    x = RecordField(int)


ChipCoordAttr = ChipCoordAttrHandle


@known_as("ChipChannelAttr")
class ChipChannelAttrHandle(DialectAttribute):
    """A connection of two chips."""

    OF = tt_system.ChipChannelAttr

    @staticmethod
    def get(
        ctx: Context,
        device_id0: int,
        ethernet_core_coord0: Sequence[int],
        device_id1: int,
        ethernet_core_coord1: Sequence[int],
    ) -> Attribute:
        ends = (integers_of(ethernet_core_coord0), integers_of(ethernet_core_coord1))
        return wrap_attribute(
            tt_system.ChipChannelAttr(ChipChannel(device_id0, ends[0], device_id1, ends[1])), ctx
        )

    device_id0 = RecordField(int)
    ethernet_core_coord0 = RecordField(list[int])
    device_id1 = RecordField(int)
    ethernet_core_coord1 = RecordField(list[int])


ChipChannelAttr = ChipChannelAttrHandle


@known_as("ChipDescAttr")
class ChipDescAttrHandle(DialectAttribute):
    """One chip; sizes and addresses are in bytes."""

    OF = tt_system.ChipDescAttr

    @staticmethod
    def get(
        ctx: Context,
        arch: Any,
        grid: Sequence[int],
        l1_size: int,
        num_dram_channels: int,
        dram_channel_size: int,
        noc_l1_address_align_bytes: int,
        pcie_address_align_bytes: int,
        noc_dram_address_align_bytes: int,
        l1_unreserved_base: int,
        erisc_l1_unreserved_base: int,
        dram_unreserved_base: int,
        dram_unreserved_end: int,
        chip_physical_cores: Any,
        supported_data_types: Any,
        supported_tile_sizes: Any,
        num_cbs: int,
    ) -> Attribute:
        chip = ChipDesc(
            data_of(arch, tt.ArchAttr, "a tt.arch"),
            integers_of(grid),
            l1_size,
            num_dram_channels,
            dram_channel_size,
            noc_l1_address_align_bytes,
            pcie_address_align_bytes,
            noc_dram_address_align_bytes,
            l1_unreserved_base,
            erisc_l1_unreserved_base,
            dram_unreserved_base,
            dram_unreserved_end,
            data_of(chip_physical_cores, tt_system.ChipPhysicalCoresAttr, "tt.chip_physical_cores"),
            tuple(data_of(one, tt.DataTypeAttr, "a data type") for one in _several(supported_data_types)),
            tuple(
                data_of(one, tt_system.TileSizeAttr, "a tile size") for one in _several(supported_tile_sizes)
            ),
            num_cbs,
        )
        return wrap_attribute(tt_system.ChipDescAttr(chip), ctx)

    def __getattr__(self, name: str) -> int:
        if name in (*CHIP_NUMBERS, "num_cbs", "usable_l1_size", "usable_dram_channel_size"):
            return int(getattr(self.data, name))
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    @property
    def arch(self) -> Any:
        return plain(tt.ArchAttr(self.data.arch), self.context)

    grid = RecordField(list[int])

    chip_physical_cores = PartField(ChipPhysicalCoresAttr, "physical_cores")

    @property
    def supported_data_types(self) -> list[Any]:
        return [plain(tt.DataTypeAttr(one), self.context) for one in self.data.supported_data_types]

    supported_tile_sizes = PartsField(TileSizeAttr)


ChipDescAttr = ChipDescAttrHandle


def _several(values: Any) -> Sequence[Any]:
    return values if isinstance(values, list | tuple) else [values]


@known_as("SystemDescAttr")
class SystemDescAttrHandle(DialectAttribute):
    """``#tt.system_desc``."""

    OF = tt_system.SystemDescAttr

    @staticmethod
    def get_default(ctx: Context) -> Attribute:
        """Return the system that is compiled for by default."""
        return wrap_attribute(tt_system.SystemDescAttr(default_system()), ctx)

    @staticmethod
    def get(
        ctx: Context,
        cpu_descs: Sequence[Any],
        chip_descs: Sequence[Any],
        chip_desc_indices: Sequence[int],
        chip_capabilities: Sequence[Any],
        chip_coords: Sequence[Any],
        chip_channels: Sequence[Any] = (),
    ) -> Attribute:
        desc = SystemRecord(
            tuple(data_of(one, tt_system.CPUDescAttr, "a tt.cpu_desc") for one in cpu_descs),
            tuple(data_of(one, tt_system.ChipDescAttr, "a tt.chip_desc") for one in chip_descs),
            integers_of(chip_desc_indices),
            tuple(ChipCapability(int(getattr(one, "value", one))) for one in chip_capabilities),
            tuple(data_of(one, tt_system.ChipCoordAttr, "a tt.chip_coord") for one in chip_coords),
            tuple(data_of(one, tt_system.ChipChannelAttr, "a tt.chip_channel") for one in chip_channels),
        )
        return wrap_attribute(tt_system.SystemDescAttr(desc), ctx)

    chip_descs = PartsField(ChipDescAttr)

    chip_desc_indices = RecordField(list[int])

    @property
    def chip_capabilities(self) -> list[ChipCapabilityAttr]:
        return [
            ChipCapabilityAttr(XdslInteger(int(one), i32), self.context)
            for one in self.data.chip_capabilities
        ]

    chip_coords = PartsField(ChipCoordAttr)

    chip_channels = PartsField(ChipChannelAttr)


SystemDescAttr = SystemDescAttrHandle


@known_as("DeviceAttr")
class DeviceAttrHandle(DialectAttribute):
    """``#tt.device``: the chips of a system as one grid of cores."""

    OF = tt.DeviceAttr

    @staticmethod
    def from_system_desc(ctx: Context, system_desc: Any, mesh_shape: Sequence[int] = ()) -> Attribute:
        """Return the device of a mesh of chips. Raises ``ValueError`` if the system has too few chips."""
        desc = data_of(system_desc, tt_system.SystemDescAttr, "a tt.system_desc")
        return wrap_attribute(tt.DeviceAttr(refusing(DeviceRecord.of, desc, integers_of(mesh_shape))), ctx)

    @staticmethod
    def get(
        ctx: Context,
        grid_shape: Sequence[int],
        worker_grid_mapping: AffineMap,
        l1_map: AffineMap,
        dram_map: AffineMap,
        mesh_shape: Sequence[int],
        chip_ids: Sequence[int],
    ) -> Attribute:
        """Return a device. Raises ``ValueError`` for an invalid device."""
        device = refusing(
            DeviceRecord,
            Grid(integers_of(grid_shape), map_of(worker_grid_mapping)),
            map_of(l1_map),
            map_of(dram_map),
            integers_of(mesh_shape),
            integers_of(chip_ids),
        )
        return wrap_attribute(tt.DeviceAttr(device), ctx)

    @staticmethod
    def unwrap(attr: Any) -> DeviceAttr:
        """The object of this class for a plain attribute."""
        data_of(attr, tt.DeviceAttr, "a tt.device")
        return DeviceAttr(attr.xdsl, attr.context)

    grid_attr = PartField(GridAttr, "worker_grid")

    @property
    def l1_map(self) -> AffineMap:
        return AffineMap(self.data.l1_map, self.context)

    @property
    def dram_map(self) -> AffineMap:
        return AffineMap(self.data.dram_map, self.context)

    mesh_shape = RecordField(list[int])
    chip_ids = RecordField(list[int])


DeviceAttr = DeviceAttrHandle


@known_as("DeviceType")
class DeviceTypeHandle(DialectAttribute):
    """``!tt.device``."""

    OF = tt.DeviceType

    @staticmethod
    def get(ctx: Context, device_attr: Any) -> Type:
        return wrap_type(tt.DeviceType(data_of(device_attr, tt.DeviceAttr, "a tt.device")), ctx)

    device_attr = PartField(DeviceAttr, ".")


DeviceType = DeviceTypeHandle


@known_as("TileType")
class TileTypeHandle(DialectAttribute):
    """``!tt.tile<32x32, bf16>``."""

    OF = memory.TTTileType

    @staticmethod
    def get(ctx: Context, height: int, width: int, data_type: int) -> Type:
        return wrap_type(
            memory.TTTileType(refusing(TileRecord, (height, width), member(DataType, data_type))), ctx
        )

    data_type = RecordField(DataType)
    data_type_as_int = RecordField(int, "data_type")
    shape = RecordField(list[int])


TileType = TileTypeHandle
