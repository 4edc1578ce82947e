// forward_0_compute.cpp
#include <cstdint>
#include "llk_defs.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/untilize.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#define REDUCE_OP PoolType::SUM
#define REDUCE_DIM ReduceDim::REDUCE_COL
#include "compute_kernel_api/reduce.h"
namespace NAMESPACE {
void kernel_main() {
  ::tt::CB v1 = ::tt::CB::c_in0;
  ::tt::CB v2 = v1;
  ::tt::CB v3 = ::tt::CB::c_out0;
  ::tt::CB v4 = v3;
  int32_t v5 = 2;
  tilize_init(v2, v5, v4);
  int32_t v6 = 2;
  tilize_block(v2, v6, v4);
  int32_t v7 = 2;
  cb_pop_front(v2, v7);
  int32_t v8 = 2;
  cb_push_back(v4, v8);
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


// forward_1_compute.cpp
#include <cstdint>
#include "llk_defs.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/untilize.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#define REDUCE_OP PoolType::SUM
#define REDUCE_DIM ReduceDim::REDUCE_COL
#include "compute_kernel_api/reduce.h"
namespace NAMESPACE {
void kernel_main() {
  ::tt::CB v1 = ::tt::CB::c_in0;
  ::tt::CB v2 = v1;
  ::tt::CB v3 = ::tt::CB::c_out0;
  ::tt::CB v4 = v3;
  unary_op_init_common(v2, v4);
  exp_tile_init();
  int32_t v5 = 0;
  int32_t v6 = 0;
  int32_t v7 = 1;
  int32_t v8 = 1;
  int32_t v9;
  v9 = v5;
  for (int32_t v10 = v6; v10 < v7; v10 += v8) {
    int32_t v11 = v9;
    int32_t v12 = 0;
    int32_t v13 = 2;
    int32_t v14 = 1;
    int32_t v15;
    v15 = v11;
    for (int32_t v16 = v12; v16 < v13; v16 += v14) {
      int32_t v17 = v15;
      tile_regs_acquire();
      int32_t v18 = 0;
      copy_tile(v2, v17, v18);
      int32_t v19 = 0;
      exp_tile(v19);
      tile_regs_commit();
      tile_regs_wait();
      int32_t v20 = 0;
      pack_tile(v20, v4, v17);
      tile_regs_release();
      int32_t v21 = 1;
      int32_t v22 = v17 + v21;
      v15 = v22;
    }
    int32_t v23 = v15;
    int32_t v24 = 0;
    int32_t v25 = v23 + v24;
    v9 = v25;
  }
  int32_t v26 = v9;
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


// forward_1_noc0.cpp
#include <cstdint>
#include "dataflow_api.h"
void kernel_main() {
  return;
}



// forward_2_compute.cpp
#include <cstdint>
#include "llk_defs.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/untilize.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#define REDUCE_OP PoolType::SUM
#define REDUCE_DIM ReduceDim::REDUCE_COL
#include "compute_kernel_api/reduce.h"
namespace NAMESPACE {
void kernel_main() {
  ::tt::CB v1 = ::tt::CB::c_in0;
  ::tt::CB v2 = v1;
  ::tt::CB v3 = ::tt::CB::c_out0;
  ::tt::CB v4 = v3;
  untilize_init(v2, v4);
  int32_t v5 = 2;
  untilize_block(v2, v5, v4);
  int32_t v6 = 2;
  cb_pop_front(v2, v6);
  int32_t v7 = 2;
  cb_push_back(v4, v7);
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


