// RUN: ttl-opt %s -p ttl-plan-rows | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-rows,ttl-plan-rows | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-rows,convert-datamovement-to-ttkernel | filecheck %s --check-prefix=CALLS

// A kernel that reads a row from where no transfer can begin has a buffer for it: 32 bytes, and 32 for what is in front.
// CHECK: ttl.create_dfb "read_rows" {{.*}}ttl.row_window = 64{{.*}}!ttl.dfb<[1, 16], ui32, 1>
// CHECK-NOT: ttl.create_dfb
// CALLS: noc_async_read{{.*}}
// CALLS: noc_async_read_barrier
// CALLS: load_from_l1
// CALLS: store_to_l1
#encoding = #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>
ttl.operation @f(%a: tensor<4x64xf32, #encoding>) grid <1x1> {
  %a_accessor = ttl.tensor_accessor %a : tensor<4x64xf32, #encoding>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[8], f32, 2>
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  ttl.datamovement_kernel @read {
    %blk = ttl.dfb_reserve %dfb : <[8], f32, 2>
    %s = ttl.tensor_slice %a_accessor[%c0, %c3 size 8] : !ttl.accessor<tensor<4x64xf32, #encoding>> -> !ttl.slice<[1, 8], f32>
    %x = ttl.copy %s to %blk : !ttl.slice<[1, 8], f32>, !ttl.block<[8], f32>
    ttl.wait %x explicit
    ttl.dfb_push %blk with : <[8], f32>
  }
}
