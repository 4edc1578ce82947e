// One tile of each operand becomes one tile of the result. START, INIT and COMPUTE are what the operation does.
#include <cstdint>

#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    START;
    for (uint32_t tile = 0; tile < count; ++tile) {
        for (uint32_t operand = 0; operand < OPERANDS; ++operand) cb_wait_front(operand, 1);
        cb_reserve_back(RESULT, 1);
        tile_regs_acquire();
        COMPUTE;
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, RESULT);
        tile_regs_release();
        for (uint32_t operand = 0; operand < OPERANDS; ++operand) cb_pop_front(operand, 1);
        cb_push_back(RESULT, 1);
    }
}
