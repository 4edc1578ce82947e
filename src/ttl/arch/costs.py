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

# The vector unit: a tile is 32 vectors. A function of n instructions takes 32 n cycles, and about 50 to begin and to get
# there. Rows of operations say how many their functions have; these no operation of the language uses.
_VECTORS_OF_A_TILE, _BEGIN = 32, 50
# Of the published numbers, the copy into DST, which is counted by itself.
COPY = 18
_VECTOR = "pull requests to tt-metal that measured functions of the vector unit"
_USUAL = 4
_INSTRUCTIONS: Mapping[int, str] = MappingProxyType(
    {
        2: "identity_tile copy_dest_values bitwise_not_tile signbit_tile_int32",
        6: "mask_tile mask_posinf_tile where_tile_int mac_tile lerp_tile mul_int_tile_uint16 bitwise_and_binary_tile "
        "bitwise_or_binary_tile binary_left_shift_tile binary_right_shift_tile binary_logical_right_shift_tile ne_int_tile "
        "eq_int_tile",
        20: "cbrt_tile",
        26: "log_with_base_tile sinh_tile cosh_tile erf_tile erfc_tile",
        34: "rdiv_tile fmod_binary_tile fmod_tile remainder_tile addcdiv_tile div_int32_tile fmod_int32_tile",
        44: "rpow_tile hardmish_tile tanhshrink_tile erfinv_tile logsigmoid_tile atan2_binary_tile xlogy_binary_tile "
        "gcd_tile lcm_tile i1_tile",
    }
)
OTHER_FUNCTIONS: Mapping[str, Number] = MappingProxyType(
    {
        "addcmul_tile": Number(346, "measured", _VECTOR),
        "heaviside_tile": Number(537, "measured", _VECTOR),
        "softshrink_tile": Number(640, "measured", _VECTOR),
        "i0_tile": Number(1417, "measured", _VECTOR),
    }
)


def estimate(instructions: int) -> Number:
    """The cost of a function of the vector unit by its instructions, the copy into DST included."""
    return Number(
        _VECTORS_OF_A_TILE * instructions + _BEGIN,
        "estimated",
        f"32 vectors of a tile by {instructions} instructions, and {_BEGIN} to begin",
    )


def other_function(name: str) -> Number:
    """The cost of a function that no operation of the language uses."""
    count = next((count for count, names in _INSTRUCTIONS.items() if name in names.split()), _USUAL)
    return OTHER_FUNCTIONS.get(name) or estimate(count)
