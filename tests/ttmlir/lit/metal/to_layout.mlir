// RUN: ttmlir-opt --split-input-file --ttir-load-system-desc --ttir-implicit-device --ttir-allocate --convert-ttir-to-ttmetal %s | FileCheck %s
// A tensor on one core is divided onto four, which read what is theirs.

#l1_ = #tt.memory_space<l1>
#whole = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<8x32xf32, #l1_>>
#parts = #tt.layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<4x16xf32, #l1_>>
// CHECK: tt.arg_alloc = [#tt.arg_alloc<1024, 1024, l1>]
func.func @rows(%arg0: tensor<8x32xf32, #whole>) -> tensor<8x32xf32, #parts> {
  // CHECK: "ttmetal.alloc"() <{address = 2048 : i64, memory_space = #l1_, size = 256 : i64}>
  %0 = tensor.empty() : tensor<8x32xf32, #parts>
  // CHECK: core_ranges = [#ttmetal.core_range<0x0, 1x1>, #ttmetal.core_range<0x1, 1x1>, #ttmetal.core_range<1x0, 1x1>, #ttmetal.core_range<1x1, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>, #ttkernel.noc_config<noc0>, #ttkernel.noc_config<noc0>, #ttkernel.noc_config<noc0>]
  // CHECK: arith.constant 2240 : i32
  // CHECK-NEXT: arith.constant 64 : i32
  // CHECK: "ttkernel.noc_async_read"
  // CHECK-NEXT: "ttkernel.noc_async_read_barrier"
  // CHECK-NEXT: "ttkernel.return"
  // CHECK: arith.constant 1088 : i32
  // CHECK-NEXT: arith.constant 2048 : i32
  // CHECK-NEXT: arith.constant 64 : i32
  // CHECK: arith.constant 1216 : i32
  // CHECK: arith.constant 1344 : i32
  // CHECK: arith.constant 1472 : i32
  // CHECK: "ttkernel.return"
  // CHECK: arith.constant 1536 : i32
  // CHECK: arith.constant 1664 : i32
  // CHECK: arith.constant 1792 : i32
  // CHECK: arith.constant 1920 : i32
  // CHECK: "ttkernel.return"
  // CHECK: arith.constant 1600 : i32
  // CHECK: arith.constant 1728 : i32
  // CHECK: arith.constant 1856 : i32
  // CHECK: arith.constant 1984 : i32
  // CHECK: "ttkernel.return"
  %1 = "ttir.to_layout"(%arg0, %0) : (tensor<8x32xf32, #whole>, tensor<8x32xf32, #parts>) -> tensor<8x32xf32, #parts>
  return %1 : tensor<8x32xf32, #parts>
}

// -----

// Tiles of a core are read at once.

#l1_ = #tt.memory_space<l1>
#whole = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<2x4x!tt.tile<32x32, f32>, #l1_>>
#parts = #tt.layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<1x2x!tt.tile<32x32, f32>, #l1_>>
// CHECK-LABEL: func.func @tiles
func.func @tiles(%arg0: tensor<64x128xf32, #whole>) -> tensor<64x128xf32, #parts> {
  %0 = tensor.empty() : tensor<64x128xf32, #parts>
  // CHECK: arith.constant 1024 : i32
  // CHECK-NEXT: arith.constant [[TO:.*]] : i32
  // CHECK-NEXT: arith.constant 8192 : i32
  // CHECK: "ttkernel.noc_async_read"
  // CHECK-NEXT: "ttkernel.noc_async_read_barrier"
  // CHECK: arith.constant 9216 : i32
  // CHECK-NEXT: arith.constant [[TO]] : i32
  // CHECK-NEXT: arith.constant 8192 : i32
  // CHECK: arith.constant 17408 : i32
  // CHECK: arith.constant 25600 : i32
  %1 = "ttir.to_layout"(%arg0, %0) : (tensor<64x128xf32, #whole>, tensor<64x128xf32, #parts>) -> tensor<64x128xf32, #parts>
  return %1 : tensor<64x128xf32, #parts>
}

// -----

// To DRAM a core writes.

#l1_ = #tt.memory_space<l1>
#dram = #tt.memory_space<dram>
#here = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<2x4x!tt.tile<32x32, f32>, #l1_>>
#there = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<2x4x!tt.tile<32x32, f32>, #dram>>
// CHECK-LABEL: func.func @to_dram
func.func @to_dram(%arg0: tensor<64x128xf32, #here>) -> tensor<64x128xf32, #there> {
  %0 = tensor.empty() : tensor<64x128xf32, #there>
  // CHECK: core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>]
  // CHECK-NEXT: %[[Y:.*]] = arith.constant 8 : i32
  // CHECK-NEXT: %[[X:.*]] = arith.constant 0 : i32
  // CHECK-NEXT: %[[FROM:.*]] = arith.constant 1024 : i32
  // CHECK-NEXT: %[[TO:.*]] = arith.constant 1024 : i32
  // CHECK-NEXT: %[[SIZE:.*]] = arith.constant 32768 : i32
  // CHECK-NEXT: %[[NOC:.*]] = "ttkernel.get_noc_addr_xy"(%[[X]], %[[Y]], %[[TO]])
  // CHECK-NEXT: "ttkernel.noc_async_write"(%[[FROM]], %[[NOC]], %[[SIZE]])
  // CHECK-NEXT: "ttkernel.noc_async_write_barrier"
  %1 = "ttir.to_layout"(%arg0, %0) : (tensor<64x128xf32, #here>, tensor<64x128xf32, #there>) -> tensor<64x128xf32, #there>
  return %1 : tensor<64x128xf32, #there>
}
