// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline --explain=%t %s > %t.mlir
// RUN: FileCheck %s --input-file=%t
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  // CHECK: function forward
  // CHECK: argument 64x128: host, rows 64x128 of f32
  func.func @forward(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
    // CHECK: explain.mlir:16:10: ttnn.to_layout 64x128: DRAM, interleaved, 2x4 tiles 32x32 of f32, on 1x1 cores
    // CHECK-NEXT: ttnn-layout: operand #0 of ttir.relu is on DRAM, because dram is allowed;
    // CHECK-NEXT: convert-ttir-to-ttnn: tiles, because no user needs rows
    // CHECK-NEXT: ttnn-decompose-layouts: to_layout on the host, to convert it to tiles of f32
    // CHECK-NEXT: ttnn-decompose-layouts: to_device, because the result is on the device
    // CHECK: ttnn.relu 64x128: DRAM, interleaved, rows 64x128 of f32, on 1x1 cores
    // CHECK-NEXT: ttnn-layout: the destination of ttir.relu is on DRAM
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = "ttir.relu"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
}
