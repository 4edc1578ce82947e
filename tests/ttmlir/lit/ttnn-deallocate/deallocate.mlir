// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
module attributes {} {
  // CHECK-LABEL: func.func @chain
  func.func @chain(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
    // CHECK: %[[ON_HOST:.*]] = "ttnn.to_layout"(%arg0)
    // CHECK-NEXT: %[[A:.*]] = "ttnn.to_device"(%[[ON_HOST]]
    // CHECK-NEXT: "ttnn.deallocate"(%[[ON_HOST]]) <{force = false}>
    // CHECK-NEXT: %[[E0:.*]] = "ttnn.empty"
    %0 = tensor.empty() : tensor<64x128xf32>
    // CHECK-NEXT: %[[X:.*]] = "ttnn.relu"(%[[A]], %[[E0]])
    // CHECK-NEXT: "ttnn.deallocate"(%[[A]]) <{force = false}>
    %1 = "ttir.relu"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    // CHECK-NEXT: %[[E1:.*]] = "ttnn.empty"
    %2 = tensor.empty() : tensor<64x128xf32>
    // What an operation writes lies in its destination, and is given back by that name.
    // CHECK-NEXT: %[[Y:.*]] = "ttnn.exp"(%[[X]], %[[E1]])
    // CHECK-NEXT: "ttnn.deallocate"(%[[E0]]) <{force = false}>
    %3 = "ttir.exp"(%1, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    // CHECK-NEXT: %[[F:.*]] = "ttnn.from_device"(%[[Y]])
    // CHECK-NEXT: "ttnn.deallocate"(%[[E1]]) <{force = false}>
    // CHECK-NEXT: %[[R:.*]] = "ttnn.to_layout"(%[[F]])
    // CHECK-NEXT: "ttnn.deallocate"(%[[F]]) <{force = false}>
    // CHECK-NEXT: return %[[R]]
    return %3 : tensor<64x128xf32>
  }

  // Several that die at one operation are given back in the reverse order.
  // CHECK-LABEL: func.func @together
  func.func @together(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
    // CHECK: %[[A:.*]] = "ttnn.to_device"
    // CHECK: %[[B:.*]] = "ttnn.to_device"
    %0 = tensor.empty() : tensor<64x128xf32>
    // CHECK: "ttnn.add"(%[[A]], %[[B]]
    // CHECK-NEXT: "ttnn.deallocate"(%[[B]])
    // CHECK-NEXT: "ttnn.deallocate"(%[[A]])
    %1 = "ttir.add"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }

  // CHECK-LABEL: func.func @arguments_are_the_callers
  func.func @arguments_are_the_callers(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
    // CHECK-NEXT: return %arg0
    return %arg0 : tensor<64x128xf32>
  }
}
