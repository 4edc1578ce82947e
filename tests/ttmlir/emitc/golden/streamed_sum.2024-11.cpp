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
  int32_t v5 = 1;
  tilize_init(v2, v5, v4);
  int32_t v6 = 1;
  tilize_block(v2, v6, v4);
  int32_t v7 = 1;
  cb_pop_front(v2, v7);
  int32_t v8 = 1;
  cb_push_back(v4, v8);
  int32_t v9 = 1;
  tilize_block(v2, v9, v4);
  int32_t v10 = 1;
  cb_pop_front(v2, v10);
  int32_t v11 = 1;
  cb_push_back(v4, v11);
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
  ::tt::CB v5 = ::tt::CB::c_in1;
  ::tt::CB v6 = v5;
  int32_t v7 = 4;
  cb_wait_front(v2, v7);
  reduce_init<true, PoolType::SUM, ReduceDim::REDUCE_ROW>(v2, v6, v4);
  int32_t v8 = 1;
  cb_wait_front(v6, v8);
  int32_t v9 = 0;
  int32_t v10 = 0;
  int32_t v11 = 0;
  int32_t v12 = 2;
  int32_t v13 = 1;
  int32_t v14;
  int32_t v15;
  v14 = v9;
  v15 = v10;
  for (int32_t v16 = v11; v16 < v12; v16 += v13) {
    int32_t v17 = v14;
    int32_t v18 = v15;
    tile_regs_acquire();
    int32_t v19 = 0;
    int32_t v20 = 2;
    int32_t v21 = 1;
    int32_t v22;
    int32_t v23;
    v22 = v17;
    v23 = v18;
    for (int32_t v24 = v19; v24 < v20; v24 += v21) {
      int32_t v25 = v22;
      int32_t v26 = v23;
      int32_t v27 = 0;
      int32_t v28 = 0;
      reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(v2, v6, v25, v27, v28);
      int32_t v29 = 1;
      int32_t v30 = v25 + v29;
      int32_t v31 = 1;
      int32_t v32 = v26 + v31;
      v22 = v30;
      v23 = v32;
    }
    int32_t v33 = v22;
    int32_t v34 = v23;
    int32_t v35 = 0;
    int32_t v36 = v33 + v35;
    int32_t v37 = -1;
    int32_t v38 = v34 + v37;
    tile_regs_commit();
    tile_regs_wait();
    int32_t v39 = 0;
    pack_tile(v39, v4, v18);
    tile_regs_release();
    v14 = v36;
    v15 = v38;
  }
  int32_t v40 = v14;
  int32_t v41 = v15;
  int32_t v42 = 4;
  cb_pop_front(v2, v42);
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


// forward_1_noc0.cpp
#include <cstdint>
#include "dataflow_api.h"
void kernel_main() {
  ::tt::CB v1 = ::tt::CB::c_in0;
  ::tt::CB v2 = v1;
  ::tt::CB v3 = ::tt::CB::c_in1;
  ::tt::CB v4 = v3;
  int32_t v5 = 1065353216;
  int32_t v6 = 1;
  cb_reserve_back(v4, v6);
  int32_t v7 = MEM_ZEROS_BASE;
  int64_t v8 = get_noc_addr(v7);
  int32_t v9 = MEM_ZEROS_SIZE;
  noc_async_read_one_packet_set_state(v8, v9);
  int32_t v10 = get_write_ptr(v4);
  volatile tt_l1_ptr uint32_t* v11 = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(v10);
  int32_t v12 = 0;
  int32_t v13 = 8;
  int32_t v14 = 1;
  int32_t v15;
  v15 = v10;
  for (int32_t v16 = v12; v16 < v13; v16 += v14) {
    int32_t v17 = v15;
    noc_async_read_one_packet_with_state(v8, v17);
    int32_t v18 = v17 + v9;
    v15 = v18;
  }
  int32_t v19 = v15;
  noc_async_read_barrier();
  int32_t v20 = 0;
  int32_t v21 = 4;
  int32_t v22 = 1;
  for (int32_t v23 = v20; v23 < v21; v23 += v22) {
    int32_t v24 = 0;
    int32_t v25 = 16;
    int32_t v26 = 1;
    for (int32_t v27 = v24; v27 < v25; v27 += v26) {
      int32_t v28 = 256;
      int32_t v29 = v23 * v28;
      int32_t v30 = v29 + v27;
      volatile tt_l1_ptr uint32_t v31 = (volatile tt_l1_ptr uint32_t) v5;
      v11[v30] = v31;
    }
  }
  int32_t v32 = 1;
  cb_push_back(v4, v32);
  int32_t v33 = 1;
  cb_reserve_back(v2, v33);
  int32_t v34 = 0;
  int32_t v35 = 0;
  int32_t v36 = 25600;
  int32_t v37 = 9216;
  int32_t v38 = 4096;
  int64_t v39 = get_noc_addr(v35, v34, v36);
  noc_async_read(v39, v37, v38);
  noc_async_read_barrier();
  int32_t v40 = 1;
  cb_push_back(v2, v40);
  int32_t v41 = 1;
  cb_reserve_back(v2, v41);
  int32_t v42 = 0;
  int32_t v43 = 1;
  int32_t v44 = 25600;
  int32_t v45 = 13312;
  int32_t v46 = 4096;
  int64_t v47 = get_noc_addr(v43, v42, v44);
  noc_async_read(v47, v45, v46);
  noc_async_read_barrier();
  int32_t v48 = 1;
  cb_push_back(v2, v48);
  int32_t v49 = 1;
  cb_reserve_back(v2, v49);
  int32_t v50 = 0;
  int32_t v51 = 0;
  int32_t v52 = 29696;
  int32_t v53 = 17408;
  int32_t v54 = 4096;
  int64_t v55 = get_noc_addr(v51, v50, v52);
  noc_async_read(v55, v53, v54);
  noc_async_read_barrier();
  int32_t v56 = 1;
  cb_push_back(v2, v56);
  int32_t v57 = 1;
  cb_reserve_back(v2, v57);
  int32_t v58 = 0;
  int32_t v59 = 1;
  int32_t v60 = 29696;
  int32_t v61 = 21504;
  int32_t v62 = 4096;
  int64_t v63 = get_noc_addr(v59, v58, v60);
  noc_async_read(v63, v61, v62);
  noc_async_read_barrier();
  int32_t v64 = 1;
  cb_push_back(v2, v64);
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
  int32_t v5 = 1;
  untilize_block(v2, v5, v4);
  int32_t v6 = 1;
  cb_pop_front(v2, v6);
  int32_t v7 = 1;
  cb_push_back(v4, v7);
  int32_t v8 = 1;
  untilize_block(v2, v8, v4);
  int32_t v9 = 1;
  cb_pop_front(v2, v9);
  int32_t v10 = 1;
  cb_push_back(v4, v10);
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


