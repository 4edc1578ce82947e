// RUN: ttmlir-opt --ttnn-decompose-layouts %s | FileCheck %s
#device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1), dramMap = (d0, d1)[s0, s1] -> (0, 0, ((((d0 floordiv s0) * 8 + d1 floordiv s1) * (s1 * s0) + (d0 mod s0) * s1 + d1 mod s1) floordiv 8192) mod 12, (((d0 floordiv s0) * 8 + d1 floordiv s1) * (s1 * s0) + (d0 mod s0) * s1 + d1 mod s1) floordiv 98304 + (((d0 floordiv s0) * 8 + d1 floordiv s1) * (s1 * s0) + (d0 mod s0) * s1 + d1 mod s1) mod 8192), meshShape = , chipIds = [0]>
#dram = #ttnn.buffer_type<dram>
#system_memory = #ttnn.buffer_type<system_memory>
#host_row_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #system_memory>>
#host_row_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xbf16, #system_memory>>
#dev_tile_f32 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #dram>, interleaved>
#dev_tile_bf16 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, bf16>, #dram>, interleaved>
module attributes {tt.device = #device} {
  // CHECK-LABEL: func.func @from_host_to_device_tilize_f32
  func.func @from_host_to_device_tilize_f32(%arg0: tensor<64x128xf32, #host_row_f32>) -> tensor<64x128xf32, #dev_tile_f32> {
    %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !tt.device<#device>
    // CHECK: %[[L:.*]] = "ttnn.to_layout"(%arg0) <{layout = #ttnn.layout<tile>}>
    // CHECK: "ttnn.to_device"(%[[L]], %0) <{memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}>
    %1 = "ttnn.to_layout"(%arg0, %0) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}> : (tensor<64x128xf32, #host_row_f32>, !tt.device<#device>) -> tensor<64x128xf32, #dev_tile_f32>
    return %1 : tensor<64x128xf32, #dev_tile_f32>
  }
  // CHECK-LABEL: func.func @from_host_to_device_tilize_bf16
  func.func @from_host_to_device_tilize_bf16(%arg0: tensor<64x128xbf16, #host_row_bf16>) -> tensor<64x128xbf16, #dev_tile_bf16> {
    %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !tt.device<#device>
    // CHECK: %[[D:.*]] = "ttnn.to_device"(%arg0, %0)
    // CHECK: "ttnn.to_layout"(%[[D]]) <{layout = #ttnn.layout<tile>}>
    %1 = "ttnn.to_layout"(%arg0, %0) <{dtype = #tt.supportedDataTypes<bf16>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}> : (tensor<64x128xbf16, #host_row_bf16>, !tt.device<#device>) -> tensor<64x128xbf16, #dev_tile_bf16>
    return %1 : tensor<64x128xbf16, #dev_tile_bf16>
  }
  // CHECK-LABEL: func.func @from_host_to_device_cast_f32_to_bf16_tilize
  func.func @from_host_to_device_cast_f32_to_bf16_tilize(%arg0: tensor<64x128xf32, #host_row_f32>) -> tensor<64x128xbf16, #dev_tile_bf16> {
    %0 = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !tt.device<#device>
    // CHECK: %[[C:.*]] = "ttnn.typecast"(%arg0) <{dtype = #tt.supportedDataTypes<bf16>}>
    // CHECK: %[[D:.*]] = "ttnn.to_device"(%[[C]], %0)
    // CHECK: "ttnn.to_layout"(%[[D]]) <{layout = #ttnn.layout<tile>}>
    %1 = "ttnn.to_layout"(%arg0, %0) <{dtype = #tt.supportedDataTypes<bf16>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, #dram, <<2x4>>>}> : (tensor<64x128xf32, #host_row_f32>, !tt.device<#device>) -> tensor<64x128xbf16, #dev_tile_bf16>
    return %1 : tensor<64x128xbf16, #dev_tile_bf16>
  }
  // CHECK-LABEL: func.func @from_device_to_host_untilize_cast
  func.func @from_device_to_host_untilize_cast(%arg0: tensor<64x128xf32, #dev_tile_f32>) -> tensor<64x128xbf16, #host_row_bf16> {
    // CHECK: %[[C:.*]] = "ttnn.typecast"(%arg0)
    // CHECK: %[[F:.*]] = "ttnn.from_device"(%[[C]])
    // CHECK: "ttnn.to_layout"(%[[F]]) <{layout = #ttnn.layout<row_major>}>
    %1 = "ttnn.to_layout"(%arg0) <{dtype = #tt.supportedDataTypes<bf16>, layout = #ttnn.layout<row_major>, memory_config = #ttnn.memory_config<<none>, #system_memory, <<64x128>>>}> : (tensor<64x128xf32, #dev_tile_f32>) -> tensor<64x128xbf16, #host_row_bf16>
    return %1 : tensor<64x128xbf16, #host_row_bf16>
  }
}
