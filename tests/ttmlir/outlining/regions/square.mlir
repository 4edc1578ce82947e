// Square.
// kernels: more

func.func @f(%a0: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %square_out = tensor.empty() : tensor<64x64xf32>
  %square = "ttir.matmul"(%a0, %a0, %square_out) <{operand_constraints = []}> : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("square")
  %more_out = tensor.empty() : tensor<64x64xf32>
  %more = "ttir.add"(%square, %a0, %more_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("more")
  return %more : tensor<64x64xf32>
}
