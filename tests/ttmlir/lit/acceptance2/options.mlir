// RUN: ttmlir-opt --verify-each --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
// RUN: ttmlir-opt -verify-each=false --split-input-file=true -ttir-to-ttnn-backend-pipeline="enable-optimizer=0 max-legal-layouts=10" %s | FileCheck %s
// RUN: ttmlir-opt --mlir-print-debuginfo=false --ttir-to-ttnn-backend-pipeline="mesh-shape= system-desc-path=" %s | FileCheck %s
// RUN: ttmlir-opt "--pass-pipeline=builtin.module(ttir-to-ttnn-backend-pipeline{memreconfig-enabled=false memory-layout-analysis-policy=L1Interleaved})" %s | FileCheck %s
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="mesh-shape=1,1,1" %s | FileCheck %s --check-prefix=RANK3
// RUN: not ttmlir-opt --ttir-load-system-desc --ttir-implicit-device="mesh-shape=2" %s 2>&1 | FileCheck %s --check-prefix=CHIPS
// RUN: not ttmlir-opt --ttir-implicit-device %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ttmlir-opt --ttir-to-ttnn-backend-pipline %s 2>&1 | FileCheck %s --check-prefix=NEAREST
// RUN: not ttmlir-opt --ttir-to-ttnn-backend-pipeline="mesh-shap=1" %s 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not ttmlir-opt --verify-each=2 %s 2>&1 | FileCheck %s --check-prefix=TRUTH
// Options as MLIR spells them; the spellings that mean the same give the same.

// CHECK: #device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1), {{.*}}, meshShape = , chipIds = [0]>
// CHECK: module attributes {tt.device = #device, tt.system_desc = #system_desc} {
// CHECK: "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}>
// RANK3: workerGrid = #tt.grid<1x8x8, (d0, d1, d2) -> (
// RANK3: #ttnn.ttnn_layout<(d0, d1) -> (0, d0, d1), <1x1x1>, memref<1x2x4x!tt.tile<32x32, bf16>, #dram>, interleaved>
// CHIPS: error: 'builtin.module' op has no device: a mesh 2 has 2 chips, and the system description has 1
// NONE: error: 'builtin.module' op has no tt.system_desc
// NEAREST: did you mean --ttir-to-ttnn-backend-pipeline?
// OPTION: has no option mesh-shap; its options are enable-optimizer, insert-memreconfig
// TRUTH: it is true or false, not 2
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @forward(%a: tensor<64x128xbf16>) -> tensor<64x128xbf16> {
  %0 = tensor.empty() : tensor<64x128xbf16>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return %1 : tensor<64x128xbf16>
}
