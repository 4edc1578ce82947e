// Tiles of a line become one tile, one after the other.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    const uint32_t lines = get_arg_val<uint32_t>(0), along = get_arg_val<uint32_t>(1);
    compute_kernel_hw_startup(0, SCALER, RESULT);
    reduce_init<POOL, DIMENSION>(0, SCALER, RESULT);
    cb_wait_front(SCALER, 1);
    for (uint32_t line = 0; line < lines; ++line) {
        cb_reserve_back(RESULT, 1);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < along; ++tile) {
            cb_wait_front(0, 1);
            reduce_tile<POOL, DIMENSION>(0, SCALER, 0, 0, 0);
            cb_pop_front(0, 1);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, RESULT);
        tile_regs_release();
        cb_push_back(RESULT, 1);
    }
    reduce_uninit();
}
