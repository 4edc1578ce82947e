"""What things cost on the emulated chip, in cycles.

Sources: facts/hardware-emulator-cost.md section 4.1 (measured, or fitted to profiles of cards, as said there).
"""

from __future__ import annotations

from types import MappingProxyType

_COMMON = {
    "launch": 800, "startup": 450, "init": 25, "dm_wait": 30, "dm_push": 18, "compute_wait": 11, "compute_push": 8,
    "address": 14, "barrier": 12, "unpack_one": 20, "unpack_two": 38, "unpack_matmul": 17, "pack_narrow": 34,
    "pack_wide": 64, "acquire": 12, "commit": 8, "release": 10, "math_add": 17, "math_multiply": 20, "math_phase": 16,
    "math_copy": 18, "math_reduce": 41, "math_transpose": 40, "vector": 300, "poll": 20, "semaphore": 12,
    "reconfigure": 10,
}  # fmt: skip

COSTS = MappingProxyType(
    {
        "wormhole": MappingProxyType(
            {
                **_COMMON,
                "read_issue": 26,
                "write_issue": 23,
                "l1_read": 255,
                "dram_read": 345,
                "l1_write": 265,
                "dram_write": 395,
                "atomic": 150,
                "l1_bytes_per_1024": 28774,
                "dram_bytes_per_1024": 22528,
            }
        ),
        "blackhole": MappingProxyType(
            {
                **_COMMON,
                "read_issue": 36,
                "write_issue": 24,
                "l1_read": 330,
                "dram_read": 440,
                "l1_write": 325,
                "dram_write": 365,
                "atomic": 180,
                "l1_bytes_per_1024": 62362,
                "dram_bytes_per_1024": 40960,
            }
        ),
    }
)
