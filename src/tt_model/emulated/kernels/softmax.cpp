// Softmax of lines of tiles: the maximum, powers of the differences, their sum, and the products with one by the sum.
#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"

constexpr uint32_t X = 0, NUMBER = 3, POWERS = 4;

// One tile of a line: its maximum, or one by its sum.
template <PoolType pool>
inline void reduced(uint32_t from, uint32_t along) {
    cb_reserve_back(NUMBER, 1);
    reconfig_data_format(from, SCALER);
    tile_regs_acquire();
    reduce_init<pool, ReduceDim::REDUCE_ROW>(from, SCALER, NUMBER);
    for (uint32_t tile = 0; tile < along; ++tile) reduce_tile<pool, ReduceDim::REDUCE_ROW>(from, SCALER, tile, 0, 0);
    if constexpr (pool == PoolType::SUM) {
        recip_tile_init();
        recip_tile(0);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, NUMBER);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(NUMBER, 1);
    cb_wait_front(NUMBER, 1);
}

void kernel_main() {
    const uint32_t lines = get_arg_val<uint32_t>(0), along = get_arg_val<uint32_t>(1);
    compute_kernel_hw_startup(X, SCALER, NUMBER);
    cb_wait_front(SCALER, 1);
    for (uint32_t line = 0; line < lines; ++line) {
        cb_wait_front(X, along);
        reduced<PoolType::MAX>(X, along);
        cb_reserve_back(POWERS, along);
        for (uint32_t first = 0; first < along; first += REGISTERS) {
            const uint32_t count = along - first < REGISTERS ? along - first : REGISTERS;
            tile_regs_acquire();
            sub_bcast_cols_init(X, NUMBER);
            for (uint32_t i = 0; i < count; ++i) sub_tiles_bcast_cols(X, NUMBER, first + i, 0, i);
            exp_tile_init<false>();
            for (uint32_t i = 0; i < count; ++i) exp_tile<false>(i);
            tile_regs_commit();
            tile_regs_wait();
            for (uint32_t i = 0; i < count; ++i) pack_tile<true>(i, POWERS, first + i);
            tile_regs_release();
        }
        cb_push_back(POWERS, along);
        cb_pop_front(X, along);
        cb_pop_front(NUMBER, 1);
        cb_wait_front(POWERS, along);
        reduced<PoolType::SUM>(POWERS, along);
        cb_reserve_back(RESULT, along);
        for (uint32_t first = 0; first < along; first += REGISTERS) {
            const uint32_t count = along - first < REGISTERS ? along - first : REGISTERS;
            tile_regs_acquire();
            mul_bcast_cols_init(POWERS, NUMBER);
            for (uint32_t i = 0; i < count; ++i) mul_tiles_bcast_cols(POWERS, NUMBER, first + i, 0, i);
            tile_regs_commit();
            tile_regs_wait();
            for (uint32_t i = 0; i < count; ++i) pack_tile<true>(i, RESULT, first + i);
            tile_regs_release();
        }
        cb_push_back(RESULT, along);
        cb_pop_front(POWERS, along);
        cb_pop_front(NUMBER, 1);
    }
}
