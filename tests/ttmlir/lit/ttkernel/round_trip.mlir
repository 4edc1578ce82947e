// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// Every operation of ttkernel that has a place of its own, read, printed and read again.

// CHECK-LABEL: func.func @add(
// CHECK: "ttkernel.add"({{%.*}})
func.func @add(%arg0: i32) {
  "ttkernel.add"(%arg0) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @add_tiles(
// CHECK: "ttkernel.add_tiles"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}})
func.func @add_tiles(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg2: i32, %arg3: i32, %arg4: i32) {
  "ttkernel.add_tiles"(%arg0, %arg1, %arg2, %arg3, %arg4) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32, i32, i32) -> ()
  return
}

// CHECK-LABEL: func.func @add_tiles_init(
// CHECK: "ttkernel.add_tiles_init"({{%.*}}, {{%.*}})
func.func @add_tiles_init(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.add_tiles_init"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @binary_op_init_common(
// CHECK: "ttkernel.binary_op_init_common"({{%.*}}, {{%.*}}, {{%.*}})
func.func @binary_op_init_common(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg2: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.binary_op_init_common"(%arg0, %arg1, %arg2) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @builtin(
// CHECK: "ttkernel.builtin"({{%.*}}) <{kind = @name, op = @name}>
func.func @builtin(%arg0: memref<4x8xf32>) {
  "ttkernel.builtin"(%arg0) <{op = @name, kind = @name}> : (memref<4x8xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @cb_pop_front(
// CHECK: "ttkernel.cb_pop_front"({{%.*}}, {{%.*}})
func.func @cb_pop_front(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32) {
  "ttkernel.cb_pop_front"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @cb_push_back(
// CHECK: "ttkernel.cb_push_back"({{%.*}}, {{%.*}})
func.func @cb_push_back(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32) {
  "ttkernel.cb_push_back"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @cb_reserve_back(
// CHECK: "ttkernel.cb_reserve_back"({{%.*}}, {{%.*}})
func.func @cb_reserve_back(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32) {
  "ttkernel.cb_reserve_back"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @cb_wait_front(
// CHECK: "ttkernel.cb_wait_front"({{%.*}}, {{%.*}})
func.func @cb_wait_front(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32) {
  "ttkernel.cb_wait_front"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @copy_tile(
// CHECK: "ttkernel.copy_tile"({{%.*}}, {{%.*}}, {{%.*}})
func.func @copy_tile(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32, %arg2: i32) {
  "ttkernel.copy_tile"(%arg0, %arg1, %arg2) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32, i32) -> ()
  return
}

// CHECK-LABEL: func.func @copy_tile_init(
// CHECK: "ttkernel.copy_tile_init"()
func.func @copy_tile_init() {
  "ttkernel.copy_tile_init"() : () -> ()
  return
}

// CHECK-LABEL: func.func @exp_tile(
// CHECK: "ttkernel.exp_tile"({{%.*}})
func.func @exp_tile(%arg0: i32) {
  "ttkernel.exp_tile"(%arg0) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @exp_tile_init(
// CHECK: "ttkernel.exp_tile_init"()
func.func @exp_tile_init() {
  "ttkernel.exp_tile_init"() : () -> ()
  return
}

// CHECK-LABEL: func.func @get_noc_addr(
// CHECK: "ttkernel.get_noc_addr"({{%.*}})
func.func @get_noc_addr(%arg0: i32) {
  %0 = "ttkernel.get_noc_addr"(%arg0) : (i32) -> !ttkernel.noc_addr
  return
}

// CHECK-LABEL: func.func @get_noc_addr_xy(
// CHECK: "ttkernel.get_noc_addr_xy"({{%.*}}, {{%.*}}, {{%.*}})
func.func @get_noc_addr_xy(%arg0: i32, %arg1: i32, %arg2: i32) {
  %0 = "ttkernel.get_noc_addr_xy"(%arg0, %arg1, %arg2) : (i32, i32, i32) -> !ttkernel.noc_addr
  return
}

// CHECK-LABEL: func.func @get_write_ptr(
// CHECK: "ttkernel.get_write_ptr"({{%.*}})
func.func @get_write_ptr(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  %0 = "ttkernel.get_write_ptr"(%arg0) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> i32
  return
}

// CHECK-LABEL: func.func @matmul(
// CHECK: "ttkernel.matmul"({{%.*}})
func.func @matmul(%arg0: i32) {
  "ttkernel.matmul"(%arg0) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @mem_zeros_base(
// CHECK: "ttkernel.mem_zeros_base"()
func.func @mem_zeros_base() {
  %0 = "ttkernel.mem_zeros_base"() : () -> i32
  return
}

// CHECK-LABEL: func.func @mem_zeros_size(
// CHECK: "ttkernel.mem_zeros_size"()
func.func @mem_zeros_size() {
  %0 = "ttkernel.mem_zeros_size"() : () -> i32
  return
}

// CHECK-LABEL: func.func @mul(
// CHECK: "ttkernel.mul"({{%.*}})
func.func @mul(%arg0: i32) {
  "ttkernel.mul"(%arg0) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @mul_tiles(
// CHECK: "ttkernel.mul_tiles"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}})
func.func @mul_tiles(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg2: i32, %arg3: i32, %arg4: i32) {
  "ttkernel.mul_tiles"(%arg0, %arg1, %arg2, %arg3, %arg4) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32, i32, i32) -> ()
  return
}

// CHECK-LABEL: func.func @mul_tiles_init(
// CHECK: "ttkernel.mul_tiles_init"({{%.*}}, {{%.*}})
func.func @mul_tiles_init(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.mul_tiles_init"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @mul_tiles_init_f(
// CHECK: "ttkernel.mul_tiles_init_f"()
func.func @mul_tiles_init_f() {
  "ttkernel.mul_tiles_init_f"() : () -> ()
  return
}

// CHECK-LABEL: func.func @noc_async_read(
// CHECK: "ttkernel.noc_async_read"({{%.*}}, {{%.*}}, {{%.*}})
func.func @noc_async_read(%arg0: !ttkernel.noc_addr, %arg1: i32, %arg2: i32) {
  "ttkernel.noc_async_read"(%arg0, %arg1, %arg2) : (!ttkernel.noc_addr, i32, i32) -> ()
  return
}

// CHECK-LABEL: func.func @noc_async_read_barrier(
// CHECK: "ttkernel.noc_async_read_barrier"()
func.func @noc_async_read_barrier() {
  "ttkernel.noc_async_read_barrier"() : () -> ()
  return
}

// CHECK-LABEL: func.func @noc_async_read_one_packet_set_state(
// CHECK: "ttkernel.noc_async_read_one_packet_set_state"({{%.*}}, {{%.*}})
func.func @noc_async_read_one_packet_set_state(%arg0: !ttkernel.noc_addr, %arg1: i32) {
  "ttkernel.noc_async_read_one_packet_set_state"(%arg0, %arg1) : (!ttkernel.noc_addr, i32) -> ()
  return
}

// CHECK-LABEL: func.func @noc_async_read_one_packet_with_state(
// CHECK: "ttkernel.noc_async_read_one_packet_with_state"({{%.*}}, {{%.*}})
func.func @noc_async_read_one_packet_with_state(%arg0: !ttkernel.noc_addr, %arg1: !ttkernel.l1_addr) {
  "ttkernel.noc_async_read_one_packet_with_state"(%arg0, %arg1) : (!ttkernel.noc_addr, !ttkernel.l1_addr) -> ()
  return
}

// CHECK-LABEL: func.func @noc_async_write(
// CHECK: "ttkernel.noc_async_write"({{%.*}}, {{%.*}}, {{%.*}})
func.func @noc_async_write(%arg0: i32, %arg1: !ttkernel.noc_addr, %arg2: i32) {
  "ttkernel.noc_async_write"(%arg0, %arg1, %arg2) : (i32, !ttkernel.noc_addr, i32) -> ()
  return
}

// CHECK-LABEL: func.func @noc_async_write_barrier(
// CHECK: "ttkernel.noc_async_write_barrier"()
func.func @noc_async_write_barrier() {
  "ttkernel.noc_async_write_barrier"() : () -> ()
  return
}

// CHECK-LABEL: func.func @pack(
// CHECK: "ttkernel.pack"({{%.*}}, {{%.*}}, {{%.*}})
func.func @pack(%arg0: i32, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg2: i32) {
  "ttkernel.pack"(%arg0, %arg1, %arg2) : (i32, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @pack_set_data_type(
// CHECK: "ttkernel.pack_set_data_type"() <{data_type = 2 : i32}>
func.func @pack_set_data_type() {
  "ttkernel.pack_set_data_type"() <{data_type = 2 : i32}> : () -> ()
  return
}

// CHECK-LABEL: func.func @pack_tile(
// CHECK: "ttkernel.pack_tile"({{%.*}}, {{%.*}}, {{%.*}})
func.func @pack_tile(%arg0: i32, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg2: i32) {
  "ttkernel.pack_tile"(%arg0, %arg1, %arg2) : (i32, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @recip_tile(
// CHECK: "ttkernel.recip_tile"({{%.*}})
func.func @recip_tile(%arg0: i32) {
  "ttkernel.recip_tile"(%arg0) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @recip_tile_init(
// CHECK: "ttkernel.recip_tile_init"()
func.func @recip_tile_init() {
  "ttkernel.recip_tile_init"() : () -> ()
  return
}

// CHECK-LABEL: func.func @reduce_init(
// CHECK: "ttkernel.reduce_init"({{%.*}}, {{%.*}}, {{%.*}}) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_col>, reduce_type = #ttkernel.reduce_type<reduce_max>}>
func.func @reduce_init(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg2: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.reduce_init"(%arg0, %arg1, %arg2) <{reduce_type = #ttkernel.reduce_type<reduce_max>, reduce_dim = #ttkernel.reduce_dim<reduce_dim_col>}> : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @reduce_tile(
// CHECK: "ttkernel.reduce_tile"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_col>, reduce_type = #ttkernel.reduce_type<reduce_max>}>
func.func @reduce_tile(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg2: i32, %arg3: i32, %arg4: i32) {
  "ttkernel.reduce_tile"(%arg0, %arg1, %arg2, %arg3, %arg4) <{reduce_type = #ttkernel.reduce_type<reduce_max>, reduce_dim = #ttkernel.reduce_dim<reduce_dim_col>}> : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32, i32, i32) -> ()
  return
}

// CHECK-LABEL: func.func @reinterpret_cast_volatile_tt_l1_ptr_uint32_t(
// CHECK: "ttkernel.reinterpret_cast<volatile tt_l1_ptr uint32_t*>"({{%.*}})
func.func @reinterpret_cast_volatile_tt_l1_ptr_uint32_t(%arg0: !ttkernel.l1_addr) {
  %0 = "ttkernel.reinterpret_cast<volatile tt_l1_ptr uint32_t*>"(%arg0) : (!ttkernel.l1_addr) -> !ttkernel.l1_addr_ptr
  return
}

// CHECK-LABEL: func.func @store_to_l1(
// CHECK: "ttkernel.store_to_l1"({{%.*}}, {{%.*}}, {{%.*}})
func.func @store_to_l1(%arg0: i32, %arg1: !ttkernel.l1_addr_ptr, %arg2: i32) {
  "ttkernel.store_to_l1"(%arg0, %arg1, %arg2) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()
  return
}

// CHECK-LABEL: func.func @sub(
// CHECK: "ttkernel.sub"({{%.*}})
func.func @sub(%arg0: i32) {
  "ttkernel.sub"(%arg0) : (i32) -> ()
  return
}

// CHECK-LABEL: func.func @tile_regs_acquire(
// CHECK: "ttkernel.tile_regs_acquire"()
func.func @tile_regs_acquire() {
  "ttkernel.tile_regs_acquire"() : () -> ()
  return
}

// CHECK-LABEL: func.func @tile_regs_commit(
// CHECK: "ttkernel.tile_regs_commit"()
func.func @tile_regs_commit() {
  "ttkernel.tile_regs_commit"() : () -> ()
  return
}

// CHECK-LABEL: func.func @tile_regs_release(
// CHECK: "ttkernel.tile_regs_release"()
func.func @tile_regs_release() {
  "ttkernel.tile_regs_release"() : () -> ()
  return
}

// CHECK-LABEL: func.func @tile_regs_wait(
// CHECK: "ttkernel.tile_regs_wait"()
func.func @tile_regs_wait() {
  "ttkernel.tile_regs_wait"() : () -> ()
  return
}

// CHECK-LABEL: func.func @tilize_block(
// CHECK: "ttkernel.tilize_block"({{%.*}}, {{%.*}}, {{%.*}})
func.func @tilize_block(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32, %arg2: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.tilize_block"(%arg0, %arg1, %arg2) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @tilize_init(
// CHECK: "ttkernel.tilize_init"({{%.*}}, {{%.*}}, {{%.*}})
func.func @tilize_init(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32, %arg2: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.tilize_init"(%arg0, %arg1, %arg2) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @unary_op_init_common(
// CHECK: "ttkernel.unary_op_init_common"({{%.*}}, {{%.*}})
func.func @unary_op_init_common(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.unary_op_init_common"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @unpack_a(
// CHECK: "ttkernel.unpack_a"({{%.*}}, {{%.*}})
func.func @unpack_a(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32) {
  "ttkernel.unpack_a"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @unpack_ab(
// CHECK: "ttkernel.unpack_ab"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}})
func.func @unpack_ab(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32, %arg2: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg3: i32) {
  "ttkernel.unpack_ab"(%arg0, %arg1, %arg2, %arg3) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @unpack_set_data_type(
// CHECK: "ttkernel.unpack_set_data_type"() <{data_type_a = 2 : i32, data_type_b = 2 : i32}>
func.func @unpack_set_data_type() {
  "ttkernel.unpack_set_data_type"() <{data_type_a = 2 : i32, data_type_b = 2 : i32}> : () -> ()
  return
}

// CHECK-LABEL: func.func @untilize_block(
// CHECK: "ttkernel.untilize_block"({{%.*}}, {{%.*}}, {{%.*}})
func.func @untilize_block(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: i32, %arg2: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.untilize_block"(%arg0, %arg1, %arg2) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, i32, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}

// CHECK-LABEL: func.func @untilize_init(
// CHECK: "ttkernel.untilize_init"({{%.*}}, {{%.*}})
func.func @untilize_init(%arg0: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, %arg1: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) {
  "ttkernel.untilize_init"(%arg0, %arg1) : (!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>, !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>) -> ()
  return
}
