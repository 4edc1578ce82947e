// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @forward(%arg0: tensor<4x32x32xbf16>) -> tensor<4x32x16xbf16> {
    // CHECK-NOT: ttir.index
    // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x32x16xbf16>
    %0 = tensor.empty() : tensor<4x32x16xbf16>
    // CHECK: %{{.*}} = "ttir.slice"(%arg0, %[[EMPTY]]) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [4 : i32, 32 : i32, -1 : i32], operand_constraints = {{.*}}, step = [1 : i32, 1 : i32, 2 : i32]}>
    %1 = "ttir.index"(%arg0, %0) <{dim = 2: i32, begin = 0: i32, end = -1: i32, step = 2: i32, operand_constraints = [#any_device, #any_device]}> : (tensor<4x32x32xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
    return %1 : tensor<4x32x16xbf16>
  }
}
