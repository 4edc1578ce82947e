// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s
// Of two conditions that fail, the first is reported.

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{'ttir.add' op Operands are not broadcast compatible}}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<1x3xf32>, %a2: tensor<1x3xf32>) {
  // expected-error @+1 {{'ttir.add' op Result shape must match operand shapes after broadcasting}}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4x4xf32>) {
  // expected-error @+1 {{'ttir.relu' op Operands are not broadcast compatible}}
  %0 = "ttir.relu"(%a0, %a1) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4x4xbf16>) {
  // expected-error @+1 {{Operands are not broadcast compatible}}
  %0 = "ttir.typecast"(%a0, %a1) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<5x3xf32>, %a3: tensor<2x3xf32>) {
  // expected-error @+1 {{Operands are not broadcast compatible}}
  %0 = "ttir.where"(%a0, %a1, %a2, %a3) <{operandSegmentSizes = array<i32: 3, 1>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<5x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<5x3xf32>) {
  // expected-error @+1 {{Operands are not broadcast compatible}}
  %0 = "ttir.leaky_relu"(%a0, %a1) <{operandSegmentSizes = array<i32: 1, 1>, parameter = 0.1 : f32, operand_constraints = []}> : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{to match type of corresponding result}}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xbf16>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{'ttir.add' op requires attribute 'operand_constraints'}}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{'ttir.add' op attribute 'operand_constraints' failed to satisfy constraint: }}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [1 : i32]}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{attribute 'operand_constraints' failed to satisfy constraint: }}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = 1 : i32}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: f32) {
  // expected-error @+1 {{'ttir.add' op operand #2 must be variadic of ranked tensor of any type values, but got 'f32'}}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>, f32) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: i32, %a1: tensor<2x3xf32>, %a2: tensor<2x2xf32>) {
  // expected-error @+1 {{'ttir.matmul' op operand #0 must be ranked tensor of any type values, but got 'i32'}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (i32, tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<*xf32>, %a1: tensor<2x3xf32>, %a2: tensor<2x2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of any type values, but got 'tensor<*xf32>'}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<*xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{operand count (3) does not match with the total size (4) specified in attribute 'operandSegmentSizes'}}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2, 2>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{'operandSegmentSizes' attribute for specifying operand segments must have 2 elements, but got 1}}
  %0 = "ttir.add"(%a0, %a1, %a2) <{operandSegmentSizes = array<i32: 2>, operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xbf16>) {
  // expected-error @+1 {{input and output must have same shape.}}
  %0 = "ttir.clamp"(%a0, %a1) <{min=0.0:f32,max=1.0:f32,operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xbf16>) -> tensor<2x3xbf16>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @+1 {{'ttir.clamp' op attribute 'min' failed to satisfy constraint: 32-bit float attribute}}
  %0 = "ttir.clamp"(%a0, %a1) <{min=0.0:f64,max=1.0:f32,operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @+1 {{expects one tensor as input.}}
  %0 = "ttnn.clamp"(%a0, %a1) <{min=0.0:f32,max=1.0:f32}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @+1 {{generates one tensor as output.}}
  %0:2 = "ttnn.clamp"(%a0) <{min=0.0:f32,max=1.0:f32}> : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @+1 {{input and output must have same shape.}}
  %0 = "ttnn.clamp"(%a0) <{min=0.0:f32,max=1.0:f32}> : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<32x32xf32>, %a1: tensor<64x3x3xf32>, %a2: tensor<1x30x30x64xf32>) {
  // expected-error @+1 {{'ttir.conv2d' op Input must be at least a 3D tensor}}
  %0 = "ttir.conv2d"(%a0, %a1, %a2) <{stride_height=1: si32, stride_width=1: si32, dilation_height=1: si32, dilation_width=1: si32, groups=1: si32, padding_left=0: si32, padding_right=0: si32, padding_top=0: si32, padding_bottom=0: si32, operand_constraints = []}> : (tensor<32x32xf32>, tensor<64x3x3xf32>, tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x32x32x64xf32>, %a1: tensor<64x3x3xf32>, %a2: tensor<64xf32>, %a3: tensor<1x30x30x64xf32>) {
  // expected-error @+1 {{Weight must be a 4D tensor}}
  %0 = "ttir.conv2d"(%a0, %a1, %a2, %a3) <{stride_height=1: si32, stride_width=1: si32, dilation_height=1: si32, dilation_width=1: si32, groups=1: si32, padding_left=0: si32, padding_right=0: si32, padding_top=0: si32, padding_bottom=0: si32, operand_constraints = []}> : (tensor<1x32x32x64xf32>, tensor<64x3x3xf32>, tensor<64xf32>, tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x32x32x64xf32>, %a1: tensor<64x64x3x3xf32>, %a2: tensor<1x1x64xf32>, %a3: tensor<1x30x30x64xf32>) {
  // expected-error @+1 {{Bias must be a 4D tensor}}
  %0 = "ttir.conv2d"(%a0, %a1, %a2, %a3) <{stride_height=1: si32, stride_width=1: si32, dilation_height=1: si32, dilation_width=1: si32, groups=1: si32, padding_left=0: si32, padding_right=0: si32, padding_top=0: si32, padding_bottom=0: si32, operand_constraints = []}> : (tensor<1x32x32x64xf32>, tensor<64x64x3x3xf32>, tensor<1x1x64xf32>, tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x32x32x64xf32>, %a1: tensor<64x64x3x3xf32>, %a2: tensor<1x1x64xf32>, %a3: tensor<1x30x30x64xf32>) {
  // expected-error @+1 {{attribute 'groups' failed to satisfy constraint: 32-bit signed integer attribute}}
  %0 = "ttir.conv2d"(%a0, %a1, %a2, %a3) <{stride_height=1: si32, stride_width=1: si32, dilation_height=1: si32, dilation_width=1: si32, groups=1: i32, padding_left=0: si32, padding_right=0: si32, padding_top=0: si32, padding_bottom=0: si32, operand_constraints = []}> : (tensor<1x32x32x64xf32>, tensor<64x64x3x3xf32>, tensor<1x1x64xf32>, tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{'ttir.concat' op Invalid dimension 2 for concatenation.}}
  %0 = "ttir.concat"(%a0, %a1, %a2) <{dim = 2 : si32,operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{Invalid dimension -3 for concatenation.}}
  %0 = "ttir.concat"(%a0, %a1, %a2) <{dim = -3 : si32,operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{All input tensors must have the same rank.}}
  %0 = "ttir.concat"(%a0, %a1, %a2) <{dim = -1 : si32,operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{except for dimension 1}}
  %0 = "ttir.concat"(%a0, %a1, %a2) <{dim = -1 : si32,operand_constraints = []}> : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @+1 {{to match type of corresponding result}}
  %0 = "ttnn.concat"(%a0, %a1, %a2) <{dim = -2 : si32}> : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<6xf32>) {
  // expected-error @+1 {{Shape attribute size must match output tensor rank}}
  %0 = "ttir.reshape"(%a0, %a1) <{shape=[1:i32,6:i32],operand_constraints = []}> : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<1x1x1x1x1x7xf32>) {
  // expected-error @+1 {{must have at most 5 elements}}
  %0 = "ttir.reshape"(%a0, %a1) <{shape=[1:i32,1:i32,1:i32,1:i32,1:i32,7:i32],operand_constraints = []}> : (tensor<2x3xf32>, tensor<1x1x1x1x1x7xf32>) -> tensor<1x1x1x1x1x7xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<7xf32>) {
  // expected-error @+1 {{must have the same number of elements}}
  %0 = "ttir.reshape"(%a0, %a1) <{shape=[-1:i32],operand_constraints = []}> : (tensor<2x3xf32>, tensor<7xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @+1 {{at most one -1 element}}
  %0 = "ttir.reshape"(%a0, %a1) <{shape=[-1:i32,-1:i32],operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @+1 {{All dimensions must be positive}}
  %0 = "ttir.reshape"(%a0, %a1) <{shape=[-2:i32,3:i32],operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @+1 {{must match the output tensor shape}}
  %0 = "ttir.reshape"(%a0, %a1) <{shape=[3:i32,2:i32],operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @+1 {{attribute 'shape' failed to satisfy constraint: 32-bit integer array attribute}}
  %0 = "ttir.reshape"(%a0, %a1) <{shape=[2:i64,3:i64],operand_constraints = []}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<1xf32>, %a1: tensor<f32>) {
  // expected-error @+1 {{Shape attribute must be non-empty}}
  %0 = "ttir.reshape"(%a0, %a1) <{shape=[],operand_constraints = []}> : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xbf16>) {
  // expected-error @+1 {{Begins, ends, and step attributes must}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[0:i32],ends=[4:i32, 8:i32],step=[1:i32, 1:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8x1xbf16>) {
  // expected-error @+1 {{must have the same element type}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[0:i32, 0:i32],ends=[4:i32, 8:i32],step=[1:i32, 1:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8x1xbf16>) -> tensor<4x8x1xbf16>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8x1xf32>) {
  // expected-error @+1 {{must have the same rank as}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[9:i32, 0:i32],ends=[4:i32, 8:i32],step=[1:i32, 1:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid begin index for dimension 0. Expected value in range [-4, 4), got -5. Input shape: (4, 8)}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[-5:i32, 0:i32],ends=[9:i32, 8:i32],step=[0:i32, 1:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid end index for dimension 0. Expected value in range [-4, 4], got 9. Input shape: (4, 8)}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[0:i32, 0:i32],ends=[9:i32, 8:i32],step=[0:i32, 1:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{Step value for dimension 0 cannot be zero}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[3:i32, 0:i32],ends=[1:i32, 8:i32],step=[0:i32, 1:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{For positive step, begin index must be less than or equal to end index for dimension 0. Got begin: 3 (-1), end: 1 (-3), step: 1, input shape: (4, 8)}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[-1:i32, 0:i32],ends=[-3:i32, 8:i32],step=[1:i32, 1:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{For negative step, begin index must be greater than or equal to end index for dimension 1. Got begin: 0 (-8), end: 7 (-1), step: -1, input shape: (4, 8)}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[0:i32, -8:i32],ends=[4:i32, -1:i32],step=[1:i32, -1:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{Mismatch in dimension 0 of the output tensor: expected size 2, but got 4}}
  %0 = "ttir.slice"(%a0, %a1) <{begins=[0:i32, 0:i32],ends=[4:i32, 8:i32],step=[3:i32, 3:i32],operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<2x8xf32>) {
  // expected-error @+1 {{Mismatch in dimension 1 of the output tensor: expected size 3, but got 8}}
  %0 = "ttnn.slice"(%a0, %a1) <{begins=[0:i32, 0:i32],ends=[4:i32, 8:i32],step=[3:i32, 3:i32]}> : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8x1xbf16>) {
  // expected-error @+1 {{Output tensor must have the same element type as the input tensor}}
  %0 = "ttir.index"(%a0, %a1) <{dim=5:i32,begin=0:i32,end=9:i32,step=0:i32,operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8x1xbf16>) -> tensor<4x8x1xbf16>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8x1xf32>) {
  // expected-error @+1 {{Output tensor must have the same rank as the input tensor}}
  %0 = "ttir.index"(%a0, %a1) <{dim=5:i32,begin=0:i32,end=9:i32,step=0:i32,operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid dimension index -1. Input tensor rank is 2}}
  %0 = "ttir.index"(%a0, %a1) <{dim=-1:i32,begin=0:i32,end=9:i32,step=0:i32,operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid begin index for dimension 1. Expected value in range [-8, 8), got 8. Input shape: (4, 8)}}
  %0 = "ttir.index"(%a0, %a1) <{dim=1:i32,begin=8:i32,end=9:i32,step=0:i32,operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid end index for dimension 1. Expected value in range [-8, 8], got -9. Input shape: (4, 8)}}
  %0 = "ttir.index"(%a0, %a1) <{dim=1:i32,begin=0:i32,end=-9:i32,step=0:i32,operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @+1 {{For negative step, begin index must be greater than or equal to end index for dimension 1. Got begin: 0, end: 7 (-1), step: -1, input shape: (4, 8)}}
  %0 = "ttir.index"(%a0, %a1) <{dim=1:i32,begin=0:i32,end=-1:i32,step=-1:i32,operand_constraints = []}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<9x8xf32>) {
  // expected-error @+1 {{Mismatch in dimension 1 of the output tensor: expected size 3, but got 8}}
  %0 = "ttir.index"(%a0, %a1) <{dim=1:i32,begin=0:i32,end=8:i32,step=3:i32,operand_constraints = []}> : (tensor<4x8xf32>, tensor<9x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x8xf32>, %a1: tensor<9xf32>) {
  // expected-error @+1 {{Invalid dimension 2 for squeezing.}}
  %0 = "ttir.squeeze"(%a0, %a1) <{dim=2:si32,operand_constraints = []}> : (tensor<1x8xf32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x8xf32>, %a1: tensor<9xf32>) {
  // expected-error @+1 {{Dimension -2 in the input tensor must be 1.}}
  %0 = "ttir.squeeze"(%a0, %a1) <{dim=-2:si32,operand_constraints = []}> : (tensor<2x8xf32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @f(%a0: tensor<1xf32>, %a1: tensor<f32>) {
  // expected-error @+1 {{must have at least one dimension.}}
  %0 = "ttir.squeeze"(%a0, %a1) <{dim=0:si32,operand_constraints = []}> : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<1x8xf32>, %a1: tensor<1x8xf32>) {
  // expected-error @+1 {{Output tensor rank must be one less}}
  %0 = "ttir.squeeze"(%a0, %a1) <{dim=0:si32,operand_constraints = []}> : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x8xf32>, %a1: tensor<9xf32>) {
  // expected-error @+1 {{same as the input tensor except for dimension}}
  %0 = "ttir.squeeze"(%a0, %a1) <{dim=0:si32,operand_constraints = []}> : (tensor<1x8xf32>, tensor<9xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{Dimension attribute must be within the bounds}}
  %0 = "ttir.unsqueeze"(%a0, %a1) <{dim=2:si32,operand_constraints = []}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{must have one more dimension}}
  %0 = "ttir.unsqueeze"(%a0, %a1) <{dim=1:si32,operand_constraints = []}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<2x9xf32>) {
  // expected-error @+1 {{Dimension added must be of size 1}}
  %0 = "ttir.unsqueeze"(%a0, %a1) <{dim=0:si32,operand_constraints = []}> : (tensor<8xf32>, tensor<2x9xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<1x9xf32>) {
  // expected-error @+1 {{All dimensions of the input tensor must be}}
  %0 = "ttir.unsqueeze"(%a0, %a1) <{dim=-2:si32,operand_constraints = []}> : (tensor<8xf32>, tensor<1x9xf32>) -> tensor<1x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<8x9xf32>) {
  // expected-error @+1 {{Input must be at least a 2D tensor}}
  %0 = "ttir.transpose"(%a0, %a1) <{dim0=5:si32,dim1=0:si32,operand_constraints = []}> : (tensor<8xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{Input must have the same rank as output}}
  %0 = "ttir.transpose"(%a0, %a1) <{dim0=5:si32,dim1=0:si32,operand_constraints = []}> : (tensor<8x9xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>, %a1: tensor<8x9xf32>) {
  // expected-error @+1 {{Dimension 0 attribute must be within}}
  %0 = "ttir.transpose"(%a0, %a1) <{dim0=2:si32,dim1=-3:si32,operand_constraints = []}> : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>, %a1: tensor<8x9xf32>) {
  // expected-error @+1 {{Dimension 1 attribute must be within}}
  %0 = "ttir.transpose"(%a0, %a1) <{dim0=1:si32,dim1=-3:si32,operand_constraints = []}> : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>, %a1: tensor<8x9xf32>) {
  // expected-error @+1 {{Input-output transpose dimension mismatch.}}
  %0 = "ttir.transpose"(%a0, %a1) <{dim0=-1:si32,dim1=-2:si32,operand_constraints = []}> : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>) {
  // expected-error @+1 {{Input-output transpose dimension mismatch.}}
  %0 = "ttnn.transpose"(%a0) <{dim0=-1:si32,dim1=-2:si32}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<8xf32>, %a2: tensor<8x9x1xf32>) {
  // expected-error @+1 {{Weight must be a 2D tensor}}
  %0 = "ttir.embedding"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<8xf32>, tensor<8xf32>, tensor<8x9x1xf32>) -> tensor<8x9x1xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<8x9xf32>, %a2: tensor<8x9x1xf32>) {
  // expected-error @+1 {{Output must have one dimension more than input}}
  %0 = "ttir.embedding"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<8xf32>, tensor<8x9xf32>, tensor<8x9x1xf32>) -> tensor<8x9x1xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<8x9x1xf32>, %a2: tensor<9x9xf32>) {
  // expected-error @+1 {{Output must have one dimension more than input}}
  %0 = "ttnn.embedding"(%a0, %a1, %a2) <{}> : (tensor<8xf32>, tensor<8x9x1xf32>, tensor<9x9xf32>) -> tensor<8x9x1xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>, %a1: tensor<8x8xf32>) {
  // expected-error @+1 {{Input and output shapes must be the same}}
  %0 = "ttir.softmax"(%a0, %a1) <{dimension=3:si32,operand_constraints = []}> : (tensor<8x9xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>, %a1: tensor<8x9xf32>) {
  // expected-error @+1 {{Dimension attribute must be within the bounds}}
  %0 = "ttir.softmax"(%a0, %a1) <{dimension=-3:si32,operand_constraints = []}> : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>, %a1: tensor<8x9xf32>) {
  // expected-error @+1 {{Invalid dimension for all gather op.}}
  %0 = "ttir.all_gather"(%a0, %a1) <{dim=-3:si32,operand_constraints = []}> : (tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>) {
  // expected-error @+1 {{Invalid dimension for all gather op.}}
  %0 = "ttnn.all_gather"(%a0) <{dim=2:si32}> : (tensor<8x9xf32>) -> tensor<8x9xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x9xf32>, %a1: tensor<8x8xf32>) {
  // expected-error @+1 {{Input and output shapes must be the same}}
  %0 = "ttir.to_layout"(%a0, %a1) <{}> : (tensor<8x9xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<f32>, %a2: tensor<1xf32>) {
  // expected-error @+1 {{Input A must be at least a 1D tensor}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<f32>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%a0: tensor<8xf32>, %a1: tensor<f32>, %a2: tensor<1xf32>) {
  // expected-error @+1 {{Input B must be at least a 1D tensor}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<8xf32>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%a0: tensor<3x8x4xf32>, %a1: tensor<2x5x4xf32>, %a2: tensor<1xf32>) {
  // expected-error @+1 {{Input A[-1](4) and B[-2](5) must have matching inner dimensions}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<3x8x4xf32>, tensor<2x5x4xf32>, tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%a0: tensor<3x8x4xf32>, %a1: tensor<2x4x5xf32>, %a2: tensor<1xf32>) {
  // expected-error @+1 {{Batch dimensions of input A(3) and B(2) are not broadcast compatible}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<3x8x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>, %a1: tensor<4xf32>, %a2: tensor<f32>) {
  // expected-error @+1 {{Scalar output is not supported, output must be}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>, %a1: tensor<4xf32>, %a2: tensor<1x1xf32>) {
  // expected-error @+1 {{Scalar output must be a 1D tensor}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4x1xf32>) {
  // expected-error @+1 {{Output shape rank(2) must match the expected output shape rank(1)}}
  %0 = "ttir.matmul"(%a0, %a1, %a2) <{operand_constraints = []}> : (tensor<4x4xf32>, tensor<4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @f(%a0: tensor<4x4xf32>, %a1: tensor<4x5xf32>, %a2: tensor<5x5xf32>) {
  // expected-error @+1 {{Output shape dimension[0](5) doesn't match}}
  %0 = "ttnn.matmul"(%a0, %a1, %a2) <{}> : (tensor<4x4xf32>, tensor<4x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x8x3xf32>, %a1: tensor<8x8x3xf32>) {
  // expected-error @+1 {{Input tensor rank must be 4. Recieved input}}
  %0 = "ttir.max_pool2d"(%a0, %a1) <{kernel_height=9:si32,kernel_width=9:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_left=0:si32,padding_right=0:si32,padding_top=0:si32,padding_bottom=0:si32,operand_constraints = []}> : (tensor<8x8x3xf32>, tensor<8x8x3xf32>) -> tensor<8x8x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x8x8x3xf32>, %a1: tensor<1x8x8x3xf32>) {
  // expected-error @+1 {{Kernel height 9 is greater than input height}}
  %0 = "ttir.max_pool2d"(%a0, %a1) <{kernel_height=9:si32,kernel_width=10:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_left=0:si32,padding_right=0:si32,padding_top=0:si32,padding_bottom=0:si32,operand_constraints = []}> : (tensor<1x8x8x3xf32>, tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x8x8x3xf32>, %a1: tensor<1x8x8x3xf32>) {
  // expected-error @+1 {{Kernel width 10 is greater than input width}}
  %0 = "ttir.max_pool2d"(%a0, %a1) <{kernel_height=8:si32,kernel_width=10:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_left=0:si32,padding_right=0:si32,padding_top=0:si32,padding_bottom=0:si32,operand_constraints = []}> : (tensor<1x8x8x3xf32>, tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{failed to verify that all of {value, result}}}
  %0 = "ttir.constant"() <{value=dense<0.0>:tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3x3xf32>, %a2: tensor<1x1x4xf32>, %a3: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{must have the same number of spatial dimensions}}
  %0 = "ttir.convolution"(%a0, %a1, %a2, %a3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<1x1x4xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3x3xf32>, %a2: tensor<1x1x4xf32>, %a3: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{must have the same number of spatial dimensions}}
  %0 = "ttir.convolution"(%a0, %a1, %a2, %a3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<1x1x4xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8xf32>, %a1: tensor<4x3x3xf32>, %a2: tensor<1x1x4xf32>, %a3: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{Input tensor must have the same number}}
  %0 = "ttir.convolution"(%a0, %a1, %a2, %a3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x8xf32>, tensor<4x3x3xf32>, tensor<1x1x4xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3xf32>, %a2: tensor<1x1x4xf32>, %a3: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{Weight tensor must have the same number}}
  %0 = "ttir.convolution"(%a0, %a1, %a2, %a3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<4x3x3xf32>, tensor<1x1x4xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3x3xf32>, %a2: tensor<1x1x4xf32>, %a3: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{Bias must be a 4D tensor}}
  %0 = "ttir.convolution"(%a0, %a1, %a2, %a3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<1x1x4xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3x3xf32>, %a2: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{Window strides must have the same number}}
  %0 = "ttir.convolution"(%a0, %a1, %a2) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3x3xf32>, %a2: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{'ttir.convolution' op attribute 'batch_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = "ttir.convolution"(%a0, %a1, %a2) <{batch_group_count = 0 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<8x8xf32>, %a2: tensor<1x3x8x8xf32>, %a3: tensor<8x8xf32>) {
  // expected-error @+1 {{All input tensors must have the same rank}}
  %0:2 = "ttir.pooling"(%a0, %a1, %a2, %a3) <{base_dilations = array<i64: 1, 1, 1, 1>, operandSegmentSizes = array<i32: 2, 2>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<8x8xf32>, tensor<1x3x8x8xf32>, tensor<8x8xf32>) -> (tensor<1x3x8x8xf32>, tensor<8x8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<1x3x8x8xf32>) {
  // expected-error @+1 {{Window strides must have the same}}
  %0 = "ttir.pooling"(%a0, %a1) <{base_dilations = array<i64: 1, 1, 1, 1>, operandSegmentSizes = array<i32: 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<1x3x8x8xf32>) {
  // expected-error @+1 {{Window dilations must have the same}}
  %0 = "ttir.pooling"(%a0, %a1) <{base_dilations = array<i64: 1, 1, 1, 1>, operandSegmentSizes = array<i32: 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1>, window_strides = array<i64: 1, 1, 1, 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<1x3x8x8xf32>) {
  // expected-error @+1 {{Window dimensions must have the same}}
  %0 = "ttir.pooling"(%a0, %a1) <{base_dilations = array<i64: 1, 1, 1, 1>, operandSegmentSizes = array<i32: 1, 1>, padding = array<i64: 0>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1>, window_strides = array<i64: 1, 1, 1, 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<1x3x8x8xf32>) {
  // expected-error @+1 {{Padding must have the same number of elements}}
  %0 = "ttir.pooling"(%a0, %a1) <{base_dilations = array<i64: 1, 1, 1, 1>, operandSegmentSizes = array<i32: 1, 1>, padding = array<i64: 0>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 1, 1>, operand_constraints = []}> : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x8xf32>, %a1: tensor<8x8xf32>, %a2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{currently only supports an input type of bfloat16}}
  %0 = "ttnn.max_pool2d"(%a0, %a1, %a2) <{batch_size=1:si32,input_height=8:si32,input_width=8:si32,channels=3:si32,kernel_height=9:si32,kernel_width=2:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_height=0:si32,padding_width=0:si32}> : (tensor<8x8xf32>, tensor<8x8xf32>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x8xbf16>, %a1: tensor<8x8xbf16>, %a2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{Kernel height 9 is greater than input height 8}}
  %0 = "ttnn.max_pool2d"(%a0, %a1, %a2) <{batch_size=1:si32,input_height=8:si32,input_width=8:si32,channels=3:si32,kernel_height=9:si32,kernel_width=9:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_height=0:si32,padding_width=0:si32}> : (tensor<8x8xbf16>, tensor<8x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<8x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<8x8xbf16>, %a1: tensor<8x8xbf16>, %a2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{Kernel width 9 is greater than input width 8}}
  %0 = "ttnn.max_pool2d"(%a0, %a1, %a2) <{batch_size=1:si32,input_height=8:si32,input_width=8:si32,channels=3:si32,kernel_height=2:si32,kernel_width=9:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_height=0:si32,padding_width=0:si32}> : (tensor<8x8xbf16>, tensor<8x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<8x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<8x8xbf16>, %a1: tensor<8x8xbf16>, %a2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{Input tensor rank must be 4. Recieved input}}
  %0 = "ttnn.max_pool2d"(%a0, %a1, %a2) <{batch_size=1:si32,input_height=8:si32,input_width=8:si32,channels=3:si32,kernel_height=2:si32,kernel_width=2:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_height=0:si32,padding_width=0:si32}> : (tensor<8x8xbf16>, tensor<8x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<8x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<2x1x60x3xbf16>, %a1: tensor<2x1x60x3xbf16>, %a2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{Maxpool input must be in the form}}
  %0 = "ttnn.max_pool2d"(%a0, %a1, %a2) <{batch_size=1:si32,input_height=8:si32,input_width=8:si32,channels=3:si32,kernel_height=2:si32,kernel_width=2:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_height=0:si32,padding_width=0:si32}> : (tensor<2x1x60x3xbf16>, tensor<2x1x60x3xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<2x1x60x3xbf16>
  return
}

// -----

func.func @f(%a0: tensor<1x1x60x4xbf16>, %a1: tensor<1x1x60x4xbf16>, %a2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{at dim -2 must be equal to}}
  %0 = "ttnn.max_pool2d"(%a0, %a1, %a2) <{batch_size=1:si32,input_height=8:si32,input_width=8:si32,channels=3:si32,kernel_height=2:si32,kernel_width=2:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_height=0:si32,padding_width=0:si32}> : (tensor<1x1x60x4xbf16>, tensor<1x1x60x4xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x60x4xbf16>
  return
}

// -----

func.func @f(%a0: tensor<1x1x64x4xbf16>, %a1: tensor<1x1x64x4xbf16>, %a2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{at dim -3 must be equal to}}
  %0 = "ttnn.max_pool2d"(%a0, %a1, %a2) <{batch_size=1:si32,input_height=8:si32,input_width=8:si32,channels=3:si32,kernel_height=2:si32,kernel_width=2:si32,stride_height=1:si32,stride_width=1:si32,dilation_height=1:si32,dilation_width=1:si32,ceil_mode=false,padding_height=0:si32,padding_width=0:si32}> : (tensor<1x1x64x4xbf16>, tensor<1x1x64x4xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x64x4xbf16>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3x3xf32>, %a2: tensor<1x2x1x4xf32>, %a3: tensor<1x4x6x6xf32>, %a4: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{only have data on the final dimenstion}}
  %0 = "ttnn.conv2d"(%a0, %a1, %a2, %a3, %a4) <{in_channels=3:i32,out_channels=4:i32,batch_size=1:i32,input_height=8:i32,input_width=8:i32,kernel_height=3:i32,kernel_width=3:i32,stride_height=1:i32,stride_width=1:i32,padding_height=0:i32,padding_width=0:i32,dilation_height=1:i32,dilation_width=1:i32,groups=1:i32}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<1x2x1x4xf32>, tensor<1x4x6x6xf32>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3x3xf32>, %a2: tensor<1x2x1xf32>, %a3: tensor<1x4x6x6xf32>, %a4: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  // expected-error @+1 {{Bias must be a 4D tensor}}
  %0 = "ttnn.conv2d"(%a0, %a1, %a2, %a3, %a4) <{in_channels=3:i32,out_channels=4:i32,batch_size=1:i32,input_height=8:i32,input_width=8:i32,kernel_height=3:i32,kernel_width=3:i32,stride_height=1:i32,stride_width=1:i32,padding_height=0:i32,padding_width=0:i32,dilation_height=1:i32,dilation_width=1:i32,groups=1:i32}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<1x2x1xf32>, tensor<1x4x6x6xf32>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @f(%a0: tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) {
  // expected-error @+1 {{Output tensor type missing layout attribute}}
  %0 = "ttnn.to_memory_config"(%a0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x64>>>}> : (tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) -> tensor<64x64xf32>
  return
}

// -----

func.func @f(%a0: tensor<64x64xf32>) {
  // expected-error @+1 {{Input tensor type missing layout attribute}}
  %0 = "ttnn.to_memory_config"(%a0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x64>>>}> : (tensor<64x64xf32>) -> tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>
  return
}

// -----

func.func @f(%a0: tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) {
  // expected-error @+1 {{System memory space only supports undef}}
  %0 = "ttnn.to_memory_config"(%a0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x64>>>}> : (tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) -> tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>, interleaved>>
  return
}

// -----

func.func @f(%a0: tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) {
  // expected-error @+1 {{Device memory space only supports interleaved}}
  %0 = "ttnn.to_memory_config"(%a0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x64>>>}> : (tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) -> tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<dram>>>>
  return
}

// -----

func.func @f(%a0: tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) {
  // expected-error @+1 {{Device memory space only supports interleaved}}
  %0 = "ttnn.to_memory_config"(%a0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x64>>>}> : (tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) -> tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<dram>>, single_bank>>
  return
}

// -----

func.func @f(%a0: tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) {
  // expected-error @+1 {{Device DRAM memory space only supports}}
  %0 = "ttnn.to_memory_config"(%a0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x64>>>}> : (tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) -> tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<dram>>, block_sharded>>
  return
}

// -----

func.func @f(%a0: tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) {
  // expected-error @+1 {{Shard shape must be 2D}}
  %0 = "ttnn.to_memory_config"(%a0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x64>>>}> : (tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) -> tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1, 0), <1x1x1>, memref<64x64x1xf32, #ttnn.buffer_type<l1>>, block_sharded>>
  return
}

// -----

func.func @f(%a0: tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) {
  // expected-error @+1 {{must divide tile shape (32, 32) evenly}}
  %0 = "ttnn.to_memory_config"(%a0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x64>>>}> : (tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xf32, #ttnn.buffer_type<system_memory>>>>) -> tensor<64x64xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<16x64xf32, #ttnn.buffer_type<l1>>, block_sharded>>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{Result type missing layout attribute}}
  %0 = "ttir.alloc"() <{address=0:i64,size=0:i64,memory_space=#tt.memory_space<l1>}> : () -> tensor<64x64xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{Alloc size must be non-zero}}
  %0 = "ttir.alloc"() <{address=0:i64,size=0:i64,memory_space=#tt.memory_space<dram>}> : () -> tensor<64x64xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x64xf32, #tt.memory_space<l1>>>>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{must match alloc memory space}}
  %0 = "ttir.alloc"() <{address=0:i64,size=8:i64,memory_space=#tt.memory_space<dram>}> : () -> tensor<64x64xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x64xf32, #tt.memory_space<l1>>>>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{Allocating from system memory space must}}
  %0 = "ttir.alloc"() <{address=8:i64,size=8:i64,memory_space=#tt.memory_space<system>}> : () -> tensor<64x64xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x64xf32, #tt.memory_space<system>>>>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{Allocating from a device memory space must}}
  %0 = "ttir.alloc"() <{address=0:i64,size=8:i64,memory_space=#tt.memory_space<l1>}> : () -> tensor<64x64xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x64xf32, #tt.memory_space<l1>>>>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'ttir.alloc' op attribute 'address' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = "ttir.alloc"() <{address=1:i32,size=1:i64,memory_space=#tt.memory_space<l1>}> : () -> tensor<64x64xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x64xf32, #tt.memory_space<l1>>>>
  return
}
