// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  // CHECK-LABEL: func.func @f
  func.func @f(%arg0: tensor<32x32xf32>) -> tensor<32x32xf32> {
    // CHECK: "ttnn.get_device"
    // CHECK-NEXT: %[[K:.*]] = "ttnn.full"(%{{.*}}) <{fillValue = 3.000000e+00 : f32}>
    // CHECK-NEXT: %[[Z:.*]] = "ttnn.empty"
    // CHECK: %[[S:.*]] = "ttnn.add"(%{{.*}}, %[[Z]], %{{.*}})
    // CHECK: %[[T:.*]] = "ttnn.add"(%[[S]], %[[K]], %{{.*}})
    // CHECK: "ttnn.multiply"(%[[T]], %[[K]], %{{.*}})
    // CHECK-NOT: "ttnn.full"
    %k0 = "ttir.constant"() <{value = dense<0.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
    %0 = tensor.empty() : tensor<32x32xf32>
    %s = "ttir.add"(%arg0, %k0, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %k1 = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
    %1 = tensor.empty() : tensor<32x32xf32>
    %t = "ttir.add"(%s, %k1, %1) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %k2 = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
    %2 = tensor.empty() : tensor<32x32xf32>
    %m = "ttir.multiply"(%t, %k2, %2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    return %m : tensor<32x32xf32>
  }
}
