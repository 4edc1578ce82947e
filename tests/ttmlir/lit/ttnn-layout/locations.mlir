// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout --mlir-print-debuginfo %s | FileCheck %s
// Changes of layout of an operation with a name are called after it and the operand. A destination keeps its own place.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @subtract(%a: tensor<64x128xbf16>, %b: tensor<1x128xbf16>) -> tensor<64x128xbf16> {
  %0 = tensor.empty() : tensor<64x128xbf16> loc("e")
  %1 = "ttir.subtract"(%a, %b, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<1x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16> loc("sub7")
  return %1 : tensor<64x128xbf16> loc("ret")
}
// CHECK-LABEL: func.func @subtract(
// CHECK: tensor.empty() : tensor<64x128xbf16, #{{.*}} loc([[IN0:#.+]])
// CHECK-NEXT: "ttir.to_layout"{{.*}} loc([[IN0]])
// CHECK-NEXT: tensor.empty() : tensor<1x128xbf16, #{{.*}} loc([[IN1:#.+]])
// CHECK-NEXT: "ttir.to_layout"{{.*}} loc([[IN1]])
// CHECK-NEXT: tensor.empty() {{.*}} loc([[E:#.+]])
// CHECK-NEXT: "ttir.subtract"{{.*}} loc([[SUB:#.+]])
// CHECK-NEXT: tensor.empty() {{.*}} loc([[RET:#.+]])
// CHECK-NEXT: "ttir.to_layout"{{.*}} loc([[RET]])
// CHECK-NEXT: return {{.*}} loc([[RET]])
// CHECK: [[IN0]] = loc("sub7_in_0_layout")
// CHECK: [[IN1]] = loc("sub7_in_1_layout")
// CHECK: [[E]] = loc("e")
// CHECK: [[SUB]] = loc("sub7")
// CHECK: [[RET]] = loc("ret")
