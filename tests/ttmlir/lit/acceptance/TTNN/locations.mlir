// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline --mlir-print-debuginfo %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @forward(%arg0: tensor<64x128xbf16>, %arg1: tensor<1x128xbf16>) -> tensor<64x128xbf16> {
    %0 = tensor.empty() : tensor<64x128xbf16> loc("empty")
    // CHECK: "ttnn.get_device"{{.*}} loc(#[[IN0:loc[0-9]+]])
    // CHECK: "ttnn.to_device"{{.*}} loc(#[[IN0]])
    // CHECK: "ttnn.to_layout"{{.*}} loc(#[[IN0]])
    // CHECK: "ttnn.to_device"{{.*}} loc(#[[IN1:loc[0-9]+]])
    // CHECK: "ttnn.neg"{{.*}} loc(#[[OP:loc[0-9]+]])
    // CHECK: "ttnn.add"{{.*}} loc(#[[OP]])
    %1 = "ttir.subtract"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<1x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16> loc("sub7")
    return %1 : tensor<64x128xbf16>
  }
}
// CHECK-DAG: #[[IN0]] = loc("sub7_in_0_layout")
// CHECK-DAG: #[[IN1]] = loc("sub7_in_1_layout")
// CHECK-DAG: #[[OP]] = loc("sub7")
