// RUN: ttmlir-opt --ttnn-decompose-layouts %s | FileCheck %s
#device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>
#dram = #ttnn.buffer_type<dram>
#l1_ = #ttnn.buffer_type<l1>
#system_memory = #ttnn.buffer_type<system_memory>
#host_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #system_memory>>
#host_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xbf16, #system_memory>>
#dram_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #dram>, interleaved>
#dram_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, bf16>, #dram>, interleaved>
#l1_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #l1_>, interleaved>
#wide_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x4>, memref<1x1x!tt.tile<32x32, bf16>, #dram>, interleaved>
#small_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x8>, memref<1x1x!tt.tile<32x32, bf16>, #dram>, interleaved>
module attributes {tt.device = #device} {
  // The host makes tiles of f32 before they go to the device.
  // CHECK-LABEL: func.func @tiles_of_f32
  func.func @tiles_of_f32(%arg0: tensor<64x128xf32, #host_f32>) -> tensor<64x128xf32, #dram_f32> {
    // CHECK: %[[DEVICE:.*]] = "ttnn.get_device"
    %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !tt.device<#device>
    // CHECK-NEXT: %[[T:.*]] = "ttnn.to_layout"(%arg0) <{layout = #ttnn.layout<tile>}> : ({{.*}}) -> tensor<64x128xf32, #[[TILES:.*]]>
    // CHECK-NEXT: %[[D:.*]] = "ttnn.to_device"(%[[T]], %[[DEVICE]]) <{memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}> : (tensor<64x128xf32, #[[TILES]]>, !tt.device<#device>) -> tensor<64x128xf32, #[[TILES]]>
    // CHECK-NEXT: return %[[D]]
    %1 = "ttnn.to_layout"(%arg0, %0) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #host_f32>, !tt.device<#device>) -> tensor<64x128xf32, #dram_f32>
    return %1 : tensor<64x128xf32, #dram_f32>
  }

  // The device makes tiles of bf16.
  // CHECK-LABEL: func.func @tiles_of_bf16
  func.func @tiles_of_bf16(%arg0: tensor<64x128xbf16, #host_bf16>) -> tensor<64x128xbf16, #dram_bf16> {
    %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !tt.device<#device>
    // CHECK: "ttnn.to_device"(%arg0
    // CHECK-NEXT: "ttnn.to_layout"(%{{.*}}) <{layout = #ttnn.layout<tile>}>
    %1 = "ttnn.to_layout"(%arg0, %0) <{dtype = #tt.supportedDataTypes<bf16>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xbf16, #host_bf16>, !tt.device<#device>) -> tensor<64x128xbf16, #dram_bf16>
    return %1 : tensor<64x128xbf16, #dram_bf16>
  }

  // Of what is interleaved, the grid is no change; what has the type of its operand gets the new one, as far as it is returned.
  // CHECK-LABEL: func.func @another_grid
  // CHECK-SAME: (%arg0: tensor<64x128xbf16, #[[AS_IT_WAS:.*]]>) -> tensor<64x128xbf16, #[[AS_IT_WAS]]>
  func.func @another_grid(%arg0: tensor<64x128xbf16, #wide_bf16>) -> tensor<64x128xbf16, #small_bf16> {
    %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !tt.device<#device>
    %1 = "ttnn.to_layout"(%arg0, %0) <{dtype = #tt.supportedDataTypes<bf16>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<1x1>>>}> : (tensor<64x128xbf16, #wide_bf16>, !tt.device<#device>) -> tensor<64x128xbf16, #small_bf16>
    // CHECK: %[[FIRST:.*]] = "ttnn.clamp"(%arg0)
    // CHECK: "ttnn.clamp"(%[[FIRST]]){{.*}} : (tensor<64x128xbf16, #[[AS_IT_WAS]]>) -> tensor<64x128xbf16, #[[AS_IT_WAS]]>
    %2 = "ttnn.clamp"(%1) <{max = 2.0 : f32, min = -1.0 : f32}> : (tensor<64x128xbf16, #small_bf16>) -> tensor<64x128xbf16, #small_bf16>
    %3 = "ttnn.clamp"(%2) <{max = 1.0 : f32, min = 0.0 : f32}> : (tensor<64x128xbf16, #small_bf16>) -> tensor<64x128xbf16, #small_bf16>
    return %3 : tensor<64x128xbf16, #small_bf16>
  }

  // The device casts, the host makes rows.
  // CHECK-LABEL: func.func @back_as_bf16
  func.func @back_as_bf16(%arg0: tensor<64x128xf32, #dram_f32>) -> tensor<64x128xf32, #host_bf16> {
    // CHECK-NEXT: "ttnn.typecast"(%arg0) <{dtype = #tt.supportedDataTypes<bf16>}>
    // CHECK-NEXT: "ttnn.from_device"
    // CHECK-NEXT: "ttnn.to_layout"(%{{.*}}) <{layout = #ttnn.layout<row_major>}>
    %0 = "ttnn.to_layout"(%arg0) <{dtype = #tt.supportedDataTypes<bf16>, layout = #ttnn.layout<row_major>, memory_config = #ttnn.memory_config<<none>, <system_memory>, <<64x128>>>}> : (tensor<64x128xf32, #dram_f32>) -> tensor<64x128xf32, #host_bf16>
    return %0 : tensor<64x128xf32, #host_bf16>
  }

  // CHECK-LABEL: func.func @to_l1
  func.func @to_l1(%arg0: tensor<64x128xf32, #dram_f32>) -> tensor<64x128xf32, #l1_f32> {
    // CHECK-NEXT: %{{.*}} = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, #l1_, <<2x4>>>}>
    // CHECK-NEXT: return
    %0 = "ttnn.to_layout"(%arg0) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <l1>, <<2x4>>>}> : (tensor<64x128xf32, #dram_f32>) -> tensor<64x128xf32, #l1_f32>
    return %0 : tensor<64x128xf32, #l1_f32>
  }

  // What changes nothing goes.
  // CHECK-LABEL: func.func @nothing
  func.func @nothing(%arg0: tensor<64x128xf32, #dram_f32>) -> tensor<64x128xf32, #dram_f32> {
    // CHECK-NEXT: return %arg0
    %0 = "ttnn.to_layout"(%arg0) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #dram_f32>) -> tensor<64x128xf32, #dram_f32>
    return %0 : tensor<64x128xf32, #dram_f32>
  }
}
