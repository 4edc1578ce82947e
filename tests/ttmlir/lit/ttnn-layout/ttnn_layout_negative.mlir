// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device --ttnn-layout --verify-diagnostics %s
// RUN: not ttmlir-opt --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s 2>&1 | FileCheck %s
// RUN: not ttmlir-opt --ttnn-layout %s 2>&1 | FileCheck %s --check-prefix=DEVICE
// What has no layout is reported, all of it (the real project aborts at the first).
// CHECK: note: give one constraint for each operand, such as #tt.operand_constraint<any_device>
// DEVICE: error: 'builtin.module' op has no tt.device
// DEVICE: note: run --ttir-load-system-desc and --ttir-implicit-device before --ttnn-layout
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#tiles = #tt.operand_constraint<dram|l1|tile|any_device_tile>
// expected-error@+1 {{argument #0 of type 'tensor<f32>' has no layout: a tensor without dimensions has no layout}}
func.func @bad(%a: tensor<f32>, %b: tensor<32x32xf64>, %c: tensor<32x32xi1>, %d: tensor<32x32xi64>) -> (tensor<f32>, tensor<32x32xf64>, tensor<32x32xf32>) {
  %0 = tensor.empty() : tensor<f32>
  // expected-error@+1 {{result #0 of type 'tensor<f32>' has no layout: a tensor without dimensions has no layout}}
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = tensor.empty() : tensor<32x32xf64>
  // expected-error@+1 {{operands #0, #1 of type 'tensor<32x32xf64>' cannot get a layout: no data type of the chip holds f64}}
  %3 = "ttir.relu"(%b, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf64>, tensor<32x32xf64>) -> tensor<32x32xf64>
  %4 = tensor.empty() : tensor<32x32xi1>
  // expected-error@+1 {{operands #0, #1 of type 'tensor<32x32xi1>' cannot get a layout: no data type of the chip holds i1}}
  %5 = "ttir.logical_not"(%c, %4) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#tiles, #tiles]}> : (tensor<32x32xi1>, tensor<32x32xi1>) -> tensor<32x32xi1>
  %6 = tensor.empty() : tensor<32x32xf32>
  // expected-error@+1 {{has 2 operands, destinations included, and 1 operand_constraints}}
  %7 = "ttir.relu"(%6, %6) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1, %3, %7 : tensor<f32>, tensor<32x32xf64>, tensor<32x32xf32>
}
func.func @other_layout(%a: tensor<32x32xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<32x32xf32, #tt.memory_space<system>>>>) -> tensor<32x32xf32> {
  %0 = tensor.empty() : tensor<32x32xf32>
  // expected-error@+1 {{operand #0}}
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<32x32xf32, #tt.memory_space<system>>>>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
func.func @lowered(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = tensor.empty() : tensor<32x32xf32>
  // expected-error@+1 {{'ttnn.relu' op is not of TTIR, and layouts are given to TTIR only}}
  %1 = "ttnn.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}
// expected-error@+1 {{argument #0 of type 'tensor<?x32xf32>' has no layout: its shape is not known}}
func.func @dynamic(%a: tensor<?x32xf32>) -> tensor<?x32xf32> {
  return %a : tensor<?x32xf32>
}
