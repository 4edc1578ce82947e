// Brings a core its blocks of an operand of a product, k tiles of the inner dimension at a time, and takes the result from it
// (WRITES). Where cores share an operand (SHARED), the first of them reads a block and sends it to the others at once.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void kernel_main() {
    uint32_t argument = 0;
    const auto next = [&argument] { return get_arg_val<uint32_t>(argument++); };
    const uint32_t core = next(), cores = next(), blocks = next(), high = next(), wide = next();
    // The matrices of the operand, in tiles, and its block: it begins at a row (of the first operand) or a column (of the second).
    const uint32_t address = next(), rows = next(), columns = next(), by_batch = next();
    const uint32_t block_rows = next(), block_columns = next(), steps = next();
    const bool is_first = next() != 0;
    // How it is shared: whether this core reads, for how many others, between which corners, and who reads for it.
    const bool reads = next() != 0;
    const uint32_t others = next(), from_x = next(), from_y = next(), to_x = next(), to_y = next();
    const uint32_t reader_x = next(), reader_y = next();
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, address);
    const uint32_t tile_bytes = get_tile_size(OPERAND), tiles = block_rows * block_columns;
#if WRITES
    const uint32_t result_address = next(), result_rows = next(), result_columns = next(), m = next(), n = next();
    constexpr auto result_args = TensorAccessorArgs<args.next_compile_time_args_offset()>();
    const auto result = TensorAccessor(result_args, result_address);
#endif
#if SHARED
    const uint32_t ready_address = get_semaphore(READY_AT), valid_address = get_semaphore(VALID_AT);
    const auto ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready_address);
    const auto valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid_address);
#endif
    for (uint32_t block = core; block < blocks; block += cores) {
        const uint32_t batch = block / (high * wide), place = block % (high * wide);
        const uint32_t down = place / wide, along = place % wide;
        for (uint32_t step = 0; step < steps; ++step) {
            cb_reserve_back(OPERAND, tiles);
            const uint32_t to = get_write_ptr(OPERAND);
            if (reads) {
                // What is beyond the edge is computed with, and not written: any tile will do.
                const uint32_t row = is_first ? down * block_rows : step * block_rows;
                const uint32_t column = is_first ? step * block_columns : along * block_columns;
                uint32_t at = to;
                for (uint32_t i = 0; i < block_rows; ++i)
                    for (uint32_t j = 0; j < block_columns; ++j, at += tile_bytes)
                        noc_async_read_page(batch * by_batch + least(row + i, rows - 1) * columns + least(column + j, columns - 1),
                                            tensor, at);
                noc_async_read_barrier();
            }
#if SHARED
            if (reads && others > 0) {
                noc_semaphore_wait(ready, others);
                noc_semaphore_set(ready, 0);
                noc_async_write_multicast(to, get_noc_multicast_addr(from_x, from_y, to_x, to_y, to), tiles * tile_bytes, others);
                noc_semaphore_set_multicast(get_semaphore(ONE_AT), get_noc_multicast_addr(from_x, from_y, to_x, to_y, valid_address),
                                            others);
                noc_async_writes_flushed();
            }
            if (!reads) {
                noc_semaphore_inc(get_noc_addr(reader_x, reader_y, ready_address), 1);
                noc_semaphore_wait(valid, 1);
                noc_semaphore_set(valid, 0);
            }
#endif
            cb_push_back(OPERAND, tiles);
        }
#if WRITES
        cb_wait_front(RESULT, m * n);
#if !RESULT_HERE
        uint32_t from = get_read_ptr(RESULT);
        for (uint32_t i = 0; i < m; ++i)
            for (uint32_t j = 0; j < n; ++j, from += get_tile_size(RESULT)) {
                const uint32_t row = down * m + i, column = along * n + j;
                if (row < result_rows && column < result_columns)
                    noc_async_write_page((batch * result_rows + row) * result_columns + column, result, from);
            }
        noc_async_writes_flushed();
        cb_pop_front(RESULT, m * n);
#endif
#endif
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
