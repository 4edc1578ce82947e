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
  int32_t v5 = 2;
  tilize_init(v2, v5, v4);
  int32_t v6 = 2;
  tilize_block(v2, v6, v4);
  int32_t v7 = 2;
  cb_pop_front(v2, v7);
  int32_t v8 = 2;
  cb_push_back(v4, v8);
  int32_t v9 = 2;
  tilize_block(v2, v9, v4);
  int32_t v10 = 2;
  cb_pop_front(v2, v10);
  int32_t v11 = 2;
  cb_push_back(v4, v11);
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


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
  ::tt::CB v3 = ::tt::CB::c_in1;
  ::tt::CB v4 = v3;
  ::tt::CB v5 = ::tt::CB::c_out0;
  ::tt::CB v6 = v5;
  mm_init(v2, v4, v6);
  mm_init_short(v2, v4, 0);
  int32_t v7 = 0;
  int32_t v8 = 0;
  int32_t v9 = 0;
  int32_t v10 = 0;
  int32_t v11 = 1;
  int32_t v12 = 1;
  int32_t v13;
  int32_t v14;
  int32_t v15;
  v13 = v7;
  v14 = v8;
  v15 = v9;
  for (int32_t v16 = v10; v16 < v11; v16 += v12) {
    int32_t v17 = v13;
    int32_t v18 = v14;
    int32_t v19 = v15;
    int32_t v20 = 0;
    int32_t v21 = 2;
    int32_t v22 = 1;
    int32_t v23;
    int32_t v24;
    int32_t v25;
    v23 = v17;
    v24 = v18;
    v25 = v19;
    for (int32_t v26 = v20; v26 < v21; v26 += v22) {
      int32_t v27 = v23;
      int32_t v28 = v24;
      int32_t v29 = v25;
      tile_regs_acquire();
      int32_t v30 = 0;
      int32_t v31 = 2;
      int32_t v32 = 1;
      int32_t v33;
      int32_t v34;
      int32_t v35;
      v33 = v27;
      v34 = v28;
      v35 = v29;
      for (int32_t v36 = v30; v36 < v31; v36 += v32) {
        int32_t v37 = v33;
        int32_t v38 = v34;
        int32_t v39 = v35;
        int32_t v40 = 0;
        matmul_tiles(v2, v4, v37, v38, v40);
        int32_t v41 = 1;
        int32_t v42 = v37 + v41;
        int32_t v43 = 2;
        int32_t v44 = v38 + v43;
        int32_t v45 = 0;
        int32_t v46 = v39 + v45;
        v33 = v42;
        v34 = v44;
        v35 = v46;
      }
      int32_t v47 = v33;
      int32_t v48 = v34;
      int32_t v49 = v35;
      int32_t v50 = -2;
      int32_t v51 = v47 + v50;
      int32_t v52 = -3;
      int32_t v53 = v48 + v52;
      int32_t v54 = 1;
      int32_t v55 = v49 + v54;
      tile_regs_commit();
      tile_regs_wait();
      int32_t v56 = 0;
      pack_tile(v56, v6, v29);
      tile_regs_release();
      v23 = v51;
      v24 = v53;
      v25 = v55;
    }
    int32_t v57 = v23;
    int32_t v58 = v24;
    int32_t v59 = v25;
    int32_t v60 = 2;
    int32_t v61 = v57 + v60;
    int32_t v62 = -2;
    int32_t v63 = v58 + v62;
    int32_t v64 = 0;
    int32_t v65 = v59 + v64;
    v13 = v61;
    v14 = v63;
    v15 = v65;
  }
  int32_t v66 = v13;
  int32_t v67 = v14;
  int32_t v68 = v15;
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


// forward_2_noc0.cpp
#include <cstdint>
#include "dataflow_api.h"
void kernel_main() {
  return;
}



// forward_3_compute.cpp
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


