// RUN: ttmlir-opt --ttir-load-system-desc %s | FileCheck %s
// RUN: ttmlir-opt --ttir-load-system-desc="path=n300" %s | FileCheck %s --check-prefix=N300
// RUN: ttmlir-opt --ttir-load-system-desc="path=n300" --ttir-load-system-desc %s | FileCheck %s --check-prefix=N300
// RUN: ttmlir-opt --ttir-load-system-desc="path=n300" --ttir-load-system-desc="path=n150" %s | FileCheck %s --check-prefix=N150
// RUN: not ttmlir-opt --ttir-load-system-desc="path=%t.missing.ttsys" %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not ttmlir-opt --ttir-load-system-desc="path=%s" %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not ttmlir-opt --ttir-load-system-desc="file=x" %s 2>&1 | FileCheck %s --check-prefix=OPTION
// Without a path, a description that the module has stays; with one, it is replaced.
// CHECK: #system_desc = #tt.system_desc<[{role = host, target_triple = "x86_64-pc-linux-gnu"}], [{arch = <wormhole_b0>, grid = 8x8, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 1024, erisc_l1_unreserved_base = 1024, dram_unreserved_base = 1024, dram_unreserved_end = 1073741824, physical_cores = {worker = [ 0x0,  0x1,
// CHECK-SAME: 7x7] dram = [ 8x0,  9x0,  10x0,  8x1,  9x1,  10x1,  8x2,  9x2,  10x2,  8x3,  9x3,  10x3]}, supported_data_types = [<f32>, <f16>, <bf16>, <bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], num_cbs = 32}], [0], [3 : i32], [ 0x0x0x0]>
// CHECK: module attributes {tt.system_desc = #system_desc}
// N300: [0, 1], [3 : i32, 0 : i32]
// N150: l1_unreserved_base = 98816
// MISSING: error: cannot read the system description {{.*}}missing.ttsys: No such file or directory
// MISSING: note: give the path of a .ttsys file, or the name of a known system: default, n150, n300
// OTHER: error: {{.*}}load_system_desc.mlir is not a system description (.ttsys)
// OPTION: error: {{.*}}ttir-load-system-desc{{.*}}path
module {
  func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
