"""Costs in cycles that are the same on every chip, and the source of every number; each chip gives the others.

``measured`` numbers were published by those who have the hardware; ``fitted`` ones were set by hand so that whole
programs take the published cycles (the calibration in ``docs/reference/cycles.md`` says which); ``deduced`` ones follow
from others, and ``estimated`` ones are counted from the instructions of a function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Literal

How = Literal["measured", "fitted", "deduced", "estimated"]


@dataclass(frozen=True, slots=True)
class Number:
    """One cost: cycles, or a rate as bytes in 1024 cycles."""

    value: int
    how: How
    source: str

    @property
    def per_cycle(self) -> float:
        """A rate in bytes a cycle."""
        return self.value / 1024


ISA = "tt-isa-documentation"
NOC = "tt-metal, data_movement/noc_estimator/noc_latencies.yaml"
NPE = "tt-npe, device models"
MATH = "tt-metal, Blackhole FPU math kernel audit"
LLK = "tt-llk, performance tests"
PROFILES = "profiles of cards in the tests of tt-perf-report"
VECTOR = "pull requests to tt-metal that measured functions of the vector unit"
SOFT = "libgcc of GCC 12.2 for rv32im, its instructions counted under QEMU for 300 pairs of numbers (docs/reference/cycles.md)"
PULLS = "pull requests to tt-llk that measured tilize and untilize"
WHOLE = f"set so that {PROFILES} come out"
BENCH = "tenstorrent/tt-lang, benchmarks/microbench/RESULTS.md @a63d33be"


def rate(bytes_per_cycle: float, how: How, source: str) -> Number:
    """A rate, given in bytes a cycle."""
    return Number(round(bytes_per_cycle * 1024), how, source)


def measured(cycles: Mapping[str, int], source: str) -> dict[str, Number]:
    """Numbers of one source, by name."""
    return {name: Number(number, "measured", source) for name, number in cycles.items()}


# fmt: off
@dataclass(frozen=True, kw_only=True, slots=True)
class Costs:
    """Costs in cycles, and rates: a field for each. Fields with a default are the same on every chip."""

    # A launch, and the processors' own work.
    launch: Number = Number(600, "fitted", f"{WHOLE}, with ``movers_start``")
    movers_start: Number = Number(200, "fitted", f"{BENCH}, MB2 on Blackhole: what a zone waits for its first operands")
    first_use: Number = Number(320, "fitted", f"{BENCH}, MB2 on Blackhole: the first tile that reads DST back, or goes through the vector unit")
    startup: Number = Number(450, "measured", f"{LLK}: all init functions at the start of a kernel, 450 to 530")
    init: Number = Number(25, "measured", f"{MATH}: init functions")
    reconfigure: Number = Number(10, "measured", f"{MATH}: 4 to 7 cycles and waiting for the unit, 3 to 10")
    dm_wait: Number = Number(30, "fitted", WHOLE)
    dm_push: Number = Number(18, "fitted", WHOLE)
    compute_wait: Number = Number(11, "fitted", WHOLE)
    compute_push: Number = Number(8, "fitted", WHOLE)
    acquire: Number = Number(8, "fitted", f"{BENCH}, MB5.B: sections of 1 to 8 tiles")
    commit: Number = Number(5, "fitted", f"{BENCH}, MB5.B: sections of 1 to 8 tiles")
    release: Number = Number(17, "fitted", f"{BENCH}, MB5.B: sections of 1 to 8 tiles")
    semaphore: Number = Number(12, "deduced", f"{ISA}: a load of L1 takes 8 cycles, and there is a loop around it")
    poll: Number = Number(20, "deduced", f"{ISA}: a load of L1 takes 8 cycles, and there is a loop around it")
    load: Number = Number(8, "measured", f"{ISA}: a load of L1, at least 8 cycles")
    store: Number = Number(5, "measured", f"{ISA}: stores to L1, one in 5 cycles")
    # Floats of data movement kernels, which have no unit for them: the functions of libgcc, in 64 bits.
    float_add: Number = Number(100, "deduced", f"{SOFT}: 99 of a sum, 101 of a difference")
    float_multiply: Number = Number(197, "deduced", SOFT)
    float_divide: Number = Number(208, "deduced", f"{SOFT}, each division of whole numbers in it as one")
    float_compare: Number = Number(30, "deduced", f"{SOFT}: 30 of <, 24 of ==")
    float_convert: Number = Number(40, "deduced", f"{SOFT}: 34 from float32, 37 to it, 53 from a whole number, 26 to one")
    barrier: Number = Number(12, "fitted", WHOLE)
    address: Number = Number(14, "fitted", WHOLE)
    # Packets to other chips: the router's work for each, and that of the kernel that sends it, opens and closes the connection.
    eth_packet: Number = Number(128, "estimated", "a router's loop over its channels: nobody has published it")
    fabric_send: Number = Number(40, "estimated", "a header of 96 bytes, written word by word: 8 stores")
    fabric_open: Number = Number(450, "estimated", "two reads of the router's L1, one after the other, and four words to it")
    fabric_close: Number = Number(450, "estimated", "three words to the router, and its answer")
    # The unpacker, for tiles of 2048 bytes; others take as long as their bytes do.
    unpack_one: Number = Number(38, "fitted", f"{BENCH}, MB1: passes of 1 to 16 tiles ({MATH}: 20)")
    unpack_two: Number = Number(26, "fitted", f"{BENCH}, MB5.B: sums, no more than 28.4 for both tiles ({MATH}: 37.9)")
    unpack_matmul: Number = Number(17, "measured", f"{MATH}: matmul_tiles, 33.25 for both tiles")
    unpack_transpose: Number = Number(32, "fitted", f"{BENCH}, MB5.B: transpositions")
    unpack_section: Number = Number(16, "fitted", f"{BENCH}, MB1 and MB5.B: sections of 1 to 8 tiles")
    unpack_least: Number = Number(16, "deduced", f"{ISA}: 64 rows of a tile, four in a cycle")
    unpack_fast_tilize: Number = Number(26, "measured", f"{PULLS}: Blackhole, fast tilize")
    # The packer.
    pack_accumulate: Number = Number(1, "fitted", f"{BENCH}, MB2 on Blackhole: sums by the packer, beyond a copy")
    pack_fast_untilize: Number = Number(29, "measured", f"{PULLS}: Blackhole, packing rows, 29 to 58")
    # The matrix unit, for each tile.
    math_copy: Number = Number(18, "measured", f"{MATH}: copy_tile")
    math_add: Number = Number(17, "measured", f"{MATH}: add_tiles, 16.6")
    math_reuse: Number = Number(38, "fitted", f"{BENCH}, MB2 on Blackhole: sums in registers, 55 for each tile with ``math_add``")
    math_multiply: Number = Number(17, "measured", f"{MATH}: mul_tiles at LoFi, 16.6")
    math_multiply_phase: Number = Number(22, "measured", f"{MATH}: mul_tiles at HiFi4, 82.5, less the first of four passes")
    math_transpose: Number = Number(32, "fitted", f"{BENCH}, MB5.B: transpositions")
    matmul_phase: Number = Number(16, "measured", "tt-metal, tech_reports/matrix_engine")
    matmul_overhead: Number = Number(4, "measured", f"{MATH}: LoFi 19.2, HiFi2 34.5 to 36.9, HiFi4 68.3")
    reduce_row: Number = Number(12, "measured", f"{MATH}: reduce_tile, sums of rows, LoFi")
    reduce_row_phase: Number = Number(12, "measured", f"{MATH}: reduce_tile, sums of rows, 49 at HiFi4")
    reduce_column: Number = Number(16, "measured", f"{MATH}: reduce_tile, columns, LoFi")
    reduce_column_phase: Number = Number(22, "measured", f"{MATH}: reduce_tile, sums of columns, 83 at HiFi4")
    reduce_both: Number = Number(41, "measured", f"{MATH}: reduce_tile, one number, LoFi")
    reduce_both_phase: Number = Number(30, "measured", f"{MATH}: reduce_tile, one number, 130 at HiFi4")
    reduce_row_max: Number = Number(58, "measured", f"{MATH}: reduce_tile, maxima of rows, 98 before it was mended")
    # Costs that each chip gives.
    pack_narrow: Number
    pack_wide: Number
    hand_over: Number
    unpack_tilize: Number
    unpack_untilize: Number
    pack_untilize: Number
    read_issue: Number
    write_issue: Number
    hop: Number
    read_fixed: Number
    write_fixed: Number
    arrive_fixed: Number
    arrive_hop: Number
    dram_read: Number
    dram_write: Number
    dram_request: Number
    niu_out_rate: Number
    niu_in_rate: Number
    link_rate: Number
    dram_rate: Number
    dram_stream_rate: Number
    multicast_rate: Number
    multicast_linked_rate: Number

    @property
    def before_reads(self) -> int:
        """Cycles from a launch until its kernels that move data begin."""
        return self.launch.value + self.movers_start.value

    def changed(self, usual: Costs) -> tuple[str, ...]:
        """Return the costs that differ from the usual ones, as ``name:cycles``."""
        if self is usual:
            return ()
        usual_ones = usual.by_name()
        return tuple(f"{name}:{one.value}" for name, one in self.by_name().items() if one != usual_ones[name])

    def by_name(self) -> dict[str, Number]:
        """All costs by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
