// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  // CHECK-LABEL: func.func @zeros
  func.func @zeros() -> tensor<64x128xi32> {
    // CHECK: "ttnn.get_device"
    // CHECK: "ttnn.empty"() <{dtype = #tt.supportedDataTypes<u32>, layout = #ttnn.layout<row_major>, shape = #ttnn.shape<64x128>}>
    %0 = "ttir.constant"() <{value = dense<0> : tensor<64x128xi32>}> : () -> tensor<64x128xi32>
    return %0 : tensor<64x128xi32>
  }

  // CHECK-LABEL: func.func @ones
  func.func @ones() -> tensor<64x128xbf16> {
    // CHECK: %[[DEVICE:.*]] = "ttnn.get_device"
    // CHECK: "ttnn.full"(%[[DEVICE]]) <{fillValue = 1.500000e+00 : f32}>
    %0 = "ttir.constant"() <{value = dense<1.5> : tensor<64x128xbf16>}> : () -> tensor<64x128xbf16>
    return %0 : tensor<64x128xbf16>
  }

  // CHECK-LABEL: func.func @on_the_device
  func.func @on_the_device(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
    // CHECK: "ttnn.full"(%{{.*}}) <{fillValue = 3.000000e+00 : f32}> : (!tt.device<#device>) -> tensor<64x128xf32, #[[ROWS:.*]]>
    %0 = "ttir.constant"() <{value = dense<3.0> : tensor<64x128xf32>}> : () -> tensor<64x128xf32>
    %1 = tensor.empty() : tensor<64x128xf32>
    %2 = "ttir.add"(%arg0, %0, %1) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    return %2 : tensor<64x128xf32>
  }
}
