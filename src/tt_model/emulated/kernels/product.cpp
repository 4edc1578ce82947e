// Blocks of a product: k tiles of the inner dimension at a time, in parts of HEIGHT x WIDTH tiles that the registers hold. Sums that
// are not whole yet go through a circular buffer.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t A = 0, B = 1, SUMS = 3, PART = HEIGHT * WIDTH;

// A block that the registers hold stays there until its sums are whole.
inline void in_registers(uint32_t k, uint32_t steps) {
    tile_regs_acquire();
    for (uint32_t step = 0; step < steps; ++step) {
        cb_wait_front(A, HEIGHT * k);
        cb_wait_front(B, k * WIDTH);
        for (uint32_t i = 0; i < k; ++i) matmul_block(A, B, i, i * WIDTH, 0, 0, WIDTH, HEIGHT, k);
        cb_pop_front(A, HEIGHT * k);
        cb_pop_front(B, k * WIDTH);
    }
    tile_regs_commit();
    cb_reserve_back(RESULT, PART);
    tile_regs_wait();
    for (uint32_t i = 0; i < PART; ++i) pack_tile<true>(i, RESULT, i);
    tile_regs_release();
    cb_push_back(RESULT, PART);
}

void kernel_main() {
    const uint32_t blocks = get_arg_val<uint32_t>(0), m = get_arg_val<uint32_t>(1), n = get_arg_val<uint32_t>(2);
    const uint32_t k = get_arg_val<uint32_t>(3), steps = get_arg_val<uint32_t>(4);
    const bool is_one_part = PART == m * n;
    compute_kernel_hw_startup<SrcOrder::Reverse>(A, B, is_one_part ? RESULT : SUMS);
    matmul_block_init(A, B, 0, WIDTH, HEIGHT, k);
    for (uint32_t block = 0; is_one_part && block < blocks; ++block) in_registers(k, steps);
    if (is_one_part) return;
    for (uint32_t block = 0; block < blocks; ++block) {
        cb_reserve_back(RESULT, m * n);
        for (uint32_t step = 0; step < steps; ++step) {
            const bool is_last = step + 1 == steps;
            cb_wait_front(A, m * k);
            cb_wait_front(B, k * n);
            if (is_last) pack_reconfig_data_format(RESULT);
            for (uint32_t row = 0; row < m; row += HEIGHT) {
                for (uint32_t column = 0; column < n; column += WIDTH) {
                    tile_regs_acquire();
                    if (step > 0) {
                        reconfig_data_format_srca(SUMS);
                        copy_init(SUMS);
                        cb_wait_front(SUMS, PART);
                        for (uint32_t i = 0; i < PART; ++i) copy_tile(SUMS, i, i);
                        cb_pop_front(SUMS, PART);
                        reconfig_data_format(B, A);
                        matmul_block_init(A, B, 0, WIDTH, HEIGHT, k);
                    }
                    for (uint32_t i = 0; i < k; ++i) matmul_block(A, B, row * k + i, i * n + column, 0, 0, WIDTH, HEIGHT, k);
                    tile_regs_commit();
                    if (!is_last) cb_reserve_back(SUMS, PART);
                    tile_regs_wait();
                    for (uint32_t i = 0; i < HEIGHT; ++i)
                        for (uint32_t j = 0; j < WIDTH; ++j) {
                            if (is_last)
                                pack_tile<true>(i * WIDTH + j, RESULT, (row + i) * n + column + j);
                            else
                                pack_tile<true>(i * WIDTH + j, SUMS, i * WIDTH + j);
                        }
                    tile_regs_release();
                    if (!is_last) cb_push_back(SUMS, PART);
                }
            }
            cb_pop_front(A, m * k);
            cb_pop_front(B, k * n);
        }
        cb_push_back(RESULT, m * n);
        if (block + 1 < blocks) pack_reconfig_data_format(SUMS);
    }
}
