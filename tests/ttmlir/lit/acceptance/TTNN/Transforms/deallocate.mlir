// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @forward(%arg0: tensor<64x96xf32>) -> tensor<64x96xf32> {
    // CHECK: %[[L:.*]] = "ttnn.to_layout"(%arg0)
    // CHECK: %[[D:.*]] = "ttnn.to_device"(%[[L]]
    // CHECK-NEXT: "ttnn.deallocate"(%[[L]]) <{force = false}>
    // CHECK: %[[E:.*]] = "ttnn.empty"
    %0 = tensor.empty() : tensor<64x96xf32>
    // CHECK-NEXT: %[[R:.*]] = "ttnn.relu"(%[[D]], %[[E]])
    // CHECK-NEXT: "ttnn.deallocate"(%[[D]]) <{force = false}>
    %1 = "ttir.relu"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
    // CHECK-NEXT: %[[F:.*]] = "ttnn.from_device"(%[[R]])
    // CHECK-NEXT: "ttnn.deallocate"(%[[E]]) <{force = false}>
    // CHECK-NEXT: %[[H:.*]] = "ttnn.to_layout"(%[[F]])
    // CHECK-NEXT: "ttnn.deallocate"(%[[F]]) <{force = false}>
    // CHECK-NEXT: return %[[H]]
    return %1 : tensor<64x96xf32>
  }
}
