// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device --ttnn-layout --convert-ttir-to-ttnn %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  // CHECK-LABEL: func.func @multiply
  func.func @multiply(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
    // CHECK: %[[DEVICE:.*]] = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !tt.device<#device>
    // CHECK: %[[A:.*]] = "ttnn.to_layout"(%arg0, %[[DEVICE]]) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}>
    // CHECK-SAME: -> tensor<64x128xf32, #[[TILES:ttnn_layout[0-9]+]]>
    // CHECK: %[[B:.*]] = "ttnn.to_layout"(%arg1, %[[DEVICE]])
    // CHECK: %[[E:.*]] = "ttnn.empty"(%[[DEVICE]]) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, memory_config = #ttnn.memory_config<<interleaved>, #dram, <<64x128>>>, shape = #ttnn.shape<64x128>}>
    %0 = tensor.empty() : tensor<64x128xf32>
    // CHECK: %[[M:.*]] = "ttnn.multiply"(%[[A]], %[[B]], %[[E]]) <{operandSegmentSizes = array<i32: 2, 1>}>
    // CHECK-SAME: tensor<64x128xf32, #[[TILES]]>, tensor<64x128xf32, #[[TILES]]>
    %1 = "ttir.multiply"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    // CHECK: %[[H:.*]] = "ttnn.to_layout"(%[[M]]) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, memory_config = #ttnn.memory_config<<none>, #system_memory, <<64x128>>>}>
    // CHECK-NEXT: return %[[H]]
    return %1 : tensor<64x128xf32>
  }

  // CHECK-LABEL: func.func @subtract_of_another_shape
  func.func @subtract_of_another_shape(%arg0: tensor<64x128xbf16>, %arg1: tensor<1x128xbf16>) -> tensor<64x128xbf16> {
    %0 = tensor.empty() : tensor<64x128xbf16>
    // CHECK: %[[NE:.*]] = "ttnn.empty"{{.*}} shape = #ttnn.shape<1x128>
    // CHECK: %[[N:.*]] = "ttnn.neg"(%{{.*}}, %[[NE]])
    // CHECK: "ttnn.add"(%{{.*}}, %[[N]], %{{.*}})
    // CHECK-NOT: ttnn.subtract
    %1 = "ttir.subtract"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<1x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
    return %1 : tensor<64x128xbf16>
  }

  // CHECK-LABEL: func.func @typecast
  func.func @typecast(%arg0: tensor<64x128xf32>) -> tensor<64x128xbf16> {
    %0 = tensor.empty() : tensor<64x128xbf16>
    // CHECK: "ttnn.typecast"(%{{[0-9]+}}) <{dtype = #tt.supportedDataTypes<bf16>}>
    %1 = "ttir.typecast"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
    return %1 : tensor<64x128xbf16>
  }
}
