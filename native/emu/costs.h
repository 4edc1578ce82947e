// What things cost, in cycles: data of the chip, from `ttl.arch` and `ttl.rows` by way of `ttl.emu.chip`.
#pragma once

#include <cstdint>

#include "../../src/ttl/emu/include/ttl_emu/abi.h"

// Rates are bytes in 1024 cycles.
#define TTL_EMU_COSTS(X)                                                                                            \
  X(launch) X(startup) X(init) X(reconfigure) X(dm_wait) X(dm_push) X(compute_wait) X(compute_push) X(acquire)      \
  X(commit) X(release) X(semaphore) X(poll) X(load) X(store) X(barrier) X(address) X(read_issue) X(write_issue)     \
  X(read_fixed) X(write_fixed) X(hop) X(arrive_fixed) X(arrive_hop) X(dram_read) X(dram_write) X(dram_request)      \
  X(niu_out_rate) X(niu_in_rate) X(link_rate) X(dram_rate) X(dram_stream_rate) X(multicast_rate)                    \
  X(multicast_linked_rate) X(unpack_one) X(unpack_two) X(unpack_matmul) X(unpack_least) X(unpack_tilize)            \
  X(unpack_fast_tilize) X(unpack_untilize) X(pack_untilize) X(pack_fast_untilize) X(pack_narrow) X(pack_wide)       \
  X(math_copy) X(math_add) X(math_multiply) X(math_multiply_phase) X(math_transpose) X(matmul_phase)                \
  X(matmul_overhead) X(reduce_row) X(reduce_row_phase) X(reduce_column) X(reduce_column_phase) X(reduce_both)       \
  X(reduce_both_phase) X(reduce_row_max) X(float_add) X(float_multiply) X(float_divide) X(float_compare)             \
  X(float_convert) X(eth_rate) X(eth_hop) X(eth_packet) X(fabric_send) X(fabric_open) X(fabric_close)                \
  X(unpack_transpose) X(unpack_section) X(math_reuse) X(pack_accumulate) X(hand_over) X(movers_start) X(first_use)

namespace ttl::emu {

// Functions of the vector unit.
enum Vector : uint32_t {
#define ANY(name, ...) kV_##name,
#define ALSO(...)
#include "any_vector_function.inc.h"
#undef ANY
#undef ALSO
  kVectorCount
};

struct Costs {
#define TTL_EMU_FIELD(name) uint32_t name = 0;
  TTL_EMU_COSTS(TTL_EMU_FIELD)
#undef TTL_EMU_FIELD
  // Functions of the vector unit: exact, and where the kernel asks for approximations.
  uint32_t vector[2][kVectorCount] = {};
};

}  // namespace ttl::emu