# fmt: on

# The vector unit: a tile is 32 vectors. A function of n instructions takes 32 n cycles, and about 50 to begin and to
# get there. The table of operations has the number of instructions of its functions where no chip knows better; the
# functions below are used by no operation of the language.
_VECTORS_OF_A_TILE, _BEGIN = 32, 50
# The part of the published numbers that is the copy into DST, which is counted by itself.
COPY = 18
_USUAL = 4
_INSTRUCTIONS: Mapping[int, str] = MappingProxyType(
    {
        2: "identity_tile copy_dest_values bitwise_not_tile signbit_tile_int32",
        6: "mask_tile mask_posinf_tile where_tile_int mac_tile lerp_tile mul_int_tile_uint16 bitwise_and_binary_tile "
        "bitwise_or_binary_tile binary_left_shift_tile binary_right_shift_tile binary_logical_right_shift_tile ne_int_tile "
        "eq_int_tile hardmish_tile",
        20: "cbrt_tile",
        26: "log_with_base_tile sinh_tile cosh_tile erf_tile erfc_tile",
        34: "rdiv_tile fmod_binary_tile fmod_tile remainder_tile addcdiv_tile div_int32_tile fmod_int32_tile",
        44: "rpow_tile mish_tile tanhshrink_tile erfinv_tile logsigmoid_tile atan2_binary_tile xlogy_binary_tile "
        "gcd_tile lcm_tile i1_tile",
    }
)
OTHER_FUNCTIONS: Mapping[str, Number] = MappingProxyType(
    {
        "addcmul_tile": Number(346, "measured", VECTOR),
        "heaviside_tile": Number(537, "measured", VECTOR),
        "softshrink_tile": Number(640, "measured", VECTOR),
        "i0_tile": Number(1417, "measured", VECTOR),
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
