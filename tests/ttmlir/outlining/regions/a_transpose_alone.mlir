// A transpose alone.
// kernels: turned

func.func @f(%a0: tensor<70x40xf32>) -> (tensor<40x70xf32>) {
  %turned_out = tensor.empty() : tensor<40x70xf32>
  %turned = "ttir.transpose"(%a0, %turned_out) <{operand_constraints = [], dim0 = 1 : si32, dim1 = 0 : si32}> : (tensor<70x40xf32>, tensor<40x70xf32>) -> tensor<40x70xf32> loc("turned")
  return %turned : tensor<40x70xf32>
}
