// Normalisation.
// kernels: normal

func.func @f(%a0: tensor<64x128xf32>, %a1: tensor<1x128xf32>, %a2: tensor<1x128xf32>) -> (tensor<64x128xf32>) {
  %mean_out = tensor.empty() : tensor<64x1xf32>
  %mean = "ttir.mean"(%a0, %mean_out) <{operand_constraints = [], keep_dim = true, dim_arg = [-1 : i32]}> : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x1xf32> loc("mean")
  %centred_out = tensor.empty() : tensor<64x128xf32>
  %centred = "ttir.subtract"(%a0, %mean, %centred_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x1xf32>, tensor<64x128xf32>) -> tensor<64x128xf32> loc("centred")
  %squares_out = tensor.empty() : tensor<64x128xf32>
  %squares = "ttir.multiply"(%centred, %centred, %squares_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32> loc("squares")
  %variance_out = tensor.empty() : tensor<64x1xf32>
  %variance = "ttir.mean"(%squares, %variance_out) <{operand_constraints = [], keep_dim = true, dim_arg = [-1 : i32]}> : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x1xf32> loc("variance")
  %c8 = "ttir.constant"() <{value = dense<1.000000e-05> : tensor<64x1xf32>}> : () -> tensor<64x1xf32>
  %safe_out = tensor.empty() : tensor<64x1xf32>
  %safe = "ttir.add"(%variance, %c8, %safe_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32> loc("safe")
  %inverse_out = tensor.empty() : tensor<64x1xf32>
  %inverse = "ttir.rsqrt"(%safe, %inverse_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32> loc("inverse")
  %unit_out = tensor.empty() : tensor<64x128xf32>
  %unit = "ttir.multiply"(%centred, %inverse, %unit_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x1xf32>, tensor<64x128xf32>) -> tensor<64x128xf32> loc("unit")
  %scaled_out = tensor.empty() : tensor<64x128xf32>
  %scaled = "ttir.multiply"(%unit, %a1, %scaled_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32> loc("scaled")
  %normal_out = tensor.empty() : tensor<64x128xf32>
  %normal = "ttir.add"(%scaled, %a2, %normal_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<1x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32> loc("normal")
  return %normal : tensor<64x128xf32>
}
