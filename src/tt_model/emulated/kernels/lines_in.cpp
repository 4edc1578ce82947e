// Brings a core the lines that it reduces, PIECE tiles at a time, and the number that sums are multiplied with.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// A tile with the number in the first row of each face, where reductions look for it.
inline void fill_scaler(uint32_t number) {
    cb_reserve_back(SCALER, 1);
    const uint32_t l1 = get_write_ptr(SCALER), bytes = get_tile_size(SCALER), words = bytes / 256;
    const uint64_t zeros = get_noc_addr(MEM_ZEROS_BASE);
    for (uint32_t done = 0; done < bytes; done += 512) noc_async_read(zeros, l1 + done, 512);
    noc_async_read_barrier();
    const auto tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    for (uint32_t face = 0; face < 4; ++face)
        for (uint32_t word = 0; word < words; ++word) tile[face * 16 * words + word] = number;
    cb_push_back(SCALER, 1);
}

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0), lines = get_arg_val<uint32_t>(1), along = get_arg_val<uint32_t>(2);
    // Lines are counted ``in_turn`` tiles beside each other, and then ``by_turn`` tiles further; a line goes on by ``step``.
    const uint32_t in_turn = get_arg_val<uint32_t>(3), by_turn = get_arg_val<uint32_t>(4), step = get_arg_val<uint32_t>(5);
    const uint32_t address = get_arg_val<uint32_t>(6), piece = get_arg_val<uint32_t>(7);
    fill_scaler(get_arg_val<uint32_t>(8));
    if (HERE) {
        cb_reserve_back(0, lines * along);
        cb_push_back(0, lines * along);
        return;
    }
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, address);
    const uint32_t tile_bytes = get_tile_size(0);
    for (uint32_t line = first; line < first + lines; ++line) {
        uint32_t page = line / in_turn * by_turn + line % in_turn;
        for (uint32_t done = 0; done < along; done += piece) {
            cb_reserve_back(0, piece);
            uint32_t to = get_write_ptr(0);
            for (uint32_t tile = 0; tile < piece; ++tile, page += step, to += tile_bytes) noc_async_read_page(page, tensor, to);
            noc_async_read_barrier();
            cb_push_back(0, piece);
        }
    }
}
