"""The chip that layouts are chosen for: its cores, its L1, and how many bytes a tensor has there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tt_model.attributes.tt import DeviceAttr
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.system_desc import SystemRecord
from tt_model.layouts.values import LayoutError, volume

# The share of L1 that two neighbours of a chain may take together, in the arithmetic of the real project.
_SHARE = np.float32(0.8)


@dataclass(frozen=True)
class TargetChip:
    """The first chip of a system, and the device of a module."""

    device: DeviceRecord
    system: SystemRecord

    @classmethod
    def of(cls, module: ModuleOp) -> TargetChip | None:
        """The chip of a module; None if the module does not name its system."""
        device, system = module.attributes.get("tt.device"), module.attributes.get("tt.system_desc")
        if not isinstance(device, DeviceAttr) or not isinstance(system, SystemDescAttr):
            return None
        return cls(device.data, system.data)

    @cached_property
    def rows(self) -> int:
        """Rows of cores of one chip."""
        return self.device.chip_grid[0]

    @cached_property
    def columns(self) -> int:
        """Columns of cores of one chip."""
        return self.device.chip_grid[1]

    @property
    def cores(self) -> int:
        """The number of cores of a chip."""
        return self.rows * self.columns

    @cached_property
    def largest_grid(self) -> tuple[int, ...]:
        """All cores of one chip, of the rank of the device's grid."""
        return self.of_rank(self.rows, self.columns)

    def of_rank(self, rows: int, columns: int) -> tuple[int, ...]:
        """A grid of ``rows`` and ``columns`` of cores, with the rank of the device's grid."""
        return (1,) * (self.device.worker_grid.rank - 2) + (rows, columns)

    @cached_property
    def usable_l1(self) -> int:
        """Bytes of the L1 of a core of which two neighbours of a chain take a share, as in the real project."""
        return self.system.first_chip.usable_l1_size

    @cached_property
    def program_l1(self) -> int:
        """Bytes of the L1 of a core that tensors and circular buffers share."""
        return self.system.first_chip.program_l1_size

    def bytes_of(self, layout: TTNNLayout, shape: tuple[int, ...]) -> int:
        """Return the size of a tensor in a chain: bytes up to its last element in any bank, roughly one core's shard."""
        return _footprint(self.device, layout, shape)

    def fits(self, size: int) -> bool:
        """Whether two neighbours of a chain may take ``size`` bytes together."""
        return bool(np.float32(size) < _SHARE * np.float32(self.usable_l1))

    def has_cores_for(self, grid: tuple[int, ...]) -> bool:
        """Whether a grid of shards is one rectangle of cores of the chip, as the library requires."""
        try:
            self.device.rectangle(grid)
        except LayoutError:
            return False
        return volume(grid) <= self.cores


@lru_cache(maxsize=8192)
def _footprint(device: DeviceRecord, layout: TTNNLayout, shape: tuple[int, ...]) -> int:
    return device.footprint(layout, shape)
