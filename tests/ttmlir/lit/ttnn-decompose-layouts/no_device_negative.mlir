// RUN: not ttmlir-opt --ttnn-decompose-layouts %s 2>&1 | FileCheck %s
#dram = #ttnn.buffer_type<dram>
#system_memory = #ttnn.buffer_type<system_memory>
#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #system_memory>>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #dram>, interleaved>
func.func @f(%arg0: tensor<64x128xf32, #host>) -> tensor<64x128xf32, #tiles> {
  // CHECK: error: failed to legalize operation 'ttnn.to_layout'
  // CHECK: note: its result is on the device, but neither the operation nor its block names a device
  %0 = "ttnn.to_layout"(%arg0) <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<tile>, memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>}> : (tensor<64x128xf32, #host>) -> tensor<64x128xf32, #tiles>
  return %0 : tensor<64x128xf32, #tiles>
}
