// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device %s | FileCheck %s
// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device="mesh-shape=1,1,1" %s | FileCheck %s --check-prefix=MESH
// CHECK: #device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1), dramMap =
// CHECK-SAME: meshShape = , chipIds = [0]>
// CHECK: module attributes {tt.device = #device, tt.system_desc = #system_desc}
// MESH: #device = #tt.device<workerGrid = #tt.grid<1x8x8, (d0, d1, d2) -> (d0, d1, d2)>,
// MESH-SAME: meshShape = 1x1x1, chipIds = [0]>
module attributes {} {
  func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
