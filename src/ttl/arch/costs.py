"""What things cost on every chip, in cycles, and where every number is from; what differs is with each chip.

``measured`` numbers were published by those who have the hardware; ``fitted`` ones were set by hand so that whole
programs come out as published (the calibration in ``docs/reference/cycles.md`` says which); ``deduced`` ones follow
from others, and ``estimated`` ones are what the instructions of a function would take.
"""

from __future__ import annotations

from ttl.arch.chip import How, Number

ISA = "tt-isa-documentation"
NOC = "tt-metal, data_movement/noc_estimator/noc_latencies.yaml"
NPE = "tt-npe, device models"
MATH = "tt-metal, Blackhole FPU math kernel audit"
LLK = "tt-llk, performance tests"
PROFILES = "profiles of cards in the tests of tt-perf-report"
PULLS = "pull requests to tt-llk that measured tilize and untilize"
WHOLE = f"set so that {PROFILES} come out"


def rate(bytes_per_cycle: float, how: How, source: str) -> Number:
    """A rate, given in bytes a cycle."""
    return Number(round(bytes_per_cycle * 1024), how, source)


COMMON = {
    # A launch, and the processors' own work.
    "launch": Number(800, "fitted", WHOLE),
    "startup": Number(450, "measured", f"{LLK}: all init functions at the start of a kernel, 450 to 530"),
    "init": Number(25, "measured", f"{MATH}: init functions"),
    "reconfigure": Number(10, "measured", f"{MATH}: 4 to 7 cycles and waiting for the unit, 3 to 10"),
    "dm_wait": Number(30, "fitted", WHOLE),
    "dm_push": Number(18, "fitted", WHOLE),
    "compute_wait": Number(11, "fitted", WHOLE),
    "compute_push": Number(8, "fitted", WHOLE),
    "acquire": Number(12, "fitted", WHOLE),
    "commit": Number(8, "fitted", WHOLE),
    "release": Number(10, "fitted", WHOLE),
    "semaphore": Number(12, "deduced", f"{ISA}: a load of L1 takes 8 cycles, and there is a loop around it"),
    "poll": Number(20, "deduced", f"{ISA}: a load of L1 takes 8 cycles, and there is a loop around it"),
    "load": Number(8, "measured", f"{ISA}: a load of L1, at least 8 cycles"),
    "store": Number(5, "measured", f"{ISA}: stores to L1, one in 5 cycles"),
    "barrier": Number(12, "fitted", WHOLE),
    "address": Number(14, "fitted", WHOLE),
    # The unpacker, for tiles of 2048 bytes; others take as long as their bytes do.
    "unpack_one": Number(20, "measured", f"{MATH}: copy_tile"),
    "unpack_two": Number(38, "measured", f"{MATH}: add_tiles, 37.9 for both tiles"),
    "unpack_matmul": Number(17, "measured", f"{MATH}: matmul_tiles, 33.25 for both tiles"),
    "unpack_least": Number(16, "deduced", f"{ISA}: 64 rows of a tile, four in a cycle"),
    "unpack_fast_tilize": Number(26, "measured", f"{PULLS}: Blackhole, fast tilize"),
    # The packer.
    "pack_narrow": Number(34, "measured", f"{ISA}: 32, and what pull requests to tt-llk measured"),
    "pack_wide": Number(64, "measured", f"{ISA}: 16 bytes in a cycle for each of four packers"),
    "pack_fast_untilize": Number(29, "measured", f"{PULLS}: Blackhole, packing rows, 29 to 58"),
    # The matrix unit, for each tile.
    "math_copy": Number(18, "measured", f"{MATH}: copy_tile"),
    "math_add": Number(17, "measured", f"{MATH}: add_tiles, 16.6"),
    "math_multiply": Number(17, "measured", f"{MATH}: mul_tiles at LoFi, 16.6"),
    "math_multiply_phase": Number(22, "measured", f"{MATH}: mul_tiles at HiFi4, 82.5, less the first of four passes"),
    "math_transpose": Number(40, "estimated", f"{ISA}: two moves of 16 rows for each face"),
    "matmul_phase": Number(16, "measured", "tt-metal, tech_reports/matrix_engine"),
    "matmul_overhead": Number(4, "measured", f"{MATH}: LoFi 19.2, HiFi2 34.5 to 36.9, HiFi4 68.3"),
    "reduce_row": Number(12, "measured", f"{MATH}: reduce_tile, sums of rows, LoFi"),
    "reduce_row_phase": Number(12, "measured", f"{MATH}: reduce_tile, sums of rows, 49 at HiFi4"),
    "reduce_column": Number(16, "measured", f"{MATH}: reduce_tile, columns, LoFi"),
    "reduce_column_phase": Number(22, "measured", f"{MATH}: reduce_tile, sums of columns, 83 at HiFi4"),
    "reduce_both": Number(41, "measured", f"{MATH}: reduce_tile, one number, LoFi"),
    "reduce_both_phase": Number(30, "measured", f"{MATH}: reduce_tile, one number, 130 at HiFi4"),
    "reduce_row_max": Number(98, "measured", f"{MATH}: reduce_tile, maxima of rows"),
}  # fmt: skip
