"""As much of the real ``ttnn`` as says what a card is, as a package of its own: what the releases 0.81 and 0.69 have."""

from __future__ import annotations

from pathlib import Path

_COMMON = '''
"""The calls of ttnn {release} that describe a card, answered as it does with a mock device of a {kind}."""
from enum import Enum
from types import SimpleNamespace

OPENED, CLOSED = [], []

class Arch(Enum):
    WORMHOLE_B0 = 2
    BLACKHOLE = 3

class BufferType(Enum):
    DRAM = 0
    L1 = 1

class CoreCoord:
    def __init__(self, x, y):
        self.x, self.y = x, y

class _Device:
    def __init__(self, number):
        self.number = number
    def arch(self):
        return Arch.WORMHOLE_B0
    def compute_with_storage_grid_size(self):
        return CoreCoord(8, 9)
    def dram_grid_size(self):
        return CoreCoord(12, 1)
    def worker_core_from_logical_core(self, core):
        return CoreCoord(core.x + 18, core.y + 18)

def get_device_ids():
    return {devices}
def get_pcie_device_ids():
    return [0]
def open_device(*, device_id):
    {opening}
    OPENED.append(device_id)
    return _Device(device_id)
def close_device(device):
    CLOSED.append(device.number)
'''
# Of 0.69, the view of a memory cannot be had, and alignments and the base of the allocator are not there at all.
_OLD = """
def get_memory_view(device, kind):
    raise TypeError("Unable to convert function return value to a Python type!")
device = SimpleNamespace()
"""
_NEW = """
def get_memory_view(device, kind):
    return SimpleNamespace(total_bytes_per_bank={BufferType.L1: 1393312, BufferType.DRAM: 1072693184}[kind])
def get_allocator_base_address(device, kind):
    return {BufferType.L1: 105824, BufferType.DRAM: 1048640}[kind]
def _dram_core(self, core):
    return CoreCoord(*[(0, 11), (0, 1), (0, 5), (0, 7), (5, 1), (5, 11), (5, 2), (5, 9), (5, 8), (5, 3), (5, 5), (5, 7)][core.x])
_Device.dram_core_from_logical_core = _dram_core
device = SimpleNamespace(get_l1_alignment=lambda: 16, get_dram_alignment=lambda: 32)
"""


def provide_card(
    folder: Path, release: str = "0.81", devices: tuple[int, ...] = (0,), opening: str = "pass"
) -> None:
    """Write the package ``ttnn`` into a folder. ``opening`` is what happens when a device is opened."""
    text = _COMMON.format(release=release, kind="n150", devices=list(devices), opening=opening)
    (folder / "ttnn").mkdir()
    (folder / "ttnn" / "__init__.py").write_text(
        text + (_NEW if release == "0.81" else _OLD), encoding="utf-8"
    )
