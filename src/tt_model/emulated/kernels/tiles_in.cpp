// Brings a core the tiles that it computes on, one of each operand at a time. Operands in the shards of the core are there
// already: their circular buffer is the shard (bit j of HERE).
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// Of the result: the first tile (row, column), the columns of a turn, how many tiles, and rows of a matrix.
struct Share {
    uint32_t row = get_arg_val<uint32_t>(0), column = get_arg_val<uint32_t>(1);
    uint32_t begin = get_arg_val<uint32_t>(2), end = get_arg_val<uint32_t>(3);
    uint32_t count = get_arg_val<uint32_t>(4), rows = get_arg_val<uint32_t>(5);
    uint32_t matrix = row / rows, row_in_matrix = row % rows;
    void next() {
        if (++column < end) return;
        column = begin;
        if (++row_in_matrix < rows) return;
        row_in_matrix = 0;
        ++matrix;
    }
};

// An operand: where it begins, and how many of its tiles it is from one matrix, row and column of the result to the next.
struct Operand {
    uint32_t address, by_matrix, by_row, by_column;
    explicit Operand(uint32_t number)
        : address(get_arg_val<uint32_t>(6 + 4 * number)),
          by_matrix(get_arg_val<uint32_t>(7 + 4 * number)),
          by_row(get_arg_val<uint32_t>(8 + 4 * number)),
          by_column(get_arg_val<uint32_t>(9 + 4 * number)) {}
    uint32_t page(const Share& at) const {
        return at.matrix * by_matrix + at.row_in_matrix * by_row + at.column * by_column;
    }
};

template <uint32_t NUMBER, typename Accessor>
inline void bring(const Operand& operand, const Accessor& tensor, const Share& at) {
    if constexpr ((HERE >> NUMBER & 1) == 0) {
        cb_reserve_back(NUMBER, 1);
        noc_async_read_page(operand.page(at), tensor, get_write_ptr(NUMBER));
    }
}

template <uint32_t NUMBER>
inline void give() {
    if constexpr ((HERE >> NUMBER & 1) == 0) cb_push_back(NUMBER, 1);
}

template <uint32_t NUMBER>
inline void give_all(uint32_t count) {
    if constexpr (HERE >> NUMBER & 1) {
        cb_reserve_back(NUMBER, count);
        cb_push_back(NUMBER, count);
    }
}

void kernel_main() {
    Share at;
    give_all<0>(at.count);
    const Operand first(0);
    constexpr auto first_args = TensorAccessorArgs<0>();
    const auto first_tensor = TensorAccessor(first_args, first.address);
#if OPERANDS > 1
    give_all<1>(at.count);
    const Operand second(1);
    constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();
    const auto second_tensor = TensorAccessor(second_args, second.address);
#endif
#if OPERANDS > 2
    give_all<2>(at.count);
    const Operand third(2);
    constexpr auto third_args = TensorAccessorArgs<second_args.next_compile_time_args_offset()>();
    const auto third_tensor = TensorAccessor(third_args, third.address);
#endif
    if (HERE == (1 << OPERANDS) - 1) return;
    for (uint32_t tile = 0; tile < at.count; ++tile, at.next()) {
        bring<0>(first, first_tensor, at);
#if OPERANDS > 1
        bring<1>(second, second_tensor, at);
#endif
#if OPERANDS > 2
        bring<2>(third, third_tensor, at);
#endif
        noc_async_read_barrier();
        give<0>();
#if OPERANDS > 1
        give<1>();
#endif
#if OPERANDS > 2
        give<2>();
#endif
    }
}
