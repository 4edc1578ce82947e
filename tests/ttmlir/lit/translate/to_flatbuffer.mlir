// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="system-desc-path=%system_desc_path%" %s > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: ttmlir-translate --ttnn-to-flatbuffer %t.mlir > %t.ttnn
// RUN: ttmlir-translate --ttnn-to-flatbuffer --no-debug-info %t.mlir -o %t.small.ttnn
// RUN: not ttmlir-translate --ttnn-to-flatbuffer %s 2>&1 | FileCheck %s --check-prefix=TTIR
// RUN: not ttmlir-translate --ttnn-to-flatbufer %s 2>&1 | FileCheck %s --check-prefix=TYPO
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @forward(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // CHECK: %[[C:.*]] = "ttnn.relu"
  // TTIR: error: the module has no tt.device: compile it with --ttir-to-ttnn-backend-pipeline
  // TYPO: error: unknown argument --ttnn-to-flatbufer; did you mean --ttnn-to-flatbuffer?
  %0 = tensor.empty() : tensor<64x128xf32>
  %1 = "ttir.relu"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
