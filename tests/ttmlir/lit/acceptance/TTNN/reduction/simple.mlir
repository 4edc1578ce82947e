// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module {
  // CHECK-LABEL: func.func @sum(
  func.func @sum(%arg0: tensor<512x1024xbf16>) -> tensor<512x1xbf16> {
    %0 = tensor.empty() : tensor<512x1xbf16>
    // CHECK: %[[C:.*]] = "ttnn.sum"(%{{[0-9]+}})
    %1 = "ttir.sum"(%arg0, %0) <{keep_dim = true, dim_arg = [-1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<512x1xbf16>) -> tensor<512x1xbf16>
    return %1 : tensor<512x1xbf16>
  }
  // CHECK-LABEL: func.func @mean(
  func.func @mean(%arg0: tensor<512x1024xbf16>) -> tensor<1024xbf16> {
    %0 = tensor.empty() : tensor<1024xbf16>
    // CHECK: %[[C:.*]] = "ttnn.mean"(%{{[0-9]+}}) 
    %1 = "ttir.mean"(%arg0, %0) <{keep_dim = false, dim_arg = [0: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<1024xbf16>) -> tensor<1024xbf16>
    return %1 : tensor<1024xbf16>
  }
  // CHECK-LABEL: func.func @max(
  func.func @max(%arg0: tensor<512x1024xbf16>) -> tensor<1x1xbf16> {
    %0 = tensor.empty() : tensor<1x1xbf16>
    // CHECK: %[[C:.*]] = "ttnn.max"(%{{[0-9]+}}) 
    %1 = "ttir.max"(%arg0, %0) <{keep_dim = true, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<1x1xbf16>) -> tensor<1x1xbf16>
    return %1 : tensor<1x1xbf16>
  }
}