// forward_4_compute.cpp
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
  ::tt::CB v3 = ::tt::CB::c_in1;
  ::tt::CB v4 = v3;
  ::tt::CB v5 = ::tt::CB::c_out0;
  ::tt::CB v6 = v5;
  binary_op_init_common(v2, v4, v6);
  int32_t v7 = 0;
  int32_t v8 = 0;
  int32_t v9 = 0;
  int32_t v10 = 1;
  int32_t v11 = 1;
  int32_t v12;
  int32_t v13;
  v12 = v7;
  v13 = v8;
  for (int32_t v14 = v9; v14 < v10; v14 += v11) {
    int32_t v15 = v12;
    int32_t v16 = v13;
    int32_t v17 = 0;
    int32_t v18 = 2;
    int32_t v19 = 1;
    int32_t v20;
    int32_t v21;
    v20 = v15;
    v21 = v16;
    for (int32_t v22 = v17; v22 < v18; v22 += v19) {
      int32_t v23 = v20;
      int32_t v24 = v21;
      tile_regs_acquire();
      copy_tile_init();
      int32_t v25 = 0;
      copy_tile(v2, v23, v25);
      reconfigure_unary_bcast<BroadcastType::NONE, BroadcastType::ROW>(v4, v4, v6, v6);
      int32_t v26 = 1;
      unary_bcast<BroadcastType::ROW>(v4, v24, v26);
      unary_bcast_uninit<BroadcastType::ROW>(v4);
      add_binary_tile_init();
      int32_t v27 = 0;
      int32_t v28 = 1;
      int32_t v29 = 0;
      add_binary_tile(v27, v28, v29);
      tile_regs_commit();
      tile_regs_wait();
      int32_t v30 = 0;
      pack_tile(v30, v6, v23);
      tile_regs_release();
      int32_t v31 = 1;
      int32_t v32 = v23 + v31;
      int32_t v33 = 1;
      int32_t v34 = v24 + v33;
      v20 = v32;
      v21 = v34;
    }
    int32_t v35 = v20;
    int32_t v36 = v21;
    int32_t v37 = 0;
    int32_t v38 = v35 + v37;
    int32_t v39 = -2;
    int32_t v40 = v36 + v39;
    v12 = v38;
    v13 = v40;
  }
  int32_t v41 = v12;
  int32_t v42 = v13;
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


// forward_4_noc0.cpp
#include <cstdint>
#include "dataflow_api.h"
void kernel_main() {
  return;
}



// forward_5_compute.cpp
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


// forward_6_compute.cpp
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
  ::tt::CB v3 = ::tt::CB::c_in1;
  ::tt::CB v4 = v3;
  ::tt::CB v5 = ::tt::CB::c_out0;
  ::tt::CB v6 = v5;
  binary_op_init_common(v2, v4, v6);
  mul_tiles_init_f();
  int32_t v7 = 0;
  int32_t v8 = 0;
  int32_t v9 = 1;
  int32_t v10 = 1;
  int32_t v11;
  v11 = v7;
  for (int32_t v12 = v8; v12 < v9; v12 += v10) {
    int32_t v13 = v11;
    int32_t v14 = 0;
    int32_t v15 = 2;
    int32_t v16 = 1;
    int32_t v17;
    v17 = v13;
    for (int32_t v18 = v14; v18 < v15; v18 += v16) {
      int32_t v19 = v17;
      copy_tile_init();
      int32_t v20 = 1;
      cb_reserve_back(v4, v20);
      tile_regs_acquire();
      recip_tile_init();
      int32_t v21 = 0;
      int32_t v22 = 0;
      copy_tile(v4, v21, v22);
      int32_t v23 = 0;
      recip_tile(v23);
      tile_regs_commit();
      tile_regs_wait();
      int32_t v24 = 0;
      int32_t v25 = 0;
      pack_tile(v24, v4, v25);
      tile_regs_release();
      int32_t v26 = 1;
      cb_push_back(v4, v26);
      int32_t v27 = 1;
      cb_wait_front(v4, v27);
      mul_tiles_init(v2, v4);
      tile_regs_acquire();
      int32_t v28 = 0;
      int32_t v29 = 0;
      mul_tiles(v2, v4, v19, v28, v29);
      tile_regs_commit();
      tile_regs_wait();
      int32_t v30 = 0;
      pack_tile(v30, v6, v19);
      tile_regs_release();
      int32_t v31 = 1;
      cb_pop_front(v4, v31);
      int32_t v32 = 1;
      int32_t v33 = v19 + v32;
      v17 = v33;
    }
    int32_t v34 = v17;
    int32_t v35 = 0;
    int32_t v36 = v34 + v35;
    v11 = v36;
  }
  int32_t v37 = v11;
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


// forward_6_noc0.cpp
#include <cstdint>
#include "dataflow_api.h"
void kernel_main() {
  return;
}



