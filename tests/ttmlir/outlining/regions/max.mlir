// Max.
// kernels: reduced

func.func @f(%a0: tensor<2x40x100xf32>) -> (tensor<2x40x1xf32>) {
  %v0_out = tensor.empty() : tensor<2x40x100xf32>
  %v0 = "ttir.relu"(%a0, %v0_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<2x40x100xf32>, tensor<2x40x100xf32>) -> tensor<2x40x100xf32> loc("v0")
  %reduced_out = tensor.empty() : tensor<2x40x1xf32>
  %reduced = "ttir.max"(%v0, %reduced_out) <{operand_constraints = [], keep_dim = true, dim_arg = [-1 : i32]}> : (tensor<2x40x100xf32>, tensor<2x40x1xf32>) -> tensor<2x40x1xf32> loc("reduced")
  return %reduced : tensor<2x40x1xf32>
}
