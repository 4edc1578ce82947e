"""What things cost on a chip, in cycles, and where every number is from.

``measured`` numbers were published by those who have the hardware; ``fitted`` ones were set by hand so that whole
programs come out as published (the calibration in ``docs/reference/cycles.md`` says which); ``deduced`` ones follow
from others, and ``estimated`` ones are what the instructions of a function would take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

How = Literal["measured", "fitted", "deduced", "estimated"]

_ISA = "tt-isa-documentation"
_NOC = "tt-metal, data_movement/noc_estimator/noc_latencies.yaml"
_NPE = "tt-npe, device models"
_MATH = "tt-metal, Blackhole FPU math kernel audit"
_LLK = "tt-llk, performance tests"
_PROFILES = "profiles of cards in the tests of tt-perf-report"
_PULLS = "pull requests to tt-llk that measured tilize and untilize"
_WHOLE = f"set so that {_PROFILES} come out"


@dataclass(frozen=True, slots=True)
class Number:
    """One cost: cycles, or a rate as bytes in 1024 cycles."""

    value: int
    how: How
    source: str


def _rate(bytes_per_cycle: float, how: How, source: str) -> Number:
    return Number(round(bytes_per_cycle * 1024), how, source)


_COMMON = {
    # A launch, and the processors' own work.
    "launch": Number(800, "fitted", _WHOLE),
    "startup": Number(450, "measured", f"{_LLK}: all init functions at the start of a kernel, 450 to 530"),
    "init": Number(25, "measured", f"{_MATH}: init functions"),
    "reconfigure": Number(10, "measured", f"{_MATH}: 4 to 7 cycles and waiting for the unit, 3 to 10"),
    "dm_wait": Number(30, "fitted", _WHOLE),
    "dm_push": Number(18, "fitted", _WHOLE),
    "compute_wait": Number(11, "fitted", _WHOLE),
    "compute_push": Number(8, "fitted", _WHOLE),
    "acquire": Number(12, "fitted", _WHOLE),
    "commit": Number(8, "fitted", _WHOLE),
    "release": Number(10, "fitted", _WHOLE),
    "semaphore": Number(12, "deduced", f"{_ISA}: a load of L1 takes 8 cycles, and there is a loop around it"),
    "poll": Number(20, "deduced", f"{_ISA}: a load of L1 takes 8 cycles, and there is a loop around it"),
    "load": Number(8, "measured", f"{_ISA}: a load of L1, at least 8 cycles"),
    "store": Number(5, "measured", f"{_ISA}: stores to L1, one in 5 cycles"),
    "barrier": Number(12, "fitted", _WHOLE),
    "address": Number(14, "fitted", _WHOLE),
    # The unpacker, for tiles of 2048 bytes; others take as long as their bytes do.
    "unpack_one": Number(20, "measured", f"{_MATH}: copy_tile"),
    "unpack_two": Number(38, "measured", f"{_MATH}: add_tiles, 37.9 for both tiles"),
    "unpack_matmul": Number(17, "measured", f"{_MATH}: matmul_tiles, 33.25 for both tiles"),
    "unpack_least": Number(16, "deduced", f"{_ISA}: 64 rows of a tile, four in a cycle"),
    "unpack_fast_tilize": Number(26, "measured", f"{_PULLS}: Blackhole, fast tilize"),
    # The packer.
    "pack_narrow": Number(34, "measured", f"{_ISA}: 32, and what pull requests to tt-llk measured"),
    "pack_wide": Number(64, "measured", f"{_ISA}: 16 bytes in a cycle for each of four packers"),
    "pack_fast_untilize": Number(29, "measured", f"{_PULLS}: Blackhole, packing rows, 29 to 58"),
    # The matrix unit, for each tile.
    "math_copy": Number(18, "measured", f"{_MATH}: copy_tile"),
    "math_add": Number(17, "measured", f"{_MATH}: add_tiles, 16.6"),
    "math_multiply": Number(17, "measured", f"{_MATH}: mul_tiles at LoFi, 16.6"),
    "math_multiply_phase": Number(22, "measured", f"{_MATH}: mul_tiles at HiFi4, 82.5, less the first of four passes"),
    "math_transpose": Number(40, "estimated", f"{_ISA}: two moves of 16 rows for each face"),
    "matmul_phase": Number(16, "measured", "tt-metal, tech_reports/matrix_engine"),
    "matmul_overhead": Number(4, "measured", f"{_MATH}: LoFi 19.2, HiFi2 34.5 to 36.9, HiFi4 68.3"),
    "reduce_row": Number(12, "measured", f"{_MATH}: reduce_tile, sums of rows, LoFi"),
    "reduce_row_phase": Number(12, "measured", f"{_MATH}: reduce_tile, sums of rows, 49 at HiFi4"),
    "reduce_column": Number(16, "measured", f"{_MATH}: reduce_tile, columns, LoFi"),
    "reduce_column_phase": Number(22, "measured", f"{_MATH}: reduce_tile, sums of columns, 83 at HiFi4"),
    "reduce_both": Number(41, "measured", f"{_MATH}: reduce_tile, one number, LoFi"),
    "reduce_both_phase": Number(30, "measured", f"{_MATH}: reduce_tile, one number, 130 at HiFi4"),
    "reduce_row_max": Number(98, "measured", f"{_MATH}: reduce_tile, maxima of rows"),
}  # fmt: skip

WORMHOLE_COSTS: Mapping[str, Number] = MappingProxyType(
    {
        **_COMMON,
        "unpack_tilize": Number(75, "measured", _PULLS),
        "unpack_untilize": Number(75, "measured", _PULLS),
        "pack_untilize": Number(75, "measured", _PULLS),
        "read_issue": Number(26, "measured", f"{_NOC}: 26.1 for each read"),
        "write_issue": Number(23, "measured", f"{_NOC}: 23.1 for each write"),
        "hop": Number(9, "measured", f"{_ISA}: NoC; agrees with {_NOC}: 293 across, 205 along one axis"),
        "read_fixed": Number(57, "fitted", f"{_NOC}: L1 read of 64 bytes, 293"),
        "write_fixed": Number(61, "fitted", f"{_NOC}: L1 write and barrier of 64 bytes, 296"),
        "arrive_fixed": Number(40, "measured", f"{_NPE}: latency of a write, 40 and 10 for each hop"),
        "arrive_hop": Number(10, "measured", f"{_NPE}: latency of a write, 40 and 10 for each hop"),
        "dram_read": Number(85, "fitted", f"{_NOC}: DRAM read of 64 bytes, 381"),
        "dram_write": Number(129, "fitted", f"{_NOC}: DRAM write of 64 bytes, 426"),
        "dram_request": Number(7, "measured", "pull requests to tt-metal: a bank accepts a read every 6.8 cycles"),
        "niu_out_rate": _rate(28.1, "measured", f"{_NOC}: L1 reads, 28; {_NPE}: 28.1"),
        "niu_in_rate": _rate(30.4, "measured", f"{_NOC}: DRAM reads of 256 tiles from all banks, 30.4"),
        "link_rate": _rate(30, "measured", f"{_NPE}: links"),
        "dram_rate": _rate(22, "measured", f"{_NOC}: DRAM reads of one bank, 22.0"),
        "dram_stream_rate": _rate(22, "measured", f"{_NOC}: DRAM reads of one bank, 22.0"),
        "multicast_rate": _rate(15, "measured", "tt-metal, tech report on ideal performance: 8x8, unlinked"),
        "multicast_linked_rate": _rate(22, "measured", "tt-metal, tech report on ideal performance: 8x8, linked"),
    }
)  # fmt: skip

BLACKHOLE_COSTS: Mapping[str, Number] = MappingProxyType(
    {
        **_COMMON,
        "unpack_tilize": Number(71, "measured", _PULLS),
        "unpack_untilize": Number(71, "measured", _PULLS),
        "pack_untilize": Number(58, "measured", f"{_PULLS}: packing rows, 29 to 58"),
        "read_issue": Number(22, "fitted", f"{_NOC}: DRAM reads of 256 tiles from all banks, 57.7 bytes in a cycle"),
        "write_issue": Number(24, "measured", f"{_NOC}: 24.3 for each write"),
        "hop": Number(9, "deduced", f"{_NPE}: latency of reads, 112 more along a column and 152 more along a row"),
        "read_fixed": Number(77, "fitted", f"{_NOC}: L1 read of 64 bytes, 373"),
        "write_fixed": Number(62, "fitted", f"{_NOC}: L1 write and barrier of 64 bytes, 360"),
        "arrive_fixed": Number(40, "measured", f"{_NPE}: latency of a write, 40 and 11 for each hop"),
        "arrive_hop": Number(11, "measured", f"{_NPE}: latency of a write, 40 and 11 for each hop"),
        "dram_read": Number(112, "fitted", f"{_NOC}: DRAM read of 64 bytes, 486"),
        "dram_write": Number(38, "fitted", f"{_NOC}: DRAM write of 64 bytes, 399"),
        "dram_request": Number(16, "measured", "pull requests to tt-metal: a bank accepts a read every 16.4 cycles"),
        "niu_out_rate": _rate(60.9, "measured", f"{_NOC}: L1 reads, 60.9; {_NPE}: 60.9"),
        "niu_in_rate": _rate(60.9, "measured", f"{_NPE}: 60.9"),
        "link_rate": _rate(60.9, "measured", f"{_NPE}: links"),
        "dram_rate": _rate(40, "measured", f"{_NPE}: DRAM"),
        "dram_stream_rate": _rate(21.6, "measured", f"{_NOC}: DRAM reads of one bank, 21.6"),
        "multicast_rate": _rate(24, "measured", "tt-metal, tech report on ideal performance: 8x8, unlinked"),
        "multicast_linked_rate": _rate(41, "measured", "tt-metal, tech report on ideal performance: 8x8, linked"),
    }
)  # fmt: skip
