// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// Every operation of ttmetal that has a place of its own, read, printed and read again.

#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
#metal_host = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<system>>>

// CHECK-LABEL: func.func @alloc(
// CHECK: "ttmetal.alloc"() <{address = 4096 : i64, memory_space = #l1_, size = 32768 : i64}>
func.func @alloc() {
  %0 = "ttmetal.alloc"() <{address = 4096 : i64, memory_space = #tt.memory_space<l1>, size = 32768 : i64}> : () -> tensor<64x128xf32, #metal_l1>
  return
}

// CHECK-LABEL: func.func @dealloc(
// CHECK: "ttmetal.dealloc"({{%.*}})
func.func @dealloc(%arg0: tensor<64x128xf32, #metal_l1>) {
  "ttmetal.dealloc"(%arg0) : (tensor<64x128xf32, #metal_l1>) -> ()
  return
}

// CHECK-LABEL: func.func @dispatch(
// CHECK: "ttmetal.dispatch"({{%.*}}, {{%.*}}) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}>
func.func @dispatch(%arg0: tensor<64x128xf32, #metal_l1>, %arg1: tensor<64x128xf32, #metal_l1>) {
  %0 = "ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%arg9: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>):
    "ttkernel.return"() : () -> ()
  }) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
  return
}

// CHECK-LABEL: func.func @host_read(
// CHECK: "ttmetal.host_read"({{%.*}}, {{%.*}})
func.func @host_read(%arg0: tensor<64x128xf32, #metal_l1>, %arg1: tensor<64x128xf32, #metal_host>) {
  %0 = "ttmetal.host_read"(%arg0, %arg1) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_host>) -> tensor<64x128xf32, #metal_host>
  return
}

// CHECK-LABEL: func.func @host_write(
// CHECK: "ttmetal.host_write"({{%.*}}) <{value = dense<1.000000e+00> : tensor<64x128xf32>}>
func.func @host_write(%arg0: tensor<64x128xf32, #metal_l1>) {
  %0 = "ttmetal.host_write"(%arg0) <{value = dense<1.0> : tensor<64x128xf32>}> : (tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
  return
}