// forward_7_compute.cpp
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
  typecast_tile_init<(uint32_t)DataFormat::Float16_b, (uint32_t)DataFormat::Float32>();
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
      typecast_tile<(uint32_t)DataFormat::Float16_b, (uint32_t)DataFormat::Float32>(v19);
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


// forward_7_noc0.cpp
#include <cstdint>
#include "dataflow_api.h"
void kernel_main() {
  return;
}



// forward_8_compute.cpp
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
  reduce_init<true, PoolType::MAX, ReduceDim::REDUCE_COL>(v2, v6, v4);
  int32_t v7 = 1;
  cb_wait_front(v6, v7);
  int32_t v8 = 0;
  int32_t v9 = 0;
  int32_t v10 = 0;
  int32_t v11 = 2;
  int32_t v12 = 1;
  int32_t v13;
  int32_t v14;
  v13 = v8;
  v14 = v9;
  for (int32_t v15 = v10; v15 < v11; v15 += v12) {
    int32_t v16 = v13;
    int32_t v17 = v14;
    tile_regs_acquire();
    int32_t v18 = 0;
    int32_t v19 = 1;
    int32_t v20 = 1;
    int32_t v21;
    int32_t v22;
    v21 = v16;
    v22 = v17;
    for (int32_t v23 = v18; v23 < v19; v23 += v20) {
      int32_t v24 = v21;
      int32_t v25 = v22;
      int32_t v26 = 0;
      int32_t v27 = 0;
      reduce_tile<PoolType::MAX, ReduceDim::REDUCE_COL>(v2, v6, v24, v26, v27);
      int32_t v28 = 2;
      int32_t v29 = v24 + v28;
      int32_t v30 = 1;
      int32_t v31 = v25 + v30;
      v21 = v29;
      v22 = v31;
    }
    int32_t v32 = v21;
    int32_t v33 = v22;
    int32_t v34 = -1;
    int32_t v35 = v32 + v34;
    int32_t v36 = 0;
    int32_t v37 = v33 + v36;
    tile_regs_commit();
    tile_regs_wait();
    int32_t v38 = 0;
    pack_tile(v38, v4, v17);
    tile_regs_release();
    v13 = v35;
    v14 = v37;
  }
  int32_t v39 = v13;
  int32_t v40 = v14;
  return;
}

void MAIN { kernel_main(); }
} // namespace NAMESPACE


// forward_8_noc0.cpp
#include <cstdint>
#include "dataflow_api.h"
void kernel_main() {
  ::tt::CB v1 = ::tt::CB::c_in1;
  ::tt::CB v2 = v1;
  int32_t v3 = 1065353216;
  int32_t v4 = 1;
  cb_reserve_back(v2, v4);
  int32_t v5 = MEM_ZEROS_BASE;
  int64_t v6 = get_noc_addr(v5);
  int32_t v7 = MEM_ZEROS_SIZE;
  noc_async_read_one_packet_set_state(v6, v7);
  int32_t v8 = get_write_ptr(v2);
  volatile tt_l1_ptr uint32_t* v9 = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(v8);
  int32_t v10 = 0;
  int32_t v11 = 8;
  int32_t v12 = 1;
  int32_t v13;
  v13 = v8;
  for (int32_t v14 = v10; v14 < v11; v14 += v12) {
    int32_t v15 = v13;
    noc_async_read_one_packet_with_state(v6, v15);
    int32_t v16 = v15 + v7;
    v13 = v16;
  }
  int32_t v17 = v13;
  noc_async_read_barrier();
  int32_t v18 = 0;
  int32_t v19 = 4;
  int32_t v20 = 1;
  for (int32_t v21 = v18; v21 < v19; v21 += v20) {
    int32_t v22 = 0;
    int32_t v23 = 16;
    int32_t v24 = 1;
    for (int32_t v25 = v22; v25 < v23; v25 += v24) {
      int32_t v26 = 256;
      int32_t v27 = v21 * v26;
      int32_t v28 = v27 + v25;
      volatile tt_l1_ptr uint32_t v29 = (volatile tt_l1_ptr uint32_t) v3;
      v9[v28] = v29;
    }
  }
  int32_t v30 = 1;
  cb_push_back(v2, v30);
  return;
}



// forward_9_compute.cpp
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


// forward_10_compute.cpp
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


