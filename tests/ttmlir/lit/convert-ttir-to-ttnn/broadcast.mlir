// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
module attributes {} {
  // CHECK-LABEL: func.func @folded_away
  func.func @folded_away(%arg0: tensor<1x1xf32>, %arg1: tensor<32x64xf32>) -> tensor<32x64xf32> {
    // CHECK-NOT: broadcast
    // CHECK: %[[SMALL:.*]] = "ttnn.to_device"{{.*}} -> tensor<1x1xf32
    %0 = tensor.empty() : tensor<1x64xf32>
    %1 = "ttir.broadcast"(%arg0, %0) <{dimension = [1], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x1xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %2 = tensor.empty() : tensor<32x64xf32>
    %3 = "ttir.broadcast"(%1, %2) <{dimension = [0], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %4 = tensor.empty() : tensor<32x64xf32>
    // CHECK: "ttnn.multiply"(%{{.*}}, %[[SMALL]], %{{.*}})
    %5 = "ttir.multiply"(%arg1, %3, %4) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    return %5 : tensor<32x64xf32>
  }

  // CHECK-LABEL: func.func @whole_where_it_is_returned
  func.func @whole_where_it_is_returned(%arg0: tensor<1x64xf32>) -> tensor<32x64xf32> {
    %0 = tensor.empty() : tensor<32x64xf32>
    // CHECK: %[[ONES:.*]] = "ttnn.full"(%{{.*}}) <{fillValue = 1.000000e+00 : f32}> : (!tt.device<#device>) -> tensor<32x64xf32
    // CHECK: "ttnn.multiply"(%{{.*}}, %[[ONES]], %{{.*}})
    %1 = "ttir.broadcast"(%arg0, %0) <{dimension = [0], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    return %1 : tensor<32x64xf32>
  }
}
