// Takes the tiles of the result from a core, PIECE at a time. A result in the shards of the core stays where it is (RESULT_HERE).
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    uint32_t row = get_arg_val<uint32_t>(0), column = get_arg_val<uint32_t>(1);
    const uint32_t begin = get_arg_val<uint32_t>(2), end = get_arg_val<uint32_t>(3), count = get_arg_val<uint32_t>(4);
    const uint32_t columns = get_arg_val<uint32_t>(5), piece = get_arg_val<uint32_t>(7);
    if (RESULT_HERE) {
        cb_wait_front(RESULT, count);
        return;
    }
    constexpr auto args = TensorAccessorArgs<0>();
    const auto result = TensorAccessor(args, get_arg_val<uint32_t>(6));
    const uint32_t tile_bytes = get_tile_size(RESULT);
    for (uint32_t done = 0; done < count; done += piece) {
        cb_wait_front(RESULT, piece);
        uint32_t from = get_read_ptr(RESULT);
        for (uint32_t tile = 0; tile < piece; ++tile, from += tile_bytes) {
            noc_async_write_page(row * columns + column, result, from);
            if (++column == end) {
                column = begin;
                ++row;
            }
        }
        noc_async_writes_flushed();
        cb_pop_front(RESULT, piece);
    }
    noc_async_write_barrier();
}
