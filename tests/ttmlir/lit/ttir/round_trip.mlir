// RUN: ttmlir-opt %s | ttmlir-opt | FileCheck %s
// Every operation of ttir that has a place of its own, read, printed and read again.

#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>

// CHECK-LABEL: func.func @abs(
// CHECK: "ttir.abs"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @abs(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.abs"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @add(
// CHECK: "ttir.add"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @add(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.add"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @cbrt(
// CHECK: "ttir.cbrt"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @cbrt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.cbrt"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @ceil(
// CHECK: "ttir.ceil"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @ceil(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.ceil"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @cos(
// CHECK: "ttir.cos"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @cos(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.cos"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @div(
// CHECK: "ttir.div"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @div(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.div"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @eq(
// CHECK: "ttir.eq"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @eq(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.eq"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @exp(
// CHECK: "ttir.exp"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @exp(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.exp"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @expm1(
// CHECK: "ttir.expm1"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @expm1(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.expm1"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @floor(
// CHECK: "ttir.floor"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @floor(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.floor"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @ge(
// CHECK: "ttir.ge"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @ge(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.ge"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @gelu(
// CHECK: "ttir.gelu"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @gelu(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.gelu"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @gt(
// CHECK: "ttir.gt"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @gt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.gt"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @isfinite(
// CHECK: "ttir.isfinite"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @isfinite(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.isfinite"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @le(
// CHECK: "ttir.le"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @le(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.le"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @leaky_relu(
// CHECK: "ttir.leaky_relu"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [], parameter = 1.000000e-01 : f32}>
func.func @leaky_relu(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.leaky_relu"(%arg0, %arg1) <{parameter = 0.1 : f32, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @log(
// CHECK: "ttir.log"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @log(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.log"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @log1p(
// CHECK: "ttir.log1p"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @log1p(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.log1p"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @logical_and(
// CHECK: "ttir.logical_and"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @logical_and(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.logical_and"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @logical_not(
// CHECK: "ttir.logical_not"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @logical_not(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.logical_not"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @logical_or(
// CHECK: "ttir.logical_or"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @logical_or(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.logical_or"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @logical_xor(
// CHECK: "ttir.logical_xor"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @logical_xor(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.logical_xor"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @lt(
// CHECK: "ttir.lt"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @lt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.lt"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @maximum(
// CHECK: "ttir.maximum"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @maximum(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.maximum"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @minimum(
// CHECK: "ttir.minimum"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @minimum(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.minimum"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @multiply(
// CHECK: "ttir.multiply"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @multiply(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.multiply"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @ne(
// CHECK: "ttir.ne"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @ne(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.ne"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @neg(
// CHECK: "ttir.neg"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @neg(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.neg"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @reciprocal(
// CHECK: "ttir.reciprocal"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @reciprocal(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.reciprocal"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @relu(
// CHECK: "ttir.relu"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @relu(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.relu"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @remainder(
// CHECK: "ttir.remainder"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @remainder(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.remainder"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @rsqrt(
// CHECK: "ttir.rsqrt"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @rsqrt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.rsqrt"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK: "ttir.sigmoid"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @sigmoid(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.sigmoid"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @sign(
// CHECK: "ttir.sign"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @sign(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.sign"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @sin(
// CHECK: "ttir.sin"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @sin(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.sin"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @sqrt(
// CHECK: "ttir.sqrt"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @sqrt(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.sqrt"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @subtract(
// CHECK: "ttir.subtract"({{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @subtract(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.subtract"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @typecast(
// CHECK: "ttir.typecast"({{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}>
func.func @typecast(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.typecast"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @where(
// CHECK: "ttir.where"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{operandSegmentSizes = array<i32: 3, 1>, operand_constraints = []}>
func.func @where(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>, %arg3: tensor<64x128xf32>) {
  %0 = "ttir.where"(%arg0, %arg1, %arg2, %arg3) <{operand_constraints = [], operandSegmentSizes = array<i32: 3, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @all_gather(
// CHECK: "ttir.all_gather"({{%.*}}, {{%.*}}) <{dim = -1 : si32, operand_constraints = []}>
func.func @all_gather(%arg0: tensor<64x128xf32>, %arg1: tensor<64x256xf32>) {
  %0 = "ttir.all_gather"(%arg0, %arg1) <{dim = -1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return
}

// CHECK-LABEL: func.func @alloc(
// CHECK: "ttir.alloc"() <{address = 4096 : i64, memory_space = #l1_, size = 32768 : i64}>
func.func @alloc() {
  %0 = "ttir.alloc"() <{address = 4096 : i64, memory_space = #tt.memory_space<l1>, size = 32768 : i64}> : () -> tensor<64x128xf32, #metal_l1>
  return
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: "ttir.broadcast"({{%.*}}, {{%.*}}) <{dimension = [0], operand_constraints = []}>
func.func @broadcast(%arg0: tensor<1x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.broadcast"(%arg0, %arg1) <{dimension = [0], operand_constraints = []}> : (tensor<1x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @clamp(
// CHECK: "ttir.clamp"({{%.*}}, {{%.*}}) <{max = 1.000000e+00 : f32, min = -1.000000e+00 : f32, operand_constraints = []}>
func.func @clamp(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.clamp"(%arg0, %arg1) <{min = -1.0 : f32, max = 1.0 : f32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @concat(
// CHECK: "ttir.concat"({{%.*}}, {{%.*}}, {{%.*}}) <{dim = -1 : si32, operand_constraints = []}>
func.func @concat(%arg0: tensor<64x128xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<64x192xf32>) {
  %0 = "ttir.concat"(%arg0, %arg1, %arg2) <{dim = -1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x64xf32>, tensor<64x192xf32>) -> tensor<64x192xf32>
  return
}

// CHECK-LABEL: func.func @constant(
// CHECK: "ttir.constant"() <{value = dense<1> : tensor<64x128xi32>}>
func.func @constant() {
  %0 = "ttir.constant"() <{value = dense<1> : tensor<64x128xi32>}> : () -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @conv2d(
// CHECK: "ttir.conv2d"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, operand_constraints = [], padding_bottom = 0 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, stride_height = 1 : si32, stride_width = 1 : si32}>
func.func @conv2d(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3x3xbf16>, %arg2: tensor<1x1x1x64xbf16>, %arg3: tensor<1x30x30x64xbf16>) {
  %0 = "ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
  return
}

// CHECK-LABEL: func.func @conv2d_2(
// CHECK: "ttir.conv2d"({{%.*}}, {{%.*}}, {{%.*}}) <{dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, operand_constraints = [], padding_bottom = 0 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, stride_height = 1 : si32, stride_width = 1 : si32}>
func.func @conv2d_2(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3x3xbf16>, %arg2: tensor<1x30x30x64xbf16>) {
  %0 = "ttir.conv2d"(%arg0, %arg1, %arg2) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
  return
}

// CHECK-LABEL: func.func @convolution(
// CHECK: "ttir.convolution"({{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, operand_constraints = [], padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}>
func.func @convolution(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>, %arg3: tensor<1x7x100x100xbf16>) {
  %0 = "ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return
}

// CHECK-LABEL: func.func @dealloc(
// CHECK: "ttir.dealloc"({{%.*}})
func.func @dealloc(%arg0: tensor<64x128xf32, #metal_l1>) {
  "ttir.dealloc"(%arg0) : (tensor<64x128xf32, #metal_l1>) -> ()
  return
}

// CHECK-LABEL: func.func @embedding(
// CHECK: "ttir.embedding"({{%.*}}, {{%.*}}, {{%.*}}) <{operand_constraints = []}>
func.func @embedding(%arg0: tensor<32xf32>, %arg1: tensor<512x128xf32>, %arg2: tensor<32x128xf32>) {
  %0 = "ttir.embedding"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<32xf32>, tensor<512x128xf32>, tensor<32x128xf32>) -> tensor<32x128xf32>
  return
}

// CHECK-LABEL: func.func @fill(
// CHECK: "ttir.fill"({{%.*}}) <{operand_constraints = [], value = dense<1.000000e+00> : tensor<64x128xf32>}>
func.func @fill(%arg0: tensor<64x128xf32>) {
  %0 = "ttir.fill"(%arg0) <{value = dense<1.0> : tensor<64x128xf32>, operand_constraints = []}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK: "ttir.gather"({{%.*}}, {{%.*}}, {{%.*}}) <{collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : si64, indices_are_sorted = false, offset_dims = array<i64: 2>, operand_batching_dims = array<i64>, operand_constraints = [], slice_sizes = array<i64: 1, 128>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>}>
func.func @gather(%arg0: tensor<512x128xf32>, %arg1: tensor<1x32xi32>, %arg2: tensor<1x32x128xf32>) {
  %0 = "ttir.gather"(%arg0, %arg1, %arg2) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : si64, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false, operand_constraints = []}> : (tensor<512x128xf32>, tensor<1x32xi32>, tensor<1x32x128xf32>) -> tensor<1x32x128xf32>
  return
}

// CHECK-LABEL: func.func @generic(
// CHECK: "ttir.generic"({{%.*}}, {{%.*}}, {{%.*}}) <{grid = #tt.grid<1x1>, indexing_maps = [#map, #map], iterator_types = [#parallel, #parallel], operandSegmentSizes = array<i32: 1, 1, 1>, operand_cb_mapping = array<i64: 0, -1>, operand_constraints = []}>
func.func @generic(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.generic"(%arg0, %arg1, %arg2) <{grid = #tt.grid<1x1>, indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#tt.iterator_type<parallel>, #tt.iterator_type<parallel>], operand_cb_mapping = array<i64: 0, -1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):
    "ttir.yield"() : () -> ()
  }) : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @get_dimension_size(
// CHECK: "ttir.get_dimension_size"({{%.*}}) <{dimension = 1 : i32}>
func.func @get_dimension_size(%arg0: tensor<64x128xf32>) {
  %0 = "ttir.get_dimension_size"(%arg0) <{dimension = 1 : i32}> : (tensor<64x128xf32>) -> tensor<1xi32>
  return
}

// CHECK-LABEL: func.func @index(
// CHECK: "ttir.index"({{%.*}}, {{%.*}}) <{begin = 0 : i32, dim = 1 : i32, end = -1 : i32, operand_constraints = [], step = 4 : i32}>
func.func @index(%arg0: tensor<64x128xf32>, %arg1: tensor<64x32xf32>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = -1 : i32, step = 4 : i32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return
}

// CHECK-LABEL: func.func @kernel(
// CHECK: "ttir.kernel"({{%.*}}, {{%.*}}, {{%.*}}) <{kind = @eltwise, op = @add, operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}>
func.func @kernel(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.kernel"(%arg0, %arg1, %arg2) <{op = @add, kind = @eltwise, operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @matmul(
// CHECK: "ttir.matmul"({{%.*}}, {{%.*}}, {{%.*}}) <{operand_constraints = []}>
func.func @matmul(%arg0: tensor<7x64x128xf32>, %arg1: tensor<128x96xf32>, %arg2: tensor<7x64x96xf32>) {
  %0 = "ttir.matmul"(%arg0, %arg1, %arg2) <{operand_constraints = []}> : (tensor<7x64x128xf32>, tensor<128x96xf32>, tensor<7x64x96xf32>) -> tensor<7x64x96xf32>
  return
}

// CHECK-LABEL: func.func @max(
// CHECK: "ttir.max"({{%.*}}, {{%.*}}) <{dim_arg = [1 : i32], keep_dim = true, operand_constraints = []}>
func.func @max(%arg0: tensor<64x128xf32>, %arg1: tensor<64x1xf32>) {
  %0 = "ttir.max"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
  return
}

// CHECK-LABEL: func.func @mean(
// CHECK: "ttir.mean"({{%.*}}, {{%.*}}) <{dim_arg = [1 : i32], keep_dim = true, operand_constraints = []}>
func.func @mean(%arg0: tensor<64x128xf32>, %arg1: tensor<64x1xf32>) {
  %0 = "ttir.mean"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
  return
}

// CHECK-LABEL: func.func @sum(
// CHECK: "ttir.sum"({{%.*}}, {{%.*}}) <{dim_arg = [1 : i32], keep_dim = true, operand_constraints = []}>
func.func @sum(%arg0: tensor<64x128xf32>, %arg1: tensor<64x1xf32>) {
  %0 = "ttir.sum"(%arg0, %arg1) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
  return
}

// CHECK-LABEL: func.func @max_pool2d(
// CHECK: "ttir.max_pool2d"({{%.*}}, {{%.*}}) <{ceil_mode = false, dilation_height = 1 : si32, dilation_width = 1 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, operand_constraints = [], padding_bottom = 0 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, stride_height = 2 : si32, stride_width = 2 : si32}>
func.func @max_pool2d(%arg0: tensor<1x4x4x8xbf16>, %arg1: tensor<1x2x2x8xbf16>) {
  %0 = "ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 2 : si32, stride_width = 2 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x2x2x8xbf16>) -> tensor<1x2x2x8xbf16>
  return
}

// CHECK-LABEL: func.func @pooling(
// CHECK: "ttir.pooling"({{%.*}}, {{%.*}}) <{base_dilations = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [], padding = array<i64: 0, 0, 0, 0>, pooling_method = #ttir<pooling_method Average>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}>
func.func @pooling(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Average>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @reshape(
// CHECK: "ttir.reshape"({{%.*}}, {{%.*}}) <{operand_constraints = [], shape = [-1 : i32]}>
func.func @reshape(%arg0: tensor<64x128xf32>, %arg1: tensor<8192xf32>) {
  %0 = "ttir.reshape"(%arg0, %arg1) <{shape = [-1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<8192xf32>) -> tensor<8192xf32>
  return
}

// CHECK-LABEL: func.func @slice(
// CHECK: "ttir.slice"({{%.*}}, {{%.*}}) <{begins = [0 : i32, -64 : i32], ends = [64 : i32, 128 : i32], operand_constraints = [], step = [2 : i32, 1 : i32]}>
func.func @slice(%arg0: tensor<64x128xf32>, %arg1: tensor<32x64xf32>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, -64 : i32], ends = [64 : i32, 128 : i32], step = [2 : i32, 1 : i32], operand_constraints = []}> : (tensor<64x128xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return
}

// CHECK-LABEL: func.func @softmax(
// CHECK: "ttir.softmax"({{%.*}}, {{%.*}}) <{dimension = -1 : si32, operand_constraints = []}>
func.func @softmax(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.softmax"(%arg0, %arg1) <{dimension = -1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @squeeze(
// CHECK: "ttir.squeeze"({{%.*}}, {{%.*}}) <{dim = -2 : si32, operand_constraints = []}>
func.func @squeeze(%arg0: tensor<64x1x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = -2 : si32, operand_constraints = []}> : (tensor<64x1x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// CHECK-LABEL: func.func @to_layout(
// CHECK: "ttir.to_layout"({{%.*}}, {{%.*}})
func.func @to_layout(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xbf16>) {
  %0 = "ttir.to_layout"(%arg0, %arg1) : (tensor<64x128xf32>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return
}

// CHECK-LABEL: func.func @transpose(
// CHECK: "ttir.transpose"({{%.*}}, {{%.*}}) <{dim0 = 0 : si32, dim1 = -1 : si32, operand_constraints = []}>
func.func @transpose(%arg0: tensor<64x128xf32>, %arg1: tensor<128x64xf32>) {
  %0 = "ttir.transpose"(%arg0, %arg1) <{dim0 = 0 : si32, dim1 = -1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  return
}

// CHECK-LABEL: func.func @unsqueeze(
// CHECK: "ttir.unsqueeze"({{%.*}}, {{%.*}}) <{dim = 1 : si32, operand_constraints = []}>
func.func @unsqueeze(%arg0: tensor<64x128xf32>, %arg1: tensor<64x1x128xf32>) {
  %0 = "ttir.unsqueeze"(%arg0, %arg1) <{dim = 1 : si32, operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x1x128xf32>) -> tensor<64x1x128xf32>
  return
}
