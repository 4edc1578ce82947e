// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s --check-prefix=TTNN
// A gather whose result nobody uses is lowered like others.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @dead(%operand: tensor<32000x1024xbf16>, %start_indices: tensor<1x32xi32>) -> tensor<1x32xi32> {
    %0 = tensor.empty() : tensor<1x32x1024xbf16>
    // CHECK: "ttir.embedding"(%arg1, %arg0, %0)
    // TTNN: "ttnn.embedding"
    %1 = "ttir.gather"(%operand, %start_indices, %0) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : si64, slice_sizes = array<i64: 1, 1024>, operand_constraints = [#any_device, #any_device, #any_device], indices_are_sorted = false}> : (tensor<32000x1024xbf16>, tensor<1x32xi32>, tensor<1x32x1024xbf16>) -> tensor<1x32x1024xbf16>
    return %start_indices : tensor<1x32xi32>
  }
}
