// Normalised product of many nodes.
// kernels: product, centred

func.func @f(%a0: tensor<32x256xf32>, %a1: tensor<256x512xf32>, %a2: tensor<32x512xf32>) -> (tensor<32x512xf32>) {
  %product_out = tensor.empty() : tensor<32x512xf32>
  %product = "ttir.matmul"(%a0, %a1, %product_out) <{operand_constraints = []}> : (tensor<32x256xf32>, tensor<256x512xf32>, tensor<32x512xf32>) -> tensor<32x512xf32> loc("product")
  %more_out = tensor.empty() : tensor<32x512xf32>
  %more = "ttir.add"(%product, %a2, %more_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<32x512xf32>, tensor<32x512xf32>, tensor<32x512xf32>) -> tensor<32x512xf32> loc("more")
  %mean_out = tensor.empty() : tensor<32x1xf32>
  %mean = "ttir.mean"(%more, %mean_out) <{operand_constraints = [], keep_dim = true, dim_arg = [-1 : i32]}> : (tensor<32x512xf32>, tensor<32x1xf32>) -> tensor<32x1xf32> loc("mean")
  %centred_out = tensor.empty() : tensor<32x512xf32>
  %centred = "ttir.subtract"(%more, %mean, %centred_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<32x512xf32>, tensor<32x1xf32>, tensor<32x512xf32>) -> tensor<32x512xf32> loc("centred")
  return %centred : tensor<32x512xf32>
}
