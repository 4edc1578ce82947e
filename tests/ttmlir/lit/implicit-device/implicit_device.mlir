// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device %s | FileCheck %s
// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device="mesh-shape=1" %s | FileCheck %s --check-prefix=ONE
// RUN: ttmlir-opt --ttir-load-system-desc="path=n300" --ttir-implicit-device="mesh-shape=1,2" %s | FileCheck %s --check-prefix=TWO
// RUN: ttmlir-opt --ttir-load-system-desc="path=n300" --ttir-implicit-device="mesh-shape=2" %s | FileCheck %s --check-prefix=COLUMN
// RUN: ttmlir-opt --ttir-load-system-desc="path=n300" --ttir-implicit-device="mesh-shape=2,1,1" %s | FileCheck %s --check-prefix=THREE
// RUN: ttmlir-opt --ttir-load-system-desc="path=n300" --ttir-implicit-device="mesh-shape=1,2" --ttir-implicit-device="mesh-shape=1" %s | FileCheck %s --check-prefix=TWO
// RUN: not ttmlir-opt --ttir-load-system-desc --ttir-implicit-device="mesh-shape=2,1,1" %s 2>&1 | FileCheck %s --check-prefix=TOOMANY
// RUN: not ttmlir-opt --ttir-load-system-desc --ttir-implicit-device="mesh-shape=0,1" %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ttmlir-opt --ttir-load-system-desc --ttir-implicit-device="mesh-shape=2x1" %s 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not ttmlir-opt --ttir-implicit-device %s 2>&1 | FileCheck %s --check-prefix=NOSYSTEM
// The chips of the system as one grid. A mesh may have one, two or three dimensions; a device that the module has stays.
// CHECK: #device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1), dramMap = (d0, d1)[s0, s1] -> (0, 0,
// CHECK-SAME: mod 12,
// CHECK-SAME: meshShape = , chipIds = [0]>
// CHECK: module attributes {tt.device = #device, tt.system_desc = #system_desc}
// ONE: #device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>
// ONE-SAME: meshShape = 1, chipIds = [0]>
// TWO: #device = #tt.device<workerGrid = #tt.grid<8x16, (d0, d1) -> (d1 floordiv 8, d0, d1 mod 8)>
// TWO-SAME: meshShape = 1x2, chipIds = [0, 1]>
// COLUMN: #device = #tt.device<workerGrid = #tt.grid<16x8, (d0, d1) -> (d0 floordiv 8, d0 mod 8, d1)>
// COLUMN-SAME: meshShape = 2, chipIds = [0, 1]>
// THREE: #device = #tt.device<workerGrid = #tt.grid<2x8x8, (d0, d1, d2) -> (d0, d1, d2)>
// THREE-SAME: meshShape = 2x1x1, chipIds = [0, 1]>
// TOOMANY: error: 'builtin.module' op has no device: a mesh 2x1x1 has 2 chips, and the system description has 1
// NONE: error: 'builtin.module' op has no device: expected positive mesh dimensions, got 0x1
// OPTION: error: {{.*}}mesh-shape
// NOSYSTEM: error: 'builtin.module' op has no tt.system_desc
// NOSYSTEM: note: run --ttir-load-system-desc before --ttir-implicit-device
module {
  func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
